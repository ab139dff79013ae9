/**
 * What is inferred of arguments, outputs and events. The compiler is the judge: a wrong type fails `npm run types`, and so does an expected
 * error that does not come. declarations.test.ts compiles this file once more against the published declarations.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { Agent, type Json, type Run, type RunEvent, type RunOptions, type RunOutcome, tool } from '../../src/index.ts';
import { createMemoryStore, scriptedModel } from '../../src/testing.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles when the value is of exactly this type. */
const is =
  <Expected>() =>
  <Actual>(value: Actual, ..._same: Same<Actual, Expected> extends true ? [] : [never]): Actual =>
    value;

const City = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    temperature: { type: ['number', 'null'] },
    unit: { type: 'string', enum: ['C', 'F'], default: 'C' },
    tags: { type: 'array', items: { type: 'string' } },
    wind: { anyOf: [{ type: 'number' }, { type: 'object', properties: { knots: { type: 'integer' } }, required: ['knots'] }] },
  },
  required: ['city', 'temperature', 'tags', 'wind'],
} as const;
const CITY = '{"city": "杭州", "temperature": null, "tags": ["湖"], "wind": {"knots": 3}}';

test('arguments of tools', () => {
  tool({
    name: 'json_schema',
    description: 'Arguments of a JSON Schema. Use it in tests only.',
    input: { type: 'object', properties: { id: { type: 'integer' }, deep: { type: 'boolean', default: false } }, required: ['id'] },
    level: 'read',
    execute: ({ id, deep }, { signal, callId }) => {
      is<number>()(id);
      is<boolean>()(deep);
      is<AbortSignal>()(signal);
      // @ts-expect-error: a number has no such method
      id.toUpperCase?.();
      return callId;
    },
  });
  tool({
    name: 'zod_schema',
    description: 'Arguments of zod. Use it in tests only.',
    input: z.object({ day: z.iso.date().transform((text) => new Date(text)), note: z.string().optional() }),
    level: 'write',
    execute: (args) => {
      is<Date>()(args.day);
      is<string | undefined>()(args.note);
      // @ts-expect-error: there is no argument of that name
      return args.days;
    },
  });
  assert.throws(() =>
    tool({
      name: 'wrong',
      description: 'A level that does not exist.',
      input: { type: 'object' },
      // @ts-expect-error: read, write or dangerous
      level: 'reads',
      execute: () => undefined,
    }),
  );
});

test('outputs of JSON Schema', async () => {
  const outcome = await new Agent({ model: scriptedModel([CITY]) }).run('天气', { output: City });
  if (outcome.status !== 'success') {
    is<undefined>()(outcome.output);
    return assert.fail(outcome.error?.message);
  }
  const { output } = outcome;
  is<string>()(output.city);
  is<number | null>()(output.temperature);
  is<'C' | 'F'>()(output.unit);
  is<string[]>()(output.tags);
  if (typeof output.wind === 'object') is<number>()(output.wind.knots);
  // @ts-expect-error: there is no field of that name
  assert.equal(output.town, undefined);
  // @ts-expect-error: a text is no number
  const wrong: number = output.city;
  assert.equal(wrong, '杭州');
});

test('outputs of zod, of values that are no object, and of none', async () => {
  const agent = new Agent({ model: scriptedModel(['{"at": "2026-02-03"}', '["a"]', 'yes', 'plain', '[1]', '[1]']) });
  const parsed = await agent.run('when?', {
    output: z.object({ at: z.string().transform((text) => new Date(text)), n: z.number().default(1) }),
  });
  is<Date | undefined>()(parsed.output?.at);
  is<number | undefined>()(parsed.output?.n);
  const list = await agent.session().run('list', { output: { type: 'array', items: { type: 'string' } } });
  is<string[] | undefined>()(list.output);
  const choice = await agent.start('yes?', { output: { enum: ['yes', 'no'] } }).outcome;
  is<'yes' | 'no' | undefined>()(choice.output);
  const plain = await agent.run('say');
  is<undefined>()(plain.output);
  const run: Run<number[]> = agent.start('numbers', { output: z.array(z.number()) });
  is<number[] | undefined>()((await run.outcome).output);
  // @ts-expect-error: numbers are no texts
  const texts: Run<string[]> = agent.start('numbers', { output: z.array(z.number()) });
  const any: RunOutcome = await texts.outcome;
  is<unknown>()(any.output);
  // @ts-expect-error: a schema is an object
  await assert.rejects(agent.run('x', { output: 'a text' }));
  // @ts-expect-error: there is no such option
  const options: RunOptions = { outputs: City };
  assert.ok(options);
});

test('what a run was asked for stands in its log: without a schema its type is not known', async () => {
  const store = createMemoryStore();
  const { runId } = await new Agent({ model: scriptedModel([CITY]), store }).run('天气', { output: City });
  const forked = await new Agent({ model: scriptedModel([CITY]), store }).fork(runId, { at: 1 });
  is<Json | undefined>()(forked.output);
  const typed = await new Agent({ model: scriptedModel([CITY]), store }).fork(runId, { at: 1, output: City });
  is<string | undefined>()(typed.output?.city);
});

test('events narrow by their type', () => {
  const told = (event: RunEvent): string => {
    switch (event.event_type) {
      case 'tool.end': {
        const { result } = event.data;
        return result.success ? JSON.stringify(is<Json>()(result.data)) : is<string>()(result.error.code);
      }
      case 'model.end':
        return is<string>()(event.data.text);
      case 'run.end':
        return is<string>()(event.data.outcome.answer);
      case 'guard.trip':
        // @ts-expect-error: only a replaced answer has one
        void event.data.answer;
        return event.data.verdict === 'replace' ? is<string>()(event.data.answer) : event.data.message;
      default:
        // @ts-expect-error: other events have no such data
        return event.data.nothing ?? event.event_type;
    }
  };
  const place = { seq: 1, ts: '', trace_id: '', session_id: '', run_id: '', step: 1 };
  const fact = { event_type: 'guard.trip', data: { guard: 'g', verdict: 'nudge', message: '再想想' } } as const;
  assert.equal(told({ ...place, ...fact }), '再想想');
});
