/** Real folders, real files, real worker threads. */

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import type { JsonObject } from '../../src/kernel/types.ts';
import { createToolbox } from '../../src/tools/call.ts';
import type { Tool } from '../../src/tools/define.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared, stage, stateWith } from './performing.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-scan-')));
after(() => rmSync(root, { recursive: true, force: true }));
const source = resolve(import.meta.dirname, '../../src');

let folders = 0;
function folderWith(files: Record<string, string>): string {
  const folder = join(root, `${++folders}`);
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A tool file with this body of `execute`. */
function toolFile(name: string, body: string, more = '', head = ''): string {
  return `import { tool } from 'hermes-agent';
${head}
export default tool({
  name: '${name}', description: 'Does ${name}.', level: 'read', ${more}
  input: { type: 'object', properties: { a: { type: 'number' } } },
  async execute({ a }: { a?: number }, context) { ${body} },
});
`;
}

async function scanned(files: Record<string, string>, options = {}): Promise<{ tools: Tool[]; problems: string[]; folder: string }> {
  const folder = folderWith(files);
  const { tools, diagnostics } = await scanTools([folder], { timeoutMs: 3000, ...options });
  const problems = diagnostics.map(
    ({ file, line, code }) => `${file.slice(folder.length + 1)}${line === undefined ? '' : `:${line}`} ${code}`,
  );
  return { tools, problems, folder };
}

test('one file is one tool (or a list); _ at the front, a line of configuration, or another ending switches it off', async () => {
  const { tools, problems } = await scanned(
    {
      'add.ts': toolFile('add', 'return (a ?? 0) + 1;'),
      'two.mjs': `import { tool } from 'hermes-agent';
        const make = (name) => tool({ name, description: 'Does.', level: 'write', input: { type: 'object' }, execute: () => name });
        export default [make('one'), make('two'), make('off')];`,
      '_off.ts': 'throw new Error("never imported");',
      'disabled.ts': 'throw new Error("never imported");',
      'README.md': '# no tool',
      'types.d.ts': 'export {};',
      'add.test.ts': 'throw new Error("no tool");',
    },
    { disabled: ['disabled', 'off'] },
  );
  assert.deepEqual([tools.map(({ info }) => info.name), problems], [['add', 'one', 'two'], []]);
  assert.equal((await acted({ tools }, callOf('add', { a: 2 })).then(({ result }) => result as { data: number })).data, 3);
});

test('each bad file is named, with its line where one is known, and stops nobody else', async () => {
  const { tools, problems } = await scanned({
    'a_good.ts': toolFile('good', 'return 1;'),
    'bad_definition.ts': toolFile('bad', 'return 1;', 'timeout: 5,'),
    'enum.ts': 'const a = 1;\nenum X { A }\n',
    'exits.ts': 'process.exit(0);',
    'function.ts': 'export default function add(a: Missing): number { return 1; }',
    'loops.ts': 'for (;;) {}',
    'missing.ts': "import 'no-such-package-here';",
    'never.ts': 'await new Promise(() => setTimeout(() => {}, 1e6));',
    'no_default.ts': 'export const a = 1;',
    'number.ts': 'export default 5;',
    'same.ts': toolFile('good', 'return 2;'),
    'syntax.mjs': 'const a = 1;\nconst b = = 2;\n',
    'syntax.ts': 'const a = 1;\n\nconst b = = 2;\n',
    'throws.ts': 'const a = 1;\nthrow new Error("没有运气");\n',
    'z_good.ts': toolFile('last', 'return 1;'),
  });
  assert.deepEqual(
    tools.map(({ info }) => info.name),
    ['good', 'last'],
  );
  assert.deepEqual(problems, [
    'bad_definition.ts:3 invalid_tool',
    'enum.ts:2 import_failed',
    'exits.ts import_exited',
    'function.ts:1 plain_function',
    'loops.ts import_timeout',
    'missing.ts import_failed',
    'never.ts import_timeout',
    'no_default.ts no_default_export',
    'number.ts not_a_tool',
    'same.ts duplicate_tool',
    'syntax.mjs:2 import_failed',
    'syntax.ts:3 import_failed',
    'throws.ts:2 import_failed',
  ]);
  const { diagnostics } = await scanTools([join(root, 'nowhere')]);
  assert.deepEqual(
    diagnostics.map(({ code }) => code),
    ['no_folder'],
  );
});

test('a pipe with the name of a tool file is named and not waited for', async () => {
  const folder = folderWith({});
  execFileSync('mkfifo', [join(folder, 'waits.ts')]);
  const { tools, diagnostics } = await scanTools([folder]);
  assert.deepEqual([tools, diagnostics.map(({ code, message }) => [code, /a pipe/.test(message)])], [[], [['not_a_tool', true]]]);
});

test('the hash of a tool covers the text of its file', async () => {
  const { tools, folder } = await scanned({ 'a.ts': toolFile('a', 'return 1;') });
  writeFileSync(join(folder, 'a.ts'), toolFile('a', 'return 2;'));
  const { tools: changed } = await scanTools([folder]);
  assert.notEqual(tools[0]!.info.hash, changed[0]!.info.hash);
});

test('a tool in a file has the same context as one in process: exec, notes, progress, calls, its own checks', async () => {
  const { tools } = await scanned({
    'look.ts': toolFile(
      'look',
      `console.log('to standard error');
       context.progress({ half: true });
       await context.context.notes.set('k', 'v');
       const { stdout } = await context.exec('pwd');
       const failed = await context.exec(['no-such-program']).catch((error) => error.code);
       return { stdout, failed, notes: await context.context.notes.list(), calls: (await context.context.calls()).length,
                key: context.key === process.env.HERMES_CALL_ID, zone: context.context.timezone, settings: context.context.settings, a };`,
      'normalize: (args) => ({ ...args, a: Math.abs(args.a as number) }), timeoutMs: 5000,',
    ),
    'checked.ts': `import { tool } from 'hermes-agent';
      const input = { '~standard': { version: 1, vendor: 'mine', jsonSchema: { input: () => ({ type: 'object' }) },
        validate: (value: { n: number }) => (value.n > 1 ? { value: { n: value.n * 10 } } : { issues: [{ message: 'too small', path: ['n'] }] }) } } as const;
      export default tool({ name: 'checked', description: 'Checks.', level: 'read', input, execute: ({ n }) => n });`,
  });
  const options = { tools, workspace: root, timezone: 'Asia/Shanghai', settings: { look: { depth: 2 } } };
  const made = await prepared(options, callOf('look', { a: -5 }));
  assert.deepEqual((made.data as { arguments: JsonObject }).arguments, { a: 5 });
  const on = stage();
  const { result } = await acted(options, callOf('look', { a: 5 }), stateWith(), on);
  const data = {
    stdout: `${root}\n`,
    failed: 'ENOENT',
    notes: ['k'],
    calls: 0,
    key: true,
    zone: 'Asia/Shanghai',
    settings: { depth: 2 },
    a: 5,
  };
  assert.deepEqual(result, { success: true, data });
  assert.deepEqual(
    on.deltas.map(({ data }) => data),
    [{ call_id: 'call-look', data: { half: true } }],
  );
  const small = await prepared(options, callOf('checked', { n: 1 }));
  assert.match((small.data as { message: string }).message, /arguments\.n: too small/);
  assert.deepEqual((await acted(options, callOf('checked', { n: 2 }))).result, { success: true, data: 20 });
});

test('what a tool started ends with its call, and a tool that blocks its thread at its limit', {
  skip: process.platform !== 'linux' && 'looks into /proc',
}, async () => {
  const pids = join(root, 'pids');
  const { tools } = await scanned({
    'blocks.ts': toolFile('blocks', 'for (;;) {}', 'timeoutMs: 500,'),
    'spawns.ts': toolFile(
      'spawns',
      `const file = '${pids}' + a;
       spawn('setsid', ['sh', '-c', 'echo $$ >> ' + file + '; exec sleep 999'], { detached: true, stdio: 'ignore' }).unref();
       while (!existsSync(file) || readFileSync(file, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 5));
       if (a === 2) execSync('echo $$ >> ' + file + '; exec sleep 999');
       return 'left behind';`,
      'timeoutMs: 3000,',
      "import { execSync, spawn } from 'node:child_process';\nimport { existsSync, readFileSync } from 'node:fs';",
    ),
  });
  const toolbox = createToolbox({ tools });
  const on = stage();
  const began = performance.now();
  const calls = [callOf('blocks'), callOf('spawns', { a: 1 }, { id: 'a' }), callOf('spawns', { a: 2 }, { id: 'b' })];
  await toolbox.act(stateWith(), calls, on);
  assert.ok(performance.now() - began < 20_000);
  const codes = on.facts.map((fact) => fact.event_type === 'tool.end' && (fact.data.result.success ? 'fine' : fact.data.result.error.code));
  assert.deepEqual(codes.filter(Boolean).sort(), ['fine', 'timeout', 'timeout']);
  const started = [1, 2].flatMap((a) => readFileSync(`${pids}${a}`, 'utf8').trim().split('\n'));
  assert.equal(started.length, 3);
  assert.deepEqual(
    started.filter((pid) => existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))),
    [],
  );
  await toolbox.close();
});

test('a tool that breaks its thread is one failed result; the next call finds a new thread', async () => {
  const { tools } = await scanned({
    'exits.ts': toolFile('exits', 'process.exit(1);'),
    'later.ts': toolFile(
      'later',
      "setTimeout(() => { throw new Error('in a timer'); }, 1); await new Promise((resolve) => setTimeout(resolve, 1e6));",
    ),
    'big.ts': toolFile('big', 'const all = []; for (;;) all.push(new Array(1e6).fill(a));', 'timeoutMs: 30_000,'),
    'fine.ts': toolFile('fine', 'return 1;'),
    'odd.ts': toolFile('odd', 'return { a: 10n };'),
  });
  const error = async (name: string) =>
    ((await acted({ tools }, callOf(name))).result as { error: { code: string; message: string } }).error;
  assert.equal((await error('exits')).code, 'tool_exited');
  assert.match((await error('later')).message, /in a timer/);
  assert.equal((await error('big')).code, 'ERR_WORKER_OUT_OF_MEMORY');
  assert.equal((await error('odd')).code, 'result_not_json');
  assert.equal((await acted({ tools }, callOf('fine'))).shaped, '1');
});

test('a program with idle threads ends by itself; what a tool prints is no answer', async () => {
  const folder = folderWith({ 'add.ts': toolFile('add', 'console.log("noise"); return (a ?? 0) + 1;') });
  const program = join(root, 'program.ts');
  writeFileSync(
    program,
    `import { scanTools } from '${source}/tools/scan.ts';
     import { createToolbox } from '${source}/tools/call.ts';
     const { tools } = await scanTools(['${folder}']);
     const on = { signal: new AbortController().signal, delta() {}, emit: async (...facts) => { for (const f of facts) if (f.data.shaped) console.log(f.data.shaped); } };
     await createToolbox({ tools }).act({ run_id: 'r', ledger: [] } as never, [{ id: 'c', name: 'add', arguments: { a: 1 } }] as never, on as never);`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [program], { timeout: 20_000 });
  assert.equal(stdout, '2\n');
});
