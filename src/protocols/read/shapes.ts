/** The shapes in which models write a call as JSON, and what makes a JSON value a call at all. */

import { isObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { readArguments } from '../read-json.ts';

export interface ReadCall {
  name: string;
  arguments: JsonObject;
  /** What was mended, as snake_case names. */
  repairs: string[];
}
export interface CallProblem {
  /** truncated, unreadable, too_large, bad_arguments, unknown_tool */
  code: string;
  message: string;
  name?: string;
}
export type Item = { call: ReadCall } | { problem: CallProblem };

const NAME_KEYS = ['name', 'tool', 'tool_name', 'function_name', 'function', 'action'];
const ARGUMENT_KEYS = [
  'arguments',
  'parameters',
  'args',
  'params',
  'kwargs',
  'input',
  'tool_input',
  'action_input',
  'tool_arguments',
  'tool_parameters',
];
/** Keys that stand beside a call and are no arguments. */
const OTHER_KEYS = new Set([
  'id',
  'type',
  'index',
  'call_id',
  'tool_call_id',
  'thought',
  'thoughts',
  'reasoning',
  'status',
  'role',
  'content',
]);
const LISTS = ['tool_calls', 'function_calls', 'calls', 'actions', 'tools'];
const WRAPPERS = ['function_call', 'tool_call', 'function', 'tool', 'call'];

const VALID_NAME = /^[\p{L}\p{N}_$](?:[\p{L}\p{N}_$.:/-]{0,126}[\p{L}\p{N}_$])?$/u;
/** Names that stand for a name in a description of the format. */
const PLACEHOLDER = /^(?:function|tool|action)?[-_ ]?name$|^(?:your|the|some)[-_]/i;

/**
 * The name without its namespace: where the dialect adds one (`namespaced`), or where only the
 * plain name is known. Some tools really are called `functions.x`.
 */
export function plainName(written: string, tools: readonly string[] | undefined, namespaced = false): string {
  const name = written.trim();
  const plain = name.replace(/^(?:functions?|tools|default_api)\./, '').replace(/:\d+$/, '');
  const isPlain = tools === undefined ? namespaced : !tools.includes(name) && (namespaced || tools.includes(plain));
  return isPlain && plain !== '' ? plain : name;
}

export function isCallName(name: string, tools: readonly string[] | undefined): boolean {
  return tools?.includes(name) === true || (VALID_NAME.test(name) && !PLACEHOLDER.test(name));
}

/**
 * The calls that a JSON value holds. `marked`: a tag of some family says that it is a call, so it
 * may lack its arguments or carry them flat; without a tag only the full shape counts.
 * Undefined = it is no call.
 */
export function callsIn(value: Json, marked: boolean, tools: readonly string[] | undefined): Item[] | undefined {
  if (Array.isArray(value)) {
    const items = value.map((element) => callsIn(element, marked, tools));
    const isNone = marked ? items.every((item) => item === undefined) : items.length === 0 || items.includes(undefined);
    return isNone ? undefined : items.flatMap((item) => item ?? []);
  }
  if (!isObject(value)) return undefined;
  const list = LISTS.map((key) => value[key]).find((held) => Array.isArray(held));
  if (list !== undefined) return callsIn(list, marked, tools);
  const wrapped = WRAPPERS.map((key) => value[key]).find(isObject);
  if (wrapped !== undefined && typeof value.name !== 'string') return callsIn(wrapped, marked, tools);
  const item = marked ? markedCall(value, tools) : plainCall(value, tools);
  return item === undefined ? undefined : [item];
}

/** Whether the call, or the last of a list, has arguments of its own. */
export function hasArguments(value: Json): boolean {
  const last = Array.isArray(value) ? value.at(-1) : value;
  return !isObject(last) || !('name' in last) || Object.keys(last).length > 1;
}

function markedCall(value: JsonObject, tools: readonly string[] | undefined): Item | undefined {
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string');
  if (nameKey === undefined) return keyedCall(value, tools);
  const name = plainName(value[nameKey] as string, tools);
  if (!isCallName(name, tools)) return undefined;
  const argumentKey = ARGUMENT_KEYS.find((key) => key !== nameKey && key in value);
  if (argumentKey !== undefined) return withArguments(name, value[argumentKey]!);
  const flat = Object.entries(value).filter(([key]) => key !== nameKey && !OTHER_KEYS.has(key));
  return { call: { name, arguments: Object.fromEntries(flat), repairs: flat.length > 0 ? ['flat_arguments'] : [] } };
}

/** {"get_weather": {"city": "Paris"}} */
function keyedCall(value: JsonObject, tools: readonly string[] | undefined): Item | undefined {
  const [entry, ...others] = Object.entries(value);
  if (entry === undefined || others.length > 0 || !isObject(entry[1]) || !tools?.includes(entry[0])) return undefined;
  return { call: { name: entry[0], arguments: entry[1], repairs: [] } };
}

function plainCall(value: JsonObject, tools: readonly string[] | undefined): Item | undefined {
  const nameKey = NAME_KEYS.find((key) => typeof value[key] === 'string');
  const argumentKey = ARGUMENT_KEYS.find((key) => key !== nameKey && key in value);
  if (nameKey === undefined || argumentKey === undefined) return undefined;
  const name = plainName(value[nameKey] as string, tools);
  const held = value[argumentKey]!;
  if (!isCallName(name, tools) || !(held === null || isObject(held) || (typeof held === 'string' && /^\s*(?:\{|$)/.test(held))))
    return undefined;
  const known = tools?.includes(name) === true;
  const strange = Object.keys(value).some((key) => key !== nameKey && key !== argumentKey && !OTHER_KEYS.has(key));
  if (strange && !known) return undefined;
  if (tools !== undefined && !tools.some((tool) => letters(tool) === letters(name))) {
    return { problem: { code: 'unknown_tool', message: `there is no tool ${JSON.stringify(name)}`, name } };
  }
  return withArguments(name, held);
}

/** A near-miss in case or punctuation is left to those who find the tool; a different word is no tool of ours. */
function letters(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

export function withArguments(name: string, held: Json, repairs: readonly string[] = []): Item {
  if (isObject(held)) return { call: { name, arguments: held, repairs: [...repairs] } };
  const reading = readArguments(typeof held === 'string' ? held : JSON.stringify(held));
  if (!reading.ok) return { problem: { code: 'bad_arguments', message: `the arguments of ${name}: ${reading.message}`, name } };
  const decoded = typeof held === 'string' && held.trim() !== '' ? ['double_encoded'] : [];
  return { call: { name, arguments: reading.value, repairs: [...repairs, ...decoded, ...reading.repairs] } };
}
