/** The kernel's Journal port, without and with a store. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createJournal } from '../../src/journal/journal.ts';
import { holdLease } from '../../src/journal/lease.ts';
import { createMemoryStore } from '../../src/journal/memory.ts';
import { createSecrets } from '../../src/journal/secrets.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { HermesError } from '../../src/kernel/errors.ts';
import { answered, ended, identity, note, started, temporaryFolder } from './facts.ts';

const clock = { now: () => '2026-03-01T10:00:00.000Z' };
const secrets = createSecrets({ KEY: 'abc-123-def' });

test('without a store events get their place and nothing else, at once', () => {
  const journal = createJournal({ run: identity('r1', { folder: '/x' }), clock });
  const events = journal.append([started(), note('a')], 3, true);
  assert.ok(Array.isArray(events));
  const common = { ts: clock.now(), trace_id: 'trace-of-r1', session_id: 'session-of-r1', run_id: 'r1', step: 3 };
  assert.deepEqual(events, [
    { seq: 1, ...common, ...started() },
    { seq: 2, ...common, ...note('a') },
  ]);
  const child = createJournal({ run: identity('r2', { parent_id: 'r1' }), clock, head: { seq: 7, hash: '' }, secrets });
  const [event] = child.append([note('my abc-123-def')], 0, false) as typeof events;
  assert.deepEqual([event?.seq, event?.parent_id, event?.data], [8, 'r1', note('my {{secret:KEY}}').data]);
  assert.equal(child.inbox, undefined);
});

test('with a store: durable appends wait for the disk, others are given at once and ride along', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  const journal = createJournal({ run: identity('r1'), clock, store, secrets });
  const first = journal.append([started('my abc-123-def')], 0, false);
  assert.ok(Array.isArray(first), 'not a barrier');
  const barrier = journal.append([note('a')], 1, true);
  assert.ok(barrier instanceof Promise);
  const second = await barrier;
  assert.deepEqual(journal.append([], 1, true), []);
  const other = await openSqliteStore({ file });
  assert.deepEqual(await other.read('r1'), [...first, ...second], 'both are on the disk');
  assert.equal(second[0]?.prev_hash, first[0]?.hash);
  assert.deepEqual(journal.head(), { seq: 2, hash: second[0]?.hash });

  journal.append([note('b')], 1, false);
  await until(async () => (await other.read('r1')).length === 3);
  const resumed = createJournal({ run: identity('r1'), clock, store: other, head: (await other.head('r1'))! });
  await resumed.append([ended()], 2, true);
  assert.equal((await other.head('r1'))?.seq, 4);
  await Promise.all([store.close(), other.close()]);
});

test('a lost append ends the journal, even when nobody waited for it; the error is the first one', async () => {
  const store = createMemoryStore();
  const [one, two] = [1, 2].map(() => createJournal({ run: identity('r1'), clock, store }));
  await one!.append([started()], 0, true);
  two!.append([started()], 0, false);
  await new Promise(setImmediate);
  const conflict = (error: unknown) =>
    error instanceof HermesError && error.kind === 'store' && error.code === 'sequence_conflict' && /event 0/.test(error.message);
  assert.throws(() => two!.append([note('x')], 0, true), conflict);
  await one!.append([note('y')], 0, true);
  assert.equal((await store.read('r1')).length, 2);
});

test('letters come once, are looked for at most every 200 ms, and are taken when their events are committed', async () => {
  const store = createMemoryStore();
  const lease = await holdLease(store, 'r1');
  assert.ok(lease);
  assert.equal(await holdLease(store, 'r1'), undefined, 'held');
  const journal = createJournal({ run: identity('r1'), clock, store, owner: lease.owner });
  await journal.append([started()], 0, true);
  await store.inbox.put('r1', answered('a1'));
  const letters = await journal.inbox!();
  assert.deepEqual(letters, [answered('a1')]);
  await store.inbox.put('r1', note('later'));
  assert.deepEqual(journal.inbox!(), [], 'looked a moment ago');
  let more: readonly unknown[] = [];
  await until(async () => {
    more = await journal.inbox!();
    return more.length > 0;
  });
  assert.deepEqual(more, [note('later')], 'the first one is not given twice');
  assert.equal((await store.inbox.take('r1', lease.owner)).length, 2, 'a crash now would lose neither');
  await journal.append([letters[0]!, note('between')], 1, true);
  assert.deepEqual(
    (await store.inbox.take('r1', lease.owner)).map(({ fact }) => fact),
    [note('later')],
  );
  await lease.release();
  assert.ok(await store.lease.acquire('r1', 'next', 1000));
});

test('a run that was taken over stops at its next look into the inbox', async () => {
  const store = createMemoryStore();
  const journal = createJournal({ run: identity('r1'), clock, store, owner: 'me' });
  await store.lease.acquire('r1', 'somebody else', 10_000);
  await assert.rejects(async () => journal.inbox!(), { code: 'lease_lost', kind: 'store' });
});

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
