/** edit_file, search_files and the large files of read_file: real folders, every encoding, with ripgrep and without. */

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { Agent, type Approver } from '../../src/index.ts';
import type { CallRecord, Fact, JsonObject } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { compileGlob } from '../../src/tools/files/glob.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared, stateWith } from './performing.ts';

const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-files-')));
after(() => rmSync(workspace, { recursive: true, force: true }));
let ledger: CallRecord[] = [];
beforeEach(() => {
  rmSync(workspace, { recursive: true, force: true });
  mkdirSync(workspace);
  ledger = [];
});

interface Called {
  data?: JsonObject;
  code?: string;
  message?: string;
  preview?: string;
}

async function call(name: string, args: JsonObject, meanwhile?: () => void): Promise<Called> {
  const options = { tools, workspace };
  const state = stateWith({ ledger });
  const fact = await prepared(options, callOf(name, args), state);
  if (fact.event_type === 'call.reject') return { code: fact.data.code, message: fact.data.message };
  const { arguments: ready, preview } = fact.data as Extract<Fact, { event_type: 'call.prepare' }>['data'];
  meanwhile?.();
  const approved = preview === undefined ? {} : { approved: true as const, preview };
  const { result } = await acted(options, callOf(name, ready, approved), state);
  ledger = [...ledger, { name, arguments: ready, success: result.success, ms: 1 }];
  const shown = preview === undefined ? {} : { preview };
  return result.success
    ? { data: result.data as JsonObject, ...shown }
    : { code: result.error.code, message: result.error.message, ...shown };
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}
const bytesOf = (path: string) => readFileSync(join(workspace, path));
/** 第一行：旧 CRLF 第二行 in GBK. */
const GBK = Buffer.from('b5dad2bbd0d0a3babec90d0ab5dab6fed0d0', 'hex');

test('edit_file: the one place changes, everything else stays byte by byte', async () => {
  put('a.txt', 'eins\nzwei\ndrei\n');
  assert.equal((await call('edit_file', { path: 'a.txt', old_text: 'zwei', new_text: '2' })).code, 'unread_file');
  await call('read_file', { path: './a.txt' });
  const done = await call('edit_file', { file: 'a.txt', old_string: 'zwei', new_string: '二' });
  assert.deepEqual(done.data, { path: 'a.txt', replaced: 1, bytes: 14 });
  assert.match(done.preview!, /^@@ 1 @@\n eins\n-zwei\n\+二\n drei/);
  assert.equal(bytesOf('a.txt').toString(), 'eins\n二\ndrei\n');
  await call('edit_file', { path: 'a.txt', old_text: '二\n', new_text: '' });
  assert.equal(bytesOf('a.txt').toString(), 'eins\ndrei\n');
});

test('edit_file: CRLF, byte order marks, GBK and UTF-16 survive', async () => {
  const cases: [string, Buffer, JsonObject, Buffer][] = [
    ['crlf.txt', Buffer.from('\ufeffa\r\nb\r\nc'), { old_text: 'a\nb', new_text: 'x\ny\nz' }, Buffer.from('\ufeffx\r\ny\r\nz\r\nc')],
    ['mixed.txt', Buffer.from('a\r\nb\nc\n'), { old_text: 'b\nc', new_text: 'd\ne' }, Buffer.from('a\r\nd\ne\n')],
    ['gbk.txt', GBK, { old_text: '旧', new_text: '新' }, Buffer.from('b5dad2bbd0d0a3bad0c20d0ab5dab6fed0d0', 'hex')],
    ['u16.txt', Buffer.from('\ufeff旧的', 'utf16le'), { old_text: '旧', new_text: '新😀' }, Buffer.from('\ufeff新😀的', 'utf16le')],
    [
      'be.txt',
      Buffer.from('\ufeffold', 'utf16le').swap16(),
      { old_text: 'old', new_text: '新' },
      Buffer.from('\ufeff新', 'utf16le').swap16(),
    ],
  ];
  for (const [path, before, change, wanted] of cases) {
    put(path, before);
    await call('read_file', { path });
    assert.equal((await call('edit_file', { path, ...change })).data?.replaced, 1, path);
    assert.equal(bytesOf(path).toString('hex'), wanted.toString('hex'), path);
  }
  put('whole.txt', GBK);
  await call('read_file', { path: 'whole.txt' });
  assert.equal((await call('write_file', { path: 'whole.txt', content: '第二行\n旧' })).data!.encoding, 'gb18030');
  assert.equal(bytesOf('whole.txt').toString('hex'), 'b5dab6fed0d00d0abec9');
});

test('edit_file: a text that is not there is answered with the nearest, one that is there twice with its lines', async () => {
  put('app.ts', ['function add(a: number, b: number) {', '    return a + b;', '}', '', 'let total = 1;', 'let total = 1;'].join('\n'));
  await call('read_file', { path: 'app.ts' });
  const near = await call('edit_file', {
    path: 'app.ts',
    old_text: 'function add(a: number, b: number) {\n  return a + b;',
    new_text: 'x',
  });
  assert.equal(near.code, 'no_match');
  assert.match(
    near.message!,
    /lines 1 to 2, which differ in spaces or line breaks only:\nfunction add\(a: number, b: number\) \{\n {4}return a \+ b;/,
  );
  const twice = await call('edit_file', { path: 'app.ts', old_text: 'let total = 1;', new_text: 'let total = 2;' });
  assert.deepEqual([twice.code, /lines 5, 6/.test(twice.message!)], ['not_unique', true]);
  const all = await call('edit_file', { path: 'app.ts', old_text: 'let total = 1;', new_text: 'let total = 2;', replace_all: true });
  assert.equal(all.data!.replaced, 2);
  put('报告.md', '本季度的销售额是一百万元。\n');
  const zh = await call('edit_file', { path: '报告.md', old_text: '本季度销售额是一百万元', new_text: 'x' });
  assert.match(zh.message!, /lines 1 to 1:\n本季度的销售额是一百万元。/);
});

test('edit_file: what was agreed to is what is done; no links, no folders, nothing binary or protected', async () => {
  put('a.txt', 'old\n');
  await call('read_file', { path: 'a.txt' });
  const swap = () => appendFileSync(join(workspace, 'a.txt'), 'more\n');
  const outdated = await call('edit_file', { path: 'a.txt', old_text: 'old', new_text: 'new' }, swap);
  assert.equal(outdated.code, 'approval_outdated');
  assert.equal(bytesOf('a.txt').toString(), 'old\nmore\n');
  put('b.bin', Buffer.from([1, 0, 2]));
  put('.env', 'KEY=1');
  put('sub/x', '');
  symlinkSync('a.txt', join(workspace, 'link.txt'));
  const codes = { 'b.bin': 'not_text', '.env': 'protected_path', 'link.txt': 'is_link', sub: 'no_file', 'none/x.txt': 'not_found' };
  for (const [path, code] of Object.entries(codes)) {
    assert.equal((await call('edit_file', { path, old_text: 'old', new_text: 'x' })).code, code, path);
  }
  assert.equal((await call('edit_file', { path: '../x', old_text: 'old', new_text: 'x' })).code, 'outside_workspace');
});

test('what cannot be done is refused before anybody is asked; a file that the same reply reads first counts as read', async () => {
  put('a.txt', 'old\n');
  const asked: string[] = [];
  const edit = { name: 'edit_file', arguments: { path: 'a.txt', old_text: 'old', new_text: 'new' } };
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: '新' } };
  const read = { name: 'read_file', arguments: { path: 'a.txt' } };
  const codes = async (...calls: { name: string; arguments: JsonObject }[]) => {
    const onApproval: Approver = async (question) => asked.push(...question.calls.map(({ name }) => name)) > 0;
    const agent = new Agent({ model: scriptedModel([{ calls }, 'done']), tools, workspace, onApproval });
    return (await agent.run('do it')).toolCalls.map(({ errorCode }) => errorCode);
  };
  assert.deepEqual([await codes(edit), await codes(write), asked], [['unread_file'], ['unread_file'], []]);
  assert.deepEqual([await codes(read, edit), asked], [[undefined, undefined], ['edit_file']]);
  assert.deepEqual(await codes({ ...write, arguments: { ...write.arguments, overwrite: true } }), [undefined]);
  assert.deepEqual(await codes(read, write), [undefined, undefined]);
  assert.equal(bytesOf('a.txt').toString(), '新');
});

function searchable(): void {
  put('src/a.ts', 'const one = 1;\nexport function parseDate() {}\n');
  put('src/deep/b.ts', 'parsedate();\n');
  put('notes/会议.md', '# 会议\n季度预算下周定稿\n其他\n');
  put('gbk.txt', GBK);
  put('dist/out.ts', 'parseDate');
  put('logs/x.log', 'parseDate');
  put('logs/keep.log', 'parseDate');
  put('.gitignore', 'dist/\n*.log\n!keep.log\n');
  put('.env', 'parseDate=1');
  put('node_modules/x/i.js', 'parseDate');
  put('pic.bin', Buffer.from('parseDate\0'));
  symlinkSync(dirname(workspace), join(workspace, 'out'));
}

const lines = (result: Called) => (result.data!.files as { path: string; lines: string[] }[]).map((hit) => [hit.path, ...hit.lines]);

for (const engine of ['ripgrep', 'own']) {
  test(`search_files by ${engine}: text, Chinese in every encoding, what is ignored or secret is not looked at`, async (t) => {
    if (engine === 'own') {
      const { PATH } = process.env;
      process.env.PATH = '/nowhere';
      t.after(() => {
        process.env.PATH = PATH;
      });
    }
    searchable();
    assert.deepEqual(lines(await call('search_files', { query: 'parseDate' })), [
      ['logs/keep.log', '1: parseDate'],
      ['src/a.ts', '2: export function parseDate() {}'],
      ['src/deep/b.ts', '1: parsedate();'],
    ]);
    const exact = await call('search_files', { query: 'parseDate', name: '*.ts', case_sensitive: true, context: 1 });
    assert.deepEqual(lines(exact), [
      ['src/a.ts', '1- const one = 1;', '2: export function parseDate() {}', ...(engine === 'own' ? ['3- '] : [])],
    ]);
    assert.deepEqual(lines(await call('search_files', { 关键词: '季度预算' })), [['notes/会议.md', '2: 季度预算下周定稿']]);
    assert.deepEqual(lines(await call('search_files', { query: '第二行' })), [['gbk.txt', '2: 第二行']]);
    assert.deepEqual(lines(await call('search_files', { query: 'par\\w+\\(\\)', regex: true, path: 'src/deep' })), [
      ['src/deep/b.ts', '1: parsedate();'],
    ]);
    assert.deepEqual(lines(await call('search_files', { query: 'parse(?=Date)', regex: true, path: 'src', case_sensitive: true })), [
      ['src/a.ts', '2: export function parseDate() {}'],
    ]);
    assert.equal((await call('search_files', { query: 'a(', regex: true })).code, 'bad_pattern');
    assert.equal((await call('search_files', { query: 'x', path: 'out' })).code, 'outside_workspace');
    for (const query of ['x', 'KEY']) assert.deepEqual((await call('search_files', { query, path: '.gitignore' })).data!.files, []);
    assert.equal((await call('search_files', { query: 'KEY', path: '.env' })).code, 'secret_file');
  });
}

test('search_files: names alone, limits, and nothing to find', async () => {
  searchable();
  assert.deepEqual((await call('search_files', { name: '*.ts' })).data!.files, ['src/a.ts', 'src/deep/b.ts']);
  assert.deepEqual((await call('search_files', { name: 'src/**/b.*', path: '.' })).data!.files, ['src/deep/b.ts']);
  assert.deepEqual((await call('search_files', { name: '会*' })).data!.files, ['notes/会议.md']);
  assert.deepEqual((await call('search_files', { name: '*.log', path: 'logs' })).data!.files, ['logs/keep.log']);
  assert.equal((await call('search_files', {})).code, 'nothing_to_find');
  put('many.txt', 'word\n'.repeat(500));
  const few = (await call('search_files', { query: 'word', max_results: 3 })).data!;
  assert.deepEqual([few.matches, /only the first 3 found lines/.test(few.next as string)], [3, true]);
});

test('a pattern or name that explodes elsewhere takes no time here', () => {
  const began = performance.now();
  assert.equal(compileGlob(`${'*a'.repeat(60)}b`)('a'.repeat(250)), false);
  assert.equal(compileGlob(`${'**/a/'.repeat(60)}b`)('a/'.repeat(250)), false);
  assert.ok(performance.now() - began < 1000);
});

test('read_file: parts of a file of 30 MB, and what a binary file is', async () => {
  const line = `${'0123456789'.repeat(10)}行\n`;
  put('big.log', line.repeat(300_000));
  const part = (await call('read_file', { path: 'big.log', from_line: 299_999, lines: 5 })).data!;
  assert.deepEqual([part.content, part.bytes], [`${line}${line.trimEnd()}`, 31_200_000]);
  assert.equal(part.next, undefined);
  const first = (await call('read_file', { path: 'big.log', lines: 1 })).data!;
  assert.equal(first.next, 'it goes on; read from_line 2, or search_files');
  assert.equal((await call('read_file', { path: 'big.log', from_line: 999_999 })).code, 'no_such_line');
  put('x.pdf', Buffer.from('%PDF-1.7\n\0'));
  const { tools: _, ...found } = { tools, ...(await call('read_file', { path: 'x.pdf' })) };
  assert.equal(found.code, 'binary_file');
});
