/** Budgets of a run and of a day, over sub-agents and resumes: the call that would break a cap is not made. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent } from '../../src/agent/agent.ts';
import { startOfDay } from '../../src/agent/budget.ts';
import type { AgentOptions, RunOutcome } from '../../src/agent/types.ts';
import { createMemoryStore } from '../../src/journal/memory.ts';
import type { EventStore } from '../../src/journal/store.ts';
import type { RunEvent } from '../../src/kernel/types.ts';
import { type ScriptedModel, type ScriptedReply, scriptedModel } from '../../src/models/scripted.ts';
import { plainTool } from './story.ts';

const USAGE = { input_tokens: 1000, output_tokens: 100 };
const step = (n: number): ScriptedReply => ({ calls: [{ name: 'look', arguments: { n } }], usage: USAGE });
const steps = (count: number) => scriptedModel([...Array.from({ length: count }, (_, n) => step(n)), { text: 'done', usage: USAGE }]);
const look = plainTool('look', ({ n }) => `page ${n}`);
const PRICES = { 'scripted:model': { in: 1, out: 1 } };

async function run(model: ScriptedModel, options: AgentOptions): Promise<{ outcome: RunOutcome; events: RunEvent[]; asked: number }> {
  const events: RunEvent[] = [];
  const agent = new Agent({ model, tools: [look], ...options });
  const outcome = await agent.run('Look', { onEvent: (event) => void events.push(event) });
  return { outcome, events, asked: model.calls.length };
}
const notes = (events: RunEvent[]) => events.flatMap((event) => (event.event_type === 'run.note' ? [event.data.code] : []));

test('tokens of a run: the call that would go beyond is not made, and the report names the cap and what was used', async () => {
  const { outcome, asked } = await run(steps(5), { limits: { runTokens: 4000 } });
  assert.equal(outcome.status, 'stopped_by_guard');
  assert.equal(outcome.stoppedBy, 'budget');
  assert.equal(asked, 3, '3 x 1100 are used; another 1100 would make 4400');
  assert.match(outcome.report ?? '', /run_tokens = 4000 .*3300 used, the next would need about 11\d\d/);
  assert.equal((await run(steps(2), { limits: { runTokens: 4000 } })).outcome.status, 'success');
  assert.equal((await run(steps(2), { limits: { runTokens: 4000 }, maxTokens: 2000 })).asked, 1, 'the reply may take 2000');
});

test('money of a run, in its currency', async () => {
  const rich = await run(steps(5), { limits: { runCost: 0.004 }, prices: PRICES });
  assert.equal(rich.outcome.stoppedBy, 'budget');
  assert.equal(rich.asked, 3);
  assert.match(rich.outcome.report ?? '', /run_cost = 0\.004 USD.*0\.0033 USD used/);
  assert.deepEqual(notes(rich.events), []);
});

test('an unknown price is said once, tokens still hold; or no call is made', async () => {
  const told = await run(steps(3), { limits: { runCost: 0.001 } });
  assert.equal(told.outcome.status, 'success');
  assert.deepEqual(notes(told.events), ['unknown_price']);
  const both = await run(steps(5), { limits: { runCost: 0.001, runTokens: 2500 } });
  assert.equal(both.outcome.stoppedBy, 'budget');
  const other = await run(steps(3), { limits: { runCost: 0.001, currency: 'CNY' }, prices: PRICES });
  assert.deepEqual(notes(other.events), ['unknown_price'], 'a price in another currency is none');
  const refused = await run(steps(3), { limits: { runCost: 0.001, unknownPrice: 'refuse' } });
  assert.equal(refused.asked, 0);
  assert.match(refused.outcome.report ?? '', /price of scripted:model is not known in USD/);
});

test('a provider that gives no figures: the cap holds by an estimate', async () => {
  const silent = scriptedModel(
    Array.from({ length: 9 }, (_, n) => ({ calls: [{ name: 'look', arguments: { n, text: 'x'.repeat(4000) } }] })),
  );
  const { outcome, asked } = await run(silent, { limits: { runTokens: 6000 } });
  assert.equal(outcome.stoppedBy, 'budget');
  assert.ok(asked < 5, String(asked));
});

test('a sub-agent gets what is left, and what it uses counts for its caller, once', async () => {
  const store = createMemoryStore();
  const child = new Agent({ model: steps(9), tools: [look], store });
  const parent = (limits: AgentOptions['limits']) =>
    new Agent({
      model: scriptedModel([
        { calls: [{ name: 'helper', arguments: { request: 'Look' } }], usage: USAGE },
        { text: 'done', usage: USAGE },
      ]),
      tools: [child.asTool({ name: 'helper', description: 'Looks things up.' })],
      store,
      ...(limits ? { limits } : {}),
    });
  const outcome = await parent({ runTokens: 5000 }).run('Ask the helper');
  assert.equal(outcome.toolCalls[0]?.errorCode, 'sub_agent_stopped_by_guard');
  assert.equal(outcome.usage.inputTokens, 4000, 'one of its own and three of the sub-agent');
  assert.equal(outcome.status, 'stopped_by_guard', 'nothing is left for another step');
  const runs = await store.list({ limit: 9 });
  const starts = await Promise.all(runs.map(async ({ run_id }) => (await store.read(run_id))[0]));
  assert.deepEqual(
    starts.map((event) => event?.event_type === 'run.start' && event.data.limits.run_tokens),
    [3900, 5000],
  );
  assert.equal((await store.spent('2000')).tokens, 4400, 'each run with its own');
});

test('two sub-agents at the same time share what is left', async () => {
  const child = new Agent({ model: scriptedModel(Array.from({ length: 20 }, (_, n) => step(n))), tools: [look] });
  const both = ['a', 'b'].map((request) => ({ name: 'helper', arguments: { request } }));
  const parent = new Agent({
    model: scriptedModel([{ calls: both, usage: USAGE }, 'done']),
    tools: [child.asTool({ name: 'helper', description: 'Looks things up.' })],
    limits: { runTokens: 8000 },
  });
  const outcome = await parent.run('Ask twice');
  assert.ok((outcome.usage.inputTokens ?? 0) + (outcome.usage.outputTokens ?? 0) <= 8000, JSON.stringify(outcome.usage));
});

test('a day: all runs of the store, over resumes; another day begins at midnight of the time zone', async () => {
  const store = createMemoryStore();
  const day = (limits: AgentOptions['limits'], model = steps(1)) => run(model, { store, prices: PRICES, ...(limits ? { limits } : {}) });
  await day(undefined);
  const stopped = await day({ dayTokens: 4000 }, steps(5));
  assert.equal(stopped.outcome.stoppedBy, 'budget');
  assert.equal(stopped.asked, 1, '2200 of before and 1100');
  assert.match(stopped.outcome.report ?? '', /day_tokens = 4000 .*3300 used/);
  assert.equal((await day({ dayCost: 0.0033 }, steps(5))).asked, 0);
  assert.equal((await day({ dayCost: 0.01 })).outcome.status, 'success');
  assert.equal(startOfDay(new Date('2026-03-14T17:20:30.400Z'), 'Asia/Shanghai'), '2026-03-14T16:00:00.000Z');
  assert.equal(startOfDay(new Date('2026-03-14T17:20:30.400Z'), 'America/New_York'), '2026-03-14T04:00:00.000Z');
});

test('a cap on a day without a store, or with one that cannot be read: no call is made', async () => {
  const without = await run(steps(1), { limits: { dayTokens: 4000 } });
  assert.equal(without.asked, 0);
  assert.match(without.outcome.report ?? '', /could not be read.*needs a store/);
  const store: EventStore = { ...createMemoryStore(), spent: () => Promise.reject(new Error('disk gone')) };
  assert.equal((await run(steps(1), { store, limits: { dayTokens: 4000 } })).asked, 0);
});

test('a clock that is set back under way takes nothing from what is counted', async (context) => {
  const real = Date.now;
  let back = 0;
  context.mock.method(Date, 'now', () => real() - back);
  const turn = plainTool('look', () => {
    back = 3_600_000;
    return 'an hour earlier';
  });
  const { events } = await run(steps(1), { tools: [turn] });
  const times = events.filter(({ seq }) => seq !== undefined).map(({ ts }) => ts);
  assert.ok(times.length > 5);
  assert.deepEqual(times, times.toSorted());
});
