/** The JSON Lines log, and verify over store and log. */

import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type LogProblem, logPath, openLog, removeLogs } from '../../src/journal/log.ts';
import { createMemoryStore } from '../../src/journal/memory.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import type { EventStore, Head } from '../../src/journal/store.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import { append, ended, identity, note, started, temporaryFolder, toolEnded } from './facts.ts';

interface Written {
  store: EventStore;
  logs: string;
  path: string;
  after: Head;
  problems: LogProblem[];
  /** The sizes of the file after each line. */
  ends: number[];
}

/** A run r1 of four events in store and log, the log closed. */
async function written(context: TestContext, store: EventStore = createMemoryStore()): Promise<Written> {
  const logs = join(temporaryFolder(context), 'logs');
  const problems: LogProblem[] = [];
  const log = openLog({ store, directory: logs, report: (problem) => problems.push(problem) });
  const after = await append(store, identity('r1'), [started(), note('two\u2028 \u0085'), toolEnded('long '.repeat(300)), note('four')]);
  await log.close();
  const path = logPath(logs, { run_id: 'r1', started: '2026-03-01T10:00:00.000Z' });
  const ends = [...readFileSync(path).entries()].filter(([, byte]) => byte === 10).map(([at]) => at + 1);
  return { store, logs, path, after, problems, ends };
}

async function goOn({ store, logs, problems, after }: Written, ...words: string[]): Promise<void> {
  const log = openLog({ store, directory: logs, report: (problem) => problems.push(problem) });
  await append(store, identity('r1'), words.map(note), { after });
  await log.close();
}

const codes = (items: readonly { code: string; seq?: number }[]) =>
  items.map(({ code, seq }) => (seq === undefined ? code : `${code} ${seq}`));
const verified = async ({ store, logs }: Written) => codes((await verifyRun(store, 'r1', logs)).problems);

test('one file a run, one event a line, private, texts over 1 KB by hash', async (context) => {
  const run = await written(context);
  assert.match(run.path, /2026-03-01.r1\.jsonl$/);
  const text = readFileSync(run.path, 'utf8');
  assert.equal(text.split(/[\n\u2028\u2029\u0085]/).length, 5, 'no other line separators');
  const events = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    events.map(({ seq }) => seq),
    [1, 2, 3, 4],
  );
  assert.equal(events[1].data.message, 'two\u2028 \u0085');
  assert.equal(events[2].data.shaped.bytes, 1500);
  assert.deepEqual([statSync(run.path).mode & 0o777, statSync(join(run.path, '..')).mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(await verifyRun(run.store, 'r1', run.logs), { ok: true, events: 4, problems: [] });
  assert.deepEqual(codes((await verifyRun(run.store, 'r2')).problems), ['unknown_run']);
  await goOn(run, 'five');
  assert.equal(readFileSync(run.path, 'utf8').split('\n').length, 6);
  assert.ok(readFileSync(run.path, 'utf8').startsWith(text), 'append-only');
  assert.deepEqual(await verified(run), []);
  await removeLogs(run.logs, [(await run.store.head('r1'))!]);
  assert.equal(existsSync(run.path), false);
});

test('the end of a run is written without being asked for, other events soon', async (context) => {
  const store = createMemoryStore();
  const directory = temporaryFolder(context);
  const log = openLog({ store, directory, report: (problem) => assert.fail(problem.message) });
  const after = await append(store, identity('../r/1'), [started()]);
  const path = logPath(directory, (await store.head('../r/1'))!);
  assert.ok(path.startsWith(join(directory, '2026-03-01')));
  const size = async (lines: number) => {
    while (!existsSync(path) || readFileSync(path, 'utf8').split('\n').length <= lines) await sleep(10);
  };
  await size(1);
  await append(store, identity('../r/1'), [ended()], { after });
  await size(2);
  await log.close();
});

test('after a crash between writing and keeping the position nothing is written twice and a torn line is completed', async (context) => {
  const run = await written(context);
  const whole = readFileSync(run.path);
  const position = await run.store.log.position('r1');
  for (let bytes = 0; bytes <= whole.length; bytes += 97) {
    truncateSync(run.path, 0);
    appendFileSync(run.path, whole.subarray(0, bytes));
    await run.store.log.move('r1', { seq: 0, bytes: 0, hash: '' });
    if (bytes > 0 && !run.ends.includes(bytes)) assert.ok((await verified(run)).some((code) => code.startsWith('log_torn')));
    const log = openLog({ store: run.store, directory: run.logs, report: (problem) => run.problems.push(problem) });
    await log.catchUp();
    await log.close();
    assert.deepEqual(readFileSync(run.path), whole);
    assert.deepEqual(await run.store.log.position('r1'), position);
  }
  assert.deepEqual([run.problems, await verified(run)], [[], []]);
});

test('catching up leaves alone what another process writes', async (context) => {
  const run = await written(context);
  await append(run.store, identity('r1'), [note('five')], { after: run.after });
  await run.store.lease.acquire('r1', 'its writer', 10_000);
  const log = openLog({ store: run.store, directory: run.logs, report: (problem) => run.problems.push(problem) });
  await log.catchUp();
  assert.deepEqual(await run.store.log.behind(), ['r1']);
  await run.store.lease.release('r1', 'its writer');
  await log.catchUp();
  assert.deepEqual(await run.store.log.behind(), []);
  await log.close();
});

test('a shorter, missing or foreign file is reported and never refilled; later events follow', async (context) => {
  const cases: [string, (run: Written) => void, string, string[]][] = [
    ['short', (run) => truncateSync(run.path, run.ends[1]), 'log_short', ['log_line_missing 3']],
    ['missing', (run) => rmSync(run.path), 'log_missing', ['log_line_missing 1']],
    ['foreign', (run) => appendFileSync(run.path, '{"seq":5}\n'), 'log_foreign', ['log_changed 5', 'log_foreign 5']],
  ];
  for (const [, harm, reported, found] of cases) {
    const run = await written(context);
    harm(run);
    await goOn(run, 'five');
    assert.deepEqual(codes(run.problems), [reported]);
    assert.equal(JSON.parse(readFileSync(run.path, 'utf8').trimEnd().split('\n').at(-1)!).data.message, 'five');
    assert.deepEqual(await verified(run), found);
  }
});

test('a log that cannot be written is reported, harms no run, and is made up for later', async (context) => {
  const store = createMemoryStore();
  const folder = temporaryFolder(context);
  const directory = join(folder, 'logs');
  writeFileSync(directory, 'in the way');
  const problems: LogProblem[] = [];
  const log = openLog({ store, directory, report: (problem) => problems.push(problem) });
  const after = await append(store, identity('r1'), [started()]);
  await log.flush();
  assert.deepEqual(codes(problems), ['log_failed']);
  rmSync(directory);
  await append(store, identity('r1'), [ended()], { after });
  await log.close();
  assert.deepEqual(await verifyRun(store, 'r1', directory), { ok: true, events: 2, problems: [] });
});

test('verify finds what was done to the log', async (context) => {
  const lines = (run: Written, change: (lines: string[]) => string[]) =>
    writeFileSync(run.path, change(readFileSync(run.path, 'utf8').split('\n')).join('\n'));
  const cases: [(run: Written) => void, string[]][] = [
    [(run) => lines(run, (all) => all.map((line) => line.replace('four', 'five'))), ['log_changed 4']],
    [(run) => lines(run, (all) => all.toSpliced(1, 1)), ['log_line_missing 2']],
    [(run) => lines(run, (all) => all.toSpliced(2, 2)), ['log_cut 2']],
    [(run) => truncateSync(run.path, run.ends[3]! - 10), ['log_torn 4', 'log_cut 3']],
    [(run) => lines(run, (all) => ['no json', ...all.slice(1)]), ['log_changed 1']],
    [(run) => lines(run, (all) => all.map((line) => line.replace('"seq":2,', '"seq": 2,'))), ['log_changed 2']],
    [(run) => lines(run, (all) => [all[0]!, ...all]), ['log_foreign 1']],
    [(run) => appendFileSync(run.path, '{"seq":9}\n'), ['log_line_missing 5', 'log_foreign 9']],
    [(run) => rmSync(run.path), ['log_missing']],
  ];
  for (const [harm, expected] of cases) {
    const run = await written(context);
    harm(run);
    assert.deepEqual(await verified(run), expected);
    assert.equal((await verifyRun(run.store, 'r1', run.logs)).ok, false);
    assert.equal((await verifyRun(run.store, 'r1')).ok, true, 'the store itself is whole');
  }
});

test('verify finds what was done to the store, and names what was forgotten', async (context) => {
  const cases: [string, string[], boolean?][] = [
    [`UPDATE events SET body = replace(body, 'four', 'five') WHERE seq = 4`, ['event_changed 4']],
    [`UPDATE events SET body = 'x' WHERE seq = 2`, ['event_changed 2', 'log_foreign 2']],
    [`DELETE FROM events WHERE seq = 2`, ['event_missing 2', 'log_foreign 2']],
    [`DELETE FROM events WHERE seq > 2`, ['events_cut', 'log_foreign 3', 'log_foreign 4']],
    [`UPDATE contents SET text = text || '!'`, ['text_changed 3']],
    [`DELETE FROM contents`, ['text_missing 3']],
    [`UPDATE contents SET text = NULL`, ['text_forgotten 3'], true],
  ];
  for (const [sql, expected, ok = false] of cases) {
    const file = join(temporaryFolder(context), 'hermes.db');
    const run = await written(context, await openSqliteStore({ file }));
    new DatabaseSync(file).exec(sql);
    assert.deepEqual(await verified(run), expected, sql);
    assert.equal((await verifyRun(run.store, 'r1', run.logs)).ok, ok);
    if (sql === 'DELETE FROM contents') await assert.rejects(run.store.read('r1'), { code: 'content_missing', kind: 'store' });
    await run.store.close();
  }
});

test('catching up with a store that takes nothing is reported; the store can be read all the same', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file, lockedMs: 50 });
  await append(store, identity('r1'), [started(), ended()]);
  const directory = join(temporaryFolder(context), 'logs');
  const problems: LogProblem[] = [];
  const log = openLog({ store, directory, report: (problem) => problems.push(problem) });
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await log.catchUp();
  assert.deepEqual(codes(problems), ['log_failed']);
  assert.match(problems[0]!.message, /r1 .*hermes\.db has been locked/);
  assert.equal((await store.list({ limit: 1 })).length, 1);
  other.exec('ROLLBACK');
  other.close();
  await log.catchUp();
  assert.deepEqual(await verifyRun(store, 'r1', directory), { ok: true, events: 2, problems: [] });
  await log.close();
  await store.close();
});
