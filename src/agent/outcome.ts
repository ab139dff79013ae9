/** From the kernel's outcome (wire names) to the library's. */

import type { ErrorData, Outcome, State, Usage } from '../kernel/types.ts';
import { defined } from './defined.ts';
import type { RunOutcome, RunSummary, TokenUsage } from './types.ts';

export function publicOutcome(outcome: Outcome, state: State): RunOutcome {
  const { status, answer, highlights, steps, tool_calls, stopped_by, report, error, in_doubt, claims, unverified } = outcome;
  const summary: RunSummary = {
    answer,
    highlights,
    steps,
    usage: publicUsage(outcome.usage),
    ...(outcome.cost ? { cost: outcome.cost } : {}),
    toolCalls: tool_calls.map(({ error_code, ran: _ran, outward: _outward, ...call }) =>
      error_code === undefined ? call : { ...call, errorCode: error_code },
    ),
    ...(stopped_by === undefined ? {} : { stoppedBy: stopped_by }),
    ...(report === undefined ? {} : { report }),
    ...(error === undefined ? {} : { error }),
    ...(in_doubt === undefined ? {} : { inDoubt: in_doubt }),
    ...(claims === undefined ? {} : { claims }),
    ...(unverified === undefined ? {} : { unverified }),
    ...(state.waiting.length === 0
      ? {}
      : {
          approvals: state.waiting.map(({ approval_id, calls, expires }) => ({
            approvalId: approval_id,
            runId: state.run_id,
            calls,
            ...defined({ expires }),
          })),
        }),
    runId: state.run_id,
    sessionId: state.session_id,
    model: state.model,
    protocol: state.protocol,
  };
  return status === 'success' ? { status, ...summary, output: outcome.output } : { status, ...summary };
}

/** A run that could not begin or could not be kept. What the state knows is still told. */
export function failedOutcome(error: ErrorData, run: { runId: string; sessionId: string }, state: State | undefined): RunOutcome {
  const none: Outcome = { status: 'error', answer: '', highlights: [], steps: 0, usage: {}, tool_calls: [], error };
  if (!state)
    return { status: 'error', answer: '', highlights: [], steps: 0, usage: {}, toolCalls: [], error, ...run, model: '', protocol: '' };
  return publicOutcome(
    { ...none, steps: state.step, usage: state.usage, ...defined({ cost: state.cost }), tool_calls: [...state.ledger] },
    { ...state, waiting: [] },
  );
}

function publicUsage(usage: Usage): TokenUsage {
  const figures: TokenUsage = {};
  if (usage.input_tokens !== undefined) figures.inputTokens = usage.input_tokens;
  if (usage.output_tokens !== undefined) figures.outputTokens = usage.output_tokens;
  if (usage.cached_tokens !== undefined) figures.cachedTokens = usage.cached_tokens;
  if (usage.reasoning_tokens !== undefined) figures.reasoningTokens = usage.reasoning_tokens;
  return figures;
}
