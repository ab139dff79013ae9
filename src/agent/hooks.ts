/**
 * Hooks: functions of the user at five places of a run, each of which may change what passes, refuse it, or want a person to look at it.
 * What they decide is in the events, so that a replay needs none of them. None can weaken a refusal: what a hook lets pass still goes
 * through validation, judges, permissions and gates.
 */

import { unlessAborted } from '../kernel/abort.ts';
import { HermesError } from '../kernel/errors.ts';
import type { Fact, HookStage, JsonObject, Level, Message, Performing, State, ToolResult } from '../kernel/types.ts';

/** What every hook is told besides. `signal` is aborted when the run is stopped; nobody waits for the hook then. */
export interface HookContext {
  runId: string;
  sessionId: string;
  step: number;
  signal: AbortSignal;
}
/** `reason` stands in the log. */
interface Because {
  reason?: string;
}
/** Refuses. Before and after the model the run ends as stopped_by_guard; a call is not made; a result becomes an error. */
export interface Veto {
  veto: string;
}
/** A person has to agree, whatever the rules allow. */
export interface Ask {
  ask: string;
}
type Answer<Said> = Said | undefined | Promise<Said | undefined>;

export interface ModelRequest {
  messages: readonly Message[];
  instructions: string;
  model: string;
}
export interface ModelReply {
  text: string;
  calls: readonly { id: string; name: string; arguments: JsonObject }[];
  model: string;
}
export interface ToolRequest {
  id: string;
  name: string;
  arguments: JsonObject;
  level: Level;
}
export interface FinishedTool {
  id: string;
  name: string;
  arguments: JsonObject;
  result: ToolResult;
  /** What the model will see. */
  shown: string;
}

/**
 * A hook that says nothing lets pass. One that throws ends the run with the error `hook_failed`, which names it. Each agent has its own:
 * to its parent's hooks a sub-agent is one tool call.
 */
export interface Hooks {
  /** Before each request. A change holds for this request only; what the run keeps stays as it is. */
  beforeModel?(request: ModelRequest, context: HookContext): Answer<(Because & { messages?: Message[]; instructions?: string }) | Veto>;
  /** After each usable reply. `drop`: ids of calls that are left out. `ask` is for all of its calls. People may have seen streamed text. */
  afterModel?(reply: ModelReply, context: HookContext): Answer<(Because & { text?: string; drop?: readonly string[] }) | Veto | Ask>;
  /** When a call is valid, before it is permitted. Changed arguments are validated and judged again. */
  beforeTool?(call: ToolRequest, context: HookContext): Answer<(Because & { arguments: JsonObject }) | Veto | Ask>;
  /** After each call that ran. It can mark what came as untrusted or private, never the other way round. A veto undoes nothing. */
  afterTool?(finished: FinishedTool, context: HookContext): Answer<(Because & { shown?: string; untrusted?: true; private?: true }) | Veto>;
  /** Before the run ends with this answer. A nudge sends it back once; what comes then is delivered, marked as unverified if nudged again. */
  beforeFinish?(final: { answer: string }, context: HookContext): Answer<(Because & { answer: string }) | { nudge: string } | Veto>;
}
export const HOOK_NAMES: readonly (keyof Hooks)[] = ['beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'beforeFinish'];

// ---- hearing one -----------------------------------------------------------------------------------------

export const VETO = 'hook_veto';
export const FAILED = 'hook_failed';
export const ABORTED = Symbol('aborted');
const STAGES: Readonly<Record<keyof Hooks, HookStage>> = {
  beforeModel: 'before_model',
  afterModel: 'after_model',
  beforeTool: 'before_tool',
  afterTool: 'after_tool',
  beforeFinish: 'before_finish',
};
/** A hook that never ends does not outlive its run. */
export async function hear<Said>(
  name: keyof Hooks,
  hook: () => Answer<Said>,
  { signal }: Pick<Performing, 'signal'>,
): Promise<Said | undefined | typeof ABORTED> {
  try {
    return await unlessAborted(Promise.resolve().then(hook), signal);
  } catch (cause) {
    if (signal.aborted) return ABORTED;
    const message = `the hook ${name} failed: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new HermesError(FAILED, message, { kind: 'internal', next: 'mend the hook; a hook that fails lets nothing through', cause });
  }
}

export function verdict(hook: keyof Hooks, kind: 'change' | 'veto' | 'ask', reason = '', callId?: string): Fact<'hook.verdict'> {
  const data = { hook, stage: STAGES[hook], verdict: kind, reason };
  return { event_type: 'hook.verdict', data: callId === undefined ? data : { ...data, call_id: callId } };
}

export function contextOf({ run_id, session_id, step }: State, { signal }: Pick<Performing, 'signal'>, ahead = 0): HookContext {
  return { runId: run_id, sessionId: session_id, step: step + ahead, signal };
}
