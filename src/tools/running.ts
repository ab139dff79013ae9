/** One call from its start to its one result: run (again, where that helps), made data, shaped for the model, kept where it is too long. */

import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { Call, Fact, Json, JsonObject, Performing, State, ToolResult } from '../kernel/types.ts';
import { toData } from './data.ts';
import type { Inside, ResultFacts, RunContext, Tool } from './define.ts';
import { neutralised } from './neutral.ts';
import { toError } from './result.ts';
import { retryWait } from './retry.ts';
import { type Ending, Scope } from './scope.ts';
import type { KeptTexts } from './shape/kept.ts';
import { READ_RESULT } from './shape/read-result.ts';

/** One model call that says in few words what a long result holds; undefined = it could not. */
export type Summarise = (text: string, about: { tool: string; state: State; performing: Performing }) => Promise<string | undefined>;

export interface RunningOptions {
  /** Characters of a result that the model sees when its tool declares none. */
  resultCharacters: number;
  timeoutMs: number;
  /** Whether the model has read_result: then what is cut gets a handle. */
  readsBack: boolean;
  kept: KeptTexts;
  /** Puts placeholders in place of secrets: a cut through one would leave a part of it. */
  hide<T>(value: T): T;
  summarise?: Summarise;
}
export interface Running {
  state: State;
  call: Call;
  key: string;
  tool: Tool;
  /** Owned by the tool; made anew for each attempt. */
  args(): JsonObject;
  context: RunContext;
  inside: Inside;
  performing: Performing;
}
/** What comes of a call, apart from what it says of itself. */
export interface Done {
  result: ToolResult;
  /** The JSON or text of the data. */
  text: string;
  tries: number;
  untrusted: string[];
}

export async function runTool(running: Running, { timeoutMs }: RunningOptions): Promise<Done> {
  const { state, call, key, tool, context, inside, performing } = running;
  const limit = tool.settings.timeoutMs ?? timeoutMs;
  const began = performance.now();
  const untrusted: string[] = [];
  for (let tries = 1; ; tries++) {
    const scope = new Scope({
      callId: call.id,
      key,
      runId: state.run_id,
      context,
      inside,
      ...(call.answer === undefined ? {} : { answer: call.answer }),
      ...(call.approved ? { approved: true } : {}),
      progress: (data: Json) => performing.delta({ event_type: 'tool.delta', data: { call_id: call.id, data } }),
    });
    const left = tries === 1 ? limit : Math.max(1, limit - (performance.now() - began));
    const ending = await scope.run(tool, running.args(), left, () => noteLate(performing, call, limit), performing);
    untrusted.push(...scope.untrustedSources());
    const { result, text } = resultOf(ending, tool, limit, call);
    const done = { result, text, tries, untrusted };
    if (result.success || ending.end === 'timeout' || ending.end === 'aborted') return done;
    const { error } = result;
    const wait = retryWait(state, { call, tool, error, tries, left: limit - (performance.now() - began) });
    if (wait === undefined) return { ...done, result: { success: false, error: told(error, tries) } };
    await performing.emit(retryNote(state, call, error.message, wait));
    await pause(wait, performing.signal);
    if (performing.signal.aborted) return done;
  }
}

// ---- the result ------------------------------------------------------------------------------------------

/** Any ending as a result. */
export function resultOf(ending: Ending, { info, settings }: Tool, timeoutMs: number, call: Call): { result: ToolResult; text: string } {
  const { name } = info;
  if (ending.end === 'timeout') {
    const message = `${name} did not finish within ${timeoutMs / 1000} s and was ended`;
    return failed({ code: 'timeout', message, next: 'try a smaller task, or go on without it' });
  }
  if (ending.end === 'aborted') return failed({ code: 'cancelled', message: `${name} was ended because the run was stopped` });
  try {
    if (ending.end === 'thrown') throw ending.thrown;
    if (ending.value === undefined && (call.level ?? info.level) === 'read') throw nothing(name);
    const { data, text } = toData(ending.value);
    return { result: { success: true, data }, text };
  } catch (thrown) {
    const error = toError(thrown);
    return failed(settings.fatalCodes?.includes(error.code) ? { ...error, final: true } : error);
  }
}

export function failed(error: ReturnType<typeof toError>): { result: ToolResult; text: string } {
  return { result: { success: false, error }, text: '' };
}

/** What acts may have nothing to say; what looks and says nothing has found nothing, or its author forgot to return it. */
function nothing(name: string): HermesError {
  return new HermesError('no_result', `${name} gave no result (undefined)`, { kind: 'tool', next: 'take it as: there is nothing' });
}

/** As the model and the log read it: whether a repeat helps has been decided. */
function told({ retryable: _, ...error }: ReturnType<typeof toError>, tries: number): ReturnType<typeof toError> {
  return tries === 1 ? error : { ...error, message: `${error.message} (tried ${tries} times)` };
}

// ---- what the model sees ---------------------------------------------------------------------------------

/** `handle` names what was kept because it is longer than what is shown. */
export async function shaped(
  { state, tool, performing }: Running,
  { result, text }: Done,
  untrusted: boolean,
  options: RunningOptions,
  nextHandle: () => string,
): Promise<{ shaped: string; handle?: string }> {
  const plain = (shown: string) => (untrusted ? neutralised(shown) : shown);
  if (!result.success) return { shaped: plain(JSON.stringify(result)) };
  const limit = tool.settings.resultCharacters ?? options.resultCharacters;
  if (text.length <= limit) return { shaped: plain(text) };
  const { shapeResult } = await import('./shape/shape.ts');
  const data = options.hide(result.data);
  const whole = typeof data === 'string' ? data : options.hide(text);
  const handle = options.readsBack && tool.info.name !== READ_RESULT ? nextHandle() : undefined;
  if (handle) options.kept.put(state.run_id, handle, whole);
  const wanted = tool.settings.summarise && options.summarise;
  const summary = wanted ? await wanted(plain(cut(whole, 100_000)), { tool: tool.info.name, state, performing }) : undefined;
  const shown = shapeResult(data, {
    size: whole.length,
    limit,
    language: state.language,
    handle,
    summary,
    plain: untrusted ? plain : undefined,
  });
  return { shaped: shown, ...(handle === undefined ? {} : { handle }) };
}

/** What came decides, whatever the tool declares, and also when it failed: an error may repeat what came. */
export function united(told: readonly ResultFacts[]): ResultFacts {
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

// ---- what people are told --------------------------------------------------------------------------------

function noteLate(performing: Performing, call: Call, timeoutMs: number): void {
  const message = `${call.name} gave a result after its end (limit ${timeoutMs / 1000} s); it was dropped`;
  const note = performing.emit({ event_type: 'run.note', data: { level: 'warning', code: 'late_result', message, call_id: call.id } });
  note.catch(() => undefined); // the run may be over and its journal closed: then nobody is left to tell
}

function retryNote({ language }: State, { id, name }: Call, why: string, waitMs: number): Fact<'run.note'> {
  const seconds = waitMs / 1000;
  const said = cut(why, 300).replace(/[.。]$/, '');
  const message = { en: `${name}: ${said}. Trying again in ${seconds} s.`, zh: `${name}：${said}。${seconds} 秒后重试。` }[language];
  return { event_type: 'run.note', data: { level: 'warning', code: 'retry', message, call_id: id } };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
