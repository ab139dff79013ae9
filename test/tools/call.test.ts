import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { HermesError } from '../../src/kernel/errors.ts';
import type { Call, Fact, JsonObject } from '../../src/kernel/types.ts';
import { createToolbox } from '../../src/tools/call.ts';
import { type Tool, type ToolContext, tool } from '../../src/tools/define.ts';
import { acted, callOf, prepared, stage, stateWith } from './performing.ts';

const anything = { type: 'object', additionalProperties: true } as const;
type Execute = (args: JsonObject, context: ToolContext) => unknown;

function made(name: string, execute: Execute, more: object = {}): Tool {
  return tool({ name, description: `Does ${name}.`, level: 'read', input: anything, execute, ...more });
}

const echo = made('echo_text', (args) => args);
const names = (facts: readonly Fact[]) => facts.map((fact) => `${fact.event_type} ${(fact.data as { call_id: string }).call_id}`);

// ---- prepare -----------------------------------------------------------------------------------------

test('a prepared call says all that rules and approvals need', async () => {
  const pay = made('pay', () => 1, { level: 'dangerous', idempotent: true, parallelGroup: 'bank', resource: 'account' });
  const fact = await prepared({ tools: [pay], workspace: '/a' }, callOf('pay', { to: '张三' }));
  const { hash, ...data } = fact.data as { hash: string };
  assert.deepEqual(
    { event_type: fact.event_type, data },
    {
      event_type: 'call.prepare',
      data: {
        call_id: 'call-pay',
        name: 'pay',
        arguments: { to: '张三' },
        level: 'dangerous',
        idempotent: true,
        parallel_group: 'bank',
        resource: 'account',
      },
    },
  );
  const hashOfOther = async (workspace: string, args: JsonObject) =>
    ((await prepared({ tools: [pay], workspace }, callOf('pay', args))).data as { hash: string }).hash;
  assert.equal(hash, await hashOfOther('/a', { to: '张三' }));
  assert.notEqual(hash, await hashOfOther('/b', { to: '张三' }));
  assert.notEqual(hash, await hashOfOther('/a', { to: '李四' }));
});

test('a near-miss name maps by letter case and punctuation only; anything else is suggested and not run', async () => {
  const tools = [echo, made('list_files', () => 1)];
  for (const name of ['Echo_Text', 'echoText', 'ECHO-TEXT', 'echo.text']) {
    const fact = await prepared({ tools }, callOf(name));
    assert.equal(fact.event_type, 'call.prepare', name);
    assert.equal((fact.data as { name: string }).name, 'echo_text');
  }
  const wrong = await prepared({ tools }, callOf('echo_texts'));
  assert.deepEqual([wrong.event_type, (wrong.data as { code: string }).code], ['call.reject', 'unknown_tool']);
  assert.match((wrong.data as { message: string }).message, /no tool "echo_texts"; did you mean echo_text\?.*Tools: echo_text, list_files/);
  const twins = [made('a_b', () => 1), made('ab', () => 2)];
  assert.equal((await prepared({ tools: twins }, callOf('A-B'))).event_type, 'call.reject');
  assert.equal(((await prepared({ tools: twins }, callOf('ab'))).data as { name: string }).name, 'ab');
});

test('what the reader found wrong, and a call too many, are rejected; the good calls of the step go on, in one emit', async () => {
  const once = made('once', () => 1, { maxCalls: 2 });
  const record = { name: 'once', arguments: {}, success: true, ms: 1 };
  const state = stateWith({
    ledger: [
      { ...record, ran: true },
      { ...record, success: false, error_code: 'invalid_arguments' },
    ],
  });
  const calls = [
    callOf('echo_text', {}, { id: 'c1', problem: { code: 'truncated', message: 'the call was cut off' } }),
    callOf('once', {}, { id: 'c2' }),
    callOf('once', {}, { id: 'c3' }),
  ];
  const emits: string[][] = [];
  await createToolbox({ tools: [echo, once] }).prepare(state, calls, {
    ...stage(),
    emit: async (...facts) => void emits.push(names(facts)),
  });
  assert.deepEqual(emits, [['call.reject c1', 'call.prepare c2', 'call.reject c3']]);
});

test('two tools of one name are an error at the start', () => {
  assert.throws(() => createToolbox({ tools: [echo, made('echo_text', () => 1)] }), { code: 'duplicate_tool' });
});

// ---- act ---------------------------------------------------------------------------------------------

test('start, then end; a thrown value is a result with its code, nothing becomes null', async () => {
  const { facts, result, shaped } = await acted({ tools: [echo] }, callOf('echo_text', { a: [1, '二'] }));
  assert.deepEqual(names(facts), ['tool.start call-echo_text', 'tool.end call-echo_text']);
  assert.deepEqual(result, { success: true, data: { a: [1, '二'] } });
  assert.equal(shaped, '{"a":[1,"二"]}');
  const result2 = async (execute: Execute) => (await acted({ tools: [made('t', execute)] }, callOf('t'))).result;
  assert.deepEqual(await result2(async () => new Date(0)), { success: true, data: '1970-01-01T00:00:00.000Z' });
  const failing: [Execute, object][] = [
    [() => Promise.reject(new Error('no luck')), { code: 'tool_failed', message: 'no luck' }],
    [
      () => {
        throw new HermesError('not_found', 'no such order', { next: 'ask for the number' });
      },
      { code: 'not_found', message: 'no such order', next: 'ask for the number' },
    ],
    [() => Promise.reject(Object.assign(new Error('x'), { code: 'ENOENT' })), { code: 'ENOENT', message: 'x' }],
    [() => Promise.reject('plain text'), { code: 'tool_failed', message: 'plain text' }],
    [() => Promise.reject(undefined), { code: 'tool_failed', message: 'the tool failed without a message' }],
    [() => 10n, { code: 'result_not_json', message: 'the result is no JSON: it is a BigInt; give it as a text' }],
    [
      () => 'x'.repeat(32_000_001),
      { code: 'result_too_large', message: 'the result has 32000001 characters, at most 32000000 are kept', next: 'ask for a part of it' },
    ],
  ];
  for (const [execute, error] of failing) assert.deepEqual(await result2(execute), { success: false, error });
  const gone = await acted({ tools: [] }, callOf('gone'));
  assert.deepEqual(gone.result, { success: false, error: { code: 'unknown_tool', message: 'there is no tool "gone" any more' } });
  assert.equal(gone.shaped, JSON.stringify(gone.result));
});

test('the text for the model is clean', async () => {
  const shaped = async (value: unknown) => (await acted({ tools: [made('t', () => value)] }, callOf('t'))).shaped;
  assert.equal(await shaped('a\u0000b\u001b[31mred\u001b[0m\ud800\tc\r\n\u2028'), 'abred\ufffd\tc\r\n\u2028');
  assert.equal(await shaped({ a: ['\u0000x\u001b[1m', { b: '\udc00' }] }), '{"a":["x",{"b":"\ufffd"}]}');
});

test('the tool owns its arguments, sees secrets, and gets the same key every time', async () => {
  const seen: unknown[] = [];
  const greedy = made('greedy', (args, { key, callId, runId }) => {
    seen.push([key, callId, runId, structuredClone(args)]);
    args.list = [];
    (args.deep as JsonObject).a = 2;
    return 'done';
  });
  const call = callOf('greedy', { deep: { a: 1 }, token: '{{secret:T}}' });
  const restore = (args: JsonObject) => ({ ...args, token: 'geheim' });
  const { facts } = await acted({ tools: [greedy], restore }, call);
  await acted({ tools: [greedy], restore }, { ...call, status: 'in_doubt' });
  const key = (facts[0]!.data as { key: string }).key;
  assert.match(key, /^r.*\.c/);
  assert.deepEqual(seen, Array(2).fill([key, 'call-greedy', 'run-1', { deep: { a: 1 }, token: 'geheim' }]));
  assert.deepEqual(call.arguments, { deep: { a: 1 }, token: '{{secret:T}}' });
  assert.ok(!JSON.stringify(facts).includes('geheim'));
});

test('progress goes to subscribers, and not after the end', async () => {
  const on = stage();
  let later: (() => void) | undefined;
  const talk = made('talk', (_, { progress }) => {
    progress({ percent: 50 });
    later = () => progress('too late');
    return 1;
  });
  await acted({ tools: [talk] }, callOf('talk'), stateWith(), on);
  later!();
  assert.deepEqual(on.deltas, [{ event_type: 'tool.delta', data: { call_id: 'call-talk', data: { percent: 50 } } }]);
});

test('a closure that ignores its time-out is abandoned; its late result is dropped and noted', async () => {
  const on = stage();
  const late = Promise.withResolvers<void>();
  const slow = made(
    'slow',
    async (_, { signal }) => {
      assert.equal(signal.aborted, false);
      await late.promise;
      assert.equal(signal.aborted, true);
      return 'late';
    },
    { timeoutMs: 50 },
  );
  const began = performance.now();
  const { result, ms } = await acted({ tools: [slow] }, callOf('slow'), stateWith(), on);
  assert.deepEqual(result, {
    success: false,
    error: { code: 'timeout', message: 'slow did not finish within 0.05 s and was ended', next: 'try a smaller task, or go on without it' },
  });
  assert.ok(ms >= 49 && performance.now() - began < 5000);
  late.resolve();
  await sleep(5);
  const note = on.facts.at(-1)!;
  assert.deepEqual([note.event_type, (note.data as { code: string; call_id: string }).code], ['run.note', 'late_result']);
  assert.equal(on.facts.filter((fact) => fact.event_type === 'tool.end').length, 1);
});

test('a closure that heeds its signal has ended when act returns, and is no late result', async () => {
  const on = stage();
  let ended = false;
  const heeds = made(
    'heeds',
    async (_, { signal }) => {
      await sleep(10_000, undefined, { signal }).catch(() => sleep(20));
      ended = true;
      throw new Error('stopped');
    },
    { timeoutMs: 30 },
  );
  const { result } = await acted({ tools: [heeds] }, callOf('heeds'), stateWith(), on);
  assert.equal(result.success, false);
  assert.ok(ended);
  assert.deepEqual(names(on.facts), ['tool.start call-heeds', 'tool.end call-heeds']);
});

test('an abort ends running calls as cancelled and starts no further one', async () => {
  const on = stage();
  const calls = ['c1', 'c2', 'c3'].map((id) => callOf('wait', {}, { id, resource: id === 'c1' ? 'a' : 'b' }));
  const wait = made('wait', async (_, { signal }) => sleep(60_000, undefined, { signal }));
  const acting = createToolbox({ tools: [wait] }).act(stateWith(), calls, on);
  await sleep(20);
  on.controller.abort('run.abort');
  await acting;
  assert.deepEqual(names(on.facts).sort(), ['tool.end c1', 'tool.end c2', 'tool.start c1', 'tool.start c2']);
  const end = on.facts.at(-1)!.data as { result: { error: { code: string } } };
  assert.equal(end.result.error.code, 'cancelled');
});

test('independent calls run together up to the limit; one resource and different groups never overlap', async () => {
  async function timeline(calls: Call[], maxParallel?: number): Promise<{ peak: number; overlaps: string[] }> {
    const running = new Set<string>();
    let peak = 0;
    const overlaps = new Set<string>();
    const work = made('work', async (_, { callId }) => {
      for (const other of running) overlaps.add([other, callId].sort().join('+'));
      running.add(callId);
      peak = Math.max(peak, running.size);
      await sleep(15);
      running.delete(callId);
    });
    const on = stage();
    await createToolbox({ tools: [work], ...(maxParallel ? { maxParallel } : {}) }).act(stateWith(), calls, on);
    assert.equal(on.facts.filter((fact) => fact.event_type === 'tool.end').length, calls.length);
    return { peak, overlaps: [...overlaps] };
  }
  const many = (count: number, more: (i: number) => Partial<Call> = () => ({})) =>
    Array.from({ length: count }, (_, i) => callOf('work', {}, { id: `${i}`, ...more(i) }));
  assert.equal((await timeline(many(12))).peak, 8);
  assert.equal((await timeline(many(5), 2)).peak, 2);
  assert.deepEqual(await timeline(many(3, () => ({ resource: 'file' }))), { peak: 1, overlaps: [] });
  const grouped = await timeline(many(4, (i) => ({ parallel_group: i % 2 ? 'b' : 'a' })));
  assert.deepEqual(
    grouped.overlaps.filter((pair) => (Number(pair[0]) + Number(pair[2])) % 2 === 1),
    [],
  );
  const mixed = await timeline(many(3, (i) => (i === 2 ? {} : { parallel_group: `${i}` })));
  assert.ok(mixed.overlaps.includes('0+2'));
});

test('conflicting calls keep their order', async () => {
  const on = stage();
  const calls = ['1', '2', '3'].map((id) => callOf('echo_text', {}, { id, resource: 'r' }));
  await createToolbox({ tools: [echo] }).act(stateWith(), calls, on);
  assert.deepEqual(names(on.facts), ['tool.start 1', 'tool.end 1', 'tool.start 2', 'tool.end 2', 'tool.start 3', 'tool.end 3']);
});

test('a journal that fails ends act with its error, after the running calls have ended', async () => {
  let ended = false;
  const slow = made('slow', async () => {
    await sleep(30);
    ended = true;
  });
  let emits = 0;
  const emit = async (): Promise<void> => {
    if (++emits === 2) throw new Error('disk full');
  };
  const calls = [callOf('echo_text', {}, { id: 'fast' }), callOf('slow', {}, { id: 'slow' })];
  await assert.rejects(createToolbox({ tools: [echo, slow] }).act(stateWith(), calls, { ...stage(), emit }), /disk full/);
  assert.ok(ended);
});

test('notes, workspace, zone, its own settings and the calls so far reach the tool', async () => {
  const ledger = [{ name: 'x', arguments: {}, success: true, ms: 1 }];
  const look = made('look', async (_, { context }) => {
    await context.notes.set('k', 'v');
    return [
      context.workspace,
      context.timezone,
      context.settings,
      await context.notes.list(),
      await context.notes.get('k'),
      await context.calls(),
    ] as never;
  });
  const settings = { look: { depth: 2 }, other: { depth: 3 } };
  const { result } = await acted(
    { tools: [look], workspace: '/w', timezone: 'Asia/Shanghai', settings },
    callOf('look'),
    stateWith({ ledger }),
  );
  assert.deepEqual(result, { success: true, data: ['/w', 'Asia/Shanghai', { depth: 2 }, ['k'], 'v', ledger] });
});
