/** Arguments that look as if they could be mended, and may mean something else: refused with a reason, never another value at the tool. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, Json, JsonObject, Level } from '../../src/kernel/types.ts';
import { tool } from '../../src/tools/define.ts';
import { callOf, prepared } from './performing.ts';

interface Case {
  properties: JsonObject;
  given: JsonObject;
  /** What reaches the tool; absent = nothing does. */
  meant?: JsonObject;
  required?: string[];
  more?: JsonObject;
  level?: Level;
}

async function reaching({ properties, given, required = [], more = {}, level = 'write' }: Case): Promise<JsonObject | undefined> {
  const made = tool({
    name: 'do_it',
    description: 'Does.',
    level,
    input: { type: 'object', properties, required, ...more },
    execute: () => null,
  });
  const fact = await prepared({ tools: [made] }, callOf('do_it', given));
  return fact.event_type === 'call.prepare' ? (fact as Fact<'call.prepare'>).data.arguments : undefined;
}

async function all(cases: readonly Case[]): Promise<void> {
  const got = await Promise.all(cases.map(reaching));
  const wrong = cases.flatMap((one, at) =>
    JSON.stringify(got[at]) === JSON.stringify(one.meant) ? [] : [`${JSON.stringify(one.given)} -> ${JSON.stringify(got[at])}`],
  );
  assert.deepEqual(wrong, []);
}

const string: JsonObject = { type: 'string' };
const number: JsonObject = { type: 'number' };
const boolean: JsonObject = { type: 'boolean' };
const listOf = (items: Json): JsonObject => ({ type: 'array', items });
const strings = { list: listOf(string) };
const numbers = { list: listOf(number) };
const integers = { list: listOf({ type: 'integer' }) };

test('Python texts: quotes inside, escapes, words that only look like True', () =>
  all([
    { properties: strings, given: { list: "['don\\'t', 'b']" }, meant: { list: ["don't", 'b'] } },
    { properties: strings, given: { list: "['a, True, b', 'None']" }, meant: { list: ['a, True, b', 'None'] } },
    { properties: strings, given: { list: "['a\\nb', 'c\\\\d']" }, meant: { list: ['a\nb', 'c\\d'] } },
    { properties: strings, given: { list: `["it's", 'b']` }, meant: { list: ["it's", 'b'] } },
    { properties: strings, given: { list: '[\'say "hi"\']' }, meant: { list: ['say "hi"'] } },
    { properties: strings, given: { list: "['\\x41']" } },
    { properties: { list: listOf(boolean) }, given: { list: '[True, False]' }, meant: { list: [true, false] } },
    { properties: { o: { type: 'object' } }, given: { o: "{'a': None, 'b': 'it\\'s'}" }, meant: { o: { a: null, b: "it's" } } },
    { properties: strings, given: { list: "['rock 'n' roll']" } },
    { properties: strings, given: { list: `['\\\\"x', '\\\\\\'']` }, meant: { list: ['\\"x', "\\'"] } },
    ...[`['${"\\'".repeat(200_000)}`, `[${"'".repeat(200_001)}`, `["${'\\"'.repeat(200_000)}`].map((list) => ({
      properties: strings,
      given: { list },
    })),
  ]));

test('a text that may be several, or is a broken list, is no list of one', () =>
  all([
    { properties: strings, given: { list: 'apples and oranges' } },
    { properties: strings, given: { list: 'red & blue' } },
    { properties: strings, given: { list: 'tea or coffee' } },
    { properties: strings, given: { list: '苹果和香蕉' } },
    { properties: strings, given: { list: '[abc]' } },
    { properties: strings, given: { list: "['a'" } },
    { properties: strings, given: { list: '"abc"' } },
    { properties: strings, given: { list: 'New York' }, meant: { list: ['New York'] } },
    { properties: strings, given: { list: 'src/a.ts' }, meant: { list: ['src/a.ts'] } },
    { properties: strings, given: { list: '上海' }, meant: { list: ['上海'] } },
  ]));

test('numbers in a text: cut only where a comma can be nothing else', () =>
  all([
    { properties: integers, given: { list: '1, 2, 3' }, meant: { list: [1, 2, 3] } },
    { properties: integers, given: { list: '1、2、3' }, meant: { list: [1, 2, 3] } },
    { properties: integers, given: { list: '1,234, 5,678' } },
    { properties: integers, given: { list: '1,234;5' } },
    { properties: numbers, given: { list: '1,5; 2,5' } },
    { properties: numbers, given: { list: '1,5' } },
    { properties: numbers, given: { list: '1.5, 2.5' }, meant: { list: [1.5, 2.5] } },
    { properties: integers, given: { list: '10,200,300' } },
  ]));

test('numbers: none that a double does not hold, no text that has lost its digits', () =>
  all([
    { properties: { n: number }, given: { n: '1e-400' } },
    { properties: { n: number }, given: { n: '1.2345e-320' } },
    { properties: { n: number }, given: { n: '0.000' }, meant: { n: 0 } },
    { properties: { n: number }, given: { n: '1.50e3' }, meant: { n: 1500 } },
    { properties: { version: string }, given: { version: 1.1 } }, // was it 1.10?
    { properties: { version: string }, given: { version: 12 }, meant: { version: '12' } },
  ]));

test('signs of comparison and negation are a part of a name, a sign a part of a value', () =>
  all([
    { properties: { archived: boolean }, given: { '!archived': true } },
    { properties: { price: number }, given: { 'price<': 5 } },
    { properties: { price: number }, given: { 'price>=': 5 } },
    { properties: { price: number }, given: { '~price': 5 } },
    { properties: { price: number }, given: { 'Price ': 5 }, meant: { price: 5 } },
    { properties: { sort: { type: 'string', enum: ['created', 'name'] } }, given: { sort: '-created' } },
    { properties: { sort: { type: 'string', enum: ['created', '-created'] } }, given: { sort: '-Created' }, meant: { sort: '-created' } },
    { properties: { level: { type: 'string', enum: ['1', '10'] } }, given: { level: '-1' } },
    { properties: { level: { type: 'string', enum: ['1', '10'] } }, given: { level: '1 0' } },
    { properties: { unit: { type: 'string', enum: ['per_day'] } }, given: { unit: 'per-day' }, meant: { unit: 'per_day' } },
  ]));

test('what stands in a group is taken out only where the group says nothing itself', () =>
  all([
    { properties: { query: string, city: string }, given: { query: 'hotel', exclude: { city: 'Paris' } } },
    { properties: { query: string, city: string }, given: { query: 'hotel', not: { city: 'Paris' } } },
    { properties: { id: string, name: string }, given: { id: '1', old_values: { name: 'Ann' } } },
    {
      properties: { query: string, city: string },
      given: { query: 'hotel', filters: { city: 'Paris' } },
      meant: { query: 'hotel', city: 'Paris' },
    },
    {
      properties: { query: string, city: string },
      given: { query: 'hotel', options: { city: 'Paris' } },
      meant: { query: 'hotel', city: 'Paris' },
    },
    { properties: { query: string, city: string }, given: { query: 'x', unless: { city: 'Paris' } }, level: 'read', meant: { query: 'x' } },
  ]));

test('two groups that both could take a value: neither does', () => {
  const person = { type: 'object', properties: { name: string }, required: ['name'] };
  return all([
    { properties: { sender: person, receiver: person }, required: ['sender'], given: { name: 'Ann' } },
    { properties: { sender: person, note: string }, required: ['sender'], given: { name: 'Ann' }, meant: { sender: { name: 'Ann' } } },
  ]);
});

test('a wrapped value that carries a unit is no bare number', () =>
  all([
    { properties: { distance: number }, given: { distance: { value: 5, type: 'miles' } } },
    { properties: { distance: number }, given: { distance: { value: 5, unit: 'miles' } } },
    { properties: { distance: number }, given: { distance: { value: 5, type: 'number', description: 'how far' } }, meant: { distance: 5 } },
  ]));

test('null in words is null where null is a value of its own, else nothing', () =>
  all([
    { properties: { due: { type: ['number', 'null'] } }, given: { due: 'None' }, meant: { due: null } },
    { properties: { due: { anyOf: [number, { type: 'null' }] } }, given: { due: 'null' }, meant: { due: null } },
    { properties: { due: number }, given: { due: 'null' }, meant: {} },
    { properties: { name: string }, given: { name: 'None' }, meant: { name: 'None' } },
  ]));

test('what is valid beside something wrong stays as it is', () => {
  const headers = { type: 'object', properties: { accept: string }, additionalProperties: string };
  const either: JsonObject = { anyOf: [{ type: 'string', pattern: '^\\d+$' }, { type: 'integer' }] };
  const size: JsonObject = { anyOf: [{ type: 'string', enum: ['auto'] }, { type: 'integer' }] };
  return all([
    { properties: { headers, n: number }, given: { headers: { Accept: 'x' }, n: '1' }, meant: { headers: { Accept: 'x' }, n: 1 } },
    { properties: { id: either, n: number }, given: { id: '123', n: '1' }, meant: { id: '123', n: 1 } },
    { properties: { size, n: number }, given: { size: '12', n: 1 }, meant: { size: 12, n: 1 } },
    { properties: { size, n: number }, given: { size: 'Auto', n: 1 }, meant: { size: 'auto', n: 1 } },
  ]);
});
