/**
 * Worker threads for tools that came from files. A thread serves one request at a time and is reused; a call that runs out of
 * time, and one whose tool breaks its thread, loses the whole thread. Idle threads do not keep the program alive.
 */

import { Worker } from 'node:worker_threads';
import { HermesError } from '../kernel/errors.ts';
import type { ErrorData } from '../kernel/types.ts';
import { webData } from '../network/response.ts';
import { moduleFile } from '../package.ts';
import type { Inside, ResultFacts, ToolContext } from './define.ts';
import { endMarked, markFor } from './marks.ts';
import { toError } from './result.ts';
import type { Answer, CallData, Port, Reply, Request, WorkerData } from './worker.ts';

/** More calls than this wait for a thread; their time-outs run. */
const MOST_THREADS = 16;
/** Threads that are kept for the next calls; each costs about 20 MB. */
const KEPT_THREADS = 4;
/** Megabytes of heap that a thread may use; beyond it only the thread ends. */
const HEAP_LIMIT = 512;
/** Milliseconds that ending a thread may take; a thread inside a system call cannot be ended before that returns. */
const END_LIMIT = 1_000;

/** An error of a tool in a thread, with the stack that it had there. */
class ThreadError extends Error {
  readonly code: string;
  readonly next: string | undefined;
  readonly retryable: boolean;
  readonly final: boolean;
  readonly inThread: string | undefined;

  constructor({ code, message, next, retryable, final }: ErrorData, inThread?: string) {
    super(message);
    this.code = code;
    this.next = next;
    this.retryable = retryable === true;
    this.final = final === true;
    this.inThread = inThread;
  }
}

type Asked = (port: Port, args: unknown[]) => unknown;
interface Job {
  request: Request;
  asked?: Asked;
  progress?: ToolContext['progress'];
}

export class WorkerPool {
  readonly #library: string;
  readonly #idle: Thread[] = [];
  readonly #busy = new Set<Thread>();
  readonly #waiting: (() => void)[] = [];

  /** Busy threads that have loaded what is no longer on the disk. */
  readonly #outdated = new Set<Thread>();

  /** `library`: address of the module that `hermes-agent` stands for in tool files. */
  constructor(library: string) {
    this.#library = library;
  }

  /** One request that needs no context; ended with its thread at the time limit. */
  async request(request: Request, timeoutMs: number): Promise<unknown> {
    const thread = await this.#take();
    const timer = setTimeout(() => {
      thread.fail(new HermesError('timeout', `it did not finish within ${timeoutMs / 1000} s`, { kind: 'tool' }));
    }, timeoutMs);
    try {
      return valueIn(await thread.serve({ request }));
    } finally {
      clearTimeout(timer);
      await this.#release(thread);
    }
  }

  /** A call in a thread of its own; `defer` gets what ends the thread when the call ends before it. */
  async run(call: CallData, context: ToolContext, defer: (cleanup: () => Promise<void>) => void, inside: Inside): Promise<unknown> {
    const { callId, key, runId, signal, progress, answer, approved } = context;
    const { workspace, codeFolders, timezone, settings, env } = context.context;
    const thread = await this.#take();
    let isServing = true;
    let mayHaveProcesses = true;
    defer(async () => {
      const ended = isServing ? thread.end() : undefined;
      if (mayHaveProcesses) await endMarked(key); // a thread that waits for its own process ends no sooner than that
      await ended;
      if (isServing) await endMarked(key);
    });
    try {
      if (signal.aborted) throw new HermesError('cancelled', 'the call is over');
      const request: Request = {
        do: 'run',
        ...call,
        callId,
        key,
        runId,
        workspace,
        codeFolders,
        settings,
        env,
        sources: inside.sources,
        ...(timezone === undefined ? {} : { timezone }),
        ...(answer === undefined ? {} : { words: answer }),
        ...(approved ? { approved } : {}),
        mark: markFor(key),
      };
      const reply = await thread.serve({ request, progress, asked: (port, args) => perform(context, inside, port, args) });
      isServing = false;
      mayHaveProcesses = reply.spawns;
      if (reply.timers) await thread.end();
      return valueIn(reply);
    } finally {
      await this.#release(thread);
    }
  }

  /** Some code has changed: what runs from here on loads it anew. */
  renew(): void {
    for (const thread of this.#busy) this.#outdated.add(thread);
    void this.close();
  }

  /** Ends the idle threads; busy ones end with their calls. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((thread) => thread.end()));
  }

  async #take(): Promise<Thread> {
    while (this.#busy.size >= MOST_THREADS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    let thread = this.#idle.pop();
    while (thread?.isOver) thread = this.#idle.pop(); // it broke while nobody used it
    thread ??= new Thread(this.#library);
    this.#busy.add(thread);
    return thread;
  }

  async #release(thread: Thread): Promise<void> {
    this.#busy.delete(thread);
    const isOutdated = this.#outdated.delete(thread);
    this.#waiting.shift()?.();
    if (thread.isOver) return;
    if (!isOutdated && this.#idle.length < KEPT_THREADS) this.#idle.push(thread);
    else await thread.end();
  }
}

/** What a tool in a thread asks the main thread to do. */
async function perform({ exec, fetch, context }: ToolContext, inside: Inside, port: Port, args: unknown[]): Promise<unknown> {
  const [first, second] = args as [string, string];
  if (port === 'exec') return exec(...(args as Parameters<ToolContext['exec']>));
  if (port === 'fetch') return webData(await fetch(...(args as Parameters<ToolContext['fetch']>)));
  if (port === 'calls') return context.calls();
  if (port === 'kept.handles') return context.kept.handles();
  if (port === 'kept.read') return context.kept.read(first);
  if (port === 'tell') return inside.tell(args[0] as ResultFacts);
  if (port === 'notes.get') return context.notes.get(first);
  if (port === 'notes.set') return context.notes.set(first, second);
  if (port === 'notes.list') return context.notes.list();
  return context.notes.delete(first);
}

type Served = Extract<Reply, { reply: 'done' | 'failed' }>;

function valueIn(reply: Served): unknown {
  if (reply.reply === 'failed') throw new ThreadError(reply.error, reply.stack);
  return reply.value;
}

class Thread {
  isOver = false;
  readonly #worker: Worker;
  #job: (Job & PromiseWithResolvers<Served>) | undefined;

  constructor(library: string) {
    const workerData: WorkerData = { library };
    this.#worker = new Worker(moduleFile('tools/worker'), {
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT },
    });
    this.#worker.on('message', (reply: Reply) => this.#heard(reply));
    this.#worker.on('error', (error) => this.fail(error));
    this.#worker.on('exit', () => this.fail(new HermesError('tool_exited', 'it ended its thread (process.exit?)', { kind: 'tool' })));
    this.#worker.unref();
  }

  /** Rejects only when the thread breaks. */
  async serve(job: Job): Promise<Served> {
    this.#job = { ...job, ...Promise.withResolvers<Served>() };
    this.#worker.ref();
    this.#worker.postMessage(job.request);
    try {
      return await this.#job.promise;
    } finally {
      this.#job = undefined;
      this.#worker.unref();
    }
  }

  /** Ends the thread, and what it is doing with this error. */
  fail(error: unknown): void {
    this.#job?.reject(error);
    void this.end();
  }

  async end(): Promise<void> {
    this.isOver = true;
    this.#job?.reject(new HermesError('cancelled', 'its thread was ended', { kind: 'tool' }));
    const limit = Promise.withResolvers<void>();
    const timer = setTimeout(limit.resolve, END_LIMIT);
    await Promise.race([this.#worker.terminate(), limit.promise]);
    clearTimeout(timer);
  }

  #heard(reply: Reply): void {
    const job = this.#job;
    if (!job) return;
    if (reply.reply === 'done' || reply.reply === 'failed') job.resolve(reply);
    else if (reply.reply === 'progress') job.progress?.(reply.data);
    else void this.#answer(reply.id, () => job.asked?.(reply.port, reply.args));
  }

  async #answer(answer: number, job: () => unknown): Promise<void> {
    const message: Answer = { answer };
    try {
      message.value = await job();
    } catch (error) {
      message.error = toError(error);
    }
    this.#worker.postMessage(message);
  }
}
