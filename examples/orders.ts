/** X3: internal services as tools. An order's status, the earliest of several trains, price and tax in parallel. */

import { Agent, tool } from 'hermes-agent';
import { path, scriptedModel } from 'hermes-agent/testing';

const orders: Record<string, string> = { A0001: '已发货，预计明天送达' };

const orderStatus = tool({
  name: 'order_status',
  description: 'Gives the status of an order by its number. Ask for the number when it is not known; never guess it.',
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
  description: 'Lists the trains between two cities on a day. Use it for every question about trains.',
  input: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } }, required: ['from', 'to'] },
  level: 'read',
  execute: () => [
    { train: 'G5', departs: '07:00' },
    { train: 'G1', departs: '09:00' },
    { train: 'G101', departs: '06:20' },
  ],
});

const price = tool({
  name: 'price',
  description: 'Gives the net price of an article. Use it before any total.',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  level: 'read',
  execute: ({ article }) => ({ article, net: 200 }),
});

const taxRate = tool({
  name: 'tax_rate',
  description: 'Gives the tax rate of a country. Use it before any total.',
  input: { type: 'object', properties: { country: { type: 'string' } }, required: ['country'] },
  level: 'read',
  execute: ({ country }) => ({ country, rate: 0.13 }),
});

const model = scriptedModel([
  // The model writes orderId; the argument adapter knows what is meant.
  { calls: [{ name: 'order_status', arguments: { orderId: 'A0001' } }] },
  '订单 A0001 已发货，预计明天送达。',
  { calls: [{ name: 'trains', arguments: { from: '北京', to: '上海' } }] },
  '最早的一班是 G101，06:20 发车。',
  {
    calls: [
      { name: 'price', arguments: { article: 'lamp' } },
      { name: 'tax_rate', arguments: { country: 'CN' } },
    ],
  },
  'The lamp costs 226 with tax.',
]);

const agent = new Agent({ model, tools: [orderStatus, trains, price, taxRate] });
for (const request of ['查一下订单 A0001 的状态', '北京到上海最早的一班火车是哪班？', 'What does the lamp cost with tax in China?']) {
  const outcome = await agent.run(request);
  console.log(`${path(outcome).join(' + ')}: ${outcome.answer}`);
}
await agent.close();
