/** Schemas as authors write them (Standard Schema or JSON Schema), the argument types they stand for, and JSON Schema out of either. */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';

/** The part of https://standardschema.dev that is used here; zod, arktype, valibot and others implement it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: { readonly input: (options: { readonly target: string }) => Record<string, unknown> };
  };
}
interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[]; readonly value?: undefined };

export type InputSchema = StandardSchema | Readonly<Record<string, unknown>>;

/** What `execute` receives: a Standard Schema's output, or what a JSON Schema literal says. */
export type ArgumentsOf<S> = S extends StandardSchema<infer Output> ? Output : S extends { type: 'object' } ? FromSchema<S> : JsonObject;

/** The value that an answer has to be: a Standard Schema's output, or what a JSON Schema literal says; undefined when no schema is given. */
export type OutputOf<S> = S extends undefined ? undefined : S extends StandardSchema<infer Output> ? Output : FromSchema<S>;

type FromSchema<S> = S extends { const: infer Value }
  ? Value
  : S extends { enum: readonly (infer Value)[] }
    ? Value
    : S extends { anyOf: readonly (infer One)[] } | { oneOf: readonly (infer One)[] }
      ? FromSchema<One>
      : S extends { type: readonly (infer Type)[] }
        ? FromType<S, Type>
        : S extends { type: infer Type }
          ? FromType<S, Type>
          : Json;

/** `Type` distributes: `['string', 'null']` is a text or null. */
type FromType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { items: infer Item }
            ? FromSchema<Item>[]
            : Json[]
          : Type extends 'object'
            ? S extends { properties: infer Properties }
              ? FromProperties<Properties, S extends { required: readonly (infer Name)[] } ? Name : never>
              : JsonObject
            : Json;

/** A property with a default is always there: it is filled in before anybody gets the value. */
type Certain<Properties, Required> = {
  [K in keyof Properties]: K extends Required ? K : Properties[K] extends { default: unknown } ? K : never;
}[keyof Properties];
type FromProperties<Properties, Required> = { -readonly [K in Certain<Properties, Required>]: FromSchema<Properties[K]> } & {
  -readonly [K in Exclude<keyof Properties, Certain<Properties, Required>>]?: FromSchema<Properties[K]>;
};

export function isStandard(schema: InputSchema): schema is StandardSchema {
  return '~standard' in schema && typeof schema['~standard'] === 'object';
}

/** JSON Schema of what the model may write. Throws when the schema library cannot give one. */
export function toJsonSchema(schema: InputSchema): JsonObject {
  if (!isStandard(schema)) return schema as JsonObject;
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema) {
    const { $schema: _, ...rest } = jsonSchema.input({ target: 'draft-2020-12' });
    return rest as JsonObject;
  }
  throw new Error(`this ${vendor} schema cannot give JSON Schema: use a version that can (zod 4.2 or later) or pass a JSON Schema object`);
}

/** A Standard Schema's issues, one line each: `arguments.a[0].b: message`. `root`: see pathText. */
export function issueLines(issues: readonly StandardIssue[], root?: string): string[] {
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
    return `${pathText(keys.map(String), root)}: ${message}`;
  });
}

/** Path segments as people write them: arguments.a[0].b */
export function pathText(segments: readonly string[], root = 'arguments'): string {
  return segments.reduce((text, key) => (/^\d+$/.test(key) ? `${text}[${key}]` : `${text}.${key}`), root);
}

/** Whether a schema says anywhere what an absent value is. */
export function hasDefaults(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return 'default' in schema || Object.values(schema).some(hasDefaults);
}

/** The value with the defaults of its schema's properties where it has none; arrays and objects in it are looked through. */
export function withDefaults(schema: unknown, value: Json): Json {
  if (!isObject(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => withDefaults(schema.items, item));
  if (!isObject(value) || !isObject(schema.properties)) return value;
  const filled: JsonObject = { ...(value as JsonObject) };
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = filled[name];
    if (given !== undefined) filled[name] = withDefaults(property, given);
    else if (isObject(property) && property.default !== undefined) filled[name] = structuredClone(property.default) as Json;
  }
  return filled;
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const NESTED = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];
const NESTED_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NESTED_MAPS = ['properties', 'patternProperties', '$defs', 'definitions'];

/** What is wrong with a JSON Schema, as far as it shows without a validator: types, patterns, shapes, references. */
export function schemaProblems(schema: unknown, path = 'input', root = schema): string[] {
  if (typeof schema === 'boolean' && path !== 'input') return [];
  if (!isObject(schema)) return [`${path}: expected a JSON Schema object, got ${JSON.stringify(schema) ?? typeof schema}`];
  const problems: string[] = [];
  for (const type of schema.type === undefined ? [] : [schema.type].flat()) {
    if (!TYPES.includes(type as string)) problems.push(`${path}.type: expected one of ${TYPES.join(', ')}, got ${JSON.stringify(type)}`);
  }
  if (schema.required !== undefined && !(Array.isArray(schema.required) && schema.required.every((name) => typeof name === 'string'))) {
    problems.push(`${path}.required: expected an array of property names`);
  }
  if (schema.pattern !== undefined && !isPattern(schema.pattern)) problems.push(`${path}.pattern: expected a regular expression`);
  const reference = schema.$ref;
  if (reference !== undefined && !(typeof reference === 'string' && reference.startsWith('#'))) {
    problems.push(`${path}.$ref: expected a reference within the schema (#/...), got ${JSON.stringify(reference)}`);
  } else if (reference?.startsWith('#/') && follow(root, reference) === undefined) {
    problems.push(`${path}.$ref: nothing stands at ${reference}`);
  }
  for (const key of NESTED) if (schema[key] !== undefined) problems.push(...schemaProblems(schema[key], `${path}.${key}`, root));
  for (const key of NESTED_LISTS) {
    if (schema[key] === undefined) continue;
    if (!Array.isArray(schema[key])) problems.push(`${path}.${key}: expected an array of schemas`);
    else for (const [i, one] of schema[key].entries()) problems.push(...schemaProblems(one, `${path}.${key}[${i}]`, root));
  }
  for (const key of NESTED_MAPS) {
    if (schema[key] === undefined) continue;
    if (!isObject(schema[key])) problems.push(`${path}.${key}: expected an object of schemas`);
    else for (const [name, one] of Object.entries(schema[key])) problems.push(...schemaProblems(one, `${path}.${key}.${name}`, root));
  }
  return problems;
}

/** What a local reference (#/a/b) points to; undefined when there is nothing. */
export function follow(root: unknown, reference: string): unknown {
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}

function isPattern(pattern: unknown): boolean {
  try {
    new RegExp(pattern as string, 'u');
    return typeof pattern === 'string';
  } catch {
    return false;
  }
}
