/** One call while it runs: what its tool is handed, and what has to end with it. */

import { HermesError } from '../kernel/errors.ts';
import type { Json, JsonObject, Performing } from '../kernel/types.ts';
import type { Inside, RunContext, Tool, ToolContext } from './define.ts';
import type { CallProcesses } from './exec.ts';
import type { CallFetches } from './web.ts';

/** Milliseconds from the abort signal to the moment when a closure is abandoned. */
const GRACE = 200;

export interface ScopeOptions {
  callId: string;
  key: string;
  runId: string;
  context: RunContext;
  /** What a person has answered. */
  answer?: string;
  approved?: true;
  progress(data: Json): void;
  inside: Inside;
}

export type Ending = { end: 'value'; value: unknown } | { end: 'thrown'; thrown: unknown } | { end: 'timeout' } | { end: 'aborted' };

export class Scope {
  readonly #options: ScopeOptions;
  readonly #cleanups: (() => Promise<void>)[] = [];
  #controller: AbortController | undefined;
  #processes: Promise<CallProcesses> | undefined;
  #fetches: Promise<CallFetches> | undefined;
  #fetched: CallFetches | undefined;
  #promise: Promise<unknown> | undefined;
  #isOver = false;

  constructor(options: ScopeOptions) {
    this.#options = options;
  }

  /**
   * Runs the tool to its end, its time-out or an abort. A closure that goes on after that is abandoned: `late` hears of its
   * result. What it started through the context has ended when this resolves.
   */
  async run(tool: Tool, args: JsonObject, timeoutMs: number, late: () => void, caller: Pick<Performing, 'signal'>): Promise<Ending> {
    const outcome = this.#outcome(tool, args, timeoutMs, late, caller);
    const ending = outcome instanceof Promise ? await outcome : outcome;
    this.#isOver = true;
    const isLeft = ending.end === 'timeout' || ending.end === 'aborted';
    if (isLeft) this.#controller?.abort(ending.end);
    if (!isLeft && !this.#processes && !this.#fetches && this.#cleanups.length === 0) return ending;
    await Promise.all([
      isLeft ? this.#grace() : undefined,
      this.#processes?.then((processes) => processes.end()),
      this.#fetches?.then((fetches) => fetches.end()),
      ...this.#cleanups.map((cleanup) => cleanup()),
    ]);
    return ending;
  }

  /** Where its result came from, when that is not trusted. */
  untrustedSources(): string[] {
    return [...(this.#fetched?.untrusted ?? [])];
  }

  #outcome(
    tool: Tool,
    args: JsonObject,
    timeoutMs: number,
    late: () => void,
    caller: Pick<Performing, 'signal'>,
  ): Ending | Promise<Ending> {
    if (caller.signal.aborted) return { end: 'aborted' };
    let value: unknown;
    try {
      value = tool.run(args, new CallContext(this, this.#options), (cleanup) => this.#cleanups.push(cleanup), this.#options.inside);
      if (!isPromise(value)) return { end: 'value', value };
    } catch (thrown) {
      return { end: 'thrown', thrown };
    }
    const promise = Promise.resolve(value); // a thenable may begin its work anew at each then
    this.#promise = promise;
    const { signal } = caller;
    return new Promise((resolve) => {
      const settle = (ending: Ending) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        resolve(ending);
      };
      const timer = setTimeout(settle, timeoutMs, { end: 'timeout' });
      const abort = () => settle({ end: 'aborted' });
      signal.addEventListener('abort', abort);
      promise.then(
        (result) => (this.#isOver ? late() : settle({ end: 'value', value: result })),
        (thrown) => settle({ end: 'thrown', thrown }),
      );
    });
  }

  /** A closure that heeds its signal gets the time to end what it does. */
  async #grace(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, GRACE);
    this.#promise?.then(
      () => resolve(),
      () => resolve(),
    );
    await promise;
    clearTimeout(timer);
  }

  /** Made when asked for: most tools never look at it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isOver) this.#controller.abort();
    return this.#controller.signal;
  }

  progress(data: Json): void {
    if (!this.#isOver) this.#options.progress(data);
  }

  async exec(...given: Parameters<ToolContext['exec']>): ReturnType<ToolContext['exec']> {
    if (this.#isOver) throw new HermesError('call_over', 'the call is over; it starts no more processes', { kind: 'tool' });
    return (await this.#exec()).run(...given);
  }

  async fetch(...given: Parameters<ToolContext['fetch']>): ReturnType<ToolContext['fetch']> {
    if (this.#isOver) throw new HermesError('call_over', 'the call is over; it fetches nothing more', { kind: 'tool' });
    return (await this.#web()).run(...given);
  }

  #web(): Promise<CallFetches> {
    this.#fetches ??= import('./web.ts').then(({ CallFetches }) => {
      this.#fetched = new CallFetches(this.#options.context.settings);
      return this.#fetched;
    });
    return this.#fetches;
  }

  #exec(): Promise<CallProcesses> {
    const { key, context } = this.#options;
    this.#processes ??= import('./exec.ts').then(({ CallProcesses }) => new CallProcesses(key, context.workspace));
    return this.#processes;
  }
}

/**
 * What a tool is handed. Its functions are made when a tool takes them: most never do, and they hold all of the call, which V8 then lets
 * go of at a full collection only.
 */
class CallContext implements ToolContext {
  readonly callId: string;
  readonly key: string;
  readonly runId: string;
  readonly answer?: string;
  readonly approved?: true;
  readonly context: RunContext;
  readonly #scope: Scope;

  constructor(scope: Scope, { callId, key, runId, context, answer, approved }: ScopeOptions) {
    this.callId = callId;
    this.key = key;
    this.runId = runId;
    if (answer !== undefined) this.answer = answer;
    if (approved) this.approved = approved;
    this.context = context;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get progress(): ToolContext['progress'] {
    return (data) => this.#scope.progress(data);
  }

  get exec(): ToolContext['exec'] {
    return (command, options) => this.#scope.exec(command, options);
  }

  get fetch(): ToolContext['fetch'] {
    return (address, options) => this.#scope.fetch(address, options);
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}
