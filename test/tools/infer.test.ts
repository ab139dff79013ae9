/** Plain functions in real files, scanned and called as tools, in worker threads and in process. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, test } from 'node:test';
import type { Fact, Json, JsonObject } from '../../src/kernel/types.ts';
import type { Tool } from '../../src/tools/define.ts';
import { type Diagnostic, type Scanned, scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared } from './performing.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-infer-')));
after(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
async function scanned(files: Record<string, string>, options = {}): Promise<Scanned & { folder: string }> {
  const folder = join(root, `${++folders}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const found = await scanTools([folder], options);
  return { ...found, folder };
}

async function one(text: string, name = 'one.ts', more: Record<string, string> = {}): Promise<Tool> {
  const { tools, diagnostics } = await scanned({ [name]: text, ...more });
  assert.deepEqual(diagnostics, []);
  assert.equal(tools.length, 1);
  return tools[0]!;
}

async function called(tool: Tool, args: JsonObject): Promise<Json> {
  const { result } = await acted({ tools: [tool] }, callOf(tool.info.name, args));
  assert.ok(result.success, JSON.stringify(result));
  return result.data;
}

/** Of each file, the schema of the parameter `x` of its function `f`: its type, and what stands above. */
async function schemasOf(cases: readonly (readonly [type: string, head: string])[], more: Record<string, string> = {}) {
  const files = cases.map(([type, head], at) => [
    `f${at}.ts`,
    `${head}\n/** Does. */\nexport default function f${at}(x: ${type}, y = 1) { return [x, y]; }`,
  ]);
  const { tools, diagnostics } = await scanned({ ...Object.fromEntries(files), ...more });
  assert.deepEqual(diagnostics, []);
  const found = Object.fromEntries(tools.map(({ info }) => [info.name, info.input_schema.properties as JsonObject]));
  return cases.map((_, at) => found[`f${at}`]!.x);
}

test('a function with a doc comment is a tool: name, description, units, defaults, failures, examples, result', async () => {
  const { info, settings, ...tool } = await one(`
/**
 * Adds two weights. Use it for sums of weights;
 * not for prices.
 * @param a first weight in kg, e.g. 2.5
 * @param {integer} b - how many times
 * @param note 备注，如 易碎
 * @returns the sum in kg
 * @throws {RangeError} when it is over 1000 kg
 * @throws too_heavy over 500 kg without a note
 * @example What do 2 kg and 3 kg weigh? add(2, 3) // 5
 * @example 2 公斤加 3 公斤是多少？
 * add(2, 3, '易碎') // => 5
 */
export default function add(a: number, b = 1, note?: string): number {
  if (a + b > 1000) throw new RangeError('over 1000 kg');
  return a + b;
}`);
  assert.deepEqual(
    [info.name, info.level, info.description],
    [
      'add',
      'read',
      'Adds two weights. Use it for sums of weights; not for prices; gives: the sum in kg; fails: when it is over 1000 kg, too_heavy over 500 kg without a note.',
    ],
  );
  assert.deepEqual(info.input_schema, {
    type: 'object',
    properties: {
      a: { type: 'number', description: 'first weight in kg, e.g. 2.5' },
      b: { type: 'integer', description: 'how many times', default: 1 },
      note: { type: 'string', description: '备注，如 易碎' },
    },
    required: ['a'],
  });
  assert.deepEqual(settings.output, { type: 'number' });
  assert.deepEqual(info.examples, [
    { request: 'What do 2 kg and 3 kg weigh?', arguments: { a: 2, b: 3 }, result: 5 },
    { request: '2 公斤加 3 公斤是多少？', arguments: { a: 2, b: 3, note: '易碎' }, result: 5 },
  ]);
  const made = { info, settings, ...tool } as Tool;
  assert.equal(await called(made, { a: 2, b: 3 }), 5);
  assert.equal(await called(made, { a: 2 }), 3);
  const { result } = await acted({ tools: [made] }, callOf('add', { a: 1000 }));
  assert.match(JSON.stringify(result), /over 1000 kg/);
});

test('types: literals, unions, arrays, tuples, records, index signatures, local types of every kind', async () => {
  const cases: [type: string, head: string, schema: Json][] = [
    ["'a' | 'b'", '', { type: 'string', enum: ['a', 'b'] }],
    ["1 | 2 | 'x' | true", '', { type: ['number', 'string', 'boolean'], enum: [1, 2, 'x', true] }],
    ['-1', '', { type: 'number', enum: [-1] }],
    ['string | null', '', { type: ['string', 'null'] }],
    ["'a' | null", '', { type: ['string', 'null'], enum: ['a', null] }],
    ['string | number', '', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    ['readonly string[]', '', { type: 'array', items: { type: 'string' } }],
    ['Array<boolean>', '', { type: 'array', items: { type: 'boolean' } }],
    ['any', '', {}],
    [
      '[lat: number, lon?: number]',
      '',
      {
        type: 'array',
        prefixItems: [
          { type: 'number', description: 'lat' },
          { type: 'number', description: 'lon' },
        ],
        minItems: 1,
        maxItems: 2,
      },
    ],
    ['Record<string, number>', '', { type: 'object', additionalProperties: { type: 'number' } }],
    ['{ [name: string]: boolean }', '', { type: 'object', additionalProperties: { type: 'boolean' } }],
    ['(typeof UNITS)[number]', "const UNITS = ['C', 'F'] as const;", { type: 'string', enum: ['C', 'F'] }],
    ['keyof typeof RATES', 'const RATES = { usd: 1, cny: 7 };', { type: 'string', enum: ['usd', 'cny'] }],
    ["Exclude<Unit, 'F'>", "type Unit = 'C' | 'F' | 'K';", { type: 'string', enum: ['C', 'K'] }],
    ["City['name']", 'interface City { name: string }', { type: 'string' }],
    ['keyof City', 'interface City { name: string; size: number }', { type: 'string', enum: ['name', 'size'] }],
    [
      'Base & { n: number }',
      'interface Base { id: string; /** in km */ far?: number }',
      {
        type: 'object',
        properties: { id: { type: 'string' }, far: { type: 'number', description: 'in km' }, n: { type: 'number' } },
        required: ['id', 'n'],
      },
    ],
    [
      "Pick<Required<Part>, 'a'>",
      'interface Root { a?: string } interface Part extends Root { b: number }',
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
    ],
    ["Omit<Part, 'a'>", 'type Part = { a: string; b?: number }', { type: 'object', properties: { b: { type: 'number' } } }],
    ["Record<'a' | 'b', Box<string>>", 'interface Box<T> { in: T }', recordOfBoxes()],
    [
      'Shape',
      "type Shape = { kind: 'circle'; r: number } | { kind: 'square'; side: number }",
      {
        anyOf: [
          { type: 'object', properties: { kind: { type: 'string', enum: ['circle'] }, r: { type: 'number' } }, required: ['kind', 'r'] },
          {
            type: 'object',
            properties: { kind: { type: 'string', enum: ['square'] }, side: { type: 'number' } },
            required: ['kind', 'side'],
          },
        ],
      },
    ],
  ];
  const found = await schemasOf(cases.map(([type, head]) => [type, head] as const));
  for (const [at, [type, , schema]] of cases.entries()) assert.deepEqual(found[at], schema, type);
});

function recordOfBoxes(): Json {
  const box: Json = { type: 'object', properties: { in: { type: 'string' } }, required: ['in'] };
  return { type: 'object', properties: { a: box, b: box }, required: ['a', 'b'] };
}

test('recursive types become definitions, and are validated', async () => {
  const tool = await one(`
interface Tree { name: string; /** below it */ children?: Tree[] }
/** Counts. */
export default function count(tree: Tree, times: number): number {
  const below = (one: Tree): number => 1 + (one.children ?? []).reduce((sum, child) => sum + below(child), 0);
  return below(tree) * times;
}`);
  assert.deepEqual((tool.info.input_schema.properties as JsonObject).tree, { $ref: '#/$defs/Tree' });
  const good: JsonObject = { tree: { name: 'a', children: [{ name: 'b' }, { name: 'c', children: [] }] }, times: 2 };
  assert.equal((await prepared({ tools: [tool] }, callOf('count', good))).event_type, 'call.prepare');
  assert.equal(await called(tool, good), 6);
  const bad = await prepared({ tools: [tool] }, callOf('count', { tree: { name: 'a', children: [{ size: 1 }] }, times: 1 }));
  assert.match((bad as Fact<'call.reject'>).data.message, /arguments\.tree\.children\[0\]\.name/);
});

test('types of other local files, also passed on by them; what a member says stands behind or before it', async () => {
  const more = {
    'types/_city.ts': 'export interface City { name: string; // e.g. 上海\n  /** in km² */ area?: number }',
    '_all.ts': "export * from './types/_city.ts';\nexport type { City as Town } from './types/_city.ts';",
  };
  const city = {
    type: 'object',
    properties: { name: { type: 'string', description: 'e.g. 上海' }, area: { type: 'number', description: 'in km²' } },
    required: ['name'],
  };
  const found = await schemasOf(
    [
      ['City', "import type { City } from './_all.ts';"],
      ['Town', "import type { Town } from './_all.ts';"],
      ["import('./types/_city.ts').City", ''],
    ],
    more,
  );
  assert.deepEqual(found, [city, city, city]);
});

test('one destructured object, one named object, rest and arrow functions, named exports; arguments go where they belong', async () => {
  const { tools, diagnostics } = await scanned({
    'many.ts': `
import type { ToolContext } from 'hermes-agent';
/** Weather. @param city name of the city, e.g. 上海 */
export const weather = async ({ city, days = 3 }: { city: string; days?: number }) => city + days;
interface Options { name: string; loud?: boolean }
/** Greets. */
export function greet(options: Options) { return (options.loud ? '!' : '') + options.name; }
/** Sums. */
export const sum = (...numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
/** Says where. @level read */
export function where(name: string, { context }: ToolContext) { return [name, typeof context.workspace]; }
export function helper() { return 'no tool: nothing says when to use it'; }
export const limit = 5;
`,
    'list.ts': `
/** Doubles. */
const double = (a: number) => a * 2;
/** Halves. */
function half(a: number) { return a / 2; }
export default [double, half];`,
  });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(tools.map(({ info }) => info.name).sort(), ['double', 'greet', 'half', 'sum', 'weather', 'where']);
  const named = (name: string) => tools.find(({ info }) => info.name === name)!;
  assert.deepEqual(named('weather').info.input_schema, {
    type: 'object',
    properties: { city: { type: 'string', description: 'name of the city, e.g. 上海' }, days: { type: 'number', default: 3 } },
    required: ['city'],
  });
  assert.equal(await called(named('weather'), { city: '杭州' }), '杭州3');
  assert.equal(await called(named('greet'), { name: 'Ann', loud: true }), '!Ann');
  assert.equal(await called(named('sum'), { numbers: [1, 2, 3] }), 6);
  assert.equal(await called(named('sum'), {}), 0);
  assert.deepEqual(await called(named('where'), { name: 'x' }), ['x', 'string']);
  assert.equal(await called(named('half'), { a: 8 }), 4);
});

test('JavaScript with JSDoc types: typedefs, options.name, optional and default, old spellings', async () => {
  const { tools, diagnostics } = await scanned({
    'weather.js': `
/** @typedef {object} Options
 * @property {string} city 城市名
 * @property {number} [days=2] how many days
 */
/** 查询天气。用户问天气时使用。
 * @param {Options} options */
export default function weather({ city, days = 2 }) { return city + days; }`,
    'old.mjs': `
/**
 * Searches.
 * @param {Object} options
 * @param {string} options.query what
 * @param {Array.<string>} [options.tags]
 * @level dangerous
 */
export function search(options) { return options; }
/** Cuts.
 * @param {integer} count
 * @param {'left'|'right'} [side='left'] which */
export const cut = (count, side) => [count, side ?? null];`,
  });
  assert.deepEqual(diagnostics, []);
  const found = Object.fromEntries(tools.map((tool) => [tool.info.name, tool]));
  assert.deepEqual(found.weather!.info.input_schema, {
    type: 'object',
    properties: { city: { type: 'string', description: '城市名' }, days: { type: 'number', description: 'how many days', default: 2 } },
    required: ['city'],
  });
  assert.equal(found.search!.info.level, 'dangerous');
  assert.deepEqual(found.search!.info.input_schema, {
    type: 'object',
    properties: { query: { type: 'string', description: 'what' }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['query'],
  });
  assert.deepEqual(found.cut!.info.input_schema.properties, {
    count: { type: 'integer' },
    side: { type: 'string', enum: ['left', 'right'], description: 'which', default: 'left' },
  });
  assert.deepEqual(await called(found.cut!, { count: 1 }), [1, null]);
  assert.equal(await called(found.weather!, { city: '上海' }), '上海2');
});

test('what cannot be read names file, line, parameter and the way out; the other functions work', async () => {
  const { tools, diagnostics, folder } = await scanned({
    'bad.ts': `
import type { z } from 'zod';
/** Good. */
export function good(a: number) { return a; }
/** Bad. */
export function bad(
  a: z.infer<typeof schema>,
  b: { [K in 'a' | 'b']: number },
  c: A extends string ? 1 : 2,
  d: () => void,
  e: Date,
  f,
  g: import('axios').AxiosRequestConfig,
  h: bigint,
) {}
type A = string;
const schema = {};
/** Wrong level. @level none */
export function level() {}
`,
    'wrapped.ts': 'const wrap = <T>(f: T) => f;\n/** Wrapped. */\nexport default wrap((a: number) => a);',
    'bare.ts': 'export function helper() {}',
  });
  assert.deepEqual(
    tools.map(({ info }) => info.name),
    ['good'],
  );
  const lines = diagnostics.map(({ file, line, message }: Diagnostic) => `${relative(folder, file)}:${line} ${message}`);
  const expected = [
    /^bad\.ts:7 bad: the parameter a: its type is z\.infer/,
    /^bad\.ts:8 bad: the parameter b: its type is a mapped type/,
    /^bad\.ts:9 bad: the parameter c: its type is a conditional type/,
    /^bad\.ts:10 bad: the parameter d: its type is a function/,
    /^bad\.ts:11 bad: the parameter e: its type is Date.*take a string/,
    /^bad\.ts:12 bad: the parameter f: it has no type/,
    /^bad\.ts:13 bad: the parameter g: its type is AxiosRequestConfig of axios/,
    /^bad\.ts:14 bad: the parameter h: its type is bigint/,
  ];
  for (const pattern of expected) {
    const line = lines.find((one) => pattern.test(one));
    assert.match(line ?? lines.join('\n'), pattern);
    assert.match(line!, /export default tool\(\{ input, \.\.\. \}\)/);
  }
  assert.match(lines.join('\n'), /bad\.ts:\d+ level: @level is read, write or dangerous, not none/);
  assert.match(lines.join('\n'), /wrapped\.ts:\d+ default is a function whose declaration is not in the file/);
  assert.match(lines.join('\n'), /bare\.ts:1 none of its functions has a doc comment/);
  assert.equal(diagnostics.length, expected.length + 3);
});

test('the level: code that only computes is read, all other is asked about until its author says otherwise', async () => {
  const { tools, hints } = await scanned({
    'pure.ts':
      "import { basename } from 'node:path';\nimport type { Stats } from 'node:fs';\n/** A. */\nexport default function pure(a: string) { return basename(a); }",
    'disk.ts': "import { rmSync } from 'node:fs';\n/** A. */\nexport default function disk(a: string) { rmSync(a); }",
    'net.ts': '/** A. */\nexport default async function net(a: string) { return (await fetch(a)).text(); }',
    'said.ts': '/** A. @level read */\nexport default async function said(a: string) { return (await fetch(a)).text(); }',
    '_help.ts': "import { execSync } from 'node:child_process';\nexport const run = (a: string) => String(execSync(a));",
    'through.ts': "import { run } from './_help.ts';\n/** A. */\nexport default function through(a: string) { return run(a); }",
    'named.ts': '/** A. */\nexport default function named(a: { fetch: string }) { return a.fetch; }',
  });
  const levels = Object.fromEntries(tools.map(({ info }) => [info.name, [info.level, info.untrusted === true, info.outward === true]]));
  assert.deepEqual(levels, {
    pure: ['read', false, false],
    disk: ['write', false, false],
    net: ['write', true, true],
    said: ['read', true, true],
    through: ['write', false, false],
    named: ['read', false, false],
  });
  assert.match(
    hints.map(({ message }) => message).join('\n'),
    /disk: asked about before each call \(level write\), because it uses node:fs \(line 1\)/,
  );
  assert.equal(hints.length, 3);
});

test('what was read is kept under the content of all files that were read; a change is seen', async () => {
  const cacheFile = join(root, 'cache', 'tools.json');
  const files = {
    'a.ts': "import type { T } from './_t.ts';\n/** Does. */\nexport default function a(x: T, y: number) { return [x, y]; }",
    '_t.ts': 'export type T = string;',
  };
  const { folder, tools } = await scanned(files, { cacheFile });
  const type = ({ info }: Tool) => ((info.input_schema.properties as JsonObject).x as JsonObject).type;
  assert.equal(type(tools[0]!), 'string');
  assert.equal(statSync(cacheFile).mode & 0o777, 0o600);
  const kept = readFileSync(cacheFile, 'utf8');

  writeFileSync(cacheFile, kept.replace('"description":"Does."', '"description":"From the cache."'));
  const again = await scanTools([folder], { cacheFile });
  assert.equal(again.tools[0]!.info.description, 'From the cache.');

  writeFileSync(join(folder, '_t.ts'), 'export type T = number;');
  const changed = await scanTools([folder], { cacheFile });
  assert.deepEqual([type(changed.tools[0]!), changed.tools[0]!.info.description], ['number', 'Does.']);

  writeFileSync(cacheFile, kept.slice(0, 40));
  assert.equal((await scanTools([folder], { cacheFile })).tools.length, 1);
  const unwritable = await scanTools([folder], { cacheFile: join(folder, 'a.ts', 'tools.json') });
  assert.equal(unwritable.tools.length, 1);
});

test('in a package that npm has made CommonJS, tool files are modules all the same', async () => {
  const { tools, diagnostics } = await scanned({
    'package.json': '{"type": "commonjs"}',
    '_help.ts': 'export const twice = (a: number) => a * 2;',
    'double.ts': "import { twice } from './_help.ts';\n/** Doubles. */\nexport default function double(a: number) { return twice(a); }",
    'half.js': '/** Halves. @param {number} a */\nexport default function half(a) { return a / 2; }',
  });
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(await Promise.all(tools.map((one) => called(one, { a: 4 }))), [8, 2]);
});

test('in a trusted folder plain functions run in process; without a comment the name has to do', async () => {
  const { folder } = await scanned({});
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'wordCount.ts'), 'export default (text: string) => text.split(" ").length;');
  const { tools, hints } = await scanTools([{ path: folder, trusted: true }]);
  assert.deepEqual([tools[0]!.info.name, tools[0]!.info.description], ['wordCount', 'Word count.']);
  assert.match(hints[0]!.message, /no doc comment/);
  assert.equal(await called(tools[0]!, { text: 'a b c' }), 3);
});
