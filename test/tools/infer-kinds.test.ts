/** Plain functions as back ends really have them: what is read is right, or named; a schema is never silently wrong. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { type Scanned, scanTools } from '../../src/tools/scan.ts';
import { acted, callOf } from './performing.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-kinds-')));
after(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
async function scanned(files: Record<string, string>, options = {}): Promise<Scanned & { folder: string }> {
  const folder = join(root, `${++folders}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { ...(await scanTools([folder], options)), folder };
}
const namesOf = ({ tools }: Scanned) => tools.map(({ info }) => info.name).sort();
const saidOf = ({ diagnostics }: Scanned) => diagnostics.map(({ line, message }) => `${line ?? '-'} ${message}`).join('\n');

/** The schemas of parameters of these types, declared in one file. */
async function schemasOf(head: string, types: readonly string[], generic = ''): Promise<Json[]> {
  const parameters = types.map((type, at) => `p${at}: ${type}`).join(', ');
  const found = await scanned({
    'f.ts': `${head}\n/** Does. */\nexport default function f${generic}(${parameters}, last = 1) { return last; }`,
  });
  assert.equal(saidOf(found), '');
  const { properties } = found.tools[0]!.info.input_schema as { properties: JsonObject };
  return types.map((_, at) => properties[`p${at}`]!);
}

/** What is said of a parameter of this type. */
async function problemOf(type: string, head = ''): Promise<string> {
  const found = await scanned({ 'f.ts': `${head}\n/** Does. */\nexport default function f(p: ${type}, last = 1) { return last; }` });
  assert.deepEqual(namesOf(found), [], type);
  return saidOf(found);
}

test('typeof a constant is its type; its literals only as const', async () => {
  const head = `
const DEFAULTS = { retries: 3, tags: ['a'], none: [] };
const FIXED = { retries: 3, level: 'low' } as const;
const LEVELS = ['low', 'high'];
const MODES: string[] = ['a', 'b'];
const UNITS = ['C', 'F'] as const satisfies readonly string[];
const RATES: Record<string, number> = { usd: 1 };`;
  const types = [
    'typeof DEFAULTS',
    'typeof FIXED',
    '(typeof LEVELS)[number]',
    '(typeof MODES)[number]',
    '(typeof UNITS)[number]',
    'typeof UNITS',
    'keyof typeof RATES',
  ];
  const list = (items: Json): Json => ({ type: 'array', items });
  assert.deepEqual(await schemasOf(head, types), [
    {
      type: 'object',
      properties: { retries: { type: 'number' }, tags: list({ type: 'string' }), none: list({}) },
      required: ['retries', 'tags', 'none'],
    },
    {
      type: 'object',
      properties: { retries: { type: 'number', enum: [3] }, level: { type: 'string', enum: ['low'] } },
      required: ['retries', 'level'],
    },
    { type: 'string' },
    { type: 'string' },
    { type: 'string', enum: ['C', 'F'] },
    {
      type: 'array',
      prefixItems: [
        { type: 'string', enum: ['C'] },
        { type: 'string', enum: ['F'] },
      ],
      minItems: 2,
      maxItems: 2,
    },
    { type: 'string' },
  ]);
});

test('branded types are what they brand', async () => {
  const head = `
declare const brand: unique symbol;
type UserId = string & { readonly __brand: 'UserId' };
type Brand<T, Name> = T & { readonly [brand]: Name };
interface Tag { __tag: 'cents' }`;
  const types = ['UserId', "Brand<number, 'Cents'>", 'number & Tag', "('a' | 'b') & {}", 'UserId[]'];
  assert.deepEqual(await schemasOf(head, types), [
    { type: 'string' },
    { type: 'number' },
    { type: 'number' },
    { type: 'string', enum: ['a', 'b'] },
    { type: 'array', items: { type: 'string' } },
  ]);
});

test('what may be undefined behind a name is optional', async () => {
  const { tools } = await scanned({
    'f.ts': `type Maybe<T> = T | undefined;
type Name = (string | undefined);
/** Does. */
export default function f(a: Maybe<string>, b: Name, c: { x: Name; y: number }) { return [a, b, c]; }`,
  });
  const { required, properties } = tools[0]!.info.input_schema as { required: Json; properties: { c: JsonObject } };
  assert.deepEqual([required, properties.c.required], [['c'], ['y']]);
});

test('type parameters stand for their constraint, whatever else has their name', async () => {
  const head = 'type T = number; interface Row { id: string; size: number }';
  const types = ['T[]', 'K', 'U'];
  assert.deepEqual(await schemasOf(head, types, '<T extends string, K extends keyof Row, U>'), [
    { type: 'array', items: { type: 'string' } },
    { type: 'string', enum: ['id', 'size'] },
    {},
  ]);
  const bad = await scanned({ 'f.ts': '/** Does. */\nexport default function f<T extends Date>(a: T, b: number) { return [a, b]; }' });
  assert.match(saidOf(bad), /the type parameter T: its type is Date.*take a string/);
});

test('operators on unions and tuples with something behind their rest are named, not guessed', async () => {
  const head = "type Shape = { kind: 'circle'; r: number } | { kind: 'square'; side: number };";
  const cases: [type: string, said: RegExp][] = [
    ["Exclude<string, 'x'>", /is Exclude of what is no list of literals/],
    ["Extract<Shape, { kind: 'circle' }>", /is Extract of what is no list/],
    ["Exclude<'a', 'a'>", /is Exclude of what is no list/],
    ['Partial<Shape>', /is Partial of what is no plain object/],
    ["Pick<Shape, 'kind'>", /is Pick of what is no plain object/],
    ['Omit<{ a: string }, string>', /is Omit of what is no list of literals/],
    ['[string, ...number[], boolean]', /a tuple with something behind its rest/],
    ['[...[string, number]]', /a tuple whose rest is no plain list/],
    ['Order', /is the class Order: JSON has plain objects only/],
    ['ReadonlyMap<string, number>', /take a Record/],
  ];
  for (const [type, said] of cases) {
    const message = await problemOf(type, `${head} class Order { id = 1 }`);
    assert.match(message, said);
    assert.match(message, /f: the parameter p: .*export default tool\(\{ input, \.\.\. \}\)/);
  }
  const types = ["Exclude<'a' | null, null>", "Exclude<'a' | 'b' | undefined, undefined>", "Exclude<'a' | null, 'a'>"];
  const found = (await scanned({ 'f.ts': `/** Does. */\nexport default function f(a: ${types[0]}, b: ${types[1]}) { return [a, b]; }` }))
    .tools[0]!;
  assert.deepEqual(found.info.input_schema.properties, { a: { type: 'string', enum: ['a'] }, b: { type: 'string', enum: ['a', 'b'] } });
});

test('overloads, classes, enums, generators and objects of functions are named with the way out', async () => {
  const found = await scanned({
    'a.ts':
      '/** Finds. */\nexport default function find(id: number): string;\nexport default function find(mail: string): string;\nexport default function find(key: any) { return key; }',
    'b.ts': '/** Finds. */\nexport function look(id: number): string;\nexport function look(id: any): string { return id; }',
    'c.ts': '/** Serves. */\nexport default class Service {}',
    'd.ts': 'enum Color { Red }\n/** Paints. */\nexport default function paint(c: Color) { return c; }',
    'e.ts': '/** Streams. */\nexport default async function* rows(n: number) { yield n; }',
    'f.ts': 'const add = (a: number) => a;\nexport default { add };',
    'g.ts': '/** 查询。 */\nexport default function 查天气(城市: string) { return 城市; }',
    'h.cjs': 'module.exports = 1;',
  });
  assert.deepEqual(namesOf(found), []);
  const said = saidOf(found);
  const expected = [
    /2 default is a function with overloads.*as several functions/,
    /2 look is a function with overloads/,
    /2 default is a class; export a function/,
    /1 importing d\.ts failed: .*write a union of literals for an enum/,
    /2 rows: a generator gives no result/,
    /expected the default export to be tool\(\{\.\.\.\}\), a function, or a list of them, got object/,
    /2 查天气: the name of a tool has .*give it one with @name/,
    /tool files end in \.ts/,
  ];
  for (const pattern of expected) assert.match(said, pattern);
  assert.equal(found.diagnostics.length, expected.length);
});

test('helpers beside a tool are no tools and no mistakes; a word to a linter does not hide a comment', async () => {
  const found = await scanned({
    'a.ts': `export class NotFound extends Error {}
/** An error. */
export class Other extends Error {}
export const cache = new Map();
export const wrapped = ((f: (x: number) => number) => f)((x) => x);
/** Looks up. */
// eslint-disable-next-line complexity
/* c8 ignore next */
export function look_up(id: string) { return id; }`,
    'b.js': `/** @typedef {{ id: string }} Item */
export function helper(x) { return x; }
/** @type {(a: string) => string} */
export const typed = (a) => a;
/** Saves. @param {Item} item */
export function save(item) { return item; }`,
  });
  assert.equal(saidOf(found), '');
  assert.deepEqual(namesOf(found), ['look_up', 'save']);
});

test('functions and types that come through other files: export *, default, import * as, an index', async () => {
  const found = await scanned({
    '_impl.ts':
      '/** Reverses. */\nexport function reverse(text: string) { return text; }\n/** Uppers. */\nexport default function upper(text: string) { return text; }',
    '_types/index.ts': 'export interface City { name: string }',
    'a.ts': "export * from './_impl.ts';",
    'b.ts': "export { default } from './_impl.ts';",
    'c.mts': "import type * as T from './_types';\n/** Goes. */\nexport default (to: T.City, n: number) => [to, n];",
  });
  assert.equal(saidOf(found), '');
  assert.deepEqual(namesOf(found), ['c', 'reverse', 'upper']);
  const city = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  assert.deepEqual((found.tools.find(({ info }) => info.name === 'c')!.info.input_schema.properties as JsonObject).to, city);
});

test('JSDoc: members of members and of lists, nullable, quoted words, several typedefs in a comment, Chinese names', async () => {
  const { tools, ...rest } = await scanned({
    'ship.js': `
/**
 * @typedef {object} Address
 * @property {object} geo
 * @property {number} geo.lat north
 * @property {object[]} lines
 * @property {string} lines[].text
 * @typedef {'String'|'Number'} Kind
 */
/**
 * Ships.
 * @param {Object[]} items the items
 * @param {string} items[].sku
 * @param {int} [items[].count=1]
 * @param {Address} to
 * @param {Kind} kind
 * @param {string?} note
 * @param {Object.<string, number>} prices
 * @returns {Promise<{ok: boolean, id: string}>} the shipment
 */
export default function ship(items, to, kind, note, prices) { return [items, to, kind, note, prices]; }`,
    'pay.js': `
/** Pays.
 * @param {Object} options
 * @param {Object} options.to
 * @param {string} options.to.city
 * @param {string} [options.to.zip]
 * @param {string|undefined} options.note
 */
export function pay({ to, note }) { return [to, note]; }
/** 计算运费。
 * @param {number} 重量 公斤
 * @param {'国内'|'国际'} [范围='国内'] 寄送范围 */
export const freight = (重量, 范围) => [重量, 范围 ?? null];`,
    'typed.ts': `
interface Options { count: number; when?: string }
/** Takes.
 * @param {integer} count how many
 * @param when ISO 8601 */
export function take({ count, when }: Options) { return [count, when]; }
/** Gives.
 * @param options.count how many */
export function give(options: Options) { return options; }`,
  });
  assert.equal(saidOf({ tools, ...rest }), '');
  const schema = (name: string) => tools.find(({ info }) => info.name === name)!.info.input_schema;
  const ofType = (type: Json): JsonObject => ({ type });
  assert.deepEqual(schema('ship').properties, {
    items: {
      type: 'array',
      description: 'the items',
      items: { type: 'object', properties: { sku: ofType('string'), count: { type: 'integer', default: 1 } }, required: ['sku'] },
    },
    to: {
      type: 'object',
      properties: {
        geo: { type: 'object', properties: { lat: { type: 'number', description: 'north' } }, required: ['lat'] },
        lines: { type: 'array', items: { type: 'object', properties: { text: ofType('string') }, required: ['text'] } },
      },
      required: ['geo', 'lines'],
    },
    kind: { type: 'string', enum: ['String', 'Number'] },
    note: ofType(['string', 'null']),
    prices: { type: 'object', additionalProperties: ofType('number') },
  });
  assert.equal(tools.find(({ info }) => info.name === 'ship')!.info.description, 'Ships; gives: the shipment.');
  assert.deepEqual(schema('pay'), {
    type: 'object',
    properties: {
      to: { type: 'object', properties: { city: ofType('string'), zip: ofType('string') }, required: ['city'] },
      note: ofType('string'),
    },
    required: ['to'],
  });
  assert.deepEqual(schema('freight'), {
    type: 'object',
    properties: {
      重量: { type: 'number', description: '公斤' },
      范围: { type: 'string', enum: ['国内', '国际'], description: '寄送范围', default: '国内' },
    },
    required: ['重量'],
  });
  const freight = tools.find(({ info }) => info.name === 'freight')!;
  const { result } = await acted({ tools: [freight] }, callOf('freight', { 重量: 2 }));
  assert.deepEqual(result.success && result.data, [2, null]);
  assert.deepEqual(schema('take').properties, {
    count: { type: 'integer', description: 'how many' },
    when: { type: 'string', description: 'ISO 8601' },
  });
  assert.deepEqual((schema('give').properties as JsonObject).count, { type: 'number', description: 'how many' });
});

test('a default that is a constant gives the type; one of mixed values all of theirs', async () => {
  const { tools } = await scanned({
    'f.ts': "const LIMIT = 50;\n/** Does. */\nexport default function f(a = [1, 'x'], b = LIMIT, c = -1) { return [a, b, c]; }",
  });
  assert.deepEqual(tools[0]!.info.input_schema.properties, {
    a: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'string' }] }, default: [1, 'x'] },
    b: { type: 'number', default: 50 },
    c: { type: 'number', default: -1 },
  });
});

test('types that refer to each other in a ring, and types that double, cost no time', { timeout: 60_000 }, async () => {
  const names = [...'ABCDEFGHIJKL'];
  const ring = names.map(
    (name) => `type ${name} = { ${names.map((other) => `${other.toLowerCase()}?: ${other}`).join('; ')}; n: number };`,
  );
  const doubled = Array.from({ length: 15 }, (_, at) => `type D${at + 1} = { left: D${at}; right: D${at} };`);
  const { tools, ...rest } = await scanned({
    'ring.ts': `${ring.join('\n')}\n/** Does. */\nexport default function ring(x: A, y: number) { return [x, y]; }`,
    'doubled.ts': `type D0 = string;\n${doubled.join('\n')}\n/** Does. */\nexport default function doubled(x: D15, y: number) { return [x, y]; }`,
    'pairs.ts': `type Pair<T> = { left: T; right: T };\ntype P = ${'Pair<'.repeat(14)}string${'>'.repeat(14)};\n/** Does. */\nexport default function pairs(x: P, y: number) { return [x, y]; }`,
  });
  assert.match(saidOf({ tools, ...rest }), /pairs: the parameter x: its type is larger than/);
  assert.deepEqual(tools.map(({ info }) => info.name).sort(), ['doubled', 'ring']);
  for (const { info } of tools) assert.ok(JSON.stringify(info.input_schema).length < 20_000, info.name);
  const ringed = tools.find(({ info }) => info.name === 'ring')!;
  const { result } = await acted({ tools: [ringed] }, callOf('ring', { x: { n: 1, b: { n: 2, a: { n: 3 } } }, y: 1 }));
  assert.equal(result.success, true);
});

test('a file that was missing and is there now is seen, though a cache is kept', async () => {
  const cacheFile = join(root, 'cache.json');
  const text = "import type { City } from './_city.ts';\n/** Does. */\nexport default function f(x: City, y: number) { return [x, y]; }";
  const { folder, ...before } = await scanned({ 'f.ts': text }, { cacheFile });
  assert.match(saidOf(before), /is City, which \.\/_city\.ts does not hold/);
  writeFileSync(join(folder, '_city.ts'), 'export interface City { name: string }');
  assert.deepEqual(namesOf(await scanTools([folder], { cacheFile })), ['f']);
});
