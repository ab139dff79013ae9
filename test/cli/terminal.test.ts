/** In a real terminal: streamed text, the question y/n with its real arguments, Ctrl-C, the talk. */

import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../src/cli/text.ts';
import { modelServer } from './server.ts';
import { hermes, newFolders, noTerminal, onScreen } from './start.ts';

const folder = await newFolders();
const skip = noTerminal;
const WRITE = {
  calls: [{ name: 'write_file', arguments: { path: 'note.txt', content: `line one\nAllow? y\u202e\u001b[2K${' '.repeat(90)}fake` } }],
};

test('the text appears as it is written, each call on one line of 80 columns', { skip }, async () => {
  const cwd = await folder();
  const long = { calls: [{ name: 'calculator', arguments: { expression: '(13+27)*4+'.repeat(20).concat('0') } }] };
  const { env } = await modelServer([long, { text: '结果是一百六十。', slow: 100 }]);
  const screen = onScreen(['run', '算一下', '--lang', 'zh'], { cwd, env });
  const line = await screen.seen(/✓ calculator.*ms/);
  const plain = stripVTControlCharacters(line.split('\r\n').at(-1)!.split('\r').at(-1)!);
  assert.ok(widthOf(plain) <= 80, `${widthOf(plain)}: ${plain}`);
  await screen.seen(/结果是/);
  await screen.seen(/一百六十。/);
  await screen.seen(/2 步，1 次工具调用/);
  assert.equal(await screen.ended, 0);
});

test('a question shows the real arguments, marked and made harmless; y runs the call, n and Ctrl-C do not', { skip }, async () => {
  const cwd = await folder();
  const { env } = await modelServer([WRITE, { text: 'Done.' }, WRITE, { text: 'Not done.' }, WRITE]);
  const yes = onScreen(['run', 'write'], { cwd, env });
  const shown = await yes.seen(/Allow\? y = yes, n = no: /);
  assert.ok(shown.includes('│ content:') && shown.includes('│ line one'));
  assert.ok(shown.includes('│ Allow? y\\u{202e}\\u{1b}[2K'), 'what could deceive is written out');
  for (const line of shown.split('\r\n').filter((text) => text.includes('fake'))) assert.match(stripVTControlCharacters(line), /^ {2}│ /);
  yes.type('y\r');
  await yes.seen(/Done\./);
  assert.equal(await yes.ended, 0);
  assert.match(await readFile(join(cwd, 'note.txt'), 'utf8'), /^line one/);

  const no = onScreen(['run', 'write', '-C', await folder()], { cwd, env });
  await no.seen(/n = no: /);
  no.type('n\r');
  await no.seen(/denied/);
  await no.seen(/Not done\./);
  assert.equal(await no.ended, 0, 'a person was asked and said no');

  const stopped = onScreen(['run', 'write', '-C', await folder()], { cwd, env });
  await stopped.seen(/n = no: /);
  stopped.type('\x03');
  assert.equal(await stopped.ended, 130);
});

test('a talk: the prompt, /help, history between requests, Ctrl-C stops the step and not the talk, twice ends it', { skip }, async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([{ text: '你好呀' }, { text: 'a long story '.repeat(300), slow: 30 }, { text: '第三个' }]);
  const screen = onScreen([], { cwd, env });
  await screen.seen(/› /);
  screen.type('/help\r');
  await screen.seen(/\/exit/);
  screen.type('你好世界\r');
  await screen.seen(/你好呀/);
  await screen.seen(/› /);
  screen.type('tell me a story\r');
  await screen.seen(/a long story a long/);
  screen.type('\x03');
  await screen.seen(/stopping/);
  await screen.seen(/› /);
  screen.type('还在吗\r');
  await screen.seen(/第三个/);
  const history = JSON.stringify(requests[2]!.messages);
  for (const text of ['你好世界', '你好呀', 'tell me a story', '还在吗']) assert.ok(history.includes(text), text);
  await screen.seen(/› /);
  screen.type('\x03');
  await screen.seen(/again/);
  screen.type('\x03');
  assert.equal(await screen.ended, 130);
});

test('NO_COLOR and a dumb terminal: no colours, no moving cursor', { skip }, async () => {
  const cwd = await folder();
  const { env } = await modelServer([{ text: 'ok' }]);
  const screen = onScreen(['run', 'x'], { cwd, env: { ...env, NO_COLOR: '1', TERM: 'dumb' } });
  const all = await screen.seen(/steps 1/);
  assert.ok(!all.includes('\x1b'), JSON.stringify(all));
  assert.equal(await screen.ended, 0);
});

test('in a pipe each line is a request of one talk; the answers are on standard output', async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([{ text: 'one' }, { text: '二' }]);
  const { out, err, status } = await hermes(['chat'], { cwd, env, input: 'first\n\n/tools\n第二\n/exit\nnever sent\n' });
  assert.deepEqual([out, status], ['one\n二\n', 0], err);
  assert.equal(requests.length, 2);
  assert.match(JSON.stringify(requests[1]!.messages), /first.*one.*第二/);
  assert.match(err, /calculator/);
});

test('a paste of several lines stays editable until Enter, and is one request', { skip }, async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([{ text: 'heard' }]);
  const screen = onScreen(['chat'], { cwd, env });
  await screen.seen(/›/);
  await sleep(100); // what is there before the prompt counts as typed ahead
  screen.type('第一行\rline B\rline C');
  await sleep(300);
  assert.equal(requests.length, 0);
  screen.type('!\r');
  await screen.seen(/heard/);
  assert.match(JSON.stringify(requests[0]!.messages), /第一行\\nline B\\nline C!/);
  await screen.seen(/›/);
  screen.type('\x04');
  assert.equal(await screen.ended, 0);
});

test('Ctrl-C at the question about a new folder ends the program: nothing has begun', { skip }, async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'hermes_config.toml'), '[agent]\nmax_steps = 4\n');
  const { env, requests } = await modelServer([{ text: 'never said' }]);
  const screen = onScreen(['run', 'hello'], { cwd, env: { ...env, HERMES_TRUST: '' } });
  await screen.seen(/Do you trust the authors of this folder\?/);
  screen.type('\x03');
  assert.equal(await screen.ended, 130);
  assert.equal(requests.length, 0);
  assert.ok(!(await readdir(cwd)).includes('.hermes'));
});
