/** The lines of a kept result. Of JSON they are its items: a list on one line helps nobody who looks for the tenth. */

import type { Json } from '../../kernel/types.ts';

export function linesOf(text: string): string[] {
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
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

function parsed(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // a text that begins with a bracket
  }
}
