/** Servers that misbehave: what each does costs its own tools or its own call, is told by name, and leaves nothing behind. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { answered, called, errorOf, namesOf, opened, own, processesWith, temporaryFolder } from './rig.ts';

test('of five servers three are dead: their tools are missing, each is named with its reason, the others work', async (t) => {
  const folder = await temporaryFolder(t);
  const began = performance.now();
  const mcp = await opened(
    t,
    {
      good: own('good'),
      missing: { command: 'no-such-program-of-anybody' },
      slow: own('slow'),
      ends: { command: process.execPath, args: ['-e', 'console.error("端口被占用"); process.exit(1)'] },
      refuses: own('refuses'),
    },
    { folder, startMs: 1_500 },
  );
  assert.ok(performance.now() - began < 8_000, 'they are started at the same time, and waited for no longer than asked');
  assert.deepEqual(namesOf(mcp), ['good__echo']);
  const told = Object.fromEntries(mcp.diagnostics().map(({ server, message }) => [server, message]));
  assert.deepEqual(Object.keys(told).sort(), ['ends', 'missing', 'refuses', 'slow']);
  assert.match(told.missing!, /"missing" cannot be started: there is no program no-such-program-of-anybody/);
  assert.match(told.slow!, /"slow" did not answer within 1.5 s/);
  assert.match(told.ends!, /"ends" has ended; it said: 端口被占用/);
  assert.match(told.refuses!, /"refuses" refuses: .*not today, 今天不行/);
  assert.equal(await answered(mcp, 'good__echo', { text: '你好' }), '你好');
});

test('junk on standard output is skipped', async (t) => {
  const mcp = await opened(t, { junk: own('junk') }, { folder: await temporaryFolder(t) });
  assert.equal(await answered(mcp, 'junk__echo', { text: 'clean' }), 'clean');
});

test('definitions that cannot be used cost only themselves, and are named', async (t) => {
  const mcp = await opened(t, { bad: own('bad-schemas') }, { folder: await temporaryFolder(t) });
  const names = namesOf(mcp);
  assert.equal(await answered(mcp, 'bad__echo', { text: 'still here' }), 'still here');
  const weather = mcp.tools().find(({ info }) => info.keywords?.includes('查天气'))!;
  assert.match(weather.info.name, /^bad__tool_[0-9a-f]{6}$/, 'a Chinese name is found by its keywords');
  assert.ok(names.includes('bad__no-schema'), 'a tool without a schema takes no arguments');
  const told = mcp.diagnostics().map(({ message }) => message);
  for (const name of ['wrong-type', 'an-array', 'text-root', 'outside', 'huge', 'deep']) {
    assert.ok(
      told.some((message) => message.includes(`the tool ${name} of "bad" cannot be used`)),
      `${name}: ${told.join('\n')}`,
    );
    assert.ok(!names.includes(`bad__${name}`));
  }
  const twice = mcp.tools().filter(({ info }) => info.name.startsWith('bad__twice'));
  assert.match(twice.map(({ info }) => info.description).join(), /^the first/);
  assert.equal(twice.length, 1, 'of two tools with one name the first is used');
  assert.ok(mcp.tools().find(({ info }) => info.name === 'bad__wordy')!.info.description.length <= 2_000);
});

test('an answer that the protocol does not know is a failed call in few words', async (t) => {
  const mcp = await opened(t, { odd: own('odd') }, { folder: await temporaryFolder(t) });
  const { message } = errorOf((await called(mcp, 'odd__echo', { text: 'x' })).result);
  assert.equal(message, 'the MCP server "odd" cannot be used: Invalid result for tools/call');
});

test('the pages of a list of tools have one time together', async (t) => {
  const began = performance.now();
  const mcp = await opened(t, { pages: own('pages') }, { folder: await temporaryFolder(t), startMs: 1_000 });
  assert.match(mcp.diagnostics()[0]!.message, /"pages" did not answer within 1 s; its tools are missing/);
  assert.ok(performance.now() - began < 8_000);
});

test('a crash fails the call with the last words, and the next call starts the server anew', async (t) => {
  const mcp = await opened(t, { crash: own('crash') }, { folder: await temporaryFolder(t) });
  for (let time = 0; time < 2; time++) {
    const error = errorOf((await called(mcp, 'crash__echo', { text: 'x' })).result);
    assert.equal(error.code, 'mcp_ended');
    assert.match(error.message, /"crash" has ended; it said: Traceback: 出错了/);
  }
});

test('a call that is not answered ends at its time and is cancelled at the server', async (t) => {
  const mcp = await opened(t, { hang: own('hang') }, { folder: await temporaryFolder(t), callMs: 300 });
  const error = errorOf((await called(mcp, 'hang__echo', { text: 'x' })).result);
  assert.equal(error.code, 'timeout');
  assert.match(error.message, /"hang" did not answer within 0.3 s/);
  const again = errorOf((await called(mcp, 'hang__echo', { text: 'x' })).result);
  assert.match(again.message, /it said: cancelled \d+/, 'the server was told of the first');
});

test('an answer of 24 MB is refused by name, one of 600,000 characters is cut for the model', async (t) => {
  const mcp = await opened(t, { giant: own('giant') }, { folder: await temporaryFolder(t) });
  const { shaped } = await called(mcp, 'giant__echo', { text: '600000' });
  assert.ok(shaped.length < 20_000);
  const error = errorOf((await called(mcp, 'giant__echo', { text: '8000000' })).result);
  assert.match(error.message, /sent a message of more than 12 MB and was ended/);
});

test('a server that ignores SIGTERM behind a shell, and what has left its group, end when it is closed', async (t) => {
  const { command, args } = own('stubborn') as { command: string; args: string[] };
  const folder = await temporaryFolder(t);
  const line = `${[command, ...args].map((word) => `'${word}'`).join(' ')}; true`;
  const mcp = await opened(t, { stubborn: { command: 'sh', args: ['-c', line] } }, { folder });
  assert.ok(processesWith('sleep 987').length > 0 && processesWith('server.ts stubborn').length > 0);
  const began = performance.now();
  await mcp.close();
  assert.ok(performance.now() - began < 3_000);
  assert.deepEqual([...processesWith('sleep 987'), ...processesWith('server.ts stubborn')], []);
});

test('a server that is still starting is closed at once', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'tools.json');
  await writeFile(file, '[{ "name": "a" }]');
  await (await opened(t, { late: own('good', file) }, { folder })).close();
  await writeFile(file, 'slow');
  const mcp = await opened(t, { late: own('good', file) }, { folder });
  const call = called(mcp, 'late__a');
  await sleep(300);
  const began = performance.now();
  await mcp.close();
  assert.ok(performance.now() - began < 3_000);
  assert.match(errorOf((await call).result).message, /"late" was ended/);
  assert.deepEqual(processesWith(folder), []);
});

test('a program that forgets to close its servers ends all the same, and they with it', async (t) => {
  const folder = await temporaryFolder(t);
  const { spawnSync } = await import('node:child_process');
  const script = `
    import { openMcp } from ${JSON.stringify(join(import.meta.dirname, '../../src/mcp/open.ts'))};
    import { parseServers } from ${JSON.stringify(join(import.meta.dirname, '../../src/mcp/config.ts'))};
    const { servers } = parseServers(${JSON.stringify({ forgotten: own('good', join(folder, 'tools.json')) })}, 'x', { env: {}, root: '.' });
    const mcp = await openMcp({ servers, folder: ${JSON.stringify(folder)} });
    console.log(mcp.tools().length);`;
  await writeFile(join(folder, 'tools.json'), '[{ "name": "a" }]');
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(stdout.trim(), '1', stderr);
  await sleep(100);
  assert.deepEqual(processesWith(folder), []);
});

test('a server gets no keys of the program, only what its configuration gives it', async (t) => {
  process.env.MCP_TEST_SECRET_KEY = 'sk-secret';
  t.after(() => delete process.env.MCP_TEST_SECRET_KEY);
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'tools.json'), JSON.stringify([{ name: 'environment' }]));
  const mcp = await opened(
    t,
    { env: { ...own('good', join(folder, 'tools.json')), env: { GIVEN: `$${'{MCP_TEST_SECRET_KEY}'}x` } } },
    { folder },
  );
  const env = JSON.parse(String(await answered(mcp, 'env__environment'))) as Record<string, string>;
  assert.equal(env.MCP_TEST_SECRET_KEY, undefined);
  assert.equal(env.GIVEN, 'sk-secretx');
  assert.equal(env.PATH, process.env.PATH);
  const files = await readFile(
    join(folder, 'known', 'servers', (await import('node:fs')).readdirSync(join(folder, 'known', 'servers'))[0]!),
    'utf8',
  );
  assert.doesNotMatch(files, /sk-secret/, 'and what is kept of it holds none');
});
