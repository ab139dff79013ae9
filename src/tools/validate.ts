/**
 * THE validator: arguments against a tool's JSON Schema, answers against that of an output, with errors like a compiler's.
 * json-schema-library costs 15 ms to load, so it is loaded with the first call of a run.
 */

import type { JsonError, SchemaNode } from 'json-schema-library';
import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { cut } from '../kernel/text.ts';
import type { JsonObject } from '../kernel/types.ts';
import { pathText } from './schema.ts';

/** Problems shown at once. */
export const MOST_PROBLEMS = 8;
/** Levels of nesting that arguments may have. */
const MOST_DEPTH = 100;
/** Beyond this size (values plus characters), and for every schema with patterns, a time limit guards the check. */
const SMALL = 5_000;
/** Milliseconds that a guarded check may take: a pattern can explode on a few dozen characters. */
const TIME_LIMIT = 60;
const MOST_TRIES = 5;

/** One line a problem; none = valid. `size` as measured by `inspect`. Throws HermesError `invalid_arguments` when it takes too long. */
export type Validator = (args: JsonObject, size: number) => string[];

/** Throws HermesError `invalid_schema`. `root`: what the problems call the whole value. */
export async function compileValidator(schema: JsonObject, root = 'arguments'): Promise<Validator> {
  const { compileSchema } = await import('json-schema-library');
  const node = compileSchema(schema);
  const errors = node.schemaErrors ?? [];
  if (errors.length > 0) {
    throw new HermesError('invalid_schema', `the schema is wrong: ${errors.map((error) => String(error.message)).join('; ')}`, {
      kind: 'tool',
    });
  }
  const hasPatterns = /"(?:pattern|patternProperties)":/.test(JSON.stringify(schema));
  return (args, size) => {
    if (!hasPatterns && size <= SMALL) return problemLines(node, args, root);
    return withinTime(() => problemLines(node, args, root), root);
  };
}

/** Refuses what no check should walk into: endless nesting and keys that would reach an object's prototype. Also measures the size. */
export function inspect(args: JsonObject, root = 'arguments'): { size: number; problem?: string } {
  let size = 0;
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) return { size, problem: `${root}: nested deeper than ${MOST_DEPTH} levels` };
    const below: unknown[] = [];
    for (const value of level) {
      if (!Array.isArray(value) && Object.hasOwn(value as object, '__proto__'))
        return { size, problem: `${root}: the key __proto__ is not allowed` };
      for (const key in value as object) {
        const part = (value as Record<string, unknown>)[key];
        size += typeof part === 'string' ? 1 + part.length : 1;
        if (typeof part === 'object' && part !== null) below.push(part);
      }
    }
    level = below;
  }
  return { size };
}

let guarded: { box: { job?: () => unknown }; run(): unknown } | undefined;

/**
 * Runs a synchronous job; it is stopped at the time limit. Costs 0.3 ms, and 5 ms at the first use. Where the limit passed while the
 * machine was busy with something else, the job is given another try: what counts is the work, not the clock.
 */
function withinTime<T>(job: () => T, root: string): T {
  guarded ??= makeGuarded();
  guarded.box.job = job;
  try {
    for (let tries = 1; ; tries++) {
      const before = process.cpuUsage();
      try {
        return guarded.run() as T;
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        const { user, system } = process.cpuUsage(before);
        if (tries < MOST_TRIES && (user + system) / 1000 < TIME_LIMIT / 2) continue;
        throw new HermesError('invalid_arguments', `${root}: could not be checked within ${TIME_LIMIT} ms; send shorter values`, {
          kind: 'tool',
        });
      }
    }
  } finally {
    guarded.box.job = undefined;
  }
}

/** Node's one way to stop a computation in its own thread is the time limit of a script. */
function makeGuarded(): NonNullable<typeof guarded> {
  const { createContext, Script } = process.getBuiltinModule('node:vm');
  const box: { job?: () => unknown } = {};
  const context = createContext(box);
  const script = new Script('job()');
  return { box, run: () => script.runInContext(context, { timeout: TIME_LIMIT }) };
}

function problemLines(node: SchemaNode, args: JsonObject, root: string): string[] {
  const { errors } = node.validate(args);
  if (errors.length === 0) return [];
  const lines = errors.slice(0, MOST_PROBLEMS).map((error) => problemLine(error, root));
  if (errors.length > MOST_PROBLEMS) lines.push(`and ${errors.length - MOST_PROBLEMS} more`);
  return lines;
}

function problemLine({ code, message, data }: JsonError, root: string): string {
  const segments = data.pointer.split('/').slice(1);
  const parent = isObject(data.schema) ? data.schema : {};
  const properties = isObject(parent.properties) ? parent.properties : {};
  if (code === 'required-property-error') {
    const key = String(data.key);
    const property = Object.hasOwn(properties, key) ? properties[key] : {};
    return `${pathText([...segments, key], root)}: expected ${describe(property)}, got nothing; it is required`;
  }
  const path = pathText(
    segments.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')),
    root,
  );
  if (code === 'no-additional-properties-error') {
    return `${path}: unknown ${root === 'arguments' ? 'argument' : 'key'}; known are ${Object.keys(properties).join(', ') || 'none'}`;
  }
  if (code === 'unique-items-error') return `${path}: expected different items, got a second ${data.value}`;
  const expected = describe(data.schema);
  if (expected === 'a value' || /^(?:multiple-one-of|not|missing-dependency|invalid-property-name|contains)/.test(String(code))) {
    return `${path}: ${cut(String(message), 300)}`;
  }
  return `${path}: expected ${expected}, got ${preview(data.value)}`;
}

/** A schema in a few words: `integer from 1 to 5`, `one of "a", "b"`, `array of string`. */
function describe(schema: unknown): string {
  if (schema === false) return 'nothing here';
  if (!isObject(schema)) return 'a value';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    const shown = schema.enum.slice(0, 20).map((one) => JSON.stringify(one));
    return `one of ${shown.join(', ')}${schema.enum.length > 20 ? ', ...' : ''}`;
  }
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches)) return [...new Set(branches.map(describe))].join(' or ');
  const type = schema.type === undefined ? 'a value' : [schema.type].flat().join(' or ');
  if (type === 'array') {
    const items = schema.items === undefined ? '' : ` of ${describe(schema.items)}`;
    return `array${items}${range(schema.minItems, schema.maxItems, ' with', ' items')}`;
  }
  if (type === 'object' && Array.isArray(schema.required)) return `object with ${schema.required.join(', ')}`;
  const details = [
    range(schema.minimum, schema.maximum, '', ''),
    schema.exclusiveMinimum === undefined ? '' : ` > ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? '' : ` < ${schema.exclusiveMaximum}`,
    schema.multipleOf === undefined ? '' : ` in steps of ${schema.multipleOf}`,
    range(schema.minLength, schema.maxLength, ' with', ' characters'),
    schema.pattern === undefined ? '' : ` that matches ${schema.pattern}`,
    schema.format === undefined ? '' : ` (${schema.format})`,
  ];
  return type + details.join('');
}

function range(from: unknown, to: unknown, before: string, after: string): string {
  if (from === undefined && to === undefined) return '';
  if (from !== undefined && to !== undefined) return `${before} from ${from} to ${to}${after}`;
  return from === undefined ? `${before} <= ${to}${after}` : `${before} >= ${from}${after}`;
}

function preview(value: unknown): string {
  if (value === undefined) return 'nothing';
  const type = value === null ? '' : Array.isArray(value) ? ' (array)' : typeof value === 'string' ? ' (string)' : '';
  const text = JSON.stringify(typeof value === 'string' ? cut(value, 60) : value) ?? 'nothing';
  return `${text.length > 80 ? `${cut(text, 77)}...` : text}${type}`;
}
