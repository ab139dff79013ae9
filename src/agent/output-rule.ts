/**
 * The rule over typed answers: a final answer is checked, the model mends it once, then the run ends with the value or with a named
 * error. The check itself is a performer's fact in the log (output.ts), so the rule is pure and a replay needs no schema library.
 */

import { outcomeOf } from '../kernel/report.ts';
import type { ErrorData, Json, Rule, State } from '../kernel/types.ts';
import { hashOf } from '../tools/define.ts';
import { isWrapped } from './output-form.ts';

/** Of the performer, its result in the state, and the trip that asks for the repair. */
export const CHECK_OUTPUT = 'check_output';
/** What problems call the answer. */
export const ROOT = 'answer';

/** `of` names the answer that was checked: the result of another one does not count. */
export type Checked =
  | { of: string; ok: true; output: Json; repairs?: string[] }
  /** `message` asks the model to mend the problems. */
  | { of: string; ok: false; problems: string[]; message: string };

/** The last before-finish rule. A repair is a step like any other: without one left the run ends with the error. */
export const checkOutput: Rule = (state) => {
  if (!state.output_schema || state.answer === undefined) return undefined;
  const of = `${state.step}:${hashOf(state.answer)}`;
  const checked = state.results[CHECK_OUTPUT] as Checked | undefined;
  if (checked?.of !== of) return { do: 'perform', name: CHECK_OUTPUT, input: { of } };
  if (checked.ok) {
    const { output } = checked;
    return { do: 'finish', outcome: outcomeOf(state, 'success', { answer: JSON.stringify(output), output }) };
  }
  // A reply that could not even be read has had its request to mend it.
  const isSpent = (state.trips[CHECK_OUTPUT] ?? 0) > 0 || state.problem !== undefined;
  if (!isSpent && state.step < state.limits.max_steps) {
    return {
      do: 'record',
      facts: [{ event_type: 'guard.trip', data: { guard: CHECK_OUTPUT, verdict: 'nudge', message: checked.message } }],
    };
  }
  return { do: 'finish', outcome: outcomeOf(state, 'error', { error: outputInvalid(checked.problems, state, !isSpent) }) };
};

const TEXT = {
  en: {
    invalid: (problems: string) => `the answer does not fit the schema of the output: ${problems}`,
    next: 'describe the fields of the schema, make it simpler, or use another model (--model)',
    noStep: 'allow more steps (--max-steps): none was left to ask for a better answer',
  },
  zh: {
    invalid: (problems: string) => `最终回答不符合输出的 schema：${problems}`,
    next: '在 schema 中写明各字段的说明、简化 schema，或换用其他模型（--model）。',
    noStep: '允许更多步数（--max-steps）：已没有步数可用来请求更正。',
  },
} as const;

function outputInvalid(problems: readonly string[], state: State, noStep: boolean): ErrorData {
  const text = TEXT[state.language];
  // People do not know of the object around a value that is none.
  const lines = isWrapped(state.output_schema ?? {}) ? problems.map((line) => line.replace(`${ROOT}.value`, ROOT)) : problems;
  return { code: 'output_invalid', message: text.invalid(lines.join('; ')), next: noStep ? text.noStep : text.next };
}
