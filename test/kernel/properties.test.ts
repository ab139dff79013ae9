/** The kernel's promises on random stories, random cuts and random event sequences. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply, fold, next, run, start } from '../../src/kernel/kernel.ts';
import type { Fact, Performers, RunEvent } from '../../src/kernel/types.ts';
import { assertPaired, envelope, handClock, memoryJournal, performers, rules, runStart, type ScriptedReply } from './world.ts';

const name = fc.constantFrom('read', 'write', 'safe', 'danger');
const call = fc.record(
  { name, problem: fc.option(fc.constant({ code: 'bad', message: 'bad' }), { nil: undefined, freq: 5 }) },
  { requiredKeys: ['name'] },
);
const reply: fc.Arbitrary<ScriptedReply> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ text: fc.string(), calls: fc.array(call, { minLength: 1, maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ text: fc.string() }) },
  { weight: 1, arbitrary: fc.record({ text: fc.string(), problem: fc.constant({ code: 'unreadable', message: 'mend' }) }) },
);
const replies = fc.array(reply, { maxLength: 6 });

/** Approves every other question, so that both answers occur. */
const wait: Performers['wait'] = async (state, { emit }) => {
  const question = state.waiting[0]!;
  const decision = state.step % 2 === 0 ? 'deny' : 'approve';
  await emit({ event_type: 'approval.answer', data: { approval_id: question.approval_id, decision, by: 'test' } });
};

async function complete(script: ScriptedReply[], before?: RunEvent[], ran: string[] = []) {
  const journal = memoryJournal(before ? [...before] : []);
  const running = run({
    first: before ? { event_type: 'run.resume', data: {} } : runStart(),
    ...(before ? { before: fold(before) } : {}),
    performers: { ...performers(script, { log: ran }), wait },
    rules,
    journal,
    clock: handClock(),
    publish: () => {},
  });
  return { state: await running.done, events: journal.events, ran };
}

test('the live state equals the fold of the log, for every prefix; the same log gives the same commands', async () => {
  await fc.assert(
    fc.asyncProperty(replies, async (script) => {
      const { state, events } = await complete(script);
      assert.deepEqual(fold(events), state);
      let folded = start(events[0] as RunEvent<'run.start'>);
      for (let k = 1; k <= events.length; k++) {
        assert.deepEqual(fold(events.slice(0, k)), folded);
        assert.deepEqual(next(folded, rules), next(fold(events.slice(0, k)), rules));
        assertPaired(folded);
        const event = events[k];
        if (event) {
          const copy = structuredClone(folded);
          const after = apply(folded, event);
          assert.deepEqual(folded, copy, 'apply changed the state it was given');
          folded = after;
        }
      }
    }),
    { numRuns: 150 },
  );
});

test('a run cut at any point and resumed ends in the same outcome; no completed write runs again', async () => {
  await fc.assert(
    fc.asyncProperty(replies, fc.nat(), async (script, at) => {
      const whole = await complete(script);
      const cut = 1 + (at % (whole.events.length - 1));
      const kept = whole.events.slice(0, cut);
      const completed = kept.flatMap((event) => (event.event_type === 'tool.end' ? [event.data.call_id] : []));
      const started = kept.flatMap((event) => (event.event_type === 'tool.start' ? [event.data.call_id] : []));
      const resumed = await complete(script, kept);
      assertPaired(resumed.state);
      for (const id of completed) assert.ok(!resumed.ran.includes(id), `${id} ran again`);
      const doubtful = started.filter((id) => !completed.includes(id));
      for (const id of doubtful) {
        const safe = whole.events.some(
          ({ event_type, data }) =>
            event_type === 'call.prepare' && data.call_id === id && (data.idempotent === true || data.level === 'read'),
        );
        assert.equal(resumed.ran.includes(id), safe, `${id} in doubt`);
      }
      if (kept.some((event) => event.event_type === 'run.end')) return;
      assert.equal(resumed.state.outcome?.status, whole.state.outcome?.status);
      assert.equal(resumed.state.outcome?.answer, whole.state.outcome?.answer);
    }),
    { numRuns: 200 },
  );
});

test('next is total and apply never throws, on random event sequences', () => {
  const id = fc.constantFrom('a', 'b', 'c');
  const fact = fc.oneof(
    fc.constant<Fact>({ event_type: 'run.resume', data: {} }),
    fc.constant<Fact>({ event_type: 'run.abort', data: { reason: 'x' } }),
    fc.constant<Fact>({ event_type: 'limit.reached', data: { limit: 'max_seconds', value: 1 } }),
    fc.nat(12).map((step): Fact => ({ event_type: 'step.start', data: { step } })),
    fc.array(id, { maxLength: 3 }).map(
      (ids): Fact => ({
        event_type: 'model.end',
        data: {
          model: 'm',
          text: 't',
          calls: [...new Set(ids)].map((one) => ({ id: one, name: 'read', arguments: {} })),
          finish: 'stop',
          ms: 1,
        },
      }),
    ),
    id.map((call_id): Fact => ({ event_type: 'call.prepare', data: { call_id, name: 'n', arguments: {}, level: 'write', hash: 'h' } })),
    id.map((call_id): Fact => ({ event_type: 'call.reject', data: { call_id, name: 'n', code: 'c', message: 'm' } })),
    fc
      .tuple(id, fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const))
      .map(([call_id, decision]): Fact => ({ event_type: 'call.permit', data: { call_id, decision, reason: '', by: 'rule' } })),
    id.map((call_id): Fact => ({ event_type: 'tool.start', data: { call_id, name: 'n', key: 'k' } })),
    id.map(
      (call_id): Fact => ({ event_type: 'tool.end', data: { call_id, name: 'n', result: { success: true, data: 1 }, shaped: '1', ms: 1 } }),
    ),
    id.map(
      (call_id): Fact => ({
        event_type: 'approval.ask',
        data: { approval_id: `q-${call_id}`, calls: [{ call_id, name: 'n', level: 'write', arguments: {}, hash: 'h' }] },
      }),
    ),
    id.map((one): Fact => ({ event_type: 'approval.answer', data: { approval_id: `q-${one}`, decision: 'deny', by: 'x' } })),
    fc
      .constantFrom('nudge' as const, 'stop' as const)
      .map((verdict): Fact => ({ event_type: 'guard.trip', data: { guard: 'g', verdict, message: 'm' } })),
    fc.constant<Fact>({ event_type: 'input.add', data: { message: { role: 'user', content: 'more' } } }),
    fc.nat(3).map((count): Fact => ({ event_type: 'input.taken', data: { count } })),
    fc
      .nat(3)
      .map(
        (count): Fact => ({ event_type: 'memory.compact', data: { count, messages: [], own_from: 0, tokens_before: 2, tokens_after: 1 } }),
      ),
  );
  fc.assert(
    fc.property(fc.array(fact, { maxLength: 40 }), (facts) => {
      const events = [runStart(), ...facts].map(
        (one, index): RunEvent => ({ ...envelope, seq: index + 1, step: 0, ts: new Date(index).toISOString(), ...one }) as RunEvent,
      );
      const state = fold(events);
      assert.ok(next(state, rules).do);
      assert.equal(state.seq, events.length);
      const open = state.calls.filter((one) => one.status !== 'done');
      assert.equal(new Set(open.map((one) => one.id)).size, open.length);
    }),
    { numRuns: 500 },
  );
});

test('no rule reads a clock, an environment variable or a random number', () => {
  for (const file of ['kernel.ts', 'changes.ts', 'report.ts', 'text.ts']) {
    const source = readFileSync(new URL(`../../src/kernel/${file}`, import.meta.url), 'utf8');
    assert.doesNotMatch(source, /Date\.now|new Date\(\)|performance\.now|process\.|Math\.random|randomUUID|setTimeout|from 'node:/, file);
  }
});
