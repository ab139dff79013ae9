/** The toolbox: the tools of an agent behind the kernel's two ports, `prepare` and `act`. */

import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { Call, Json, JsonObject, Performers, Performing, State, ToolInfo, ToolResult } from '../kernel/types.ts';
import { hashOf, type Inside, type ResultFacts, type RunContext, type Tool } from './define.ts';
import { hostLists } from './host-lists.ts';
import { type Environment, environmentOf, lackOf } from './needs.ts';
import { memoryNotes, type NoteStore, notesOfCall } from './notes.ts';
import { createPrepare } from './prepare.ts';
import { SHAPED_LIMIT, shape, toData, toError } from './result.ts';
import { type Ending, Scope } from './scope.ts';

export interface ToolboxOptions {
  tools: readonly Tool[];
  /** The folder that file tools stay in; default: the working directory. */
  workspace?: string;
  /** Calls of one step that run at the same time; default 8. */
  maxParallel?: number;
  /** Milliseconds that a call may take when its tool declares none; default 15,000. */
  timeoutMs?: number;
  /** Characters of a result that the model sees; default 16,000. */
  resultLimit?: number;
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
}
export interface Toolbox {
  /** Of the tools that lack nothing. */
  infos: ToolInfo[];
  prepare: Performers['prepare'];
  act: Performers['act'];
  /** Ends the worker threads of tools that came from files; a later call starts new ones. */
  close(): Promise<void>;
}

export function createToolbox(options: ToolboxOptions): Toolbox {
  const {
    workspace = process.cwd(),
    maxParallel = 8,
    timeoutMs = 15_000,
    resultLimit = SHAPED_LIMIT,
    timezone,
    settings = {},
    env = process.env,
  } = options;
  const notes = options.notes ?? memoryNotes();
  const tools = byName(options.tools);
  const prepare = createPrepare({ tools, workspace, settings });
  for (const [name, section] of Object.entries(settings)) hostLists(section, name);

  /** Conflicting calls one after another in their order, all others together, at most `maxParallel` at a time. */
  async function act(state: State, calls: readonly Call[], performing: Performing): Promise<void> {
    if (calls.length === 1) {
      const [[call, key]] = (await announce(state, calls, performing)) as [[Call, string]];
      return runCall(state, call, key, performing, calls);
    }
    const queue = [...calls];
    const running = new Map<Call, Promise<void>>();
    try {
      while (queue.length > 0 || running.size > 0) {
        const ready = performing.signal.aborted ? [] : takeReady(queue, [...running.keys()], maxParallel);
        if (ready.length === 0 && running.size === 0) return;
        for (const [call, key] of await announce(state, ready, performing)) {
          const end = () => running.delete(call);
          running.set(call, runCall(state, call, key, performing, calls).finally(end));
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

  async function runCall(state: State, call: Call, key: string, performing: Performing, calls: readonly Call[]): Promise<void> {
    const began = performance.now();
    const { id: call_id, name } = call;
    const tool = tools.get(name);
    let ending: Ending | undefined;
    let scope: Scope | undefined;
    const told: ResultFacts[] = [];
    const children = calls.filter((one) => tools.get(one.name)?.childRunId).length;
    const inside: Inside = { sources: state.sources, caller: { state, children }, tell: (more) => void told.push(more) };
    const limit = tool?.settings.timeoutMs ?? timeoutMs;
    if (tool && (isOutdated(tool, call) || (await isAnother(tool, call, state)))) ending = { end: 'thrown', thrown: outdated(name) };
    else if (tool) {
      scope = new Scope({
        callId: call_id,
        key,
        runId: state.run_id,
        context: contextOf(state, tool, inside),
        inside,
        progress: (data: Json) => performing.delta({ event_type: 'tool.delta', data: { call_id, data } }),
      });
      const args = copy(options.restore ? options.restore(call.arguments) : call.arguments) as JsonObject;
      const late = () => noteLate(performing, call, limit);
      ending = await scope.run(tool, args, limit, late, performing);
    }
    ending ??= { end: 'thrown', thrown: new HermesError('unknown_tool', `there is no tool "${name}" any more`) };
    const { result, text } = resultOf(ending, name, limit);
    const ms = Math.round(performance.now() - began);
    const more = united([...told, ...(scope?.untrustedSources() ?? []).map((from) => ({ untrusted: true as const, from }))]);
    const shaped = shape(result, text, resultLimit, call.untrusted || more.untrusted);
    const data = { call_id, name, result, shaped, ms, ...more };
    await performing.emit({ event_type: 'tool.end', data });
  }

  /** What was permitted is this tool with these arguments in this folder, and nothing else. */
  function isOutdated(tool: Tool, call: Call): boolean {
    return call.hash !== undefined && call.hash !== '' && call.hash !== hashOf(tool.info.hash, call.arguments, workspace);
  }

  /** A person said yes to what the question showed: when the same call would do something else by now, it is asked about anew. */
  async function isAnother(tool: Tool, call: Call, { language }: State): Promise<boolean> {
    if (!call.approved || call.preview === undefined || !tool.judge) return false;
    const shown = options.restore ? options.restore({ preview: call.preview }).preview : call.preview;
    const context = { workspace, settings: settings[call.name] ?? {}, language };
    try {
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
      settings: own,
      env: environmentOf(tool, own, env),
      ...(timezone === undefined ? {} : { timezone }),
      notes: notesOfCall(notes, sources, (from) => tell({ untrusted: true, from })),
      calls: async () => state.ledger,
    };
  }

  return {
    infos: options.tools.filter((tool) => lack(tool) === undefined).map((tool) => tool.info),
    prepare: (state, calls, performing) => prepare(state, calls.map(unlessLacking), performing),
    act,
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

function resultOf(ending: Ending, name: string, timeoutMs: number): { result: ToolResult; text: string } {
  if (ending.end === 'timeout') {
    const message = `${name} did not finish within ${timeoutMs / 1000} s and was ended`;
    return failed({ code: 'timeout', message, next: 'try a smaller task, or go on without it' });
  }
  if (ending.end === 'aborted') return failed({ code: 'cancelled', message: `${name} was ended because the run was stopped` });
  if (ending.end === 'thrown') return failed(toError(ending.thrown));
  try {
    const { data, text } = toData(ending.value);
    return { result: { success: true, data }, text };
  } catch (error) {
    return failed(toError(error));
  }
}

function failed(error: ReturnType<typeof toError>): { result: ToolResult; text: string } {
  return { result: { success: false, error }, text: '' };
}

/** What came decides, whatever the tool declares, and also when it failed: an error may repeat what came. */
function united(told: readonly ResultFacts[]): ResultFacts {
  const from = [...new Set(told.flatMap((one) => one.from ?? []))];
  const used = told.findLast((one) => one.usage || one.cost); // a sub-agent tells it once, at its end
  return {
    ...(told.some((one) => one.untrusted) ? { untrusted: true } : {}),
    ...(told.some((one) => one.private) ? { private: true } : {}),
    ...(from.length > 0 ? { from: cut(from.join(', '), 500) } : {}),
    ...(used?.usage ? { usage: used.usage } : {}),
    ...(used?.cost ? { cost: used.cost } : {}),
  };
}

function noteLate(performing: Performing, call: Call, timeoutMs: number): void {
  const message = `${call.name} gave a result after its end (limit ${timeoutMs / 1000} s); it was dropped`;
  const note = performing.emit({ event_type: 'run.note', data: { level: 'warning', code: 'late_result', message, call_id: call.id } });
  note.catch(() => undefined); // the run may be over and its journal closed: then nobody is left to tell
}

/** The tool owns its arguments; the state keeps its own. */
function copy(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copy);
  const copied: JsonObject = {};
  for (const key in value) copied[key] = copy(value[key]!);
  return copied;
}
