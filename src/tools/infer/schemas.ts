/** What TypeScript's type operators do, done to JSON Schemas. */

import { isObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';

export function oneOf(values: readonly Json[]): JsonObject {
  const types = [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))];
  return { type: types.length === 1 ? types[0]! : types, enum: [...values] };
}

export function valuesOf(schema: JsonObject): Json[] {
  return Array.isArray(schema.enum) ? schema.enum : [];
}

/** Literals become one enum, null joins what is beside it. */
export function union(all: readonly JsonObject[]): JsonObject {
  const flat = all.flatMap((schema) =>
    Array.isArray(schema.anyOf) && Object.keys(schema).length === 1 ? (schema.anyOf as JsonObject[]) : [schema],
  );
  const isLiteral = (schema: JsonObject) => Array.isArray(schema.enum) && schema.description === undefined;
  const values = [...new Set(flat.filter(isLiteral).flatMap(valuesOf))];
  const isNullable = flat.some(({ type }) => type === 'null');
  const others = flat.filter((schema) => !isLiteral(schema) && schema.type !== 'null');
  const distinct = [...new Map(others.map((schema) => [JSON.stringify(schema), schema])).values()];
  const parts = [...(values.length > 0 ? [oneOf(values)] : []), ...distinct];
  const [only] = parts;
  if (!only) return { type: 'null' };
  if (parts.length > 1) return { anyOf: isNullable ? [...parts, { type: 'null' }] : parts };
  if (!isNullable) return only;
  if (only.type === undefined) return { anyOf: [only, { type: 'null' }] };
  const type = [...new Set([only.type, 'null'].flat())];
  return { ...only, type, ...(Array.isArray(only.enum) ? { enum: [...new Set([...only.enum, null])] } : {}) };
}

export function withoutNull(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.anyOf)) return union((schema.anyOf as JsonObject[]).filter(({ type }) => type !== 'null'));
  if (schema.type === undefined) return schema;
  const types = [schema.type].flat().filter((type) => type !== 'null') as Json[];
  const plain: JsonObject = { ...schema, type: types.length === 1 ? types[0]! : types };
  if (Array.isArray(schema.enum)) plain.enum = schema.enum.filter((value) => value !== null);
  return plain;
}

/** Of several objects; what comes later wins, and what one of them requires is required. */
export function merged(objects: readonly JsonObject[]): JsonObject {
  const properties = Object.assign({}, ...objects.map((one) => one.properties ?? {})) as JsonObject;
  const required = [...new Set(objects.flatMap((one) => (one.required ?? []) as string[]))];
  return {
    ...(Object.assign({}, ...objects) as JsonObject),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

export function picked(schema: JsonObject, isMeant: (name: string) => boolean): JsonObject {
  const { properties, required, ...rest } = schema;
  if (!isObject(properties)) return schema;
  const names = ((required ?? []) as string[]).filter(isMeant);
  return {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isMeant(name))) as JsonObject,
    ...(names.length > 0 ? { required: names } : {}),
  };
}

export function record(keys: JsonObject, value: JsonObject): JsonObject {
  const names = valuesOf(keys).map(String);
  if (names.length === 0) return { type: 'object', additionalProperties: value };
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, value])), required: names };
}

/** What the type of a constant is. */
export function schemaOfValue(value: Json): JsonObject {
  if (Array.isArray(value)) return { type: 'array', items: value.length > 0 ? union(value.map(schemaOfValue)) : {} };
  return isObject(value) ? withMembers(value, schemaOfValue) : { type: value === null ? 'null' : typeof value };
}

/** The same `as const`. */
export function schemaOfConst(value: Json): JsonObject {
  if (Array.isArray(value)) return { type: 'array', prefixItems: value.map(schemaOfConst), minItems: value.length, maxItems: value.length };
  if (isObject(value)) return withMembers(value, schemaOfConst);
  return value === null ? { type: 'null' } : { type: typeof value, enum: [value] };
}

function withMembers(value: JsonObject, schemaOf: (one: Json) => JsonObject): JsonObject {
  const properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, schemaOf(one)]));
  return { type: 'object', properties, required: Object.keys(properties) };
}
