/** Two tools of one step, as a price and a tax: they run at the same time, so that together they take about as long as one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Tool, tool } from '../../src/tools/define.ts';
import { told } from '../guards/story.ts';

interface Interval {
  name: string;
  from: number;
  to: number;
}

function timed(
  name: string,
  ran: Interval[],
  more: { resource?: string; parallelGroup?: string; level?: 'read' | 'dangerous' } = {},
): Tool {
  return tool({
    name,
    description: `Tells ${name}.`,
    level: 'read',
    input: { type: 'object', additionalProperties: true },
    async execute() {
      const from = performance.now();
      await sleep(120);
      ran.push({ name, from, to: performance.now() });
      return { [name]: 42 };
    },
    ...more,
  });
}

/** Price and tax in one step, then one notification that is confirmed. */
async function order(more: Parameters<typeof timed>[2] = {}) {
  const ran: Interval[] = [];
  const questions: string[] = [];
  const tools = [timed('price', ran, more), timed('tax', ran, more), timed('notify', ran, { level: 'dangerous' })];
  const said = [
    [
      ['price', { item: 'A' }],
      ['tax', { item: 'A' }],
    ],
    ['notify', { text: '含税 84' }],
    '已通知。',
  ] as Parameters<typeof told>[1];
  const { outcome } = await told('查 A 的价格和税，然后通知我', said, {
    tools,
    permissions: {},
    onApproval: async ({ calls }) => {
      questions.push(...calls.map(({ name }) => name));
      return true;
    },
  });
  return { ran, questions, outcome };
}

const overlap = (a: Interval, b: Interval) => Math.min(a.to, b.to) - Math.max(a.from, b.from);

test('price and tax run at the same time, the notification after both, asked about once', async () => {
  const { ran, questions, outcome } = await order();
  const [price, tax, notify] = ['price', 'tax', 'notify'].map((name) => ran.find((one) => one.name === name)!) as [
    Interval,
    Interval,
    Interval,
  ];
  const together = Math.max(price.to, tax.to) - Math.min(price.from, tax.from);
  const alone = price.to - price.from + (tax.to - tax.from);
  assert.ok(overlap(price, tax) > 0, 'they overlap');
  assert.ok(together < alone * 0.75, `${together} ms together, ${alone} ms one after the other`);
  assert.ok(notify.from >= price.to && notify.from >= tax.to);
  assert.deepEqual([questions, outcome.status, outcome.steps], [['notify'], 'success', 3]);
});

test('with one resource, and in different groups, they never overlap', async () => {
  const { ran } = await order({ resource: 'till' });
  assert.ok(overlap(ran[0]!, ran[1]!) <= 0);
});
