/**
 * The argument adapter: what a model clearly meant, made into what the tool declares. Only arguments that are not valid as
 * they are get here, so a valid call is never changed. Each change is a Repair; what is not safe to mend stays for the validator.
 */

import { nearest } from '../kernel/errors.ts';
import { stableJson } from '../kernel/text.ts';
import type { Json, JsonObject, Repair } from '../kernel/types.ts';
import { follow, isObject } from './schema.ts';
import { inspect } from './validate.ts';

/** A name as it is compared: letter case and punctuation do not count. */
export function bareName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export interface AdaptRules {
  aliases?: Readonly<Record<string, string>>;
  /** Unknown arguments are dropped with a note (reading tools) or refused (all others). */
  unknown: 'drop' | 'refuse';
}
export interface Adapted {
  arguments: JsonObject;
  repairs: Repair[];
  /** What cannot be mended and the schema may not see, one line each. */
  problems: string[];
}

/** Whether some argument is one that the schema does not name; what the schema leaves open by word is known. */
export function hasUnknown(schema: JsonObject, args: JsonObject): boolean {
  if (isOpen(schema)) return false;
  for (const key in args) if (!Object.hasOwn(schema.properties as object, key)) return true;
  return false;
}

export function adaptArguments(schema: JsonObject, args: JsonObject, rules: AdaptRules): Adapted {
  const work: Work = { root: schema, rules, repairs: [], problems: [] };
  const adapted = fixObject(schema, args, 'arguments', work);
  return { arguments: adapted, repairs: work.repairs, problems: work.problems };
}

interface Work {
  root: JsonObject;
  rules: AdaptRules;
  repairs: Repair[];
  problems: string[];
}

/** The log holds so many changes of one call, the model sees so many problems; what goes beyond is garbage by the thousand. */
const MOST_NOTES = 50;
const MOST_PROBLEMS = 8;

function note(work: Work, kind: string, path: string, text: string): void {
  if (work.repairs.length > MOST_NOTES) return;
  if (work.repairs.length < MOST_NOTES) work.repairs.push({ kind, path, note: text, by: 'rail' });
  else work.repairs.push({ kind: 'more', path: 'arguments', note: 'further changes are not listed', by: 'rail' });
}

/** No property is declared, or more are allowed by word: every key is known. */
function isOpen(schema: JsonObject): boolean {
  const more = schema.additionalProperties;
  return !isObject(schema.properties) || more === true || isObject(more) || schema.patternProperties !== undefined;
}

function fixObject(schema: JsonObject, value: JsonObject, path: string, work: Work): JsonObject {
  const properties = (isObject(schema.properties) ? schema.properties : {}) as JsonObject;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fixed = renameKeys(schema, properties, value, path, work);
  for (const [key, part] of Object.entries(fixed)) {
    if (!Object.hasOwn(properties, key)) continue;
    const wanted = schemaOf(properties[key], work.root);
    if (part === null && !required.includes(key) && wanted && !fits(typesOf(wanted), null)) {
      delete fixed[key];
      note(work, 'dropped', `${path}.${key}`, 'null for an optional argument');
    } else fixed[key] = fix(wanted, part, `${path}.${key}`, work);
  }
  for (const key of required) {
    const property = typeof key === 'string' && Object.hasOwn(properties, key) && !Object.hasOwn(fixed, key) ? properties[key] : undefined;
    if (!isObject(property) || property.default === undefined) continue;
    fixed[key as string] = property.default as Json;
    note(work, 'default', `${path}.${key}`, `filled with the default ${JSON.stringify(property.default)}`);
  }
  return fixed;
}

/** Keys in the schema's own spelling. A declared alias counts on the top level only. */
function renameKeys(schema: JsonObject, properties: JsonObject, value: JsonObject, path: string, work: Work): JsonObject {
  const byBareName = new Map<string, string | undefined>();
  for (const name of Object.keys(properties)) byBareName.set(bareName(name), byBareName.has(bareName(name)) ? undefined : name);
  if (path === 'arguments') for (const [alias, name] of Object.entries(work.rules.aliases ?? {})) byBareName.set(bareName(alias), name);
  const isRoot = schema === work.root;
  const closed = isRoot ? !isOpen(schema) : schema.additionalProperties === false;
  const fixed: JsonObject = {};
  const given = Object.entries(value);
  const isGarbage = given.length > 1000; // nobody misspells that many names
  for (const [key, part] of given) {
    const name = Object.hasOwn(properties, key) ? key : isGarbage ? undefined : byBareName.get(bareName(key));
    if (name === undefined) {
      if (!closed) fixed[key] = part;
      else unknownKey(key, Object.keys(properties), path, work);
    } else if (name === key) fixed[key] = part;
    else if (!Object.hasOwn(value, name) && !Object.hasOwn(fixed, name)) {
      fixed[name] = part;
      note(work, 'renamed', `${path}.${name}`, `${key} -> ${name}`);
    } else if (stableJson(value[name] ?? fixed[name]) === stableJson(part)) note(work, 'dropped', `${path}.${key}`, `the same as ${name}`);
    else work.problems.push(`${path}.${key}: means ${name}, which is given with another value; give only ${name}`);
  }
  return fixed;
}

function unknownKey(key: string, known: string[], path: string, work: Work): void {
  if (work.rules.unknown === 'drop') {
    note(work, 'dropped', `${path}.${key}`, 'unknown argument');
    return;
  }
  if (work.problems.length >= MOST_PROBLEMS) return;
  const near = nearest(key.slice(0, 64), known);
  work.problems.push(`${path}.${key}: unknown argument; ${near ? `did you mean ${near}?` : `known are ${known.join(', ') || 'none'}`}`);
}

function fix(schema: JsonObject | undefined, value: Json, path: string, work: Work): Json {
  if (!schema) return value;
  const types = typesOf(schema);
  const same = fits(types, value) ? value : convert(types, value);
  if (!Object.is(same, value)) note(work, 'converted', path, `${brief(value)} -> ${brief(same)}`);
  if (Array.isArray(same)) {
    const items = schemaOf(schema.items, work.root);
    return items ? same.map((part, i) => fix(items, part, `${path}[${i}]`, work)) : same;
  }
  if (isObject(same)) return isObject(schema.properties) ? fixObject(schema, same as JsonObject, path, work) : same;
  return fixLetterCase(schema, same, path, work);
}

/** A value of an enum in its own letter case, when only one differs by nothing else. */
function fixLetterCase(schema: JsonObject, value: Json, path: string, work: Work): Json {
  if (typeof value !== 'string' || !Array.isArray(schema.enum) || schema.enum.includes(value)) return value;
  const alike = schema.enum.filter((one) => typeof one === 'string' && one.toLowerCase() === value.trim().toLowerCase());
  if (alike.length !== 1) return value;
  note(work, 'converted', path, `${brief(value)} -> ${brief(alike[0]!)}`);
  return alike[0]!;
}

/** The schema behind local references, and the one branch beside null of a nullable one. */
function schemaOf(schema: Json | undefined, root: JsonObject, hops = 0): JsonObject | undefined {
  if (!isObject(schema) || hops > 10) return undefined;
  if (typeof schema.$ref === 'string') return schemaOf(follow(root, schema.$ref) as Json, root, hops + 1);
  const branches = schema.anyOf ?? schema.oneOf;
  if (!Array.isArray(branches)) return schema as JsonObject;
  const real = branches.filter((branch) => !(isObject(branch) && branch.type === 'null'));
  if (real.length !== 1 || real.length === branches.length) return undefined;
  const only = schemaOf(real[0] as Json, root, hops + 1);
  return only && { ...only, type: [...typesOf(only), 'null'] };
}

function typesOf(schema: JsonObject): string[] {
  if (schema.type !== undefined) return [schema.type].flat() as string[];
  if (Array.isArray(schema.enum)) return [...new Set(schema.enum.map((one) => (one === null ? 'null' : typeof one)))];
  return isObject(schema.properties) ? ['object'] : [];
}

/** No declared type fits everything. */
function fits(types: readonly string[], value: Json): boolean {
  if (types.length === 0) return true;
  if (value === null) return types.includes('null');
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number' && Number.isInteger(value) && types.includes('integer')) return true;
  return types.includes(typeof value);
}

/** The value as one of the types when nothing is lost by it; else the value itself. */
function convert(types: readonly string[], value: Json): Json {
  if (typeof value === 'number' && types.includes('string'))
    return /^-?[\d.]+$/.test(String(value)) && isExact(String(value)) ? String(value) : value;
  if (typeof value !== 'string') return value;
  if (types.includes('integer') || types.includes('number')) {
    const number = toNumber(value, !types.includes('number'));
    if (number !== undefined) return number;
  }
  if (types.includes('boolean') && /^\s*(?:true|false)\s*$/i.test(value)) return value.trim().toLowerCase() === 'true';
  if (types.includes('object') && /^\s*\{/.test(value)) return decoded(value, isObject) ?? value;
  if (types.includes('array') && /^\s*\[/.test(value)) return decoded(value, Array.isArray) ?? value;
  return value;
}

/** "12" -> 12; undefined when the text is no number in JSON's spelling ("00123", "1,000", "yes") or has more digits than a double holds. */
function toNumber(text: string, wholeOnly: boolean): number | undefined {
  if (text.length > 40) return undefined;
  const plain = text.normalize('NFKC').trim();
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(plain) || !isExact(plain)) return undefined;
  const number = Number(plain);
  return Number.isFinite(number) && (!wholeOnly || Number.isSafeInteger(number)) ? number : undefined;
}

/** A double keeps every number of up to 15 significant digits, and every safe integer. */
function isExact(text: string): boolean {
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))) return true;
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15;
}

/** Double encoding: JSON inside a string, decoded once and inspected like the rest. */
function decoded(text: string, wanted: (value: unknown) => boolean): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return wanted(value) && !inspect({ value }).problem ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function brief(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
