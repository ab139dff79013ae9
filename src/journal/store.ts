/**
 * The contract of an event store: where runs are kept. Two implementations stand behind it (SQLite
 * and memory) and pass one contract test. Every failure is a HermesError of kind `store` that names
 * the thing and the next step; a promise that resolves means that the change is kept.
 */

import type { Cost, Fact, Json, RunEvent, Status } from '../kernel/types.ts';

/** What does not change during a run and stands in each of its events. */
export interface RunIdentity {
  run_id: string;
  session_id: string;
  trace_id: string;
  parent_id?: string;
  /** The folder the run works in; finds the last session there (`--continue`). Not part of the events. */
  folder?: string;
}

/** The end of a run's hash chain; `{ seq: 0, hash: GENESIS }` is a run that has not begun. */
export interface Head {
  seq: number;
  hash: string;
}
export const GENESIS = '0'.repeat(64);

/** `interrupted`: it has not ended, does not wait for a person, and no living process holds its lease. */
export type RunStatus = Status | 'running' | 'interrupted';

/** What is known of a run without reading its events. */
export interface RunHead extends RunIdentity, Head {
  status: RunStatus;
  /** Time of the first event and of the last. */
  started: string;
  updated: string;
  /** The beginning of the request, at most 200 characters. */
  request: string;
  steps: number;
  /** The run whose history this one goes on from. */
  continues?: string;
}

export interface Append {
  run: RunIdentity;
  facts: readonly Fact[];
  step: number;
  /** ISO 8601, UTC, milliseconds. */
  ts: string;
  /** Where the writer believes the run ends. Any other end fails the append: there is a second writer. */
  after: Head;
  /** True: committed now, with all that waits. False: rides along with the next commit, 50 ms at most. */
  durable: boolean;
  /** Inbox letters that these facts came from; they count as taken once the facts are committed. */
  letters?: readonly number[];
}
export interface Appended {
  /** The facts with place and hash, given at once. */
  events: RunEvent[];
  /**
   * Settles when the events are on the disk, or never will be: nothing that was appended to the run
   * after a lost append can be kept, since the chain has a hole. The caller must handle a rejection.
   */
  saved: Promise<void>;
}

/** What somebody put in for a run from outside. */
export interface Letter {
  id: number;
  fact: Fact;
}

/** Where the writer of the JSON Lines log stands in the file of one run. */
export interface LogPosition {
  /** The last event written. */
  seq: number;
  /** Size of the file then. */
  bytes: number;
  /** Folded over the lines written: sha256(hash before + line); '' at the beginning. */
  hash: string;
}

/** Input and output tokens, and one sum a currency. */
export interface Spent {
  tokens: number;
  costs: Cost[];
}

export interface EventStore {
  /** Hashes and queues at once; see Append and Appended. Facts of one append are committed together or not at all. */
  append(append: Append): Appended;
  /** Events from `from` (default 1) on, in order, long texts put back. An unknown run has none. */
  read(run_id: string, from?: number): Promise<RunEvent[]>;
  /** The same as stored: one JSON text an event, texts over 1 KB by hash. */
  lines(run_id: string, from?: number): Promise<string[]>;
  head(run_id: string): Promise<RunHead | undefined>;
  /** Newest first. */
  list(options: { limit: number; session_id?: string; status?: RunStatus }): Promise<RunHead[]>;
  /** What is stored from `from` on, then what follows, by whichever process; until the signal or a break ends it. */
  subscribe(run_id: string, from: number, signal?: AbortSignal): AsyncIterable<RunEvent>;
  /** Called after each commit of this process; must not throw. Gives a function that ends it. */
  watch(listener: (run_id: string, ended: boolean) => void): () => void;

  inbox: {
    /** Anyone may put. False: this approval has already been answered, the first answer counts. An unknown run is an error. */
    put(run_id: string, fact: Fact): Promise<boolean>;
    /** Letters not yet turned into events, oldest first; an error unless `owner` holds the lease of the run. */
    take(run_id: string, owner: string): Promise<Letter[]>;
  };
  /** One holder a name (a run id, a session). `owner` is unique to the holder, not to the process. */
  lease: {
    /** True when free, already the owner's, expired, or held by a process of this machine that is gone. */
    acquire(name: string, owner: string, milliseconds: number): Promise<boolean>;
    /** False when somebody else has it by now. */
    renew(name: string, owner: string, milliseconds: number): Promise<boolean>;
    release(name: string, owner: string): Promise<void>;
  };
  /** Sub-agents' runs do not count as a session's. */
  sessions: {
    lastRun(session_id: string): Promise<string | undefined>;
    lastIn(folder: string): Promise<string | undefined>;
  };
  notes: {
    get(namespace: string, key: string): Promise<Json | undefined>;
    set(namespace: string, key: string, value: Json): Promise<void>;
    /** Sorted by key. */
    list(namespace: string): Promise<{ key: string; value: Json }[]>;
    /** False when it was not there. */
    delete(namespace: string, key: string): Promise<boolean>;
  };
  /** What all runs have used since then (ISO 8601), as far as it is committed; runs that were pruned count, too, for some days. */
  spent(since: string): Promise<Spent>;
  /** Texts over 1 KB, once each, by the sha256 of their UTF-8 bytes. */
  contents: {
    /** null = forgotten. */
    get(hash: string): Promise<string | null | undefined>;
    /** Leaves a tombstone. False when there was nothing to forget. */
    forget(hash: string): Promise<boolean>;
  };
  log: {
    position(run_id: string): Promise<LogPosition>;
    move(run_id: string, position: LogPosition): Promise<void>;
    /** Runs whose log is behind their events. */
    behind(): Promise<string[]>;
  };
  /**
   * Deletes runs whose whole family (session, sub-agents, forks, what they go on from) has had no event
   * since `before` (ISO 8601) and is not running, with the texts that nobody else refers to. Gives what it deleted.
   */
  prune(before: string): Promise<RunHead[]>;
  /** Commits what waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Options of every store. */
export interface StoreOptions {
  /** Applied to what does not come through a journal (inbox, notes): Secrets.hide. */
  hide?: <T>(value: T) => T;
}

const POLL_MS = 200;

/** The `subscribe` of every store: woken by commits of this process, looks every 200 ms for those of others. */
export async function* follow(
  store: Pick<EventStore, 'read' | 'watch'>,
  run_id: string,
  from: number,
  signal?: AbortSignal,
): AsyncGenerator<RunEvent> {
  let wake = Promise.withResolvers<void>();
  const rouse = () => wake.resolve();
  const stop = store.watch((committed) => {
    if (committed === run_id) rouse();
  });
  signal?.addEventListener('abort', rouse);
  try {
    for (let at = from; !signal?.aborted; ) {
      wake = Promise.withResolvers<void>();
      for (const event of await store.read(run_id, at)) {
        if (signal?.aborted) return;
        yield event;
        at = event.seq + 1;
      }
      const timer = setTimeout(rouse, POLL_MS);
      await wake.promise;
      clearTimeout(timer);
    }
  } finally {
    signal?.removeEventListener('abort', rouse);
    stop();
  }
}
