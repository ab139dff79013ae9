/**
 * Finds the JSON values in a reply: outside thinking, in fences and in prose. A value that was
 * meant as JSON and cannot be read ends the search: taking a later or an inner one instead would
 * be a guess.
 */

import type { Json } from '../../kernel/types.ts';
import { keyAhead, OPENERS, skipSpace } from './characters.ts';
import { decodeAll, type Encoding, encodedLength, encodingAt } from './encodings.ts';
import { type Root, readValue, type ValueReading } from './value.ts';

export interface Found {
  value: Json;
  /** Characters of the text it covers. */
  from: number;
  to: number;
  repairs: string[];
  fenced: boolean;
}
export type Failed = Extract<ValueReading, { ok: false }> & { from: number };
export interface Search {
  found: Found[];
  failed?: Failed;
}

/** What may still be spent: many openings that come to nothing, or many small values, must not add up. */
export interface Budget {
  /** Characters to read. */
  left: number;
  /** Openings that may come to nothing. */
  attempts: number;
  /** Places that may be looked at. */
  places: number;
  cut: boolean | undefined;
}

const ATTEMPTS = 1000;
const PLACES_TO_LOOK = 10_000;

export function budgetFor(text: string, cut: boolean | undefined): Budget {
  return { left: Math.min(4 * text.length + 10_000, text.length + 500_000), attempts: ATTEMPTS, places: PLACES_TO_LOOK, cut };
}

/** Used up twice over: once for what needs no tag, once for tags. */
export function isSpent({ left, attempts, places }: Budget): boolean {
  return left <= 0 || attempts <= -ATTEMPTS || places <= -PLACES_TO_LOOK;
}

export function spend(budget: Budget, from: number, reading: ValueReading): void {
  budget.left -= (reading.ok ? reading.next : reading.reached) - from;
  if (!reading.ok) budget.attempts--;
}

/** Thinking, fences, keys that begin a line (their object lost its bracket), opening brackets. */
const PLACES =
  /(<\/?(?:think|thinking|reasoning)>|\[\/?THINK\]|<\|START_THINKING\|>)|```[ \t]*([\w+-]*)|^[ \t]*"(?=[^"\n]{1,80}"\s{0,9}[:：])|[{[｛［]/gim;
/** Fences in these languages hold data; one in `bash` is no better than prose. */
const DATA_FENCE = /^(?:|json\w*|js|javascript|ts|python|py|tool\w*|text|txt|plaintext)$/i;

/** The end of a thinking block whose opening tag ends at `at`: after its closing tag, or the end of the text. */
export function endOfThinking(text: string, at: number, tag: string): number {
  const name = tag.replace(/[^a-z_]/gi, '').replace(/^START/, 'END');
  const closing = tag.startsWith('[') ? `\\[/${name}\\]` : tag.startsWith('<|') ? `<\\|?${name}\\|>` : `</${name}>`;
  const pattern = new RegExp(closing, 'gi');
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : text.length;
}

/** `cut`: see readValue. */
export function findValues(text: string, cut?: boolean): Search {
  const search: Search = { found: [] };
  const budget = budgetFor(text, cut);
  let fenced = false;
  let at = tryValue(search, text, skipSpace(text, 0), false, budget) ?? 0;
  while (search.failed === undefined && at < text.length && budget.left > 0 && budget.attempts > 0 && budget.places-- > 0) {
    PLACES.lastIndex = at;
    const match = PLACES.exec(text);
    if (match === null) break;
    const [mark, thinking, language] = match;
    at = match.index + mark.length;
    if (thinking?.includes('/')) {
      // Thinking that began before the reply: what stood in it was not said.
      search.found = [];
    } else if (thinking !== undefined) at = endOfThinking(text, at, mark);
    else if (language !== undefined) {
      fenced = language === '' ? !fenced : DATA_FENCE.test(language);
      if (fenced) at = tryValue(search, text, skipSpace(text, at), true, budget) ?? at;
    } else at = tryValue(search, text, at - 1, fenced, budget) ?? at;
  }
  if (budget.left <= 0 || budget.places < 0)
    search.failed ??= failedAt(at, 'too_large', 'the text holds too many values, or beginnings of values');
  return search;
}

/** Reads a value and notes it, or why it cannot be read; gives where the text goes on, undefined when there is none. */
function tryValue(search: Search, text: string, from: number, fenced: boolean, budget: Budget): number | undefined {
  const reading = valueAt(text, from, budget);
  if (reading === undefined || !record(search, reading, from, fenced)) return undefined;
  if (!reading.ok) return text.length;
  if (isMemberValue(text, from)) search.failed = failedAt(from, 'unreadable', `the object around character ${from} has no opening bracket`);
  return reading.next;
}

/** `"arguments": {...}`: the value of a key whose own object lost its bracket is not what was meant. */
export function isMemberValue(text: string, from: number): boolean {
  return /"\s{0,9}[:：]\s{0,9}$/.test(text.slice(Math.max(0, from - 20), from));
}

function failedAt(from: number, code: Failed['code'], message: string): Failed {
  return { ok: false, code, at: from, reached: from, message, begun: true, from };
}

/** Notes what was read; false when it was no JSON at all and the search goes on behind its first character. */
function record(search: Search, reading: ValueReading, from: number, fenced: boolean): boolean {
  if (!reading.ok) {
    if (reading.code === 'unreadable' && !reading.begun) return false;
    search.failed = { ...reading, from };
    return true;
  }
  const { value, next, repairs } = reading;
  if (repairs.includes('unquoted_string') && !isSolid(value)) return false;
  search.found.push({ value, from, to: next, repairs, fenced });
  return true;
}

/** A list of bare words, like [special delivery], is prose. */
function isSolid(value: Json): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** The value, or the members of an object without its brace, that begin at `at`; undefined when neither does. */
export function valueAt(text: string, at: number, budget: Budget): ValueReading | undefined {
  if (text[at] === '"' && encodingAt(text, at + 1)?.name === 'escaped') {
    const inner = valueAt(text, at + 1, budget);
    return inner?.ok && text[inner.next] === '"' ? { ...inner, next: inner.next + 1 } : inner;
  }
  const root: Root | undefined = OPENERS[text[at] ?? ''] !== undefined ? 'value' : keyAhead(text, at) ? 'members' : undefined;
  if (root === undefined) return undefined;
  const encoding = encodingAt(text, at);
  if (encoding !== undefined) {
    // Between quotes the encoded text is a string: it goes to the first quote that is not escaped.
    const inString = /(?:[^"\\]|\\[\s\S])*/y;
    inString.lastIndex = at;
    return decodedAt(text[at - 1] === '"' ? (inString.exec(text)?.[0] ?? '') : text.slice(at), at, encoding, budget);
  }
  const reading = readValue(text, at, root, budget.cut);
  spend(budget, at, reading);
  if (reading.ok && goesOn(text, reading)) {
    return {
      ok: false,
      code: 'unreadable',
      at: reading.next,
      reached: reading.next,
      message: `the text goes on after the bracket at character ${reading.next - 1} closed the value`,
      begun: true,
    };
  }
  return reading;
}

function decodedAt(rest: string, at: number, encoding: Encoding, budget: Budget): ValueReading {
  const reading = readValue(decodeAll(rest, encoding), 0, 'value', budget.cut);
  budget.left -= rest.length;
  if (!reading.ok) {
    budget.attempts--;
    return reading;
  }
  return { ...reading, next: at + encodedLength(rest, encoding, reading.next), repairs: [encoding.name, ...reading.repairs] };
}

/** More members, or the end of a string, after the last bracket: it closed too early. */
function goesOn(text: string, reading: Extract<ValueReading, { ok: true }>): boolean {
  const at = skipSpace(text, reading.next);
  if (/[,，]/.test(text[at] ?? '') && keyAhead(text, skipSpace(text, at + 1))) return true;
  return (
    reading.repairs.includes('inner_quotes') && /^[^{[\n]{0,200}?["'”]\s{0,20}[}\])]/.test(text.slice(reading.next, reading.next + 240))
  );
}
