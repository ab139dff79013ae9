/** The kernel's Journal: gives facts their place in the run, and keeps them when there is a store. */

import type { Clock, Fact, Journal, RunEvent } from '../kernel/types.ts';
import type { Secrets } from './secrets.ts';
import { type EventStore, GENESIS, type Head, type Letter, type RunIdentity } from './store.ts';

export interface JournalOptions {
  run: RunIdentity;
  clock: Pick<Clock, 'now'>;
  secrets?: Secrets;
  /** None: events get sequence numbers and nothing is kept. */
  store?: EventStore;
  /** Where the run stands in its log; default: it begins. */
  head?: Head;
  /** Holder of the run's lease; with it and a store the inbox is read. */
  owner?: string;
}
export interface RunJournal extends Journal {
  /** The end of the run's log as this journal has written it. */
  head(): Head;
}

const BEGINNING: Head = { seq: 0, hash: GENESIS };
/** How often the inbox is looked into at most: a person does not notice, a fast loop does not pay. */
const INBOX_MS = 200;
const NOTHING: Fact[] = [];

export function createJournal(options: JournalOptions): RunJournal {
  return options.store ? storedJournal(options, options.store) : countingJournal(options);
}

/** The library's default: no store, no hashes, nothing but the events themselves is made. */
function countingJournal({
  run: { run_id, session_id, trace_id, parent_id },
  clock,
  secrets,
  head = BEGINNING,
}: JournalOptions): RunJournal {
  let { seq } = head;
  return {
    append(facts, step) {
      const ts = clock.now();
      return facts.map((fact) => {
        const { event_type, data } = secrets ? secrets.hide(fact) : fact;
        seq += 1;
        if (parent_id === undefined) return { seq, ts, trace_id, session_id, run_id, step, event_type, data } as RunEvent;
        return { seq, ts, trace_id, session_id, run_id, parent_id, step, event_type, data } as RunEvent;
      });
    },
    head: () => ({ seq, hash: head.hash }),
  };
}

function storedJournal({ run, clock, secrets, head: after = BEGINNING, owner }: JournalOptions, store: EventStore): RunJournal {
  let head = after;
  /** An append that was lost ends the journal: what followed it cannot be kept. */
  let failure: { error: unknown } | undefined;
  let watched: Promise<void> | undefined;

  /** Appends of one commit share a promise; its failure is thrown by the next append, if nobody waits for it now. */
  function watch(saved: Promise<void>): void {
    if (saved === watched) return;
    watched = saved;
    saved.catch((error) => {
      failure ??= { error };
    });
  }
  const letters = createMailbag(store, run.run_id, owner);
  return {
    append(facts, step, durable) {
      if (failure) throw failure.error;
      if (facts.length === 0) return [];
      const hidden = secrets ? facts.map((fact) => secrets.hide(fact)) : facts;
      const { events, saved } = store.append({
        run,
        facts: hidden,
        step,
        ts: clock.now(),
        after: head,
        durable,
        letters: letters.among(facts),
      });
      const last = events.at(-1)!;
      head = { seq: last.seq, hash: last.hash! };
      watch(saved);
      return durable ? saved.then(() => events) : events;
    },
    ...(owner === undefined ? {} : { inbox: letters.look }),
    head: () => head,
  };
}

/** Letters of the inbox, each handed out once; they are marked as taken by the append that makes them events. */
function createMailbag(store: EventStore, run_id: string, owner = '') {
  const given = new Map<Fact, number>();
  const seen = new Set<number>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function take(): Promise<Fact[]> {
    const fresh: Letter[] = (await store.inbox.take(run_id, owner)).filter(({ id }) => !seen.has(id));
    for (const { id, fact } of fresh) {
      seen.add(id);
      given.set(fact, id);
    }
    return fresh.map(({ fact }) => fact);
  }
  return {
    look(atOnce = false): Fact[] | Promise<Fact[]> {
      const now = performance.now();
      if (!atOnce && now - lookedAt < INBOX_MS) return NOTHING;
      lookedAt = now;
      return take();
    },
    among(facts: readonly Fact[]): number[] {
      if (given.size === 0) return [];
      const ids: number[] = [];
      for (const fact of facts) {
        const id = given.get(fact);
        if (id !== undefined) ids.push(id);
        given.delete(fact);
      }
      return ids;
    },
  };
}
