/** One request on its way: what a caller holds of it, and the ways to break in. */

import type { Head } from '../journal/store.ts';
import { errorData, HermesError } from '../kernel/errors.ts';
import { outcomeOf } from '../kernel/report.ts';
import { languageOf } from '../kernel/text.ts';
import type { EventData, Fact, RunEvent, Running, State, UserMessage } from '../kernel/types.ts';
import type { Tool } from '../tools/define.ts';
import { launch, newId } from './launch.ts';
import { failedOutcome, publicOutcome } from './outcome.ts';
import { type AgentParts, chooseProtocol, defined, type RunParts, runParts } from './parts.ts';
import { queue } from './queue.ts';
import type { Beginning, ModelOption, RunOptions, RunOutcome } from './types.ts';

export type Listener = (event: RunEvent) => void;

export class Run {
  readonly id: string;
  readonly sessionId: string;
  readonly #agent: AgentParts;
  readonly #beginning: Beginning;
  readonly #signal: AbortSignal | undefined;
  readonly #listeners = new Set<Listener>();
  /** Posted before the loop had begun. */
  readonly #letters: Fact[] = [];
  #parts: Promise<RunParts> | undefined;
  #running: Running | undefined;
  #head: Head | undefined;
  #outcome: Promise<RunOutcome>;

  constructor(agent: AgentParts, beginning: Beginning, options: RunOptions) {
    this.id = beginning.runId ?? newId('run');
    this.sessionId = beginning.sessionId ?? newId('session');
    this.#agent = agent;
    this.#beginning = beginning;
    this.#signal = options.signal;
    if (options.onEvent) this.#listeners.add(options.onEvent);
    this.#outcome = this.#go(beginning);
    this.#outcome.catch(() => undefined); // a caller that looks later still gets it
  }

  /** Rejects only for wrong use (no such model, no such key): what a model, tool or person did is in the outcome. */
  get outcome(): Promise<RunOutcome> {
    return this.#outcome;
  }

  /** Every event from now on, deltas included; ends with the run. A slow reader holds nobody up. */
  get events(): AsyncIterableIterator<RunEvent> {
    return queue((push) => this.subscribe(push), this.#outcome);
  }

  /** The answer as it is written. */
  get text(): AsyncIterableIterator<string> {
    const pieces = (push: (piece: string) => void) =>
      this.subscribe((event) => {
        if (event.event_type === 'model.delta' && event.data.text !== undefined) push(event.data.text);
      });
    return queue(pieces, this.#outcome);
  }

  /** Calls back for every event; gives a function that ends it. What the listener throws harms nobody. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A message for the run: taken in after the current step, or at once with `interrupt`, which ends the reply being written and drops its calls. */
  steer(text: string, options: { interrupt?: boolean } = {}): void {
    const message: UserMessage = { role: 'user', content: text };
    this.#post({ event_type: 'input.add', data: { message, ...(options.interrupt ? { interrupt: true } : {}) } });
  }

  abort(reason = 'aborted by the caller'): void {
    this.#post({ event_type: 'run.abort', data: { reason } });
  }

  /** Other tools or another model from the next step on. */
  async use(change: { tools?: readonly Tool[]; model?: ModelOption }): Promise<void> {
    const parts = await this.#parts;
    if (parts) this.#post({ event_type: 'run.change', data: await parts.use(change) });
  }

  /** Answers a question, also of a run that has gone to sleep; gives the outcome that follows. */
  approve(approvalId: string): Promise<RunOutcome> {
    return this.#answer({ approval_id: approvalId, decision: 'approve', by: 'caller' });
  }

  deny(approvalId: string, why?: string): Promise<RunOutcome> {
    return this.#answer({ approval_id: approvalId, decision: 'deny', by: 'caller', ...(why === undefined ? {} : { note: why }) });
  }

  #post(fact: Fact): void {
    if (this.#running) this.#running.post(fact);
    else this.#letters.push(fact);
  }

  async #answer(data: EventData['approval.answer']): Promise<RunOutcome> {
    this.#post({ event_type: 'approval.answer', data });
    const asleep = this.#outcome;
    const outcome = await asleep;
    const state = this.#running?.state();
    const others = this.#outcome !== asleep; // another answer has already woken the run
    if (outcome.status !== 'waiting_for_approval' || others || !state || state.waiting.length > 0) return this.#outcome;
    this.#outcome = this.#go({ ...this.#beginning, before: state, ...(this.#head ? { resume: this.#head } : {}) });
    return this.#outcome;
  }

  async #go(beginning: Beginning): Promise<RunOutcome> {
    const named = { runId: this.id, sessionId: this.sessionId };
    const aborted = () => this.abort('aborted by the caller');
    this.#signal?.addEventListener('abort', aborted);
    if (this.#signal?.aborted) aborted();
    let release: (() => Promise<void>) | undefined;
    try {
      const lease = await this.#lease();
      release = lease?.release;
      if (beginning.before) await this.#endLeftovers(beginning.before);
      this.#parts ??= runParts(this.#agent, beginning);
      const parts = await this.#parts;
      const first = beginning.resume ? resumed() : begun(this.#agent, parts, beginning);
      this.#running = launch(parts, {
        ...named,
        first,
        streaming: beginning.streaming,
        publish: (event) => this.#publish(event),
        ...defined({ parentId: beginning.parentId, before: beginning.before, head: beginning.resume, owner: lease?.owner }),
      });
      for (const letter of this.#letters.splice(0)) this.#running.post(letter);
      const state = await this.#running.done;
      beginning.onState?.(state);
      return publicOutcome(state.outcome ?? outcomeOf(state, 'waiting_for_approval'), state);
    } catch (error) {
      if (error instanceof HermesError && error.kind === 'usage') throw error;
      return failedOutcome(errorData(error), named, this.#running?.state());
    } finally {
      this.#signal?.removeEventListener('abort', aborted);
      await release?.();
    }
  }

  /** One writer a run: whoever else holds it goes on with it. */
  async #lease() {
    const { store } = this.#agent.options;
    if (!store) return undefined;
    const { holdLease } = await import('../journal/lease.ts');
    const lease = await holdLease(store, this.id);
    if (lease) return lease;
    throw new HermesError('run_busy', `run ${this.id} is being worked on by another process`, {
      kind: 'usage',
      next: `hermes runs tail ${this.id} follows it`,
    });
  }

  /**
   * Processes of calls that a crash cut short go on without their program. They end before anything goes on from there, unless
   * another process works on that run: then they are not left over.
   */
  async #endLeftovers({ run_id, calls }: State): Promise<void> {
    const { store } = this.#agent.options;
    const keys = calls.flatMap(({ status, key }) => (status === 'started' && key !== undefined ? [key] : []));
    if (!store || keys.length === 0) return;
    const { holdLease } = await import('../journal/lease.ts');
    const lease = run_id === this.id ? undefined : await holdLease(store, run_id);
    if (run_id !== this.id && !lease) return;
    const { endMarked } = await import('../tools/marks.ts');
    await Promise.all(keys.map(endMarked));
    await lease?.release();
  }

  #publish(event: RunEvent): void {
    if (event.seq !== undefined && event.hash !== undefined) this.#head = { seq: event.seq, hash: event.hash };
    else if (event.seq !== undefined) this.#head = { seq: event.seq, hash: '' };
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#listeners.delete(listener); // its failure is its own; the run and other listeners go on
        process.emitWarning(error instanceof Error ? error : String(error));
      }
    }
  }
}

function resumed(): Fact<'run.resume'> {
  return { event_type: 'run.resume', data: {} };
}

/** What each protocol may put into a prompt. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  native: ['instructions', 'system', 'note'],
  json: ['instructions', 'json', 'note', 'mend', 'tool-result'],
  guided: ['guided-direct'],
};

function begun({ options, templates }: AgentParts, parts: RunParts, { message, before, continues }: Beginning): Fact<'run.start'> {
  const language = options.language ?? (message ? languageOf(message.content) : (before?.language ?? 'en'));
  const fork = continues?.fork === true && before !== undefined;
  const instructions = options.instructions ?? (fork ? before.instructions : templates.get('instructions', language).text);
  const { model, reason } = parts;
  const protocol = chooseProtocol(options.protocol, model);
  return {
    event_type: 'run.start',
    data: {
      ...(message ? { input: message } : {}),
      instructions,
      model: model.id,
      ...(reason === undefined ? {} : { model_reason: reason }),
      protocol,
      tools: parts.toolHashes(),
      ...(options.store ? { templates: templates.hashes(TEMPLATES[protocol] ?? [], language) } : {}),
      limits: {
        max_steps: options.limits?.maxSteps ?? 10,
        max_seconds: options.limits?.maxSeconds ?? 300,
        ...(model.contextWindow === undefined ? {} : { context_tokens: model.contextWindow }),
      },
      language,
      ...(continues ? { continues } : {}),
    },
  };
}
