/**
 * X3: internal services as tools, in four tasks. T1 an order's status; T2 the earliest of several trains; T3 price and tax at the same
 * time, then one message that a person agrees to; T4 three general questions in one talk, for which no tool is called.
 */

import { Agent, tool } from 'hermes-agent';
import { path, scriptedModel } from 'hermes-agent/testing';

const orders: Record<string, string> = { A0001: '已发货，预计明天送达' };

const orderStatus = tool({
  name: 'order_status',
  description: 'Gives the status of an order by its number. Use it when an order is asked about; when its number is not known, ask for it.',
  input: { type: 'object', properties: { order_id: { type: 'string', description: 'such as A0001' } }, required: ['order_id'] },
  level: 'read',
  execute({ order_id }) {
    const status = orders[order_id];
    if (status === undefined) throw Object.assign(new Error(`there is no order ${order_id}`), { code: 'not_found' });
    return { order_id, status };
  },
});

const trains = tool({
  name: 'trains',
  description: 'Lists the trains between two cities. Use it for every question about trains.',
  input: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } }, required: ['from', 'to'] },
  level: 'read',
  execute: () => [
    { train: 'G5', departs: '07:00' },
    { train: 'G1', departs: '09:00' },
    { train: 'G101', departs: '06:20' },
  ],
});

/** How many of the two services below are at work, and how many were at once. */
const working = { now: 0, most: 0 };
async function afterWait<T>(value: T): Promise<T> {
  working.most = Math.max(working.most, ++working.now);
  await new Promise((resolve) => setTimeout(resolve, 200));
  working.now -= 1;
  return value;
}

const price = tool({
  name: 'price',
  description: 'Gives the net price of an article in yuan. Use it before any total.',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  level: 'read',
  execute: ({ article }) => afterWait({ article, net: 200 }),
});

const taxRate = tool({
  name: 'tax_rate',
  description: 'Gives the tax rate of a country. Use it before any total.',
  input: { type: 'object', properties: { country: { type: 'string' } }, required: ['country'] },
  level: 'read',
  execute: ({ country }) => afterWait({ country, rate: 0.13 }),
});

const notify = tool({
  name: 'notify',
  description: 'Sends a message to a customer. Use it only when asked to.',
  input: { type: 'object', properties: { customer: { type: 'string' }, text: { type: 'string' } }, required: ['customer', 'text'] },
  level: 'dangerous',
  execute: ({ customer }) => ({ sent_to: customer }),
});

const model = scriptedModel([
  { calls: [{ name: 'order_status', arguments: { orderId: 'A0001' } }] }, // the adapter knows what orderId is
  '订单 A0001 已发货，预计明天送达。',
  { calls: [{ name: 'trains', arguments: { from: '北京', to: '上海' } }] },
  '最早的一班是 G101，06:20 发车。',
  {
    calls: [
      { name: 'price', arguments: { article: '台灯' } },
      { name: 'tax_rate', arguments: { country: 'CN' } },
    ],
  },
  { calls: [{ name: 'notify', arguments: { customer: '王芳', text: '台灯含税 226 元。' } }] },
  '台灯含税 226 元，已通知王芳。',
  '珠穆朗玛峰海拔约 8849 米。',
  '“谢谢”的英文是 thank you。',
  'JSON 是一种文本数据格式。',
]);

const agent = new Agent({
  model,
  tools: [orderStatus, trains, price, taxRate, notify],
  async onApproval({ calls }) {
    console.log(`services at the same time: ${working.most}`);
    for (const { name, arguments: args } of calls) console.log(`asked: ${name} ${JSON.stringify(args)}`);
    return true;
  },
});
for (const request of ['查一下订单 A0001 的状态', '北京到上海最早的一班火车是哪班？', '台灯在中国含税多少钱？算好后通知王芳']) {
  const outcome = await agent.run(request);
  console.log(`${path(outcome).join(' + ')}: ${outcome.answer} (${outcome.steps} steps)`);
}
const talk = agent.session('questions');
for (const request of ['珠穆朗玛峰有多高？', '“谢谢”用英文怎么说？', 'JSON 是什么？']) {
  const outcome = await talk.run(request);
  console.log(`${outcome.toolCalls.length} calls: ${outcome.answer} (${outcome.steps} step)`);
}
await agent.close();
