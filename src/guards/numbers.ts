/** The numbers of every guard, in one table. 0 or false = the guard is off. */

import type { JsonObject, State } from '../kernel/types.ts';

/** Runs keep what differs from this in run.start: an old run is judged, resumed and replayed by the numbers it began with. */
export const GUARD_NUMBERS = {
  /** The same call with the same result: told at one less, not made at this number. */
  loop_calls: 3,
  /** Calls refused by the loop guard that are made all the same, after which the run ends. */
  loop_insist: 1,
  /** Failures of one tool in a row that close it for this run. */
  tool_failures: 2,
  /** Calls of one tool in a row whose arguments are not valid, that close it: the first and two repairs. */
  argument_failures: 3,
  /** Calls of a closed tool that are made all the same, after which the run ends. */
  failure_insist: 2,
  /** Calls in a run that act on the outside, also those that a rule allows. */
  outward_calls: 20,
  /** Answers that state what only a tool can know, without its result. */
  made_up: true,
  /** Answers that claim an action which no call bears out. */
  claims: true,
  /** Answers to "the earliest", "the cheapest" that name another item of a list than its data do. */
  comparison: true,
  /** How often such an answer goes back to the model; after that it is delivered as not verified. */
  answer_returns: 1,
  /** After untrusted text has entered, calls with consequences are asked about, whatever the rules allow. */
  taint: true,
  /** Private data, untrusted text and a way out together are asked about. */
  leak: true,
  /** They are refused instead. */
  leak_refused: false,
};
export type GuardNumbers = { [Name in keyof typeof GUARD_NUMBERS]: (typeof GUARD_NUMBERS)[Name] extends boolean ? boolean : number };

const known = new WeakMap<JsonObject, GuardNumbers>();

export function numbersOf({ guards }: Pick<State, 'guards'>): GuardNumbers {
  if (!guards) return GUARD_NUMBERS;
  const merged = known.get(guards) ?? { ...GUARD_NUMBERS, ...(guards as Partial<GuardNumbers>) };
  known.set(guards, merged);
  return merged;
}

/** What stands in run.start; undefined when all is as usual. */
export function differing(numbers: Partial<GuardNumbers>): JsonObject | undefined {
  const names = Object.keys(GUARD_NUMBERS) as (keyof GuardNumbers)[];
  const entries = names.flatMap((name) =>
    numbers[name] === undefined || numbers[name] === GUARD_NUMBERS[name] ? [] : [[name, numbers[name]] as const],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
