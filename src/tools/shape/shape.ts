/** What the model sees of a result that is longer than its limit: by what it is, within the limit, as a text of its own. */

import type { Json } from '../../kernel/types.ts';
import { isHtml, shapeHtml } from './html.ts';
import { shapeJson } from './json.ts';
import { structureIn } from './lines.ts';
import { binaryIn, delimiterOf, isLog, shapeLog, shapeTable, shapeText } from './plain.ts';
import { count, detached, headOf } from './text.ts';
import { type Language, TEXT } from './words.ts';

/** Texts up to this length are read as JSON when they look so. */
const PARSED = 20_000_000;

export interface Shown {
  /** Characters of the whole. */
  size: number;
  limit: number;
  language: Language;
  /** The name by which the rest can be read. */
  handle: string | undefined;
  /** A model's words for it. */
  summary: string | undefined;
  /** Makes text of strangers plain; absent = it is none. */
  plain: ((text: string) => string) | undefined;
}

/** Texts of strangers up to this length are made plain before anything is cut: half an element hides nothing any more. */
const PLAIN_FIRST = 2_000_000;

/** At most `limit` characters: one line that says what is missing, then what there is room for. */
export function shapeResult(data: Json, { size, limit, language, handle, summary, plain }: Shown): string {
  const words = TEXT[language];
  const head = handle === undefined ? words.cut(count(size)) : words.part(handle, count(size));
  const room = Math.max(0, limit - head.length - 1);
  if (summary !== undefined)
    return detached(
      headOf(
        `${head}
${words.summary}\n${plain ? plain(summary) : summary}`,
        limit,
      ),
    );
  const clean = plain && size <= PLAIN_FIRST ? plainly(data, plain) : data;
  const shape = typeof clean === 'string' ? shapeString(clean, room, language) : shapeValue(clean, room, language);
  return detached(
    headOf(
      `${head}
${plain ? plain(shape) : shape}`,
      limit,
    ),
  );
}

function plainly(data: Json, plain: (text: string) => string): Json {
  if (typeof data === 'string') return isHtml(data) ? data : plain(data); // the tags of a page are read first, then its text is plain
  return JSON.parse(plain(JSON.stringify(data))) as Json;
}

function shapeValue(data: Json, room: number, language: Language): string {
  return shapeJson(data, room, language, (text, inner) => shapeString(text, inner, language));
}

function shapeString(text: string, room: number, language: Language): string {
  if (text.length <= room) return text;
  const binary = binaryIn(text);
  if (binary !== undefined) return binary;
  if (isHtml(text)) return shapeHtml(text, room, language);
  const value = text.length > PARSED ? undefined : structureIn(text);
  if (value !== undefined) return shapeValue(value, room, language);
  if (isLog(text)) return shapeLog(text, room, language);
  const delimiter = delimiterOf(text);
  if (delimiter !== undefined) return shapeTable(text, delimiter, room, language);
  return shapeText(text, room, language);
}
