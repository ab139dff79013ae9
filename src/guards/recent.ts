/** The finished calls that guards look at: those since the user has last said something. */

import type { State, Trail } from '../kernel/types.ts';

export interface Finished extends Trail {
  /** It was started; absent: refused, denied or cancelled before. */
  ran?: true;
}

/** Oldest first, at most 50. What the user says makes all that was tried before worth another try. */
export function recentCalls({ trail, ledger, messages, step }: State): Finished[] {
  const since = messages.length - messages.findLastIndex((message) => message.role === 'user');
  const steps = messages.slice(messages.length - since).filter((message) => message.role === 'assistant').length;
  const shift = ledger.length - trail.length; // both grow by one a call; the trail has lost its beginning
  return trail.flatMap((entry, index) => {
    if (entry.step <= step - steps) return [];
    return ledger[index + shift]?.ran ? [{ ...entry, ran: true as const }] : [entry];
  });
}
