/** Rules come from features and users: one that throws ends the run as an error that names it, and never lets anything through. */

import { errorData, HermesError } from './errors.ts';
import type { Command } from './types.ts';

/** What the rule says. */
export function hear<Given extends unknown[], Said>(rule: (...given: Given) => Said, ...given: Given): Said {
  try {
    return rule(...given);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new HermesError('guard_failed', `the rule ${rule.name || '(without a name)'} failed: ${message}`, { cause });
  }
}

/** The decision when a rule has thrown. */
export function ruleFailure(thrown: unknown): Command {
  const error = errorData(thrown);
  return { do: 'record', facts: [{ event_type: 'run.abort', data: { reason: error.code, error } }] };
}
