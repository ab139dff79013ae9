/** One value as the type that a schema asks for, when nothing is lost by it. What is not safe stays for the validator. */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { follow } from './schema.ts';
import { inspect } from './validate.ts';

/** A name as it is compared: letter case and punctuation do not count, signs that say something (`price<`, `!active`, `c#`) do. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}!<>=~^+#%&|]/gu, '');
}

/** The schema behind local references, and the one branch beside null of a nullable one. */
export function schemaOf(schema: Json | undefined, root: JsonObject, hops = 0): JsonObject | undefined {
  if (!isObject(schema) || hops > 10) return undefined;
  if (typeof schema.$ref === 'string') return schemaOf(follow(root, schema.$ref) as Json, root, hops + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return schema as JsonObject;
  const real = branches.filter((branch) => !(isObject(branch) && branch.type === 'null'));
  if (real.length !== 1 || real.length === branches.length) return undefined;
  const only = schemaOf(real[0] as Json, root, hops + 1);
  return only && { ...only, type: [...typesOf(only), 'null'] };
}

/** The branches of a union that is more than nullable. */
export function branchesOf(schema: Json | undefined, root: JsonObject): JsonObject[] {
  const target = isObject(schema) && typeof schema.$ref === 'string' ? follow(root, schema.$ref) : schema;
  const branches = isObject(target) ? (target.anyOf ?? target.oneOf) : undefined;
  return Array.isArray(branches) ? branches.filter(isObject).map((branch) => branch as JsonObject) : [];
}

export function typesOf(schema: JsonObject): string[] {
  if (schema.type !== undefined) return [schema.type].flat() as string[];
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map((one) => (one === null ? 'null' : typeof one)))];
  return isObject(schema.properties) ? ['object'] : [];
}

/** No declared type fits everything. */
export function fits(types: readonly string[], value: Json): boolean {
  if (types.length === 0) return true;
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number' && Number.isInteger(value) && types.includes('integer')) return true;
  return types.includes(typeof value);
}

/** The value as one of the types when nothing is lost by it; else the value itself. */
export function convert(types: readonly string[], value: Json): Json {
  // of a fraction nobody knows the digits that were written: 1.10 is 1.1 by now
  if (typeof value === 'number' && types.includes('string')) return Number.isSafeInteger(value) ? String(value) : value;
  if (typeof value !== 'string') return value;
  if (types.includes('null') && isNullWord(value)) return null;
  if (types.includes('integer') || types.includes('number')) {
    const number = toNumber(value, !types.includes('number'));
    if (number !== undefined) return number;
  }
  if (types.includes('boolean') && /^\s*(?:true|false)\s*$/i.test(value)) return value.trim().toLowerCase() === 'true';
  if (types.includes('object') && /^\s*\{/.test(value)) return decoded(value, isObject) ?? value;
  if (types.includes('array') && /^\s*[[(]/.test(value)) return decoded(value, Array.isArray) ?? value;
  return value;
}

/** null in the words of some language. */
export function isNullWord(text: string): boolean {
  return /^\s*(?:null|none|undefined)\s*$/i.test(text);
}

/** "12" -> 12; undefined when the text is no number in JSON's spelling ("00123", "1,000", "yes") or has more digits than a double holds. */
export function toNumber(text: string, wholeOnly: boolean): number | undefined {
  if (text.length > 40) return undefined;
  const plain = text.normalize('NFKC').trim();
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain) || !isExact(plain)) return undefined;
  const number = Number(plain);
  const isKept = Number.isFinite(number) && (Math.abs(number) >= SMALLEST || !/[1-9]/.test(plain.replace(/e.*/i, '')));
  return isKept && (!wholeOnly || Number.isSafeInteger(number)) ? number : undefined;
}

/** Nearer to zero a double keeps fewer digits, and at last none. */
const SMALLEST = 2.3e-308;

/** A double keeps every number of up to 15 significant digits, and every safe integer. */
function isExact(text: string): boolean {
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return true;
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15;
}

/** Characters; what is longer no pattern is tried on. */
const MOST_PYTHON = 1_000_000;

/** Double encoding: JSON, or a Python list or dict of plain values, inside a string; decoded once and inspected like the rest. */
export function decoded(text: string, wanted: (value: unknown) => boolean): Json | undefined {
  const value = parsed(text) ?? (text.length > MOST_PYTHON ? undefined : parsed(fromPython(text)));
  return value !== undefined && wanted(value) && !inspect({ value }).problem ? value : undefined;
}

/** ['a', 1, True] in JSON's spelling. What is in quotes is a text whatever it says; with escapes that JSON may read otherwise it stays. */
function fromPython(text: string): string {
  const plain = text.trim();
  const listed = /^\([\s\S]*\)$/.test(plain) ? `[${plain.slice(1, -1).trimEnd().replace(/,$/, '')}]` : plain;
  return listed.replace(/'((?:[^'\\]|\\[\s\S])*)'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|\b(?:True|False|None)\b/g, (part, inner?: string) => {
    if (inner === undefined) return part === 'None' ? 'null' : /^[TF]/.test(part) ? part.toLowerCase() : part;
    if (/\\[^'"\\nt]/.test(inner.replaceAll('\\\\', ''))) return part;
    return `"${inner.replace(/\\[\s\S]|"/g, (one) => (one === "\\'" ? "'" : one === '"' ? '\\"' : one))}"`;
  });
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A value of the enum in its own spelling, when only one differs by nothing else than letter case, width and separators of words. */
export function asListed(listed: readonly Json[], value: Json): Json {
  if (typeof value !== 'string' || listed.includes(value)) return value;
  const spellings = [
    (text: string) => text.normalize('NFKC').trim().toLowerCase(),
    (text: string) =>
      text
        .normalize('NFKC')
        .toLowerCase()
        .trim()
        .replace(/(?<=[\p{L}\p{N}])[\s_-]+(?=\p{L})|(?<=\p{L})[\s_-]+(?=\p{N})/gu, ''), // a sign, and what parts two numbers, counts
  ];
  for (const spelling of spellings) {
    const alike = listed.filter((one) => typeof one === 'string' && spelling(one) === spelling(value));
    if (alike.length === 1) return alike[0]!;
    if (alike.length > 1) return value;
  }
  return value;
}
