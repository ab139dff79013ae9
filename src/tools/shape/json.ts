/** JSON in little room: its shape, the first items of its lists, and the long text in it by what kind of text that is. */

import type { Json, JsonObject } from '../../kernel/types.ts';
import { count, headOf } from './text.ts';
import { type Language, TEXT } from './words.ts';

/** How much of each part is shown; each line of this table needs less room than the one before. */
const DETAIL = [
  { items: 20, string: 300, keys: 40, depth: 6 },
  { items: 10, string: 160, keys: 30, depth: 5 },
  { items: 6, string: 100, keys: 24, depth: 4 },
  { items: 4, string: 80, keys: 20, depth: 4 },
  { items: 3, string: 60, keys: 16, depth: 3 },
  { items: 2, string: 40, keys: 12, depth: 3 },
  { items: 1, string: 24, keys: 8, depth: 2 },
] as const;
/** `left`: characters that may still be shown, at least as many as the parts looked at. */
type Detail = (typeof DETAIL)[number] & { left: number };

/** `inner` shows a long text by its own kind, in so many characters. */
export function shapeJson(data: Json, room: number, language: Language, inner: (text: string, room: number) => string): string {
  const long = longText(data);
  if (long) {
    const around = sketch({ ...long.holder, [long.key]: '...' }, room / 3, language);
    return `${around}\n${long.key}:\n${inner(long.text, Math.max(100, room - around.length - long.key.length - 2))}`;
  }
  return sketch(data, room, language);
}

function sketch(data: Json, room: number, language: Language): string {
  let text = '';
  for (const numbers of DETAIL) {
    const detail = { ...numbers, left: room };
    text = JSON.stringify(outline(data, detail, 0, language));
    if (text.length <= room && detail.left >= 0) return text;
  }
  return headOf(text, room);
}

/** One text that is most of an object: a page, a file, the output of a command. */
function longText(data: Json): { holder: JsonObject; key: string; text: string } | undefined {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  let [key, most, others] = ['', 0, 0];
  const entries = Object.entries(data);
  if (entries.length > 50) return undefined;
  for (const [name, value] of entries) {
    const length = typeof value === 'string' ? value.length : roughLength(value, 10_000);
    others += length;
    if (typeof value === 'string' && length > most) [key, most] = [name, length];
  }
  return most > 500 && most > others / 2 ? { holder: data, key, text: data[key] as string } : undefined;
}

/** Characters of its JSON, as far as `most`. */
function roughLength(value: Json, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 5;
  let length = 2;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    length += roughLength(part, most - length) + 8;
    if (length >= most) break;
  }
  return length;
}

/** Touches no more of the data than it shows. */
function outline(value: Json, detail: Detail, depth: number, language: Language): Json {
  detail.left -= 1;
  if (detail.left < 0) return '...';
  if (typeof value === 'string') {
    return value.length <= detail.string ? value : `${headOf(value, detail.string)}... (${count(value.length)})`;
  }
  if (typeof value !== 'object' || value === null) return value;
  const words = TEXT[language];
  if (Array.isArray(value)) {
    if (depth >= detail.depth) return value.length === 0 ? [] : words.items(count(value.length), 0, keysOf(value[0]!));
    const shown = value.slice(0, detail.items).map((item) => outline(item, detail, depth + 1, language));
    return value.length <= detail.items ? shown : [...shown, words.items(count(value.length), shown.length, keysOf(value[0]!))];
  }
  const keys = Object.keys(value);
  if (depth >= detail.depth) return `{${keysOf(value)}}`;
  const shown = keys.slice(0, detail.keys).map((key) => [headOf(key, 80), outline(value[key]!, detail, depth + 1, language)] as const);
  const left = keys.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['...', words.keys(left)]] : shown);
}

function keysOf(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  const keys = Object.keys(value);
  const names = keys.slice(0, 12).map((key) => headOf(key, 40));
  return names.join(', ') + (keys.length > names.length ? ', ...' : '');
}
