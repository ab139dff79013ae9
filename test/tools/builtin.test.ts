/** The built-in tools, scanned and called like anybody's, on real folders. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import type { CallRecord, Fact, JsonObject } from '../../src/kernel/types.ts';
import { createToolbox } from '../../src/tools/call.ts';
import { memoryNotes } from '../../src/tools/notes.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared, stage, stateWith } from './performing.ts';

const builtin = resolve(import.meta.dirname, '../../tools');
const { tools, diagnostics } = await scanTools([{ path: builtin, trusted: true }]);

const outer = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-files-')));
const workspace = join(outer, 'workspace');
after(() => rmSync(outer, { recursive: true, force: true }));
beforeEach(() => {
  rmSync(outer, { recursive: true, force: true });
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(outer, 'secret.txt'), 'outside');
});

const notes = memoryNotes();
let ledger: CallRecord[] = [];

/** The whole way of one call: prepared, then run; the call goes into the ledger. */
async function call(name: string, args: JsonObject): Promise<{ data?: JsonObject; code?: string; message?: string }> {
  const options = { tools, workspace, notes, timezone: 'Asia/Shanghai' };
  const state = stateWith({ ledger });
  const fact = await prepared(options, callOf(name, args), state);
  if (fact.event_type === 'call.reject') return { code: fact.data.code, message: fact.data.message };
  const { arguments: ready } = fact.data as Extract<Fact, { event_type: 'call.prepare' }>['data'];
  const { result } = await acted(options, callOf(name, ready), state);
  ledger = [...ledger, { name, arguments: ready, success: result.success, ms: 1 }];
  return result.success ? { data: result.data as JsonObject } : { code: result.error.code, message: result.error.message };
}

test('built-in tools, each with a when-to-use, two examples or more in both languages, and examples that are valid calls', async () => {
  assert.deepEqual(diagnostics, []);
  mkdirSync(join(workspace, 'src'));
  const edited = { 'todo.txt': 'buy milk', '报告.md': '草稿', 'src/app.ts': '  console.log(state);\n' };
  for (const [path, text] of Object.entries(edited)) writeFileSync(join(workspace, path), text);
  const ledger = Object.keys(edited).map((path) => ({ name: 'read_file', arguments: { path }, success: true, ms: 1 }));
  const names =
    'calculator current_time edit_file list_files notes_get notes_set read_file read_result remember search_files shell write_file'.split(
      ' ',
    );
  const missing = names.filter((name) => !tools.some(({ info }) => info.name === name));
  assert.deepEqual(missing, []);
  const settings = {
    shell: { sandbox: false },
    send_email: { host: 'mail.example.com', from: 'me@example.com' },
    web_search: { url: 'http://x/' },
  };
  for (const { info } of tools) {
    assert.match(info.description, /Use it (?:for|to|when)/, info.name);
    assert.ok(info.description.split(/\.\s/).length <= 2, `${info.name}: at most two sentences`);
    const requests = (info.examples ?? []).map(({ request }) => request);
    assert.ok(requests.some((one) => /\p{Script=Han}/u.test(one)) && requests.some((one) => !/\p{Script=Han}/u.test(one)), info.name);
    assert.match(info.keywords ?? '', /[a-z].*\p{Script=Han}/u);
    for (const { arguments: args } of info.examples ?? []) {
      const on = stage();
      await createToolbox({ tools, workspace, settings }).prepare(stateWith({ ledger }), [callOf(info.name, args)], on);
      const [fact] = on.facts;
      const isUnset = fact?.event_type === 'call.reject' && fact.data.code === 'not_set_up';
      assert.ok(isUnset || fact?.event_type === 'call.prepare', `${info.name} ${JSON.stringify(fact)}`);
    }
  }
  const acting = 'browser edit_file http_request send_email shell write_file'.split(' ');
  const levels = tools.filter(({ info }) => (info.level === 'read') === acting.includes(info.name)).map(({ info }) => info.name);
  assert.deepEqual(levels, [], 'what acts is no reading tool, and what only looks is one');
});

test('remember: facts are noted, one fact alone too', async () => {
  assert.deepEqual((await call('remember', { facts: ['用户对花生过敏。', 'The user lives in Oslo.'] })).data, { noted: 2 });
  assert.deepEqual((await call('remember', { fact: 'The user lives in Oslo.' })).data, { noted: 1 });
  assert.equal((await call('remember', { facts: [] })).data, undefined);
});

test('calculator: arithmetic as people write it, exact, and nothing but arithmetic', async () => {
  const cases: [string, number][] = [
    ['(13+27)*4', 160],
    ['（１３＋２７）×４＝？', 160],
    ['12 ÷ 4 − 1', 2],
    ['2^10', 1024],
    ['2**3', 8],
    ['3²', 9],
    ['√16 + sqrt(9)', 7],
    ['15% * 240', 36],
    ['200 + 10%', 200.1],
    ['17 % 5', 2],
    ['0.1 + 0.2', 0.3],
    ['2*π', 2 * Math.PI],
    ['max(1, 2, 3) - abs(-1)', 2],
    ['log10(1000) + ln(E)', 4],
    ['-3^2', -9],
    ['5!', 120],
    ['9007199254740991 * 1', 9007199254740991],
    ['[1+{2*3}] 等于多少', 7],
  ];
  for (const [expression, result] of cases) {
    const { data, message } = await call('calculator', { expression });
    assert.deepEqual(data, { result: Number.isInteger(result) ? result : Number(result.toPrecision(15)) }, `${expression}: ${message}`);
  }
  const wrong = [
    '1 +',
    'x + 1',
    'process.exit(1)',
    '"a" + "b"',
    'a = 5',
    '1; 2',
    'constructor',
    'f(x) = x',
    'log(10)',
    '1 2',
    'random()',
    '__proto__',
    '[1, 2]',
  ];
  for (const expression of wrong) assert.equal((await call('calculator', { expression })).code, 'bad_expression', expression);
  for (const expression of ['1/0', '0/0', '10^10^10', '1e9!'])
    assert.equal((await call('calculator', { expression })).code, 'no_finite_value', expression);
  assert.equal((await call('calculator', { expression: '1+'.repeat(400) })).code, 'invalid_arguments');
  const began = performance.now();
  await call('calculator', { expression: '('.repeat(499) });
  assert.ok(performance.now() - began < 1000);
});

test('current_time: the zone asked for, else the one of the user; a wrong zone is told with a right one', async () => {
  const before = Date.now() - 1000;
  const { data } = await call('current_time', { time_zone: 'America/New_York' });
  const { time_zone, time, date, weekday, iso } = data as Record<string, string>;
  assert.equal(time_zone, 'America/New_York');
  assert.match(iso!, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d-0[45]:00$/);
  assert.ok(Date.parse(iso!) >= before - 1000 && Date.parse(iso!) <= Date.now());
  assert.equal(iso!.slice(0, 16), `${date}T${time}`);
  assert.equal(weekday, new Date(`${date}T12:00:00Z`).toLocaleDateString('en-US', { weekday: 'long', timeZone: 'UTC' }));
  assert.match(((await call('current_time', {})).data as { iso: string }).iso, /\+08:00$/);
  assert.match(((await call('current_time', { time_zone: 'UTC' })).data as { iso: string }).iso, /\+00:00$/);
  assert.equal(((await call('current_time', { timezone: 'Tokyo' })).data as { time_zone: string }).time_zone, 'Asia/Tokyo');
  assert.match(
    (await call('current_time', { timezone: 'Asia/Tokio' })).message!,
    /"Asia\/Tokio" is no IANA time zone; did you mean Asia\/Tokyo\?/,
  );
});

test('notes: kept, read back by a similar key, listed, deleted', async () => {
  assert.deepEqual((await call('notes_get', {})).data, { keys: [], count: 0 });
  assert.deepEqual((await call('notes_set', { key: ' 门禁密码 ', value: '8841' })).data, { saved: '门禁密码' });
  await call('notes_set', { key: 'shoe size', value: '43' });
  assert.deepEqual((await call('notes_get', { key: '门禁密码' })).data, { key: '门禁密码', value: '8841' });
  for (const key of ['Shoe-Size', 'my shoe size', 'shoe'])
    assert.deepEqual((await call('notes_get', { key })).data, { key: 'shoe size', value: '43' }, key);
  assert.match((await call('notes_get', { key: 'wifi' })).message!, /no note "wifi"; the notes are: 门禁密码, shoe size/);
  assert.deepEqual((await call('notes_set', { key: 'shoe size', value: '' })).data, { deleted: 'shoe size' });
  assert.equal((await call('notes_get', { key: 'shoe size' })).code, 'no_such_note');
});

test('read_file: texts of all kinds, by lines; no folders, no binary files', async () => {
  writeFileSync(join(workspace, '计划.md'), '\ufeff第一行\r\n第二行');
  writeFileSync(join(workspace, 'gbk.txt'), Buffer.from([0xc4, 0xe3, 0xba, 0xc3]));
  writeFileSync(join(workspace, 'utf16.txt'), Buffer.from('\ufeff你好', 'utf16le'));
  writeFileSync(join(workspace, 'image.bin'), Buffer.from([1, 0, 2]));
  writeFileSync(join(workspace, 'long.txt'), Array.from({ length: 2000 }, (_, i) => `line ${i + 1}`).join('\n'));
  writeFileSync(join(workspace, 'wide.txt'), '好'.repeat(50_000));
  mkdirSync(join(workspace, 'folder'));
  execFileSync('mkfifo', [join(workspace, 'pipe')]);
  assert.deepEqual((await call('read_file', { path: '计划.md' })).data, { path: '计划.md', content: '第一行\r\n第二行', lines: 2 });
  assert.equal((await call('read_file', { path: 'gbk.txt' })).data!.content, '你好');
  assert.equal((await call('read_file', { path: join(workspace, 'utf16.txt') })).data!.content, '你好');
  writeFileSync(join(workspace, 'ended.txt'), 'one\ntwo\n');
  writeFileSync(join(workspace, 'empty.txt'), '');
  assert.deepEqual((await call('read_file', { path: 'ended.txt' })).data, { path: 'ended.txt', content: 'one\ntwo\n', lines: 2 });
  assert.deepEqual((await call('read_file', { path: 'ended.txt', lines: 2, from_line: 2 })).data!.content, 'two');
  assert.equal((await call('read_file', { path: 'ended.txt', from_line: 3 })).code, 'no_such_line');
  assert.deepEqual((await call('read_file', { path: 'empty.txt' })).data, { path: 'empty.txt', content: '', lines: 0 });
  const part = (await call('read_file', { file: 'long.txt', offset: '11', limit: 2 })).data!;
  assert.deepEqual([part.content, part.next], ['line 11\nline 12', 'lines 13 to 2000 are not shown; go on with from_line 13']);
  assert.equal((await call('read_file', { path: 'long.txt' })).data!.next, 'lines 501 to 2000 are not shown; go on with from_line 501');
  assert.match((await call('read_file', { path: 'wide.txt' })).data!.content as string, /^好{14000} \[line cut\]$/);
  const refused = { 'image.bin': 'binary_file', folder: 'is_folder', 'no.txt': 'not_found', pipe: 'no_file', '': 'invalid_arguments' };
  for (const [path, code] of Object.entries(refused)) assert.equal((await call('read_file', { path })).code, code, path);
  assert.equal((await call('read_file', { path: '计划.md', from_line: 3 })).code, 'no_such_line');
});

test('list_files: names, folders and links, also deeper', async () => {
  mkdirSync(join(workspace, 'a/b'), { recursive: true });
  mkdirSync(join(workspace, '.git'));
  mkdirSync(join(workspace, '.hermes')); // what the program itself keeps is not shown
  mkdirSync(join(workspace, 'a/.hermes'));
  for (const name of ['报告.md', 'a/x.txt', 'a/b/y.txt', '.git/config', '.hermes/hermes.db', 'a/.hermes/hermes.db'])
    writeFileSync(join(workspace, name), '');
  symlinkSync(outer, join(workspace, 'link'));
  assert.deepEqual((await call('list_files', {})).data, { path: '.', entries: ['.git/', 'a/', 'link (link)', '报告.md'] });
  const deep = (await call('list_files', { recursive: 'true' })).data!.entries as string[];
  assert.deepEqual(deep, ['.git/', 'a/', 'a/b/', 'a/b/y.txt', 'a/x.txt', 'link (link)', '报告.md']);
  assert.equal((await call('list_files', { path: 'link' })).code, 'outside_workspace');
  assert.equal((await call('list_files', { path: 'a/x.txt' })).code, 'no_folder');
  for (let i = 0; i < 400; i++) writeFileSync(join(workspace, `${i}.txt`), '');
  assert.equal(((await call('list_files', {})).data!.entries as string[]).length, 300);
});

test('write_file: new files, folders made, existing ones only after they were read or with overwrite', async () => {
  ledger = [];
  const made = await call('write_file', { path: 'new/深/file.txt', content: 'eins\r\n二' });
  assert.deepEqual(made.data, { path: 'new/深/file.txt', bytes: 9, created: true });
  assert.equal(readFileSync(join(workspace, 'new/深/file.txt'), 'utf8'), 'eins\r\n二');
  writeFileSync(join(workspace, 'old.sh'), 'old');
  chmodSync(join(workspace, 'old.sh'), 0o750);
  assert.equal((await call('write_file', { path: 'old.sh', content: 'new' })).code, 'unread_file');
  assert.equal(readFileSync(join(workspace, 'old.sh'), 'utf8'), 'old');
  await call('read_file', { path: './old.sh' });
  assert.deepEqual((await call('write_file', { path: 'old.sh', content: 'new' })).data, { path: 'old.sh', bytes: 3, created: false });
  assert.equal(statSync(join(workspace, 'old.sh')).mode & 0o777, 0o750);
  ledger = [];
  assert.equal((await call('write_file', { path: 'old.sh', content: 'newer', overwrite: true })).data!.created, false);
  assert.deepEqual(readdirSync(workspace), ['new', 'old.sh']); // no temporary file is left
});

test('no path leads out of the workspace, through links or git, or into what the program itself owns', async () => {
  mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
  mkdirSync(join(workspace, 'sub'));
  writeFileSync(join(workspace, 'inside.txt'), 'inside');
  symlinkSync(outer, join(workspace, 'out'));
  symlinkSync(join(outer, 'secret.txt'), join(workspace, 'last.txt'));
  symlinkSync(join(outer, 'not-there.txt'), join(workspace, 'dangling.txt'));
  symlinkSync(join(outer, 'not-there'), join(workspace, 'dangling-folder'));
  symlinkSync('inside.txt', join(workspace, 'harmless.txt'));
  symlinkSync('.git', join(workspace, 'innocent'));
  assert.equal((await call('read_file', { path: 'harmless.txt' })).data!.content, 'inside');
  const escapes = [
    '../secret.txt',
    'sub/../../secret.txt',
    join(outer, 'secret.txt'),
    'out/secret.txt',
    'last.txt',
    `${workspace}/../secret.txt`,
    '~/secret.txt',
    '~',
    'C:\\secret.txt',
  ];
  for (const path of escapes) {
    const { code, message } = await call('read_file', { path });
    assert.equal(code, 'outside_workspace', path);
    assert.ok(!message!.includes('outside\n'));
  }
  assert.equal((await call('read_file', { path: 'a\u0000b' })).code, 'bad_path');
  const writes: Record<string, string> = {
    ...Object.fromEntries(escapes.map((path) => [path, 'outside_workspace'])),
    'last.txt': 'is_link',
    'dangling.txt': 'is_link',
    'harmless.txt': 'is_link',
    'dangling-folder/x.txt': 'outside_workspace',
    'out/new.txt': 'outside_workspace',
    '.git/hooks/pre-commit': 'protected_path',
    '.GIT/hooks/pre-commit': 'protected_path',
    'innocent/hooks/pre-commit': 'protected_path',
    'sub/.git': 'protected_path',
    '.hermes/hermes.db': 'protected_path',
    'hermes_config.toml': 'protected_path',
    '.mcp.json': 'protected_path',
    '.env': 'protected_path',
    '.': 'outside_workspace',
    sub: 'no_file',
  };
  for (const [path, code] of Object.entries(writes)) {
    assert.equal((await call('write_file', { path, content: 'x', overwrite: true })).code, code, path);
  }
  assert.deepEqual(readdirSync(outer).sort(), ['secret.txt', 'workspace']);
  assert.equal(readFileSync(join(outer, 'secret.txt'), 'utf8'), 'outside');
  assert.ok(!existsSync(join(workspace, '.git/hooks/pre-commit')) && !existsSync(join(workspace, '~')));
  assert.equal((await call('write_file', { path: '~draft.txt', content: 'x' })).data!.created, true);
});

test('a write that fails leaves the old file, and nothing half-written', async () => {
  ledger = [];
  writeFileSync(join(workspace, 'file.txt'), 'old');
  writeFileSync(join(workspace, 'no-folder'), '');
  const { code } = await call('write_file', { path: 'no-folder/x.txt', content: 'x' });
  assert.ok(code === 'ENOTDIR' || code === 'EEXIST' || code === 'outside_workspace', code);
  assert.deepEqual(readdirSync(workspace).sort(), ['file.txt', 'no-folder']);
});
