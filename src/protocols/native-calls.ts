/** Calls of the provider's own kind whose arguments are no valid JSON, or that came although nobody asked for them. */

import type { ProposedCall, Reply } from '../kernel/types.ts';
import { cutOf } from './calls.ts';
import { readArguments } from './read-json.ts';

/** What cannot be read is the call's problem, not the reply's. */
export function nativeCalls(reply: Reply): ProposedCall[] {
  return reply.calls.map(({ id, name, input }): ProposedCall => {
    const reading = readArguments(input, cutOf(reply.finish));
    if (!reading.ok) return { id, name, arguments: {}, problem: { code: reading.code, message: reading.message } };
    const { value, repairs } = reading;
    return { id, name, arguments: value, ...(repairs.length > 0 ? { repairs } : {}) };
  });
}
