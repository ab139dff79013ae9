/** Where long results are cut: never within a character as people see it, whatever kind of result it is, and in time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../src/kernel/types.ts';
import { tool } from '../../src/tools/define.ts';
import { linesOf } from '../../src/tools/shape/lines.ts';
import { readResult } from '../../src/tools/shape/read-result.ts';
import { shapeResult } from '../../src/tools/shape/shape.ts';
import { headOf, tailOf } from '../../src/tools/shape/text.ts';
import { acted, callOf, stateWith } from './performing.ts';

const FAMILY = '👨‍👩‍👧‍👦';
const FLAG = '🇨🇳';
const MARKED = `e${'\u0301'.repeat(30)}`;
const KNOWN = new Set([FAMILY, FLAG, MARKED]);
const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
const long = (part: string, length = 10_000_000) => part.repeat(Math.ceil(length / part.length));

/** Characters that are a part of one of ours. */
function broken(text: string): string[] {
  const found = [...graphemes.segment(text)].map(({ segment }) => segment);
  return found.filter(
    (one) =>
      (/[\u200d\u0301]|[\u{1F1E6}-\u{1F1FF}]/u.test(one) || FAMILY.includes(one)) && one.length > 0 && !KNOWN.has(one) && one !== 'e',
  );
}

const KINDS: Readonly<Record<string, Json>> = {
  text: long(`你好${FAMILY}${FLAG}${MARKED}，世界。`),
  families: long(FAMILY),
  flags: long(FLAG),
  flagsBehindOne: `a${long(FLAG)}`,
  marks: long(MARKED),
  page: `<html><head><title>标题${FAMILY}</title></head><body>${long(`<p>段落${FLAG} <a href="/${FAMILY}">链接${FAMILY}</a></p>`)}</body></html>`,
  jsonText: JSON.stringify(Array.from({ length: 100_000 }, (_, id) => ({ id, 名: long(FAMILY, 60) }))),
  list: Array.from({ length: 100_000 }, (_, id) => ({ id, 名: long(FLAG, 60) })),
  object: { 正文: long(`中文${FAMILY}`), n: 1 },
  table: `id,名,值\n${long(`1,${FAMILY}${FLAG},二\n`)}`,
  log: long(`2026-01-01 10:00:00 INFO ${FLAG}\n2026-01-01 10:00:01 ERROR 错误${long(FAMILY, 400)}\n`),
};

test('10 MB of each kind: within the limit, whole characters, well-formed', () => {
  for (const [kind, data] of Object.entries(KINDS))
    for (const limit of [2_000, 1_999, 503, 137, 40])
      for (const language of ['en', 'zh'] as const) {
        const size = typeof data === 'string' ? data.length : 10_000_000;
        const shown = shapeResult(data, { size, limit, language, handle: 'r1', summary: undefined, plain: undefined });
        assert.ok(shown.length <= limit && shown.isWellFormed(), `${kind} ${limit}`);
        assert.deepEqual(broken(shown), [], `${kind} ${limit} ${language}`);
      }
});

test('heads and tails at every length of a row of flags, families and marks', () => {
  for (const text of [
    long(FLAG, 900),
    `x${long(FLAG, 900)}`,
    long(FAMILY, 900),
    long(MARKED, 900),
    `${long(FLAG, 300)}中${long(FAMILY, 300)}`,
  ])
    for (let limit = 40; limit < 420; limit++) {
      assert.deepEqual([...broken(headOf(text, limit)), ...broken(tailOf(text, limit))], [], `${limit}`);
      assert.ok(headOf(text, limit).length > limit - 40 && tailOf(text, limit).length > limit - 40);
    }
  const one = `e${'\u0301'.repeat(5_000)}`; // a single character longer than any room
  assert.ok(headOf(one, 100).length <= 100);
  assert.equal(tailOf(one, 100), '');
});

test('a list is a list, whatever brackets stand in its texts', () => {
  const sad = Array.from({ length: 1_200 }, (_, id) => ({ id, text: 'oh no :( "[{(" \\' }));
  assert.equal(linesOf(JSON.stringify(sad)).length, sad.length);
});

test('10 MB of brackets are not read as JSON', { timeout: 20_000 }, () => {
  const text = '['.repeat(5_000_000) + ']'.repeat(5_000_000);
  const before = process.cpuUsage();
  shapeResult(text, { size: text.length, limit: 2_000, language: 'en', handle: 'r1', summary: undefined, plain: undefined });
  const { user, system } = process.cpuUsage(before);
  assert.ok((user + system) / 1000 < 1_000, `${(user + system) / 1000} ms`); // 30 where nothing else runs; it was 2,000 of JSON.parse
});

test('read_result finds what stands behind ellipses and ligatures, and begins and ends with whole characters', async () => {
  const lines = [
    `${'……'.repeat(600)}目标在此${'……'.repeat(600)}`,
    `${long(FAMILY, 1_000)}目标在此${long(FAMILY, 1_000)}`,
    `${long(FLAG, 1_000)}目标在此${long(FLAG, 1_000)}`,
    `${'ﬃ'.repeat(1_000)}目标在此`,
    `${'İ'.repeat(1_000)}目标在此`,
  ];
  const give = tool({ name: 'give', description: 'Gives.', level: 'read', input: { type: 'object' }, execute: () => lines.join('\n') });
  const state = stateWith();
  const kept = { handles: async () => ['r1'], read: async () => ({ name: 'give', text: lines.join('\n') }) };
  assert.ok((await acted({ tools: [give, readResult] }, callOf('give'), state)).handle);
  const read = (args: object) =>
    readResult.run(args as never, { context: { kept } } as never, () => undefined, {} as never) as Promise<string>;
  const found = await read({ result: 'r1', search: '目标在此', from_line: 1, lines: 40, from_character: 0 });
  const hits = found.split('\n').slice(1);
  assert.equal(hits.length, lines.length);
  for (const hit of hits) {
    assert.match(hit, /目标在此/);
    assert.ok(hit.isWellFormed());
    assert.deepEqual(broken(hit), [], hit);
  }
  for (let from_character = 1; from_character < 12; from_character++) {
    const part = await read({ result: 'r1', from_line: 2, lines: 1, from_character });
    assert.deepEqual(broken(part), [], `${from_character}`);
    assert.ok(part.isWellFormed());
  }
});
