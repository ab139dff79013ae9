/** Display widths, tables and characters that must not act. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutToWidth, harmless, table, visible, widthOf, wrap } from '../../src/cli/text.ts';

test('widths are display columns: Chinese two, combined emoji two, accents none of their own', () => {
  assert.equal(widthOf('你好世界'), 8);
  assert.equal(widthOf('a你b'), 4);
  assert.equal(widthOf('👨‍👩‍👧'), 2);
  assert.equal(widthOf('e\u0301'), 1);
  assert.equal(widthOf('ｆｕｌｌ'), 8);
});

test('cutting never passes the width, never splits a character', () => {
  for (const text of ['你好世界', 'abcdefgh', 'a你b好c', '👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧']) {
    for (let columns = 1; columns <= 9; columns++) {
      const cut = cutToWidth(text, columns);
      assert.ok(widthOf(cut) <= columns, `${cut} in ${columns}`);
      assert.ok(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1))));
      assert.ok(cut.isWellFormed());
    }
  }
  assert.equal(cutToWidth('你好世界', 5), '你好…');
  assert.equal(cutToWidth('你好世界', 8), '你好世界');
});

test('columns of a table line up whatever the script, and fit 80 columns', () => {
  const rows = [
    ['名称', '描述', 'x'],
    ['calculator', '计算一个算术表达式，返回结果。'.repeat(8), 'read'],
    ['天气', 'weather of a city '.repeat(10), '只读'],
  ];
  const lines = table(rows, 80).trimEnd().split('\n');
  const lastColumn = (line: string, text: string) => widthOf(line.slice(0, line.lastIndexOf(text)));
  assert.deepEqual(
    [lastColumn(lines[0]!, 'x'), lastColumn(lines[1]!, 'read'), lastColumn(lines[2]!, '只读')],
    Array(3).fill(lastColumn(lines[0]!, 'x')),
  );
  for (const line of lines) assert.ok(widthOf(line) <= 80, line);
  assert.ok(table(rows).includes('计算一个算术表达式，返回结果。'.repeat(8)), 'nothing is cut in a pipe');
  assert.equal(table([['a\nb\tc', 'd']]), 'a b c  d\n', 'one row stays one line');
});

test('characters that could deceive the eye are written out, and dropped from what a model says', () => {
  assert.equal(visible('rm \u202efdp.x\u001b[2K\u200b\u{e0041}\r'), 'rm \\u{202e}fdp.x\\u{1b}[2K\\u{200b}\\u{e0041}\\u{d}');
  assert.equal(visible('你好\n\tok 😀'), '你好\n\tok 😀');
  assert.equal(harmless('a\u001b]0;title\u0007b\u202e\u{e0041}c 👨‍👩‍👧\n'), 'a]0;titlebc 👨‍👩‍👧\n');
});

test('wrapped lines keep to the width and lose nothing', () => {
  const text = `你好${' '.repeat(70)}世界abc\nshort`;
  const lines = wrap(text, 20);
  for (const line of lines) assert.ok(widthOf(line) <= 20);
  assert.equal(lines.join(''), text.replace('\n', ''));
  assert.deepEqual(wrap('', 20), ['']);
});
