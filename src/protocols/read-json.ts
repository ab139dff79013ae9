/**
 * Reads the JSON that a model wrote: as it is when it is valid, else out of fences, prose and
 * thinking, mended where there is one way to mend it. Every repair is named. A text that ends
 * inside its value is `truncated`, never a value. Linear time; never throws.
 */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { LITERALS, QUOTES } from './read/characters.ts';
import { type Found, findValues } from './read/find.ts';
import { readString } from './read/strings.ts';
import { MAX_DEPTH } from './read/value.ts';

export type JsonProblem = { ok: false; code: 'no_json' | 'truncated' | 'too_large' | 'unreadable'; message: string };
/** `repairs` are snake_case names of what was mended, empty for valid JSON. */
export type JsonReading = { ok: true; value: Json; repairs: string[] } | JsonProblem;
export interface ReadOptions {
  /**
   * What the finish reason says: true = the reply was cut (`length`), an unclosed value is refused;
   * false = the model ended it itself, a lost bracket is only that. Absent = the text alone decides.
   */
  cut?: boolean;
}

/** Characters; a longer text is refused unread. */
const MAX_LENGTH = 1_200_000;

export function readJson(text: string, options: ReadOptions = {}): JsonReading {
  if (text.length > MAX_LENGTH) return tooLarge(`the text has ${text.length} characters, more than ${MAX_LENGTH}`);
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, code: 'no_json', message: 'the text is empty' };
  const valid = parse(trimmed);
  if (valid !== undefined) {
    if (isDeep(valid)) return tooLarge(`the value is nested more than ${MAX_DEPTH} levels deep`);
    return decoded(valid, []);
  }
  const { found, failed } = findValues(text, options.cut);
  if (failed !== undefined) return { ok: false, code: failed.code, message: failed.message };
  const best = isSequence(text, found) ? sequence(found) : choose(found);
  if (best === undefined) return readScalarText(trimmed);
  return { ok: true, value: best.value, repairs: [...best.repairs, ...leftOver(text.slice(0, best.from), text.slice(best.to))] };
}

/** What stood around the value and was dropped. */
function leftOver(before: string, after: string): string[] {
  const brackets = /^[\s;]*[}\]]/.test(after) ? ['extra_bracket'] : [];
  return /[\p{L}\p{N}]/u.test(before) || /[\p{L}\p{N}]/u.test(after) ? [...brackets, 'surrounding_text'] : brackets;
}

/** Arguments of a native call: an object; nothing, `null` or `None` is no arguments; a string is decoded once. */
export function readArguments(text: string, options: ReadOptions = {}): { ok: true; value: JsonObject; repairs: string[] } | JsonProblem {
  if (/^(?:null|None)?$/.test(text.trim())) return { ok: true, value: {}, repairs: [] };
  const reading = readJson(text, options);
  if (!reading.ok) return reading;
  const { value, repairs } = reading;
  if (typeof value === 'string') {
    const inner = readJson(value, options);
    if (inner.ok && isObject(inner.value))
      return { ok: true, value: inner.value, repairs: [...repairs, 'double_encoded', ...inner.repairs] };
    return inner.ok ? notAnObject(inner.value) : inner;
  }
  // Arguments of several calls in one: this call has the first.
  if (repairs.includes('several_values') && Array.isArray(value) && value.every((one) => isObject(one)))
    return { ok: true, value: value[0]!, repairs };
  if (value === null || (Array.isArray(value) && value.length === 0)) return { ok: true, value: {}, repairs };
  return isObject(value) ? { ok: true, value, repairs } : notAnObject(value);
}

function notAnObject(value: Json): JsonProblem {
  const kind = Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
  return { ok: false, code: 'unreadable', message: `expected an object, found ${kind}` };
}

function tooLarge(message: string): JsonProblem {
  return { ok: false, code: 'too_large', message };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A string that holds the JSON of an object or list was encoded twice; any other string stays one. */
function decoded(value: Json, repairs: string[]): JsonReading {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return { ok: true, value, repairs };
  const inner = parse(value.trim());
  if (inner === undefined) return { ok: true, value, repairs };
  return isDeep(inner)
    ? tooLarge(`the value is nested more than ${MAX_DEPTH} levels deep`)
    : { ok: true, value: inner, repairs: [...repairs, 'double_encoded'] };
}

/** Several values and nothing else, as in JSON Lines: all of them are meant. */
function isSequence(text: string, found: readonly Found[]): boolean {
  if (found.length < 2) return false;
  const between = found.map((one, i) => text.slice(i === 0 ? 0 : found[i - 1]!.to, one.from)).join('');
  return /^[\s,;]*$/.test(between + text.slice(found.at(-1)!.to));
}

function sequence(found: readonly Found[]): Found {
  const repairs = new Set(['several_values', ...found.flatMap((one) => one.repairs)]);
  return { value: found.map((one) => one.value), from: found[0]!.from, to: found.at(-1)!.to, repairs: [...repairs], fenced: false };
}

/** With content before empty, in a fence before in prose, the first before later ones. */
function choose(found: readonly Found[]): Found | undefined {
  const rank = ({ value, fenced }: Found): number => (hasContent(value) ? 2 : 0) + (fenced ? 1 : 0);
  return found.toSorted((a, b) => rank(b) - rank(a))[0];
}

/** An object with members, or a list that holds more than numbers: `[1]` in prose is a footnote. */
function hasContent(value: Json): boolean {
  if (isObject(value)) return Object.keys(value).length > 0;
  return Array.isArray(value) && value.some((element) => typeof element !== 'number');
}

/** A text without brackets: one string, number or literal, else no JSON. */
function readScalarText(text: string): JsonReading {
  const literal = LITERALS.get(text.toLowerCase());
  if (literal !== undefined) return { ok: true, value: literal, repairs: ['python_literal'] };
  if (QUOTES[text[0]!] !== undefined && text[0] !== '`') {
    const reading = readString(text, 0, { in: 'root', depth: 0, bareKeys: false });
    return reading.ok ? decoded(reading.value, reading.repairs) : { ok: false, code: reading.code, message: reading.message };
  }
  return { ok: false, code: 'no_json', message: 'the text holds no JSON value' };
}

/** Deeper than MAX_DEPTH, found without recursion. */
function isDeep(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
  }
  return false;
}
