/** A cap on calls that act on the outside: so many a run, also when a rule allows each of them. */

import type { Call, Guard, State } from '../kernel/types.ts';
import { numbersOf } from './numbers.ts';

/** A guard: calls beyond the cap are not made. */
export const outwardGuard: Guard = function outwardCalls(state) {
  const { outward_calls: cap } = numbersOf(state);
  if (cap === 0 || state.calls.length === 0) return undefined;
  const open = state.calls.filter((call) => isOutward(call) && call.status !== 'proposed' && call.status !== 'done');
  const undecided = open.filter(({ status }) => status === 'prepared');
  if (undecided.length === 0) return undefined;
  const left = cap - state.ledger.filter(({ outward }) => outward).length - (open.length - undecided.length);
  const over = undecided.slice(Math.max(0, left));
  if (over.length === 0) return undefined;
  return { guard: 'outward_calls', verdict: 'refuse', message: TEXT[state.language](cap), call_ids: over.map(({ id }) => id) };
};

function isOutward({ level, outward }: Call): boolean {
  return level === 'dangerous' || outward === true;
}

const TEXT: Record<State['language'], (cap: number) => string> = {
  en: (cap) =>
    `Not made: a run may make ${cap} calls that act on the outside, and they are used up. Tell the user what was done and what is left.`,
  zh: (cap) => `未执行：一次运行最多对外操作 ${cap} 次，已经用完。请告诉用户完成了什么、还剩什么。`,
};
