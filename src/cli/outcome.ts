/** What a run leaves behind for people and programs: the answer or the JSON on standard output, the exit status. */

import type { RunOutcome } from '../agent/types.ts';
import type { Cli, ExitStatus } from './context.ts';
import type { Display } from './display.ts';
import { printError, withoutSecrets } from './errors.ts';
import { harmless } from './text.ts';

/** The object of `--json`, snake_case like all of the wire. Absent = not known. */
export function outcomeJson(outcome: RunOutcome): Record<string, unknown> {
  const { usage, stoppedBy, error, report, inDoubt } = outcome;
  return {
    run_id: outcome.runId,
    session_id: outcome.sessionId,
    status: outcome.status,
    answer: outcome.answer,
    output: outcome.output,
    highlights: outcome.highlights,
    steps: outcome.steps,
    protocol: outcome.protocol,
    model: outcome.model,
    usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens, cached_tokens: usage.cachedTokens },
    cost: outcome.cost,
    tool_calls: outcome.toolCalls.map(({ errorCode, ms, ...call }) => ({ ...call, error_code: errorCode, ms })),
    stopped_by: stoppedBy,
    report: report && withoutSecrets(report),
    in_doubt: inDoubt,
    claims: outcome.claims,
    unverified: outcome.unverified,
    error: error && { ...error, message: withoutSecrets(error.message) },
  };
}

export function exitStatus(outcome: RunOutcome, nobodyAsked: boolean): ExitStatus {
  switch (outcome.status) {
    case 'success':
      return nobodyAsked ? 3 : 0;
    case 'waiting_for_approval':
      return 3;
    case 'max_steps':
      return 4;
    case 'timeout':
      return 5;
    case 'stopped_by_guard':
      return 6;
    case 'cancelled':
      return 130;
    case 'error':
      return 1;
  }
}

/**
 * The answer on standard output, everything else about the end on standard error. `wantsValue`: standard output takes JSON that fits
 * or nothing.
 */
export function printOutcome(cli: Cli, outcome: RunOutcome, display: Display, wantsValue: boolean): void {
  const { terminal, t } = cli;
  const shown = display.end(outcome);
  const isText = outcome.output === undefined && !wantsValue && outcome.error?.code !== 'output_invalid';
  if (outcome.output !== undefined) printValue(cli, outcome.output);
  else if (outcome.answer !== '' && !isText) terminal.err(`${harmless(outcome.answer)}\n`);
  else if (outcome.answer !== '' && !shown)
    terminal.out(`${terminal.outIsTerminal ? harmless(outcome.answer) : outcome.answer.toWellFormed()}\n`);
  // After an error the report is worth its lines only when something had been done before.
  if (outcome.report && (!outcome.error || outcome.toolCalls.length > 0)) terminal.err(`${harmless(withoutSecrets(outcome.report))}\n`);
  if (outcome.status === 'waiting_for_approval') terminal.err(`${t('run.waits', { id: outcome.runId })}\n`);
  if (outcome.inDoubt?.length) terminal.err(`${t('run.inDoubt', { names: outcome.inDoubt.join(', ') })}\n`);
  if (outcome.unverified) terminal.err(`${t('run.unverified', { why: harmless(outcome.unverified) })}\n`);
  if (outcome.error) printError(cli, outcome.error);
  display.summarise(outcome);
}

/** Indented for people, one line for programs. */
function printValue({ terminal }: Cli, value: unknown): void {
  terminal.out(terminal.outIsTerminal ? `${harmless(JSON.stringify(value, null, 2))}\n` : `${JSON.stringify(value)}\n`);
}
