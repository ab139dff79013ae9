/** The path of a run against the path that was expected: a regular expression over tool calls. Pure. */

import type { JsonObject } from '../kernel/types.ts';
import { mismatch, short } from './match.ts';
import type { Happened, PathPattern, PathStep } from './types.ts';

type CallMade = Happened['outcome']['toolCalls'][number];

/**
 * Calls that were refused for their form: nothing was run, and the model had to write them again. They count as failed calls, and
 * are no part of the path unless it names them (`weather!`).
 */
const REFUSED_FOR_FORM = new Set([
  'unknown_tool',
  'invalid_arguments',
  'bad_arguments',
  'not_an_object',
  'no_json',
  'unreadable',
  'truncated',
]);

/** A protocol's way to tell highlights, not a step towards the answer. */
const ASIDE = 'remember';

/** What is wrong with the path, in one line; undefined = it is as expected. */
export function matchPath(made: readonly CallMade[], pattern: PathPattern): string | undefined {
  if (pattern === 'any') return undefined;
  const misfits: string[] = [];
  const calls = made.filter(({ name, success }) => !(name === ASIDE && success));
  if (pattern === 'none' ? calls.length === 0 : afterAll(pattern, calls, 0, misfits).some((at) => isOver(calls, at))) return undefined;
  const got = calls.length === 0 ? 'none' : calls.map(nameOf).join(' -> ');
  const hint = misfits.length === 0 ? '' : ` (${misfits.at(-1)})`;
  return `path: expected ${pattern === 'none' ? 'none' : pattern.map(describe).join(' -> ')}, got ${got}${hint}`;
}

/** As paths are written: a failed call ends in `!`. */
export function nameOf(call: Pick<CallMade, 'name' | 'success'>): string {
  return call.success ? call.name : `${call.name}!`;
}

/** Where the path may stand after these steps when it stood at `from`: every way to read it is followed. */
function afterAll(steps: readonly PathStep[], calls: readonly CallMade[], from: number, misfits: string[]): number[] {
  let places = [from];
  for (const step of steps) places = unique(places.flatMap((at) => after(step, calls, at, misfits)));
  return places;
}

function after(step: PathStep, calls: readonly CallMade[], from: number, misfits: string[]): number[] {
  if (typeof step === 'string') {
    const [, name, failed, optional] = /^(.*?)(!?)(\??)$/s.exec(step)!;
    const taken = takeCall({ name: name!, success: failed === '' }, calls, from, misfits);
    return optional === '' ? taken : [from, ...taken];
  }
  if ('optional' in step) return [from, ...after(step.optional, calls, from, misfits)];
  if ('any_order' in step) return afterAnyOrder(step.any_order, calls, from, misfits);
  if ('one_of' in step) return step.one_of.flatMap((one) => afterAll(isSteps(one) ? one : [one], calls, from, misfits));
  return takeCall({ success: true, ...step }, calls, from, misfits);
}

function afterAnyOrder(steps: readonly PathStep[], calls: readonly CallMade[], from: number, misfits: string[]): number[] {
  if (steps.length === 0) return [from];
  return unique(
    steps.flatMap((step, index) =>
      after(step, calls, from, misfits).flatMap((at) => afterAnyOrder(steps.toSpliced(index, 1), calls, at, misfits)),
    ),
  );
}

interface Wanted {
  name: string;
  success: boolean;
  arguments?: JsonObject;
  exactly?: JsonObject;
}

/** The place behind the call that was wanted, when it comes next; calls refused for their form are passed over. */
function takeCall(wanted: Wanted, calls: readonly CallMade[], from: number, misfits: string[]): number[] {
  for (let at = from; at < calls.length; at++) {
    const call = calls[at]!;
    if (call.name === wanted.name && call.success === wanted.success) {
      const misfit = argumentMisfit(wanted, call);
      if (misfit === undefined) return [at + 1];
      misfits.push(misfit);
    }
    if (!isRefusedForForm(call)) return [];
  }
  return [];
}

function argumentMisfit({ name, arguments: some, exactly }: Wanted, call: CallMade): string | undefined {
  const extra = exactly && Object.keys(call.arguments).find((key) => !Object.hasOwn(exactly, key));
  if (extra !== undefined) return `${name}.${extra}: expected nothing, got ${short(call.arguments[extra])}`;
  return mismatch(exactly ?? some ?? {}, call.arguments, name);
}

function isOver(calls: readonly CallMade[], at: number): boolean {
  return calls.slice(at).every(isRefusedForForm);
}

function isRefusedForForm({ success, errorCode = '' }: CallMade): boolean {
  return !success && REFUSED_FOR_FORM.has(errorCode);
}

function describe(step: PathStep): string {
  if (typeof step === 'string') return step;
  if ('optional' in step) return `${describe(step.optional)}?`;
  if ('any_order' in step) return `{${step.any_order.map(describe).join(', ')}}`;
  if ('one_of' in step) return `(${step.one_of.map((one) => (isSteps(one) ? one.map(describe).join(' -> ') : describe(one))).join(' | ')})`;
  return step.name;
}

function isSteps(one: PathStep | readonly PathStep[]): one is readonly PathStep[] {
  return Array.isArray(one);
}

function unique(places: number[]): number[] {
  return [...new Set(places)];
}
