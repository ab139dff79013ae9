/** The kernel through its front door: run, next, apply, fold. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold, next, run } from '../../src/kernel/kernel.ts';
import type { Fact, Performers, Rules, RunEvent, State } from '../../src/kernel/types.ts';
import { assertPaired, handClock, memoryJournal, performers, rules, runStart, type ScriptedReply } from './world.ts';

function story(
  replies: ScriptedReply[],
  options: Partial<{ rules: Rules; performers: Performers; first: Fact<'run.start'>; events: RunEvent[] }> = {},
) {
  const journal = memoryJournal(options.events ?? []);
  const clock = handClock();
  const published: (RunEvent | Fact)[] = [];
  const running = run({
    first: options.first ?? runStart(),
    performers: options.performers ?? performers(replies),
    rules: options.rules ?? rules,
    journal,
    clock,
    publish: (event) => published.push(event),
  });
  return { running, journal, clock, published };
}

const types = (events: readonly (RunEvent | Fact)[]) => events.map((event) => event.event_type);

test('a run with one tool call is this log and nothing else', async () => {
  const { running, journal } = story([{ calls: [{ name: 'read' }] }, { text: 'the answer' }]);
  const state = await running.done;
  assert.deepEqual(types(journal.events), [
    'run.start', 'step.start', 'model.start', 'model.end', 'call.prepare', 'call.permit', 'tool.start', 'tool.end',
    'step.start', 'model.start', 'model.end', 'run.end',
  ]); // biome-ignore format: one line a step reads better
  assert.equal(state.outcome?.status, 'success');
  assert.equal(state.outcome?.answer, 'the answer');
  assert.equal(state.outcome?.steps, 2);
  assert.deepEqual(state.outcome?.tool_calls, [{ name: 'read', arguments: {}, success: true, ms: 1, ran: true }]);
  assertPaired(state);
});

test('results enter the messages in call order, whatever order they came in', async () => {
  const slow = performers([{ calls: [{ name: 'read' }, { name: 'read' }, { name: 'read' }] }]);
  const act: Performers['act'] = async (state, calls, performing) => {
    for (const call of [...calls].reverse()) await slow.act(state, [call], performing);
  };
  const state = await story([], { performers: { ...slow, act } }).running.done;
  const results = state.messages.filter((message) => message.role === 'tool').map((message) => message.call_id);
  assert.deepEqual(results, ['c1.0', 'c1.1', 'c1.2']);
});

test('one bad call of two: the good one runs, the bad one gets its own error under its own id', async () => {
  const bad = { name: 'read', problem: { code: 'truncated', message: 'cut off' } };
  const state = await story([{ calls: [{ name: 'read' }, bad] }]).running.done;
  const results = state.messages.filter((message) => message.role === 'tool');
  assert.deepEqual(
    results.map(({ call_id, content, success }) => ({ call_id, content, success })),
    [
      { call_id: 'c1.0', content: 'result of c1.0', success: true },
      { call_id: 'c1.1', content: 'cut off', success: false },
    ],
  );
});

test('max_steps ends with a report of what was done and what is left, never in silence', async () => {
  const loop = Array.from({ length: 20 }, () => ({ calls: [{ name: 'read' }] }));
  const state = await story(loop, { first: runStart('find the needle', { max_steps: 3, max_seconds: 300 }) }).running.done;
  assert.equal(state.outcome?.status, 'max_steps');
  assert.equal(state.outcome?.steps, 3);
  assert.match(state.outcome?.report ?? '', /read\(\{\}\) \(3 times\)/);
  assert.match(state.outcome?.report ?? '', /find the needle/);
});

test('a dangerous call waits; the run sleeps; an answer posted later lets it run', async () => {
  const { running, journal } = story([{ calls: [{ name: 'danger' }] }, { text: 'sent' }]);
  const asleep = await running.done;
  assert.equal(asleep.outcome, undefined);
  assert.equal(asleep.waiting.length, 1);
  const before = fold(journal.events);
  assert.deepEqual(before, asleep);
  const letters: Fact[] = [
    { event_type: 'approval.answer', data: { approval_id: asleep.waiting[0]!.approval_id, decision: 'approve', by: 'test' } },
  ];
  const again = run({
    first: { event_type: 'run.resume', data: {} },
    before,
    performers: performers([{ calls: [{ name: 'danger' }] }, { text: 'sent' }]),
    rules,
    journal: { ...memoryJournal(journal.events), inbox: () => letters.splice(0) },
    clock: handClock(),
    publish: () => {},
  });
  const state = await again.done;
  assert.equal(state.outcome?.status, 'success');
  assert.equal(state.outcome?.answer, 'sent');
  assert.equal(state.ledger[0]?.success, true);
});

test('a denied call is told to the model with the reason, and nothing ran', async () => {
  const ran: string[] = [];
  const wait: Performers['wait'] = async (state, { emit }) => {
    await emit({
      event_type: 'approval.answer',
      data: { approval_id: state.waiting[0]!.approval_id, decision: 'deny', note: 'too dear', by: 'test' },
    });
  };
  const scripted = { ...performers([{ calls: [{ name: 'danger' }, { name: 'read' }] }], { log: ran }), wait };
  const state = await story([], { performers: scripted }).running.done;
  assert.deepEqual(ran, ['c1.1']);
  assert.match(state.messages.find((message) => message.role === 'tool')?.content ?? '', /too dear/);
  assert.equal(state.outcome?.tool_calls.find((record) => record.name === 'danger')?.error_code, 'denied');
});

test('steering is taken in between steps; an interrupt ends the reply and drops its calls', async () => {
  const base = performers([{ calls: [{ name: 'read' }] }, { text: 'first' }, { text: 'second' }]);
  let post: (fact: Fact) => void = () => {};
  const think: Performers['think'] = async (state, performing) => {
    if (state.step !== 0) return base.think(state, performing);
    const aborted = new Promise((resolve) => performing.signal.addEventListener('abort', resolve));
    post({ event_type: 'input.add', data: { message: { role: 'user', content: 'wait, rather this' }, interrupt: true } });
    await aborted;
    await performing.emit({ event_type: 'model.end', data: { model: 'm', text: 'half a', calls: [], finish: 'interrupted', ms: 1 } });
  };
  const { running } = story([], { performers: { ...base, think } });
  post = running.post;
  const state = await running.done;
  assert.deepEqual(
    state.messages.map((message) => [message.role, message.content]),
    [
      ['user', 'hello'],
      ['assistant', 'half a'],
      ['user', 'wait, rather this'],
      ['assistant', 'first'],
    ],
  );
});

test('abort in the middle of a tool: its result still enters, the run ends as cancelled', async () => {
  const base = performers([{ calls: [{ name: 'read' }, { name: 'read' }] }]);
  let post: (fact: Fact) => void = () => {};
  const act: Performers['act'] = async (state, calls, performing) => {
    post({ event_type: 'run.abort', data: { reason: 'test' } });
    if (!performing.signal.aborted) await new Promise((resolve) => performing.signal.addEventListener('abort', resolve));
    await base.act(state, calls.slice(0, 1), performing);
  };
  const { running } = story([], { performers: { ...base, act } });
  post = running.post;
  const state = await running.done;
  assert.equal(state.outcome?.status, 'cancelled');
  assertPaired(state);
  assert.equal(state.messages.filter((message) => message.role === 'tool').length, 2);
});

test('the time limit ends the run as timeout with a report', async () => {
  const base = performers([{ text: 'never' }]);
  const started = Promise.withResolvers<void>();
  const think: Performers['think'] = async (_state, { signal, emit }) => {
    started.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await emit({ event_type: 'model.end', data: { model: 'm', text: '', calls: [], finish: 'interrupted', ms: 1 } });
  };
  const { running, clock } = story([], { performers: { ...base, think } });
  await started.promise;
  clock.ring();
  const state = await running.done;
  assert.equal(state.outcome?.status, 'timeout');
  assert.equal(state.outcome?.stopped_by, 'max_seconds');
});

test('a reply that could not be read is sent back once; then its text is the answer', async () => {
  const problem = { code: 'unreadable', message: 'send valid JSON' };
  const state = await story([
    { text: 'a', problem },
    { text: 'b', problem },
  ]).running.done;
  assert.equal(state.outcome?.answer, 'b');
  assert.equal(state.step, 2);
});

test('a model error ends the run as error with its code; a resume clears it and thinks again', async () => {
  const { running, journal } = story([{ error: { code: 'wrong_key', message: 'no' } }]);
  const state = await running.done;
  assert.equal(state.outcome?.status, 'error');
  assert.equal(state.outcome?.error?.code, 'wrong_key');
  assert.ok(journal.events.length > 0);
});

test('an overflow is recovered from once the history could be made smaller, else it is the error', async () => {
  const overflow = { error: { code: 'context_overflow', message: 'too long' } };
  const compact: Rules['compact'] = (state) =>
    state.messages.length > 1 || state.messages[0]?.content === 'short'
      ? undefined
      : {
          event_type: 'memory.compact',
          data: { count: 1, messages: [{ role: 'user', content: 'short' }], own_from: 0, tokens_before: 9, tokens_after: 1 },
        };
  const state = await story([overflow, { text: 'fits' }], { rules: { ...rules, compact } }).running.done;
  assert.equal(state.outcome?.answer, 'fits');
  const hopeless = await story([overflow, overflow], { rules: { ...rules, compact } }).running.done;
  assert.equal(hopeless.outcome?.error?.code, 'context_overflow');
});

test('a performer that throws or reports nothing ends the run as error, with every call answered', async () => {
  const base = performers([{ calls: [{ name: 'read' }] }]);
  const thrown = await story([], {
    performers: {
      ...base,
      act: async () => {
        throw new Error('bug');
      },
    },
  }).running.done;
  assert.equal(thrown.outcome?.status, 'error');
  assert.match(thrown.outcome?.error?.message ?? '', /bug/);
  assertPaired(thrown);
  const silent = await story([], { performers: { ...base, prepare: async () => {} } }).running.done;
  assert.equal(silent.outcome?.error?.code, 'internal_error');
});

test('a journal that can keep nothing more ends the run with its error; nothing goes on unsaved', async () => {
  const ran: string[] = [];
  for (let failAt = 0; failAt < 12; failAt++) {
    ran.length = 0;
    const journal = memoryJournal([], failAt);
    const scripted = performers([{ calls: [{ name: 'write' }] }], { log: ran });
    const running = run({ first: runStart(), performers: scripted, rules, journal, clock: handClock(), publish: () => {} });
    await assert.rejects(running.done, /disk full/, `failing at ${failAt}`);
    if (!journal.events.some((event) => event.event_type === 'tool.start')) assert.deepEqual(ran, []);
  }
});

test('before-finish rules may send the answer back once or replace it', async () => {
  const nudge: Rules['beforeFinish'] = [
    (state) =>
      state.trips.check
        ? undefined
        : { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: 'check', verdict: 'nudge', message: 'look again' } }] },
  ];
  const nudged = await story([{ text: 'one' }, { text: 'two' }], { rules: { ...rules, beforeFinish: nudge } }).running.done;
  assert.equal(nudged.outcome?.answer, 'two');
  const replace: Rules['beforeFinish'] = [
    (state) =>
      state.trips.check
        ? undefined
        : {
            do: 'record',
            facts: [{ event_type: 'guard.trip', data: { guard: 'check', verdict: 'replace', message: 'wrong', answer: 'right' } }],
          },
  ];
  const replaced = await story([{ text: 'one' }], { rules: { ...rules, beforeFinish: replace } }).running.done;
  assert.equal(replaced.outcome?.answer, 'right');
  assert.equal(replaced.messages.at(-1)?.content, 'right');
});

test('a session goes on from the history; a call left open by a crash gets its result first', async () => {
  const { running, journal } = story([{ calls: [{ name: 'read' }] }, { text: 'one' }]);
  await running.done;
  const cut = fold(journal.events.slice(0, 7)); // tool.start, no tool.end
  const again = run({
    first: runStart('second'),
    before: cut,
    performers: performers([{ text: 'two' }]),
    rules,
    journal: memoryJournal(),
    clock: handClock(),
    publish: () => {},
  });
  const state: State = await again.done;
  assertPaired(state);
  assert.equal(state.own_from, 3);
  assert.equal(state.outcome?.answer, 'two');
});

test('next is total on the very first state', () => {
  const state = fold([{ ...(memoryJournal().append([runStart()], 0, false) as RunEvent[]) }[0] as RunEvent]);
  assert.deepEqual(next(state, rules), { do: 'think' });
});
