/** Text for a terminal: display widths (a Chinese character takes two columns), cutting, tables, and characters that must not act. */

import stringWidth from 'fast-string-width';

const graphemes = new Intl.Segmenter();

export function widthOf(text: string): number {
  return stringWidth(text);
}

/** At most `columns` wide, with an ellipsis when something was cut. */
export function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOf(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Lines of at most `columns`, broken by us and not by the terminal: each can carry a mark at its beginning. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    let part = '';
    let width = 0;
    for (const { segment } of graphemes.segment(line)) {
      const wide = widthOf(segment);
      if (width + wide > columns && part !== '') {
        lines.push(part);
        part = '';
        width = 0;
      }
      part += segment;
      width += wide;
    }
    lines.push(part);
  }
  return lines;
}

function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

// Control, bidi, zero-width and tag characters: what could move the cursor, hide text or turn its order round.
// biome's control-character rule wants them written as escapes of a class, hence Cc; newline and tab are let through.
const ACTING = /(?![\n\t])\p{Cc}|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/** The same text with such characters written as \u{...}; what a person approves must be what they see. */
export function visible(text: string): string {
  return text.replace(ACTING, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** What a model wrote, safe to print: such characters are dropped, all else stays. Joiners stay, since emoji need them. */
export function harmless(text: string): string {
  return text.replace(ACTING, (character) => (character === '\u200d' || character === '\u200c' ? character : ''));
}

export function oneLine(text: string): string {
  return visible(text.replace(/\s+/gu, ' ').trim());
}

/**
 * Rows with aligned columns, two spaces apart. With `columns` the widest column gives way until the table fits; without (a pipe)
 * nothing is cut.
 */
export function table(rows: readonly (readonly string[])[], columns?: number): string {
  const cells = rows.map((row) => row.map(oneLine));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, i) => Math.max(0, ...cells.map((row) => widthOf(row[i] ?? ''))));
  if (columns !== undefined) shrink(widths, columns - 2 * (count - 1));
  const lines = cells.map((row) => row.map((cell, i) => padTo(cutToWidth(cell, widths[i]!), widths[i]!)).join('  '));
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

function shrink(widths: number[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest]! <= 4) return;
    widths[widest]! -= 1;
    excess -= 1;
  }
}
