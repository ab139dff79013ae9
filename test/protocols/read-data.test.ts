/** The readers on much material: the shared cases, JSON broken in every way with another seed, and hostile texts. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual, promisify } from 'node:util';
import { hostileInputs } from '../../bench/json-hostile.ts';
import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { readCalls } from '../../src/protocols/read-calls.ts';
import { readArguments, readJson } from '../../src/protocols/read-json.ts';
import { HARD_VALUES, MUTATIONS, randomFrom, spaced } from './mutations.ts';

const root = resolve(import.meta.dirname, '../..');
const data = resolve(root, '../shared/data');
const bench = join(root, 'bench/json.ts');

interface Figure {
  name: string;
  value: number;
  ok: boolean;
}
async function runBench(...files: string[]): Promise<{ code: number; figures: Figure[] }> {
  const run = promisify(execFile)(process.execPath, [bench, ...files, '--json'], { maxBuffer: 10_000_000 });
  const { stdout, code } = await run.then(
    (done) => ({ ...done, code: 0 }),
    (failed: { stdout: string; code: number }) => failed,
  );
  return { code, figures: stdout === '' ? [] : (JSON.parse(stdout) as Figure[]) };
}
/** Times are judged by the bench only. */
const judged = (figures: readonly Figure[]): Figure[] => figures.filter(({ name }) => !name.startsWith('block_ms_'));

test('the goals hold on the shared cases', async (context) => {
  if (!existsSync(join(data, 'broken-json'))) return context.skip('../shared/data/broken-json is not there');
  const { figures } = await runBench();
  assert.equal(judged(figures).length, 5);
  assert.deepEqual(
    judged(figures).filter(({ ok }) => !ok),
    [],
  );
});

test('the bench reads any file of the same fields, tells the kinds apart by line and fails when a goal is missed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-read-'));
  try {
    const file = join(folder, 'cases.jsonl');
    const write = (...rows: unknown[]): void => writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
    write(
      { group: 'g', input: '{"a": 1,}', expected: { a: 1 } },
      { group: 'g', input: '{"a": "x', expected: { a: 'xy' }, truncated: true },
      { id: 'h', group: 'h', input: '<tool_call>{"name": "f"}</tool_call>', expected_calls: [{ name: 'f', arguments: {} }] },
      { id: 'n', group: 'h', input: '', expected_args: {} },
      { file: 'o.go', name: 'o', input: 'hello', calls: null },
    );
    const good = await runBench(file);
    assert.deepEqual(
      judged(good.figures).map(({ name, value }) => [name, value]),
      [
        ['synth_right_percent', 100],
        ['synth_silently_wrong_percent', 0],
        ['truncated_refused_percent', 100],
        ['hand_right', 2],
        ['ollama_right_percent', 100],
      ],
    );
    write({ group: 'g', input: '{"a": 1}', expected: { a: 2 } });
    const wrong = await runBench(file);
    assert.equal(wrong.code, 1);
    assert.deepEqual(
      judged(wrong.figures).map(({ ok }) => ok),
      [false, false],
    );
    assert.equal((await runBench(join(folder, 'missing.jsonl'))).code, 2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Gold calls of BFCL when they are there, and our own hard ones. */
function values(): JsonObject[] {
  const own = [...HARD_VALUES];
  const file = join(data, 'bfcl/simple_python.answers.jsonl');
  if (!existsSync(file)) return own;
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const [[name, accepted]] = Object.entries(
      (JSON.parse(line) as { ground_truth: Record<string, Record<string, Json[]>>[] }).ground_truth[0]!,
    ) as [[string, Record<string, Json[]>]];
    const args = Object.entries(accepted).flatMap(([key, choices]) =>
      choices
        .filter((choice) => choice !== '')
        .slice(0, 1)
        .map((choice) => [key, choice] as const),
    );
    own.push({ name, arguments: Object.fromEntries(args) });
  }
  return own;
}

test('JSON that was broken in any of these ways is read right, and never silently wrong', () => {
  const random = randomFrom(20_261);
  const totals = { right: 0, all: 0 };
  for (const [kind, mutate] of Object.entries(MUTATIONS)) {
    for (const value of values()) {
      const text = mutate(value, random);
      if (text === undefined) continue;
      const reading = readJson(text);
      totals.all++;
      if (!reading.ok) continue;
      assert.ok(isDeepStrictEqual(reading.value, value), `${kind}: ${text}\n${JSON.stringify(reading)}`);
      totals.right++;
    }
  }
  assert.ok(totals.right / totals.all >= 0.995, JSON.stringify(totals));
});

test('a broken call in a tag reads as itself, beside another one', () => {
  const random = randomFrom(7_919);
  const totals = { right: 0, all: 0 };
  const other = { name: 'other', arguments: { q: 1 } };
  for (const [kind, mutate] of Object.entries(MUTATIONS)) {
    for (const value of values().filter((_, i) => i < HARD_VALUES.length || i % 7 === 0)) {
      const text = mutate(value, random);
      if (text === undefined) continue;
      const { calls } = readCalls(`Hi.<tool_call>${text}</tool_call><tool_call>${JSON.stringify(other)}</tool_call>`);
      const got = calls.map((call) => ({ name: call.name, arguments: call.arguments }));
      totals.all++;
      if (isDeepStrictEqual(got, [value, other])) totals.right++;
      else assert.ok(isDeepStrictEqual(got, [other]) || got.length === 0, `${kind}: ${text}\n${JSON.stringify(got)}`);
    }
  }
  assert.ok(totals.right / totals.all >= 0.99, JSON.stringify(totals));
});

test('a valid call that is cut anywhere is refused when the finish reason says so, and nearly always without it', () => {
  let silent = 0;
  let all = 0;
  for (const value of values()) {
    const whole = spaced(value);
    for (let end = 1; end < whole.length; end++) {
      const text = whole.slice(0, end);
      assert.equal(readJson(text, { cut: true }).ok, false, text);
      if (/^[}\]]+$/.test(whole.slice(end))) continue;
      all++;
      const reading = readJson(text);
      if (!reading.ok) continue;
      silent++;
      // Only right behind a complete value; nothing there tells a cut from forgotten brackets.
      assert.match(text, /(?:["\d}\]]|true|false|null)$/);
      assert.deepEqual(reading.repairs, ['missing_bracket'], text);
    }
  }
  assert.ok(silent / all < 0.05, `${silent} of ${all}`);
});

test('valid calls are never changed', () => {
  for (const value of values()) {
    const reading = readArguments(JSON.stringify(value));
    assert.deepEqual(reading, { ok: true, value, repairs: [] });
  }
});

test('hostile texts end soon, with a value or a reason', () => {
  for (const { name, text } of hostileInputs()) {
    const start = performance.now();
    const readings = [readJson(text), readArguments(text)];
    const calls = readCalls(text, { tools: ['f'] });
    // The bench judges 200 ms a call; this bound only catches what is not linear.
    assert.ok(performance.now() - start < 3000, name);
    for (const reading of readings) assert.equal(typeof JSON.stringify(reading), 'string', name);
    assert.ok(Array.isArray(calls.problems), name);
  }
  assert.equal(readJson('['.repeat(100_000)).ok, false);
  assert.deepEqual(readJson(`${'['.repeat(100_000)}${']'.repeat(100_000)}`).ok, false);
  assert.equal(readJson(JSON.stringify('x'.repeat(1024 * 1024))).ok, true);
  assert.equal(readJson('x'.repeat(5_000_000)).ok, false);
});
