/** The lists of things that results of tools hold, and by what names an answer can mean one of them. */

import type { Json, JsonObject, Message } from '../kernel/types.ts';

/** Longer results and lists are left to the model: what it was shown of them is a part. */
const LONGEST = 200_000;
const MOST_ITEMS = 500;
/** Levels of objects around a list. */
const DEPTH = 3;

export interface Item {
  /** From 0. */
  index: number;
  /** Its plain values, those of objects inside it by `outer.inner`. */
  values: ReadonlyMap<string, string | number | boolean | null>;
  shown(field: string): string | number | boolean | null | undefined;
  /** How people would call it. */
  label: string;
  /** What only this one of the list is called, in small letters. */
  names: string[];
}
export interface List {
  tool: string;
  untrusted: boolean;
  items: Item[];
}

/** Lists of two objects or more in the results among these messages; the same one twice counts once. */
export function listsIn(messages: readonly Message[]): List[] {
  const found = new Map<string, List>();
  for (const message of messages) {
    if (message.role !== 'tool' || !message.success || message.content.length > LONGEST) continue;
    for (const objects of arraysIn(parsed(message.content), DEPTH)) {
      const list = { tool: message.name, untrusted: message.untrusted === true, items: itemsOf(objects) };
      found.set(JSON.stringify(objects), list);
    }
  }
  return [...found.values()];
}

function parsed(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // a text, or the shape of a result that was too long
  }
}

function arraysIn(value: Json | undefined, depth: number): JsonObject[][] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const objects = value.filter((item): item is JsonObject => typeof item === 'object' && item !== null && !Array.isArray(item));
    return objects.length === value.length && value.length >= 2 && value.length <= MOST_ITEMS ? [objects] : [];
  }
  return depth === 0 ? [] : Object.values(value).flatMap((inner) => arraysIn(inner, depth - 1));
}

function itemsOf(objects: readonly JsonObject[]): Item[] {
  const all = objects.map((object) => new Map(plainValues(object)));
  const telling = [...all[0]!.keys()].filter((field) => isTelling(all.map((values) => values.get(field))));
  const words = all.map((values) => telling.flatMap((field) => wordsOf(String(values.get(field)))));
  const counts = new Map<string, number>();
  for (const list of words) for (const word of new Set(list)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return all.map((values, index) => ({
    index,
    values,
    shown: (field) => values.get(field),
    label: telling.length > 0 ? String(values.get(telling[0]!)).slice(0, 60) : `#${index + 1}`,
    names: [...new Set(words[index]!.filter((word) => counts.get(word) === 1))],
  }));
}

function plainValues(object: JsonObject, before = ''): [string, string | number | boolean | null][] {
  return Object.entries(object).flatMap(([key, value]): [string, string | number | boolean | null][] => {
    if (typeof value !== 'object' || value === null) return [[before + key, value]];
    return Array.isArray(value) || before !== '' ? [] : plainValues(value, `${key}.`);
  });
}

/** Short texts that tell the items apart: names, codes, titles; no figures, times and dates. */
function isTelling(values: readonly unknown[]): boolean {
  const texts = values.filter((value) => typeof value === 'string' && value.length >= 2 && value.length <= 80 && /\p{L}/u.test(value));
  const isFigure = /^[¥$€£]?\s*[\d.,:\-/\sTZ+]+\s*(?:\p{L}{1,5})?$/u;
  return texts.length === values.length && new Set(texts).size === values.length && !texts.every((text) => isFigure.test(String(text)));
}

/** The whole, codes in it, and the whole without what kind of thing it is: "CA1234 (Air China)", "Grand Palace Hotel", 如家酒店. */
function wordsOf(text: string): string[] {
  const whole = text.normalize('NFKC').toLowerCase().trim();
  const codes = whole.split(/[\s,;:()·—/|]+/u).filter((part) => /\d/.test(part) && /\p{L}/u.test(part) && part.length >= 2);
  const shorter = /^\p{Script=Han}{4,}$/u.test(whole) ? whole.slice(0, -2) : whole.replace(/\s+\S+$/u, '');
  return shorter.length >= 2 ? [whole, ...codes, shorter] : [whole, ...codes];
}
