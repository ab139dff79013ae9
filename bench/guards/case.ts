/** What the bench of the guards runs: a talk with a scripted model, and the tools that stand around it. */

import type { JsonObject, Level } from '../../src/kernel/types.ts';
import { type Tool, tool } from '../../src/tools/define.ts';

/** A call with what it gives (an Error fails), several calls of one reply, or an answer. */
export type Said = string | Called | Called[];
export type Called = [name: string, args: JsonObject, result: unknown];

export interface Turn {
  request: string;
  said: readonly Said[];
}
export interface Case {
  name: string;
  language: 'en' | 'zh';
  turns: readonly Turn[];
  /** Tools by name, besides those that are called. */
  tools?: readonly Tool[];
  instructions?: string;
  /** What a faulty run is an example of. */
  fault?: 'loop' | 'made-up' | 'claim';
}

interface Described {
  level?: Level;
  en: string;
  zh: string;
  keywords?: string;
}

/** Tools as assistants have them, described in the language of the run. */
const TOOLS: Readonly<Record<string, Described>> = {
  weather: {
    en: 'Gives the weather of a city on a day.',
    zh: '查询某个城市某一天的天气。',
    keywords: 'weather rain temperature 天气 下雨 气温',
  },
  current_time: {
    en: 'Gives the current date, time and weekday.',
    zh: '返回当前的日期、时间和星期。',
    keywords: 'time date now 时间 日期 几点',
  },
  calculator: { en: 'Evaluates an arithmetic expression.', zh: '计算算术表达式。', keywords: 'calculate sum 计算 等于' },
  order_status: {
    en: 'Looks up the status of an order by its number.',
    zh: '按订单号查询订单状态。',
    keywords: 'order shipped delivered 订单 发货 物流',
  },
  stock_price: { en: 'Gets the latest price of a share.', zh: '获取股票的最新价格。', keywords: 'stock share price 股价 行情' },
  exchange_rate: {
    en: 'Gives the current exchange rate of two currencies.',
    zh: '查询两种货币的当前汇率。',
    keywords: 'currency rate 汇率',
  },
  product_info: {
    en: 'Gives price and stock of a product of the shop.',
    zh: '查询商品的价格和库存。',
    keywords: 'price product stock 价格 商品 库存',
  },
  read_file: { en: 'Reads a file of the workspace.', zh: '读取工作区中的文件。', keywords: 'file read content 文件 读 内容' },
  list_files: { en: 'Lists the files of a folder.', zh: '列出文件夹中的文件。' },
  web_search: {
    en: 'Searches the web and gives titles and addresses.',
    zh: '在网上搜索，返回标题和网址。',
    keywords: 'search web news 搜索 新闻',
  },
  calendar_list: {
    en: "Lists the user's calendar events of a day.",
    zh: '列出用户某一天的日程。',
    keywords: 'calendar meetings schedule 日历 日程 会议',
  },
  notes_get: { en: 'Reads a saved note.', zh: '读取保存的笔记。', keywords: 'notes 笔记' },
  mail_inbox: { en: "Lists the mails in the user's inbox.", zh: '列出用户收件箱中的邮件。', keywords: 'inbox unread 收件箱 未读' },
  send_email: { level: 'dangerous', en: 'Sends an e-mail.', zh: '发送电子邮件。', keywords: 'email mail send 邮件 发送' },
  write_file: {
    level: 'write',
    en: 'Writes a file of the workspace.',
    zh: '写入工作区中的文件。',
    keywords: 'write save file 写 保存 文件',
  },
  delete_file: {
    level: 'dangerous',
    en: 'Deletes a file of the workspace.',
    zh: '删除工作区中的文件。',
    keywords: 'delete remove file 删除 文件',
  },
  notes_set: { level: 'write', en: 'Saves a note under a key.', zh: '用一个键保存笔记。', keywords: 'remember save note 记住 笔记 保存' },
  calendar_add: {
    level: 'write',
    en: 'Adds an event to the calendar.',
    zh: '向日历添加日程。',
    keywords: 'calendar event meeting reminder 日程 会议 提醒',
  },
  book_restaurant: {
    level: 'dangerous',
    en: 'Books a table in a restaurant.',
    zh: '预订餐厅座位。',
    keywords: 'book table restaurant 预订 餐厅',
  },
  pay_bill: { level: 'dangerous', en: 'Pays a bill.', zh: '支付账单。', keywords: 'pay bill 支付 缴费' },
  cancel_order: { level: 'dangerous', en: 'Cancels an order.', zh: '取消订单。', keywords: 'cancel order 取消 订单' },
  set_light: { level: 'write', en: 'Switches a light of the house.', zh: '开关家里的灯。', keywords: 'light lamp switch 灯 开 关' },
  run_command: { level: 'dangerous', en: 'Runs a shell command.', zh: '运行 shell 命令。', keywords: 'run shell command 运行 命令' },
};
export type Name = keyof typeof TOOLS;

/** The tools that a case calls give what it says they give, in that order; others give nothing. */
export function toolsOf({ turns, tools = [], language }: Case, offered: readonly string[]): Tool[] {
  const calls = turns.flatMap(({ said }) => said.flatMap((one): Called[] => (typeof one === 'string' ? [] : isMany(one) ? one : [one])));
  const names = new Set([...offered, ...calls.map(([name]) => name)]);
  const made = [...names].filter((name) => !tools.some(({ info }) => info.name === name)).map((name) => scripted(name, language, calls));
  return [...made, ...tools];
}

function scripted(name: string, language: 'en' | 'zh', calls: readonly Called[]): Tool {
  const { level = 'read', keywords, ...texts } = TOOLS[name] ?? { en: `The tool ${name}.`, zh: `工具 ${name}。` };
  return tool({
    name,
    description: texts[language],
    input: { type: 'object', additionalProperties: true },
    level,
    ...(keywords ? { keywords } : {}),
    execute: answering(name, calls),
  });
}

/** By the call's arguments; calls with the same ones give their results in order, the last stays. */
export function answering(name: string, calls: readonly Called[]): (args: JsonObject) => unknown {
  const results = new Map<string, unknown[]>();
  for (const [called, args, result] of calls) {
    const key = JSON.stringify(args);
    if (called === name) results.set(key, [...(results.get(key) ?? []), result]);
  }
  return (args) => {
    const all = results.get(JSON.stringify(args)) ?? ['nothing'];
    const result = all.length > 1 ? all.shift() : all[0];
    if (result instanceof Error) throw result;
    return result;
  };
}

export function isMany(said: Exclude<Said, string>): said is Called[] {
  return Array.isArray(said[0]);
}

export const ALL_TOOLS = Object.keys(TOOLS);
