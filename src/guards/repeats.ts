/**
 * Where the arguments of a call may come from, for the person who is asked: which of them repeat text of which source, or the person's own
 * words. It only shows; nothing is decided on it.
 */

import { cut } from '../kernel/text.ts';
import type { Call, CallQuestion, Json, Source, State } from '../kernel/types.ts';

/** Characters in a row that two texts must share; fewer where each of them is a Han or Kana character. */
const SHARED = { characters: 12, wide: 6 };
/** Characters of a shared piece that are shown, pieces of one argument in one source, and pieces of a question. */
const SHOWN = { characters: 200, pieces: 5, all: 40 };
/** Characters of one argument and of one source that are looked at. */
const LOOKED_AT = { argument: 200_000, source: 2_000_000 };
/** What counts however short it is: addresses of mail and web, and numbers of at least 6 digits. */
const EXACT = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+|(?:https?:\/\/|www\.)[^\s"'<>()[\]{}\\，。；、）】]+|\d(?:[ -]?\d){5,40}/gi;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

type Repeat = NonNullable<CallQuestion['repeats']>[number];

/** Nothing while no untrusted text has entered; then its sources, those that arguments repeat, and what the arguments repeat. */
export function explainOrigins(state: State, call: Call): Pick<CallQuestion, 'sources' | 'repeats'> {
  if (!state.sources.some((source) => source.untrusted)) return {};
  const texts = textsOf(state);
  const repeats: Repeat[] = [];
  for (const [argument, value] of leaves(call.arguments)) {
    const wanted = needle(value);
    for (const { source, text } of texts) {
      for (const piece of sharedPieces(wanted, text, source === 'user')) repeats.push({ argument, source, text: piece });
    }
  }
  const shown = repeats.slice(0, SHOWN.all);
  const sources = state.sources.filter((source) => source.untrusted || shown.some((repeat) => repeat.source === source.call_id));
  return { sources: unique(sources), ...(shown.length > 0 ? { repeats: shown } : {}) };
}

function unique(sources: readonly Source[]): Source[] {
  const isSame = (a: Source, b: Source) => a.call_id === b.call_id && (a.call_id !== '' || a.from === b.from);
  return sources.filter((source, at) => sources.findIndex((other) => isSame(other, source)) === at);
}

interface Text {
  /** The call that brought it, empty for files, or `user`. */
  source: string;
  text: string;
}

/** The request of a sub-agent was written by a model: it is nobody's own words. */
function textsOf({ messages, sources, parent_id }: State): Text[] {
  const known = new Set(sources.map(({ call_id }) => call_id));
  const said = messages.flatMap((message) => (message.role === 'user' ? [message.content] : [])).join('\n');
  const results = messages.flatMap((message): Text[] =>
    message.role === 'tool' && known.has(message.call_id) ? [{ source: message.call_id, text: normal(unescaped(message.content)) }] : [],
  );
  const files = messages.flatMap((message) => (message.role === 'user' ? (message.files ?? []) : []));
  const attached = files
    .filter(({ media_type }) => !media_type.startsWith('image/'))
    .map(({ data }) => ({ source: '', text: normal(data) }));
  return [...(parent_id === undefined ? [{ source: 'user', text: normal(said) }] : []), ...attached, ...results];
}

/** Every text and number among the arguments, with its path: `to`, `files[1].name`. */
function leaves(value: Json, path = ''): [path: string, text: string][] {
  if (value === null || typeof value === 'boolean') return [];
  if (typeof value !== 'object') return [[path, String(value)]];
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${path}[${at}]`));
  return Object.entries(value).flatMap(([key, item]) => leaves(item, path === '' ? key : `${path}.${key}`));
}

/** Letter case, width and white space do not count, nor do characters that nobody sees. */
function normal(text: string): string {
  return cut(text, LOOKED_AT.source)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\u{e0000}-\u{e0fff}]/gu, '')
    .replace(/\s+/g, ' ');
}

/** The line ends and quotes of JSON text as the model reads them. */
function unescaped(text: string): string {
  return text.replace(/\\(?:[nrt]|(["\\/]))/g, (_, literal: string | undefined) => literal ?? ' ');
}

interface Needle {
  text: string;
  exact: Set<string>;
  /** Each piece of the shared length -> where it stands first. */
  grams: Map<string, number>;
  wide: Map<string, number>;
}

function needle(value: string): Needle {
  const text = normal(cut(value, LOOKED_AT.argument)).trim();
  const isWide = (gram: string) => [...gram].every((character) => WIDE.test(character));
  const wide = WIDE.test(text) ? gramsOf(text, SHARED.wide) : new Map<string, number>();
  for (const gram of wide.keys()) if (!isWide(gram)) wide.delete(gram);
  return { text, exact: exactIn(text), grams: gramsOf(text, SHARED.characters), wide };
}

function gramsOf(text: string, length: number): Map<string, number> {
  const grams = new Map<string, number>();
  for (let at = 0; at + length <= text.length; at++) {
    const gram = text.slice(at, at + length);
    if (!grams.has(gram)) grams.set(gram, at);
  }
  return grams;
}

/** Digits of a number count without what groups them. */
function exactIn(text: string): Set<string> {
  return new Set(
    [...text.matchAll(EXACT)].map(([found]) =>
      /^\d/.test(found) && !found.includes('@') ? found.replace(/[ -]/g, '') : found.replace(/[.,;:!?]+$/, ''),
    ),
  );
}

/** The longest pieces first; a whole argument that stands in the text is one piece. `short`: also when it is shorter than others must be. */
function sharedPieces(wanted: Needle, text: string, short: boolean): string[] {
  const { text: whole, exact, grams, wide } = wanted;
  if (whole === '') return [];
  if (whole.length >= (short ? 1 : SHARED.characters) && text.includes(whole)) return [cut(whole, SHOWN.characters)];
  const pieces = [...runs(whole, grams, text, SHARED.characters), ...runs(whole, wide, text, SHARED.wide)];
  if (exact.size > 0) {
    const there = exactIn(text);
    pieces.push(...[...exact].filter((one) => there.has(one)));
  }
  const longest = pieces.sort((a, b) => b.length - a.length);
  const apart = longest.filter((piece, at) => !longest.slice(0, at).some((other) => other.includes(piece)));
  return apart.slice(0, SHOWN.pieces).map((piece) => cut(piece.trim(), SHOWN.characters));
}

/** Shared runs, each taken as far to the right as it goes. Every run of `length` is found; one look at each place of the text. */
function runs(whole: string, grams: ReadonlyMap<string, number>, text: string, length: number): string[] {
  const found = new Set<string>();
  if (grams.size === 0) return [];
  for (let at = 0; at + length <= text.length && found.size < 1000; ) {
    const start = grams.get(text.slice(at, at + length));
    if (start === undefined) {
      at += 1;
      continue;
    }
    let size = length;
    while (at + size < text.length && start + size < whole.length && text[at + size] === whole[start + size]) size += 1;
    found.add(whole.slice(start, start + size));
    at += size - length + 1;
  }
  return [...found];
}
