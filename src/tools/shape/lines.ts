/** The lines of a kept result. Of JSON they are its items: a list on one line helps nobody who looks for the tenth. */

import type { Json } from '../../kernel/types.ts';
import { jsonDepth } from '../depth.ts';

/** What is deeper is no data; reading 10 MB of brackets takes seconds. */
const MOST_DEPTH = 1_000;

export function linesOf(text: string): string[] {
  const value = structureIn(text);
  return value === undefined ? text.split('\n') : itemised(value);
}

function itemised(value: Json): string[] {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(item));
  return Object.entries(value as object).flatMap(([key, part]: [string, Json]) => {
    if (Array.isArray(part) && part.length > 1) return [`${JSON.stringify(key)}:`, ...part.map((item) => JSON.stringify(item))];
    if (typeof part === 'string' && part.includes('\n')) return [`${JSON.stringify(key)}:`, ...part.split('\n')];
    return [`${JSON.stringify(key)}: ${JSON.stringify(part)}`];
  });
}

/** Of a text that is an object or a list in JSON. */
export function structureIn(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text.slice(-100)) || jsonDepth(text) > MOST_DEPTH) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // it only looks so: a log of objects, a bracket in a text
  }
}
