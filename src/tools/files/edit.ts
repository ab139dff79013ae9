/** One exact replacement in a text, and what is told when the old text is not there, or there more than once. */

import { HermesError } from '../../kernel/errors.ts';
import { cut } from '../../kernel/text.ts';
import { isCrlf, withCrlf } from './form.ts';

export interface Replacement {
  old: string;
  new: string;
  all: boolean;
}

/** Lines of a file that are compared with a text that is not there. */
const MOST_LINES = 50_000;
const SHOWN = 1200;

/** Line ends of `old` and `new` may differ from those of the file, which keeps its own. Throws errors that name `path`. */
export function replaced(path: string, text: string, { old, new: put, all }: Replacement): { text: string; count: number } {
  const usesCrlf = isCrlf(text);
  const forms = usesCrlf ? [withCrlf(old)] : [old, withCrlf(old)];
  const wanted = forms.find((form) => text.includes(form));
  if (wanted === undefined) throw absent(path, text, old);
  const places = placesOf(text, wanted);
  if (places.length > 1 && !all) throw ambiguous(path, text, places);
  const filled = usesCrlf || wanted !== old ? withCrlf(put) : put;
  return { text: text.split(wanted).join(filled), count: places.length };
}

function placesOf(text: string, wanted: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

function ambiguous(path: string, text: string, places: readonly number[]): HermesError {
  const lines = places.slice(0, 10).map((at) => text.slice(0, at).split('\n').length);
  const message = `old_text stands ${places.length} times in ${path} (lines ${lines.join(', ')}); nothing was changed`;
  return new HermesError('not_unique', message, {
    kind: 'tool',
    next: 'give more of the lines around the one that is meant, or set replace_all',
  });
}

function absent(path: string, text: string, old: string): HermesError {
  const near = nearestPart(text.split(/\r?\n/).slice(0, MOST_LINES), old.split(/\r?\n/));
  const shown = near ? ` The nearest are lines ${near.from} to ${near.to}${near.why}:\n${cut(near.text, SHOWN)}` : '';
  return new HermesError('no_match', `old_text does not stand in ${path}; nothing was changed.${shown}`, {
    kind: 'tool',
    next: near ? 'copy the text from the file as it stands there' : 'read the file again with read_file',
  });
}

/** Found by the longest line of what was looked for; undefined when no line is like it. */
function nearestPart(
  lines: readonly string[],
  old: readonly string[],
): { from: number; to: number; text: string; why: string } | undefined {
  const anchor = old.reduce((best, line, index) => (line.trim().length > old[best]!.trim().length ? index : best), 0);
  const wanted = pairsOf(old[anchor]!);
  let best = { score: 0.4, index: -1 };
  lines.forEach((line, index) => {
    const score = likeness(pairsOf(line), wanted);
    if (score > best.score) best = { score, index };
  });
  if (best.index < 0) return undefined;
  const start = Math.max(0, best.index - anchor);
  const part = lines.slice(start, start + old.length);
  const squeezed = (text: readonly string[]) => text.join('\n').replace(/\s+/g, '');
  const why = squeezed(part) === squeezed(old) ? ', which differ in spaces or line breaks only' : '';
  return { from: start + 1, to: start + part.length, text: part.join('\n'), why };
}

function pairsOf(line: string): Set<string> {
  const text = cut(line.trim(), 400);
  return new Set(text.length === 1 ? [text] : Array.from({ length: Math.max(0, text.length - 1) }, (_, at) => text.slice(at, at + 2)));
}

/** 0 to 1: the pairs of characters that both have (Dice). */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let both = 0;
  for (const pair of a) if (b.has(pair)) both += 1;
  return (2 * both) / (a.size + b.size);
}
