/** Paths of file tools under attack: real links, real processes that swap them, real secrets. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { scanTools } from '../../src/tools/scan.ts';
import { openReadable, openWritable, readablePath, writablePath } from '../../src/tools/workspace.ts';
import { acted, callOf } from './performing.ts';

function folders(t: TestContext): { outer: string; workspace: string } {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-places-')));
  t.after(() => rmSync(outer, { recursive: true, force: true }));
  const workspace = join(outer, 'workspace');
  mkdirSync(workspace);
  return { outer, workspace };
}

const codeOf = (promise: Promise<unknown>) => promise.then(() => 'fine').catch((error: { code: string }) => error.code);

test('secrets are not read, under any spelling or link; examples of them are', async (t) => {
  const { workspace } = folders(t);
  const secrets = ['.env', '.env.local', '.ENV', 'deploy/.envrc', 'id_ed25519', 'server.key', 'cert.PEM', '.npmrc', '.git-credentials'];
  const places = ['.hermes/hermes.db', '.hermes/logs/2026-01-01/run.jsonl', '.ssh/config', '.aws/credentials', '.docker/config.json'];
  const fine = ['.env.example', 'env', 'keyboard.txt', 'id_rsa.pub', '钥匙.md', 'hermes_config.toml'];
  for (const path of [...secrets, ...places, ...fine]) {
    mkdirSync(join(workspace, path, '..'), { recursive: true });
    writeFileSync(join(workspace, path), 'x');
  }
  for (const path of [...secrets, ...places]) assert.equal(await codeOf(readablePath(workspace, path)), 'secret_file', path);
  for (const path of fine) assert.equal(await codeOf(readablePath(workspace, path)), 'fine', path);
  symlinkSync('.env', join(workspace, 'innocent.txt'));
  symlinkSync('.hermes', join(workspace, 'folder'));
  assert.equal(await codeOf(openReadable(workspace, 'innocent.txt')), 'secret_file');
  assert.equal(await codeOf(openReadable(workspace, 'folder/hermes.db')), 'secret_file');
});

test('what git or the program lives by is not written, under the names that other file systems take for the same', async (t) => {
  const { workspace } = folders(t);
  const names = ['.git/hooks/pre-commit', '.GIT/config', 'sub/.git', '.git./config', '.git /config', '.g\u200cit/config', 'git~1/config'];
  const own = [
    '.gitmodules',
    '.hermes/logs/x',
    '.hermes/hermes.db',
    'hermes_config.toml',
    'sub/Hermes_Config.json',
    '.env',
    '.env.local',
    'x.key',
  ];
  for (const path of [...names, '.git::$INDEX_ALLOCATION/config', '．git/config', ...own])
    assert.equal(await codeOf(writablePath(workspace, path)), 'protected_path', path);
  for (const path of ['.gitignore', '.github/x.yml', 'git/config', 'digit~1', '.envoy', '.env.example'])
    assert.equal(await codeOf(writablePath(workspace, path)), 'fine', path);
});

test("the user's own configuration and cache are closed when they lie in the workspace", async (t) => {
  const { workspace } = folders(t);
  const { XDG_CONFIG_HOME, XDG_CACHE_HOME } = process.env;
  t.after(() => {
    for (const [name, value] of Object.entries({ XDG_CONFIG_HOME, XDG_CACHE_HOME })) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  process.env.XDG_CONFIG_HOME = join(workspace, 'settings');
  process.env.XDG_CACHE_HOME = join(workspace, 'cache');
  for (const folder of ['settings/hermes', 'cache/hermes', 'settings/other']) mkdirSync(join(workspace, folder), { recursive: true });
  writeFileSync(join(workspace, 'settings/hermes/config.toml'), '');
  assert.equal(await codeOf(readablePath(workspace, 'settings/hermes/config.toml')), 'secret_file');
  assert.equal(await codeOf(writablePath(workspace, 'settings/hermes/config.toml')), 'protected_path');
  assert.equal(await codeOf(writablePath(workspace, 'cache/hermes/known.json')), 'protected_path');
  assert.equal(await codeOf(writablePath(workspace, 'settings/other/x')), 'fine');
});

test('a place that was opened for writing stays the folder that was checked', async (t) => {
  const { outer, workspace } = folders(t);
  const place = await openWritable(workspace, 'new/深/file.txt');
  rmSync(join(workspace, 'new'), { recursive: true });
  symlinkSync(outer, join(workspace, 'new'));
  mkdirSync(join(outer, '深'));
  if (process.platform === 'linux') assert.throws(() => writeFileSync(join(place.folder, place.name), 'x'), { code: 'ENOENT' });
  await place.close();
  assert.deepEqual(readdirSync(join(outer, '深')), []);
});

test('writing to one name of a hard link leaves its other names as they were', async (t) => {
  const { outer, workspace } = folders(t);
  writeFileSync(join(outer, 'kept.txt'), 'kept');
  linkSync(join(outer, 'kept.txt'), join(workspace, 'twin.txt'));
  const { result } = await acted(await fileTools(workspace), callOf('write_file', { path: 'twin.txt', content: 'new', overwrite: true }));
  assert.equal(result.success, true);
  assert.deepEqual([readFileSync(join(outer, 'kept.txt'), 'utf8'), readFileSync(join(workspace, 'twin.txt'), 'utf8')], ['kept', 'new']);
});

// ---- between check and use -------------------------------------------------------------------------------

async function fileTools(workspace: string) {
  const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
  return { tools, workspace };
}

/** A process that turns `victim` into a link to `target` and back, as fast as it can; it says when it has begun. */
async function swapper(victim: string, target: string): Promise<ChildProcess> {
  const code = `const { existsSync, renameSync, rmSync, symlinkSync } = require('node:fs');
    const [victim, target] = process.argv.slice(1);
    process.stdout.write('begun');
    for (;;) {
      try {
        symlinkSync(target, victim + '.link');
        renameSync(victim, victim + '.real');
        renameSync(victim + '.link', victim);
        renameSync(victim, victim + '.old');
        renameSync(victim + '.real', victim);
      } catch {
        // A writer has made the folder anew in the meantime.
        try {
          if (existsSync(victim + '.real')) rmSync(victim, { recursive: true, force: true });
          renameSync(victim + '.real', victim);
        } catch {}
      }
      for (const rest of ['.old', '.link']) rmSync(victim + rest, { force: true });
    }`;
  const child = spawn(process.execPath, ['-e', code, victim, target], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout!, 'data');
  return child;
}

/** What is read there, or the code of the error. */
async function readText(workspace: string, path: string): Promise<string> {
  try {
    const handle = await openReadable(workspace, path);
    const text = await handle.readFile('utf8');
    await handle.close();
    return text;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

/** The folder may be gone by the time it is written to: the swapper has taken it away. */
async function writeText(workspace: string, path: string): Promise<void> {
  const place = await openWritable(workspace, path).catch((error: { code: string }) => void assert.ok(error.code));
  if (!place) return;
  await writeFile(join(place.folder, place.name), 'written').catch((error: { code: string }) => assert.equal(error.code, 'ENOENT'));
  await place.close();
}

const noPlaces = process.platform !== 'linux' && 'only Linux tells the place of an open file';

for (const what of ['folder', 'file'] as const) {
  test(`a ${what} that is swapped for a link between check and use never leads out`, { skip: noPlaces }, async (t) => {
    const { outer, workspace } = folders(t);
    for (const folder of [outer, workspace]) {
      mkdirSync(join(folder, 'data'));
      writeFileSync(join(folder, 'data', 'file.txt'), folder === outer ? 'SECRET' : 'inside');
    }
    const swapped = what === 'folder' ? ['data'] : ['data', 'file.txt'];
    const child = await swapper(join(workspace, ...swapped), join(outer, ...swapped));
    const outcomes = new Map<string, number>();
    try {
      const end = performance.now() + 1_500;
      for (let round = 0; performance.now() < end; round++) {
        for (let read = 0; read < 5; read++) {
          const said = await readText(workspace, 'data/file.txt');
          assert.notEqual(said, 'SECRET');
          outcomes.set(said, (outcomes.get(said) ?? 0) + 1);
        }
        await writeText(workspace, `data/new-${round}.txt`);
      }
      assert.equal(child.exitCode, null, 'it swapped to the end');
    } finally {
      const ended = once(child, 'exit');
      if (child.kill('SIGKILL')) await ended;
    }
    assert.deepEqual(readdirSync(join(outer, 'data')), ['file.txt'], 'nothing was written outside');
    assert.equal(readFileSync(join(outer, 'data', 'file.txt'), 'utf8'), 'SECRET');
    assert.ok(outcomes.size > 1 && existsSync(workspace), `both were met: ${[...outcomes].join(' ')}`);
    t.diagnostic([...outcomes].join(' '));
  });
}
