/**
 * The library's front door: an agent runs requests, keeps sessions, goes on with runs and forks them.
 * It assembles kernel and parts; it decides nothing that the kernel decides.
 */

import type { EventStore } from '../journal/store.ts';
import { HermesError } from '../kernel/errors.ts';
import type { RunEvent } from '../kernel/types.ts';
import type { Tool } from '../tools/define.ts';
import { subAgent } from './child.ts';
import { defined } from './defined.ts';
import { newId } from './launch.ts';
import { checkOptions } from './options.ts';
import { type AgentParts, agentParts } from './parts.ts';
import { userMessage } from './request.ts';
import { Run } from './run.ts';
import { Session } from './session.ts';
import type { AgentOptions, ModelOption, RunOptions, RunOutcome } from './types.ts';

export interface ForkOptions extends RunOptions {
  /** The last event of the old run that counts; default: all. */
  at?: number;
  /** Default: the agent's own. */
  model?: ModelOption;
  /** A new request at that point; default: the fork goes on where the old run stood. */
  request?: string;
}

export class Agent {
  readonly #parts: AgentParts;

  /** Opens nothing and calls nobody; that happens at the first request. */
  constructor(options: AgentOptions = {}) {
    checkOptions(options);
    this.#parts = agentParts(options);
  }

  /** Runs a request to its outcome. Never throws for what a model, tool or person did: that is in the outcome. */
  async run(request: string, options: RunOptions = {}): Promise<RunOutcome> {
    const message = userMessage(request, options);
    return new Run(this.#parts, { message, streaming: options.onEvent !== undefined }, options).outcome;
  }

  /** The same run, as events. */
  stream(request: string, options: RunOptions = {}): AsyncIterableIterator<RunEvent> {
    return this.start(request, options).events;
  }

  /** The same run, as something to hold on to: to listen, to steer, to abort, to answer. */
  start(request: string, options: RunOptions = {}): Run {
    return new Run(this.#parts, { message: userMessage(request, options), streaming: true }, options);
  }

  /** A talk: each request goes on from the last. With a store it is found again by its id. */
  session(id: string = newId('session')): Session {
    return new Session(id, this.#parts);
  }

  /** Goes on with a run that was interrupted or that sleeps. Needs a store. */
  async resume(runId: string, options: RunOptions = {}): Promise<RunOutcome> {
    return (await this.startResume(runId, options)).outcome;
  }

  async startResume(runId: string, options: RunOptions = {}): Promise<Run> {
    const { state, head } = await (await import('../journal/history.ts')).readHistory(this.#store('resume'), runId);
    if (state.outcome) {
      throw new HermesError('run_over', `run ${runId} has already ended (${state.outcome.status})`, {
        kind: 'usage',
        next: `hermes runs fork ${runId} --at N goes on from one of its events`,
      });
    }
    const known = { runId, sessionId: state.session_id, before: state, resume: head };
    return new Run(this.#parts, { ...known, ...defined({ parentId: state.parent_id }), streaming: true }, options);
  }

  /** A new run that goes on from an event of another, on another model or with a new request. Needs a store. */
  async fork(runId: string, options: ForkOptions = {}): Promise<RunOutcome> {
    return (await this.startFork(runId, options)).outcome;
  }

  async startFork(runId: string, options: ForkOptions = {}): Promise<Run> {
    const { state, head } = await (await import('../journal/history.ts')).readHistory(this.#store('fork'), runId, options.at);
    const continues = { run_id: runId, ...head, fork: true };
    const message = options.request === undefined ? undefined : userMessage(options.request, options);
    if (!message && state.answer !== undefined && state.problem === undefined) throw alreadyAnswered(runId, head.seq);
    return new Run(this.#parts, { continues, before: state, ...defined({ message, model: options.model }), streaming: true }, options);
  }

  /** A sub-agent: this agent as a tool of another. */
  asTool(definition: { name: string; description: string }): Tool {
    return subAgent(this.#parts, definition);
  }

  /** Ends what is kept between requests: worker threads, sockets, a loaded model. The store belongs to the caller. */
  async close(): Promise<void> {
    await this.#parts.close();
  }

  #store(purpose: string): EventStore {
    const { store } = this.#parts.options;
    if (store) return store;
    throw new HermesError('no_store', `${purpose} needs a store: without one no events are kept`, {
      kind: 'usage',
      next: 'new Agent({ ..., store: await openSqliteStore({ file }) })',
    });
  }
}

function alreadyAnswered(runId: string, at: number): HermesError {
  return new HermesError('nothing_to_do', `run ${runId} has its answer at event ${at}: a fork there would only repeat it`, {
    kind: 'usage',
    next: `name an earlier event (--at N; \`hermes runs show ${runId}\` lists them), or give the fork a new request`,
  });
}
