/** What a tool gave, as data that JSON can hold. What cannot be held is an error with a name, found before it costs memory. */

import { HermesError } from '../kernel/errors.ts';
import type { Json } from '../kernel/types.ts';
import { cleanText, mayHaveControls } from './result.ts';
import { binaryNote, mediaTypeOf } from './shape/plain.ts';

/** Characters of a result that are kept at all. */
export const DATA_LIMIT = 32_000_000;
/** Levels that are looked into before JSON itself is asked; what is deeper is mostly a circle. */
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
  const seen: Measure = { left: DATA_LIMIT, bytes: false };
  try {
    if (measure(value, seen, 0) === 'too large') throw tooLarge(`more than ${DATA_LIMIT}`);
    const text = JSON.stringify(value, seen.bytes ? withoutBytes : undefined) ?? 'null';
    if (text === '{}' && isOpaque(value)) throw notJson(`it is a ${value.constructor.name}, of which JSON keeps nothing`);
    return text;
  } catch (error) {
    throw error instanceof HermesError ? error : notJson((error as Error).message.split('\n')[0]!, error);
  }
}

interface Measure {
  left: number;
  /** Bytes stand somewhere in it. */
  bytes: boolean;
}

/** About how much JSON this becomes, as far as the limit. A circle or what is very deep is left to JSON, which names it. */
function measure(value: object, seen: Measure, depth: number): 'too large' | 'too deep' | undefined {
  if (depth > DEEP) return 'too deep';
  if (isBytes(value)) {
    seen.bytes = true;
    return undefined;
  }
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    seen.left -= typeof part === 'string' ? part.length : 1;
    if (seen.left < 0) return 'too large';
    if (typeof part !== 'object' || part === null) continue;
    const stop = measure(part, seen, depth + 1);
    if (stop) return stop;
  }
  return undefined;
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

/** Neither a plain object nor one that says what it is in JSON: a Map, a stream, a response. */
function isOpaque(value: object): boolean {
  const made = Object.getPrototypeOf(value) as object | null;
  return made !== null && made !== Object.prototype && Object.keys(value).length === 0 && !('toJSON' in value);
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
