/**
 * Tools that misbehave, in process and from files: the model gets a named error (or a plain result), the run goes on, and nothing stays:
 * no thread, no timer, no text on standard output. A tool in process that ends the process or never yields cannot be held; files can.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createToolbox, type Toolbox } from '../../src/tools/call.ts';
import { type Tool, tool } from '../../src/tools/define.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { callOf, stage, stateWith } from './performing.ts';

/** Body of execute, and what comes of it: the code of an error, or the data. */
const BAD: Readonly<Record<string, { body: string; code?: string; data?: unknown; shows?: RegExp; level?: string }>> = {
  undefined_read: { body: 'return undefined;', code: 'no_result' },
  undefined_write: { body: 'return undefined;', level: 'write', data: null },
  cyclic: { body: 'const a = { name: "a" }; a.self = [a]; return a;', code: 'result_not_json', shows: /circular/i },
  bigint: { body: 'return { id: 10n };', code: 'result_not_json', shows: /BigInt/ },
  buffer: { body: 'return Buffer.from("89504e470d0a1a0a", "hex");', code: 'result_binary', shows: /image\/png, 8 bytes/ },
  buffer_inside: {
    body: 'return { image: new Uint8Array(3000), name: "a" };',
    data: { image: '[binary: application/octet-stream, 3,000 bytes]', name: 'a' },
  },
  function_: { body: 'return () => 1;', code: 'result_not_json', shows: /function/ },
  symbol: { body: 'return Symbol("x");', code: 'result_not_json' },
  map: { body: 'return new Map([[1, 2]]);', code: 'result_not_json', shows: /Map/ },
  nan: { body: 'return { a: NaN };', data: { a: null } },
  deep: { body: 'let a = 1; for (let i = 0; i < 1e5; i++) a = [a]; return a;', code: 'result_not_json' },
  shared: { body: 'let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return a;', code: 'result_too_large' },
  large: { body: 'return "x".repeat(1e8);', code: 'result_too_large' },
  large_parts: { body: 'const a = "x".repeat(1e6); return Array.from({ length: 500 }, () => a);', code: 'result_too_large' },
  gigabyte: { body: 'return "x".repeat(1e9);', code: 'result_too_large', shows: /more than 536,870,888/ },
  throwing_getter: { body: 'return { get a() { throw new Error("no"); } };', code: 'result_not_json' },
  behind_depth: {
    body: 'let d = {}; for (let i = 0; i < 600; i++) d = { d }; let a = [1]; for (let i = 0; i < 40; i++) a = [a, a]; return { d, a };',
    code: 'result_not_json',
    shows: /more than 500 levels/,
  },
  map_inside: { body: 'return { all: new Map([[1, 2]]), n: 1 };', code: 'result_not_json', shows: /holds a Map.*Object\.fromEntries/ },
  set_inside: { body: 'return [new Set([1])];', code: 'result_not_json', shows: /holds a Set/ },
  promise_inside: { body: 'return { user: Promise.resolve(1) };', code: 'result_not_json', shows: /holds a Promise.*await it/ },
  error_inside: { body: 'return { ok: false, error: new Error("full") };', code: 'result_not_json', shows: /holds a Error.*throw it/ },
  generator: { body: 'return (function* () { yield 1; })();', code: 'result_not_json', shows: /holds a Generator/ },
  boxed: {
    body: 'return { n: new Number(5), d: new Date(0), e: Object.create(null), l: [] };',
    data: { n: 5, d: '1970-01-01T00:00:00.000Z', e: {}, l: [] },
  },
  own_json: {
    body: 'class Order { items = new Map([["a", 1]]); self = this; toJSON() { return Object.fromEntries(this.items); } } return [new Order()];',
    data: [{ a: 1 }],
  },
  returns_error: { body: 'return Object.assign(new Error("disk full"), { code: "ENOSPC" });', code: 'ENOSPC', shows: /disk full/ },
  returns_trap: { body: 'return { get then() { throw new Error("trap"); } };', code: 'tool_failed', shows: /trap/ },
  returns_revoked: { body: 'const p = Proxy.revocable({}, {}); p.revoke(); return p.proxy;', code: 'tool_failed' },
  throws_revoked: { body: 'const p = Proxy.revocable({}, {}); p.revoke(); throw p.proxy;', code: 'tool_failed', shows: /cannot be read/ },
  throws_long: { body: 'throw Object.assign(new Error("x".repeat(1e7)), { next: "y".repeat(1e7) });', code: 'tool_failed' },
  throws_text: { body: 'throw "just a text";', code: 'tool_failed', shows: /just a text/ },
  throws_nothing: { body: 'throw undefined;', code: 'tool_failed' },
  throws_number: { body: 'throw 42;', code: 'tool_failed' },
  throws_null: { body: 'throw null;', code: 'tool_failed' },
  throws_trap: { body: 'throw { get message() { throw new Error("trap"); } };', code: 'tool_failed', shows: /cannot be read/ },
  throws_odd_code: { body: 'throw Object.assign(new Error("x"), { code: "a b\\nc" });', code: 'tool_failed' },
  rejects: { body: 'return Promise.reject(Object.assign(new Error("no"), { code: "my_code" }));', code: 'my_code' },
  never: { body: 'return new Promise(() => {});', code: 'timeout' },
  never_thenable: { body: 'return { then() {} };', code: 'timeout' },
  timers: { body: 'setInterval(() => {}, 1000); setTimeout(() => {}, 1e8); return "left";', data: 'left' },
  prints: { body: 'console.log("to standard output"); process.stdout.write("more of it"); return "printed";', data: 'printed' },
};
/** Only a thread can be ended from outside. */
const FILES_ONLY: typeof BAD = {
  exits: { body: 'process.exit(3);', code: 'tool_exited' },
  exits_later: { body: 'setTimeout(() => process.exit(0), 20); return new Promise(() => {});', code: 'tool_exited' },
  spins: { body: 'for (;;);', code: 'timeout' },
  throws_later: {
    body: 'setTimeout(() => { throw new Error("later"); }, 10); return new Promise(() => {});',
    code: 'tool_failed',
    shows: /later/,
  },
  rejects_unheard: { body: 'Promise.reject(new Error("unheard")); return new Promise(() => {});', code: 'tool_failed', shows: /unheard/ },
};

let folder: string;
let box: Toolbox;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-bad-'));
  for (const [name, { body, level = 'read' }] of Object.entries({ ...BAD, ...FILES_ONLY })) {
    const text = `import { tool } from 'hermes-agent';
export default tool({ name: '${name}', description: 'Bad.', level: '${level}', timeoutMs: 1500, input: { type: 'object' }, execute() { ${body} } });`;
    await writeFile(join(folder, `${name}.mjs`), text);
  }
  const { tools, diagnostics } = await scanTools([folder]);
  assert.deepEqual(diagnostics, []);
  box = createToolbox({ tools });
});

after(async () => {
  await box.close();
  await rm(folder, { recursive: true });
});

async function outcome(toolbox: Toolbox, name: string, level: string) {
  const on = stage();
  await toolbox.act(stateWith(), [callOf(name, {}, { level: level as 'read' })], on);
  const ends = on.facts.filter((fact) => fact.event_type === 'tool.end');
  assert.equal(ends.length, 1, name);
  const { result, shaped } = ends[0]!.data;
  assert.ok(shaped.length <= 2_700, `${name}: ${shaped.length}`); // an error says at most 2,000 characters and a next step of 500
  return result.success ? { data: result.data } : { code: result.error.code, message: result.error.message };
}

function check(name: string, got: Awaited<ReturnType<typeof outcome>>, { code, data, shows }: (typeof BAD)[string]) {
  if (code === undefined) assert.deepEqual(got, { data }, name);
  else assert.equal((got as { code?: string }).code, code, `${name}: ${JSON.stringify(got).slice(0, 300)}`);
  if (shows) assert.match((got as { message: string }).message, shows, name);
}

test('from files: a named error or a plain result for each, and the next call works', async () => {
  for (const [name, bad] of Object.entries({ ...BAD, ...FILES_ONLY })) check(name, await outcome(box, name, bad.level ?? 'read'), bad);
  check('timers', await outcome(box, 'timers', 'read'), BAD.timers!);
});

test('plain functions: the same', async () => {
  const plain = join(folder, 'plain');
  await mkdir(plain);
  for (const [name, { body, level = 'read' }] of Object.entries({ ...BAD, ...FILES_ONLY }))
    await writeFile(join(plain, `${name}.mjs`), `/** Bad. @level ${level} */\nexport default function ${name}() { ${body} }`);
  const { tools, diagnostics } = await scanTools([plain]);
  assert.deepEqual(diagnostics, []);
  const toolbox = createToolbox({ tools, timeoutMs: 1500 });
  for (const [name, bad] of Object.entries({ ...BAD, ...FILES_ONLY })) check(name, await outcome(toolbox, name, bad.level ?? 'read'), bad);
  await toolbox.close();
});

test('what a call left behind and fails later fails no other call', async () => {
  const left = join(folder, 'left');
  await mkdir(left);
  const body = 'setTimeout(() => Promise.reject(new Error("metrics")), 30).unref(); return "done";';
  await writeFile(join(left, 'leaves.mjs'), `/** Leaves. */\nexport default function leaves() { ${body} }`);
  await writeFile(
    join(left, 'slow.mjs'),
    '/** Slow. */\nexport default (ms) => new Promise((done) => setTimeout(done, ms, "slow"));'.replace('(ms)', '(ms = 120)'),
  );
  await writeFile(
    join(left, 'at_once.mjs'),
    '/** Fails. */\nexport default function at_once() { Promise.reject(new Error("unheard")); return "done"; }',
  );
  const { tools, diagnostics } = await scanTools([left]);
  assert.deepEqual(diagnostics, []);
  const toolbox = createToolbox({ tools });
  assert.deepEqual(await outcome(toolbox, 'leaves', 'read'), { data: 'done' });
  assert.deepEqual(await outcome(toolbox, 'slow', 'read'), { data: 'slow' }); // in the same thread, while it fails
  assert.deepEqual(await outcome(toolbox, 'leaves', 'read'), { data: 'done' });
  await sleep(100); // it fails in an idle thread
  assert.deepEqual(await outcome(toolbox, 'slow', 'read'), { data: 'slow' });
  assert.deepEqual(await outcome(toolbox, 'at_once', 'read'), { code: 'tool_failed', message: 'unheard' });
  assert.deepEqual(await outcome(toolbox, 'slow', 'read'), { data: 'slow' });
  await toolbox.close();
});

test('timers that a call leaves end with it', async () => {
  const file = join(folder, 'ticks.txt');
  await writeFile(
    join(folder, 'ticking.mjs'),
    `import { tool } from 'hermes-agent';
import { appendFileSync } from 'node:fs';
export default tool({ name: 'ticking', description: 'Bad.', level: 'read', input: { type: 'object' },
  execute() { setInterval(() => appendFileSync(${JSON.stringify(file)}, '.'), 5); return 'left'; } });`,
  );
  const { tools } = await scanTools([folder]);
  const ticking = createToolbox({ tools });
  assert.deepEqual(await outcome(ticking, 'ticking', 'read'), { data: 'left' });
  const ticks = async () => (await readFile(file, 'utf8').catch(() => '')).length;
  const before = await ticks();
  await sleep(100);
  assert.equal(await ticks(), before);
  await ticking.close();
});

test('in process: the same', async (t) => {
  t.mock.method(console, 'log', () => undefined);
  const write = process.stdout.write;
  for (const [name, bad] of Object.entries(BAD)) {
    if (name === 'prints' || name === 'timers') continue; // those are looked at from outside, below
    const made = inProcess(name, bad);
    check(name, await outcome(createToolbox({ tools: [made] }), name, bad.level ?? 'read'), bad);
  }
  assert.equal(process.stdout.write, write);
});

function inProcess(name: string, { body, level = 'read' }: (typeof BAD)[string]): Tool {
  const execute = new Function(body) as () => unknown;
  return tool({ name, description: 'Bad.', level: level as 'read', timeoutMs: 300, input: { type: 'object' }, execute: () => execute() });
}

test('nothing of them reaches standard output or keeps the program alive', async () => {
  const library = (path: string) => pathToFileURL(join(import.meta.dirname, '../..', path)).href;
  const script = `
    const { createToolbox } = await import('${library('src/tools/call.ts')}');
    const { scanTools } = await import('${library('src/tools/scan.ts')}');
    const { tools } = await scanTools(['${folder}']);
    const box = createToolbox({ tools });
    const on = { emit: async (...facts) => void facts.push(), delta() {}, signal: new AbortController().signal };
    const state = { run_id: 'r', ledger: [], messages: [], sources: [], trail: [], kept: [], language: 'en' };
    for (const name of ['prints', 'timers', 'never', 'exits', 'spins', 'large'])
      await box.act(state, [{ id: name, name, status: 'allowed', level: 'read', arguments: {} }], on);
    console.log('answer');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  assert.deepEqual([code, stdout], [0, 'answer\n'], stderr);
  assert.match(stderr, /to standard output/);
});
