/** Real servers from npm, and from PyPI where Python is: what they offer becomes tools, and their answers results. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { answered, bin, called, errorOf, namesOf, opened, processesWith, temporaryFolder } from './rig.ts';

/** Where scripts/setup.sh tests puts the servers from PyPI. */
const python = resolve(import.meta.dirname, '../../node_modules/.mcp-servers/bin');
const noPython: string | false =
  existsSync(join(python, 'mcp-server-time')) && existsSync(join(python, 'mcp-server-git'))
    ? false
    : 'the servers from PyPI are not installed (sh scripts/setup.sh tests)';

test('four servers from npm start together; their tools work, and nothing is left of them', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, '你好.txt'), '第一行\n第二行\n');
  const mcp = await opened(
    t,
    {
      everything: { command: bin('mcp-server-everything'), args: ['stdio'] },
      files: { command: bin('mcp-server-filesystem'), args: [folder] },
      记忆: { command: bin('mcp-server-memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
      thinking: { command: bin('mcp-server-sequential-thinking') },
    },
    { folder, trusted: ['files'] },
  );
  assert.deepEqual(mcp.diagnostics(), []);
  const names = namesOf(mcp);
  for (const name of names) assert.match(name, /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
  assert.equal(new Set(names).size, names.length);

  assert.equal(await answered(mcp, 'everything__echo', { message: '你好，世界' }), 'Echo: 你好，世界');
  assert.deepEqual(await answered(mcp, 'everything__get-structured-content', { location: 'Chicago' }), {
    temperature: 36,
    conditions: 'Light rain / drizzle',
    humidity: 82,
  });
  assert.match(String(await answered(mcp, 'everything__get-tiny-image')), /\[image, image\/png, \d+ bytes: cannot be shown here\]/);
  const long = await called(mcp, 'everything__trigger-long-running-operation', { duration: 0.4, steps: 2 });
  assert.ok(long.deltas.length >= 1, 'its progress is shown');

  assert.match(JSON.stringify(await answered(mcp, 'files__read_text_file', { path: join(folder, '你好.txt') })), /第二行/);
  const denied = errorOf((await called(mcp, 'files__read_text_file', { path: '/etc/hostname' })).result);
  assert.equal(denied.code, 'mcp_tool_error');
  assert.match(denied.message, /Access denied/);

  const remember = names.find((name) => name.endsWith('__create_entities'))!;
  await answered(mcp, remember, { entities: [{ name: '小明', entityType: '人', observations: ['喜欢喝茶'] }] });
  assert.match(await readFile(join(folder, 'memory.json'), 'utf8'), /喜欢喝茶/);
  const thought = { thought: 'Begin.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
  assert.match(JSON.stringify(await answered(mcp, 'thinking__sequentialthinking', thought)), /thoughtNumber/);

  await mcp.close();
  assert.deepEqual(processesWith(folder), []);
  assert.ok(mcp.servers.every((server) => !server.isRunning));
});

test('two servers from PyPI', { skip: noPython }, async (t) => {
  const folder = await temporaryFolder(t);
  for (const args of [
    ['init', '-q'],
    ['-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '--allow-empty', '-m', '第一次提交'],
  ]) {
    assert.equal(spawnSync('git', args, { cwd: folder }).status, 0);
  }
  const mcp = await opened(
    t,
    {
      time: { command: join(python, 'mcp-server-time'), args: ['--local-timezone', 'Asia/Shanghai'] },
      git: { command: join(python, 'mcp-server-git'), args: ['--repository', folder] },
    },
    { folder },
  );
  assert.deepEqual(mcp.diagnostics(), []);
  const converted = await answered(mcp, 'time__convert_time', { source_timezone: 'Asia/Shanghai', time: '20:00', target_timezone: 'UTC' });
  assert.match(JSON.stringify(converted), /T12:00/);
  assert.match(JSON.stringify(await answered(mcp, 'git__git_log', { repo_path: folder })), /第一次提交/);
});

test('levels: hints of a trusted server count, those of others never make a call one that only looks', async (t) => {
  const folder = await temporaryFolder(t);
  const files = { command: bin('mcp-server-filesystem'), args: [folder] };
  const mcp = await opened(t, { mine: files, theirs: files }, { folder, trusted: ['mine'] });
  const levels = Object.fromEntries(mcp.tools().map(({ info }) => [info.name, info.level]));
  assert.equal(levels.mine__read_text_file, 'read');
  assert.equal(levels.mine__create_directory, 'write');
  assert.equal(levels.mine__write_file, 'dangerous');
  assert.equal(levels.theirs__read_text_file, 'write');
  assert.equal(levels.theirs__write_file, 'dangerous');
  assert.ok(
    mcp.tools().every(({ info }) => info.untrusted && info.private),
    'what comes of any of them is untrusted',
  );
});

test('what is known of a server lets a run begin without it; the first call starts it', async (t) => {
  const folder = await temporaryFolder(t);
  const servers = { everything: { command: bin('mcp-server-everything'), args: ['stdio'] } };
  const first = await opened(t, servers, { folder });
  await first.close();
  const mcp = await opened(t, servers, { folder });
  assert.deepEqual(namesOf(mcp), namesOf(first));
  assert.equal(mcp.servers[0]!.isRunning, false);
  assert.equal(await answered(mcp, 'everything__echo', { message: 'hi' }), 'Echo: hi');
  assert.equal(mcp.servers[0]!.isRunning, true);
});
