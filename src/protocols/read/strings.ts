/**
 * Where a quoted string ends, and what it says. A model often forgets to escape quotes inside a
 * string, so a quote closes it only when what follows fits the place the string stands in. Every
 * look-ahead is bounded: reading stays linear in the text.
 */

import { bareKeyAhead, CLOSERS, COLONS, COMMAS, endMarkAt, keyAhead, OPENERS, QUOTES, skipBlank, skipSpace } from './characters.ts';

/** Where a string stands: what may follow it depends on that. */
export interface Place {
  in: 'key' | 'object' | 'array' | 'call' | 'root';
  /** Containers open around it. */
  depth: number;
  /** The object writes its keys without quotes. */
  bareKeys: boolean;
}
export type StringReading =
  | { ok: true; value: string; next: number; repairs: string[] }
  | {
      ok: false;
      code: 'truncated' | 'unreadable' | 'too_large';
      message: string;
      /** How far the text was looked at. */
      reached: number;
    };

/** More quotes than that in one string are no text that somebody meant. */
const MAX_INNER_QUOTES = 20_000;
const TRIPLES = ['"""', "'''"];

/** Reads the string whose opening quote stands at `at`. */
export function readString(text: string, at: number, place: Place): StringReading {
  const triple = TRIPLES.find((quotes) => text.startsWith(quotes, at));
  if (triple !== undefined && place.in !== 'key') return readTriple(text, at, triple);
  const quote = text[at]!;
  const closing = QUOTES[quote]!;
  let inner = 0;
  for (let i = at + 1; i < text.length; i++) {
    const character = text[i]!;
    if (character === '\\') i++;
    else if (closing.includes(character)) {
      if (closes(text, i + 1, quote, place, inner > 0)) return finish(text, at, i, inner);
      if (++inner > MAX_INNER_QUOTES)
        return {
          ok: false,
          code: 'too_large',
          reached: i,
          message: `the string that begins at character ${at} holds more than ${MAX_INNER_QUOTES} quotes`,
        };
    }
  }
  return inner > 0 ? endless(at, text.length) : cutOff(text, at);
}

function endless(at: number, reached: number): StringReading {
  return { ok: false, code: 'unreadable', reached, message: `where the string that begins at character ${at} ends cannot be told` };
}

function cutOff(text: string, at: number): StringReading {
  return { ok: false, code: 'truncated', reached: text.length, message: `the text ends inside the string that begins at character ${at}` };
}

function finish(text: string, at: number, end: number, inner: number): StringReading {
  const raw = text.slice(at + 1, end);
  // Quotes inside a string come in pairs, or stand for inches.
  if (inner > 0 && (swallowed(raw) || (inner % 2 === 1 && !/\d["'”]/.test(raw)))) return endless(at, end);
  const { value, repairs } = decodeEscapes(raw);
  if (inner > 0) repairs.push('inner_quotes');
  if (text[at] !== '"') repairs.push('quotes');
  if (/\p{Cc}/u.test(raw)) repairs.push('control_characters');
  return { ok: true, value, next: end + 1, repairs };
}

function readTriple(text: string, at: number, quotes: string): StringReading {
  const end = text.indexOf(quotes, at + 3);
  if (end < 0) return cutOff(text, at);
  const { value, repairs } = decodeEscapes(text.slice(at + 3, end));
  return { ok: true, value, next: end + 3, repairs: [...repairs, 'quotes'] };
}

/** Whether what stands after a quote lets that quote be the closing one. */
function closes(text: string, after: number, quote: string, place: Place, inner: boolean): boolean {
  // A comment may stand behind a string; behind a quote inside a string, `//` is the text of that string.
  const at = inner ? skipSpace(text, after) : skipBlank(text, after);
  const next = text[at];
  if (next === undefined) return !(inner && place.in === 'root');
  if (place.in === 'key') return COLONS.includes(next) || next === '=' || COMMAS.includes(next) || CLOSERS[next] !== undefined;
  if (place.in === 'root') return false;
  // "word": where no key may stand. Read on it would become a string of quotes and colons.
  if (COLONS.includes(next)) return !inner;
  if (CLOSERS[next] !== undefined) return fitsAfterClosers(text, at, quote, place, inner);
  if (COMMAS.includes(next)) return fitsAfterComma(text, (inner ? skipSpace : skipBlank)(text, at + 1), place);
  if (next === '+') return QUOTES[text[skipSpace(text, at + 1)] ?? ''] !== undefined;
  if (endMarkAt(text, at)) return true;
  if (!inner && isBlankLine(text, after, at)) return true;
  // A missing comma: the next member or element begins here.
  if (place.in === 'array') return at > after && QUOTES[next] !== undefined;
  return place.in === 'object' && (keyAhead(text, at) || (text.slice(after, at).includes('\n') && bareKeyAhead(text, at, !place.bareKeys)));
}

const NAMED_ARGUMENT = /[\p{L}_][\p{L}\p{N}_]*\s*=|[)\]]/uy;
const VALUE_AHEAD = /["'“”‘`\d{[\]}(-]|true\b|false\b|null\b|True\b|False\b|None\b|\/[/*]/y;

function fitsAfterComma(text: string, at: number, place: Place): boolean {
  if (at >= text.length || COMMAS.includes(text[at]!)) return true;
  if (place.in === 'call') return matchesAt(NAMED_ARGUMENT, text, at);
  if (place.in === 'array') return matchesAt(VALUE_AHEAD, text, at);
  return (
    keyAhead(text, at, true) ||
    bareKeyAhead(text, at, !place.bareKeys) ||
    CLOSERS[text[at]!] !== undefined ||
    /^\/[/*]|^#/.test(text.slice(at, at + 2))
  );
}

/** A quote, then closing brackets: they close what is open, or belong to code inside the string. */
function fitsAfterClosers(text: string, from: number, quote: string, place: Place, inner: boolean): boolean {
  let at = from;
  let closed = 0;
  for (; CLOSERS[text[at] ?? ''] !== undefined; at = (inner ? skipSpace : skipBlank)(text, at + 1)) closed++;
  const next = text[at];
  if (next === undefined || endMarkAt(text, at)) return true;
  if (!inner && isBlankLine(text, from, at)) return true;
  const newLine = text.slice(from, at).includes('\n');
  if (QUOTES[quote]!.includes(next)) return newLine || keyAhead(text, at);
  if (closed >= place.depth) return next !== '\\' && !(inner && !newLine && matchesAt(LATER_CLOSE, text, at));
  if (!COMMAS.includes(next))
    return newLine && (OPENERS[next] !== undefined || keyAhead(text, at) || bareKeyAhead(text, at, !place.bareKeys));
  const after = (inner ? skipSpace : skipBlank)(text, at + 1);
  return (
    after >= text.length ||
    COMMAS.includes(text[after]!) ||
    bareKeyAhead(text, after, false) ||
    matchesAt(VALUE_AHEAD, text, after) ||
    matchesAt(NAMED_ARGUMENT, text, after)
  );
}

/** Prose goes on behind a blank line: the brackets were forgotten. */
function isBlankLine(text: string, from: number, to: number): boolean {
  return /\n[ \t\r]*\n/.test(text.slice(from, to));
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** On the rest of the line another quote and closing bracket, which nothing there has opened. */
const LATER_CLOSE = /[^{[\n]{0,300}?["'”]\s{0,20}[}\])]/y;

/** Brackets; tags; and a key, a quoted member or an element that follows a comma. */
const MEMBER =
  /[{}]|<\/?(?:tool_call|function|invoke|think)|<[|｜]|\[\/?TOOL_CALLS\]|["'][^"'\\\n]{1,160}["']\s{0,20}:|["']\s{0,20},\s{0,20}(?:["'[{]|[\w$.-]{1,80}["']?\s{0,9}:)/g;

/** Whether a string with quotes inside has eaten what came after it: a member on its own level, or a tag. */
function swallowed(raw: string): boolean {
  let depth = 0;
  for (const [match] of raw.matchAll(MEMBER)) {
    if (match === '{') depth++;
    else if (match === '}') depth--;
    else if (depth <= 0 || match[0] === '<' || match[0] === '[') return true;
  }
  return false;
}

const ESCAPE = /\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|[\s\S])/g;
const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  '`': '`',
  '\n': '\n',
};

/**
 * Decodes the escapes of a string. One that JSON does not know keeps its backslash (`\d` of a
 * regular expression means `\d`), and in a Windows path written with single backslashes all do.
 */
function decodeEscapes(raw: string): { value: string; repairs: string[] } {
  if (!raw.includes('\\')) return { value: raw, repairs: [] };
  const valid = parsed(raw);
  if (valid !== undefined) return { value: valid, repairs: [] };
  if (isWindowsPath(raw)) return { value: raw.replace(/\\(["'])/g, '$1'), repairs: ['backslashes'] };
  const unknown = /(?<!\\)(?:\\\\)*\\(?:u(?![\da-fA-F]{4})|[^\\"/bfnrtu'`\n])/.test(raw);
  let repaired = unknown;
  const value = raw.replace(ESCAPE, (whole, code: string) => {
    if (code.length > 1) return escapedCharacter(code);
    if (code === "'" || code === '`' || code === '\n') repaired = true;
    if (unknown && (code === 'b' || code === 'f')) return whole;
    return SIMPLE[code] ?? whole;
  });
  return { value, repairs: repaired ? ['backslashes'] : [] };
}

/** The native parser is much faster on a long string that needs no mending. */
function parsed(raw: string): string | undefined {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return undefined;
  }
}

function escapedCharacter(written: string): string {
  const point = Number.parseInt(written.slice(1), 16);
  return point > 0x10ffff ? `\\${written}` : String.fromCodePoint(point);
}

/** `C:\Users\new` with an escape that JSON does not have, and no backslash doubled. */
function isWindowsPath(raw: string): boolean {
  return /(?:^|[\s"'=(])[A-Za-z]:\\/.test(raw) && !raw.includes('\\\\') && /\\[^"\\/bfnrtu]/.test(raw);
}
