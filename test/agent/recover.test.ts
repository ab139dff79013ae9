/** What a run does when its model fails in a way that asking again will not mend; and what replies cost. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPriceWarning } from '../../src/agent/price-warning.ts';
import { Agent, tool } from '../../src/index.ts';
import { readHistory } from '../../src/journal/history.ts';
import { replay } from '../../src/journal/replay.ts';
import { HermesError } from '../../src/kernel/errors.ts';
import type { RunEvent, State } from '../../src/kernel/types.ts';
import { createMemoryStore, path, scriptedModel } from '../../src/testing.ts';

const add = tool({
  name: 'add',
  description: 'Adds two numbers. Use it for every sum.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  level: 'read',
  execute: ({ a, b }) => a + b,
});
const callAdd = { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] };
const jsonAdd = '{"action":"tool_call","tool":"add","parameters":{"a":1,"b":2}}';
const fails = (code: string) => ({ error: new HermesError(code, `it says ${code}.`, { kind: 'model' }) });

function notes(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.event_type === 'run.note' ? [event.data.code] : []));
}

test('a used-up quota: the next model goes on in the same step, told and logged; the replay holds', async () => {
  const store = await createMemoryStore();
  const first = scriptedModel([{ ...callAdd, reasoning: 'thinking of the first model' }, fails('quota_exhausted')], { id: 'first:a' });
  const third = scriptedModel(['三：和是 3'], { id: 'third:c' });
  const second = scriptedModel([fails('balance_exhausted')], { id: 'second:b' });
  const events: RunEvent[] = [];
  const agent = new Agent({ model: first, fallback: [second, third], tools: [add], store });
  const outcome = await agent.run('1+2?', { onEvent: (event) => events.push(event) });
  assert.deepEqual([outcome.status, outcome.answer, outcome.model, outcome.steps], ['success', '三：和是 3', 'third:c', 2]);
  assert.deepEqual(notes(events), ['model_fallback', 'model_fallback']);
  assert.ok(!JSON.stringify(third.calls[0]?.prompt).includes('thinking of the first model'), 'no thinking of another model');
  assert.match(JSON.stringify(third.calls[0]?.prompt), /"toolName":"add"/);
  const replayed = await replay(await readHistory(store, outcome.runId), {});
  assert.ok(replayed.ok, JSON.stringify(replayed));
});

test('no model is left: the error is that of the last one, and names what to do', async () => {
  const agent = new Agent({
    model: scriptedModel([fails('wrong_key')], { id: 'first:a' }),
    fallback: ['deepseek:deepseek-v4-pro', scriptedModel([fails('server_error')], { id: 'second:b' })],
    env: {},
  });
  const events: RunEvent[] = [];
  const outcome = await agent.run('hi', { onEvent: (event) => events.push(event) });
  assert.deepEqual([outcome.status, outcome.error?.code], ['error', 'server_error']);
  assert.match(JSON.stringify(events), /DEEPSEEK_API_KEY is not set/, 'a fallback that cannot be opened is told, and passed over');
});

test('no fallback can be opened: the first error stands, and it is told why nobody took over', async () => {
  const agent = new Agent({
    model: scriptedModel([fails('balance_exhausted')], { id: 'first:a' }),
    fallback: ['deepseek:x', 'zai:y'],
    env: {},
  });
  const events: RunEvent[] = [];
  const outcome = await agent.run('你好', { onEvent: (event) => events.push(event) });
  assert.equal(outcome.error?.code, 'balance_exhausted');
  const told = events.flatMap((event) => (event.event_type === 'run.note' ? [event.data.message] : []));
  assert.match(told.join('\n'), /备用模型 deepseek:x .*DEEPSEEK_API_KEY is not set\n备用模型 zai:y .*ZAI_API_KEY is not set$/);
});

test('too long, filtered, or already shown: no other model is asked', async () => {
  for (const script of [fails('context_overflow'), fails('content_filter'), { text: 'half an answ', ...fails('connection_lost') }]) {
    const fallback = scriptedModel(['never'], { id: 'second:b' });
    const agent = new Agent({ model: scriptedModel([script], { id: 'first:a' }), fallback: [fallback] });
    const outcome = await agent.run('hi', { onEvent: () => {} });
    assert.equal(outcome.status, 'error');
    assert.equal(fallback.calls.length, 0);
  }
});

test('auto: refused function calls and calls as text both lead to the json protocol, which is remembered and told', async () => {
  for (const script of [
    [fails('tools_not_supported'), jsonAdd, '{"action":"finish","answer":"3"}'],
    ['<tool_call>{"name":"add","arguments":{"a":1,"b":2}}</tool_call>', '{"action":"finish","answer":"3"}'],
  ]) {
    const learnt: unknown[] = [];
    const model = { ...scriptedModel(script), learn: (abilities: object) => void learnt.push(abilities) };
    const events: RunEvent[] = [];
    const outcome = await new Agent({ model, tools: [add] }).run('1+2?', { onEvent: (event) => events.push(event) });
    assert.deepEqual([outcome.status, outcome.answer, outcome.protocol, path(outcome)], ['success', '3', 'json', ['add']]);
    assert.deepEqual([notes(events), learnt], [['protocol_fallback'], [{ protocol: 'json' }]]);
  }
  const told = { ...scriptedModel(['{"action":"finish","answer":"ok"}']), abilities: { protocol: 'json' } };
  assert.equal((await new Agent({ model: told, tools: [add] }).run('hi')).protocol, 'json');
});

test('a protocol that was asked for stays', async () => {
  const model = scriptedModel([fails('tools_not_supported')]);
  const outcome = await new Agent({ model, tools: [add], protocol: 'native' }).run('1+2?');
  assert.deepEqual([outcome.error?.code, outcome.protocol], ['tools_not_supported', 'native']);
});

test('a reply that was all thinking is asked for again with more room, and was paid for', async () => {
  const usage = { input_tokens: 1000, output_tokens: 2048 };
  const model = scriptedModel(
    [
      { text: '', reasoning: 'long', finish: 'length', usage },
      { text: '好', usage: { input_tokens: 1000, output_tokens: 10 } },
    ],
    {
      id: 'deepseek:deepseek-v4-flash',
    },
  );
  const prices = { 'deepseek:deepseek-v4-flash': { in: 1, out: 2 } };
  const outcome = await new Agent({ model, maxTokens: 2048, prices }).run('想一想');
  assert.deepEqual(
    model.calls.map((call) => call.maxOutputTokens),
    [2048, 8192],
  );
  assert.deepEqual([outcome.answer, outcome.usage.inputTokens, outcome.usage.outputTokens], ['好', 2000, 2058]);
  assert.equal(outcome.cost?.amount, (2000 * 1 + 2058 * 2) / 1e6);
});

test('cost: from the table, from the endpoint, in part, not at all', async () => {
  const usage = { input_tokens: 1_000_000, output_tokens: 0, cached_tokens: 500_000 };
  const run = async (id: string, given = {}) =>
    (await new Agent({ model: scriptedModel([{ text: 'x', usage }], { id }), ...given }).run('x')).cost;
  assert.equal(await run('nobody:knows'), undefined, 'not known is absent, never 0');
  assert.deepEqual(await run('nobody:knows', { prices: { 'nobody:knows': { in: 4, out: 8, read: 1, currency: 'CNY' } } }), {
    amount: 2.5,
    currency: 'CNY',
  });
  assert.deepEqual(await run('local:file'), { amount: 0, currency: 'USD' }, 'on this machine nothing is paid for');
  const fallback = [scriptedModel([{ text: 'y', usage }], { id: 'nobody:knows' })];
  const half = scriptedModel([{ calls: callAdd.calls, usage }, fails('quota_exhausted')], { id: 'known:m' });
  const outcome = await new Agent({ model: half, fallback, tools: [add], prices: { 'known:m': { in: 2, out: 2 } } }).run('1+2?');
  assert.deepEqual(outcome.cost, { amount: 2, currency: 'USD', partial: true });
});

test('an old price table is told of once, whichever process comes first; a new one never', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-prices-'));
  context.after(() => rm(folder, { recursive: true }));
  const env = { HERMES_MODELS: folder };
  const inAYear = () => new Date(Date.now() + 365 * 86_400_000);
  const state = { language: 'zh' } as State;
  assert.deepEqual(createPriceWarning(env, () => new Date('2026-12-01'))(state), []);
  const first = createPriceWarning(env, inAYear);
  assert.match(first(state)[0]?.data.message ?? '', /价格表日期为 20\d\d/);
  assert.deepEqual(first(state), []);
  assert.deepEqual(createPriceWarning(env, inAYear)(state), []);
});
