/** Breaking in: a message for a run on its way, another model from the next step on, an abort. */

import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, tool } from 'hermes-agent';
import { scriptedModel } from 'hermes-agent/testing';

const look = tool({
  name: 'look',
  description: 'Looks at one page. Use it once a page.',
  input: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] },
  level: 'read',
  async execute({ page }) {
    await sleep(20);
    return `page ${page}`;
  },
});

const slow = scriptedModel([{ calls: [{ name: 'look', arguments: { page: 1 } }] }], { id: 'example:slow' });
const quick = scriptedModel(['Page 1 is enough, as you wish.'], { id: 'example:quick' });
const agent = new Agent({ model: slow, tools: [look] });

const run = agent.start('Look at all pages.');
run.subscribe((event) => {
  if (event.event_type !== 'tool.start') return;
  run.steer('One page is enough.');
  run.use({ model: quick });
});
const outcome = await run.outcome;
console.log(`${outcome.model}: ${outcome.answer}`);

const endless = scriptedModel(Array.from({ length: 50 }, (_, page) => ({ calls: [{ name: 'look', arguments: { page } }] })));
const second = new Agent({ model: endless, tools: [look], limits: { maxSteps: 50 } }).start('Look at everything.');
second.subscribe((event) => event.event_type === 'tool.end' && event.step === 3 && second.abort('enough'));
const stopped = await second.outcome;
console.log(`${stopped.status} after ${stopped.toolCalls.length} calls`);
await agent.close();
