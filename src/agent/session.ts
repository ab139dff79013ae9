/** A talk: many runs, one after another, each going on from the last. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldLease } from '../journal/lease.ts';
import type { EventStore, Head } from '../journal/store.ts';
import type { RunStart, State } from '../kernel/types.ts';
import type { InputSchema, OutputOf } from '../tools/schema.ts';
import { defined } from './defined.ts';
import { outputForm } from './output-form.ts';
import type { AgentParts } from './parts.ts';
import { userMessage } from './request.ts';
import { Run } from './run.ts';
import type { RunOptions, RunOutcome } from './types.ts';

/** How often a session that another process writes to is looked at again. */
const LEASE_POLL_MS = 100;

export class Session {
  readonly id: string;
  readonly #agent: AgentParts;
  readonly #store: EventStore | undefined;
  /** The folded talk, and where it stands in the store. */
  #last: { state: State; continues?: NonNullable<RunStart['continues']> } | undefined;
  /** How many requests have begun. */
  #begun = 0;
  /** Requests to one session wait for each other: one writer at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(id: string, agent: AgentParts) {
    this.id = id;
    this.#agent = agent;
    this.#store = agent.options.store;
  }

  async run<const Schema extends InputSchema | undefined = undefined>(
    request: string,
    options: RunOptions<Schema> = {},
  ): Promise<RunOutcome<OutputOf<Schema>>> {
    return (await this.#inTurn(request, options, options.onEvent !== undefined)).outcome;
  }

  /** Resolves once it is this request's turn. */
  start<const Schema extends InputSchema | undefined = undefined>(
    request: string,
    options: RunOptions<Schema> = {},
  ): Promise<Run<OutputOf<Schema>>> {
    return this.#inTurn(request, options, true);
  }

  #inTurn<Schema extends InputSchema | undefined>(
    request: string,
    options: RunOptions<Schema>,
    streaming: boolean,
  ): Promise<Run<OutputOf<Schema>>> {
    const begun = this.#turn.then(() => this.#begin(request, options, streaming));
    // A run that fails or sleeps ends its turn like any other.
    this.#turn = begun.then((run) => run.outcome).catch(() => undefined);
    return begun;
  }

  async #begin<Schema extends InputSchema | undefined>(
    request: string,
    options: RunOptions<Schema>,
    streaming: boolean,
  ): Promise<Run<OutputOf<Schema>>> {
    const message = userMessage(request);
    const output = options.output && outputForm(options.output);
    const lease = await this.#lease(options.signal);
    try {
      await this.#catchUp();
      const { state: before, continues } = this.#last ?? {};
      const number = ++this.#begun;
      // A run that slept and wakes after the talk has gone on is not the talk's end any more.
      const onState = (state: State, head: Head | undefined) => {
        if (this.#begun === number) this.#last = { state, ...(head && this.#store ? { continues: placeOf(state, head) } : {}) };
      };
      const beginning = { sessionId: this.id, message, streaming, onState, ...defined({ before, continues, output }) };
      const run = new Run<OutputOf<Schema>>(this.#agent, beginning, options);
      const release = () => lease?.release();
      run.outcome.then(release, release);
      return run;
    } catch (error) {
      await lease?.release();
      throw error;
    }
  }

  /** Across processes, too: whoever talks to this session now is waited for. */
  async #lease(signal: AbortSignal | undefined): Promise<HeldLease | undefined> {
    if (!this.#store) return undefined;
    const { holdLease } = await import('../journal/lease.ts');
    for (;;) {
      const lease = await holdLease(this.#store, `session:${this.id}`);
      if (lease) return lease;
      await sleep(LEASE_POLL_MS, undefined, signal ? { signal } : {});
    }
  }

  /** Reads the talk from the store, at the first request and whenever somebody else has gone on with it. */
  async #catchUp(): Promise<void> {
    const runId = await this.#store?.sessions.lastRun(this.id);
    if (!this.#store || runId === undefined) return;
    const known = this.#last?.state;
    if (known?.run_id === runId && known.seq === (await this.#store.head(runId))?.seq) return;
    const { readHistory } = await import('../journal/history.ts');
    const { state, head } = await readHistory(this.#store, runId);
    this.#last = { state, continues: placeOf(state, head) };
  }
}

function placeOf({ run_id }: State, { seq, hash }: Head): NonNullable<RunStart['continues']> {
  return { run_id, seq, hash };
}
