/** Typed answers: the JSON of what the model wrote. Whether it fits is decided by the validating rule, not here. */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { type ReadOptions, readJson } from './read-json.ts';
import { kindsOf } from './strict.ts';

/** The answer as JSON text, out of fences and prose; a text that holds no JSON of the schema's kind stays as it is. */
export function typedText(text: string, schema: JsonObject | undefined, options: ReadOptions = {}): string {
  if (schema === undefined) return text;
  const reading = readJson(text, options);
  if (!reading.ok || !isOfKind(reading.value, schema)) return text;
  return reading.repairs.length === 0 ? text.trim() : JSON.stringify(reading.value);
}

/** The same for a value that was already read. */
export function typedValue(value: Json, schema: JsonObject | undefined): string {
  return typeof value === 'string' ? typedText(value, schema) : JSON.stringify(value);
}

function isOfKind(value: Json, schema: JsonObject): boolean {
  const kinds = kindsOf(schema);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return kinds.length === 0 || kinds.includes(kind) || (kinds.includes('integer') && Number.isInteger(value));
}

/** Whether the object is an answer that stands alone: it has all that the schema requires, and no word of the agreed forms. */
export function looksLikeAnswer(value: Json, schema: JsonObject | undefined): boolean {
  const required = Array.isArray(schema?.required) ? schema.required : [];
  if (!isObject(value) || required.length === 0) return false;
  const isForm = ['action', 'reply'].some((word) => Object.hasOwn(value, word) && !required.includes(word));
  return !isForm && required.every((key) => typeof key === 'string' && Object.hasOwn(value, key));
}

/** The same for a text that is nothing but JSON. */
export function isWholeAnswer(text: string, schema: JsonObject): boolean {
  const reading = readJson(text);
  return reading.ok && reading.repairs.every((repair) => repair !== 'surrounding_text') && looksLikeAnswer(reading.value, schema);
}
