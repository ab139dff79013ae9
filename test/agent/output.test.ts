/** Typed answers: schema in, value out, one repair, a named error, through the library's front door with scripted models. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { replayRun } from '../../src/agent/replay.ts';
import { Agent, type RunEvent, type RunOutcome, tool } from '../../src/index.ts';
import type { EventStore } from '../../src/journal/store.ts';
import { GENESIS } from '../../src/journal/store.ts';
import type { Fact } from '../../src/kernel/types.ts';
import { createMemoryStore, path, type ScriptedReply, scriptedModel } from '../../src/testing.ts';

const Weather = {
  type: 'object',
  properties: { city: { type: 'string' }, temperature: { type: 'number' }, unit: { type: 'string', enum: ['C', 'F'], default: 'C' } },
  required: ['city', 'temperature'],
} as const;
const GOOD = '{"city": "杭州", "temperature": 21}';

const look = tool({
  name: 'look_up',
  description: 'Looks up the weather of a city. Use it for every question about weather.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  level: 'read',
  execute: ({ city }) => ({ city, temperature: 21 }),
});
const callLook = { calls: [{ name: 'look_up', arguments: { city: '杭州' } }] };

const agentOf = (...replies: ScriptedReply[]) => new Agent({ model: scriptedModel(replies), tools: [look] });

test('tools first, then the answer as a value: checked, with defaults, whatever stands around it', async () => {
  const written = [GOOD, `\`\`\`json\n${GOOD}\n\`\`\``, `Here you are: ${GOOD} Anything else?`, `<think>{"city": 1}</think>${GOOD}`];
  for (const text of written) {
    const outcome = await agentOf(callLook, text).run('杭州天气怎么样？', { output: Weather });
    assert.deepEqual(outcome.output, { city: '杭州', temperature: 21, unit: 'C' }, text);
    assert.equal(outcome.answer, '{"city":"杭州","temperature":21,"unit":"C"}');
    assert.equal(outcome.status, 'success');
    assert.equal(outcome.steps, 2);
    assert.deepEqual(path(outcome), ['look_up']);
  }
});

test('on protocols that are text: the answer field holds the value, as JSON or as text of JSON', async () => {
  const call = '{"action": "tool_call", "tool": "look_up", "parameters": {"city": "杭州"}}';
  const finish = (answer: unknown) => JSON.stringify({ action: 'finish', answer });
  const cases: [written: string[], steps: number][] = [
    [[call, finish(JSON.parse(GOOD))], 2],
    [[call, finish(GOOD)], 2],
    [[call, GOOD], 2],
    [[call, finish({ city: '杭州' }), finish(JSON.parse(GOOD))], 3],
    [[call, finish('今天 21 度'), finish(JSON.parse(GOOD))], 3],
  ];
  for (const [written, steps] of cases) {
    const agent = new Agent({ model: scriptedModel(written), tools: [look], protocol: 'json' });
    const outcome = await agent.run('杭州天气怎么样？', { output: Weather });
    assert.deepEqual([outcome.output, outcome.steps], [{ city: '杭州', temperature: 21, unit: 'C' }, steps], written.at(-1));
  }
});

test('react: the final answer is the value', async () => {
  const call = 'Thought: 查天气\nAction: look_up\nAction Input: {"city": "杭州"}';
  for (const written of [
    [call, `Thought: 知道了\nFinal Answer: ${GOOD}`],
    [call, 'Final Answer: 21 度', `Final Answer:\n\`\`\`json\n${GOOD}\n\`\`\``],
  ]) {
    const outcome = await new Agent({ model: scriptedModel(written), tools: [look], protocol: 'react' }).run('天气', { output: Weather });
    assert.deepEqual([outcome.output, outcome.steps], [{ city: '杭州', temperature: 21, unit: 'C' }, written.length]);
    assert.deepEqual(path(outcome), ['look_up']);
  }
});

test('a reply that could not be read has had its repair: there is no second one', async () => {
  const model = scriptedModel(['{"action": "finish", "answer": {"city": ', '{"action": "finish", "answer": {"city": ', 'never asked for']);
  const outcome = await new Agent({ model, protocol: 'json' }).run('x', { output: Weather });
  assert.equal(outcome.error?.code, 'output_invalid');
  assert.equal(model.calls.length, 2);
});

test('what is clearly meant needs no repair by the model; the change stands in the log', async () => {
  const events: RunEvent[] = [];
  const text = '{"City": "杭州", "temperature": "21", "unit": null}';
  const outcome = await agentOf(text).run('天气', { output: Weather, onEvent: (event) => events.push(event) });
  assert.deepEqual(outcome.output, { city: '杭州', temperature: 21, unit: 'C' });
  const checked = events.find((event) => event.event_type === 'perform.end');
  assert.match(JSON.stringify(checked?.data), /renamed answer\.city.*answer\.temperature/);
});

test('zod: its own checks, defaults and transformations; the log keeps the JSON that was written', async () => {
  const Trip = z.object({
    city: z.string().transform((name) => name.trim()),
    day: z.iso.date().transform((text) => new Date(`${text}T00:00:00Z`)),
    people: z.number().int().positive().default(1),
  });
  const events: RunEvent[] = [];
  const model = scriptedModel(['{"city": " Paris ", "day": "2026-02-03"}']);
  const outcome = await new Agent({ model }).run('plan it', { output: Trip, onEvent: (event) => events.push(event) });
  assert.deepEqual(outcome.output, { city: 'Paris', day: new Date('2026-02-03T00:00:00Z'), people: 1 });
  const end = events.find((event) => event.event_type === 'run.end');
  assert.deepEqual(end?.event_type === 'run.end' && end.data.outcome.output, { city: ' Paris ', day: '2026-02-03' });
});

test('an asynchronous check is waited for; what it refuses is mended like anything else', async () => {
  const Known = z.object({ city: z.string().refine(async (city) => Promise.resolve(city === '杭州'), 'no such city in the list') });
  const model = scriptedModel(['{"city": "抗州"}', '{"city": "杭州"}']);
  const outcome = await new Agent({ model }).run('哪个城市？', { output: Known });
  assert.deepEqual(outcome.output, { city: '杭州' });
  const repair = JSON.stringify(model.calls[1]?.prompt.at(-1));
  assert.match(repair, /answer\.city: no such city in the list/);
  assert.match(repair, /最终回答不符合/);
});

test('a check that throws is a problem, not a crash; one that never ends is left at the end of the run', async () => {
  const throws = z.object({ a: z.number().refine(() => JSON.parse('no')) });
  const broken = await agentOf('{"a": 1}', '{"a": 1}').run('x', { output: throws });
  assert.equal(broken.error?.code, 'output_invalid');
  assert.match(broken.error?.message ?? '', /the check itself failed/);
  const endless = z.object({ a: z.number().refine(() => new Promise<boolean>(() => undefined)) });
  const run = agentOf('{"a": 1}').start('x', { output: endless });
  run.subscribe((event) => event.event_type === 'perform.start' && run.abort());
  assert.equal((await run.outcome).status, 'cancelled');
});

test('one repair: the model sees every problem, at most eight, and answers again', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `field_${i}`);
  const Wide = { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'integer' }])), required: names };
  const whole = JSON.stringify(Object.fromEntries(names.map((name, i) => [name, i])));
  const model = scriptedModel(['{"field_0": "many"}', whole]);
  const events: RunEvent[] = [];
  const outcome = await new Agent({ model }).run('fill it', { output: Wide, onEvent: (event) => events.push(event) });
  assert.equal(outcome.status, 'success');
  assert.equal(outcome.steps, 2);
  const trips = events.flatMap((event) => (event.event_type === 'guard.trip' ? [event.data] : []));
  assert.equal(trips.length, 1);
  const [{ verdict, message }] = trips as [(typeof trips)[0]];
  assert.equal(verdict, 'nudge');
  assert.equal(message.match(/^- answer\.field_/gm)?.length, 8);
  assert.match(message, /- answer\.field_0: expected integer, got "many" \(string\)/);
  assert.match(message, /- and 4 more/);
});

test('a second failure ends the run with a named error; the answer as it was written stays', async () => {
  const model = scriptedModel(['it is warm', 'warm, I said', 'never asked for']);
  const events: RunEvent[] = [];
  const outcome = await new Agent({ model }).run('weather?', { output: Weather, onEvent: (event) => events.push(event) });
  assert.equal(outcome.status, 'error');
  assert.equal(outcome.error?.code, 'output_invalid');
  assert.match(outcome.error?.message ?? '', /expected JSON; the text holds no JSON value/);
  assert.ok(outcome.error?.next);
  assert.equal(outcome.answer, 'warm, I said');
  assert.equal(outcome.output, undefined);
  assert.equal(model.calls.length, 2);
  const chinese = await agentOf('不知道', '还是不知道').run('天气？', { output: Weather });
  assert.match(chinese.error?.message ?? '', /^最终回答不符合输出的 schema：answer: /);
  assert.match(chinese.error?.next ?? '', /\p{Script=Han}/u);
});

test('the same wrong answer again is checked again: a result belongs to one answer', async () => {
  let asked = 0;
  const Later = z.object({ a: z.number().refine(() => ++asked > 1, 'not yet') });
  const outcome = await agentOf('{"a": 1}', '{"a": 1}').run('x', { output: Later });
  assert.deepEqual(outcome.output, { a: 1 });
});

test('the repair is a step like any other: without one left the run ends at once, and says so', async () => {
  const model = scriptedModel(['no JSON', GOOD]);
  const outcome = await new Agent({ model, limits: { maxSteps: 1 } }).run('x', { output: Weather });
  assert.equal(outcome.error?.code, 'output_invalid');
  assert.match(outcome.error?.next ?? '', /--max-steps/);
  assert.equal(model.calls.length, 1);
});

test('the model may call tools again before it mends its answer', async () => {
  const outcome = await agentOf('{"city": "杭州"}', callLook, GOOD).run('天气', { output: Weather });
  assert.equal(outcome.status, 'success');
  assert.deepEqual(path(outcome), ['look_up']);
});

test('lists, texts, numbers, choices and unions are values, too; providers get an object, the caller never sees it', async () => {
  const Tree: z.ZodType<Tree> = z.object({ name: z.string(), children: z.lazy(() => z.array(Tree)) });
  type Tree = { name: string; children: Tree[] };
  const cases = [
    [{ type: 'array', items: { type: 'integer' } }, '{"value": [1, 2]}', [1, 2]],
    [{ type: 'array', items: { type: 'integer' } }, '[1, 2]', [1, 2]],
    [{ type: 'string' }, '{"value": "西湖"}', '西湖'],
    [{ type: 'string', enum: ['yes', 'no'] }, 'yes', 'yes'],
    [z.number().transform((n) => n * 2), '{"value": 21}', 42],
    [z.union([z.object({ a: z.string() }), z.string()]), '{"a": "x"}', { a: 'x' }],
    [
      z.array(Tree),
      '[{"name": "a", "children": [{"name": "b", "children": []}]}]',
      [{ name: 'a', children: [{ name: 'b', children: [] }] }],
    ],
    [{ $ref: '#/$defs/city', $defs: { city: { type: 'string', minLength: 2 } } }, '{"value": "杭州"}', '杭州'],
    [{ type: ['array', 'null'], items: { anyOf: [{ type: 'string' }, { $ref: '#' }] } }, '["a", ["b", null]]', ['a', ['b', null]]],
    [{ type: 'object', properties: { value: { type: 'string' } } }, '{"value": "own"}', { value: 'own' }],
    [{ properties: { a: { type: 'string' } } }, '{"a": "b"}', { a: 'b' }],
    [z.null(), '{"value": null}', null],
  ] as const;
  for (const [output, text, expected] of cases) {
    const events: RunEvent[] = [];
    const outcome = await agentOf(text, text).run('x', { output, onEvent: (event) => events.push(event) });
    assert.deepEqual(outcome.output, expected, `${text}: ${outcome.error?.message}`);
    const start = events[0];
    assert.ok(start?.event_type === 'run.start' && start.data.output_schema?.type === 'object');
  }
  const outcome = await agentOf('{"value": "x"}', '{"value": ["x"]}').run('x', { output: { type: 'array', items: { type: 'integer' } } });
  assert.match(outcome.error?.message ?? '', /: answer\[0\]: expected integer/);
});

test('a schema that is none is wrong use, before anything is asked', async () => {
  const wrong: [unknown, RegExp][] = [
    [{ type: 'objekt' }, /output\.type: expected one of/],
    [{ type: 'object', properties: { a: { type: 'number', minimum: 'x' } } }, /minimum/],
    [{ city: 'text' }, /an object with the keys city/],
    [z.date(), /output: .*Date/],
    ['text', /expected a Standard Schema/],
    [{ '~standard': { version: 1, vendor: 'plain', validate: () => ({ value: 1 }) } }, /this plain schema cannot give JSON Schema/],
  ];
  for (const [output, message] of wrong) {
    const model = scriptedModel([GOOD]);
    await assert.rejects(new Agent({ model }).run('x', { output: output as Readonly<Record<string, unknown>> }), {
      code: 'bad_output_schema',
      kind: 'usage',
      message,
    });
    assert.equal(model.calls.length, 0);
  }
  const session = new Agent({ model: scriptedModel([]) }).session();
  await assert.rejects(session.run('x', { output: { type: 'no' } }), { code: 'bad_output_schema' });
});

test('start, stream and sessions take it for one request; the next one is free again', async () => {
  const agent = agentOf(GOOD, 'plain words', GOOD, '[]', GOOD);
  const session = agent.session();
  assert.deepEqual((await session.run('one', { output: Weather })).output, { city: '杭州', temperature: 21, unit: 'C' });
  const free = await session.run('two');
  assert.deepEqual([free.answer, free.output], ['plain words', undefined]);
  assert.equal((await (await session.start('three', { output: Weather })).outcome).status, 'success');
  assert.deepEqual((await agent.start('four', { output: { type: 'array' } }).outcome).output, []);
  let last: RunEvent | undefined;
  for await (const event of agent.stream('five', { output: Weather })) last = event;
  assert.ok(last?.event_type === 'run.end' && last.data.outcome.output !== undefined);
});

/** A store that holds the first events of a run, as after a crash. */
function cutStore(events: readonly RunEvent[]): EventStore {
  const store = createMemoryStore();
  let after = { seq: 0, hash: GENESIS };
  for (const { event_type, data, step, ts, run_id, session_id, trace_id } of events) {
    const appended = store.append({
      run: { run_id, session_id, trace_id },
      facts: [{ event_type, data } as Fact],
      step,
      ts,
      after,
      durable: true,
    });
    const [{ seq, hash = '' }] = appended.events as [RunEvent];
    after = { seq, hash };
  }
  return store;
}

test('a run cut anywhere still asks, checks and hands over; a replay finds no difference', async () => {
  const Doubled = z.object({ city: z.string(), temperature: z.number().transform((n) => n * 2) });
  const replies = [callLook, '{"city": "杭州"}', GOOD];
  const store = createMemoryStore();
  const run = await new Agent({ model: scriptedModel(replies), tools: [look], store }).run('天气', { output: Doubled });
  assert.deepEqual(run.output, { city: '杭州', temperature: 42 });
  const events = await store.read(run.runId);
  for (let at = 1; at < events.length; at++) {
    const left = replies.slice(events.slice(0, at).filter((event) => event.event_type === 'model.end').length);
    for (const output of [Doubled, undefined]) {
      const cut = cutStore(events.slice(0, at));
      const agent = new Agent({ model: scriptedModel(left), tools: [look], store: cut });
      const outcome: RunOutcome = output ? await agent.resume(run.runId, { output }) : await agent.resume(run.runId);
      assert.deepEqual(outcome.output, { city: '杭州', temperature: output ? 42 : 21 }, `cut after ${at}: ${outcome.error?.message}`);
      const replayed = await replayRun(cut, run.runId, [look]);
      assert.deepEqual([replayed.ok, replayed.difference], [true, undefined], `cut after ${at}`);
    }
  }
});

test('another schema for a run that has one is refused; a fork may have another, or goes on with the same', async () => {
  const store = createMemoryStore();
  const tools = [look];
  const run = await new Agent({ model: scriptedModel([callLook, GOOD]), tools, store }).run('天气', { output: Weather });
  const events = await store.read(run.runId);
  const cut = cutStore(events.slice(0, 4));
  await assert.rejects(new Agent({ model: scriptedModel([]), tools, store: cut }).resume(run.runId, { output: { type: 'array' } }), {
    code: 'other_output',
  });
  const agent = new Agent({ model: scriptedModel([callLook, GOOD, 'free', '["杭州"]']), tools, store });
  assert.deepEqual((await agent.fork(run.runId, { at: 4 })).output, run.output);
  const free = await agent.fork(run.runId, { request: '用一句话说' });
  assert.deepEqual([free.answer, free.output], ['free', undefined]);
  const other = await agent.fork(run.runId, { output: { type: 'array', items: { type: 'string' } } });
  assert.deepEqual(other.output, ['杭州']);
  assert.equal((await replayRun(store, other.runId, tools)).ok, true);
});
