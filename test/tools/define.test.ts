import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { HermesError } from '../../src/kernel/errors.ts';
import type { JsonObject } from '../../src/kernel/types.ts';
import { isTool, tool } from '../../src/tools/define.ts';
import { acted, callOf, prepared } from './performing.ts';

const base = { name: 'add', description: 'Adds numbers.', level: 'read', execute: () => null } as const;

test('argument types come from the schema, JSON Schema and zod alike', async () => {
  const literal = tool({
    ...base,
    input: {
      type: 'object',
      properties: {
        a: { type: 'number' },
        unit: { enum: ['cm', 'm'] },
        times: { type: 'integer', default: 2 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['a'],
    },
    execute({ a, unit, times, tags }) {
      const typed: [number, 'cm' | 'm' | undefined, number, string[] | undefined] = [a, unit, times, tags];
      // @ts-expect-error: unit may be missing
      const wrong: 'cm' | 'm' = unit;
      return { typed, wrong: wrong ?? null };
    },
  });
  const ofZod = tool({
    ...base,
    name: 'shout',
    input: z.object({ text: z.string().transform((text) => text.toUpperCase()), times: z.number().int().default(3) }),
    execute: ({ text, times }) => `${text.at(0)}${times.toFixed(0)}`,
  });
  assert.equal((await acted({ tools: [ofZod] }, callOf('shout', { text: 'hey' }))).shaped, 'H3');
  const { result } = await acted({ tools: [literal] }, callOf('add', { a: 1 }));
  assert.deepEqual(result, { success: true, data: { typed: [1, null, 2, null], wrong: null } });
  assert.ok(isTool(literal));
  assert.ok(!isTool({ ...base, input: {} }));
});

test('defaults are filled in at every depth, and never shared between calls', async () => {
  const item = {
    type: 'object',
    properties: { n: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' }, default: [] } },
  } as const;
  const deep = tool({
    name: 'deep',
    description: 'Takes a list of objects. Use it in tests only.',
    input: { type: 'object', properties: { items: { type: 'array', items: item } }, required: ['items'] },
    level: 'read',
    execute: ({ items }) => items.map(({ tags }) => tags.push('seen')),
  });
  for (const _ of [1, 2]) {
    const given: JsonObject = { items: [{ n: 1 }, { n: 2, tags: ['a'] }] };
    assert.deepEqual((await acted({ tools: [deep] }, callOf('deep', given))).result, { success: true, data: [1, 2] });
  }
});

test('a zod schema gives its JSON Schema, and its own checks speak after it', async () => {
  const even = tool({
    ...base,
    name: 'even',
    input: z.object({
      n: z
        .number()
        .int()
        .refine((n) => n % 2 === 0, 'must be even'),
      when: z.string().optional(),
    }),
    execute: ({ n }) => n,
  });
  assert.deepEqual(even.info.input_schema.required, ['n']);
  assert.equal(even.info.input_schema.type, 'object');
  const odd = await prepared({ tools: [even] }, callOf('even', { n: 3 }));
  assert.equal(odd.event_type, 'call.reject');
  assert.match((odd.data as { message: string }).message, /arguments\.n: must be even/);
  assert.equal((await prepared({ tools: [even] }, callOf('even', { n: 4 }))).event_type, 'call.prepare');
});

test('a bad definition is one error that names tool, fields and what was expected', () => {
  const wrong = { ...base, level: 'reed', input: { type: 'object', properties: { a: { type: 'strng' } } }, timeoutMs: -1, aliasses: {} };
  assert.throws(
    () => tool(wrong as never),
    (error: HermesError) => {
      assert.equal(error.code, 'invalid_tool');
      assert.match(error.message, /^tool add is not defined right/);
      assert.match(error.message, /level: expected "read", "write" or "dangerous", got "reed"/);
      assert.match(error.message, /timeoutMs: expected milliseconds/);
      assert.match(error.message, /aliasses: unknown field; did you mean aliases\?/);
      return error instanceof HermesError;
    },
  );
  const cases: [string, object, RegExp][] = [
    ['no object', { input: { type: 'string' } }, /input: expected a schema of type "object"/],
    [
      'unknown type',
      { input: { type: 'object', properties: { a: { type: 'strng' } } } },
      /input\.properties\.a\.type: expected one of string/,
    ],
    [
      'pattern',
      { input: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
      /a\.pattern: expected a regular expression/,
    ],
    [
      'remote reference',
      { input: { type: 'object', properties: { a: { $ref: 'http://127.0.0.1:1/x' } } } },
      /expected a reference within the schema/,
    ],
    ['reference', { input: { type: 'object', properties: { a: { $ref: '#/$defs/no' } } } }, /\$ref: nothing stands at/],
    ['required', { input: { type: 'object', required: 'a' } }, /input\.required: expected an array/],
    [
      'alias',
      { input: { type: 'object', properties: { city: {} } }, aliases: { place: 'town' } },
      /aliases\.place: expected one of the arguments city/,
    ],
    ['date', { input: z.object({ at: z.date() }) }, /input: Date cannot be represented/],
    [
      'other library',
      { input: { '~standard': { version: 1, vendor: 'mine', validate: () => ({ value: 1 }) } } },
      /this mine schema cannot give JSON Schema/,
    ],
    ['example', { input: { type: 'object' }, examples: [{ request: 'x' }] }, /examples: expected an array of \{ request, arguments/],
  ];
  for (const [name, fields, message] of cases) assert.throws(() => tool({ ...base, ...fields } as never), { message }, name);
  assert.throws(() => tool(undefined as never), { code: 'invalid_tool' });
});

test('the hash changes with description and schema, and with nothing else', () => {
  const one = tool({ ...base, input: { type: 'object' } });
  assert.equal(one.info.hash, tool({ ...base, input: { type: 'object' }, timeoutMs: 5 }).info.hash);
  assert.notEqual(one.info.hash, tool({ ...base, description: 'Adds.', input: { type: 'object' } }).info.hash);
  assert.notEqual(one.info.hash, tool({ ...base, input: { type: 'object', properties: {} } }).info.hash);
});
