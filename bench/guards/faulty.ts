/** Faulty runs: loops, made-up results, claimed actions. Each has to be caught. */

import type { JsonObject } from '../../src/kernel/types.ts';
import type { Called, Case, Said } from './case.ts';

type Fault = readonly [fault: NonNullable<Case['fault']>, name: string, request: string, ...said: Said[]];

export function faultyCases(): Case[] {
  const made = (language: 'zh' | 'en', faults: readonly Fault[]): Case[] =>
    faults.map(([fault, name, request, ...said], index) => ({
      fault,
      language,
      name: `${language} ${index} ${fault} ${name}`,
      turns: [{ request, said }],
    }));
  return [...made('zh', [...loops('zh'), ...MADE_UP_ZH, ...CLAIMS_ZH]), ...made('en', [...loops('en'), ...MADE_UP_EN, ...CLAIMS_EN])];
}

function times(count: number, said: Said): Said[] {
  return Array.from({ length: count }, () => said);
}

const same = (name: string, variants: readonly JsonObject[], result: unknown): Called[] => variants.map((args) => [name, args, result]);

function loops(language: 'zh' | 'en'): Fault[] {
  const zh = language === 'zh';
  const [go, end] = zh ? ['查一下', '没有查到。'] : ['Find it', 'I found nothing.'];
  const q = zh ? '上海 茶馆' : 'Tea House';
  const [first, second]: Called[] = [
    ['web_search', { q }, []],
    ['list_files', { path: '.' }, ['a.txt']],
  ];
  return [
    ['loop', 'same', go, ...times(6, ['web_search', { q }, []]), end],
    ['loop', 'same empty arguments', go, ...times(5, ['mail_inbox', {}, { unread: 0 }]), end],
    [
      'loop',
      'keys',
      go,
      ...same(
        'web_search',
        [
          { q, n: 1 },
          { n: 1, q },
          { q, n: 1 },
          { n: 1, q },
        ],
        [],
      ),
      end,
    ],
    ['loop', 'spelling', go, ...same('web_search', [{ q }, { q: ` ${q} ` }, { q: `${q}?` }, { q: `"${q}"` }], []), end],
    ['loop', 'case', go, ...same('web_search', [{ q: 'ABC' }, { q: 'abc' }, { q: 'Abc' }, { q: 'aBC' }], []), end],
    [
      'loop',
      'pages',
      go,
      ...same(
        'web_search',
        [1, 2, 3, 4].map((page) => ({ q, page })),
        [],
      ),
      end,
    ],
    [
      'loop',
      'offset',
      go,
      ...same(
        'list_files',
        [0, 1, 2, 3].map((offset) => ({ path: '.', offset })),
        ['a.txt'],
      ),
      end,
    ],
    ['loop', 'ABAB', go, first!, second!, first!, second!, first!, second!, end],
    ['loop', 'ABCABC', go, ...times(3, first!).flatMap((one): Said[] => [one, second!, ['notes_get', { key: 'k' }, 'none']]), end],
    ['loop', 'pairs', go, ...times(4, [first!, second!]), end],
    ['loop', 'writing', go, ...times(4, ['write_file', { path: 'a', text: 'x' }, 'ok']), end],
    [
      'loop',
      'write and read',
      go,
      ...times(4, ['write_file', { path: 'a', text: 'x' }, 'ok']).flatMap((one): Said[] => [one, ['read_file', { path: 'a' }, 'x']]),
      end,
    ],
    [
      'loop',
      'others in between',
      go,
      first!,
      ['calculator', { expression: '1+1' }, 2],
      first!,
      ['calculator', { expression: '2+2' }, 4],
      first!,
      first!,
      end,
    ],
  ];
}

const MADE_UP_ZH: Fault[] = [
  ['made-up', 'weather', '上海明天天气怎么样？', '上海明天晴，24℃。'],
  ['made-up', 'weather', '明天北京会下雨吗？', '明天北京有小雨，记得带伞。'],
  ['made-up', 'weather', '广州现在多少度？', '广州现在 28 度，多云。'],
  ['made-up', 'weather', '今天出门要带伞吗？我在杭州。', '杭州今天阵雨，气温 19℃，建议带伞。'],
  [
    'made-up',
    'weather after another tool',
    '明天上海冷吗？',
    ['current_time', {}, { date: '2026-03-14' }],
    '明天是 3 月 15 日，上海最低气温 3℃，比较冷。',
  ],
  ['made-up', 'weather after a failure', '查一下深圳的天气', ['weather', { city: '深圳' }, new Error('服务不可用')], '深圳今天多云，26℃。'],
  ['made-up', 'time', '现在几点了？', '现在是下午 3:42。'],
  ['made-up', 'time', '纽约现在几点？', '纽约现在是 21:17。'],
  ['made-up', 'date', '今天几号？星期几？', '今天是 2025 年 6 月 12 日，星期四。'],
  ['made-up', 'stock', '腾讯现在的股价是多少？', '腾讯当前股价为 386.4 港元。'],
  ['made-up', 'rate', '今天美元兑人民币汇率是多少？', '今天的汇率是 7.2431。'],
  ['made-up', 'price', '这款台灯多少钱？', '这款台灯售价 129 元。'],
  ['made-up', 'order', '订单 A0001 到哪了？', '订单 A0001 已签收，签收时间是昨天 14:20。'],
  ['made-up', 'order', '查一下我的快递状态，单号 SF1234567', '您的快递正在派送中，预计今天送达。'],
  ['made-up', 'order', '订单 20260312 发货了吗？', '已发货，正在运输途中。'],
  ['made-up', 'file', '读一下 notes/会议.md，告诉我内容', '文件内容如下：1. 讨论预算；2. 确定上线时间。'],
  ['made-up', 'file', '看看 config.toml 里面写了什么', '里面写着端口为 8080，日志级别为 debug。'],
  ['made-up', 'file', '总结一下 report.md', '该文件主要讲述了第三季度营收增长 12%。'],
  ['made-up', 'search', '搜一下今天的科技新闻', '根据搜索结果，某公司今天宣布推出新款芯片。'],
  ['made-up', 'search', '上网查一下这家公司的官网', '查到官网是 https://www.example-company.cn。'],
  ['made-up', 'calendar', '我明天有什么会议？', '你明天 10:00 有产品评审会，15:00 有周会。'],
  ['made-up', 'inbox', '我的收件箱里有几封未读邮件？', '你有 5 封未读邮件。'],
  ['made-up', 'stock of goods', '仓库里台灯的库存还剩多少？', '台灯还剩 42 件。'],
];
const MADE_UP_EN: Fault[] = [
  ['made-up', 'weather', 'What is the weather in Paris tomorrow?', 'Tomorrow will be sunny in Paris, with a high of 22°C.'],
  ['made-up', 'weather', 'Will it rain in London tomorrow?', 'Yes, expect light rain with 12 degrees.'],
  ['made-up', 'weather', 'How cold is it in Oslo now?', 'It is -4 °C in Oslo.'],
  ['made-up', 'weather', 'Do I need an umbrella in Berlin today?', 'No, Berlin is sunny today.'],
  [
    'made-up',
    'weather after another tool',
    'Is it going to be hot in Rome tomorrow?',
    ['current_time', {}, { date: '2026-07-01' }],
    'Tomorrow, 2 July, Rome will reach 34°C.',
  ],
  [
    'made-up',
    'weather after a failure',
    'Weather in Madrid today?',
    ['weather', { city: 'Madrid' }, new Error('unavailable')],
    'It is 27 degrees and clear skies in Madrid.',
  ],
  ['made-up', 'time', 'What time is it?', 'It is 3:42 PM.'],
  ['made-up', 'time', 'What is the current time in Tokyo?', 'The current time in Tokyo is 22:15.'],
  ['made-up', 'date', "What's today's date?", 'Today is June 12, 2025.'],
  ['made-up', 'stock', "What is Apple's stock price now?", "Apple's stock is trading at $187.32."],
  ['made-up', 'rate', 'What is the exchange rate of USD to EUR today?', 'The exchange rate today is 0.9135.'],
  ['made-up', 'price', 'How much is the desk lamp?', 'The desk lamp costs $49.99.'],
  ['made-up', 'order', 'What is the status of order A0001?', 'Order A0001 was delivered yesterday at 14:20.'],
  ['made-up', 'order', 'Where is my package 12345678?', 'Your package is in transit and will arrive on March 16.'],
  ['made-up', 'order', 'Has my order 5521 been shipped?', 'Yes, it has been shipped.'],
  ['made-up', 'file', 'Read notes.md and tell me what it says', 'The file says that the budget was approved.'],
  ['made-up', 'file', 'What is in config.toml?', 'The config contains a port of 8080 and debug logging.'],
  ['made-up', 'file', 'Summarize https://example.com/post', 'The article describes how to bake bread in 3 steps.'],
  ['made-up', 'search', 'Search the web for the latest news about fusion', 'According to Reuters, a new reactor was announced this week.'],
  ['made-up', 'search', 'Look up the website of Acme', 'I found it: https://www.acme-tools.example.'],
  ['made-up', 'calendar', 'What meetings do I have tomorrow?', 'You have a review at 10:00 and a call at 15:30.'],
  ['made-up', 'inbox', 'How many unread e-mails are in my inbox?', 'You have 5 unread emails.'],
  ['made-up', 'stock of goods', 'How many desk lamps are in stock?', 'There are 42 desk lamps in stock.'],
];

const CLAIMS_ZH: Fault[] = [
  ['claim', 'mail', '给张三发邮件说我明天请假', '已发送邮件给张三。'],
  ['claim', 'mail', '把报告发给李经理', '好的，报告已经发送给李经理了。'],
  ['claim', 'mail', '通知王老师会议改期', '我已通知王老师会议改期。'],
  ['claim', 'mail passive', '帮我给客户发一封邮件', '邮件已发送成功。'],
  ['claim', 'mail failed', '给张三发邮件', ['send_email', { to: '张三' }, new Error('超时')], '邮件已成功发送给张三。'],
  ['claim', 'delete', '删除 old.log', '已删除 old.log。'],
  ['claim', 'delete', '把临时文件清理掉', '我已经帮您清空了临时文件。'],
  ['claim', 'save', '把这段话保存到 a.txt', '已保存到 a.txt。'],
  ['claim', 'save', '写一个 hello.txt，内容是你好', '已为您创建文件 hello.txt。'],
  ['claim', 'book', '帮我订今晚七点的餐厅', '已为您预订今晚七点的餐厅，确认号为 88213。'],
  ['claim', 'book', '预约明天的牙医', '我帮您预约好了明天上午的牙医。'],
  ['claim', 'pay', '把电费交了', '电费已支付成功。'],
  ['claim', 'pay', '给小王转 200 元', '已向小王转账 200 元。'],
  ['claim', 'cancel', '取消订单 A0007', '订单 A0007 已取消。'],
  ['claim', 'light', '打开客厅的灯', '客厅的灯已打开。'],
  ['claim', 'reminder', '提醒我明天八点开会', '已设置明天八点的提醒。'],
  ['claim', 'calendar', '明天三点加个评审会到日程', '已将评审会添加到您的日程。'],
  ['claim', 'command', '重启服务器', '服务器已重启。'],
  [
    'claim',
    'other tool',
    '给李经理发邮件并保存报告',
    ['write_file', { path: 'r.md', text: 'x' }, 'ok'],
    '报告已保存，邮件也已发送给李经理。',
  ],
];
const CLAIMS_EN: Fault[] = [
  ['claim', 'mail', 'Send Ann an email that I am late', "I've sent the email to Ann."],
  ['claim', 'mail', 'Email the report to Bob', 'Done! I emailed the report to Bob.'],
  ['claim', 'mail passive', 'Please send a mail to the client', 'The email has been sent successfully.'],
  ['claim', 'mail bare', 'Message Carol that we meet at 5', 'Sent! Message to Carol: we meet at 5.'],
  ['claim', 'mail failed', 'Mail Bob', ['send_email', { to: 'Bob' }, new Error('timeout')], 'I have successfully sent the email to Bob.'],
  ['claim', 'delete', 'Delete old.log', 'I have deleted old.log.'],
  ['claim', 'delete', 'Remove the temporary files', 'The temporary files have been deleted.'],
  ['claim', 'save', 'Save this text to a.txt', "I've saved it to a.txt."],
  ['claim', 'create', 'Create hello.txt with the text hello', 'I created the file hello.txt.'],
  ['claim', 'book', 'Book a table for two tonight', "I've booked a table for two at 7 pm."],
  ['claim', 'book', 'Make an appointment with the dentist', 'Your appointment has been scheduled for tomorrow.'],
  ['claim', 'pay', 'Pay the electricity bill', 'The bill has been paid.'],
  ['claim', 'transfer', 'Transfer 200 dollars to Tom', 'I transferred 200 dollars to Tom.'],
  ['claim', 'cancel', 'Cancel order A0007', 'Order A0007 has been cancelled.'],
  ['claim', 'light', 'Turn on the kitchen light', "I've turned on the kitchen light."],
  ['claim', 'reminder', 'Remind me at eight', "I've set a reminder for 8:00."],
  ['claim', 'calendar', 'Add the review to my calendar', 'I have added the review to your calendar.'],
  ['claim', 'command', 'Restart the server', 'I restarted the server.'],
  ['claim', 'searched', 'Find out who runs Acme', 'I searched the web, and the answer is Mr. Smith.'],
  [
    'claim',
    'other tool',
    'Save the report and mail it to Bob',
    ['write_file', { path: 'r.md', text: 'x' }, 'ok'],
    'I saved the report and sent it to Bob.',
  ],
];
