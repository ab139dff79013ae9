/** Runs inside a worker thread: imports the users' tool files and runs their tools, one request at a time. Speaks with pool.ts. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { CallRecord, ErrorData, Json, JsonObject, ToolInfo } from '../kernel/types.ts';
import { type WebData, webResponse } from '../network/response.ts';
import { toData } from './data.ts';
import {
  type ExecResult,
  type Inside,
  isTool,
  type JudgeContext,
  type KeptResults,
  type Notes,
  type Tool,
  type ToolContext,
  type ToolSettings,
} from './define.ts';
import { callFunction, offeredBy, type Parameter } from './infer/plan.ts';
import { toError } from './result.ts';

/** What one thread is given: the module that `hermes-agent` stands for in tool files, wherever they lie. */
export interface WorkerData {
  library: string;
}
export interface CallData {
  file: string;
  name: string;
  args: JsonObject;
  /** Of a plain function: where it stands in its file, and how it is called. */
  plain?: { key: string; plan: Parameter[] };
}
interface RunRequest extends CallData {
  do: 'run';
  callId: string;
  key: string;
  runId: string;
  workspace: string;
  codeFolders: readonly string[];
  settings: JsonObject;
  env: Readonly<Record<string, string>>;
  timezone?: string;
  /** What a person has answered. */
  words?: string;
  approved?: true;
  sources: Inside['sources'];
  /** Environment that marks the processes of this call. */
  mark: Record<string, string>;
}
export type Request =
  | { do: 'load'; file: string }
  | ({ do: 'normalize' } & CallData)
  | ({ do: 'check' } & CallData)
  | ({ do: 'judge'; context: JudgeContext } & CallData)
  | RunRequest;
export type Reply =
  | ({ reply: 'done'; value: unknown } & Left)
  | ({ reply: 'failed'; error: ErrorData; stack?: string } & Left)
  | { reply: 'progress'; data: Json }
  /** Something that only the main thread can do; answered by an Answer with the same id. */
  | { reply: 'ask'; id: number; port: Port; args: unknown[] };
/** What a request may have left behind in its thread. */
interface Left {
  /** Processes: the main thread looks for them. */
  spawns: boolean;
  /** Timers that go on: the thread is not used again. */
  timers: boolean;
}
export type Port =
  | 'exec'
  | 'fetch'
  | 'kept.handles'
  | 'kept.read'
  | 'notes.get'
  | 'notes.set'
  | 'notes.list'
  | 'notes.delete'
  | 'calls'
  | 'tell';
export interface Answer {
  answer: number;
  value?: unknown;
  error?: ErrorData;
}
/** Something that a file offers: a tool, or what its type is. */
export interface Offered {
  key: string;
  tool?: ToolSketch;
  type: string;
}
/** What the main thread learns about a tool in a file. */
export interface ToolSketch {
  info: ToolInfo;
  settings: ToolSettings;
  normalizes: boolean;
  checks: boolean;
  judges: boolean;
}

const port = parentPort!;
const files = new Map<string, Promise<Map<string, unknown>>>();
const questions = new Map<number, PromiseWithResolvers<unknown>>();
let lastQuestion = 0;

process.stdout.write = process.stderr.write.bind(process.stderr); // standard output carries the answer only

const { library } = workerData as WorkerData;
registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'hermes-agent' ? library : specifier, context),
  // `npm init` makes a package CommonJS; files that are written as modules are modules there all the same.
  load: (url, context, next) => next(url, isModule(url, context.format) ? { ...context, format: moduleFormat(url) } : context),
});

const moduleFormat = (url: string) => (url.endsWith('.ts') ? 'module-typescript' : 'module');

function isModule(url: string, format: string | null | undefined): boolean {
  if (!format?.startsWith('commonjs') || !/^file:(?!.*\/node_modules\/).*\.[jt]s$/.test(url)) return false;
  return /^\s*(?:export|import)\s/m.test(readFileSync(fileURLToPath(url), 'utf8'));
}

port.on('message', (message: Request | Answer) => {
  if ('answer' in message) answered(message);
  else void serve(message);
});

/** Which request some code belongs to, also when it runs after its end. */
const requests = new AsyncLocalStorage<Request>();
let current: Request | undefined;

// What a call does not wait for may fail long after it, while the thread serves another one: that one has nothing to do with it.
process.on('uncaughtException', (thrown) => {
  if (current && (requests.getStore() ?? current) === current) failed(thrown, { spawns: canSpawn(), timers: true });
  else process.stderr.write(`a tool failed after its end: ${toError(thrown).message}\n`);
});

function failed(thrown: unknown, left: Left): void {
  current = undefined;
  const stack = types.isNativeError(thrown) ? thrown.stack : undefined;
  port.postMessage({ reply: 'failed', error: toError(thrown), ...(stack ? { stack } : {}), ...left } satisfies Reply);
}

async function serve(request: Request): Promise<void> {
  current = request;
  await offeredIn(request.file).catch(() => undefined); // its failure is told below; the timers of a file itself are its own
  const before = timers();
  const left = (): Left => ({ spawns: canSpawn(), timers: timers() > before });
  try {
    const value = await requests.run(request, () => perform(request));
    await new Promise(setImmediate); // a rejection that nobody hears comes up now
    if (current !== request) return;
    current = undefined;
    port.postMessage({ reply: 'done', value, ...left() } satisfies Reply);
  } catch (thrown) {
    if (current === request) failed(thrown, left());
  }
}

async function perform(request: Request): Promise<unknown> {
  const offered = await offeredIn(request.file);
  if (request.do === 'load') return [...offered].map(sketch);
  if (request.do === 'run' && request.plain) return runPlain(request, request.plain, offered);
  const tool = [...offered.values()].find((one): one is Tool => isTool(one) && one.info.name === request.name);
  if (!tool) throw new Error(`${request.file} does not hold ${request.name} any more`);
  if (request.do === 'normalize') return tool.normalize?.(request.args);
  if (request.do === 'check') return tool.check?.(request.args);
  if (request.do === 'judge') return tool.judge?.(request.args, request.context);
  Object.assign(process.env, request.mark);
  const inside: Inside = { sources: request.sources, tell: (more) => void ask('tell', more) };
  return dataOf(await tool.run(request.args, contextOf(request), () => undefined, inside));
}

async function runPlain(
  request: RunRequest,
  { key, plan }: NonNullable<CallData['plain']>,
  offered: Map<string, unknown>,
): Promise<unknown> {
  const run = offered.get(key);
  if (typeof run !== 'function') throw new Error(`${request.file} does not hold ${request.name} any more`);
  Object.assign(process.env, request.mark);
  return dataOf(await callFunction(run as () => unknown, plan, request.args, contextOf(request)));
}

/** Nothing stays nothing: what that means depends on the call. */
function dataOf(value: unknown): unknown {
  return value === undefined ? undefined : toData(value).data;
}

function offeredIn(file: string): Promise<Map<string, unknown>> {
  const offered = files.get(file) ?? import(pathToFileURL(file).href).then(offeredBy);
  files.set(file, offered);
  return offered;
}

function sketch([key, exported]: [string, unknown]): Offered {
  if (!isTool(exported)) return { key, type: typeof exported };
  const { info, settings, normalize, check, judge } = exported;
  const has = (one: unknown) => one !== undefined;
  const tool = { info, settings, normalizes: has(normalize), checks: has(check), judges: has(judge) };
  return { key, type: 'tool', tool };
}

/** Those that keep a thread alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
}

/** Whether this thread could have started processes by itself: then the main thread looks for what is left of them. */
function canSpawn(): boolean {
  return (process as unknown as { moduleLoadList: string[] }).moduleLoadList.includes('NativeModule child_process');
}

// ---- what a tool is handed ---------------------------------------------------------------------------

function contextOf({ callId, key, runId, workspace, codeFolders, settings, env, timezone, words, approved }: RunRequest): ToolContext {
  const notes: Notes = {
    get: (name) => ask('notes.get', name),
    set: (name, value) => ask('notes.set', name, value),
    list: () => ask('notes.list'),
    delete: (name) => ask('notes.delete', name),
  };
  const calls = () => ask<readonly CallRecord[]>('calls');
  const kept: KeptResults = { handles: () => ask('kept.handles'), read: (handle) => ask('kept.read', handle) };
  return {
    // At its time-out the whole thread ends, so this signal has nobody to tell.
    signal: new AbortController().signal,
    callId,
    key,
    runId,
    ...(words === undefined ? {} : { answer: words }),
    ...(approved ? { approved } : {}),
    progress: (data) => port.postMessage({ reply: 'progress', data } satisfies Reply),
    exec: (command, options) => ask<ExecResult>('exec', command, options),
    // A signal cannot be sent; the fetch ends with the call at the latest.
    fetch: async (address, { signal, ...options } = {}) => {
      signal?.throwIfAborted();
      return webResponse(await ask<WebData>('fetch', String(address), options));
    },
    context: { workspace, codeFolders, settings, env, ...(timezone === undefined ? {} : { timezone }), notes, calls, kept },
  };
}

function ask<T>(port_: Port, ...args: unknown[]): Promise<T> {
  const id = ++lastQuestion;
  const question = Promise.withResolvers<unknown>();
  questions.set(id, question);
  port.postMessage({ reply: 'ask', id, port: port_, args } satisfies Reply);
  return question.promise as Promise<T>;
}

function answered({ answer, value, error }: Answer): void {
  const question = questions.get(answer);
  questions.delete(answer);
  if (error) question?.reject(Object.assign(new Error(error.message), error));
  else question?.resolve(value);
}
