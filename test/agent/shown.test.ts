/** Many tools: a run shows those that fit its request, keeps them, and adds those that are called or found. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, tool } from '../../src/index.ts';
import type { RunEvent } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/testing.ts';

const WORDS = 'apple river castle piano desert violin lantern harbor tulip glacier copper falcon marble saddle thunder walnut'.split(' ');

/** 48 tools that have nothing in common but their form; execute says which was called. */
function many() {
  return WORDS.flatMap((word) =>
    ['open', 'paint', 'count'].map((verb) =>
      tool({
        name: `${verb}_${word}`,
        description: `Use it to ${verb} a ${word}.`,
        level: 'read',
        input: { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] },
        execute: ({ size }) => `${verb} ${word} ${size}`,
      }),
    ),
  );
}

const namesIn = (asked: { tools?: { name: string }[] | undefined }) => (asked.tools ?? []).map(({ name }) => name);

test('the tools that fit the request are shown, the same in every step; the log tells which', async () => {
  const model = scriptedModel([
    { calls: [{ name: 'paint_piano', arguments: { size: 2 } }] },
    { calls: [{ name: 'paint_piano', arguments: { size: 3 } }] },
    'done',
  ]);
  const events: RunEvent[] = [];
  const agent = new Agent({ model, tools: many(), preselect: 8 });
  const outcome = await agent.run('Please paint the piano, then count the walnut', { onEvent: (event) => void events.push(event) });
  assert.equal(outcome.status, 'success');
  const [first, ...others] = model.calls.map(namesIn);
  assert.equal(first!.length, 9);
  for (const name of ['paint_piano', 'count_walnut', 'find_tools']) assert.ok(first!.includes(name), name);
  for (const other of others) assert.deepEqual(other, first);
  const built = events.filter((event) => event.event_type === 'context.built').map(({ data }) => data);
  assert.deepEqual([built[0]!.tools, built[0]!.shown], [49, first]);
});

test('a hidden tool that is called is called, and shown from then on at the end; one that was found, too', async () => {
  const model = scriptedModel([
    { calls: [{ name: 'open_falcon', arguments: {} }] },
    { calls: [{ name: 'find_tools', arguments: { query: 'count a glacier' } }] },
    {
      calls: [
        { name: 'count_glacier', arguments: { size: 1 } },
        { name: 'open_falcon', arguments: { size: 7 } },
      ],
    },
    'done',
  ]);
  const agent = new Agent({ model, tools: many(), preselect: 8 });
  const outcome = await agent.run('Please paint the piano');
  assert.deepEqual(
    outcome.toolCalls.map(({ name, success }) => [name, success]),
    [
      ['open_falcon', false],
      ['find_tools', true],
      ['count_glacier', true],
      ['open_falcon', true],
    ],
  );
  const [first, second, third, last] = model.calls.map(namesIn);
  assert.ok(!first!.includes('open_falcon') && !first!.includes('count_glacier'));
  assert.deepEqual(second, [...first!, 'open_falcon']);
  assert.deepEqual(third!.slice(0, second!.length), second);
  assert.ok(third!.includes('count_glacier'));
  assert.deepEqual(last, third);
});

test('a session keeps what was used; a short request leans on the one before; Chinese finds what is described in English', async () => {
  const model = scriptedModel([{ calls: [{ name: 'paint_piano', arguments: { size: 2 } }] }, 'done', 'yes', '好', 'ok']);
  const session = new Agent({ model, tools: many(), preselect: 8 }).session('s');
  await session.run('Please paint the piano');
  await session.run('Now open every copper harbor, and every marble castle near the river, before the thunder comes');
  const second = namesIn(model.calls[2]!);
  assert.ok(second.includes('open_copper') && second.includes('paint_piano'));
  await session.run('家里一共有几架钢琴？请一架一架地数清楚以后再告诉我');
  assert.ok(namesIn(model.calls[3]!).includes('count_piano'));
  await session.run('还有呢？');
  assert.ok(namesIn(model.calls[4]!).includes('count_piano'));
});

test('up to 32 tools, with 0, and on rails all are shown', async () => {
  for (const options of [
    { tools: many().slice(0, 32), preselect: 8 },
    { tools: many(), preselect: 0 },
  ]) {
    const model = scriptedModel(['done']);
    await new Agent({ model, ...options }).run('Please paint the piano');
    assert.equal(namesIn(model.calls[0]!).length, options.tools.length);
  }
  assert.throws(() => new Agent({ preselect: -1 }), /preselect/);
});
