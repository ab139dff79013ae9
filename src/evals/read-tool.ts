/** `[tool.NAME]` of a case file: a tool whose results are written down. */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { aboveZero, anything, type Check, type Checks, isList, isText, type Place, table } from './fields.ts';
import type { ScriptedTool } from './types.ts';

const level: Check = ['"read", "write" or "dangerous"', (value) => ['read', 'write', 'dangerous'].includes(value as string)];
const flag: Check = ['true or false', (value) => typeof value === 'boolean'];
const tables: Check = ['a list of tables', isList(isObject)];
const RESULT: Checks = { result: anything, fails: ['the text of the failure', isText], code: ['a code such as not_found', isText] };
const TOOL: Checks = {
  description: ['a text that says when to use it', isText],
  level,
  input: ['a table: argument -> type, or a JSON Schema', isObject],
  aliases: table,
  examples: [
    'a list of { request, arguments, result, answer }',
    isList((one) => isObject(one) && isText(one.request) && isObject(one.arguments)),
  ],
  keywords: ['a text', isText],
  untrusted: flag,
  private: flag,
  outward: flag,
  ...RESULT,
  when: tables,
  sequence: tables,
  delay_seconds: aboveZero,
};
/** A case that gives one of these takes the place of all of them. */
const BEHAVIOUR = ['result', 'fails', 'code', 'when', 'sequence', 'delay_seconds'];

/** A case's own tables lie over those of the file: usually another result of the same tool. */
export function readTools(place: Place, file: JsonObject, own: JsonObject): Record<string, ScriptedTool> {
  const names = new Set([...Object.keys(file), ...Object.keys(own)]);
  return Object.fromEntries([...names].map((name) => [name, readTool(place.at(name), laidOver(file[name], own[name]))]));
}

function laidOver(below: Json | undefined, above: Json | undefined): Json {
  if (!isObject(below) || !isObject(above)) return above ?? below ?? {};
  const changes = BEHAVIOUR.some((key) => Object.hasOwn(above, key));
  return { ...Object.fromEntries(Object.entries(below).filter(([key]) => !changes || !BEHAVIOUR.includes(key))), ...above };
}

function readTool(place: Place, given: Json): ScriptedTool {
  const { input, when, sequence, ...rest } = place.table(given, TOOL, ['description']);
  return {
    description: '',
    level: 'read',
    ...(rest as Partial<ScriptedTool>),
    input: schemaOf(place.at('input'), input ?? {}),
    ...(when ? { when: each(place.at('when'), when, { arguments: table, ...RESULT }, ['arguments']) } : {}),
    ...(sequence ? { sequence: each(place.at('sequence'), sequence, RESULT) } : {}),
  } as ScriptedTool;
}

function each(place: Place, list: Json, checks: Checks, required: string[] = []): JsonObject[] {
  return (list as JsonObject[]).map((one, index) => place.at(index).table(one, checks, required));
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

/** `{ city = "string", days = "integer?: how many" }`, or a JSON Schema as it is. */
function schemaOf(place: Place, input: Json): JsonObject {
  const given = input as JsonObject;
  if (given.type === 'object' && isObject(given.properties)) return given;
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const [, type, optional, description] = /^(\w+)(\??)(?:\s*:\s*(.+))?$/su.exec(String(value)) ?? [];
    if (type === undefined || !TYPES.includes(type)) {
      place.at(name).expected(`a type (${TYPES.join(', ')}), with ? when it may be absent and ": description"`, value);
      continue;
    }
    properties[name] = { type, ...(description ? { description } : {}) };
    if (optional === '') required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: false };
}
