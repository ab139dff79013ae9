/** From the schema of a caller to the one that a run carries: JSON Schema, an object at its root, since that is what providers take. */

import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { type InputSchema, isStandard, type StandardSchema, schemaProblems, toJsonSchema } from '../tools/schema.ts';
import { defined } from './defined.ts';

export interface OutputForm {
  /** What the model is asked for; stands in run.start. */
  schema: JsonObject;
  /** The caller's own schema with its checks and transformations; absent = a JSON Schema says it all. */
  standard?: StandardSchema;
}

/** Throws HermesError `bad_output_schema` for what is no schema. `name`: what the error calls it. */
export function outputForm(schema: InputSchema, name = 'output'): OutputForm {
  if (typeof schema === 'function' || isObject(schema)) {
    const json = converted(schema, name);
    const problems = schemaProblems(json, name);
    if (problems.length > 0) throw badOutputSchema(problems.join('; '));
    const form = { schema: isObjectRoot(json) ? json : wrapped(json) };
    return isStandard(schema) ? { ...form, standard: schema } : form;
  }
  throw badOutputSchema(`${name}: expected a Standard Schema (zod 4.2+, ...) or a JSON Schema object, got ${JSON.stringify(schema)}`);
}

export function badOutputSchema(problems: string): HermesError {
  return new HermesError('bad_output_schema', `the schema of the output is wrong: ${problems}`, {
    kind: 'usage',
    next: 'give a JSON Schema such as {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}',
  });
}

/** Any of these makes an object a schema; without one it was meant as something else: an example, or a bare record of zod schemas. */
const KEYWORDS = ['type', 'properties', 'items', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', '$ref', 'additionalProperties', 'if'];

function converted(schema: InputSchema, name: string): JsonObject {
  let json: JsonObject;
  try {
    json = toJsonSchema(schema);
  } catch (error) {
    throw badOutputSchema(`${name}: ${(error as Error).message}`);
  }
  const keys = Object.keys(json).filter((key) => !key.startsWith('$'));
  if (!isStandard(schema) && keys.length > 0 && !KEYWORDS.some((keyword) => keyword in json)) {
    throw badOutputSchema(`${name}: expected a JSON Schema, got an object with the keys ${keys.slice(0, 8).join(', ')}`);
  }
  return json.type === undefined && isObject(json.properties) ? { type: 'object', ...json } : json;
}

function isObjectRoot(schema: JsonObject): boolean {
  return schema.type === 'object' && !('anyOf' in schema || 'oneOf' in schema || '$ref' in schema);
}

// ---- { "value": ... } around everything else; the caller never sees it -------------------------------------

/** Marks the object that was put around; the schema alone survives a restart. */
const TITLE = 'Wrapped value';

export function isWrapped(schema: JsonObject): boolean {
  return schema.title === TITLE;
}

function wrapped({ $schema, $id: _, $defs, definitions, ...value }: JsonObject): JsonObject {
  return {
    ...(defined({ $schema }) as JsonObject),
    title: TITLE,
    type: 'object',
    properties: { value: moved(value) },
    required: ['value'],
    additionalProperties: false,
    ...(defined({ $defs: $defs && moved($defs), definitions: definitions && moved(definitions) }) as JsonObject),
  };
}

/** Definitions stay at the root; any other reference within the schema goes where the schema has gone. */
function moved(part: Json): Json {
  if (Array.isArray(part)) return part.map(moved);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, key === '$ref' && typeof value === 'string' ? movedReference(value) : moved(value)]),
  );
}

function movedReference(reference: string): string {
  if (/^#\/(?:\$defs|definitions)\//.test(reference)) return reference;
  return reference === '#' || reference.startsWith('#/') ? `#/properties/value${reference.slice(1)}` : reference;
}
