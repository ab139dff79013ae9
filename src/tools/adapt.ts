/**
 * The argument adapter: what a model clearly meant, made into what the tool declares. Only arguments that are not valid as
 * they are get here, so a valid call is never changed. Each change is a Repair; what is not safe to mend stays for the validator.
 */

import { nearest } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { stableJson } from '../kernel/text.ts';
import type { Json, JsonObject, Repair } from '../kernel/types.ts';
import { asListed, bareName, branchesOf, convert, decoded, fits, isNullWord, schemaOf, toNumber, typesOf } from './convert.ts';
import { surelyValid } from './plain.ts';
import { unwrapped } from './unwrap.ts';

export interface AdaptRules {
  /** Name of the tool: models wrap arguments in it. */
  tool?: string;
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
  const names = namesOf(schema, rules.aliases);
  const whole = isOpen(schema)
    ? args
    : unwrapped(args, { schema, names, ...rules, note: (text) => note(work, 'unwrapped', 'arguments', text) });
  const adapted = fixObject(schema, whole, 'arguments', work);
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

// ---- objects -----------------------------------------------------------------------------------------------

function fixObject(schema: JsonObject, value: JsonObject, path: string, work: Work): JsonObject {
  const properties = (isObject(schema.properties) ? schema.properties : {}) as JsonObject;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const others = isObject(schema.additionalProperties) ? (schema.additionalProperties as JsonObject) : undefined;
  const fixed = renameKeys(schema, properties, value, path, work);
  for (const [key, part] of Object.entries(fixed)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : others;
    if (property === undefined) continue;
    const wanted = schemaOf(property, work.root);
    if (wanted && !required.includes(key) && saysNothing(part, wanted)) {
      delete fixed[key];
      note(work, 'dropped', `${path}.${key}`, `${brief(part)} for an optional argument`);
    } else fixed[key] = fix(property, part, `${path}.${key}`, work, key);
  }
  for (const key of required) {
    const property = typeof key === 'string' && Object.hasOwn(properties, key) && !Object.hasOwn(fixed, key) ? properties[key] : undefined;
    if (!isObject(property) || property.default === undefined) continue;
    fixed[key as string] = property.default as Json;
    note(work, 'default', `${path}.${key}`, `filled with the default ${JSON.stringify(property.default)}`);
  }
  return fixed;
}

/** null, or a word for it where neither a text nor null is wanted. An empty text is none: it may stand for something that got lost. */
function saysNothing(value: Json, wanted: JsonObject): boolean {
  const isNull = value === null || (typeof value === 'string' && isNullWord(value));
  return isNull && !fits(typesOf(wanted), value) && !fits(typesOf(wanted), null);
}

/** Each way to write a name -> the name; undefined = of two. */
function namesOf(schema: JsonObject, aliases: AdaptRules['aliases']): Map<string, string | undefined> {
  const names = new Map<string, string | undefined>();
  for (const name of Object.keys((schema.properties ?? {}) as object))
    names.set(bareName(name), names.has(bareName(name)) ? undefined : name);
  for (const [alias, name] of Object.entries(aliases ?? {})) names.set(bareName(alias), name);
  return names;
}

/** Keys in the schema's own spelling. A declared alias counts on the top level only. */
function renameKeys(schema: JsonObject, properties: JsonObject, value: JsonObject, path: string, work: Work): JsonObject {
  const isRoot = schema === work.root;
  const names = namesOf(schema, isRoot ? work.rules.aliases : {});
  const open = isOpen(schema);
  const closed = isRoot ? !open : schema.additionalProperties === false;
  // where other names are declared, only what is missing is looked for
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fixed: JsonObject = {};
  const given = Object.entries(value);
  const isGarbage = given.length > 1000; // nobody misspells that many names
  for (const [key, part] of given) {
    const alike = isGarbage ? undefined : names.get(bareName(key));
    const name = Object.hasOwn(properties, key) ? key : open && !required.includes(alike as string) ? undefined : alike;
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

// ---- values ------------------------------------------------------------------------------------------------

/** `name`: of the property, where the value is one. */
function fix(declared: Json, value: Json, path: string, work: Work, name?: string): Json {
  const schema = schemaOf(declared, work.root);
  if (!schema) return fixBranch(declared, value, path, work);
  const types = typesOf(schema);
  const same = fits(types, value) ? value : reshape(schema, types, value, work, name);
  if (!Object.is(same, value)) note(work, 'converted', path, `${brief(value)} -> ${brief(same)}`);
  if (Array.isArray(same)) return fixItems(schema, same, path, work);
  if (isObject(same))
    return isObject(schema.properties) || isObject(schema.additionalProperties) ? fixObject(schema, same as JsonObject, path, work) : same;
  if (!Array.isArray(schema.enum)) return same;
  const listed = asListed(schema.enum, same);
  if (listed !== same) note(work, 'converted', path, `${brief(same)} -> ${brief(listed)}`);
  return listed;
}

function fixItems(schema: JsonObject, list: Json[], path: string, work: Work): Json[] {
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return list.map((part, i) => {
    const item = first[i] ?? schema.items;
    return item === undefined ? part : fix(item, part, `${path}[${i}]`, work);
  });
}

/** A value of a union: as the only branch that it can be made to fit. */
function fixBranch(declared: Json, value: Json, path: string, work: Work): Json {
  const branches = branchesOf(declared, work.root);
  if (branches.length === 0 || branches.some((branch) => surelyValid(branch, value) || mayHold(branch, value))) return value;
  const tried = branches.map((branch) => {
    const own: Work = { ...work, repairs: [], problems: [] };
    const made = fix(branch, value, path, own);
    return { made, own, fits: own.problems.length === 0 && surelyValid(branch, made) };
  });
  const good = tried.filter((one) => one.fits);
  const [only] = good;
  if (!only || new Set(good.map(({ made }) => stableJson(made))).size > 1) return value;
  for (const { kind, path: at, note: text } of only.own.repairs) note(work, kind, at, text);
  return only.made;
}

/** A plain value of the type of a branch whose further conditions only the validator knows. */
function mayHold(branch: JsonObject, value: Json): boolean {
  const isPlain = typeof value !== 'object' || value === null;
  return isPlain && !Array.isArray(branch.enum) && branch.const === undefined && branch.$ref === undefined && fits(typesOf(branch), value);
}

/** The value converted, or taken out of or put into a list. The value itself when none of it is sure. */
function reshape(schema: JsonObject, types: readonly string[], value: Json, work: Work, name: string | undefined): Json {
  const converted = convert(types, value);
  if (!Object.is(converted, value) && fits(types, converted)) return converted;
  const inner = Array.isArray(value)
    ? value
    : typeof value === 'string' && /^\s*\[/.test(value)
      ? decoded(value, Array.isArray)
      : undefined;
  if (!types.includes('array')) {
    const only = Array.isArray(inner) && inner.length === 1 ? inner[0]! : wrappedValue(value, name);
    if (only === undefined || only === null) return value;
    const made = fits(types, only) ? only : convert(types, only);
    return fits(types, made) ? made : value;
  }
  return name === undefined ? value : (asList(schema, value, work) ?? value);
}

/** { value: x }, or { NAME: x } for the argument NAME; a `type` beside it that is none of JSON is a part of the value (miles). */
function wrappedValue(value: Json, name: string | undefined): Json | undefined {
  if (name === undefined || !isObject(value)) return undefined;
  const { type, description: _, ...rest } = value;
  if (type !== undefined && !/^(?:string|number|integer|boolean|array|object)$/.test(String(type))) return undefined;
  const [entry, ...more] = Object.entries(rest);
  if (!entry || more.length > 0) return undefined;
  return ['value', bareName(name)].includes(bareName(entry[0])) ? (entry[1] as Json) : undefined;
}

/** A single value where a list is wanted. A text that may be several is none: it would have to be guessed where to cut it. */
function asList(schema: JsonObject, value: Json, work: Work): Json[] | undefined {
  const items = schemaOf(schema.items, work.root);
  if (value === null || Array.isArray(schema.prefixItems)) return undefined;
  const types = items ? typesOf(items) : [];
  if (typeof value === 'string' && SEPARATOR.test(value)) return severalIn(value, types, items?.enum);
  if (typeof value === 'string' && !Array.isArray(items?.enum) && MAYBE_SEVERAL.test(value)) return undefined;
  if (types.includes('array')) return undefined;
  const item = fits(types, value) ? value : convert(types, value);
  return fits(types, item) ? [item] : undefined;
}

const SEPARATOR = /[,;，；、|\n]/;
/** Words between two things, and the beginning of a list that could not be read. */
const MAYBE_SEVERAL = /\s(?:and|or|und|oder|et|ou|y|o|[&+/])\s|\p{Script=Han}(?:和|与|及|或|跟)\p{Script=Han}|^\s*[[({"'“「]/iu;

/** "1, 2, 3" and members of an enum can be cut with certainty; other texts cannot. */
function severalIn(text: string, types: readonly string[], listed: Json | undefined): Json[] | undefined {
  const signs = new Set(text.match(/[,;，；、|\n]/g));
  if (signs.size > 1) return undefined; // 1,5; 2,5
  const parts = text.split(SEPARATOR).map((part) => part.trim());
  if (Array.isArray(listed)) {
    const found = parts.map((part) => asListed(listed, part));
    return found.every((one) => listed.includes(one)) ? found : undefined;
  }
  const isNumeric = types.length > 0 && types.every((type) => type === 'integer' || type === 'number');
  const numbers = isNumeric ? parts.map((part) => toNumber(part, !types.includes('number'))) : [];
  // "1,234" and "1,5" are one number in some countries and two in others
  const isSure =
    numbers.length > 0 && !/\d[,，]\d{3}(?!\d)/.test(text) && !(types.includes('number') && /^\s*-?\d+[,，]\d+\s*$/.test(text));
  return isSure && numbers.every((one) => one !== undefined) ? numbers : undefined;
}

function brief(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
