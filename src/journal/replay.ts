/**
 * Replay: the same loop, with performers that answer from the log and a journal that keeps nothing
 * but checks that each event is the recorded one. The first difference is reported.
 */

import { HermesError } from '../kernel/errors.ts';
import { run } from '../kernel/kernel.ts';
import { stableJson } from '../kernel/text.ts';
import type { CallQuestion, EventType, Fact, Journal, Performers, Performing, Permission, Rules, RunEvent } from '../kernel/types.ts';
import type { History } from './history.ts';

export interface Replay {
  ok: boolean;
  /** Events that came out as recorded. */
  events: number;
  difference?: { seq: number; recorded?: { event_type: string; data: unknown }; now: { event_type: string; data: unknown } };
  /** The loop stopped before the end of the log without a difference: what it did instead of going on. */
  stopped?: string;
}

/** What comes from outside the loop: people, limits, a restart. In a replay the log posts it. */
const OUTSIDE = new Set<EventType>(['run.resume', 'run.change', 'run.abort', 'limit.reached', 'input.add', 'approval.answer', 'run.note']);

const BY_PERFORMERS = new Set<EventType>([
  'step.start',
  'context.built',
  'model.start',
  'model.end',
  'call.prepare',
  'tool.start',
  'tool.end',
  'perform.start',
  'perform.end',
  'hook.verdict',
]);

/** What only the loop itself decides: where one of these was recorded, a performer that is asked instead is the difference. */
const BY_RULES = new Set<EventType>(['call.permit', 'approval.ask', 'guard.trip', 'input.taken', 'run.end']);

/** A call is rejected by a performer, unless the kernel closes it because the run ends. */
function isPerformers(event: RunEvent | undefined): boolean {
  if (event?.event_type === 'call.reject') return event.data.code !== 'cancelled';
  if (event?.event_type === 'hook.verdict') return event.data.stage !== 'before_finish'; // that one is told by a rule
  return event !== undefined && BY_PERFORMERS.has(event.event_type);
}

/** What stands over every permission, whatever the options are. */
type Gate = (permit: Rules['permit']) => Pick<Rules, 'permit' | 'question'>;

/**
 * `rules`: as in the run, but for permissions, which depend on options of that day and are taken from the log. `gate` decides again.
 */
export async function replay(history: History, rules: Omit<Rules, 'permit'>, gate?: Gate): Promise<Replay> {
  const { events, before } = history;
  const cursor = { at: 0 };
  let difference: Replay['difference'];
  const differ = (now: { event_type: string; data: unknown }): never => {
    const recorded = events[cursor.at];
    difference ??= { seq: cursor.at + 1, ...(recorded ? { recorded: bare(recorded) } : {}), now };
    throw new HermesError('replay_differs', `event ${cursor.at + 1} is not the recorded one`, { kind: 'store' });
  };
  const journal: Journal = {
    append(facts) {
      const place = cursor.at;
      for (const fact of facts) {
        const recorded = events[cursor.at];
        if (!recorded || !same(recorded, fact)) differ(bare(fact));
        cursor.at += 1;
      }
      return events.slice(place, cursor.at);
    },
    inbox() {
      const from = cursor.at;
      let to = from;
      while (to < events.length && OUTSIDE.has(events[to]!.event_type)) to += 1;
      // What came while a performer was at work is handed out with what that performer reported.
      return isPerformers(events[to]) ? [] : events.slice(from, to);
    },
  };
  const gated = gate?.(recordedPermit(events, true)) ?? { permit: recordedPermit(events, false), ...rules };
  const running = run({
    first: events[0] as RunEvent<'run.start'>,
    ...(before ? { before } : {}),
    performers: recordedPerformers(events, cursor, differ),
    rules: {
      ...rules,
      permit: gated.permit,
      question: (state, call) => ({ ...gated.question?.(state, call), ...recordedAlways(events, call.id) }),
      get approval_ms() {
        return recordedExpiry(events, cursor.at);
      },
    },
    journal,
    clock: { now: () => '', after: () => () => {} },
    publish: () => {},
  });
  try {
    const state = await running.done;
    if (cursor.at === events.length) return { ok: true, events: cursor.at };
    const stopped = state.outcome ? `ended as ${state.outcome.status}` : 'went to sleep';
    return { ok: false, events: cursor.at, stopped };
  } catch (error) {
    if (!difference) throw error;
    return { ok: false, events: cursor.at, difference };
  }
}

function recordedPerformers(
  events: readonly RunEvent[],
  cursor: { at: number },
  differ: (now: { event_type: EventType; data: unknown }) => never,
): Performers {
  // Hands out what the performer had reported until `done`; a restart in the log means that it never came to its end.
  async function play(performing: Performing, first: EventType, done: (fact: Fact) => boolean): Promise<void> {
    for (let event = events[cursor.at]; event; event = events[cursor.at]) {
      if (BY_RULES.has(event.event_type)) differ({ event_type: first, data: {} });
      await performing.emit(event);
      if (event.event_type === 'run.resume' || done(event)) return;
    }
  }
  const each = (calls: readonly { id: string }[], types: readonly EventType[]) => {
    const open = new Set(calls.map((call) => call.id));
    return (fact: Fact) => {
      if (types.includes(fact.event_type) && 'call_id' in fact.data) open.delete(fact.data.call_id as string);
      return open.size === 0;
    };
  };
  return {
    think: (_state, performing) => play(performing, 'step.start', (fact) => fact.event_type === 'model.end'),
    prepare: (_state, calls, performing) => play(performing, 'call.prepare', each(calls, ['call.prepare', 'call.reject'])),
    act: (_state, calls, performing) => play(performing, 'tool.start', each(calls, ['tool.end'])),
    perform: (name, _input, _state, performing) =>
      play(performing, 'perform.start', (fact) => fact.event_type === 'perform.end' && fact.data.name === name),
    wait: (_state, performing) => play(performing, 'approval.answer', () => !OUTSIDE.has(events[cursor.at]?.event_type ?? 'run.end')),
  };
}

/** `gateDecides`: of what a gate or hook has asked about or refused only that no rule had denied it. */
function recordedPermit(events: readonly RunEvent[], gateDecides: boolean): Rules['permit'] {
  const permissions = new Map<string, Permission>();
  for (const event of events) {
    if (event.event_type !== 'call.permit' || event.data.by === 'person') continue;
    const { call_id, decision, reason, by } = event.data;
    const isOpen = gateDecides && by !== 'rule';
    permissions.set(call_id, isOpen ? { decision: 'allow', reason: 'no rule had denied it' } : { decision, reason, by });
  }
  return (_state, call) => permissions.get(call.id) ?? { decision: 'deny', reason: 'not in the log' };
}

/** What "always" would have added also depends on the permissions of that day. */
function recordedAlways(events: readonly RunEvent[], callId: string): Pick<CallQuestion, 'always'> {
  for (const event of events) {
    const asked = event.event_type === 'approval.ask' && event.data.calls.find(({ call_id }) => call_id === callId);
    if (asked && asked.always !== undefined) return { always: asked.always };
  }
  return {};
}

/** How long the next question was to wait: counted from the event before the decision to ask. */
function recordedExpiry(events: readonly RunEvent[], at: number): number | undefined {
  const asked = events.slice(at).find((event) => event.event_type === 'approval.ask');
  const before = events[at - 1];
  return asked?.data.expires && before ? Date.parse(asked.data.expires) - Date.parse(before.ts) : undefined;
}

function bare(fact: Fact): { event_type: string; data: unknown } {
  return { event_type: fact.event_type, data: fact.data };
}

function same(recorded: Fact, now: Fact): boolean {
  return recorded === now || (recorded.event_type === now.event_type && stableJson(recorded.data) === stableJson(now.data));
}
