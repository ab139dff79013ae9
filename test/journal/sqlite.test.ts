/** What only a file on a disk can suffer: other processes, kills, full and read-only disks, damage. */

import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { logPath, openLog } from '../../src/journal/log.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import { HermesError } from '../../src/kernel/errors.ts';
import { append, BEGINNING, ended, identity, note, started, temporaryFolder, toolEnded } from './facts.ts';

const CHILD = join(import.meta.dirname, 'child.ts');

function start(context: TestContext, ...parameters: string[]): ChildProcessByStdio<null, Readable, null> {
  const child = spawn(process.execPath, [CHILD, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  return child;
}

async function finish(child: ChildProcessByStdio<null, Readable, null>): Promise<{ lines: string[]; status: number | null }> {
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const [status] = await once(child, 'close');
  return { lines, status };
}

const failsWith = (code: string, words: RegExp) => (error: unknown) =>
  error instanceof HermesError &&
  error.code === code &&
  error.kind === 'store' &&
  words.test(error.message) &&
  (error.next ?? '').length > 0;

test('processes that compete for a lease append one after another; nothing is lost', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  await append(store, identity('shared'), [started()]);
  const results = await Promise.all(['1', '2', '3'].map((name) => finish(start(context, 'compete', file, name))));
  assert.deepEqual(
    results.map(({ lines, status }) => [lines, status]),
    [
      [[], 0],
      [[], 0],
      [[], 0],
    ],
  );
  assert.deepEqual(await verifyRun(store, 'shared'), { ok: true, events: 61, problems: [] });
  await store.close();
});

test('of processes that append after the same event exactly one wins', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  await append(store, identity('raced'), [started()]);
  const results = await Promise.all(['1', '2', '3'].map((name) => finish(start(context, 'race', file, name))));
  const wins = results.map(({ lines }) => Number(lines[0]));
  const counts = (await store.read('raced')).map((event) => (event.event_type === 'run.note' ? event.data.message : ''));
  assert.deepEqual(
    ['1', '2', '3'].map((name) => counts.filter((message) => message === name).length),
    wins,
  );
  assert.ok((await verifyRun(store, 'raced')).ok);
  await store.close();
});

test('kill -9 while events and logs are written: what was acknowledged is there, every chain holds, the log catches up', async (context) => {
  const folder = temporaryFolder(context);
  const file = join(folder, 'hermes.db');
  const logs = join(folder, 'logs');
  const acknowledged = new Map<string, number>();
  for (let round = 0; round < 6; round++) {
    const child = start(context, 'write', file, logs);
    const reading = createInterface(child.stdout).on('line', (line) => {
      const [run_id = '', seq] = line.split(' ');
      acknowledged.set(run_id, Number(seq));
    });
    await once(reading, 'line');
    await sleep(50 + Math.random() * 250);
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  const store = await openSqliteStore({ file });
  const problems: unknown[] = [];
  const log = openLog({ store, directory: logs, report: (problem) => problems.push(problem) });
  await log.catchUp();
  await log.close();
  assert.deepEqual(problems, []);
  assert.deepEqual(await store.log.behind(), []);
  assert.ok(acknowledged.size > 10, `${acknowledged.size} runs`);
  for (const [run_id, seq] of acknowledged) {
    const verified = await verifyRun(store, run_id, logs);
    assert.deepEqual(verified.problems, []);
    assert.ok(verified.events >= seq, `${run_id}: ${verified.events} of ${seq}`);
    assert.equal(
      readFileSync(logPath(logs, (await store.head(run_id))!), 'utf8')
        .trimEnd()
        .split('\n').length,
      verified.events,
    );
  }
  await store.close();
});

test('processes that make the same new file at once all get it', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const results = await Promise.all(['1', '2', '3', '4'].map(() => finish(start(context, 'open', file))));
  assert.deepEqual(results, Array(4).fill({ lines: [], status: 0 }));
});

test('what cannot be stored fails alone; what shares its transaction is kept', async (context) => {
  const store = await openSqliteStore({ file: join(temporaryFolder(context), 'hermes.db') });
  const results = await Promise.allSettled([
    append(store, identity('r1'), [started()]),
    store.notes.set('n', 'k', 1n as unknown as number),
    append(store, identity('r2'), [started()]),
    store.inbox.put('nobody', note('x')),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected'],
  );
  assert.throws(
    () => store.append({ run: identity('r3'), facts: [note('a'), note(1n as never)], step: 0, ts: '', after: BEGINNING, durable: true }),
    TypeError,
  );
  assert.equal((await store.list({ limit: 9 })).length, 2);
  await store.close();
});

test('the lease of a killed process is free at once, and its run shows as interrupted', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  await append(store, identity('r1'), [started()]);
  const child = start(context, 'hold', file, 'r1');
  assert.equal(String(await once(createInterface(child.stdout), 'line')), 'held');
  assert.equal((await store.head('r1'))?.status, 'running');
  assert.equal(await store.lease.acquire('r1', 'me', 1000), false);
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.equal((await store.head('r1'))?.status, 'interrupted');
  assert.equal(await store.lease.acquire('r1', 'me', 1000), true);
  await store.close();
});

test('a lock of another process is waited for without blocking; when it lasts, the error says so and nothing is half-written', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file, lockedMs: 5000 });
  const impatient = await openSqliteStore({ file, lockedMs: 100 });
  const head = await append(store, identity('r1'), [started()]);
  const child = start(context, 'lock', file, '700');
  await once(createInterface(child.stdout), 'line');
  let ticks = 0;
  const ticking = setInterval(() => ticks++, 5);
  const waiting = append(store, identity('r1'), [note('waited')], { after: head });
  await assert.rejects(
    append(impatient, identity('r2'), [started()]),
    failsWith('store_locked', /hermes\.db has been locked by another program/),
  );
  assert.equal(await impatient.head('r2'), undefined, 'reads go on');
  await waiting;
  clearInterval(ticking);
  assert.ok(ticks > 20, `the event loop went on: ${ticks}`);
  await append(impatient, identity('r2'), [started()]);
  assert.ok((await verifyRun(store, 'r1')).ok);
  await Promise.all([store.close(), impatient.close()]);
});

test('a folder that may not be written is named', async (context) => {
  const folder = temporaryFolder(context);
  chmodSync(folder, 0o555);
  const { lines, status } = await finish(start(context, 'openAsOther', join(folder, 'hermes.db')));
  const error = JSON.parse(lines[0]!);
  assert.deepEqual([status, error.code, error.kind], [1, 'store_read_only', 'store']);
  assert.match(error.message, /hermes\.db cannot be written; a writable folder and file were expected/);
  assert.equal(existsSync(join(folder, 'hermes.db')), false);

  chmodSync(folder, 0o755);
  await (await openSqliteStore({ file: join(folder, 'hermes.db') })).close();
  chmodSync(join(folder, 'hermes.db'), 0o444);
  chmodSync(folder, 0o555);
  const again = await finish(start(context, 'openAsOther', join(folder, 'hermes.db')));
  assert.equal(JSON.parse(again.lines[0]!).kind, 'store');
  assert.match(again.lines[0]!, /store_read_only|store_cannot_open/);
  chmodSync(folder, 0o755);
});

/** The child appends until nothing more fits; all it was told is kept must be there, and the chain must hold. */
async function fillUp(child: ChildProcessByStdio<null, Readable, null>, file: string, code: RegExp): Promise<void> {
  const { lines, status } = await finish(child);
  const error = JSON.parse(lines.pop()!);
  assert.equal(status, 1);
  assert.equal(error.kind, 'store');
  assert.match(error.code, code);
  assert.match(error.message, /hermes\.db/);
  assert.match(error.next, /hermes runs resume/);
  assert.ok(lines.length > 3);
  const store = await openSqliteStore({ file });
  const verified = await verifyRun(store, 'r1');
  assert.deepEqual(verified.problems, []);
  assert.equal(verified.events, Number(lines.at(-1)), 'the last append that failed left nothing');
  await append(store, identity('r1'), [ended()], { after: (await store.head('r1'))! });
  await store.close();
}

test('a disk that takes no more: a clear error, all that was acknowledged is there, and it goes on later', async (context) => {
  for (const blocks of ['600', '1200', '2000']) {
    const file = join(temporaryFolder(context), 'hermes.db');
    const limited = `ulimit -f ${blocks}; exec "$0" "$1" fill "$2"`;
    const child = spawn('sh', ['-c', limited, process.execPath, CHILD, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    await fillUp(child, file, /^store_(io|full)$/);
  }
});

test('a file system that is full', async (context) => {
  const folder = temporaryFolder(context);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
  if (!mounted) return context.skip('only root may mount a small file system');
  try {
    const file = join(folder, 'hermes.db');
    const filler = join(folder, 'filler');
    writeFileSync(filler, Buffer.alloc(200_000));
    const { lines } = await finish(start(context, 'fill', file));
    assert.equal(JSON.parse(lines.pop()!).code, 'store_full');
    rmSync(filler);
    const store = await openSqliteStore({ file });
    const verified = await verifyRun(store, 'r1');
    assert.deepEqual([verified.problems, verified.events], [[], Number(lines.at(-1))]);
    await append(store, identity('r1'), [note('there is room again')], { after: (await store.head('r1'))! });
    await store.close();
  } finally {
    spawnSync('umount', ['-l', folder]);
  }
});

test('what is no database of ours, damaged or newer is refused and left as it is', async (context) => {
  const folder = temporaryFolder(context);
  const cases: [string, (file: string) => void, RegExp][] = [
    ['store_corrupt', (file) => writeFileSync(file, 'no database at all, only text '.repeat(100)), /text\.db is damaged or no database/],
    ['store_foreign', (file) => new DatabaseSync(file).exec('CREATE TABLE theirs (a)'), /of another program/],
    ['store_newer', makeNewer, /schema 99; this version of hermes knows up to \d/],
  ];
  for (const [code, make, words] of cases) {
    const file = join(folder, code === 'store_corrupt' ? 'text.db' : `${code}.db`);
    make(file);
    const before = readFileSync(file);
    await assert.rejects(openSqliteStore({ file }), failsWith(code, words));
    assert.deepEqual(readFileSync(file), before);
  }
});

function makeNewer(file: string): void {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA application_id = ${0x48524d53}; PRAGMA user_version = 99; CREATE TABLE runs (a)`);
  database.close();
}

test('damage inside the file is an error of the store, not a wrong answer', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  let store = await openSqliteStore({ file });
  await append(store, identity('r1'), [started(), ...Array.from({ length: 300 }, (_, i) => note(`${i} ${'x'.repeat(500)}`))]);
  await store.close();
  const target = openSync(file, 'r+');
  for (let at = 4096 * 14; at < statSync(file).size; at += 4096) writeSync(target, Buffer.alloc(4096, 0xff), 0, 4096, at);
  store = await openSqliteStore({ file });
  await assert.rejects(store.read('r1'), failsWith('store_corrupt', /hermes\.db is damaged/));
  await store.close();
});

test('an empty file becomes a store; folder 0700, files 0600', async (context) => {
  const folder = join(temporaryFolder(context), 'new', 'deep');
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  await append(store, identity('r1'), [started()]);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  for (const suffix of ['', '-wal', '-shm']) assert.equal(statSync(join(folder, `hermes.db${suffix}`)).mode & 0o777, 0o600, suffix);
  await store.close();
  mkdirSync(join(folder, 'x'));
  writeFileSync(join(folder, 'x', 'hermes.db'), '');
  const empty = await openSqliteStore({ file: join(folder, 'x', 'hermes.db') });
  assert.deepEqual(await empty.list({ limit: 1 }), []);
  await empty.close();
});

test('a file deleted under the store is noticed: nothing goes on unsaved', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  const after = await append(store, identity('r1'), [started()]);
  rmSync(file);
  await assert.rejects(append(store, identity('r1'), [note('lost')], { after }), failsWith('store_moved', /has been deleted or replaced/));
  await store.close().catch(() => undefined);
});

test('close commits what waits; later appends are refused', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  const { saved } = store.append({
    run: identity('r1'),
    facts: [started(), toolEnded('a')],
    step: 0,
    ts: '',
    after: BEGINNING,
    durable: false,
  });
  await store.close();
  await saved;
  await assert.rejects(append(store, identity('r2'), [started()]), { code: 'store_closed', kind: 'store' });
  const again = await openSqliteStore({ file });
  assert.equal((await again.read('r1')).length, 2);
  await again.close();
});
