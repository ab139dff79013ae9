/** Typed answers: the JSON of what the model wrote. Whether it fits is decided by the validating rule, not here. */

import type { Json, JsonObject } from '../kernel/types.ts';
import { formatOf } from './output.ts';
import { isObject, type ReadOptions, readJson } from './read-json.ts';
import { fromStrict, kindsOf } from './strict.ts';

/** The answer as JSON text, out of fences and prose; a text that holds no JSON of the schema's kind stays as it is. */
export function typedText(text: string, schema: JsonObject | undefined, options: ReadOptions = {}): string {
  if (schema === undefined || text.trim() === '') return text;
  const reading = readJson(text, options);
  const value = reading.ok ? unwrapped(reading.value, schema) : undefined;
  if (reading.ok && value !== undefined) {
    const isAsWritten = reading.repairs.length === 0 && JSON.stringify(value) === JSON.stringify(reading.value);
    return isAsWritten ? text.trim() : JSON.stringify(value);
  }
  return kindsOf(schema).join() === 'string' ? JSON.stringify(text.trim()) : text;
}

/** The same for a value that was already read. */
export function typedValue(value: Json, schema: JsonObject | undefined): string {
  const whole = schema === undefined || typeof value === 'string' ? undefined : unwrapped(value, schema);
  if (whole !== undefined) return JSON.stringify(whole);
  return typeof value === 'string' ? typedText(value, schema) : JSON.stringify(value);
}

/** Undefined when it is not of the schema's kind. */
function unwrapped(value: Json, schema: JsonObject): Json | undefined {
  const kinds = kindsOf(schema);
  const isAnswer = (one: Json) => kinds.length === 0 || kinds.includes(kindOf(one)) || (kinds.includes('integer') && Number.isInteger(one));
  const isWrapped = isObject(value) && Object.keys(value).join() === 'answer' && formatOf(schema).wrapped;
  const inner = isWrapped ? value.answer! : value;
  return isAnswer(inner) ? fromStrict(inner, schema) : undefined;
}

function kindOf(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
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
