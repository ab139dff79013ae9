/** Arguments one level too deep or too flat: taken out of a wrapper, or put into the one object that they belong to. */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { bareName, decoded, schemaOf } from './convert.ts';

export interface UnwrapRules {
  schema: JsonObject;
  /** Each way to write a name -> the name. */
  names: ReadonlyMap<string, string | undefined>;
  tool?: string;
  note(text: string): void;
}

/** Words that models wrap all arguments in. */
const WRAPPERS = new Set([
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
  'inputs',
  'kwargs',
  'properties',
  'payload',
  'toolinput',
  'functionarguments',
]);
/** Words for a part of the arguments that say nothing of it themselves (`exclude` or `old` would). */
const GROUPS = new Set([
  ...WRAPPERS,
  ...`option options opts setting settings config configuration filter filters query data body details info request fields values attributes
  extra optional required additional additionaloptions searchparams queryparams criteria preferences`.split(/\s+/),
]);
/** Keys beside such a wrapper that name the call. */
const LABELS = new Set(['name', 'tool', 'toolname', 'function', 'functionname', 'type', 'action']);
const MOST_LEVELS = 3;
/** Nobody wraps a thousand arguments. */
const MOST_KEYS = 100;

export function unwrapped(given: JsonObject, rules: UnwrapRules): JsonObject {
  let args = given;
  if (Object.keys(given).length > MOST_KEYS) return given;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const next = outOfWrapper(args, rules) ?? outOfGroup(args, rules);
    if (!next) break;
    args = next;
  }
  return intoGroup(args, rules);
}

function nameOf(key: string, { schema, names }: UnwrapRules): string | undefined {
  return Object.hasOwn(schema.properties as object, key) ? key : names.get(bareName(key));
}

function objectIn(value: Json | undefined): JsonObject | undefined {
  if (isObject(value)) return value as JsonObject;
  return typeof value === 'string' && /^\s*\{/.test(value) ? (decoded(value, isObject) as JsonObject | undefined) : undefined;
}

/** All of them in one object: { arguments: {...} }, { TOOL: {...} }, { name: TOOL, parameters: {...} }. */
function outOfWrapper(args: JsonObject, rules: UnwrapRules): JsonObject | undefined {
  const tool = bareName(rules.tool ?? '');
  for (const [key, value] of Object.entries(args)) {
    const isWrapper = nameOf(key, rules) === undefined && (WRAPPERS.has(bareName(key)) || bareName(key) === tool);
    const inner = isWrapper ? objectIn(value) : undefined;
    if (!inner) continue;
    const isLabel = ([label, text]: [string, Json]) => {
      const names = LABELS.has(bareName(label)) && typeof text === 'string' && (bareName(text) === tool || text === 'function');
      return names && (nameOf(label, rules) === undefined || Object.hasOwn(inner, label)); // its own argument `name` is inside
    };
    if (!Object.entries(args).every((entry) => entry[0] === key || isLabel(entry))) return undefined;
    rules.note(`taken out of ${key}`);
    return inner;
  }
  return undefined;
}

/** Some of them in an object that the schema does not know: { city, options: { days } } for { city, days }. */
function outOfGroup(args: JsonObject, rules: UnwrapRules): JsonObject | undefined {
  const taken = new Set(Object.keys(args).map((key) => nameOf(key, rules)));
  for (const [key, value] of Object.entries(args)) {
    const inner = nameOf(key, rules) === undefined && GROUPS.has(bareName(key)) ? objectIn(value) : undefined;
    const names = Object.keys(inner ?? {}).map((one) => nameOf(one, rules));
    if (!inner || names.length === 0 || names.some((name) => name === undefined || taken.has(name))) continue;
    rules.note(`${names.join(', ')} taken out of ${key}`);
    const { [key]: _, ...rest } = args;
    return { ...rest, ...inner };
  }
  return undefined;
}

/** The other way: a required object is missing, and unknown arguments are all that it needs. */
function intoGroup(args: JsonObject, rules: UnwrapRules): JsonObject {
  const { schema } = rules;
  for (const name of Array.isArray(schema.required) ? schema.required : []) {
    const given = Object.keys(args).some((key) => nameOf(key, rules) === name);
    const group = given ? undefined : schemaOf((schema.properties as JsonObject)[name as string], schema);
    if (!isObject(group?.properties)) continue;
    const own = new Map(Object.keys(group.properties).map((key) => [bareName(key), key]));
    const meant = Object.keys(args).filter((key) => nameOf(key, rules) === undefined && own.has(bareName(key)));
    const found = meant.map((key) => own.get(bareName(key)));
    const needed = Array.isArray(group.required) ? group.required : [...own.values()];
    if (meant.length === 0 || !needed.every((key) => found.includes(key as string))) continue;
    if (Object.entries(schema.properties as JsonObject).some(([other, one]) => other !== name && couldHold(one, found, schema))) continue;
    rules.note(`${meant.join(', ')} put into ${name}`);
    const rest = Object.fromEntries(Object.entries(args).filter(([key]) => !meant.includes(key)));
    return { ...rest, [name as string]: Object.fromEntries(meant.map((key) => [own.get(bareName(key))!, args[key]!])) };
  }
  return args;
}

/** Another group that has one of these names: nobody knows which of the two is meant. */
function couldHold(property: Json, names: readonly (string | undefined)[], root: JsonObject): boolean {
  const properties = schemaOf(property, root)?.properties;
  return isObject(properties) && names.some((name) => name !== undefined && Object.hasOwn(properties, name));
}
