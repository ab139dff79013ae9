/**
 * Typed answers of tiny models. What a result, a call or the request already says is copied by code: by the name of the field, or as
 * the only value that can be meant. The model fills the rest, but no number that nobody has given.
 */

import { isObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { readJson } from '../read-json.ts';
import { kindsOf } from '../strict.ts';
import type { Turn } from './turn.ts';

export interface FilledOutput {
  value: JsonObject;
  /** Fields that hold what the model wrote. */
  byModel: string[];
}

/** Undefined when a required field cannot be filled; `written` is the model's reply. */
export function fillOutput(schema: JsonObject, written: string, turn: Turn): FilledOutput | undefined {
  const reading = readJson(written);
  const own = reading.ok && isObject(reading.value) ? reading.value : {};
  const results = turn.results.filter(({ success }) => success).map(({ content }) => parsed(content));
  const sources = [...results.toReversed(), ...turn.calls.map((call) => call.arguments).toReversed()];
  const known = numbersIn([turn.request, ...turn.files, JSON.stringify(sources)].join('\n'));
  const properties = Object.entries(isObject(schema.properties) ? schema.properties : {});
  const required = Array.isArray(schema.required) ? schema.required : [];
  const filled: FilledOutput = { value: {}, byModel: [] };
  for (const [name, property] of properties) {
    const copied = sources.map((source) => fitted(valueNamed(name, source), property, schema)).find(isGiven);
    const said = fitted(own[name], property, schema);
    if (copied === undefined && isGiven(said) && isSupported(said, known)) filled.byModel.push(name);
    const value = copied ?? (filled.byModel.includes(name) ? said : undefined);
    if (isGiven(value)) filled.value[name] = value;
  }
  // What is still missing is the one value of the last result that no other field has.
  for (const [name, property] of properties) {
    if (!required.includes(name) || Object.hasOwn(filled.value, name)) continue;
    const left = leavesOf(results.at(-1) ?? null).filter((leaf) => !Object.values(filled.value).includes(leaf));
    const value = fitted(onlyOne(left, kindsOf(property, schema)), property, schema);
    if (!isGiven(value)) return undefined;
    filled.value[name] = value;
  }
  return {
    ...filled,
    value: Object.fromEntries(properties.flatMap(([name]) => (isGiven(filled.value[name]) ? [[name, filled.value[name]!]] : []))),
  };
}

function isGiven(value: Json | undefined): value is Json {
  return value !== undefined;
}

/** The value as the field's kind; undefined when it is of another, or not among the choices. */
function fitted(value: Json | undefined, property: Json, root: JsonObject): Json | undefined {
  if (value === undefined) return undefined;
  const kinds = kindsOf(property, root);
  const choices = isObject(property) ? property.enum : undefined;
  if (Array.isArray(choices)) return choices.includes(value) ? value : undefined;
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const isWhole = typeof value !== 'number' || kinds.includes('number') || Number.isInteger(value);
  if (kinds.length === 0 || kinds.includes(kind) || (kind === 'number' && kinds.includes('integer') && isWhole)) return value;
  if (typeof value === 'number' && kinds.includes('string')) return String(value);
  const isNumber = typeof value === 'string' && /^-?\d{1,15}(?:\.\d+)?$/.test(value.trim());
  return isNumber && (kinds.includes('number') || kinds.includes('integer')) ? fitted(Number(value), property, root) : undefined;
}

/** By name, whatever its case and punctuation, nearest to the root. */
function valueNamed(name: string, source: Json): Json | undefined {
  let level: Json[] = [source];
  while (level.length > 0) {
    const entries = level.filter((one) => isObject(one)).flatMap((object) => Object.entries(object));
    const found = entries.find(([key]) => letters(key) === letters(name));
    if (found) return found[1];
    level = entries.map(([, value]) => value);
  }
  return undefined;
}

/** The only one of these kinds; else, where there is but one at all, that one. */
function onlyOne(leaves: readonly Json[], kinds: readonly string[]): Json | undefined {
  const fitting = leaves.filter((leaf) => kinds.includes(typeof leaf) || (typeof leaf === 'number' && kinds.includes('integer')));
  const choice = fitting.length > 0 ? fitting : leaves;
  return choice.length === 1 ? choice[0] : undefined;
}

function leavesOf(value: Json): Json[] {
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : value === null ? [] : [value];
}

function isSupported(value: Json, known: ReadonlySet<string>): boolean {
  return [...numbersIn(JSON.stringify(value))].every((number) => known.has(number));
}

function numbersIn(text: string): Set<string> {
  return new Set((text.normalize('NFKC').match(/\d+(?:\.\d+)?/g) ?? []).map((number) => String(Number(number))));
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function parsed(content: string): Json {
  const reading = readJson(content);
  return reading.ok ? reading.value : content;
}
