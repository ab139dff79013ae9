/** The performer that asks people: one question at a time, settled by whoever answers first, here or in another process. */

import type { EventStore } from '../journal/store.ts';
import type { CallQuestion, EventData, Fact, Performers, Performing, Question, Rules, State } from '../kernel/types.ts';
import { defined } from './defined.ts';
import type { Permits } from './permits.ts';
import type { ApprovalAnswer, Approver } from './types.ts';

export interface WaitParts {
  /** Absent: the run sleeps until somebody answers from elsewhere. */
  approver?: Approver;
  rules: Rules;
  allow: Permits['allow'];
  /** Called when a question has been settled by others. */
  settled: Set<() => void>;
  /** Of a run that is kept: every answer goes through it, so that the first counts and the second is told. */
  inbox?: EventStore['inbox'];
}

/** Nothing emitted = nobody has answered: the kernel looks into the inbox once more, then the run sleeps. */
export function createWait(parts: WaitParts): NonNullable<Performers['wait']> {
  return async (state, performing) => {
    const question = state.waiting[0];
    if (!question) return;
    const decided = byItself(question, state, parts.rules);
    if (decided) return performing.emit({ event_type: 'approval.answer', data: decided });
    const { approver } = parts;
    if (!approver) return;
    const elsewhere = Promise.withResolvers<undefined>();
    const over = new AbortController();
    const settle = () => elsewhere.resolve(undefined);
    parts.settled.add(settle);
    try {
      const answer = await Promise.race([ask(approver, question, state.run_id, over.signal), elsewhere.promise]);
      if (answer) await give(answer, question, state, performing, parts);
    } finally {
      over.abort();
      parts.settled.delete(settle);
    }
  };
}

/** A question that has expired is answered with no; a run that slept may wake under rules that allow what was asked. */
function byItself(question: Question, state: State, rules: Rules): EventData['approval.answer'] | undefined {
  const { approval_id, calls, expires } = question;
  if (expires !== undefined && new Date().toISOString() > expires) return { approval_id, decision: 'deny', by: 'nobody', note: 'expired' };
  const allowed = calls.every(({ call_id }) => {
    const call = state.calls.find(({ id }) => id === call_id);
    return call !== undefined && rules.permit(state, call).decision === 'allow';
  });
  return allowed ? { approval_id, decision: 'approve', by: 'rule' } : undefined;
}

async function give(answer: ApprovalAnswer, question: Question, state: State, performing: Performing, parts: WaitParts): Promise<void> {
  const { decision, note, by = 'person', always } = answer;
  const data = { approval_id: question.approval_id, decision, by, ...defined({ note }) };
  const fact: Fact<'approval.answer'> = { event_type: 'approval.answer', data };
  if (parts.inbox && !(await parts.inbox.put(state.run_id, fact))) return; // somebody was faster: theirs comes out of the inbox
  if (decision === 'approve' && always) for (const rule of alwaysRules(question.calls) ?? []) parts.allow(rule);
  if (!parts.inbox) await performing.emit(fact);
}

/** What "always" adds for all calls of a question; undefined when one of them has to be asked about every time. */
export function alwaysRules(calls: readonly Pick<CallQuestion, 'always'>[]): string[] | undefined {
  const rules = calls.flatMap(({ always }) => always ?? []);
  return rules.length === calls.length ? [...new Set(rules)] : undefined;
}

/** A broken approver means no. */
async function ask(
  approver: Approver,
  { approval_id, calls, expires }: Question,
  runId: string,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  try {
    const answer = await approver({ approvalId: approval_id, runId, calls, ...defined({ expires }) }, { signal });
    return typeof answer === 'boolean' ? { decision: answer ? 'approve' : 'deny' } : answer;
  } catch (error) {
    const note = `the question could not be asked: ${error instanceof Error ? error.message : String(error)}`;
    return { decision: 'deny', note, by: 'nobody' };
  }
}
