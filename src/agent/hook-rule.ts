/** The hook before the end of a run: its word is a fact in the log, and a pure rule acts on it. */

import { outcomeOf } from '../kernel/report.ts';
import type { Fact, Json, Rule, State } from '../kernel/types.ts';
import { hashOf } from '../tools/define.ts';
import { ABORTED, contextOf, FAILED, type Hooks, hear, type Veto, verdict } from './hooks.ts';
import type { FeaturePerformer } from './types.ts';

/** Of the performer, and its result in the state. */
export const BEFORE_FINISH = 'before_finish';

/** `of` names the answer that was looked at; what the hook itself has put in its place is not looked at again. */
type Looked = { of: string; said?: { answer: string; reason?: string } | { nudge: string } | Veto; failed?: string };

/** The hook's word is a fact in the log, so that the rule is pure. */
export const beforeFinishRule: Rule = function beforeFinishRule(state) {
  if (state.answer === undefined) return undefined;
  const of = placeOf(state);
  const looked = state.results[BEFORE_FINISH] as Looked | undefined;
  if (looked?.said && 'answer' in looked.said && looked.said.answer === state.answer) return undefined;
  if (looked?.of !== of) return { do: 'perform', name: BEFORE_FINISH, input: { of } };
  const { said, failed } = looked;
  if (failed !== undefined) {
    const error = { code: FAILED, message: failed };
    return { do: 'record', facts: [{ event_type: 'run.abort', data: { reason: FAILED, error } }] };
  }
  if (!said) return undefined;
  if ('veto' in said) return trip('veto', said.veto, { verdict: 'stop', message: said.veto });
  if ('answer' in said) {
    const { answer, reason = '' } = said;
    return trip('change', reason, { verdict: 'replace', message: reason, answer });
  }
  const isSpent = (state.trips[BEFORE_FINISH] ?? 0) > 0 || state.step >= state.limits.max_steps;
  if (!isSpent) return trip('change', said.nudge, { verdict: 'nudge', message: said.nudge });
  return state.output_schema ? undefined : { do: 'finish', outcome: outcomeOf(state, 'success', { unverified: said.nudge }) };
};

function trip(kind: 'change' | 'veto', reason: string, given: Parameters<typeof tripFact>[0]): ReturnType<Rule> {
  return { do: 'record', facts: [verdict('beforeFinish', kind, reason), tripFact(given)] };
}

function tripFact(
  given: { verdict: 'stop' | 'nudge'; message: string } | { verdict: 'replace'; message: string; answer: string },
): Fact<'guard.trip'> {
  return { event_type: 'guard.trip', data: { guard: given.verdict === 'stop' ? 'hook' : BEFORE_FINISH, ...given } };
}

export function beforeFinishPerformer(hook: NonNullable<Hooks['beforeFinish']>): FeaturePerformer {
  return async (_input, { state, signal }) => {
    const of = placeOf(state);
    const context = contextOf(state, { signal });
    try {
      const said = await hear('beforeFinish', () => hook({ answer: state.answer ?? '' }, context), { signal });
      return { result: (said === ABORTED || !said ? { of } : { of, said: { ...said } }) as Json };
    } catch (error) {
      return { result: { of, failed: (error as Error).message } };
    }
  };
}

function placeOf(state: State): string {
  return `${state.step}:${hashOf(state.answer ?? '')}`;
}
