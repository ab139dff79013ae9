/** What a command can see, change and leave behind: real processes in a real sandbox. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openGroup } from '../../src/sandbox/cgroup.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { left, prepare, processes, run, skip, workspace } from './world.ts';

/** Unlike any other number of seconds on this machine. */
const moment = () => String(100_000 + Math.floor(Math.random() * 800_000));

test('the workspace can be written, in Chinese too; nothing else can', { skip }, async (t) => {
  const folder = await workspace(t);
  const made = await run(folder, 'mkdir -p 子目录 && echo 你好 > 子目录/文件.txt && cat 子目录/文件.txt');
  assert.deepEqual([made.exit_code, made.stdout], [0, '你好\n']);
  assert.equal(await readFile(join(folder, '子目录', '文件.txt'), 'utf8'), '你好\n');
  const outside = await run(folder, 'touch /usr/x; touch /etc/x; touch /x; touch ../x-neben');
  assert.equal(outside.stderr.split('\n').filter((line) => /Read-only/.test(line)).length, 3, outside.stderr);
  assert.equal(existsSync(join(folder, '..', 'x-neben')), false);
});

test('home, keys and the environment of the program are not there', { skip }, async (t) => {
  const folder = await workspace(t);
  await writeFile(join(folder, '.env'), 'KEY=geheim');
  await mkdir(join(folder, 'pkg', '.hermes'), { recursive: true });
  await writeFile(join(folder, 'pkg', '.hermes', 'x'), 'geheim');
  await writeFile(join(folder, 'pkg', 'server.key'), 'geheim');
  await symlink('/etc/shadow', join(folder, 'link'));
  await symlink('/etc/shadow', join(folder, 'hermes_config.toml'));
  process.env.TEST_SECRET = 'geheim';
  t.after(() => delete process.env.TEST_SECRET);
  const command = `cat .env pkg/.hermes/x pkg/server.key link hermes_config.toml /etc/shadow; ls ${homedir()}; env; cat /proc/*/environ | tr '\\0' '\\n'; cat /proc/*/cmdline`;
  const { stdout } = await run(folder, command);
  assert.doesNotMatch(stdout, /geheim|root:[*$!]/);
  assert.doesNotMatch(stdout, /TEST_SECRET/);
  assert.match(stdout, /HERMES_SANDBOX=1/);
  assert.equal(await readFile(join(folder, '.env'), 'utf8'), 'KEY=geheim');
});

test('it runs as nobody without rights, and cannot reach the kernel', { skip }, async (t) => {
  const folder = await workspace(t);
  const pattern = await readFile('/proc/sys/kernel/core_pattern', 'utf8');
  const command = `id -u; grep -E 'Cap(Prm|Eff|Bnd)' /proc/self/status; echo x > /proc/sys/kernel/core_pattern; unshare -U true; mount -t tmpfs x /tmp; echo b > /proc/sysrq-trigger`;
  await writeFile(
    join(folder, 'try.sh'),
    `${command}\nfind /proc/sys/vm /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/irq /proc/fs -writable -type f 2>/dev/null | head -3`,
  );
  const lines = (await run(folder, 'bash try.sh')).stdout.trim().split('\n');
  assert.notEqual(lines[0], '0');
  assert.deepEqual(lines.slice(1), ['CapPrm:\t0000000000000000', 'CapEff:\t0000000000000000', 'CapBnd:\t0000000000000000']);
  assert.equal(await readFile('/proc/sys/kernel/core_pattern', 'utf8'), pattern);
});

test('root becomes the owner of the workspace', { skip: skip || (process.getuid?.() !== 0 && 'not root') }, async (t) => {
  const folder = await workspace(t);
  await chown(folder, 65534, 65534);
  const ran = await run(folder, 'touch a; id -u; ulimit -u');
  assert.deepEqual([ran.stdout, (await stat(join(folder, 'a'))).uid], ['65534\n288\n', 65534]);
});

test('there is no network, not even to this machine', { skip }, async (t) => {
  const folder = await workspace(t);
  const port = await server(t);
  const { stdout } = await run(folder, `bash -c 'echo > /dev/tcp/127.0.0.1/${port}' || echo closed`);
  assert.equal(stdout, 'closed\n');
  const asked = await run(folder, 'echo "curl: (6) Could not resolve host: example.com" >&2; exit 6');
  assert.match(asked.next!, /no network: another tool may reach/);
  assert.equal((await run(folder, 'echo "Could not resolve host"')).next, undefined, 'what succeeds needed none');
});

test('named hosts are reached through the proxy, others are not', { skip }, async (t) => {
  const folder = await workspace(t);
  const port = await server(t);
  const other = await server(t);
  const settings = { allow_hosts: [`127.0.0.1:${port}`] };
  await writeFile(join(folder, 'get.py'), 'import sys, urllib.request\nprint(urllib.request.urlopen(sys.argv[1]).read().decode())\n');
  const good = await run(folder, `curl -sS http://127.0.0.1:${port}/a || python3 get.py http://127.0.0.1:${port}/a`, { settings });
  assert.equal(good.stdout.trim(), 'you asked for /a', good.stderr);
  const bad = await run(folder, `curl -sS http://127.0.0.1:${other}/a || python3 get.py http://127.0.0.1:${other}/a`, { settings });
  assert.doesNotMatch(bad.stdout, /you asked/);
  assert.match(bad.stdout + bad.stderr, /none of the hosts|403/);
  const tunnel = `bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; printf "CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\nGET /b HTTP/1.0\\r\\n\\r\\n" >&3; cat <&3'`;
  assert.match((await run(folder, tunnel, { settings })).stdout, /200 Connection established[\s\S]*you asked for \/b/);
  assert.deepEqual(await left('hermes-proxy-'), []);
});

test('git hooks and its own settings cannot be changed, nor brought into being by a build', { skip }, async (t) => {
  const folder = await workspace(t);
  await mkdir(join(folder, '.git', 'hooks'), { recursive: true });
  await writeFile(join(folder, '.git', 'config'), '[core]\n');
  await mkdir(join(folder, 'skills'));
  const script =
    'echo x > .git/hooks/pre-commit; echo x >> .git/config; echo x > hermes_config.toml; mkdir tools && echo x > tools/a.ts; echo x > skills/a';
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts: { test: `${script}; true` } }));
  const { renamed, stderr } = await run(folder, 'npm test');
  assert.match(renamed ?? stderr, /hermes_config\.toml\.from-sandbox, tools\.from-sandbox/);
  assert.deepEqual(await readdir(join(folder, '.git', 'hooks')), []);
  assert.equal(await readFile(join(folder, '.git', 'config'), 'utf8'), '[core]\n');
  assert.deepEqual((await readdir(folder)).sort(), [
    '.git',
    'hermes_config.toml.from-sandbox',
    'package.json',
    'skills',
    'tools.from-sandbox',
  ]);
  assert.deepEqual(await readdir(join(folder, 'skills')), []);
});

test('folders of code are changed only by a command that a person has agreed to, whatever a rule allows and however they are named', {
  skip,
}, async (t) => {
  const folder = await workspace(t);
  await mkdir(join(folder, 'src', '工具'), { recursive: true });
  await mkdir(join(folder, 'real'));
  await symlink('real', join(folder, 'plug'));
  await writeFile(join(folder, 'x.ts'), 'x');
  const codeFolders = ['src/工具', 'plug', 'later/made'].map((name) => join(folder, name));
  const places = ['src/工具/a.ts', 'real/b.ts', 'later/made/c.ts', 'AGENTS.md'];
  // What it writes is not told by its words.
  const script = places.map((place) => `mkdir -p $(dirname ${place}); cp x.ts ${place}`).join('; ');
  await writeFile(join(folder, 'copy.sh'), `${script}; true`);
  const there = () => places.filter((place) => existsSync(join(folder, place)));
  const { renamed } = await run(folder, 'bash ./copy.sh', { codeFolders, byRule: true });
  assert.deepEqual(there(), []);
  assert.match(renamed ?? '', /later\/made\.from-sandbox.*AGENTS\.md\.from-sandbox/);
  await run(folder, 'bash ./copy.sh', { codeFolders });
  assert.deepEqual(there(), places);
  for (const place of places) {
    const fact = await prepare(folder, `cp x.ts ${place}`, { codeFolders });
    const { ask, level } = fact.data as { ask?: string; level: string };
    assert.deepEqual([level, /by itself/.test(ask ?? '')], ['dangerous', true], place);
  }
  const other = await prepare(folder, 'cp x.ts src/y.ts', { codeFolders });
  assert.equal((other.data as { ask?: string }).ask, undefined, 'a rule may allow it');
});

test('a folder of code that is the whole workspace does not open what is around it', { skip }, async (t) => {
  const folder = await workspace(t);
  const inner = join(folder, 'inner');
  await mkdir(inner);
  const { stdout } = await run(inner, 'touch a ../b; ls', { codeFolders: [inner], byRule: true });
  assert.deepEqual([stdout, await readdir(folder), await readdir(inner)], ['', ['inner'], []]);
});

test("a build cannot put another .git in git's place, nor point it elsewhere, nor name servers that would be started", {
  skip,
}, async (t) => {
  const folder = await workspace(t);
  const build = async (script: string) => {
    await writeFile(join(folder, 'Makefile'), `all:\n\t-${script}\n`);
    return run(folder, 'make');
  };
  const { renamed: made } = await build('mkdir -p .git/hooks; echo x > .mcp.json; ln -s later.toml hermes_config.toml');
  assert.match(made ?? '', /hermes_config\.toml\.from-sandbox, .*\.mcp\.json\.from-sandbox.*, \.git\.from-sandbox/);

  await mkdir(join(folder, '.git', 'hooks'), { recursive: true });
  await writeFile(join(folder, '.git', 'config'), '[core]\n');
  await writeFile(join(folder, '.mcp.json'), '{}');
  const { renamed } = await build(
    'mv .git old; cp -r old .git; echo x > .git/hooks/pre-commit; echo x >> .mcp.json; echo ../x > .git/commondir',
  );
  assert.match(renamed ?? '', /commondir\.from-sandbox/);
  assert.deepEqual(await readdir(join(folder, '.git', 'hooks')), []);
  assert.equal(await readFile(join(folder, '.mcp.json'), 'utf8'), '{}');

  await rm(join(folder, '.git'), { recursive: true });
  await writeFile(join(folder, '.git'), 'gitdir: ../main/.git/worktrees/here\n');
  await build('echo gitdir: evil > .git; mv .git old; echo gitdir: evil > .git');
  assert.match(await readFile(join(folder, '.git'), 'utf8'), /worktrees\/here/);
});

test('nothing survives a time-out: background, daemons, double forks', { skip }, async (t) => {
  const folder = await workspace(t);
  const seconds = moment();
  const command = `setsid sleep ${seconds} & (setsid nohup sleep ${seconds} >/dev/null 2>&1 &); env -i sleep ${seconds} & sleep ${seconds}`;
  const ran = await run(folder, command, { arguments: { timeout_seconds: 1 } });
  assert.match(ran.ended ?? '', /after 1 s/);
  assert.deepEqual(await left(seconds), []);
});

test('nothing survives the end of the command', { skip }, async (t) => {
  const seconds = moment();
  const ran = await run(await workspace(t), `(setsid sleep ${seconds} >/dev/null 2>&1 </dev/null &); echo started`);
  assert.equal(ran.stdout, 'started\n');
  assert.deepEqual(await left(seconds), []);
});

test('nothing survives an abort', { skip }, async (t) => {
  const folder = await workspace(t);
  const seconds = moment();
  const controller = new AbortController();
  const running = run(folder, `setsid sleep ${seconds} & sleep ${seconds}`, { signal: controller.signal });
  await started(seconds);
  controller.abort();
  assert.equal((await running).error?.code, 'cancelled');
  assert.deepEqual(await left(seconds), []);
});

test('nothing survives the death of the program', { skip }, async (t) => {
  const folder = await workspace(t);
  const seconds = moment();
  const host: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'host.ts'), folder, `setsid sleep ${seconds} & sleep ${seconds}`],
    { stdio: 'ignore' },
  );
  await started(`sleep ${seconds}`, 2);
  host.kill('SIGKILL');
  assert.deepEqual(await left(`sleep ${seconds}`), []);
});

test('files that the program was given open by whoever started it are not open inside', { skip }, async (t) => {
  const folder = await workspace(t);
  const outside = await workspace(t);
  const command = 'ls /proc/self/fd /proc/1/fd; echo x >&9; echo x > /proc/1/fd/9; echo x > /proc/1/fd/200';
  const start = `exec 9>'${outside}/nine' 200>'${outside}/far'; exec '${process.execPath}' '${join(import.meta.dirname, 'host.ts')}' '${folder}' '${command}'`;
  const { stdout } = spawnSync('bash', ['-c', start], { encoding: 'utf8' });
  assert.doesNotMatch(JSON.parse(stdout).stdout, /^(?:9|200)$/m);
  assert.deepEqual([await readFile(join(outside, 'nine'), 'utf8'), await readFile(join(outside, 'far'), 'utf8')], ['', '']);
});

/** Without a hard limit a fork bomb is a race that a test should not start. */
async function isCounted(): Promise<boolean> {
  if (process.getuid?.() !== 0) return true;
  const group = openGroup(10, 1e9);
  await group?.close();
  return group !== undefined;
}

test('a fork bomb is ended', { skip: skip || (!(await isCounted()) && 'root, and no control group can be made here') }, async (t) => {
  const folder = await workspace(t);
  const mark = `bomb${moment()}`;
  await writeFile(join(folder, `${mark}.sh`), 'b() { b | b & }; b; sleep 60');
  const bomb = await run(folder, `bash ${mark}.sh`, { arguments: { timeout_seconds: 30 } });
  assert.match(bomb.ended ?? '', /too many processes/);
  assert.deepEqual(await left(mark), []);
});

test('a hoard of memory and endless output are ended', { skip }, async (t) => {
  const folder = await workspace(t);
  const world = { settings: { max_memory_mb: 128 }, arguments: { timeout_seconds: 15 } };
  const hoard = await run(folder, 'head -c 400M /dev/zero | tail -c 390M | sleep 20', world);
  assert.match(hoard.ended ?? `exit ${hoard.exit_code}`, /memory/);
  const endless = await run(folder, 'yes 没完没了', { arguments: { timeout_seconds: 60 } });
  assert.match(endless.ended ?? '', /wrote too much/);
  assert.ok(endless.stdout.length < 200_001);
});

test('GBK output is read as Chinese, terminal escapes are taken out', { skip }, async (t) => {
  const folder = await workspace(t);
  assert.equal((await run(folder, "printf '\\xc4\\xe3\\xba\\xc3'")).stdout, '你好');
  assert.equal((await run(folder, "printf '\\033[31mred\\033[0m'")).stdout, 'red');
});

test('without bubblewrap nothing runs, and the command that installs it is named', { skip: process.platform !== 'linux' }, async (t) => {
  const empty = await mkdtemp(join(tmpdir(), 'hermes-empty-'));
  t.after(() => rm(empty, { recursive: true }));
  await assert.rejects(openSandbox({ path: empty }), { code: 'no_sandbox', next: /install.* bubblewrap/ });
  await writeFile(join(empty, 'bwrap'), '#!/bin/sh\necho "No permissions to create new namespace" >&2\nexit 1\n');
  await chmod(join(empty, 'bwrap'), 0o755);
  await assert.rejects(openSandbox({ path: empty }), {
    code: 'no_sandbox',
    message: /No permissions to create new namespace/,
    next: /user namespaces/,
  });
});

test('a workspace that holds the home folder is refused', { skip }, async () => {
  const sandbox = await openSandbox();
  const policy = { folder: '/', hidden: [], fixed: [], unmade: [], readable: [], hosts: [] };
  for (const workspace of ['/', homedir()]) {
    await assert.rejects(sandbox.prepare('ls', { ...policy, workspace }), { code: 'workspace_too_wide' });
  }
});

async function started(text: string, count = 1): Promise<void> {
  for (let look = 0; look < 200; look++) {
    if (processes(text).filter((line) => line.startsWith('sleep')).length >= count) return;
    await sleep(25);
  }
  assert.fail(`${text} did not start`);
}

async function server(t: { after(fn: () => void): void }): Promise<number> {
  const http = createServer((request, response) => response.end(`you asked for ${request.url}`));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  return (http.address() as AddressInfo).port;
}
