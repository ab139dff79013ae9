/** A talk: many runs, one after another, each going on from the last. */

import type { EventStore } from '../journal/store.ts';
import type { RunStart, State } from '../kernel/types.ts';
import type { AgentParts } from './parts.ts';
import { userMessage } from './request.ts';
import { Run } from './run.ts';
import type { RunOptions, RunOutcome } from './types.ts';

export class Session {
  readonly id: string;
  readonly #agent: AgentParts;
  readonly #store: EventStore | undefined;
  /** The folded talk; with a store it is read at the first request. */
  #last: { state: State; continues?: NonNullable<RunStart['continues']> } | undefined;
  /** Requests to one session wait for each other: one writer at a time. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(id: string, agent: AgentParts) {
    this.id = id;
    this.#agent = agent;
    this.#store = agent.options.store;
  }

  async run(request: string, options: RunOptions = {}): Promise<RunOutcome> {
    return (await this.#inTurn(request, options, options.onEvent !== undefined)).outcome;
  }

  /** Resolves once it is this request's turn. */
  start(request: string, options: RunOptions = {}): Promise<Run> {
    return this.#inTurn(request, options, true);
  }

  #inTurn(request: string, options: RunOptions, streaming: boolean): Promise<Run> {
    const begun = this.#turn.then(() => this.#begin(request, options, streaming));
    // A run that fails or sleeps ends its turn like any other.
    this.#turn = begun.then((run) => run.outcome).catch(() => undefined);
    return begun;
  }

  async #begin(request: string, options: RunOptions, streaming: boolean): Promise<Run> {
    this.#last ??= await this.#stored();
    const last = this.#last;
    const onState = (state: State) => {
      this.#last = { state, ...(this.#store ? { continues: { run_id: state.run_id, seq: state.seq } } : {}) };
    };
    const from = last ? { before: last.state, ...(last.continues ? { continues: last.continues } : {}) } : {};
    const message = userMessage(request, options);
    return new Run(this.#agent, { sessionId: this.id, message, ...from, streaming, onState }, options);
  }

  async #stored() {
    const runId = await this.#store?.sessions.lastRun(this.id);
    if (this.#store === undefined || runId === undefined) return undefined;
    const { events, state } = await (await import('../journal/history.ts')).readHistory(this.#store, runId);
    const { seq, hash } = events.at(-1)!;
    return { state, continues: { run_id: runId, seq, ...(hash === undefined ? {} : { hash }) } };
  }
}
