/** Numbers, literals and words without quotes. */

import type { Json } from '../../kernel/types.ts';
import { isSpaceAt, LITERALS } from './characters.ts';

export type ScalarReading =
  | { ok: true; value: Json; next: number; repair?: string }
  | { ok: false; code: 'truncated' | 'unreadable'; message: string };

const DELIMITER = `(?=$|[\\s,，;}\\])｝］）<\`]|/[/*])`;
const NUMBER = new RegExp(`-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?${DELIMITER}`, 'y');
/** What other languages allow: a sign, a bare point, underscores, hexadecimal. */
const LOOSE_NUMBER = new RegExp(`[+-]?(?:0[xX][\\da-fA-F]+|(?:[1-9][\\d_]*|0)(?:\\.[\\d_]*)?|\\.\\d+)(?:[eE][+-]?\\d+)?${DELIMITER}`, 'y');
const WORD = new RegExp(`[A-Za-z]+${DELIMITER}`, 'y');
/** A word or phrase without quotes goes to the next comma, bracket, quote or line end. */
const PHRASE = /[^\n,，{}[\]｛｝［］"“”]+/y;
const PHRASE_IN_CALL = /[^\n,，{}[\]()"“”']+/y;

export function readScalar(text: string, at: number, inCall: boolean): ScalarReading {
  const number = match(NUMBER, text, at);
  if (number !== undefined) return { ok: true, value: Number(number), next: at + number.length };
  const loose = match(LOOSE_NUMBER, text, at);
  if (loose !== undefined && at + loose.length >= text.length && !/[\da-fA-F]$/.test(loose)) return cutOff(loose);
  if (loose !== undefined) return { ok: true, value: looseNumber(loose), next: at + loose.length, repair: 'number' };
  const word = match(WORD, text, at);
  const literal = word === undefined ? undefined : LITERALS.get(word.toLowerCase());
  if (word !== undefined && literal !== undefined) {
    const plain = word === 'true' || word === 'false' || word === 'null';
    return { ok: true, value: literal, next: at + word.length, ...(plain ? {} : { repair: 'python_literal' }) };
  }
  return readPhrase(text, at, inCall);
}

function readPhrase(text: string, at: number, inCall: boolean): ScalarReading {
  const phrase = match(inCall ? PHRASE_IN_CALL : PHRASE, text, at) ?? '';
  const end = at + phrase.length;
  if (end >= text.length && phrase !== '') return cutOff(phrase);
  const value = phrase.trim();
  const next = text[end];
  const readable = value !== '' && !/^[<.]|[<>=`]|\.\.\.|\w\(|^[+-]?inf(?:inity)?$/i.test(value) && !'({[｛［'.includes(next ?? ' ');
  const quoteFollows = next === "'" || ((next === '"' || next === '“' || next === '”') && !isSpaceAt(text, end - 1) && value.length < 3);
  if (!readable || quoteFollows)
    return {
      ok: false,
      code: 'unreadable',
      message: `expected a value at character ${at}, found ${JSON.stringify(text.slice(at, at + 20))}`,
    };
  // The opening quote was lost, the closing one is there.
  const quoteEnds = next === '"' && !isSpaceAt(text, end - 1);
  return { ok: true, value, next: quoteEnds ? end + 1 : end, repair: 'unquoted_string' };
}

function cutOff(written: string): ScalarReading {
  return { ok: false, code: 'truncated', message: `the text ends in ${JSON.stringify(written.slice(-20))}` };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function looseNumber(written: string): number {
  const sign = written.startsWith('-') ? -1 : 1;
  return sign * Number(written.replace(/^[+-]/, '').replaceAll('_', ''));
}
