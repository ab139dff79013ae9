/** The toolbox: the tools of an agent behind the kernel's two ports, `prepare` and `act`. */

import { resolve } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import type { Call, EventData, Json, JsonObject, Performers, Performing, State, ToolInfo } from '../kernel/types.ts';
import type { Inside, ResultFacts, RunContext, Tool } from './define.ts';
import { hostLists } from './host-lists.ts';
import { type Environment, environmentOf, lackOf } from './needs.ts';
import { memoryNotes, type NoteStore, notesOfCall } from './notes.ts';
import { callHash, codeNow, createPrepare, judgeContext } from './prepare.ts';
import { toError } from './result.ts';
import { failed, type RunningOptions, runTool, type Summarise, shaped, united } from './running.ts';
import { KeptTexts, type ReadBack } from './shape/kept.ts';
import { READ_RESULT } from './shape/read-result.ts';

/** About 500 tokens of English, 1,300 of Chinese. */
const RESULT_CHARACTERS = 2_000;

export interface ToolboxOptions {
  tools: readonly Tool[];
  /** The folder that file tools stay in; default: the working directory. */
  workspace?: string;
  /** Folders, there or not, whose code this program runs by itself, within the workspace where they are relative; default: tools and skills. */
  codeFolders?: readonly string[];
  /** Calls of one step that run at the same time; default 8. */
  maxParallel?: number;
  /** Milliseconds that a call may take when its tool declares none; default 15,000. */
  timeoutMs?: number;
  /** Characters of a result that the model sees when its tool declares none; default 2,000. */
  resultCharacters?: number;
  /** Where results that were too long to be shown are read back from; default: memory, as far as there is room. */
  readBack?: ReadBack;
  /** Tells a long result in few words, for tools that ask for it. */
  summarise?: Summarise;
  /** IANA name; default: the system's. */
  timezone?: string;
  /** Each tool's own settings, by its name. */
  settings?: Readonly<Record<string, JsonObject>>;
  /** Where the variables are found that tools need; default process.env. */
  env?: Environment;
  /** Default: in memory, gone with the toolbox. */
  notes?: NoteStore;
  /** Puts secrets back in place of their placeholders, for the run stage only; default: none are known. */
  restore?(args: JsonObject): JsonObject;
  /** Puts placeholders in place of secrets. */
  hide?<T>(value: T): T;
}
export interface Toolbox {
  /** Of the tools that lack nothing. */
  infos: ToolInfo[];
  prepare: Performers['prepare'];
  act: Performers['act'];
  /** Lets tools go of what they kept for this run. */
  endRun(runId: string): Promise<void>;
  /** Ends the worker threads of tools that came from files; a later call starts new ones. */
  close(): Promise<void>;
}

export function createToolbox(options: ToolboxOptions): Toolbox {
  const {
    workspace = process.cwd(),
    maxParallel = 8,
    timeoutMs = 15_000,
    resultCharacters = RESULT_CHARACTERS,
    timezone,
    settings = {},
    env = process.env,
  } = options;
  const codeFolders = (options.codeFolders ?? ['tools', 'skills']).map((folder) => resolve(workspace, folder));
  const notes = options.notes ?? memoryNotes();
  const tools = byName(options.tools);
  const kept = new KeptTexts(options.readBack);
  const runningOptions: RunningOptions = {
    resultCharacters,
    timeoutMs,
    kept,
    readsBack: tools.has(READ_RESULT),
    hide: options.hide ?? ((value) => value),
    ...(options.summarise ? { summarise: options.summarise } : {}),
  };
  const prepare = createPrepare({ tools, workspace, codeFolders, settings });
  for (const [name, section] of Object.entries(settings)) hostLists(section, name);

  /** Conflicting calls one after another in their order, all others together, at most `maxParallel` at a time. */
  async function act(state: State, calls: readonly Call[], performing: Performing): Promise<void> {
    const step = { calls, nextHandle: handlesAfter(state) };
    if (calls.length === 1) {
      const [[call, key]] = (await announce(state, calls, performing)) as [[Call, string]];
      return runCall(state, call, key, performing, step);
    }
    const queue = [...calls];
    const running = new Map<Call, Promise<void>>();
    try {
      while (queue.length > 0 || running.size > 0) {
        const ready = performing.signal.aborted ? [] : takeReady(queue, [...running.keys()], maxParallel);
        if (ready.length === 0 && running.size === 0) return;
        for (const [call, key] of await announce(state, ready, performing)) {
          const end = () => running.delete(call);
          running.set(call, runCall(state, call, key, performing, step).finally(end));
        }
        await Promise.race(running.values());
      }
    } finally {
      await Promise.allSettled(running.values());
    }
  }

  /** Their starts are committed before the first of them runs. */
  async function announce(state: State, calls: readonly Call[], performing: Performing): Promise<[Call, key: string][]> {
    const starts = calls.map((call) => startOf(state, call, tools.get(call.name)));
    if (starts.length > 0) await performing.emit(...starts);
    return calls.map((call, index) => [call, starts[index]!.data.key]);
  }

  function lack(tool: Tool): string | undefined {
    return lackOf(tool, settings[tool.info.name] ?? {}, env);
  }

  /** A call of a tool that lacks something is not made; what is missing is told. */
  function unlessLacking(call: Call): Call {
    const tool = tools.get(call.name);
    const message = tool && lack(tool);
    return message === undefined || call.problem ? call : { ...call, problem: { code: 'not_set_up', message } };
  }

  async function runCall(
    state: State,
    call: Call,
    key: string,
    performing: Performing,
    { calls, nextHandle }: { calls: readonly Call[]; nextHandle: () => string },
  ): Promise<void> {
    const began = performance.now();
    const { id: call_id, name } = call;
    const emitEnd = (data: Omit<EventData['tool.end'], 'call_id' | 'name' | 'ms'>) =>
      performing.emit({ event_type: 'tool.end', data: { call_id, name, ...data, ms: Math.round(performance.now() - began) } });
    const tool = tools.get(name);
    const isOther = tool && (isOutdated(tool, call) || (call.approved && (await isAnother(tool, call, state))));
    const refused = !tool ? unknownTool(name) : isOther ? outdated(name) : undefined;
    if (!tool || refused) {
      const { result } = failed(toError(refused));
      return emitEnd({ result, shaped: JSON.stringify(result) });
    }
    const told: ResultFacts[] = [];
    const children = calls.filter((one) => tools.get(one.name)?.childRunId).length;
    const inside: Inside = { sources: state.sources, caller: { state, children }, tell: (more) => void told.push(more) };
    const args = () => copy(options.restore ? options.restore(call.arguments) : call.arguments) as JsonObject;
    const running = { state, call, key, tool, args, context: contextOf(state, tool, inside), inside, performing };
    const done = await runTool(running, runningOptions);
    const more = united([...told, ...done.untrusted.map((from) => ({ untrusted: true as const, from }))]);
    const shown = await shaped(running, done, call.untrusted === true || more.untrusted === true, runningOptions, nextHandle);
    await emitEnd({ result: done.result, ...shown, ...more, ...(done.tries > 1 ? { tries: done.tries } : {}) });
  }

  /** What was permitted is this tool with these arguments in this folder, and nothing else. */
  function isOutdated(tool: Tool, call: Call): boolean {
    if (call.level === 'read' && !tool.judge && tool.info.level !== 'read') return true; // a look has no hash
    return call.hash !== undefined && call.hash !== '' && call.hash !== callHash(tool, codeNow(tool), call.arguments, workspace);
  }

  /** A person said yes to what the question showed: when the same call would do something else by now, it is asked about anew. */
  async function isAnother(tool: Tool, call: Call, state: State): Promise<boolean> {
    if (call.preview === undefined || !tool.judge) return false;
    const shown = options.restore ? options.restore({ preview: call.preview }).preview : call.preview;
    try {
      const context = judgeContext(tool, state, { workspace, codeFolders, settings });
      const { deny, preview } = await tool.judge(copy(call.arguments) as JsonObject, context);
      return deny !== undefined || preview !== shown;
    } catch {
      return true; // what it would do cannot be told any more
    }
  }

  function contextOf(state: State, tool: Tool, { sources, tell }: Inside): RunContext {
    const own = settings[tool.info.name] ?? {};
    return {
      workspace,
      codeFolders,
      settings: own,
      env: environmentOf(tool, own, env),
      ...(timezone === undefined ? {} : { timezone }),
      notes: notesOfCall(notes, sources, (from) => tell({ untrusted: true, from })),
      calls: async () => state.ledger,
      kept: kept.forCall(state, tell),
    };
  }

  return {
    infos: options.tools.filter((tool) => lack(tool) === undefined).map((tool) => tool.info),
    prepare: (state, calls, performing) => prepare(state, calls.map(unlessLacking), performing),
    act,
    endRun: async (runId) => void (await Promise.all(options.tools.map((tool) => tool.endRun?.(runId)))),
    close: async () => void (await Promise.all(options.tools.map((tool) => tool.close?.()))),
  };
}

function byName(tools: readonly Tool[]): Map<string, Tool> {
  const named = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.info;
    if (named.has(name)) {
      throw new HermesError('duplicate_tool', `there are two tools with the name ${name}`, {
        kind: 'usage',
        next: 'rename or leave out one',
      });
    }
    named.set(name, tool);
  }
  return named;
}

function unknownTool(name: string): HermesError {
  return new HermesError('unknown_tool', `there is no tool "${name}" any more`, { kind: 'tool' });
}

function outdated(name: string): HermesError {
  const message = `${name} is not what was permitted any more (another tool or folder, or what it changes has changed); nothing was run`;
  return new HermesError('approval_outdated', message, { kind: 'tool', next: 'call it again, so that it is asked about anew' });
}

/** The idempotency key: one for each call of each run, readable, the same at every attempt. */
function keyOf(state: State, call: Call): string {
  return call.key ?? `${state.run_id}.${encodeURIComponent(call.id)}`;
}

function startOf(state: State, call: Call, tool: Tool | undefined) {
  const key = keyOf(state, call);
  const child = tool?.childRunId?.(key);
  return { event_type: 'tool.start' as const, data: { call_id: call.id, name: call.name, key, ...(child && { child_run_id: child }) } };
}

/** Takes from the queue what may start now. A waiting call holds back later ones that conflict with it. */
function takeReady(queue: Call[], running: readonly Call[], maxParallel: number): Call[] {
  const ready: Call[] = [];
  const waiting: Call[] = [];
  for (const call of queue.splice(0)) {
    const busy = [...running, ...ready, ...waiting];
    const isFull = running.length + ready.length >= maxParallel;
    (isFull || busy.some((other) => conflict(call, other)) ? waiting : ready).push(call);
  }
  queue.push(...waiting);
  return ready;
}

function conflict(a: Call, b: Call): boolean {
  if (a.resource !== undefined && a.resource === b.resource) return true;
  return a.parallel_group !== undefined && b.parallel_group !== undefined && a.parallel_group !== b.parallel_group;
}

/** Names for the results that this step keeps: the next after all that the session has. */
function handlesAfter(state: State): () => string {
  let last: number | undefined;
  return () => {
    last = (last ?? Math.max(0, ...state.kept.map(({ handle }) => Number(handle.slice(1))))) + 1;
    return `r${last}`;
  };
}

/** The tool owns its arguments; the state keeps its own. */
function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const copied: JsonObject = {};
  for (const key in value) copied[key] = copy(value[key]!);
  return copied;
}
