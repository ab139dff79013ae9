/** One request on its way: what a caller holds of it, and the ways to break in. */

import type { Head } from '../journal/store.ts';
import { errorData, HermesError } from '../kernel/errors.ts';
import { outcomeOf } from '../kernel/report.ts';
import { languageOf } from '../kernel/text.ts';
import type { EventData, Fact, RunEvent, Running, State, UserMessage } from '../kernel/types.ts';
import type { Tool } from '../tools/define.ts';
import { budgetLimits } from './budget.ts';
import { defined } from './defined.ts';
import { guardNumbers } from './guards.ts';
import { unseenNote } from './images.ts';
import { instructionsOf } from './instructions.ts';
import { launch, newBoundary, newId } from './launch.ts';
import { failedOutcome, publicOutcome } from './outcome.ts';
import { type AgentParts, chooseProtocol, type RunParts, runParts } from './parts.ts';
import { queue } from './queue.ts';
import type { Beginning, GivenFile, ModelOption, RunOptions, RunOutcome } from './types.ts';

export type Listener = (event: RunEvent) => void;

/** `Output`: the type of `outcome.output`. */
export class Run<Output = unknown> {
  readonly id: string;
  readonly sessionId: string;
  readonly #agent: AgentParts;
  readonly #beginning: Beginning;
  readonly #signal: AbortSignal | undefined;
  readonly #files: readonly GivenFile[];
  readonly #listeners = new Set<Listener>();
  /** Posted before the loop had begun. */
  readonly #letters: Fact[] = [];
  readonly #onAbort = () => this.abort('aborted by the caller');
  #parts: Promise<RunParts> | undefined;
  #running: Running | undefined;
  /** The last event that has a place in the log. */
  #last: RunEvent | undefined;
  /** What has been posted and may still be on its way to the disk. */
  #posting: Promise<unknown> = Promise.resolve();
  /** The loop has ended, the run has not: it waits for a person. */
  #asleep = false;
  #outcome: Promise<RunOutcome<Output>>;

  constructor(agent: AgentParts, beginning: Beginning, options: Pick<RunOptions, 'signal' | 'onEvent' | 'files'>) {
    this.id = beginning.runId ?? newId('run');
    this.sessionId = beginning.sessionId ?? newId('session');
    this.#agent = agent;
    this.#beginning = beginning;
    this.#signal = options.signal;
    this.#files = options.files ?? [];
    if (options.onEvent) this.#listeners.add(options.onEvent);
    this.#signal?.addEventListener('abort', this.#onAbort);
    if (this.#signal?.aborted) this.#onAbort();
    this.#outcome = this.#go(beginning);
    this.#outcome.catch(() => undefined); // a caller that looks later still gets it
  }

  /** Rejects only for wrong use (no such model, no such key): what a model, tool or person did is in the outcome. */
  get outcome(): Promise<RunOutcome<Output>> {
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
  approve(approvalId: string): Promise<RunOutcome<Output>> {
    return this.#answer({ approval_id: approvalId, decision: 'approve', by: 'caller' });
  }

  deny(approvalId: string, why?: string): Promise<RunOutcome<Output>> {
    return this.#answer({ approval_id: approvalId, decision: 'deny', by: 'caller', ...(why === undefined ? {} : { note: why }) });
  }

  /** The words that a tool has asked for: a question whose call `wants` an answer. Gives the outcome that follows, as `approve` does. */
  answer(approvalId: string, text: string): Promise<RunOutcome<Output>> {
    return this.#answer({ approval_id: approvalId, decision: 'approve', by: 'caller', note: text }, true);
  }

  #post(fact: Fact): void {
    if (this.#asleep) this.#wake();
    if (this.#running) this.#posting = this.#running.post(fact);
    else this.#letters.push(fact);
  }

  /** What is posted from here on are letters for the loop that begins. */
  #wake(): void {
    const state = this.#running?.state();
    this.#asleep = false;
    this.#running = undefined;
    this.#outcome = this.#go({ ...this.#beginning, ...defined({ before: state, resume: this.#head() }) });
    this.#outcome.catch(() => undefined);
  }

  async #answer(data: EventData['approval.answer'], isWords = false): Promise<RunOutcome<Output>> {
    const waiting = this.#running?.state()?.waiting ?? [];
    const asked = waiting.find((question) => question.approval_id === data.approval_id);
    if (isWords && asked && !asked.calls[0]?.wants) {
      const next = 'call run.approve(id) or run.deny(id, why)';
      throw new HermesError('not_a_question', `"${data.approval_id}" wants a yes or no, not words`, { kind: 'usage', next });
    }
    if (!this.#waitsFor(data.approval_id)) {
      throw new HermesError('unknown_approval', `run ${this.id} does not wait for an answer to "${data.approval_id}"`, {
        kind: 'usage',
        next: waiting.length > 0 ? `it waits for ${waiting.map((question) => question.approval_id).join(', ')}` : 'it waits for nothing',
      });
    }
    const fact: Fact<'approval.answer'> = { event_type: 'approval.answer', data };
    const { store } = this.#agent.options;
    if (!store) this.#post(fact);
    else {
      // The first answer counts, also among processes. A loop that goes on finds it in the inbox.
      if (!(await store.inbox.put(this.id, fact))) throw alreadyAnswered(this.id, data.approval_id);
      if (!this.#asleep) await this.#outcome;
      if (this.#asleep && this.#waitsFor(data.approval_id)) this.#wake();
    }
    return this.#outcome;
  }

  #waitsFor(approvalId: string): boolean {
    return this.#running?.state()?.waiting.some((question) => question.approval_id === approvalId) ?? false;
  }

  async #go(beginning: Beginning): Promise<RunOutcome<Output>> {
    const named = { runId: this.id, sessionId: this.sessionId };
    let release: (() => Promise<void>) | undefined;
    try {
      this.#parts ??= runParts(this.#agent, beginning); // before anything is waited for: `use` looks for it
      this.#parts.catch(() => undefined); // awaited below
      const lease = await this.#lease();
      release = lease?.release;
      if (beginning.before) await this.#endLeftovers(beginning.before);
      const parts = await this.#parts;
      const state = await this.#loop(parts, await this.#withFiles(parts, beginning), lease?.owner);
      this.#asleep = state.outcome === undefined;
      if (state.outcome) await parts.toolbox().endRun(this.id);
      beginning.onState?.(state, this.#head());
      const outcome = publicOutcome(state.outcome ?? outcomeOf(state, 'waiting_for_approval'), state);
      return (parts.output ? await parts.output.handOver(outcome) : outcome) as RunOutcome<Output>;
    } catch (error) {
      if (error instanceof HermesError && error.kind === 'usage') throw error;
      return failedOutcome(errorData(error), named, this.#running?.state()) as RunOutcome<Output>;
    } finally {
      if (!this.#asleep) this.#signal?.removeEventListener('abort', this.#onAbort);
      await release?.();
    }
  }

  /** Files are read and images scaled once the model is known: the log holds what it gets. */
  async #withFiles({ model }: RunParts, beginning: Beginning): Promise<Beginning> {
    if (this.#files.length === 0 || !beginning.message || beginning.resume) return beginning;
    const { withFiles } = await import('./files.ts');
    return { ...beginning, message: await withFiles(beginning.message, this.#files, model) };
  }

  /** The kernel's loop, begun again when something was posted just as it went to sleep. */
  async #loop(parts: RunParts, beginning: Beginning, owner: string | undefined): Promise<State> {
    for (let from = beginning; ; ) {
      const first = from.resume ? resumed() : begun(this.#agent, parts, from);
      const note = first.event_type === 'run.start' && unseenNote(first.data, parts.model);
      const running = launch(parts, {
        runId: this.id,
        sessionId: this.sessionId,
        first,
        streaming: from.streaming,
        publish: (event) => this.#publish(event),
        ...defined({ parentId: from.parentId, before: from.before, head: from.resume, owner }),
      });
      this.#running = running;
      if (note) this.#posting = running.post(note);
      for (const letter of this.#letters.splice(0)) this.#posting = running.post(letter);
      const ended = await running.done;
      await this.#posting;
      const state = running.state() ?? ended;
      if (state.outcome || state.seq === ended.seq) return state;
      from = { ...beginning, before: state, ...defined({ resume: this.#head() }) };
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

  #head(): Head | undefined {
    return this.#last && { seq: this.#last.seq, hash: this.#last.hash ?? '' };
  }

  #publish(event: RunEvent): void {
    if (event.seq !== undefined) this.#last = event;
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

function alreadyAnswered(runId: string, approvalId: string): HermesError {
  return new HermesError('already_answered', `"${approvalId}" has already been answered; the first answer counts`, {
    kind: 'usage',
    next: `hermes runs show ${runId} tells how it went on`,
    data: { id: approvalId, run: runId },
  });
}

function resumed(): Fact<'run.resume'> {
  return { event_type: 'run.resume', data: {} };
}

/** What each protocol may put into a prompt. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  native: ['system', 'security', 'note', 'output'],
  json: ['json', 'security', 'note', 'mend', 'tool-result', 'output-field'],
  react: ['react', 'security', 'note', 'mend-react', 'tool-result', 'output-field'],
  guided: ['guided-direct', 'guided-form'],
};

function begun(
  { options, templates }: AgentParts,
  parts: RunParts,
  { message, before, continues, sources, limits: lent }: Beginning,
): Fact<'run.start'> {
  const language = options.language ?? (message ? languageOf(message.content) : (before?.language ?? 'en'));
  const fork = continues?.fork === true && before !== undefined;
  const instructions = instructionsOf(options, templates, language, fork ? before : undefined);
  const { model, reason } = parts;
  const protocol = chooseProtocol(options.protocol, model);
  const used = protocol === 'guided' ? [] : instructions.templates; // guided prompts hold none
  return {
    event_type: 'run.start',
    data: {
      ...(message ? { input: message } : {}),
      instructions: instructions.text,
      model: model.id,
      ...(reason === undefined ? {} : { model_reason: reason }),
      protocol,
      tools: parts.toolHashes(),
      ...(options.store
        ? { templates: templates.hashes([...used, ...(TEMPLATES[protocol] ?? []), ...(parts.output ? ['output-repair'] : [])], language) }
        : {}),
      limits: {
        max_steps: options.limits?.maxSteps ?? 10,
        max_seconds: options.limits?.maxSeconds ?? 300,
        ...budgetLimits(options, lent),
        // Guided prompts hold the last exchange only, however long the talk is.
        ...(model.contextWindow === undefined || protocol === 'guided' ? {} : { context_tokens: model.contextWindow }),
      },
      language,
      boundary: newBoundary(),
      ...(sources && sources.length > 0 ? { sources: [...sources] } : {}),
      ...defined({
        instruction_files: instructions.files,
        output_schema: parts.output?.schema,
        guards: guardNumbers(options.guards),
        continues,
      }),
    },
  };
}
