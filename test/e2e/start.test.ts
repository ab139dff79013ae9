/** ./hermes and bin/hermes.js on machines of all kinds: small checkouts made here, real shells, real npm, no registry needed. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const top = await mkdtemp(join(tmpdir(), 'hermes start 启动-'));
after(() => rm(top, { recursive: true, force: true, maxRetries: 3 }));

interface Ended {
  out: string;
  err: string;
  status: number | string;
}

function run(command: string, args: string[], options: { cwd?: string; env?: Record<string, string> } = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: top, LANG: 'C.UTF-8', HERMES_NODE: process.execPath, ...options.env };
  return new Promise((done) => {
    execFile(command, args, { cwd: options.cwd ?? top, env }, (error, out, err) =>
      done({ out, err, status: error ? (error.code ?? error.signal ?? 'unknown') : 0 }),
    );
  });
}

/** A checkout with one local dependency and a program that says what it was given. */
async function checkout(name: string): Promise<string> {
  const folder = join(top, name);
  for (const file of ['hermes', 'scripts/setup.sh', 'scripts/find-node.sh']) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(root, file), join(folder, file));
  }
  await mkdir(join(folder, 'part'));
  await mkdir(join(folder, 'src/cli'), { recursive: true });
  await writeFile(join(folder, 'src/cli/main.ts'), 'const args: string[] = process.argv.slice(2); console.log(JSON.stringify(args));');
  await writeFile(join(folder, 'part/package.json'), '{ "name": "part", "version": "1.0.0" }');
  await writeFile(join(folder, 'package.json'), '{ "name": "small", "version": "1.0.0", "private": true, "workspaces": ["part"] }');
  const packages = {
    '': { name: 'small', version: '1.0.0', workspaces: ['part'] },
    'node_modules/part': { resolved: 'part', link: true },
    part: { version: '1.0.0' },
  };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ name: 'small', version: '1.0.0', lockfileVersion: 3, packages }));
  return folder;
}

const INSTALLING = /installing the dependencies/;

test('a fresh checkout sets itself up once; two starts at once do no harm; symlinks, other folders and spaces work', async () => {
  const folder = await checkout('fresh 新');
  const [one, two] = await Promise.all([
    run(join(folder, 'hermes'), ['run', '(13+27)*4 等于多少？']),
    run(join(folder, 'hermes'), ['', 'a  b'], { cwd: '/' }),
  ]);
  assert.deepEqual([one.status, two.status], [0, 0], one.err + two.err);
  assert.equal(one.out, '["run","(13+27)*4 等于多少？"]\n');
  assert.equal(two.out, '["","a  b"]\n');
  assert.equal([one, two].filter(({ err }) => INSTALLING.test(err)).length, 1, 'one of them installs');

  await mkdir(join(top, 'links'));
  await symlink(`../${folder.slice(top.length + 1)}/hermes`, join(top, 'links/first'));
  await symlink(join(top, 'links/first'), join(top, 'second'));
  const linked = await run(join(top, 'second'), ['x'], { cwd: '/' });
  assert.deepEqual(linked, { out: '["x"]\n', err: '', status: 0 });
});

test('another lock file is installed, a touched one is not, a lock left by a dead process is taken', async () => {
  const folder = await checkout('again');
  const start = () => run(join(folder, 'hermes'), []);
  assert.match((await start()).err, INSTALLING);
  const later = new Date(Date.now() + 5000);
  await utimes(join(folder, 'package-lock.json'), later, later);
  assert.equal((await start()).err, '');
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
  await writeFile(join(folder, 'package-lock.json'), `${lock}\n`);
  await utimes(join(folder, 'package-lock.json'), later, later);
  const dead = spawn(process.execPath, ['-e', '0']);
  await new Promise((done) => dead.once('close', done));
  await writeFile(join(folder, '.setup-lock'), `${dead.pid}\n`);
  const third = await start();
  assert.match(third.err, INSTALLING);
  assert.equal(third.status, 0);
});

test('what is missing is named in one line, in the language of the user', async () => {
  const folder = await checkout('bare');
  const tools = join(top, 'only shell');
  await mkdir(tools);
  for (const name of ['sh', 'dirname', 'readlink', 'cat', 'cmp']) {
    const found = await run('/bin/sh', ['-c', `command -v ${name}`]);
    await symlink(found.out.trim(), join(tools, name));
  }
  const bare = await run(join(folder, 'hermes'), [], { env: { PATH: tools } });
  assert.deepEqual([bare.status, bare.out], [2, '']);
  assert.match(bare.err, /^hermes: Node and npm are needed.*nodejs\.org.*\n$/);
  const chinese = await run(join(folder, 'hermes'), [], { env: { PATH: tools, LANG: 'zh_CN.UTF-8' } });
  assert.match(chinese.err, /需要 Node 和 npm/);

  await run(join(folder, 'hermes'), []);
  await writeFile(join(tools, 'node'), '#!/bin/sh\necho v20.1.0\n');
  await chmod(join(tools, 'node'), 0o755);
  const old = await run(join(folder, 'hermes'), [], { env: { PATH: tools, HERMES_NODE: '' } });
  assert.deepEqual([old.status, old.out], [2, '']);
  assert.match(old.err, /no Node 24 or newer was found\. Install Node 24/);
  const wrong = await run(join(folder, 'hermes'), [], { env: { HERMES_NODE: join(tools, 'node') } });
  assert.match(wrong.err, /HERMES_NODE=.*is not a Node 24/);
});

test('bin/hermes.js: an old Node hands over with arguments, exit status and signals, or ends in one line', async () => {
  const folder = join(top, 'installed');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await mkdir(join(folder, 'dist/src/cli'), { recursive: true });
  for (const file of ['bin/hermes.js', 'bin/package.json']) await copyFile(join(root, file), join(folder, file));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'dist/src/cli/main.js'),
    `process.on('SIGTERM', () => process.exit(9));
     console.log(process.version, JSON.stringify(process.argv.slice(2)), process.env.HERMES_REEXECUTED);
     if (process.argv[2] === 'wait') setTimeout(() => {}, 60000); else process.exitCode = 7;`,
  );
  // The same Node, made to look old and of a kind that no package exists for, with and without process.execve.
  const disguise =
    "for (const [name, value] of [['version', 'v18.0.0'], ['arch', 'none']]) Object.defineProperty(process, name, { value });";
  await writeFile(join(folder, 'old.cjs'), disguise);
  await writeFile(join(folder, 'older.cjs'), "require('./old.cjs'); process.execve = undefined;");
  const bin = join(folder, 'bin/hermes.js');

  const direct = await run(process.execPath, [bin, 'a']);
  assert.deepEqual(direct, { out: `${process.version} ["a"] undefined\n`, err: '', status: 7 });
  for (const age of ['old.cjs', 'older.cjs']) {
    const old = ['-r', join(folder, age), bin];
    const handed = await run(process.execPath, [...old, 'b c', '你好']);
    assert.deepEqual(handed, { out: `${process.version} ["b c","你好"] undefined\n`, err: '', status: 7 }, age);
    const none = await run(process.execPath, old, { env: { HERMES_NODE: '' } });
    assert.deepEqual([none.status, none.out], [2, '']);
    assert.match(none.err, /^hermes: needs Node 24 or newer, this is v18\.0\.0\. .*\n$/);
    const beside = join(folder, 'node_modules', `node-${process.platform}-none`, 'bin');
    await mkdir(beside, { recursive: true });
    await symlink(process.execPath, join(beside, 'node'));
    const found = await run(process.execPath, [...old, 'd'], { env: { HERMES_NODE: '' } });
    assert.deepEqual([found.status, found.out], [7, `${process.version} ["d"] undefined\n`], 'the package with a Node is found');
    await rm(join(folder, 'node_modules'), { recursive: true });
    const absent = await run(process.execPath, old, { env: { HERMES_NODE: '/nowhere/node', LANG: 'zh_CN.UTF-8' } });
    assert.match(absent.err, /^hermes：需要 Node 24.*ENOENT.*\n$/);
    const looping = await run(process.execPath, old, { env: { HERMES_REEXECUTED: '1' } });
    assert.equal(looping.status, 2);

    const waiting = spawn(process.execPath, [...old, 'wait'], { env: { ...process.env, HERMES_NODE: process.execPath } });
    await new Promise((done) => waiting.stdout.once('data', done));
    waiting.kill('SIGTERM');
    const status = await new Promise((done) => waiting.once('close', done));
    assert.equal(status, 9, `${age} passes the signal on`);
  }
});
