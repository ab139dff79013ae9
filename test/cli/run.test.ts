/** `hermes run` as people and programs use it: real processes, a real model server on loopback. */

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelServer } from './server.ts';
import { hermes, newFolders, start } from './start.ts';

const folder = await newFolders('目录 ');

const CALCULATE = { calls: [{ name: 'calculator', arguments: { expression: '(13+27)*4' } }] };
const WRITE = { calls: [{ name: 'write_file', arguments: { path: 'note.txt', content: 'hello' } }] };

test('the answer alone is on standard output, the steps are on standard error', async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([CALCULATE, { text: '结果是 160。' }]);
  const { out, err, status } = await hermes(['run', '(13+27)*4 等于多少？'], { cwd, env });
  assert.equal(out, '结果是 160。\n');
  assert.equal(status, 0, err);
  assert.match(err, /✓ calculator\(expression: "\(13\+27\)\*4"\) → .*160/);
  assert.equal(requests.length, 2);
  assert.ok(!err.includes('\x1b'), 'no escape sequences in a pipe');
});

test('--json prints one object with the names that programs rely on', async () => {
  const cwd = await folder();
  const { env } = await modelServer([CALCULATE, { text: '160' }]);
  const { out, status } = await hermes(['run', 'how much?', '--json'], { cwd, env });
  assert.equal(status, 0);
  assert.equal(out.trimEnd().split('\n').length, 1);
  const { run_id, session_id, tool_calls, ...rest } = JSON.parse(out);
  assert.match(run_id, /^run_/);
  assert.match(session_id, /^session_/);
  assert.deepEqual(rest, {
    status: 'success',
    answer: '160',
    highlights: [],
    steps: 2,
    protocol: 'native',
    model: 'openai-compatible:scripted',
    usage: { input_tokens: 22, output_tokens: 14 },
  });
  const [{ ms, ...call }] = tool_calls;
  assert.deepEqual(call, { name: 'calculator', arguments: { expression: '(13+27)*4' }, success: true });
  assert.equal(typeof ms, 'number');

  const list = await hermes(['runs', 'list', '--json'], { cwd });
  const [row, ...others] = JSON.parse(list.out);
  assert.deepEqual(Object.keys(row), ['run_id', 'session_id', 'status', 'started', 'request', 'steps']);
  assert.deepEqual([row.run_id, row.status, row.request, row.steps, others.length], [run_id, 'success', 'how much?', 2, 0]);
});

test('--events prints every event as a line of JSON, the text as it is written among them', async () => {
  const cwd = await folder();
  const { env } = await modelServer([CALCULATE, { text: 'it is 160' }]);
  const { out } = await hermes(['run', 'x', '--events'], { cwd, env });
  const events = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const types = events.map((event) => event.event_type);
  assert.deepEqual([types[0], types.at(-1)], ['run.start', 'run.end']);
  for (const type of ['step.start', 'model.end', 'call.prepare', 'call.permit', 'tool.start', 'tool.end'])
    assert.ok(types.includes(type), type);
  const text = events.filter((event) => event.event_type === 'model.delta').map((event) => event.data.text ?? '');
  assert.equal(text.join(''), 'it is 160');
});

test('standard input is an attachment, or the request when it is -; a file goes along with -f', async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([{ text: 'ok' }]);
  await hermes(['run', 'summarise this'], { cwd, env, input: '三号楼的钥匙在前台' });
  await hermes(['run', '-'], { cwd, env, input: '从管道来的请求\n' });
  await writeFile(join(cwd, '笔记.txt'), 'from the file');
  await hermes(['run', 'what is in it?', '-f', '笔记.txt'], { cwd, env });
  const said = requests.map((request) => JSON.stringify(request.messages.at(-1)));
  assert.ok(said[0]!.includes('summarise this') && said[0]!.includes('三号楼的钥匙在前台'), said[0]);
  assert.ok(said[1]!.includes('从管道来的请求'), said[1]);
  assert.ok(said[2]!.includes('from the file') && said[2]!.includes('笔记.txt'), said[2]);
});

test('an input that stays open and silent does not hang a program that gave its request', async () => {
  const cwd = await folder();
  const { env } = await modelServer([{ text: 'ok' }]);
  const { out, status } = await hermes(['run', 'hello'], { cwd, env, input: 'open' });
  assert.deepEqual([out, status], ['ok\n', 0]);
});

test('no terminal: a call that needs a person is refused, with the reason and exit status 3; --allow lets it run; wait sleeps', async () => {
  const cwd = await folder();
  const denied = await modelServer([WRITE, { text: 'not written' }]);
  const one = await hermes(['run', 'write it'], { cwd, env: denied.env });
  assert.equal(one.status, 3);
  assert.match(one.err, /nobody could be asked.*--allow write_file/);
  await assert.rejects(readFile(join(cwd, 'note.txt')));
  assert.match(JSON.stringify(denied.requests[1]!.messages.at(-1)), /Denied/, 'the model is told');

  const allowed = await modelServer([WRITE, { text: 'written' }]);
  const two = await hermes(['run', 'write it', '--allow', 'write_file'], { cwd, env: allowed.env });
  assert.deepEqual([two.status, two.out], [0, 'written\n']);
  assert.equal(await readFile(join(cwd, 'note.txt'), 'utf8'), 'hello');

  const asleep = await modelServer([{ calls: [{ name: 'write_file', arguments: { path: 'later.txt', content: 'x' } }] }]);
  const three = await hermes(['run', 'write it', '--on-approval', 'wait', '--json'], { cwd, env: asleep.env });
  assert.equal(three.status, 3);
  assert.equal(JSON.parse(three.out).status, 'waiting_for_approval');
  const forbidden = await modelServer([
    { calls: [{ name: 'write_file', arguments: { path: 'later.txt', content: 'x' } }] },
    { text: 'no' },
  ]);
  const four = await hermes(['run', 'write it', '--deny', 'write_file', '--allow', 'write_file'], { cwd, env: forbidden.env });
  assert.equal(four.status, 0, 'a rule spoke: nobody had to be asked');
  assert.match(four.err, /not allowed/);
});

test('limits and errors have their exit status, report and next step', async () => {
  const cwd = await folder();
  const looping = await modelServer([CALCULATE, { calls: [{ name: 'current_time', arguments: {} }] }, CALCULATE]);
  const steps = await hermes(['run', 'x', '--max-steps', '2'], { cwd, env: looping.env });
  assert.equal(steps.status, 4);
  assert.match(steps.err, /max_steps/);
  assert.match(steps.err, /calculator/, 'the report says what was done');

  const refusing = await modelServer([{ status: 401, text: 'bad key' }]);
  const refused = await hermes(['run', 'x', '--json'], { cwd, env: refusing.env });
  assert.equal(refused.status, 1);
  const { status, error } = JSON.parse(refused.out);
  assert.equal(status, 'error');
  assert.ok(error.code && error.message && error.next, JSON.stringify(error));
});

test('a session goes on by its id and with --continue', async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([{ text: '杭州很好' }, { text: '杭州' }, { text: '还是杭州' }]);
  await hermes(['run', '我想去杭州', '--session', 'trip'], { cwd, env });
  await hermes(['run', '我想去哪里？', '--session', 'trip'], { cwd, env });
  const third = await hermes(['run', '再说一遍', '--continue', '--json'], { cwd, env });
  assert.equal(JSON.parse(third.out).session_id, 'trip');
  const history = requests[2]!.messages.map((message) => JSON.stringify(message.content)).join();
  for (const text of ['我想去杭州', '杭州很好', '我想去哪里', '再说一遍']) assert.ok(history.includes(text), text);
});

test('Ctrl-C in the middle of a step ends the run in good order, SIGTERM too; the run can be looked at', async () => {
  const cwd = await folder();
  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    const { env } = await modelServer([{ text: 'a very long answer '.repeat(200), slow: 20 }]);
    const { child, ended } = start(['run', 'talk', '--events'], { cwd, env });
    await new Promise<void>((done) => {
      child.stdout!.on('data', (text: string) => text.includes('model.delta') && done());
    });
    child.kill(signal);
    const { status, out } = await ended;
    assert.equal(status, expected);
    assert.match(out, /"event_type":"run\.end".*cancelled/);
  }
  const list = await hermes(['runs', 'list', '--json'], { cwd });
  assert.deepEqual(
    JSON.parse(list.out).map((row: { status: string }) => row.status),
    ['cancelled', 'cancelled'],
  );
});
