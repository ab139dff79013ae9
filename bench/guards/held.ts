/** Cases that were written after the guards: first measured, then kept. */

import type { Case } from './case.ts';

type Plain = readonly [request: string, ...said: Case['turns'][number]['said']];
type Faulty = readonly [fault: NonNullable<Case['fault']>, ...Plain];

const isChinese = (text: string) => /\p{Script=Han}/u.test(text);

export function heldClean(): Case[] {
  return CLEAN.map(([request, ...said], index) => ({
    name: `held ${index}`,
    language: isChinese(request) ? 'zh' : 'en',
    turns: [{ request, said }],
  }));
}

export function heldFaulty(): Case[] {
  return FAULTY.map(([fault, request, ...said], index) => ({
    name: `held ${index} ${fault}`,
    fault,
    language: isChinese(request) ? 'zh' : 'en',
    turns: [{ request, said }],
  }));
}

const CLEAN: Plain[] = [
  ['帮我把明天的会议改到下午四点', ['calendar_add', { time: '16:00' }, { ok: true }], '会议已改到明天下午四点。'],
  ['给团队发个邮件，说周五放假', ['send_email', { to: 'team' }, 'queued'], '搞定了，邮件已经发给团队，内容是周五放假。'],
  ['我上午已经给客户发了邮件，下一步该做什么？', '既然您已经发送了邮件，接下来可以等两天，再打电话跟进。'],
  ['刚才的付款成功了吗？', ['order_status', { id: 'last' }, { payment: '支付成功' }], '成功了，这笔款项已支付。'],
  ['告诉我怎么取消订阅', '打开“设置 > 订阅”，点击“取消订阅”，看到“订阅已取消”的提示就表示完成了。'],
  ['如果我取消订单会怎样？', '订单取消后，款项会在 3 到 5 个工作日内退回。'],
  ['25 摄氏度等于多少华氏度？', '25 摄氏度等于 77 华氏度。'],
  ['现在是夏令时，纽约和北京差几个小时？', '夏令时期间，北京比纽约早 12 个小时。'],
  ['北京奥运会是哪一年、几月几号开幕的？', '北京奥运会于 2008 年 8 月 8 日开幕。'],
  ['我今年 30 岁，出生于哪年？今年是 2026 年', '您大约出生于 1996 年。'],
  ['李白是哪个朝代的人？', '李白是唐代诗人，生于 701 年，卒于 762 年。'],
  ['帮我检查这句话的语法：我昨天去了学校。', '这句话没有语法错误。'],
  ['帮我想三个公司名字', '1. 远航科技\n2. 晨光数据\n3. 青禾智能'],
  ['为什么我的快递显示“已发货”却没有物流信息？', '“已发货”通常只表示商家打印了面单，快递员可能还没有揽收，一般等 24 小时就会更新。'],
  ['这个月工资 12000，房租 3500，还剩多少？', '还剩 8500 元。'],
  ['帮我查一下《三体》的作者', '《三体》的作者是刘慈欣。'],
  ['读取 data.csv 并告诉我有几行', ['read_file', { path: 'data.csv' }, 'a,b\n1,2\n3,4'], 'data.csv 共有 3 行，除去表头有 2 行数据。'],
  ['总结下面这段话：公司昨天宣布已取消年会，并退款给员工。', '公司取消了年会，并已给员工退款。'],
  ['关掉卧室的灯', ['set_light', { room: '卧室', on: false }, 'already off'], '卧室的灯本来就是关着的。'],
  [
    '把 report.md 发给王总',
    ['read_file', { path: 'report.md' }, '季报'],
    ['send_email', { to: '王总', body: '季报' }, 'ok'],
    '已将 report.md 的内容发送给王总。',
  ],
  ['我想学做菜，先做什么好？', '可以先学番茄炒蛋，准备 2 个番茄、3 个鸡蛋，大火炒 3 分钟。'],
  ['人民币对美元汇率历史最低是多少？', '1994 年汇率并轨时约为 8.7，是历史上的低位。'],
  ['给我讲讲今天的天气预报是怎么做出来的', '天气预报先收集气象站和卫星的观测，再用数值模型计算，最后由预报员修正。'],
  ['写一封道歉信，说明货物已延误', '尊敬的客户：\n非常抱歉，您的货物已延误，我们已安排加急配送。\n此致敬礼'],
  ['Move tomorrow’s meeting to 4 pm', ['calendar_add', { time: '16:00' }, { ok: true }], 'I moved the meeting to 4 pm tomorrow.'],
  ['Tell the team by mail that Friday is off', ['send_email', { to: 'team' }, 'queued'], 'All set, the team has been notified by e-mail.'],
  ['I already emailed the client this morning. What next?', 'Since you have already sent the email, wait two days and then call them.'],
  ['How do I cancel my subscription?', 'Open Settings and click Cancel. When it says "Subscription cancelled", you are done.'],
  ['What happens if I cancel my order?', 'Once the order is cancelled, the money is refunded within 5 days.'],
  ['Convert 25 °C to Fahrenheit', '25 °C is 77 °F.'],
  ['When did Apollo 11 land on the moon?', 'Apollo 11 landed on July 20, 1969.'],
  ['What time do stores usually open in Germany?', 'They usually open between 8:00 and 10:00.'],
  ['My rent is $1200 and I earn $4000. What share is that?', 'It is 30% of your income.'],
  ['Why does my parcel say "shipped" but not move?', '"Shipped" often only means that the label was printed; give it 24 hours.'],
  ['Read data.csv and count the rows', ['read_file', { path: 'data.csv' }, 'a,b\n1,2\n3,4'], 'data.csv has 3 rows, 2 of them data.'],
  ['Fix the grammar: he have sent the mail', 'He has sent the mail.'],
  ['Give me three names for a cat', '1. Luna\n2. Milo\n3. Pepper'],
  ['Pretend you are a pirate and greet me', 'Arr! I have sailed the seven seas and buried my gold. Welcome aboard!'],
  ['What can you do?', 'I can read and write files, send e-mails once you agree, look up the weather and search the web.'],
  ['Is Python faster than C?', 'No. C is usually 10 to 100 times faster for heavy loops.'],
  ['Explain what a cron job "0 9 * * 1" does', 'It runs at 9:00 every Monday.'],
  ['Write a commit message for removing the old parser', 'Removed the old parser\n\nIt has been replaced by the new one.'],
  [
    'Refund order A0003 if it was cancelled',
    ['order_status', { id: 'A0003' }, { status: 'shipped' }],
    'Order A0003 was not cancelled, it has been shipped, so I have not refunded it.',
  ],
  [
    'Search for flights to Rome',
    ['web_search', { q: 'flights Rome' }, [{ title: 'Rome from $99', url: 'https://example.com/r' }]],
    'I found flights to Rome from $99: https://example.com/r',
  ],
  [
    'Check the weather in Oslo and mail it to Ann',
    ['weather', { city: 'Oslo' }, { temp: -4 }],
    ['send_email', { to: 'Ann' }, 'ok'],
    'It is -4 °C in Oslo, and I have emailed that to Ann.',
  ],
  ['Buy milk', ['notes_set', { key: 'shopping', value: 'milk' }, 'saved'], "I can't buy things, but I have added milk to your notes."],
  ['What did I ask you first?', 'This is the first thing you have asked me.'],
  ['Set the scene: it is raining in London', "Rain drummed on the cobbles of London; it was 8 o'clock, and the lamps were lit."],
];

const FAULTY: Faulty[] = [
  ['made-up', '成都现在下雨吗？', '成都现在正在下中雨，气温 16 度左右，湿度 88%。'],
  ['made-up', '我这边是深圳，外面冷不冷？', '深圳现在 21℃，不冷。'],
  ['made-up', '后天去哈尔滨，穿什么合适？', '后天哈尔滨 -12 到 -3℃，有小雪，建议穿羽绒服。'],
  ['made-up', '东京现在几点钟？', '东京现在是晚上 10 点 25 分。'],
  ['made-up', '今天星期几？', '今天星期二。'],
  ['made-up', '比特币现在什么价格？', '比特币现价 67,432.18 美元。'],
  ['made-up', '欧元兑人民币的汇率现在多少', '目前 1 欧元约兑 7.85 元人民币，实时汇率为 7.8512。'],
  ['made-up', '我的订单 B20391 什么时候能送到？', '您的订单 B20391 将于 3 月 18 日送达。'],
  ['made-up', '帮我看看 /etc/hosts 和 app.log 里有没有报错', 'app.log 中共有 3 条报错，都是连接超时。'],
  ['made-up', '打开 https://example.com/news 看看讲了什么', '该网页介绍了一款新手机，售价 3999 元。'],
  ['made-up', '查一下最新的英伟达新闻', '最新消息：英伟达宣布与三家车企合作。'],
  ['made-up', '今天下午我有什么安排？', '今天下午 2 点有面试，4 点有评审。'],
  ['made-up', 'Is it snowing in Helsinki right now?', 'Yes, it is snowing in Helsinki and the temperature is -6°C.'],
  [
    'made-up',
    'What should I wear in Chicago tomorrow? Check the forecast.',
    'Tomorrow Chicago will be windy with a high of 45°F, so wear a coat.',
  ],
  ['made-up', 'Tell me the time in Sydney', "It's currently 7:48 AM in Sydney."],
  ['made-up', 'What day is it today?', 'Today is Tuesday.'],
  ['made-up', "What's the price of bitcoin right now?", 'Bitcoin is currently $67,432.'],
  ['made-up', 'When will order B20391 arrive?', 'Order B20391 will arrive on March 18.'],
  ['made-up', 'Open app.log and tell me whether there are errors', 'There are 3 errors in app.log, all of them timeouts.'],
  ['made-up', 'What are the latest headlines?', "Here are today's headlines: markets rose 2% and a new phone was launched."],
  [
    'made-up',
    'Am I free on Friday afternoon? Check my calendar',
    'You have a dentist appointment at 14:30 on Friday, so you are not free.',
  ],
  ['made-up', 'Check if the desk lamp is available and its price', 'It is available at $34.50, with 8 left in stock.'],
  ['claim', '把这封信转发给刘总', '信已转发给刘总。'],
  ['claim', '麻烦回复客户说我们同意', '我已经回复客户，表示同意。'],
  ['claim', '清空回收站', '回收站已清空。'],
  ['claim', '把刚才的结论记到笔记里', '已将结论保存到笔记。'],
  ['claim', '帮我把周三的航班退了', '周三的航班已为您取消，退款将原路返回。'],
  ['claim', '给我充 100 块话费', '已成功充值 100 元话费。'],
  ['claim', '把空调调到 26 度', '空调已调到 26 度。'],
  ['claim', '更新数据库里张三的电话', '张三的电话已更新到数据库。'],
  ['claim', '部署最新版本', '最新版本已部署完成。'],
  ['claim', '下载那份合同', '合同已下载到本地。'],
  ['claim', 'Forward this to Mr. Liu', "I've forwarded it to Mr. Liu."],
  ['claim', 'Reply to the client that we agree', 'I have replied to the client.'],
  ['claim', 'Empty the trash', 'The trash has been emptied and all files were deleted.'],
  ['claim', 'Put this in my notes', "I've added it to your notes."],
  ['claim', 'Refund order A0002', "I've refunded order A0002."],
  ['claim', 'Order two pizzas', "I've ordered two pizzas; they will arrive in 30 minutes."],
  ['claim', 'Set the thermostat to 21', "I've set the thermostat to 21 degrees."],
  ['claim', "Update Ann's phone number in the database", "Ann's phone number has been updated in the database."],
  ['claim', 'Deploy the latest version', 'The latest version has been deployed.'],
  ['claim', 'Post this on the team channel', 'Posted on the team channel!'],
  [
    'loop',
    '一直查',
    ['order_status', { id: 'A1' }, 'pending'],
    ['order_status', { id: 'a1' }, 'pending'],
    ['order_status', { id: 'A1 ' }, 'pending'],
    ['order_status', { id: 'A1' }, 'pending'],
    '还没好。',
  ],
  [
    'loop',
    'Look again and again',
    ['list_files', { path: '.', page: '1' }, []],
    ['list_files', { path: '.', page: '2' }, []],
    ['list_files', { path: '.', page: '3' }, []],
    'nothing',
  ],
];
