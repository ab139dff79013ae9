/** Texts and errors of tools as valid text: clean, decoded, short. */

import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import type { ErrorData } from '../kernel/types.ts';

/** Characters of what an error says, and of what it says to do. */
const MESSAGE_LIMIT = 2_000;
const NEXT_LIMIT = 500;
const TOO_LONG = 'the tool made a text of more than 536,870,888 characters, the most that one can have';
const TOOL_FAILED = 'tool_failed';

/** Any thrown value as the error of a result, also one that does not like to be looked at. */
export function toError(thrown: unknown): ErrorData {
  try {
    return errorOf(thrown);
  } catch {
    return { code: TOOL_FAILED, message: 'the tool failed, and what it threw cannot be read' };
  }
}

function errorOf(thrown: unknown): ErrorData {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Thrown;
  const marks = {
    ...(error.retryable === true ? { retryable: true } : {}),
    ...(error.final === true || error.data?.final === true ? { final: true } : {}),
  };
  if (thrown instanceof RangeError && thrown.message === 'Invalid string length') return { code: 'result_too_large', message: TOO_LONG };
  const next = typeof error.next === 'string' ? { next: cut(cleanText(error.next), NEXT_LIMIT) } : {};
  if (thrown instanceof HermesError) return { ...thrown.toData(), message: shortMessage(thrown.message), ...next, ...marks };
  return {
    code: codeOf(error),
    message: shortMessage(messageOf(thrown, error)),
    ...next,
    ...marks,
  };
}

/** Its own code, else that of its cause; what clients of the web say by a status or a name. */
function codeOf({ code, cause, name, status, statusCode, response }: Thrown): string {
  const written = [code, cause?.code].find((one) => typeof one === 'string' && /^[\w.-]{1,64}$/.test(one));
  if (written !== undefined) return written as string;
  const http = [code, status, statusCode, response?.status].find((one) => Number.isInteger(one) && /^[45]\d\d$/.test(String(one)));
  return http !== undefined ? `http_${http}` : name === 'TimeoutError' ? 'timeout' : TOOL_FAILED;
}

/** What may stand on anything that is thrown. */
interface Thrown {
  code?: unknown;
  name?: unknown;
  status?: unknown;
  statusCode?: unknown;
  response?: { status?: unknown };
  message?: unknown;
  next?: unknown;
  /** The same call may succeed in a moment. */
  retryable?: unknown;
  /** No further call of this tool can succeed. */
  final?: unknown;
  data?: { final?: unknown };
  cause?: { code?: unknown; message?: unknown };
}

/** What a network error says stands in its cause ("fetch failed" alone says nothing). */
function messageOf(thrown: unknown, { message, code, cause }: Thrown): string {
  if (typeof message !== 'string') return typeof thrown === 'string' ? thrown : 'the tool failed without a message';
  return code === undefined && typeof cause?.code === 'string' && typeof cause.message === 'string'
    ? `${message}: ${cause.message}`
    : message;
}

function shortMessage(message: string): string {
  return cut(cleanText(cut(message, MESSAGE_LIMIT * 10)), MESSAGE_LIMIT); // a message of 100 MB is not looked through
}

/** Control characters but tab and line ends. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;
/** The same and lone surrogates as JSON writes them; rarely also something harmless. */
const ESCAPED_CONTROL = /\\(?:u(?:00[01]|d[89a-f])|[bf])/;

/** Whether JSON text has to be looked through for them. */
export function mayHaveControls(json: string): boolean {
  return ESCAPED_CONTROL.test(json) || CONTROL.test(json);
}

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
