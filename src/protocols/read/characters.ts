/** Which characters count as space, quote, bracket and colon when a model, not a serialiser, wrote the text. */

/** Unicode spaces, byte order marks and zero-width characters, which models copy from web pages. */
const SPACES = new Set([9, 10, 11, 12, 13, 32, 0x85, 0xa0, 0x1680, 0x180e, 0x2028, 0x2029, 0x202f, 0x205f, 0x2060, 0x3000, 0xfeff]);
export function isSpaceAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 32 || code === 10 || ((code < 32 || code > 126) && (SPACES.has(code) || (code >= 0x2000 && code <= 0x200b)));
}

export function skipSpace(text: string, at: number): number {
  let i = at;
  while (i < text.length && isSpaceAt(text, i)) i++;
  return i;
}

/** Space and comments; a comment that does not end goes to the end of the text. */
export function skipBlank(text: string, at: number): number {
  for (let from = at; ; ) {
    const i = skipSpace(text, from);
    const two = text.slice(i, i + 2);
    const mark = two === '//' || two === '# ' ? '\n' : two === '/*' ? '*/' : undefined;
    if (mark === undefined) return i;
    const end = text.indexOf(mark, i + 2);
    if (end < 0) return text.length;
    from = end + mark.length;
  }
}

/** Opening quote -> the characters that may close it. */
export const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`´',
  '“': '”“"',
  '”': '”"',
  '„': '”“',
  '‘': "’‘'",
  '’': "’'",
  '＂': '＂',
};

export const OPENERS: Readonly<Record<string, 'object' | 'array' | 'tuple'>> = {
  '{': 'object',
  '｛': 'object',
  '[': 'array',
  '［': 'array',
  '(': 'tuple',
};

/** Closing bracket -> its ASCII form. */
export const CLOSERS: Readonly<Record<string, string>> = { '}': '}', '｝': '}', ']': ']', '］': ']', ')': ')', '）': ')' };

export const COMMAS = ',，';
export const COLONS = ':：';

/** Words, in lower case, that a model writes for JSON's three literals, and those of JavaScript and Python that JSON lacks. */
export const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['none', null],
  ['nil', null],
  ['undefined', null],
  ['nan', null],
]);

/**
 * Something that ends a value from outside: a fence, a closing or special tag. A model that wrote
 * one has finished on purpose, so what is still open before it was forgotten, not cut off.
 */
const END_MARK = /```|<\/|<[|｜]|<tool_call|<function|\[\/?[A-Z][A-Z_]+\]|<(?:end|start)_/y;
export function endMarkAt(text: string, at: number): boolean {
  END_MARK.lastIndex = at;
  return END_MARK.test(text);
}

/** Longest key that is looked for ahead: keeps every look-ahead constant, so reading stays linear. */
const KEY_AHEAD = 160;

/** Whether a quoted key with its colon stands at `at`; with `orEnd` also one that the end of the text cuts short. */
export function keyAhead(text: string, at: number, orEnd = false): boolean {
  const closing = QUOTES[text[at] ?? ''];
  if (closing === undefined) return false;
  const last = Math.min(text.length, at + KEY_AHEAD);
  for (let i = at + 1; i < last; i++) {
    const character = text[i]!;
    if (character === '\n') return false;
    if (character === '\\') i++;
    else if (closing.includes(character)) {
      const next = text[skipSpace(text, i + 1)];
      return next === undefined ? orEnd : COLONS.includes(next);
    }
  }
  return orEnd && last === text.length;
}

const BARE_KEY = /[\p{L}\p{N}_$][\p{L}\p{N}_$.-]{0,80}[ \t]*[:：]/uy;
/** A bare key that can be nothing else: one quote of it is there, or a plain value follows. */
const SURE_KEY = /[\p{L}\p{N}_$][\p{L}\p{N}_$.-]{0,80}(?:["']\s{0,9}[:：]|[ \t]{0,9}[:：]\s{0,9}(?:["'“[{\d]|true\b|false\b|null\b))/uy;

/** Whether a key without quotes stands at `at`; `sure` asks for more than a word and a colon. */
export function bareKeyAhead(text: string, at: number, sure: boolean): boolean {
  const pattern = sure ? SURE_KEY : BARE_KEY;
  pattern.lastIndex = at;
  return pattern.test(text);
}
