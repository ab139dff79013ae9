/** An agent as a tool of another: the expert has its own instructions, tools and limits, and its run names its parent. */

import { Agent, tool } from 'hermes-agent';
import { path, scriptedModel } from 'hermes-agent/testing';

const rates = tool({
  name: 'exchange_rate',
  description: 'Gives the exchange rate of two currencies. Use it for every conversion.',
  input: { type: 'object', properties: { from: { type: 'string' }, to: { type: 'string' } }, required: ['from', 'to'] },
  level: 'read',
  execute: ({ from, to }) => ({ from, to, rate: 7.1 }),
});

const expert = new Agent({
  model: scriptedModel([{ calls: [{ name: 'exchange_rate', arguments: { from: 'USD', to: 'CNY' } }] }, '100 USD are 710 CNY.']),
  instructions: 'You convert currencies and nothing else.',
  tools: [rates],
  limits: { maxSteps: 3 },
});

const assistant = new Agent({
  model: scriptedModel([{ calls: [{ name: 'ask_bank', arguments: { request: '100 USD in CNY?' } }] }, '100 美元是 710 元人民币。']),
  tools: [expert.asTool({ name: 'ask_bank', description: 'Asks the currency expert. Use it for conversions.' })],
});

const outcome = await assistant.run('100 美元是多少人民币？');
console.log(`${path(outcome).join(' -> ')}: ${outcome.answer}`);
await assistant.close();
await expert.close();
