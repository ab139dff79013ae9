/** Cutting texts so that what is left is whole characters as people see them, and is a text of its own. */

import { cut } from '../../kernel/text.ts';

/** Units looked at around a cut; the longest emoji of families and flags has about 35. */
const WINDOW = 100;

/** At most `limit` UTF-16 units from the beginning, never through a character as people see it (an emoji with its parts, a letter with its marks). */
export function headOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const from = safeStart(text, limit);
  let end = from;
  for (const { index, segment } of segments(text.slice(from, limit + WINDOW))) {
    if (from + index + segment.length <= limit) end = from + index + segment.length;
    else if (end === 0 && segment.length > WINDOW)
      return cut(text, limit); // one character of hundreds of marks
    else break;
  }
  return text.slice(0, end);
}

/** The same from the end. */
export function tailOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const at = text.length - limit;
  const from = safeStart(text, at);
  for (const { index } of segments(text.slice(from, at + WINDOW))) if (from + index >= at) return text.slice(from + index);
  return '';
}

/** From this place on, or a little further: the text does not begin within a character. */
export function textFrom(text: string, at: number): string {
  return at <= 0 ? text : tailOf(text, text.length - at);
}

/**
 * A copy that stands alone. A part of a string keeps the whole of it in memory: two thousand characters of a result would hold on to
 * the ten million that they came from.
 */
export function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** 10485760 as 10,485,760. */
export function count(number: number): string {
  return number.toLocaleString('en-US');
}

let segmenter: Intl.Segmenter | undefined;

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** A place before `at` from which characters can be told apart: after a plain one, else some way back, never within a surrogate pair. */
function safeStart(text: string, at: number): number {
  const back = Math.max(0, at - WINDOW);
  for (let index = at - 1; index > back; index--) if (isPlain(text.charCodeAt(index)) && isPlain(text.charCodeAt(index - 1))) return index;
  const unit = text.charCodeAt(back);
  return flagStart(text, back > 0 && unit >= 0xdc00 && unit < 0xe000 ? back - 1 : back);
}

/** Flags are pairs of letters of four units: in a row of them the place of a pair is told by their number only. */
function flagStart(text: string, at: number): number {
  const isLetter = (place: number) => text.charCodeAt(place) === 0xd83c && text.charCodeAt(place + 1) >= 0xdde6;
  let first = at;
  while (isLetter(first) && first >= 2 && isLetter(first - 2)) first -= 2;
  return (at - first) % 4 === 0 ? at : at - 2;
}

/** ASCII but the line ends, which pair up, and Han characters: none of them joins the one before. */
function isPlain(unit: number): boolean {
  return (unit >= 0x20 && unit < 0x7f) || (unit >= 0x4e00 && unit < 0xa000);
}
