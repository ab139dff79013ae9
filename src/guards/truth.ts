/** Truthfulness at the end: the outcome names the actions that the answer claims, and what of it is not verified. The last before-finish rule. */

import { outcomeOf } from '../kernel/report.ts';
import type { Rule } from '../kernel/types.ts';
import { claimsOf, unprovenClaim } from './claims.ts';
import { type MadeUpPorts, madeUpIn, madeUpText } from './made-up.ts';

export function truthRule(ports: MadeUpPorts): Rule {
  return function truth(state) {
    const claims = claimsOf(state, ports.tools());
    const madeUp = madeUpIn(state, ports);
    const doubts = [madeUp && madeUpText(madeUp, state), unprovenClaim(claims, state)].filter((doubt) => doubt !== undefined);
    if (claims.length === 0 && doubts.length === 0) return undefined;
    const more = { ...(claims.length > 0 ? { claims } : {}), ...(doubts.length > 0 ? { unverified: doubts.join('; ') } : {}) };
    return { do: 'finish', outcome: outcomeOf(state, 'success', more) };
  };
}
