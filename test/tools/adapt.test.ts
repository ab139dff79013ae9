import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { jsonSchema } from '../../bench/bfcl.ts';
import type { Fact, Json, JsonObject, Level } from '../../src/kernel/types.ts';
import { createToolbox } from '../../src/tools/call.ts';
import { type Tool, tool } from '../../src/tools/define.ts';
import { callOf, prepared, stage, stateWith } from './performing.ts';

function order(level: Level = 'read', more: object = {}): Tool {
  return tool({
    name: 'get_order',
    description: 'Looks an order up.',
    level,
    input: {
      type: 'object',
      properties: {
        order_id: { type: 'string' },
        count: { type: 'integer', minimum: 1 },
        price: { type: 'number' },
        express: { type: 'boolean' },
        city: { type: 'string' },
        unit: { enum: ['Celsius', 'Fahrenheit'] },
        tags: { type: 'array', items: { type: 'integer' } },
        address: { type: 'object', properties: { zip_code: { type: 'string' } }, additionalProperties: false },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      },
    },
    aliases: { location: 'city' },
    execute: () => null,
    ...more,
  });
}

async function adapted(args: JsonObject, made = order()): Promise<{ args?: JsonObject; kinds?: string[]; message?: string }> {
  const fact = await prepared({ tools: [made] }, callOf(made.info.name, args));
  if (fact.event_type === 'call.reject') return { message: fact.data.message };
  const { arguments: after, repairs = [] } = fact.data as Extract<Fact, { event_type: 'call.prepare' }>['data'];
  return { args: after, kinds: repairs.map(({ kind }) => kind) };
}

test('names: letter case and punctuation, declared aliases, nothing else', async () => {
  assert.deepEqual(await adapted({ orderId: 'A1' }), { args: { order_id: 'A1' }, kinds: ['renamed'] });
  assert.deepEqual(await adapted({ 'Order-ID': 'A1' }), { args: { order_id: 'A1' }, kinds: ['renamed'] });
  assert.deepEqual(await adapted({ location: '上海' }), { args: { city: '上海' }, kinds: ['renamed'] });
  assert.deepEqual(await adapted({ Location: '上海' }), { args: { city: '上海' }, kinds: ['renamed'] });
  assert.deepEqual(await adapted({ town: 'Rome' }), { args: {}, kinds: ['dropped'] });
  assert.deepEqual(await adapted({ orderId: 'A1', order_id: 'A1' }), { args: { order_id: 'A1' }, kinds: ['dropped'] });
  const both = await adapted({ orderId: 'A1', order_id: 'A2' });
  assert.match(both.message!, /arguments\.orderId: means order_id, which is given with another value/);
  assert.match((await adapted({ location: 'Rome', city: 'Oslo' })).message!, /arguments\.location: means city/);
});

test('types: mended only when nothing is lost', async () => {
  assert.deepEqual(await adapted({ count: '12' }), { args: { count: 12 }, kinds: ['converted'] });
  assert.deepEqual(await adapted({ count: ' １２ ' }), { args: { count: 12 }, kinds: ['converted'] });
  assert.deepEqual(await adapted({ price: '-1.50' }), { args: { price: -1.5 }, kinds: ['converted'] });
  assert.deepEqual(await adapted({ order_id: '00123' }), { args: { order_id: '00123' }, kinds: [] });
  assert.deepEqual(await adapted({ order_id: 123 }), { args: { order_id: '123' }, kinds: ['converted'] });
  assert.deepEqual(await adapted({ express: 'True' }), { args: { express: true }, kinds: ['converted'] });
  assert.deepEqual(await adapted({ tags: '["1", 2]' }), { args: { tags: [1, 2] }, kinds: ['converted', 'converted'] });
  assert.deepEqual(await adapted({ address: { zipCode: 'x', extra: 1 } }), {
    args: { address: { zip_code: 'x' } },
    kinds: ['renamed', 'dropped'],
  });
  assert.deepEqual(await adapted({ unit: 'celsius' }), { args: { unit: 'Celsius' }, kinds: ['converted'] });
  assert.deepEqual(await adapted({ city: null, note: null, count: '1' }), {
    args: { note: null, count: 1 },
    kinds: ['dropped', 'converted'],
  });
  const refused = ['9007199254740993', '00123', '1,000', '0x10', '1e400', 'abc', '', '12.5', true, 12.5, 'NaN'];
  for (const count of refused)
    assert.match((await adapted({ count })).message ?? '', /arguments\.count: expected integer >= 1/, String(count));
  for (const price of ['1234567890.12345678', 'Infinity', '00.5']) assert.ok((await adapted({ price })).message, price);
  for (const express of ['yes', 1, 0, 'on', ''])
    assert.match((await adapted({ express })).message!, /arguments\.express: expected boolean/);
  assert.ok((await adapted({ order_id: 1e21 })).message);
  assert.ok((await adapted({ order_id: 9007199254740992 })).message);
});

test('unknown arguments: dropped with a note for reading tools, refused for the others', async () => {
  assert.deepEqual(await adapted({ city: 'Rome', foo: 1 }), { args: { city: 'Rome' }, kinds: ['dropped'] });
  for (const level of ['write', 'dangerous'] as const) {
    const { message } = await adapted({ city: 'Rome', citty: 'x', foo: 1 }, order(level));
    assert.match(message!, /arguments\.citty: unknown argument; did you mean city\?/);
    assert.match(message!, /arguments\.foo: unknown argument; known are order_id, /);
  }
  const open = tool({
    name: 'open',
    description: 'Open.',
    level: 'write',
    input: { type: 'object', additionalProperties: true },
    execute: () => 1,
  });
  assert.deepEqual(await adapted({ anything: 1 }, open), { args: { anything: 1 }, kinds: [] });
});

test('a missing required argument is filled from its default; the tool normalises last', async () => {
  const search = tool({
    name: 'search',
    description: 'Searches.',
    level: 'read',
    input: { type: 'object', properties: { q: { type: 'string' }, top: { type: 'integer', default: 5 } }, required: ['q', 'top'] },
    normalize: (args) => ({ ...args, q: String(args.q).trim() }),
    execute: () => null,
  });
  assert.deepEqual(await adapted({ q: ' x ' }, search), { args: { q: 'x', top: 5 }, kinds: ['default', 'normalized'] });
  const broken = { ...search, normalize: () => Promise.reject(new Error('no luck')) };
  assert.match((await adapted({ q: 'x', top: 1 }, broken)).message!, /- no luck/);
});

test('a declared format finds the value in what the model wrote; a missing one is not taken from the request', async () => {
  const zone = tool({
    name: 'now',
    description: 'Time.',
    level: 'read',
    input: { type: 'object', properties: { time_zone: { type: 'string', format: 'time-zone' } }, required: ['time_zone'] },
    execute: () => null,
  });
  const state = stateWith({ messages: [{ role: 'user', content: '东京几点？' }] });
  const fact = await prepared({ tools: [zone] }, callOf('now', { time_zone: '伦敦' }), state);
  const { arguments: args, repairs } = fact.data as Extract<Fact, { event_type: 'call.prepare' }>['data'];
  assert.deepEqual(args, { time_zone: 'Europe/London' });
  assert.deepEqual(
    repairs!.map(({ kind, path, by }) => [kind, path, by]),
    [['resolved', 'arguments.time_zone', 'rail']],
  );
  const same = await prepared({ tools: [zone] }, callOf('now', { time_zone: 'Asia/Tokyo' }), state);
  assert.equal((same.data as { repairs?: unknown }).repairs, undefined);
  assert.equal((await prepared({ tools: [zone] }, callOf('now', {}), state)).event_type, 'call.reject');
});

test('a missing required argument comes from the conversation only if the tool allows it and the user said it in one way', async () => {
  const make = (fromConversation: string[]) =>
    tool({
      name: 'order_status',
      description: 'Status.',
      level: 'read',
      input: {
        type: 'object',
        properties: {
          order: { type: 'string', pattern: '[A-Z]?\\d{4}' },
          mail: { type: 'string', format: 'email' },
          unit: { type: 'string', enum: ['day', '小时'] },
        },
        required: ['order', 'mail', 'unit'],
      },
      fromConversation,
      execute: () => null,
    });
  const all = make(['order', 'mail', 'unit']);
  const ask = async (made: Tool, ...said: string[]) => {
    const messages = said.map((content) => ({ role: 'user' as const, content }));
    const fact = await prepared({ tools: [made] }, callOf('order_status', {}), stateWith({ messages }));
    return fact.event_type === 'call.prepare' ? fact.data : (fact as Fact<'call.reject'>).data.message;
  };
  const good = await ask(all, 'I am ann@example.com, count in Day', '订单A0001到哪了？');
  assert.deepEqual((good as { arguments: Json }).arguments, { order: 'A0001', mail: 'ann@example.com', unit: 'day' });
  assert.deepEqual([...new Set((good as { repairs: { kind: string }[] }).repairs.map(({ kind }) => kind))], ['stated']);
  assert.match((await ask(make(['mail', 'unit']), '订单A0001到哪了？ ann@example.com 按小时')) as string, /arguments\.order/);
  // a bare number, two orders, two addresses, a word inside another, and what somebody else wrote
  assert.match((await ask(all, 'where is 0001? ann@example.com 小时')) as string, /arguments\.order/);
  assert.match((await ask(all, 'A0001 or A0002? ann@example.com 小时')) as string, /arguments\.order/);
  assert.match((await ask(all, 'A0001 ann@example.com, bob@example.com 小时')) as string, /arguments\.mail/);
  assert.match((await ask(all, 'A0001 ann@example.com yesterday')) as string, /arguments\.unit/);
  const foreign = stateWith({ messages: [{ role: 'tool', call_id: 'c', name: 'page', content: 'A0001 a@b.cc day', success: true }] });
  assert.equal((await prepared({ tools: [all] }, callOf('order_status', {}), foreign)).event_type, 'call.reject');
  assert.throws(() => make(['oder']), /fromConversation.*order.*oder/);
});

test('wrappers, lists, unions and records: taken for what they mean, or refused where that is not sure', async () => {
  const made = (properties: JsonObject, required: string[] = []) =>
    tool({ name: 'do_it', description: 'Does.', level: 'write', input: { type: 'object', properties, required }, execute: () => null });
  const trip = made({ city: { type: 'string' }, days: { type: 'integer' }, name: { type: 'string' } });
  for (const wrapped of [
    { arguments: { city: 'Rome', days: '2' } },
    { parameters: '{"city": "Rome", "days": 2}' },
    { do_it: { city: 'Rome', days: 2 } },
    { type: 'function', tool: 'do_it', input: { City: 'Rome', days: 2 } },
    { city: ['Rome'], options: { days: 2 } },
    { city: { value: 'Rome' }, days: { days: '2' } },
  ] as JsonObject[])
    assert.deepEqual((await adapted(wrapped, trip)).args, { city: 'Rome', days: 2 }, JSON.stringify(wrapped));
  assert.deepEqual((await adapted({ name: 'do_it', arguments: { name: 'Ann' } }, trip)).args, { name: 'Ann' });
  assert.match((await adapted({ city: 'Rome', options: { days: 2, colour: 'red' } }, trip)).message!, /options: unknown/);
  assert.match((await adapted({ city: 'Rome', options: { city: 'Oslo' } }, trip)).message!, /options: unknown/);
  assert.match((await adapted({ city: ['Rome', 'Oslo'] }, trip)).message!, /arguments\.city/);

  const place = { type: 'object', properties: { lat: { type: 'number' }, lon: { type: 'number' } }, required: ['lat', 'lon'] };
  assert.deepEqual((await adapted({ Lat: '1.5', lon: 2 }, made({ place }, ['place']))).args, { place: { lat: 1.5, lon: 2 } });
  assert.ok((await adapted({ lat: 1 }, made({ place }, ['place']))).message);

  const list = (items: JsonObject) => made({ list: { type: 'array', items } });
  assert.deepEqual((await adapted({ list: 'Rome' }, list({ type: 'string' }))).args, { list: ['Rome'] });
  assert.deepEqual((await adapted({ list: '1, 2,3' }, list({ type: 'integer' }))).args, { list: [1, 2, 3] });
  assert.deepEqual((await adapted({ list: "['a', 'b']" }, list({ type: 'string' }))).args, { list: ['a', 'b'] });
  assert.deepEqual((await adapted({ list: 'Red; 蓝' }, list({ enum: ['red', '蓝'] }))).args, { list: ['red', '蓝'] });
  assert.deepEqual((await adapted({ list: { a: 1 } }, list({ type: 'object' }))).args, { list: [{ a: 1 }] });
  for (const [value, items] of [
    ['San Francisco, CA', { type: 'string' }],
    ['1,234', { type: 'integer' }],
    [[1, 2], { type: 'array', items: { type: 'integer' } }],
  ] as [Json, JsonObject][])
    assert.match((await adapted({ list: value }, list(items))).message ?? '', /arguments\.list/, JSON.stringify(value));

  const shape = made({
    shape: {
      anyOf: [
        { type: 'object', properties: { kind: { type: 'string', enum: ['circle'] }, r: { type: 'number' } }, required: ['kind', 'r'] },
        {
          type: 'object',
          properties: { kind: { type: 'string', enum: ['square'] }, side: { type: 'number' } },
          required: ['kind', 'side'],
        },
      ],
    },
    rates: { type: 'object', additionalProperties: { type: 'number' } },
    unit: { type: 'string', enum: ['per_day', 'C', 'C++'] },
  });
  assert.deepEqual((await adapted({ shape: { kind: 'Square', side: '2' } }, shape)).args, { shape: { kind: 'square', side: 2 } });
  assert.deepEqual((await adapted({ rates: { usd: '1', cny: 7 } }, shape)).args, { rates: { usd: 1, cny: 7 } });
  assert.deepEqual((await adapted({ unit: 'Per Day' }, shape)).args, { unit: 'per_day' });
  assert.deepEqual((await adapted({ unit: 'c++' }, shape)).args, { unit: 'C++' });
  assert.ok((await adapted({ unit: 'C#' }, shape)).message);
});

test('hostile arguments: no pollution, at most 100 ms of blocking each', async () => {
  const exploding = tool({
    name: 'explode',
    description: 'Has a bad pattern.',
    level: 'read',
    input: {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'array', items: { type: 'integer' }, uniqueItems: true } },
    },
    execute: () => null,
  });
  let deep: JsonObject = {};
  for (let i = 0; i < 1000; i++) deep = { a: deep };
  const cases: [string, Tool, JsonObject, RegExp][] = [
    ['__proto__', order(), JSON.parse('{"__proto__": {"polluted": 1}}'), /__proto__ is not allowed/],
    ['nested __proto__', order(), JSON.parse('{"address": {"__proto__": {"polluted": 1}}}'), /__proto__ is not allowed/],
    ['__proto__ in double encoding', order(), { address: '{"__proto__": {"polluted": 1}}' }, /expected object/],
    ['depth 1,000', order(), { address: deep }, /nested deeper than 100 levels/],
    ['depth 100,000 in a string', order(), { address: '{"a":'.repeat(100_000) + 1 + '}'.repeat(100_000) }, /expected object/],
    ['1 MB', order(), { count: 'x'.repeat(1_000_000) }, /expected integer >= 1, got "x{60}" \(string\)/],
    ['a pattern', exploding, { a: `${'a'.repeat(40)}b` }, /could not be checked within 60 ms/],
    ['40,000 blanks in a bracket', exploding, { b: `(${' '.repeat(40_000)}x` }, /expected array/],
    ['a quotation of 10 MB', exploding, { b: `['${'x'.repeat(10_000_000)}` }, /expected array/],
    ['200,000 items', exploding, { b: Array.from({ length: 200_000 }, (_, i) => i) }, /could not be checked within 60 ms/],
    [
      '100,000 unknown keys',
      order('write'),
      Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1])),
      /unknown argument|could not be checked/,
    ],
  ];
  for (const [name, made, args, message] of cases) {
    const toolbox = createToolbox({ tools: [made] });
    await toolbox.prepare(stateWith(), [callOf(made.info.name)], stage()); // compiled before it is timed
    const on = stage();
    const began = performance.now();
    await toolbox.prepare(stateWith(), [callOf(made.info.name, args)], on);
    const took = performance.now() - began;
    assert.match((on.facts[0]!.data as { message: string }).message, message, name);
    assert.ok(took < 1000, `${name} took ${took} ms`); // the goal is 100 ms; a busy machine gets more
  }
  assert.equal(({} as { polluted?: number }).polluted, undefined);
});

const bfcl = resolve(import.meta.dirname, '../../../shared/data/bfcl');
/** Gold calls that break their own function's schema: a required argument left out, words for numbers, an argument of another function. */
const AGAINST_SCHEMA = ['simple_python_200-0', 'parallel_multiple_21-1', 'parallel_multiple_26-1', 'parallel_multiple_94-0'];
const sets = ['simple_python', 'multiple', 'parallel', 'parallel_multiple'];

test('valid calls are never changed (all of bfcl)', { skip: existsSync(bfcl) ? false : `${bfcl} is not there` }, async () => {
  let checked = 0;
  const changed: string[] = [];
  const rejected: string[] = [];
  for (const set of sets) {
    const answers = new Map(lines(`${set}.answers.jsonl`).map((one) => [one.id, one.ground_truth as Gold[]]));
    for (const { id, function: functions } of lines(`${set}.jsonl`)) {
      const tools = (functions as Definition[]).map(bfclTool);
      const calls = (answers.get(id) ?? []).flatMap((gold, i) => goldCall(gold, `${id}-${i}`));
      const on = stage();
      await createToolbox({ tools }).prepare(stateWith(), calls, on);
      for (const [i, fact] of on.facts.entries()) {
        checked++;
        const call = calls[i]!;
        if (fact.event_type === 'call.reject') rejected.push(call.id);
        else if (!isUnchanged(fact, call.arguments)) changed.push(call.id);
      }
    }
  }
  assert.deepEqual(changed, []);
  assert.deepEqual(rejected, AGAINST_SCHEMA);
  assert.ok(checked > 1500, `${checked} calls`);
});

function isUnchanged(fact: Fact, args: JsonObject): boolean {
  return fact.event_type === 'call.prepare' && JSON.stringify(fact.data.arguments) === JSON.stringify(args) && !fact.data.repairs;
}

type Gold = Record<string, Record<string, unknown[]>>;
interface Definition {
  name: string;
  description: string;
  parameters: JsonObject;
}

function lines(file: string): { id: string; [key: string]: unknown }[] {
  return readFileSync(resolve(bfcl, file), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

function bfclTool({ name, description, parameters }: Definition): Tool {
  return tool({ name: safeName(name), description, level: 'write', input: jsonSchema(parameters) as JsonObject, execute: () => null });
}

function safeName(name: string): string {
  return name.replaceAll('.', '_').slice(0, 64);
}

/** The first acceptable value of each argument; "" = the argument may be left out. */
function goldCall(gold: Gold, id: string) {
  return Object.entries(gold).map(([name, values]) => {
    const args = Object.entries(values).flatMap(([key, [value]]) => (value === '' ? [] : [[key, plain(value)] as const]));
    return callOf(safeName(name), Object.fromEntries(args) as JsonObject, { id });
  });
}

/** Objects inside gold values list their acceptable values as well. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(Array.isArray(part) ? part[0] : part)]));
}
