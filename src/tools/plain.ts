/**
 * The short way to "valid" for plain schemas and plain values. It only ever says yes for sure; whatever it does not know goes to the
 * validator, which alone says no and why. Most calls of most tools never load the validator (28 ms of CPU) because of it.
 */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';

/** Keywords that this file understands, or that never make a value invalid. `format`: only names that no validator checks. */
const UNDERSTOOD = new Set(['type', 'properties', 'required', 'enum', 'items', 'additionalProperties']);
const SILENT = new Set(['title', 'description', 'default', 'examples', '$schema', '$comment', 'deprecated']);
const UNCHECKED_FORMATS = new Set<unknown>(['arithmetic', 'time-zone']);

/** True: the value is valid for certain. False: ask the validator. */
export function surelyValid(schema: unknown, value: Json | undefined): boolean {
  if (!isObject(schema) || !isPlain(schema) || value === undefined) return false;
  if (schema.enum !== undefined && !(Array.isArray(schema.enum) && isPrimitive(value) && schema.enum.includes(value))) return false;
  switch (schema.type) {
    case 'string':
    case 'boolean':
      return typeof value === schema.type;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'array':
      return Array.isArray(value) && (schema.items === undefined || value.every((item) => surelyValid(schema.items, item)));
    case 'object':
      return isObject(value) && fitsObject(schema, value as JsonObject);
    default:
      return false;
  }
}

function fitsObject(schema: Record<string, unknown>, value: JsonObject): boolean {
  const properties = schema.properties ?? {};
  const required = schema.required ?? [];
  if (!isObject(properties) || !Array.isArray(required)) return false;
  if (!required.every((key) => typeof key === 'string' && Object.hasOwn(value, key))) return false;
  if (schema.additionalProperties !== undefined && typeof schema.additionalProperties !== 'boolean') return false;
  return Object.keys(value).every((key) =>
    Object.hasOwn(properties, key) ? surelyValid(properties[key], value[key]) : schema.additionalProperties !== false,
  );
}

function isPlain(schema: Record<string, unknown>): boolean {
  for (const key in schema) {
    if (UNDERSTOOD.has(key) || SILENT.has(key) || (key === 'format' && UNCHECKED_FORMATS.has(schema.format))) continue;
    return false;
  }
  return true;
}

function isPrimitive(value: Json): boolean {
  return value === null || typeof value !== 'object';
}
