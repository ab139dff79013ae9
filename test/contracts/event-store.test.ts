/** One contract for every event store. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createMemoryStore } from '../../src/journal/memory.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import type { EventStore, StoreOptions } from '../../src/journal/store.ts';
import { HermesError } from '../../src/kernel/errors.ts';
import type { Fact, RunEvent } from '../../src/kernel/types.ts';
import { answered, append, BEGINNING, ended, identity, note, started, temporaryFolder, toolEnded } from '../journal/facts.ts';

const MAKERS: Record<string, (test: TestContext, options?: StoreOptions) => Promise<EventStore>> = {
  memory: async (_test, options) => createMemoryStore(options),
  async sqlite(context, options) {
    const store = await openSqliteStore({ file: join(temporaryFolder(context), 'sub', 'hermes.db'), ...options });
    context.after(() => store.close());
    return store;
  },
};

const code = (expected: string) => (error: unknown) =>
  error instanceof HermesError && error.kind === 'store' && error.code === expected && error.next !== undefined;
const long = (word: string) => `${word} `.repeat(600);

for (const [name, make] of Object.entries(MAKERS)) {
  describe(`event store: ${name}`, () => {
    test('events get their place, hash and chain at once, and read back as they were given', async (context) => {
      const store = await make(context);
      const run = identity('r1', { parent_id: 'r0' });
      const facts = [started('算 "一" \u2028 \ud83d \u0000'), note('two')];
      const { events, saved } = store.append({ run, facts, step: 0, ts: '2026-03-01T10:00:00.000Z', after: BEGINNING, durable: false });
      await saved;
      assert.deepEqual(Object.keys(events[0]!), [
        'seq',
        'ts',
        'trace_id',
        'session_id',
        'run_id',
        'parent_id',
        'step',
        'event_type',
        'data',
        'prev_hash',
        'hash',
      ]);
      assert.deepEqual(await store.read('r1'), events);
      assert.deepEqual(await store.read('r1', 2), [events[1]]);
      assert.deepEqual(await store.read('nobody'), []);
      const lines = await store.lines('r1');
      assert.equal(events[1]?.prev_hash, events[0]?.hash);
      for (const line of lines) {
        const { hash, ...rest } = JSON.parse(line);
        assert.equal(createHash('sha256').update(JSON.stringify(rest)).digest('hex'), hash);
      }
    });

    test('an append after any other end than the real one is refused, whole, and only for its run', async (context) => {
      const store = await make(context);
      const head = await append(store, identity('r1'), [started()]);
      await append(store, identity('r2'), [started()]);
      const wrong = [
        store.append({
          run: identity('r1'),
          facts: [note('a'), note('b')],
          step: 1,
          ts: '',
          after: { ...head, hash: 'f'.repeat(64) },
          durable: true,
        }),
        store.append({ run: identity('r1'), facts: [note('c')], step: 1, ts: '', after: BEGINNING, durable: false }),
        store.append({ run: identity('r3'), facts: [note('d')], step: 1, ts: '', after: head, durable: true }),
      ];
      const right = store.append({ run: identity('r1'), facts: [note('e')], step: 1, ts: '', after: head, durable: true });
      const after = store.append({
        run: identity('r2'),
        facts: [note('f')],
        step: 1,
        ts: '',
        after: (await store.head('r2'))!,
        durable: true,
      });
      for (const { saved } of wrong) await assert.rejects(saved, code('sequence_conflict'));
      await Promise.all([right.saved, after.saved]);
      assert.deepEqual((await store.read('r1')).map(messageOf), [undefined, 'e']);
      assert.deepEqual(await store.read('r3'), []);
      assert.equal((await store.head('r2'))?.seq, 2);
    });

    test('the head tells what a run is about without its events', async (context) => {
      const store = await make(context);
      const run = identity('r1', { folder: '/here', parent_id: 'r0' });
      let after = await append(store, run, [started('x'.repeat(300), 'r0')]);
      assert.equal((await store.head('r1'))?.status, 'interrupted', 'nobody holds its lease');
      await store.lease.acquire('r1', 'me', 10_000);
      const head = await store.head('r1');
      assert.deepEqual(head, {
        ...run,
        ...after,
        status: 'running',
        started: '2026-03-01T10:00:00.000Z',
        updated: '2026-03-01T10:00:00.000Z',
        request: 'x'.repeat(200),
        steps: 1,
        continues: 'r0',
      });
      const ask: Fact = { event_type: 'approval.ask', data: { approval_id: 'a1', calls: [] } };
      after = await append(store, run, [ask], { after, step: 2, ts: '2026-03-02T10:00:00.000Z' });
      assert.equal((await store.head('r1'))?.status, 'waiting_for_approval');
      after = await append(store, run, [{ event_type: 'run.resume', data: {} }], { after, step: 2 });
      assert.equal((await store.head('r1'))?.status, 'waiting_for_approval', 'going on with it answers nothing');
      after = await append(store, run, [answered('a1'), ended('max_steps')], { after, step: 3 });
      assert.deepEqual([(await store.head('r1'))?.status, (await store.head('r1'))?.steps], ['max_steps', 3]);
      assert.equal(await store.head('nobody'), undefined);
    });

    test('runs are listed newest first, by session, by status, up to a limit', async (context) => {
      const store = await make(context);
      for (const id of ['r1', 'r2', 'r3', 'r4']) await append(store, identity(id, { session_id: id < 'r3' ? 'a' : 'b' }), [started()]);
      await append(store, identity('r2', { session_id: 'a' }), [ended()], { after: (await store.head('r2'))! });
      await store.lease.acquire('r1', 'me', 10_000);
      const ids = async (options: Parameters<EventStore['list']>[0]) => (await store.list(options)).map((head) => head.run_id);
      assert.deepEqual(await ids({ limit: 3 }), ['r4', 'r3', 'r2']);
      assert.deepEqual(await ids({ limit: 9, session_id: 'a' }), ['r2', 'r1']);
      assert.deepEqual(await ids({ limit: 9, status: 'success' }), ['r2']);
      assert.deepEqual(await ids({ limit: 9, status: 'running' }), ['r1']);
      assert.deepEqual(await ids({ limit: 1, status: 'interrupted' }), ['r4']);
    });

    test('sessions: the last run, and the last session of a folder; sub-agents do not count', async (context) => {
      const store = await make(context);
      await append(store, identity('r1', { session_id: 'a', folder: '/x' }), [started()]);
      await append(store, identity('r2', { session_id: 'b', folder: '/y' }), [started()]);
      await append(store, identity('r3', { session_id: 'c', folder: '/x', parent_id: 'r1' }), [started()]);
      assert.equal(await store.sessions.lastIn('/x'), 'a');
      assert.equal(await store.sessions.lastIn('/z'), undefined);
      assert.equal(await store.sessions.lastRun('b'), 'r2');
      assert.equal(await store.sessions.lastRun('c'), undefined);
    });

    test('what was used since a time: tokens, and one sum a currency; a pruned run of today still counts', async (context) => {
      const store = await make(context);
      const usage = { input_tokens: 100, output_tokens: 10, cached_tokens: 50 };
      const reply = (currency: string, amount: number): Fact => ({
        event_type: 'model.end',
        data: { model: 'm', text: '', calls: [], finish: 'stop', ms: 1, usage, cost: { amount, currency } },
      });
      const other: Fact = { event_type: 'perform.end', data: { name: 'x', result: null, ms: 1, usage } };
      const child: Fact = {
        event_type: 'tool.end',
        data: { call_id: 'c', name: 'sub', result: { success: true, data: null }, shaped: '', ms: 1, usage },
      };
      await append(store, identity('r1'), [started(), reply('USD', 0.5)], { ts: '2026-03-01T10:00:00.000Z' });
      await append(store, identity('r2'), [started(), reply('USD', 0.25), reply('CNY', 2), other, child, ended()], {
        ts: '2026-03-02T10:00:00.000Z',
      });
      await store.flush();
      assert.deepEqual(await store.spent('2026-03-02T00:00:00.000Z'), {
        tokens: 330,
        costs: [
          { amount: 2, currency: 'CNY' },
          { amount: 0.25, currency: 'USD' },
        ],
      });
      assert.equal((await store.spent('2026-03-01T00:00:00.000Z')).tokens, 440);
      assert.deepEqual(await store.spent('2026-03-03T00:00:00.000Z'), { tokens: 0, costs: [] });
      const now = new Date().toISOString();
      await append(store, identity('r3', { session_id: 'now' }), [started(), reply('USD', 1), ended()], { ts: now });
      await store.flush();
      await store.prune('2999-01-01T00:00:00.000Z');
      assert.equal((await store.spent(now)).tokens, 110);
    });

    test('texts over 1 KB are stored once by hash, put back by read, and leave a tombstone when forgotten', async (context) => {
      const store = await make(context);
      const text = long('记忆');
      const facts = [
        started(),
        toolEnded(text),
        toolEnded(text),
        toolEnded('字'.repeat(341)),
        toolEnded('字'.repeat(342)),
        toolEnded(`${long('a')}\ud83d`),
      ];
      await append(store, identity('r1'), facts);
      const hash = createHash('sha256').update(text).digest('hex');
      const lines = await store.lines('r1');
      const shaped = lines.map((line) => JSON.parse(line).data.shaped);
      const bytes = Buffer.byteLength(text);
      assert.deepEqual(shaped.slice(1, 3), [
        { $content: hash, bytes },
        { $content: hash, bytes },
      ]);
      assert.deepEqual(
        shaped.slice(3).map((value) => typeof value),
        ['string', 'object', 'string'],
        '1,023 bytes, 1,026 bytes, half a character',
      );
      assert.deepEqual(
        (await store.read('r1')).map(({ data }) => data),
        facts.map(({ data }) => data),
      );
      assert.equal(await store.contents.get(hash), text);
      assert.equal(await store.contents.forget(hash), true);
      assert.equal(await store.contents.forget(hash), false);
      assert.equal(await store.contents.get(hash), null);
      assert.equal(await store.contents.get('0'.repeat(64)), undefined);
      assert.equal(shapedOf((await store.read('r1'))[1]), `[forgotten: ${bytes} bytes]`);
      await append(store, identity('r2'), [started(), toolEnded(text)]);
      assert.equal(await store.contents.get(hash), text, 'said again');
    });

    test("somebody's own $content keys are data, never references", async (context) => {
      const store = await make(context);
      await append(store, identity('r1'), [started(), toolEnded(long('private'))]);
      const hash = createHash('sha256').update(long('private')).digest('hex');
      const own = JSON.parse(
        `{"$content":"${hash}","$$content":1,"__proto__":{"$content":"${hash}","bytes":5},"content":2,"list":[{"$content":3}]}`,
      );
      const fact: Fact = { event_type: 'perform.end', data: { name: 'x', result: own, ms: 1 } };
      const { events, saved } = store.append({ run: identity('r2'), facts: [fact], step: 1, ts: '', after: BEGINNING, durable: true });
      await saved;
      assert.deepEqual(await store.read('r2'), events);
      assert.equal(JSON.stringify((await store.read('r2'))[0]?.data), JSON.stringify(fact.data));
    });

    test('inbox: anyone puts, only the holder of the lease takes, what became events does not come again', async (context) => {
      const store = await make(context, { hide: (value) => JSON.parse(JSON.stringify(value).replaceAll('s3cret', '***')) });
      await assert.rejects(store.inbox.put('nobody', note('x')), code('run_unknown'));
      const after = await append(store, identity('r1'), [started()]);
      assert.equal(await store.inbox.put('r1', note('one s3cret')), true);
      assert.equal(await store.inbox.put('r1', note('two')), true);
      await assert.rejects(store.inbox.take('r1', 'me'), code('lease_lost'));
      await store.lease.acquire('r1', 'me', 10_000);
      const letters = await store.inbox.take('r1', 'me');
      assert.deepEqual(
        letters.map(({ fact }) => fact),
        [note('one ***'), note('two')],
      );
      assert.deepEqual(await store.inbox.take('r1', 'me'), letters, 'not yet events');
      await append(store, identity('r1'), [letters[0]!.fact], { after, letters: [letters[0]!.id] });
      assert.deepEqual(await store.inbox.take('r1', 'me'), [letters[1]]);
    });

    test('an approval is answered once: the first answer counts, also after it was taken and when it was given elsewhere', async (context) => {
      const store = await make(context);
      let after = await append(store, identity('r1'), [started()]);
      await store.lease.acquire('r1', 'me', 10_000);
      assert.equal(await store.inbox.put('r1', answered('a1', 'deny')), true);
      assert.equal(await store.inbox.put('r1', answered('a1', 'approve')), false);
      const [letter] = await store.inbox.take('r1', 'me');
      assert.deepEqual(letter?.fact, answered('a1', 'deny'));
      after = await append(store, identity('r1'), [letter!.fact], { after, letters: [letter!.id] });
      assert.equal(await store.inbox.put('r1', answered('a1')), false);
      await append(store, identity('r1'), [answered('a2')], { after });
      assert.equal(await store.inbox.put('r1', answered('a2')), false, 'answered in the terminal');
      assert.equal(await store.inbox.put('r1', answered('a3')), true);
      assert.deepEqual(
        (await store.inbox.take('r1', 'me')).map(({ fact }) => fact),
        [answered('a3')],
      );
    });

    test('lease: one holder, renewed by its owner, free when released or expired', async (context) => {
      const store = await make(context);
      assert.equal(await store.lease.acquire('r1', 'a', 10_000), true);
      assert.equal(await store.lease.acquire('r1', 'a', 10_000), true);
      assert.equal(await store.lease.acquire('r1', 'b', 10_000), false);
      assert.equal(await store.lease.renew('r1', 'b', 10_000), false);
      await store.lease.release('r1', 'b');
      assert.equal(await store.lease.renew('r1', 'a', 1), true);
      await new Promise((resolve) => setTimeout(resolve, 20));
      assert.equal(await store.lease.acquire('r1', 'b', 10_000), true, 'expired');
      assert.equal(await store.lease.renew('r1', 'a', 10_000), false, 'taken over');
      await store.lease.release('r1', 'b');
      assert.equal(await store.lease.acquire('r1', 'a', 10_000), true, 'released');
    });

    test('notes are values by namespace and key', async (context) => {
      const store = await make(context, { hide: (value) => JSON.parse(JSON.stringify(value).replaceAll('s3cret', '***')) });
      await store.notes.set('trip', '航班', { number: 'CA123', seats: [1, 2] });
      await store.notes.set('trip', 'a', 's3cret');
      await store.notes.set('trip', 'a', null);
      await store.notes.set('other', 'a', 'my s3cret');
      assert.deepEqual(await store.notes.get('trip', '航班'), { number: 'CA123', seats: [1, 2] });
      assert.equal(await store.notes.get('trip', 'a'), null);
      assert.equal(await store.notes.get('trip', 'b'), undefined);
      assert.equal(await store.notes.get('other', 'a'), 'my ***');
      assert.deepEqual(
        (await store.notes.list('trip')).map(({ key }) => key),
        ['a', '航班'],
      );
      assert.deepEqual(await store.notes.list('nobody'), []);
      assert.equal(await store.notes.delete('trip', 'a'), true);
      assert.equal(await store.notes.delete('trip', 'a'), false);
    });

    test('subscribe gives what is stored, then what follows, in order and once', async (context) => {
      const store = await make(context);
      let after = await append(store, identity('r1'), [started(), note('a'), note('b')]);
      const seen: string[] = [];
      const controller = new AbortController();
      const reading = (async () => {
        for await (const event of store.subscribe('r1', 2, controller.signal)) {
          seen.push(messageOf(event) ?? event.event_type);
          if (event.event_type === 'run.end') break;
        }
      })();
      after = await append(store, identity('r1'), [note('c')], { after });
      await append(store, identity('r2'), [started()]);
      await append(store, identity('r1'), [note('d'), ended()], { after });
      await reading;
      assert.deepEqual(seen, ['a', 'b', 'c', 'd', 'run.end']);
      const idle = (async () => {
        for await (const _ of store.subscribe('r1', 99, controller.signal)) assert.fail('nothing there');
      })();
      controller.abort();
      await idle;
    });

    test('watch is told after each commit, and whether the run ended', async (context) => {
      const store = await make(context);
      const seen: unknown[] = [];
      const stop = store.watch((run_id, over) => seen.push([run_id, over]));
      const after = await append(store, identity('r1'), [started()]);
      await append(store, identity('r1'), [ended()], { after });
      stop();
      await append(store, identity('r2'), [started()]);
      assert.deepEqual(seen, [
        ['r1', false],
        ['r1', true],
      ]);
    });

    test('the position of the log writer is kept', async (context) => {
      const store = await make(context);
      await append(store, identity('r1'), [started()]);
      assert.deepEqual(await store.log.position('r1'), { seq: 0, bytes: 0, hash: '' });
      assert.deepEqual(await store.log.behind(), ['r1']);
      await store.log.move('r1', { seq: 1, bytes: 70, hash: 'ab' });
      assert.deepEqual(await store.log.position('r1'), { seq: 1, bytes: 70, hash: 'ab' });
      assert.deepEqual(await store.log.behind(), []);
      await assert.rejects(store.log.position('nobody'), code('run_unknown'));
    });

    test('prune deletes old families with their texts and leaves what newer runs go on from', async (context) => {
      const store = await make(context);
      const old = { ts: '2026-01-01T00:00:00.000Z' };
      const recent = { ts: '2026-02-01T00:00:00.000Z' };
      const begin = (id: string, session_id: string, when: object, more: { parent_id?: string; continues?: string } = {}) => {
        const { continues, ...parent } = more;
        return append(store, identity(id, { session_id, ...parent }), [started('hello', continues), toolEnded(long(session_id))], when);
      };
      await begin('old', 'a', old);
      await begin('old-child', 'a-child', old, { parent_id: 'old' });
      await begin('origin', 'b', old);
      await begin('origin-child', 'b-child', old, { parent_id: 'origin' });
      await begin('fork', 'c', recent, { continues: 'origin' });
      await begin('old-in-live-session', 'd', old);
      await begin('new-in-live-session', 'd', recent);
      await begin('held', 'e', old);
      await store.lease.acquire('held', 'me', 10_000);
      const pruned = await store.prune('2026-01-15T00:00:00.000Z');
      assert.deepEqual(pruned.map(({ run_id }) => run_id).sort(), ['old', 'old-child']);
      assert.deepEqual((await store.list({ limit: 9 })).map(({ run_id }) => run_id).sort(), [
        'fork',
        'held',
        'new-in-live-session',
        'old-in-live-session',
        'origin',
        'origin-child',
      ]);
      assert.deepEqual(await store.read('old'), []);
      const kept = (session: string) => store.contents.get(createHash('sha256').update(long(session)).digest('hex'));
      assert.equal(await kept('a'), undefined);
      assert.equal(await kept('b'), long('b'));
    });
  });
}

function messageOf(event: RunEvent): string | undefined {
  return event.event_type === 'run.note' ? event.data.message : undefined;
}
function shapedOf(event: RunEvent | undefined): string | undefined {
  return event?.event_type === 'tool.end' ? event.data.shaped : undefined;
}
