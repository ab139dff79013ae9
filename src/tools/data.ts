/** What a tool gave, as data that JSON can hold. What cannot be held is an error with a name, found before it costs memory. */

import { HermesError } from '../kernel/errors.ts';
import type { Json } from '../kernel/types.ts';
import { cleanText, mayHaveControls } from './result.ts';
import { binaryNote, mediaTypeOf } from './shape/plain.ts';

/** Characters of a result that are kept at all. */
export const DATA_LIMIT = 32_000_000;
/** Levels that a result may have; what is deeper is mostly a circle. */
const DEEP = 500;

/** Data that JSON can hold, and its text. Throws when it is none: circular, too large, a BigInt, bytes. */
export function toData(value: unknown): { data: Json; text: string } {
  if (typeof value === 'string') {
    if (value.length > DATA_LIMIT) throw tooLarge(value.length);
    const text = cleanText(value);
    return { data: text, text };
  }
  const text = jsonOf(value);
  if (text.length > DATA_LIMIT) throw tooLarge(text.length);
  if (!mayHaveControls(text)) return { data: JSON.parse(text), text };
  const data: Json = JSON.parse(text, (_, part) => (typeof part === 'string' ? cleanText(part) : part));
  return { data, text: JSON.stringify(data) };
}

function jsonOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'function' || typeof value === 'symbol') throw notJson(`it is a ${typeof value}`);
    if (typeof value === 'bigint') throw notJson('it is a BigInt; give it as a text');
    return JSON.stringify(value) ?? 'null';
  }
  if (isBytes(value)) throw binary(value);
  if (value instanceof Error) throw value; // what was meant to be thrown
  const seen: Measure = { left: DATA_LIMIT, bytes: false };
  try {
    measure(value, seen, []);
    return JSON.stringify(value, seen.bytes ? withoutBytes : undefined) ?? 'null';
  } catch (error) {
    throw error instanceof HermesError ? error : notJson((error as Error).message.split('\n')[0]!, error);
  }
}

interface Measure {
  left: number;
  /** Bytes stand somewhere in it. */
  bytes: boolean;
}

/** About how much JSON this becomes. Throws when it is too much, too deep, a circle, or holds something of which JSON keeps nothing. */
function measure(value: object, seen: Measure, path: object[]): void {
  const isList = Array.isArray(value);
  const isPlain = isList || Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain && isBytes(value)) {
    seen.bytes = true;
    return;
  }
  if (!isList && typeof (value as { toJSON?: unknown }).toJSON === 'function') return; // what it is in JSON, only it knows
  if (path.length > DEEP) throw notJson(new Set(path).size < path.length ? 'it is circular' : `it has more than ${DEEP} levels`);
  const parts = isList ? value : Object.values(value);
  if (!isPlain && parts.length === 0 && isOpaque(value)) throw opaque(value);
  path.push(value);
  for (const part of parts) {
    seen.left -= typeof part === 'string' ? part.length + 2 : typeof part === 'object' ? 3 : 1; // with its quotes, or brackets and comma
    if (seen.left < 0) throw tooLarge(`more than ${DATA_LIMIT}`);
    if (typeof part === 'object' && part !== null) measure(part, seen, path);
  }
  path.pop();
}

function isBytes(value: object): value is ArrayBufferLike | ArrayBufferView {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

/** Buffers have said what they are before a replacer sees them, so it looks at where they stood. */
function withoutBytes(this: unknown, key: string, value: unknown): unknown {
  const part = (this as Record<string, unknown>)[key];
  return typeof part === 'object' && part !== null && isBytes(part) ? noteOf(part) : value;
}

function noteOf(value: ArrayBufferLike | ArrayBufferView): string {
  const bytes = ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value);
  return binaryNote(mediaTypeOf(bytes), bytes.byteLength);
}

/** Neither a plain object nor one that says what it is in JSON: a Map, a promise, a response. `value` has no parts. */
function isOpaque(value: object): boolean {
  if (value instanceof Number || value instanceof Boolean) return false;
  const made = Object.getPrototypeOf(value) as object | null;
  return made !== null && Object.getPrototypeOf(made) !== null; // the plain prototype of any thread or context is the last
}

const INSTEAD: Readonly<Record<string, string>> = {
  Promise: 'await it',
  Map: 'give Object.fromEntries(map)',
  Set: 'give [...set]',
  Error: 'throw it, or give its message',
  Response: 'give what it holds: await response.text()',
};

function opaque(value: object): HermesError {
  const name = Object.prototype.toString.call(value).slice(8, -1);
  const kind = name === 'Object' ? value.constructor.name : name;
  return notJson(`it holds a ${kind}, of which JSON keeps nothing${Object.hasOwn(INSTEAD, kind) ? `; ${INSTEAD[kind]}` : ''}`);
}

function binary(value: ArrayBufferLike | ArrayBufferView): HermesError {
  const message = `the result is bytes, which a model cannot read: ${noteOf(value)}`;
  return new HermesError('result_binary', message, { kind: 'tool', next: 'the tool has to give text, or write a file and give its path' });
}

function notJson(why: string, cause?: unknown): HermesError {
  return new HermesError('result_not_json', `the result is no JSON: ${why}`, { kind: 'tool', ...(cause === undefined ? {} : { cause }) });
}

function tooLarge(length: number | string): HermesError {
  return new HermesError('result_too_large', `the result has ${length} characters, at most ${DATA_LIMIT} are kept`, {
    kind: 'tool',
    next: 'ask for a part of it',
  });
}
