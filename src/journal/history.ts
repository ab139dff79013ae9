/** From a log back to a state: the run itself, and the runs whose history it goes on from. */

import { HermesError } from '../kernel/errors.ts';
import { fold } from '../kernel/kernel.ts';
import type { RunEvent, State } from '../kernel/types.ts';
import { unknownRun } from './rules.ts';
import type { EventStore, Head } from './store.ts';

export interface History {
  /** The events of the run itself, up to the wanted one. */
  events: RunEvent[];
  /** The state that the run began from; undefined when it began from nothing. */
  before?: State;
  /** The fold of it all. */
  state: State;
  /** Where these events end. */
  head: Head;
}

/** `at`: the last event that counts; default all. An unknown run or position is an error. */
export async function readHistory(store: EventStore, run_id: string, at?: number): Promise<History> {
  // A conversation is a chain of runs; it is read backwards to its beginning, then folded forwards.
  const chain: RunEvent[][] = [];
  for (let link: { run_id: string; at?: number } | undefined = { run_id, ...(at === undefined ? {} : { at }) }; link; ) {
    const events = upTo(await store.read(link.run_id), link.run_id, link.at);
    chain.unshift(events);
    const first = events[0]!;
    const continues: { run_id: string; seq: number } | undefined = first.event_type === 'run.start' ? first.data.continues : undefined;
    link = continues && { run_id: continues.run_id, at: continues.seq };
  }
  const before = chain.slice(0, -1).reduce<State | undefined>((state, events) => fold(events, state), undefined);
  const events = chain.at(-1)!;
  const { seq, hash = '' } = events.at(-1)!;
  return { events, ...(before ? { before } : {}), state: fold(events, before), head: { seq, hash } };
}

function upTo(events: RunEvent[], run_id: string, at: number | undefined): RunEvent[] {
  if (events.length === 0) throw unknownRun(run_id);
  if (at === undefined) return events;
  if (Number.isInteger(at) && at >= 1 && at <= events.length) return events.slice(0, at);
  throw new HermesError('unknown_event', `run ${run_id} has no event ${at}: it has the events 1 to ${events.length}`, {
    kind: 'usage',
    next: `hermes runs show ${run_id} lists them`,
  });
}
