/** What a tool gave, as valid JSON data and as the text that the model sees. */

import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { ErrorData, Json, ToolResult } from '../kernel/types.ts';
import { neutralised } from './neutral.ts';

/** Characters (UTF-16 units) of a result that the model sees; about 4,000 tokens of English. */
export const SHAPED_LIMIT = 16_000;
/** Characters of a result that are kept at all. */
const DATA_LIMIT = 10_000_000;
const MESSAGE_LIMIT = 2_000;

/** Data that JSON can hold, and its text. Throws when it is none: circular, too large, a BigInt. */
export function toData(value: unknown): { data: Json; text: string } {
  if (typeof value === 'string') {
    const text = cleanText(value);
    if (text.length > DATA_LIMIT) throw tooLarge(text.length);
    return { data: text, text };
  }
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'null';
  } catch (error) {
    throw new HermesError('result_not_json', `the result is no JSON: ${(error as Error).message.split('\n')[0]}`, {
      kind: 'tool',
      cause: error,
    });
  }
  if (text.length > DATA_LIMIT) throw tooLarge(text.length);
  if (!(ESCAPED_CONTROL.test(text) || CONTROL.test(text))) return { data: JSON.parse(text), text };
  const data: Json = JSON.parse(text, (_, part) => (typeof part === 'string' ? cleanText(part) : part));
  return { data, text: JSON.stringify(data) };
}

function tooLarge(length: number): HermesError {
  return new HermesError('result_too_large', `the result has ${length} characters, at most ${DATA_LIMIT} are kept`, {
    kind: 'tool',
    next: 'ask for a part of it',
  });
}

/**
 * The text for the model: the data as it is; an error as one JSON object. Longer than `limit`: cut, with a note of how much. `untrusted`:
 * without what looks like more than text.
 */
export function shape(result: ToolResult, text: string, limit: number, untrusted = false): string {
  const plain = (whole: string) => (untrusted ? neutralised(whole) : whole);
  if (!result.success) return plain(JSON.stringify(result));
  const shown = plain(cut(text, limit * 2)); // much of it may be hidden
  if (text.length <= limit) return shown;
  const kept = cut(shown, limit);
  return `${kept}\n[cut: the first ${kept.length} of ${text.length} characters are shown]`;
}

/** Any thrown value as the error of a result. */
export function toError(thrown: unknown): ErrorData {
  if (thrown instanceof HermesError) return { ...thrown.toData(), message: shortMessage(thrown.message) };
  const error = typeof thrown === 'object' && thrown !== null ? (thrown as { code?: unknown; message?: unknown; next?: unknown }) : {};
  const code = typeof error.code === 'string' && error.code !== '' ? error.code : 'tool_failed';
  const message =
    typeof error.message === 'string' ? error.message : typeof thrown === 'string' ? thrown : 'the tool failed without a message';
  return { code, message: shortMessage(message), ...(typeof error.next === 'string' ? { next: error.next } : {}) };
}

function shortMessage(message: string): string {
  return cut(cleanText(message), MESSAGE_LIMIT);
}

/** Control characters but tab and line ends. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
/** The same and lone surrogates as JSON writes them; rarely also something harmless. */
const ESCAPED_CONTROL = /\\(?:u(?:00[01]|d[89a-f])|[bf])/;

/** Without NUL, terminal escapes and other control characters; lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  if (!CONTROL.test(text)) return text.toWellFormed();
  const { stripVTControlCharacters } = process.getBuiltinModule('node:util');
  return stripVTControlCharacters(text).replaceAll(new RegExp(CONTROL, 'gu'), '').toWellFormed();
}

/**
 * Bytes as text: UTF-8 (or UTF-16 by its mark), else GB 18030 when they are valid as such, else UTF-8 with replacements.
 * `isCut`: the bytes may end inside a character, which is then left out.
 */
export function decodeText(bytes: Uint8Array, isCut = false): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined;
  for (const encoding of utf16 ? [utf16] : ['utf-8', 'gb18030']) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: isCut });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // TypeError: the bytes are not in this encoding
    }
  }
  return new TextDecoder().decode(bytes);
}
