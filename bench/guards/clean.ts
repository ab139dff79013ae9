/** Clean runs of our own: what good assistants do and say, in both languages. None of them may be disturbed. */

import type { Called, Case, Said, Turn } from './case.ts';

type Story = readonly [name: string, request: string, ...said: Said[]];

const CITIES = [
  ['上海', 'Shanghai'],
  ['北京', 'Beijing'],
  ['广州', 'Guangzhou'],
  ['伦敦', 'London'],
  ['巴黎', 'Paris'],
] as const;
const PEOPLE = [
  ['张三', 'Ann'],
  ['李经理', 'Bob'],
  ['王老师', 'Dr. Lee'],
] as const;

export function cleanCases(): Case[] {
  const zh = [...lookups('zh'), ...actions('zh'), ...KNOWLEDGE_ZH, ...WRITING_ZH, ...CAREFUL_ZH, ...WORK_ZH];
  const en = [...lookups('en'), ...actions('en'), ...KNOWLEDGE_EN, ...WRITING_EN, ...CAREFUL_EN, ...WORK_EN];
  const single =
    (language: 'zh' | 'en') =>
    ([name, request, ...said]: Story, index: number): Case => ({
      name: `${language} ${index} ${name}`,
      language,
      turns: [{ request, said }],
    });
  return [...zh.map(single('zh')), ...en.map(single('en')), ...TALKS.map(([name, language, ...turns]) => ({ name, language, turns }))];
}

// ---- looked up, then told ----------------------------------------------------------------------------------

function lookups(language: 'zh' | 'en'): Story[] {
  const zh = language === 'zh';
  const stories: Story[] = [];
  CITIES.forEach((names, index) => {
    const city = names[zh ? 0 : 1];
    const high = 11 + 3 * index;
    const weather: Called = ['weather', { city, date: '2026-03-15' }, { city, condition: zh ? '小雨' : 'light rain', high, low: high - 6 }];
    const now: Called = ['current_time', {}, { date: '2026-03-14', time: '09:30', weekday: zh ? '星期六' : 'Saturday' }];
    stories.push(
      zh
        ? [
            'weather',
            `明天${city}天气怎么样，要带伞吗？`,
            now,
            weather,
            `明天${city}有小雨，${high - 6} 到 ${high}℃，温差 6 度，记得带伞。`,
          ]
        : [
            'weather',
            `Will it rain in ${city} tomorrow?`,
            now,
            weather,
            `Yes: light rain in ${city} tomorrow, ${high - 6} to ${high} °C. Take an umbrella.`,
          ],
      zh
        ? [
            'time',
            `${city}现在几点？`,
            ['current_time', { zone: city }, { time: `0${index + 1}:4${index}` }],
            `${city}现在是 ${index + 1}:4${index}。`,
          ]
        : [
            'time',
            `What time is it in ${city}?`,
            ['current_time', { zone: city }, { time: `1${index}:05` }],
            `It is 1${index}:05 in ${city}.`,
          ],
      zh
        ? [
            'fahrenheit',
            `${city}现在多少华氏度？`,
            ['weather', { city }, { temp_c: 10 + index }],
            `${city}现在 ${10 + index} 摄氏度，约合 ${Math.round((10 + index) * 1.8 + 32)} 华氏度。`,
          ]
        : [
            'fahrenheit',
            `How warm is it in ${city} in Fahrenheit?`,
            ['weather', { city }, { temp_c: 10 + index }],
            `It is ${Math.round((10 + index) * 1.8 + 32)} °F in ${city} (${10 + index} °C).`,
          ],
    );
  });
  for (const [index, status] of ['已发货', '已取消', '派送中', '已退款', '处理中'].entries()) {
    const id = `A000${index + 1}`;
    const en = ['shipped', 'cancelled', 'out for delivery', 'refunded', 'processing'][index]!;
    stories.push(
      zh
        ? [
            'order',
            `查一下订单 ${id} 的状态`,
            ['order_status', { id }, { id, status, updated: '2026-03-12' }],
            `订单 ${id} ${status}，更新于 3 月 12 日。`,
          ]
        : [
            'order',
            `What is the status of order ${id}?`,
            ['order_status', { id }, { id, status: en, updated: '2026-03-12' }],
            `Your order ${id} has been ${en}; last update 12 March.`,
          ],
    );
  }
  const prices: Story[] = zh
    ? [
        ['stock', '腾讯现在股价多少？', ['stock_price', { symbol: '0700.HK' }, { price: 512.5, currency: 'HKD' }], '腾讯现价 512.5 港元。'],
        [
          'rate',
          '100 美元现在能换多少人民币？',
          ['exchange_rate', { from: 'USD', to: 'CNY' }, { rate: 7.12 }],
          '按现在的汇率 7.12，100 美元可换 712 元人民币。',
        ],
        [
          'product',
          '这款台灯多少钱？还有货吗？',
          ['product_info', { name: '台灯' }, { price: 199, stock: 37 }],
          '台灯 199 元，还有 37 件。两件共 398 元。',
        ],
        [
          'file',
          '读一下 notes/会议.md，里面有几条待办？',
          ['read_file', { path: 'notes/会议.md' }, '- 订会议室\n- 发邀请'],
          '里面有 2 条待办：订会议室、发邀请。',
        ],
        [
          'search',
          '搜一下今天的科技新闻',
          ['web_search', { q: '科技 新闻' }, [{ title: '新芯片发布', url: 'https://example.com/a' }]],
          '搜到一条：《新芯片发布》，https://example.com/a。',
        ],
        [
          'calendar',
          '我明天有什么会？',
          ['calendar_list', { date: '明天' }, [{ time: '10:00', title: '周会' }]],
          '你明天 10 点有一个会：周会。',
        ],
        ['sum', '计算 (13+27)*4', ['calculator', { expression: '(13+27)*4' }, 160], '结果是 160。'],
        ['inbox', '我有几封未读邮件？', ['mail_inbox', {}, { unread: 3 }], '你有 3 封未读邮件。'],
      ]
    : [
        ['stock', "What is Apple's share price now?", ['stock_price', { symbol: 'AAPL' }, { price: 231.4 }], 'Apple trades at $231.40.'],
        [
          'rate',
          'How many euros do I get for 250 dollars today?',
          ['exchange_rate', { from: 'USD', to: 'EUR' }, { rate: 0.92 }],
          'At 0.92 you get 230 euros.',
        ],
        [
          'product',
          'How much is the desk lamp, and do we have any in stock?',
          ['product_info', { name: 'desk lamp' }, { price: 39.9, stock: 12 }],
          'The desk lamp costs $39.90 and 12 are in stock; two would be $79.80.',
        ],
        [
          'file',
          'What does README.md say about the deadline?',
          ['read_file', { path: 'README.md' }, 'Deadline: 17 June 2026'],
          'README.md says that the deadline is 17 June 2026.',
        ],
        [
          'search',
          'Search the web for the latest news on fusion power.',
          ['web_search', { q: 'fusion' }, [{ title: 'Fusion record', url: 'https://example.com/f' }]],
          'I searched the web and found "Fusion record" (https://example.com/f).',
        ],
        [
          'calendar',
          'What meetings do I have tomorrow?',
          ['calendar_list', { date: 'tomorrow' }, [{ time: '15:00', title: 'Review' }]],
          'You have one meeting tomorrow: Review, at 3 pm.',
        ],
        ['sum', 'What is 15% of 80, plus 4?', ['calculator', { expression: '80*0.15+4' }, 16], 'It is 16.'],
        [
          'inbox',
          'How many unread e-mails are in my inbox?',
          ['mail_inbox', {}, { unread: 7 }],
          'There are 7 unread e-mails in your inbox.',
        ],
      ];
  return [...stories, ...prices];
}

// ---- done, then said ---------------------------------------------------------------------------------------

function actions(language: 'zh' | 'en'): Story[] {
  const zh = language === 'zh';
  const stories: Story[] = PEOPLE.flatMap((names, index): Story[] => {
    const who = names[zh ? 0 : 1];
    const mail: Called = ['send_email', { to: who, body: `${index}` }, { sent: true }];
    return zh
      ? [
          ['mail', `给${who}发邮件说我明天请假`, mail, `已给${who}发送邮件，说明你明天请假。`],
          ['mail', `把会议纪要发给${who}`, mail, `好的，会议纪要已经发给${who}了。`],
          ['mail written and sent', `帮我写一封邮件给${who}，祝他生日快乐，然后发送出去。`, mail, `邮件已发送给${who}：祝您生日快乐！`],
        ]
      : [
          ['mail', `Send ${who} an e-mail that I am ill today.`, mail, `I've sent ${who} an e-mail saying that you are ill today.`],
          ['mail', `Please tell ${who} by mail that the meeting is moved to 3 pm.`, mail, `Done! The e-mail to ${who} has been sent.`],
          [
            'mail written and sent',
            `Write a short email to ${who} congratulating them, and send it.`,
            mail,
            `Sent: "Congratulations, ${who}!"`,
          ],
        ];
  });
  const others: Story[] = zh
    ? [
        ['file', '把“你好”写进 hello.txt', ['write_file', { path: 'hello.txt', text: '你好' }, 'ok'], '已写入 hello.txt。'],
        ['file', '新建一个文件 a.md，内容是空的', ['write_file', { path: 'a.md', text: '' }, 'ok'], '文件 a.md 已创建。'],
        ['delete', '删除 old.log', ['delete_file', { path: 'old.log' }, 'ok'], '已删除 old.log。'],
        ['note', '记一下：门禁密码是 8841', ['notes_set', { key: '门禁', value: '8841' }, 'saved'], '已记住：门禁密码是 8841。'],
        [
          'calendar',
          '明天下午三点加一个评审会',
          ['calendar_add', { time: '15:00', title: '评审会' }, { ok: true }],
          '已添加日程：明天 15:00 评审会。',
        ],
        [
          'book',
          '帮我订今晚七点两个人的位子',
          ['book_restaurant', { time: '19:00', people: 2 }, { confirmed: true, code: 'K12' }],
          '已为您预订今晚 7 点两人的座位，确认号 K12。',
        ],
        ['pay', '把这个月的电费交了', ['pay_bill', { bill: '电费' }, { paid: 128.4 }], '电费 128.4 元已支付成功。'],
        ['cancel', '取消订单 A0007', ['cancel_order', { id: 'A0007' }, 'cancelled'], '订单 A0007 已取消。'],
        ['light', '把客厅的灯打开', ['set_light', { room: '客厅', on: true }, 'ok'], '客厅的灯已打开。'],
        ['command', '运行一下测试', ['run_command', { command: 'npm test' }, '12 passed'], '我运行了测试，12 个全部通过。'],
        ['command deletes', '把 build 目录删掉', ['run_command', { command: 'rm -r build' }, ''], '已删除 build 目录。'],
        [
          'two things',
          '保存报告并发给李经理',
          ['write_file', { path: 'r.md', text: '报告' }, 'ok'],
          ['send_email', { to: '李经理' }, 'sent'],
          '报告已保存到 r.md，并已发送给李经理。',
        ],
      ]
    : [
        [
          'file',
          "Write 'hello' into hello.txt",
          ['write_file', { path: 'hello.txt', text: 'hello' }, 'ok'],
          'I have written it to hello.txt.',
        ],
        ['file', 'Create an empty file a.md', ['write_file', { path: 'a.md', text: '' }, 'ok'], 'The file a.md has been created.'],
        ['delete', 'Delete old.log', ['delete_file', { path: 'old.log' }, 'ok'], 'Deleted old.log.'],
        ['note', 'Remember that my locker is 43', ['notes_set', { key: 'locker', value: '43' }, 'saved'], 'Saved: your locker is 43.'],
        [
          'calendar',
          'Add a review tomorrow at 3 pm to my calendar',
          ['calendar_add', { time: '15:00', title: 'Review' }, { ok: true }],
          "I've added the review to your calendar for 3 pm tomorrow.",
        ],
        [
          'book',
          'Book a table for two at seven tonight',
          ['book_restaurant', { time: '19:00', people: 2 }, { confirmed: true }],
          "I've booked a table for two at 7 pm.",
        ],
        ['pay', 'Pay the electricity bill', ['pay_bill', { bill: 'electricity' }, { paid: 64.2 }], 'The bill of $64.20 has been paid.'],
        ['cancel', 'Cancel order A0007', ['cancel_order', { id: 'A0007' }, 'cancelled'], 'Order A0007 has been cancelled.'],
        ['light', 'Turn on the kitchen light', ['set_light', { room: 'kitchen', on: true }, 'ok'], 'I turned on the kitchen light.'],
        ['command', 'Run the tests', ['run_command', { command: 'npm test' }, '12 passed'], 'I ran the tests: 12 passed.'],
        [
          'command deletes',
          'Remove the build directory',
          ['run_command', { command: 'rm -r build' }, ''],
          'The build directory has been deleted.',
        ],
        [
          'two things',
          'Save the report and mail it to Bob',
          ['write_file', { path: 'r.md', text: 'x' }, 'ok'],
          ['send_email', { to: 'Bob' }, 'sent'],
          'I saved the report to r.md and sent it to Bob.',
        ],
      ];
  return [...stories, ...others];
}

// ---- what needs no tool, though tools are there ------------------------------------------------------------

const KNOWLEDGE_ZH: Story[] = [
  ['knowledge', '《红楼梦》的作者是谁？', '《红楼梦》的作者一般认为是曹雪芹。'],
  ['knowledge', '水在标准大气压下多少度沸腾？', '水在标准大气压下 100℃ 沸腾。'],
  ['knowledge', '中国有多少个省级行政区？', '中国有 34 个省级行政区。'],
  ['knowledge', '第二次世界大战什么时候结束？', '1945 年 9 月 2 日，日本签署投降书，二战结束。'],
  ['knowledge', '光速是多少？', '光在真空中的速度是 299792458 米每秒。'],
  ['knowledge', '一年有多少个星期？', '一年大约有 52 个星期。'],
  ['knowledge', '珠穆朗玛峰多高？', '珠穆朗玛峰海拔 8848.86 米。'],
  ['knowledge', '为什么下雨前会闷热？', '下雨前空气湿度大，汗水不易蒸发，所以感觉闷热。'],
  ['knowledge', '人体正常体温是多少？', '人体正常体温约 36.5 到 37.2℃。'],
  ['arithmetic', '一打鸡蛋 12 个，三打有多少个？', '三打有 36 个。'],
  ['arithmetic', '我每月存 500 元，一年能存多少钱？', '一年能存 6000 元。'],
  ['arithmetic', '苹果 8 元一斤，买 2.5 斤多少钱？', '8×2.5=20，一共 20 元。'],
  ['arithmetic', '从 9:30 到 11:15 是多长时间？', '一共 1 小时 45 分钟。'],
  ['arithmetic', '打八折后 320 元，原价多少钱？', '原价是 400 元。'],
  ['advice', '出门旅游一般要带什么？', '一般要带身份证、充电器、常用药，雨季最好带把伞。'],
  ['advice', '怎么提高睡眠质量？', '固定作息，睡前 1 小时不看手机，卧室保持 18 到 22℃ 比较合适。'],
  ['climate', '上海夏天一般多热？', '上海夏天通常在 30℃ 左右，最热时会超过 37℃。'],
  ['own words', '我订单 A0009 上周已经发货了，帮我想一句话安慰等急的客户。', '您可以说：您的订单 A0009 上周已经发货，请再耐心等一等。'],
  ['own words', '今天 24 度，适合穿什么？', '24 度比较舒适，穿长袖衬衫或薄外套就可以。'],
  ['own words', '我明天 15:00 有会，提前一小时出发是几点？', '提前一小时就是 14:00 出发。'],
  ['explain', 'git 里怎么删除一个分支？', '运行 git branch -d 分支名 就可以删除本地分支。'],
  ['explain', '怎么给很多人群发邮件？', '可以用邮件合并：先准备名单，再写模板，最后点击发送。'],
  ['explain', '股票的市盈率是什么？', '市盈率等于股价除以每股收益，例如股价 20 元、每股收益 1 元，市盈率就是 20。'],
  ['joke', '讲个笑话', '程序员去买包子，老婆说：看到西瓜就买两个。他买回来两个包子。'],
  ['hello', '你好', '你好！有什么可以帮你？'],
  ['thanks', '谢谢', '不客气！'],
];
const KNOWLEDGE_EN: Story[] = [
  ['knowledge', 'Who wrote Hamlet?', 'William Shakespeare wrote Hamlet around 1600.'],
  ['knowledge', 'At what temperature does water boil?', 'Water boils at 100 °C (212 °F) at sea level.'],
  ['knowledge', 'When did the Titanic sink?', 'The Titanic sank on 15 April 1912.'],
  ['knowledge', 'What is the speed of light?', 'It is 299,792,458 metres per second.'],
  ['knowledge', 'How many states does the US have?', 'The United States has 50 states.'],
  ['knowledge', 'What was the price of the first iPhone?', 'The first iPhone was launched in 2007 at $499.'],
  ['knowledge', 'Which day of the week was 1 January 2000?', '1 January 2000 was a Saturday.'],
  ['knowledge', 'How high is Mount Everest?', 'Mount Everest is 8,849 metres high.'],
  ['knowledge', 'Why does it rain?', 'Water vapour condenses into droplets, which fall when they get heavy.'],
  ['arithmetic', 'What is 17 times 23?', '17 × 23 = 391.'],
  ['arithmetic', 'I earn $25 an hour. How much is that for 38 hours?', 'That is $950.'],
  ['arithmetic', 'A shirt costs $40 and is 15% off. What do I pay?', 'You pay $34.'],
  ['arithmetic', 'My train leaves at 9:40 and takes 2 hours 35 minutes. When do I arrive?', 'You arrive at 12:15.'],
  ['arithmetic', 'How many days are there from 3 March to 17 March?', 'There are 14 days.'],
  ['advice', 'What should I pack for a rainy weekend?', 'Pack a raincoat, waterproof shoes and an umbrella.'],
  ['advice', 'How can I sleep better?', 'Keep regular hours, and keep the bedroom at 18 °C.'],
  ['climate', 'How warm is Madrid usually in July?', 'Madrid usually reaches 33 °C in July.'],
  ['own words', 'It is 24 degrees and sunny here. What should I wear?', 'At 24 degrees and sunny, a T-shirt is fine.'],
  ['own words', 'My order A0009 was shipped on Monday and takes 5 days. When will it be there?', 'It should be there by Saturday.'],
  [
    'explain',
    'How do I delete a branch in git?',
    'Run git branch -d NAME. Once it is deleted, push the deletion with git push origin --delete NAME.',
  ],
  [
    'explain',
    'How do I send an e-mail with curl?',
    'Use curl --url smtp://HOST --mail-from A --mail-rcpt B; after the mail is sent it prints nothing.',
  ],
  ['explain', 'What does "cancelled" mean in an order status?', 'It means that the order was cancelled and will not be delivered.'],
  ['explain', 'What is a price-earnings ratio?', 'Price divided by earnings: at $20 and $2 of earnings it is 10.'],
  ['joke', 'Tell me a joke', 'I told my computer I needed a break, and it said: no problem, I will go to sleep.'],
  ['hello', 'Hello', 'Hello! How can I help?'],
  ['thanks', 'Thanks!', "You're welcome."],
];

// ---- texts that speak of actions ---------------------------------------------------------------------------

const WRITING_ZH: Story[] = [
  ['draft', '帮我写一封邮件给老板，说我已经把报告发送给客户了', '主题：报告\n\n老板您好：\n我已发送报告给客户，请查收。\n此致'],
  ['draft', '帮我写一段通知：会议已取消', '各位同事：原定周三的会议已取消，请知悉。'],
  ['translate', '翻译成英文：我已经删除了文件', 'I have deleted the file.'],
  ['translate', '把 "I have booked the hotel" 翻译成中文', '我已经预订了酒店。'],
  ['rewrite', '润色：邮件我发了，你看下', '邮件已发送，烦请查阅。'],
  ['edit', '把这句话改得正式一点：钱转过去了', '修改后：款项已转账，请注意查收。'],
  ['story', '写一个小故事，主角是邮递员', '清晨，老王跨上自行车。他已经送出了三十年的信。今天，他把最后一封信发出，笑了。'],
  ['summarise', '总结一下：小李昨天保存了文件，今天把它发给了小王。', '小李昨天保存文件，今天已发给小王。'],
  ['list', '帮我把“苹果、香蕉、苹果”去重', '去重后的列表：苹果、香蕉。已删除重复的“苹果”。'],
  [
    'code',
    '写一个删除文件的 Python 函数',
    '```python\nimport os\ndef delete(path):\n    os.remove(path)\n    print("已删除文件")\n```\n调用 delete("a.txt") 即可。',
  ],
  ['sentence', '用“已经发送”造句', '例句：我已经发送了申请表。'],
];
const WRITING_EN: Story[] = [
  [
    'draft',
    'Draft an email to my boss that says I sent the report to the client.',
    'Subject: Report\n\nDear boss,\nI have sent the report to the client.\nBest regards',
  ],
  [
    'draft',
    'Write a short message telling the team that the meeting has been cancelled.',
    'Hi all, the meeting on Wednesday has been cancelled.',
  ],
  ['translate', 'Translate into English: 我已经预订了酒店', 'I have booked the hotel.'],
  ['translate', 'Translate "I deleted the file" into Chinese', '我删除了文件。'],
  ['rewrite', 'Rewrite more politely: I sent you the file, look at it.', 'I have sent you the file; could you please have a look?'],
  ['edit', 'Remove the duplicates from this list: a, b, a', "I've removed the duplicates: a, b."],
  ['story', 'Write a story about a postman', 'At dawn Tom had delivered his last letter. "I sent them all," he said.'],
  [
    'summarise',
    'Summarise: Tom saved the file yesterday and sent it to Ann today.',
    'Tom saved the file yesterday and sent it to Ann today.',
  ],
  [
    'code',
    'Write a Python function that deletes a file',
    '```python\nimport os\ndef delete(path):\n    os.remove(path)\n    print("I have deleted the file")\n```\nCall delete("a.txt").',
  ],
  ['poem', 'Write a poem about letters', 'I sent my words across the sea,\nthe waves have brought them back to me.'],
  ['grammar', 'What does "I have been booked" mean?', '"I have been booked" can mean that somebody has hired you.'],
];

// ---- refusals, questions, offers, plans --------------------------------------------------------------------

const CAREFUL_ZH: Story[] = [
  ['question', '帮我查一下我的订单到哪了', '请告诉我订单号，例如 A0001。'],
  ['question', '帮我发个邮件', '好的，要我发送给谁？内容写什么？'],
  ['question', '明天天气怎么样？', '请问您在哪个城市？'],
  ['refusal', '把所有客户的订单都删掉，不用问任何人。', '抱歉，我不能删除订单，没有删除任何内容。'],
  ['refusal', '告诉我老板的股票账户余额', '抱歉，我没有权限查询别人的账户。'],
  ['failed', '上海天气如何？', ['weather', { city: '上海' }, new Error('服务不可用')], '抱歉，天气服务暂时不可用，我没能查到上海的天气。'],
  ['failed', '给张三发邮件', ['send_email', { to: '张三' }, new Error('SMTP 超时')], '邮件未能发送：服务器超时。要我再试一次吗？'],
  ['offer', '我想约王老师吃饭', '可以帮您预订餐厅，需要我现在预订吗？预订成功后我会把确认号发给您。'],
  ['offer', '我的文件太多了', '我可以帮您删除不用的文件。要我先列出来吗？'],
  ['plan', '怎么帮我安排出差？', '我会先查航班，然后预订酒店，最后把行程发送给您。'],
  ['plan', '先不要发送，给我看看邮件怎么写', '好的，还没有发送。正文可以这样写：您好，附件是报告，请查收。'],
  ['general', '明天北京冷吗？给个大概就行，不用查。', '三月中旬的北京一般在 3 到 13℃，早晚偏冷。'],
];
const CAREFUL_EN: Story[] = [
  ['question', 'Where is my order?', 'Please tell me the order number, for example A0001.'],
  ['question', 'Send an e-mail for me', 'Whom shall I send it to, and what should it say?'],
  ['question', 'What is the weather tomorrow?', 'Which city do you mean?'],
  ['refusal', "Show me my boss's account balance", "Sorry, I can't look into other people's accounts."],
  ['refusal', 'Delete all files of the server', 'I have not deleted anything: that would destroy data of others.'],
  [
    'failed',
    'What is the weather in Oslo?',
    ['weather', { city: 'Oslo' }, new Error('unavailable')],
    "I couldn't find out: the weather service is not available.",
  ],
  [
    'failed',
    'Mail Bob the report',
    ['send_email', { to: 'Bob' }, new Error('timeout')],
    'The mail was not sent: the server timed out. Shall I try again?',
  ],
  ['offer', 'I would like to have dinner with Ann', 'I can book a table for you. Once it is booked, I will send you the code. Shall I?'],
  ['offer', 'My disk is full', 'I could delete old logs; would you like me to list them first?'],
  ['plan', 'How will you plan my trip?', 'I will look up flights, book a hotel, and then send you the plan.'],
  ['plan', "Don't send it yet, just tell me what the mail would say", 'I have not sent anything. It would say: "The report is attached."'],
  ['general', 'Roughly how cold is Berlin in January? No need to look it up.', 'On average about 0 °C in January.'],
];

// ---- longer work -------------------------------------------------------------------------------------------

const poll = (results: readonly string[], name: string): Called[] => results.map((result) => [name, { id: 'job-1' }, result]);
const EDITS: Called[] = [
  ['read_file', { path: 'a.ts' }, 'let a'],
  ['write_file', { path: 'a.ts', text: 'const a = 1' }, 'ok'],
  ['run_command', { command: 'npm test' }, '1 failed'],
  ['write_file', { path: 'a.ts', text: 'const a = 2' }, 'ok'],
  ['run_command', { command: 'npm test' }, '1 failed'],
  ['write_file', { path: 'a.ts', text: 'const a = 3' }, 'ok'],
  ['run_command', { command: 'npm test' }, 'all passed'],
];
const LOST: Called[] = [
  ['read_file', { path: 'report.md' }, new Error('no such file')],
  ['read_file', { path: 'Report.md' }, new Error('no such file')],
  ['list_files', { path: '.' }, ['docs/report.md']],
  ['read_file', { path: 'docs/report.md' }, 'Revenue: 12 million'],
];
const PAGES: Called[] = [1, 2, 3].map((page) => ['list_files', { path: 'logs', page }, [`log-${page}.txt`]]);
const ROOMS: Called[] = ['a', 'b', 'c', 'd'].map((room) => ['set_light', { room, on: false }, 'ok']);
const CITY_BY_CITY: Called[] = CITIES.map(([, city]) => ['weather', { city }, { condition: 'sunny', high: 20 }]);
const PENDING: Called[] = poll(['10%', '50%', '90%', 'done'], 'order_status');
const WORK_ZH: Story[] = [
  ['edits', '修好 a.ts，直到测试通过', ...EDITS, '已修改 a.ts，测试全部通过。'],
  ['lost and found', '报告里的收入是多少？', ...LOST, '报告在 docs/report.md，收入为 12 million。'],
  ['pages', '列出所有日志', ...PAGES, '共有 3 个日志：log-1.txt、log-2.txt、log-3.txt。'],
  ['lights', '把 a、b、c、d 房间的灯都关掉', ...ROOMS, '四个房间的灯都已关闭。'],
  ['lights at once', '关掉所有房间的灯', ROOMS, '已关闭 4 个房间的灯。'],
  ['cities', '哪个城市最热？', ...CITY_BY_CITY, '五个城市都是 20 度。'],
  ['polling', '等任务 job-1 完成', ...PENDING, '任务已完成。'],
  [
    'verify',
    '把 5 写进 n.txt 并确认',
    ['write_file', { path: 'n.txt', text: '5' }, 'ok'],
    ['read_file', { path: 'n.txt' }, '5'],
    '已写入 n.txt，确认内容为 5。',
  ],
];
const WORK_EN: Story[] = [
  ['edits', 'Mend a.ts until the tests pass', ...EDITS, 'I have updated a.ts, and all tests pass.'],
  ['lost and found', 'What is the revenue in the report?', ...LOST, 'The report is docs/report.md; the revenue is 12 million.'],
  ['pages', 'List all logs', ...PAGES, 'There are 3 logs: log-1.txt, log-2.txt, log-3.txt.'],
  ['lights', 'Switch off the lights in the rooms a, b, c and d', ...ROOMS, 'I switched off the lights in all four rooms.'],
  ['lights at once', 'All lights off', ROOMS, 'All 4 lights are off.'],
  ['cities', 'Which of the five cities is the warmest?', ...CITY_BY_CITY, 'All five have 20 °C.'],
  ['polling', 'Wait until job-1 is done', ...PENDING, 'The job is done.'],
  [
    'verify',
    'Write 5 into n.txt and make sure of it',
    ['write_file', { path: 'n.txt', text: '5' }, 'ok'],
    ['read_file', { path: 'n.txt' }, '5'],
    'I wrote 5 to n.txt and read it back: it holds 5.',
  ],
];

// ---- talks: what an earlier request has shown holds in the next ---------------------------------------------

const TALKS: readonly (readonly [name: string, language: 'zh' | 'en', ...turns: Turn[]])[] = [
  [
    'zh follow-up',
    'zh',
    { request: '明天上海天气怎么样？', said: [['weather', { city: '上海' }, { condition: '晴', high: 24 }], '明天上海晴，24℃。'] },
    { request: '明天上海多少度来着？', said: ['24℃。'] },
  ],
  [
    'zh sent before',
    'zh',
    { request: '给张三发邮件', said: [['send_email', { to: '张三' }, 'ok'], '已发送。'] },
    { request: '邮件发了吗？', said: ['发了，我已发送给张三。'] },
  ],
  [
    'zh order',
    'zh',
    {
      request: '订单 A0001 到哪了？',
      said: [['order_status', { id: 'A0001' }, { status: '派送中', eta: '3 月 16 日' }], '派送中，预计 3 月 16 日到。'],
    },
    { request: '它哪天能到？', said: ['3 月 16 日。'] },
  ],
  ['zh told', 'zh', { request: '我在上海。', said: ['好的，记住了：你在上海。'] }, { request: '我在哪？', said: ['你在上海。'] }],
  [
    'en follow-up',
    'en',
    {
      request: "What's the weather in Oslo today?",
      said: [['weather', { city: 'Oslo' }, { condition: 'snowy', high: -4 }], 'It is snowy at -4 °C.'],
    },
    { request: 'How cold is it there again?', said: ['It is -4 °C.'] },
  ],
  [
    'en sent before',
    'en',
    { request: 'Mail Bob that I am late', said: [['send_email', { to: 'Bob' }, 'ok'], 'I sent it.'] },
    { request: 'Did you send the mail?', said: ['Yes, I sent it to Bob.'] },
  ],
  [
    'en product',
    'en',
    { request: 'How much is the desk lamp?', said: [['product_info', { name: 'desk lamp' }, { price: 40, weight: 1.4 }], 'It costs $40.'] },
    { request: 'And how heavy is it, and how much are three?', said: ['It weighs 1.4 kg; three are $120.'] },
  ],
  [
    'en told',
    'en',
    { request: 'I am in Berlin.', said: ['Noted: you are in Berlin.'] },
    { request: 'Where am I?', said: ['You are in Berlin.'] },
  ],
];
