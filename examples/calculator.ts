/** X1: a calculation with the order of its operations. Prints the log of the run, one line an event, then the answer. */

import { Agent, tool } from 'hermes-agent';
import { scriptedModel } from 'hermes-agent/testing';

const calculator = tool({
  name: 'calculator',
  description: 'Calculates an arithmetic expression. Use it for every calculation.',
  input: { type: 'object', properties: { expression: { type: 'string' } }, required: ['expression'] },
  level: 'read',
  execute({ expression }) {
    const [, a, b, factor] = /^\((\d+)\+(\d+)\)\*(\d+)$/.exec(expression.replaceAll(' ', '')) ?? [];
    if (factor === undefined) throw new Error(`expected (a+b)*c, got ${expression}`);
    return { result: (Number(a) + Number(b)) * Number(factor) };
  },
});

const model = scriptedModel([
  { calls: [{ name: 'calculator', arguments: { expression: '(13+27)*4' } }] },
  '结果是 160：先算括号里的加法 13+27=40，再算乘法 40*4=160。',
]);

const agent = new Agent({ model, tools: [calculator] });
const run = agent.start('计算 (13+27) * 4 的结果，并用一句话说明运算顺序。');
for await (const event of run.events) {
  if (event.event_type !== 'model.delta') console.log(`${event.seq}. ${event.event_type}`);
}
console.log((await run.outcome).answer);
await agent.close();
