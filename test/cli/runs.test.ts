/** Looking back and going on: runs show, tail, verify, replay, fork, resume after kill -9, prune. */

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelServer } from './server.ts';
import { hermes, newFolders, start } from './start.ts';

const folder = await newFolders();
const CALCULATE = { calls: [{ name: 'calculator', arguments: { expression: '(13+27)*4' } }] };

async function logFiles(cwd: string): Promise<string[]> {
  const logs = join(cwd, '.hermes', 'logs');
  const days = await readdir(logs);
  return (await Promise.all(days.map(async (day) => (await readdir(join(logs, day))).map((name) => join(logs, day, name))))).flat();
}

test('show, tail, verify and replay tell the same story; a changed log line is found', async () => {
  const cwd = await folder();
  const { env } = await modelServer([CALCULATE, { text: '结果是 160' }]);
  const { run_id } = JSON.parse((await hermes(['run', '算一下', '--json'], { cwd, env })).out);
  for (const args of [
    ['runs', 'show', 'last'],
    ['runs', 'show', run_id],
    ['runs', 'tail', run_id.slice(0, -2)],
  ]) {
    const { out, err, status } = await hermes(args, { cwd });
    assert.equal(status, 0, err);
    assert.match(out, /✓ calculator\(expression: "\(13\+27\)\*4"\) → .*160/);
    assert.match(out, /\n结果是 160\n$/);
  }
  const lines = (await hermes(['runs', 'tail', 'last', '--json'], { cwd })).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map((event) => event.seq),
    lines.map((_, index) => index + 1),
  );

  const verified = await hermes(['runs', 'verify'], { cwd });
  assert.equal(verified.status, 0, verified.out);
  const replayed = await hermes(['runs', 'replay', 'last'], { cwd });
  assert.equal(replayed.status, 0, replayed.out);
  assert.match(replayed.out, /all \d+ events came out as recorded/);

  const [file] = await logFiles(cwd);
  const log = await readFile(file!, 'utf8');
  await writeFile(file!, log.replace('结果是 160', '结果是 161'));
  const tampered = await hermes(['runs', 'verify', run_id], { cwd });
  assert.equal(tampered.status, 1);
  assert.match(tampered.out, /log_changed/);
});

test('fork --at N is a new run that goes on from there, on another request or model', async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([CALCULATE, { text: 'first answer' }, { text: 'forked answer' }]);
  const { run_id } = JSON.parse((await hermes(['run', 'compute', '--json'], { cwd, env })).out);
  const events = (await hermes(['runs', 'show', run_id, '--json'], { cwd })).out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const at = events.find((event) => event.event_type === 'tool.end').seq;
  const forked = await hermes(['runs', 'fork', run_id, '--at', String(at), '--json'], { cwd, env });
  const outcome = JSON.parse(forked.out);
  assert.equal(outcome.answer, 'forked answer');
  assert.notEqual(outcome.run_id, run_id);
  assert.match(JSON.stringify(requests[2]!.messages), /compute.*160/, 'the history up to there is kept');
  assert.ok(!JSON.stringify(requests[2]!.messages).includes('first answer'));
  const wrong = await hermes(['runs', 'fork', run_id, '--at', '999'], { cwd, env });
  assert.equal(wrong.status, 2);
  assert.match(wrong.err, /no event 999/);
});

test('kill -9 in the middle, then resume: the run goes on and what had finished is not done again', async () => {
  const cwd = await folder();
  const first = await modelServer([CALCULATE, { text: 'never finished '.repeat(300), slow: 50 }]);
  const { child, ended } = start(['run', 'compute', '--events'], { cwd, env: first.env });
  child.stdout!.resume();
  // The end of a reading call rides along with the next commit: only what another process sees is safe from the kill.
  while (!(await hermes(['runs', 'show', 'last', '--json'], { cwd })).out.includes('"tool.end"'));
  child.kill('SIGKILL');
  await ended;
  const [row] = JSON.parse((await hermes(['runs', 'list', '--json'], { cwd })).out);
  assert.equal(row.status, 'interrupted');

  const second = await modelServer([{ text: '160, after all' }]);
  const resumed = await hermes(['runs', 'resume', row.run_id, '--json'], { cwd, env: second.env });
  const outcome = JSON.parse(resumed.out);
  assert.deepEqual([outcome.run_id, outcome.status, outcome.answer], [row.run_id, 'success', '160, after all']);
  assert.equal(outcome.tool_calls.length, 1, 'the calculator ran once');
  assert.equal((await hermes(['runs', 'verify'], { cwd })).status, 0);
  const over = await hermes(['runs', 'resume', row.run_id], { cwd, env: second.env });
  assert.equal(over.status, 2);
  assert.match(over.err, /already ended/);
});

test('a run that waits for a person goes on with resume, in another process', async () => {
  const cwd = await folder();
  const { env } = await modelServer([{ calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'x' } }] }, { text: 'written' }]);
  const asleep = await hermes(['run', 'write', '--on-approval', 'wait'], { cwd, env });
  assert.equal(asleep.status, 3);
  assert.match(asleep.err, /hermes runs resume run_/);
  const denied = await hermes(['runs', 'resume', 'last'], { cwd, env });
  assert.equal(denied.status, 3, 'nobody can be asked here either');
  await assert.rejects(readFile(join(cwd, 'a.txt')));
});

test('where nothing ran, that is said, and nothing is made by looking', async () => {
  const cwd = await folder();
  assert.deepEqual(await hermes(['runs', 'list'], { cwd }), { out: '', err: 'no runs are kept here\n', status: 0 });
  for (const command of ['show', 'tail', 'verify', 'replay', 'resume', 'fork']) {
    const { err, status } = await hermes(['runs', command, 'last', '--lang', 'zh'], { cwd });
    assert.equal(status, 2, command);
    assert.match(err, /^错误：此处没有运行记录：.*hermes\.db 不存在\n下一步：/, command);
  }
  await assert.rejects(readdir(join(cwd, '.hermes')), { code: 'ENOENT' });
});

test('prune asks first, deletes runs and their logs, keeps young ones', async () => {
  const cwd = await folder();
  const { env } = await modelServer([{ text: 'ok' }]);
  await hermes(['run', 'x'], { cwd, env });
  assert.deepEqual(await hermes(['runs', 'list', '--json'], { cwd: await folder() }), { out: '[]\n', err: '', status: 0 }, 'none here');
  const unasked = await hermes(['runs', 'prune'], { cwd });
  assert.equal(unasked.status, 2);
  assert.match(unasked.err, /--yes/);
  assert.match((await hermes(['runs', 'prune', '--yes'], { cwd })).err, /^runs deleted: 0/);
  assert.match((await hermes(['runs', 'prune', '--older-than', '0', '--yes'], { cwd })).err, /^runs deleted: 1/);
  assert.deepEqual(await logFiles(cwd), []);
  assert.deepEqual(JSON.parse((await hermes(['runs', 'list', '--json'], { cwd })).out), []);
});
