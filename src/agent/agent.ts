/**
 * The library's front door: an agent runs requests, keeps sessions, goes on with runs and forks them.
 * It assembles kernel and parts; it decides nothing that the kernel decides.
 */

import type { EventStore } from '../journal/store.ts';
import { HermesError } from '../kernel/errors.ts';
import { stableJson } from '../kernel/text.ts';
import type { Json, RunEvent } from '../kernel/types.ts';
import type { Tool } from '../tools/define.ts';
import type { InputSchema, OutputOf } from '../tools/schema.ts';
import { subAgent } from './child.ts';
import { defined } from './defined.ts';
import { newId } from './launch.ts';
import { checkOptions } from './options.ts';
import { outputForm } from './output-form.ts';
import { type AgentParts, agentParts } from './parts.ts';
import { userMessage } from './request.ts';
import { Run } from './run.ts';
import { Session } from './session.ts';
import type { AgentOptions, ModelOption, RunOptions, RunOutcome } from './types.ts';

export interface ForkOptions<Schema extends InputSchema | undefined = undefined> extends RunOptions<Schema> {
  /** The last event of the old run that counts; default: all. */
  at?: number;
  /** Default: the agent's own. */
  model?: ModelOption;
  /** A new request at that point; default: the fork goes on where the old run stood, with its output schema unless one is given. */
  request?: string;
}

/** What a run that is gone on with was asked for stands in its log: without a schema in the program its type is not known here. */
type KeptOutput<Schema> = Schema extends undefined ? Json | undefined : OutputOf<Schema>;

export class Agent {
  readonly #parts: AgentParts;

  /** Opens nothing and calls nobody; that happens at the first request. */
  constructor(options: AgentOptions = {}) {
    checkOptions(options);
    this.#parts = agentParts(options);
  }

  /** Runs a request to its outcome. Never throws for what a model, tool or person did: that is in the outcome. */
  async run<const Schema extends InputSchema | undefined = undefined>(
    request: string,
    options: RunOptions<Schema> = {},
  ): Promise<RunOutcome<OutputOf<Schema>>> {
    return this.#begin(request, options, options.onEvent !== undefined).outcome;
  }

  /** The same run, as events. */
  stream(request: string, options: RunOptions<InputSchema | undefined> = {}): AsyncIterableIterator<RunEvent> {
    return this.start(request, options).events;
  }

  /** The same run, as something to hold on to: to listen, to steer, to abort, to answer. */
  start<const Schema extends InputSchema | undefined = undefined>(
    request: string,
    options: RunOptions<Schema> = {},
  ): Run<OutputOf<Schema>> {
    return this.#begin(request, options, true);
  }

  #begin<Schema extends InputSchema | undefined>(request: string, options: RunOptions<Schema>, streaming: boolean): Run<OutputOf<Schema>> {
    const output = options.output && outputForm(options.output);
    return new Run(this.#parts, { message: userMessage(request), streaming, ...defined({ output }) }, options);
  }

  /** A talk: each request goes on from the last. With a store it is found again by its id. */
  session(id: string = newId('session')): Session {
    return new Session(id, this.#parts);
  }

  /**
   * Goes on with a run that was interrupted or that sleeps. Needs a store. An output schema stands in the run itself; the same one again
   * (`options.output`) brings its type, and its own checks and transformations.
   */
  async resume<const Schema extends InputSchema | undefined = undefined>(
    runId: string,
    options: RunOptions<Schema> = {},
  ): Promise<RunOutcome<KeptOutput<Schema>>> {
    return (await this.startResume(runId, options)).outcome;
  }

  async startResume<const Schema extends InputSchema | undefined = undefined>(
    runId: string,
    options: RunOptions<Schema> = {},
  ): Promise<Run<KeptOutput<Schema>>> {
    const output = options.output && outputForm(options.output);
    const { state, head } = await (await import('../journal/history.ts')).readHistory(this.#store('resume'), runId);
    if (state.outcome) {
      throw new HermesError('run_over', `run ${runId} has already ended (${state.outcome.status})`, {
        kind: 'usage',
        next: `hermes runs fork ${runId} --at N goes on from one of its events`,
      });
    }
    if (output && stableJson(output.schema) !== stableJson(state.output_schema ?? null)) throw otherOutput(runId);
    const known = { runId, sessionId: state.session_id, before: state, resume: head };
    return new Run(this.#parts, { ...known, ...defined({ parentId: state.parent_id, output }), streaming: true }, options);
  }

  /** A new run that goes on from an event of another, on another model or with a new request. Needs a store. */
  async fork<const Schema extends InputSchema | undefined = undefined>(
    runId: string,
    options: ForkOptions<Schema> = {},
  ): Promise<RunOutcome<KeptOutput<Schema>>> {
    return (await this.startFork(runId, options)).outcome;
  }

  async startFork<const Schema extends InputSchema | undefined = undefined>(
    runId: string,
    options: ForkOptions<Schema> = {},
  ): Promise<Run<KeptOutput<Schema>>> {
    const output = options.output && outputForm(options.output);
    const { state, head } = await (await import('../journal/history.ts')).readHistory(this.#store('fork'), runId, options.at);
    const continues = { run_id: runId, ...head, fork: true };
    const message = options.request === undefined ? undefined : userMessage(options.request);
    const isAnswered = state.answer !== undefined && state.problem === undefined && !(output ?? state.output_schema);
    if (!message && isAnswered) throw alreadyAnswered(runId, head.seq);
    return new Run(
      this.#parts,
      { continues, before: state, ...defined({ message, model: options.model, output }), streaming: true },
      options,
    );
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

function otherOutput(runId: string): HermesError {
  return new HermesError('other_output', `run ${runId} was not begun with this output schema`, {
    kind: 'usage',
    next: 'resume it without `output`, or with the schema that it was begun with; a fork can have another one',
  });
}

function alreadyAnswered(runId: string, at: number): HermesError {
  return new HermesError('nothing_to_do', `run ${runId} has its answer at event ${at}: a fork there would only repeat it`, {
    kind: 'usage',
    next: `name an earlier event (--at N; \`hermes runs show ${runId}\` lists them), or give the fork a new request`,
  });
}
