/** What wrong input gets: one clear error that names the thing and the next step, exit status 2, nothing half-written. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { hermes, ownFolder } from './start.ts';

const MAIN = resolve(import.meta.dirname, '../../src/cli/main.ts');
const cwd = await ownFolder();
await writeFile(join(cwd, 'binary.bin'), Buffer.from([1, 0, 2, 255, 254]));
await writeFile(join(cwd, 'latin1.txt'), Buffer.from([0x67, 0xfc, 0x6e]));
await writeFile(join(cwd, 'large.txt'), 'x'.repeat(1_000_001));

async function refused(
  args: string[],
  message: RegExp,
  options: { input?: string | Buffer; env?: Record<string, string> } = {},
): Promise<void> {
  const { out, err, status } = await hermes(args, { cwd, ...options });
  assert.equal(status, 2, `${args.join(' ')}: ${err}`);
  assert.equal(out, '', 'standard output holds answers only');
  assert.match(err, message);
  const [first, second, ...rest] = err.trimEnd().split('\n');
  assert.match(first!, /^(Error: |错误：)/);
  assert.match(second!, /^(Next: |下一步：)/, `${args.join(' ')} says what to do next`);
  assert.deepEqual(rest, [], 'one error, no stack');
}

test('commands and options', async () => {
  await refused(['rnu', 'x'], /no command "rnu".*run/);
  await refused(['runs', 'lst'], /no command "lst".*list/);
  await refused(['run', '--modle', 'x', 'y'], /no option --modle.*--model/);
  await refused(['run', 'x', '--deny', 'wirte_file'], /no tool "wirte_file".*write_file/s);
  await refused(['run', 'x', '--allow', 'notes_st:key=a'], /no tool "notes_st".*notes_set/s);
  await refused(['run', 'x', '-f'], /--file.*needs a value/);
  await refused(['run', 'x', '--modle', 'y'], /`hermes run --help`/);
  await refused(['runs'], /which command of hermes runs\? There are: list, show, .*`hermes runs --help`/s);
  await refused(['help', 'rnu'], /no command "rnu"\. Did you mean run\?\n/);
  await refused(['runs', 'show'], /hermes runs show: <run> is missing.*`hermes runs show --help`/s);
  await refused(['runs', 'show', 'a', 'b'], /hermes runs show: too many arguments, 1 expected, not 2: a, b/);
  await refused(['runs', 'fork', 'last', '--at', 'x'], /--at must be a whole number, not "x"\n.*--at 10/);
  await refused(['--lang', 'fr', 'run', 'x'], /--lang must be one of zh, en, not "fr"/);
  await refused(['run', 'x', '--on-approval', 'maybe'], /--on-approval must be one of ask, wait, deny/);
  await refused(['run', 'x', '--max-steps', 'ten'], /agent\.max_steps must be a whole number from 1 to 1000, not "ten" \(--max-steps\)/);
  await refused(['run', 'x', '--protocol', 'xml'], /model\.protocol must be one of .*\(--protocol\)/);
  await refused(['run', 'x', '--session', 'a', '--continue', '--offline'], /exclude each other/);
  await refused(['-C', '/no/such/folder', 'run', 'x'], /\/no\/such\/folder cannot be entered/);
  await refused([], /no terminal/);
});

test('requests and files', async () => {
  await refused(['run'], /request is empty/);
  await refused(['run', '   '], /request is empty/);
  await refused(['run', '-'], /request is empty/, { input: '\n' });
  await refused(['run', '-'], /standard input is too large/, { input: 'x'.repeat(5_000_000) });
  await refused(['run', '-'], /standard input is not valid UTF-8 text.*iconv/s, { input: Buffer.from([0xc4, 0xe3, 0xba, 0xc3]) });
  await refused(['run', 'x'], /stdin is not valid UTF-8/, { input: Buffer.from([0xc3]) });
  await refused(['run', 'x', '-f', 'absent.txt'], /absent\.txt cannot be read: there is nothing of that name\./);
  await refused(['run', 'x', '-f', '.'], /\. cannot be read: it is a folder\./);
  await refused(['run', 'x', '-f', 'binary.bin'], /neither text nor an image/);
  await refused(['run', 'x', '-f', 'latin1.txt'], /latin1\.txt is not valid UTF-8/);
  await refused(['run', 'x', '-f', 'large.txt'], /large\.txt is too large: 1000001 bytes, at most 1000000/);
});

test('configuration, models, runs', async () => {
  await writeFile(join(cwd, 'bad.toml'), '[agent]\nmax_step = 3');
  await refused(['run', 'x', '--config', 'bad.toml'], /Unknown configuration key "agent\.max_step".*max_steps/);
  await refused(['config', 'show', '--config', 'none.toml'], /no configuration file .*none\.toml/);
  await refused(['run', 'x', '-m', 'depseek:v3'], /deepseek/);
  await refused(['run', 'x', '-m', 'openai:gpt-5.2'], /OPENAI_API_KEY/);
  await refused(['models', 'pull', 'gpt-17'], /no model "gpt-17" to pull/);
  await refused(['runs', 'list', '-n', 'all'], /--limit must be a whole number/);
  await refused(['runs', 'show', 'run_x'], /./);
  await refused(['runs', 'prune'], /./);
});

test('in Chinese when the locale or --lang says so', async () => {
  await refused(['rnu'], /没有命令“rnu”.*run/, { env: { LC_ALL: 'zh_CN.UTF-8' } });
  await refused(['run', '--lang', 'zh'], /请求为空/);
  await refused(['run', 'x', '--lang', 'zh', '--max-steps', '0'], /agent\.max_steps 应为 1 到 1000 的整数，而不是 "0"/);
  await refused(['run', 'x', '--lang', 'zh', '-f', '.'], /无法读取 \.：这是一个目录。/);
  await refused(['run', '-', '--lang', 'zh'], /标准输入 不是有效的 UTF-8 文本/, { input: Buffer.from([0xc4, 0xe3]) });
  await refused(['runs', '--lang', 'zh'], /hermes runs 的哪个命令？现有：list/);
  await refused(['run', '--lang=en'], /request is empty/, { env: { LANG: 'zh_CN.UTF-8' } });
});

test('with --json the error is the one object on standard output', async () => {
  const { out, status } = await hermes(['run', '', '--json'], { cwd });
  assert.equal(status, 2);
  const { status: said, error } = JSON.parse(out);
  assert.equal(said, 'error');
  assert.ok(error.code && error.message && error.next);
});

test('nothing has been written by all that', async () => {
  const left = (await readdir(cwd)).filter((name) => !['binary.bin', 'latin1.txt', 'large.txt', 'bad.toml', '.cache'].includes(name));
  assert.deepEqual(
    left.filter((name) => name !== '.hermes'),
    [],
  );
});

test('standard output that cannot be written is an error, whatever was asked for', {
  skip: existsSync('/dev/full') ? false : 'needs /dev/full',
}, () => {
  for (const [lang, said] of [
    ['en', /^Error: standard output cannot be written: the disk is full\nNext: /m],
    ['zh', /^错误：无法写入标准输出：磁盘已满\n下一步：/m],
  ] as const) {
    for (const args of ['--help', 'completion bash', 'config show', 'tools list --json']) {
      const { status, stderr } = inShell(`exec "$0" "$@" ${args} --lang ${lang} >/dev/full`, cwd);
      assert.equal(status, 1, args);
      assert.match(stderr, said, args);
    }
  }
});

test('init on a full disk leaves no half of a file, and what stood in .gitignore', async () => {
  const folder = await ownFolder();
  const full = inShell('ulimit -f 0; exec "$0" "$@" init', folder);
  assert.equal(full.status, 2, full.stderr);
  assert.match(full.stderr, /^Error: hermes_config\.toml cannot be written: .*\nNext: .*-C FOLDER/);
  assert.deepEqual(await readdir(folder), []);
  assert.equal(inShell('exec "$0" "$@" init', folder).status, 0);
  await writeFile(join(folder, '.gitignore'), 'mine\r\n');
  const again = inShell('ulimit -f 0; exec "$0" "$@" init', folder);
  assert.match(again.stderr, /Error: \.gitignore cannot be written/);
  assert.equal(await readFile(join(folder, '.gitignore'), 'utf8'), 'mine\r\n');
});

/** The program is "$0" "$@" of the script. */
function inShell(script: string, folder: string): { status: number | null; stderr: string } {
  const env = { PATH: process.env.PATH, HOME: cwd, LANG: 'C.UTF-8', HERMES_TRUST: '1' };
  return spawnSync('sh', ['-c', script, process.execPath, MAIN], { cwd: folder, env, encoding: 'utf8' });
}

test('help and version go to standard output, in 80 columns, in both languages', async () => {
  const { widthOf } = await import('../../src/cli/text.ts');
  for (const lang of ['en', 'zh']) {
    for (const args of [['--help'], ['run', '--help'], ['runs', '--help'], ['models', '--help'], ['eval', '--help'], ['help', 'tools']]) {
      const { out, err, status } = await hermes([...args, '--lang', lang], { cwd });
      assert.deepEqual([status, err], [0, ''], args.join(' '));
      for (const line of out.split('\n')) assert.ok(widthOf(line) <= 80, `${lang} ${args.join(' ')}: ${line}`);
      assert.equal(/\p{Script=Han}/u.test(out), lang === 'zh');
    }
  }
  assert.match((await hermes(['--version'], { cwd })).out, /^\d+\.\d+\.\d+\n$/);
});
