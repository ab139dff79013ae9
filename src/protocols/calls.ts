/** From what a reader found in text to calls that the kernel can take. */

import type { FinishReason, JsonObject, ProposedCall, Reply, State, ToolInfo } from '../kernel/types.ts';
import type { CallsReading } from './read-calls.ts';

const CUT_SHORT = {
  en: 'The reply was cut off at the token limit, so this call was not run. Send a shorter one, or split it into several calls.',
  zh: '回复在长度上限处被截断，此调用没有执行。请缩短内容，或拆成几次调用。',
} as const;

/** An action that is no tool: the reply is the answer. */
export const FINISH = /^(?:finish|final|final[_ ]?answer|answer|respond|reply|完成|结束|回答|最终答案)$/i;

/** Calls read out of text have no ids of their own: step and position make one that is unique in the run. */
export function callId(state: State, index: number): string {
  return `call_${state.step}_${index + 1}`;
}

/** The readable calls, and each unreadable one as a call with its problem, so that it gets its own error. */
export function proposedCalls(reading: CallsReading, state: State): ProposedCall[] {
  const good = reading.calls.map(
    (call, index): ProposedCall => ({
      id: callId(state, index),
      name: call.name,
      arguments: call.arguments,
      ...(call.repairs.length > 0 ? { repairs: call.repairs } : {}),
    }),
  );
  const bad = reading.problems.map(({ name, code, message }, index): ProposedCall => {
    return { id: callId(state, good.length + index), name: name ?? 'unknown', arguments: {}, problem: { code, message } };
  });
  return [...good, ...bad];
}

/** A reply that ended at the token limit: its last call is never run, whatever could be read of it. */
export function cutShort(calls: ProposedCall[], language: 'zh' | 'en'): ProposedCall[] {
  return calls.map((call, index) =>
    index < calls.length - 1 ? call : { ...call, problem: { code: 'truncated', message: CUT_SHORT[language] } },
  );
}

/** What the finish reason says about an unclosed value: cut at the limit, or only a lost bracket; nothing when it is not known. */
export function cutOf(finish: FinishReason): { cut?: boolean } {
  if (finish === 'length') return { cut: true };
  return finish === 'stop' || finish === 'tool-calls' ? { cut: false } : {};
}

/** How calls in a reply's text are read for these tools. */
export function readOptions(
  reply: Reply,
  tools: readonly ToolInfo[],
): { tools: string[]; schemas: Record<string, JsonObject>; cut?: boolean } {
  const schemas = Object.fromEntries(tools.map((tool) => [tool.name, tool.input_schema]));
  return { tools: tools.map((tool) => tool.name), schemas, ...cutOf(reply.finish) };
}
