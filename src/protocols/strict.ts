/**
 * JSON Schemas as strict structured outputs and grammars take them: objects with declared properties that are all required,
 * optional ones nullable; arrays, scalars, enums, anyOf; nothing else. What cannot be said so is a string that holds JSON. The
 * adapter of arguments and answers takes both back: null for an optional value, JSON in a string.
 */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';

/** OpenAI takes ten levels; three of them are the form of a reply. */
const MAX_LEVELS = 6;
/** Schemas that refer to themselves grow with each level: so many parts in all, so many references in a row, so many parts of an allOf. */
const MAX_NODES = 400;
const MAX_HOPS = 10;
const MOST_PARTS = 20;

const SCALARS = ['string', 'number', 'integer', 'boolean', 'null'];
const ANY_SCALAR: JsonObject = { type: ['string', 'number', 'boolean', 'null'] };

interface Work {
  root: JsonObject;
  nodes: number;
}

/** Descriptions and bounds are left out: the prompt shows the whole schema, and the value is validated by it. */
export function strictSchema(schema: JsonObject): JsonObject {
  return strict(schema, { root: schema, nodes: 0 }, 0);
}

export function strictObject(properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function strict(given: Json | undefined, work: Work, level: number): JsonObject {
  const schema = resolved(given, work.root);
  if (schema === undefined) return ANY_SCALAR;
  if (++work.nodes > MAX_NODES) return { type: 'string' };
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(values) && values.every((one) => one === null || typeof one !== 'object')) return enumOf(values);
  const branches = schema.properties === undefined ? (schema.anyOf ?? schema.oneOf) : undefined;
  if (Array.isArray(branches)) return anyOf(branches.map((branch) => strict(branch, work, level)));
  const types = kindsOf(schema, work.root);
  if (types.length === 0) return ANY_SCALAR;
  if (types.every((type) => SCALARS.includes(type))) return { type: types.length === 1 ? types[0]! : types };
  if (types.length > 1) return anyOf(types.map((type) => strict({ ...schema, type }, work, level)));
  if (level >= MAX_LEVELS) return { type: 'string' };
  return types[0] === 'array' ? { type: 'array', items: strict(schema.items, work, level + 1) } : objectOf(schema, work, level);
}

function objectOf(schema: JsonObject, work: Work, level: number): JsonObject {
  const properties = entriesOf(schema.properties);
  const isOpen = properties.length === 0 && schema.additionalProperties !== false;
  if (isOpen && level > 0) return { type: 'string' };
  const required = Array.isArray(schema.required) ? schema.required : [];
  const strictOnes = properties.map(([name, property]) => {
    const one = strict(property, work, level + 1);
    return [name, required.includes(name) ? one : nullable(one)] as const;
  });
  return strictObject(Object.fromEntries(strictOnes));
}

function enumOf(values: readonly Json[]): JsonObject {
  const types = [...new Set(values.map((one) => (one === null ? 'null' : typeof one)))];
  return { type: types.length === 1 ? types[0]! : types, enum: [...values] };
}

function anyOf(branches: readonly JsonObject[]): JsonObject {
  const flat = branches.flatMap((branch) => (Array.isArray(branch.anyOf) ? (branch.anyOf as JsonObject[]) : [branch]));
  const different = [...new Map(flat.map((branch) => [JSON.stringify(branch), branch])).values()];
  return different.length === 1 ? different[0]! : { anyOf: different };
}

function nullable(schema: JsonObject): JsonObject {
  if (Array.isArray(schema.anyOf)) return anyOf([...(schema.anyOf as JsonObject[]), { type: 'null' }]);
  const types = [schema.type ?? []].flat();
  if (types.includes('null')) return schema;
  if (!types.every((type) => SCALARS.includes(String(type)))) return anyOf([schema, { type: 'null' }]);
  return { ...schema, type: [...types, 'null'], ...(Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}) };
}

/** Behind local references, with the parts of an allOf laid over one another. */
function resolved(schema: Json | undefined, root: JsonObject, hops = 0): JsonObject | undefined {
  if (!isObject(schema) || hops > MAX_HOPS) return undefined;
  if (typeof schema.$ref === 'string') return resolved(followed(schema.$ref, root), root, hops + 1);
  if (!Array.isArray(schema.allOf)) return schema;
  const { allOf, ...own } = schema;
  const parts = [...allOf.slice(0, MOST_PARTS).map((part) => resolved(part, root, hops + 4) ?? {}), own];
  const required = parts.flatMap((part) => part.required ?? []);
  const properties = Object.fromEntries(parts.flatMap((part) => entriesOf(part.properties)));
  return Object.assign({}, ...parts, { required }, Object.keys(properties).length > 0 ? { properties } : {}) as JsonObject;
}

function followed(reference: string, root: JsonObject): Json | undefined {
  if (!reference.startsWith('#')) return undefined;
  const keys = reference.slice(1).split('/').slice(1);
  return keys.reduce<Json | undefined>((at, key) => {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    return isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}

/** The types of its values; none = anything. */
export function kindsOf(given: Json | undefined, root: JsonObject = isObject(given) ? given : {}, hops = 0): string[] {
  const schema = resolved(given, root, hops);
  if (schema === undefined) return [];
  if (schema.type !== undefined) return [schema.type].flat().map(String);
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (Array.isArray(values)) return [...new Set(values.map((one) => (one === null ? 'null' : Array.isArray(one) ? 'array' : typeof one)))];
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) {
    const kinds = branches.slice(0, MOST_PARTS).map((branch) => kindsOf(branch, root, hops + 4));
    return kinds.some((one) => one.length === 0) ? [] : [...new Set(kinds.flat())];
  }
  if (isObject(schema.properties)) return ['object'];
  return schema.items === undefined ? [] : ['array'];
}

function entriesOf(properties: Json | undefined): [string, Json][] {
  return isObject(properties) ? Object.entries(properties) : [];
}
