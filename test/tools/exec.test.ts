/** Real processes: what a tool starts through `exec` ends with its call, however it tries to stay. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createToolbox } from '../../src/tools/call.ts';
import { type ExecResult, type Tool, type ToolContext, tool } from '../../src/tools/define.ts';
import { acted, callOf, stage, stateWith } from './performing.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-exec-')));
after(() => rmSync(folder, { recursive: true, force: true }));

function running(execute: (context: ToolContext) => unknown, timeoutMs = 5000): Tool {
  return tool({
    name: 'run',
    description: 'Runs.',
    level: 'dangerous',
    input: { type: 'object' },
    timeoutMs,
    execute: (_, context) => execute(context),
  });
}

async function run(execute: (context: ToolContext) => unknown, timeoutMs?: number) {
  return acted({ tools: [running(execute, timeoutMs)], workspace: folder }, callOf('run'));
}

async function data(execute: (context: ToolContext) => unknown): Promise<ExecResult> {
  const { result } = await run(execute);
  assert.ok(result.success, JSON.stringify(result));
  return result.data as unknown as ExecResult;
}

/** Reads the pids that a script has written, one a line. */
function pidsIn(name: string): number[] {
  return readFileSync(join(folder, name), 'utf8').trim().split('\n').map(Number);
}

async function written(name: string): Promise<void> {
  while (!existsSync(join(folder, name)) || readFileSync(join(folder, name), 'utf8') === '') await sleep(5);
}

/** Linux only: the tests that ask are skipped elsewhere. A zombie is dead. */
function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}

test('a command gives its output, exit status and folder; an array meets no shell', async () => {
  const done = await data(({ exec }) => exec('pwd; echo 错误 >&2; cat; exit 3', { input: '输入', env: { A: '1' } }));
  assert.deepEqual(done, { code: 3, signal: null, stdout: `${folder}\n输入`, stderr: '错误\n', truncated: false });
  const plain = await data(({ exec }) => exec(['printf', '%s', '$HOME; rm x']));
  assert.equal(plain.stdout, '$HOME; rm x');
  const env = await data(({ exec, key }) => exec(`test "$HERMES_CALL_ID" = ${key} && echo "$B"`, { env: { B: 'b' } }));
  assert.equal(env.stdout, 'b\n');
  const { result } = await run(({ exec }) => exec(['no-such-program-here']));
  assert.equal(result.success === false && result.error.code, 'ENOENT');
});

test('output is valid text: capped, GBK decoded, control characters gone, no character cut', async () => {
  const capped = await data(({ exec }) => exec('yes 好 | head -c 3000000', { maxBytes: 10 }));
  assert.deepEqual([capped.stdout, capped.truncated], ['好\n好\n', true]);
  const endless = await run(({ exec }) => exec('yes'), 300);
  assert.equal(endless.result.success === false && endless.result.error.code, 'timeout');
  const gbk = await data(({ exec }) => exec("printf '\\304\\343\\272\\303'"));
  assert.equal(gbk.stdout, '你好');
  const dirty = await data(({ exec }) => exec("printf 'a\\000b\\033[31mred\\033[0m \\360\\237\\221'"));
  assert.match(dirty.stdout, /^abred /);
  assert.ok(dirty.stdout.isWellFormed());
});

test('nothing survives the end of a call', { skip: process.platform !== 'linux' && 'survivors are found through /proc' }, async () => {
  const ways: [string, string][] = [
    ['in the background', 'sleep 999 & echo $! > pids'],
    ['with setsid', "setsid sh -c 'echo $$ > pids; exec sleep 999' > /dev/null 2>&1 &"],
    ['as a grandchild with nohup', "nohup sh -c '(sleep 999 & echo $! > pids; wait) &' > /dev/null 2>&1"],
    [
      'as a daemon that ignores signals',
      'setsid sh -c \'trap "" TERM HUP INT; echo $$ > pids; while :; do sleep 1; done\' > /dev/null 2>&1 < /dev/null &',
    ],
    ['with a clean environment in its group', 'env -i sleep 999 & echo $! > pids'],
  ];
  for (const [way, script] of ways) {
    rmSync(join(folder, 'pids'), { force: true });
    let alive: boolean[] = [];
    const { result } = await run(async ({ exec }) => {
      await exec(script);
      await written('pids');
      alive = pidsIn('pids').map(isAlive);
    });
    assert.deepEqual([result.success, alive], [true, [true]], way); // it lives as long as the call
    assert.deepEqual(pidsIn('pids').map(isAlive), [false], way);
  }
});

test('a time-out ends the whole tree, servers included, at its limit', {
  skip: process.platform !== 'linux' && 'looks into /proc',
}, async () => {
  const free = createServer();
  const port = await new Promise<number>((resolve) =>
    free.listen(0, '127.0.0.1', () => resolve((free.address() as { port: number }).port)),
  );
  await new Promise((resolve) => free.close(resolve));
  const server = `require('node:net').createServer().listen(${port}, '127.0.0.1')`;
  const began = performance.now();
  const { result } = await run(async ({ exec }) => {
    await exec(`setsid ${process.execPath} -e "${server}" > /dev/null 2>&1 & echo $! > pids; sleep 999`);
  }, 700);
  const took = performance.now() - began;
  assert.equal(result.success === false && result.error.code, 'timeout');
  assert.ok(took >= 700 && took < 5000, `${took} ms`);
  assert.deepEqual(pidsIn('pids').map(isAlive), [false]);
  const again = createServer();
  await new Promise<void>((resolve, reject) => again.once('error', reject).listen(port, '127.0.0.1', resolve)); // the port is free
  await new Promise((resolve) => again.close(resolve));
});

test('after its end a call starts nothing more, and an exec that nobody awaited is ended', async () => {
  let exec: ToolContext['exec'] | undefined;
  rmSync(join(folder, 'pids'), { force: true });
  const { result } = await run(async (context) => {
    exec = context.exec;
    void context.exec('echo $$ > pids; exec sleep 999');
    await written('pids');
  });
  assert.ok(result.success);
  assert.deepEqual(pidsIn('pids').map(isAlive), [false]);
  await assert.rejects(exec!('echo too late'), { code: 'call_over' });
});

test('the end of a call leaves the processes of calls with a longer id alone', async () => {
  const tools = [
    running(async ({ exec, callId }) => {
      if (callId === 'call_10') return exec('echo $$ > pids; sleep 0.5; echo whole');
      await written('pids');
      return exec('true');
    }),
  ];
  rmSync(join(folder, 'pids'), { force: true });
  const on = stage();
  const calls = ['call_1', 'call_10'].map((id) => callOf('run', {}, { id }));
  await createToolbox({ tools, workspace: folder }).act(stateWith(), calls, on);
  const ends = on.facts.flatMap((fact) => (fact.event_type === 'tool.end' ? [[fact.data.call_id, fact.data.shaped]] : []));
  assert.equal(ends[0]?.[0], 'call_1');
  assert.match(ends[1]?.[1] ?? '', /whole/);
});
