/** The finished calls that guards look at: those since the user has last said something. */

import type { State, Trail } from '../kernel/types.ts';

/** Oldest first, at most 50. What the user says makes all that was tried before worth another try. */
export function recentTrail({ trail, messages, step }: State): readonly Trail[] {
  let steps = 0;
  for (let at = messages.length - 1; at >= 0 && messages[at]!.role !== 'user'; at--) if (messages[at]!.role === 'assistant') steps++;
  return trail.slice(trail.findLastIndex((entry) => entry.step <= step - steps) + 1);
}

export interface Finished extends Trail {
  /** It was started; absent: refused, denied or cancelled before. */
  ran?: true;
}

/** The same, with what the ledger says of them. Both grow by one a call; the trail has lost its beginning. */
export function recentCalls(state: State): Finished[] {
  const recent = recentTrail(state);
  const from = state.ledger.length - recent.length;
  return recent.map((entry, index) => (state.ledger[from + index]?.ran ? { ...entry, ran: true } : entry));
}
