/** `[[case]]` of a case file: from what people wrote to a case, every fault noted. */

import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import {
  aboveZero,
  atLeastOne,
  type Check,
  type Checks,
  isList,
  isNumber,
  isText,
  listOf,
  meant,
  type Place,
  table,
  text,
  texts,
} from './fields.ts';
import { regexOf } from './match.ts';
import { readTools } from './read-tool.ts';
import type { AnswerChecks, Ending, EvalCase, Limits, PathPattern, PathStep, ScriptStep, Turn } from './types.ts';

const ENDINGS: Ending[] = [
  'answer',
  'refusal',
  'question',
  'waiting_for_approval',
  'max_steps',
  'timeout',
  'stopped_by_guard',
  'cancelled',
  'error',
];
const isEnding = (value: unknown) => ENDINGS.includes(value as Ending);
const path: Check = ['"none", "any" or a list of steps', (value) => value === 'none' || value === 'any' || Array.isArray(value)];
const name: Check = ['a text', isText];
const request: Check = ['a text (or, in a case, several requests written [[case.turn]])', isText];
const list: Check = ['a list', Array.isArray];
const fileTexts: Check = [
  'a table: path inside the workspace -> text',
  (value) => isObject(value) && Object.entries(value).every(([path, one]) => typeof one === 'string' && isInside(path)),
];
const regexes: Check = [
  'a regular expression, or a list of them',
  (value) => listOf(value as Json)!.every((one) => isText(one) && isRegex(String(one))),
];
const someTexts: Check = ['a text, or a list of texts', (value) => isText(value) || isList(isText)(value)];

const TURN: Checks = {
  request,
  tools: path,
  outcome: [`${ENDINGS.join(', ')}, or a list of these`, (value) => isEnding(value) || isList(isEnding)(value)],
  answer: table,
  highlights: someTexts,
  output: ['what the output has to be', isMatcher],
  asks: texts,
  files_after: ['a table: path -> what the file has to say', (value) => isObject(value) && isMatcher(value)],
  limits: table,
  output_schema: ['a JSON Schema', isObject],
  script: list,
};
const CASE: Checks = {
  ...TURN,
  name,
  turn: ['a list of tables, written [[case.turn]]', isList(isObject)],
  offer: texts,
  approve: ['true, false, or a list of tools', (value) => typeof value === 'boolean' || texts[1](value)],
  tool: ['a table of tools, written [case.tool.NAME]', isObject],
  instructions: text,
  permissions: table,
  files: fileTexts,
};
const PERMISSIONS: Checks = { allow: texts, ask: texts, deny: texts };
const LIMITS: Checks = { steps: atLeastOne, tokens: atLeastOne, seconds: aboveZero };
const ANSWER: Checks = {
  contains: [
    'a text, or a list of texts and of lists of alternatives',
    (value) => listOf(value as Json)!.every((one) => isText(one) || isList(isText)(one)),
  ],
  not_contains: someTexts,
  matches: regexes,
  number: ['a number', isNumber],
  within: ['a number', isNumber],
};
const STEP: Checks = {
  name: ['the name of a tool', isText],
  arguments: ['a table: argument -> what it has to be', (value) => isObject(value) && isMatcher(value)],
  exactly: ['a table: argument -> what it has to be', (value) => isObject(value) && isMatcher(value)],
  optional: ['a step', (value) => isObject(value) || isText(value)],
  any_order: ['a list of 2 to 8 steps', (value) => Array.isArray(value) && value.length >= 2 && value.length <= 8],
  one_of: ['a list of steps, or of lists of steps', (value) => Array.isArray(value) && value.length > 0],
};
const CALL: Checks = { tool: ['the name of a tool', isText], arguments: ['a table, or the text that the model writes', isTableOrText] };
const SCRIPT: Checks = {
  ...CALL,
  text,
  calls: ['a list of { tool, arguments }', isList(isObject)],
  highlights: texts,
  cut: ['true', (value) => value === true],
};

/** What a case may name besides its own: the tools that the program ships. */
export interface Known {
  file: string;
  shipped: readonly string[];
  /** [tool.NAME] of the file. */
  tools: JsonObject;
}

export function readCase(place: Place, given: Json, { file, shipped, tools: fileTools }: Known): EvalCase {
  const own = place.table(given, CASE, ['name']);
  const { name, turn, offer, approve, tool = {}, instructions, permissions = {}, files = {}, ...rest } = own;
  const tools = readTools(place.at('tool'), fileTools, tool as JsonObject);
  const names = [...Object.keys(tools), ...shipped];
  if (turn !== undefined) {
    for (const key of Object.keys(rest)) if (key !== 'limits') place.at(key).fault('belongs into one of its [[case.turn]]');
  }
  const shared: JsonObject = rest.limits === undefined ? {} : { limits: rest.limits };
  if (Array.isArray(approve)) knownTools(place.at('approve'), approve as string[], names);
  const turns =
    turn === undefined
      ? [readTurn(place, rest, names)]
      : (turn as JsonObject[]).map((one, index) => readTurn(place.at('turn').at(index), { ...shared, ...one }, names));
  return {
    name: String(name ?? ''),
    file,
    turns,
    tools,
    permissions: place.at('permissions').table(permissions, PERMISSIONS),
    files: files as Record<string, string>,
    ...(offer === undefined ? {} : { offer: offer as string[] }),
    ...(approve === undefined ? {} : { approve: approve as boolean | string[] }),
    ...(instructions === undefined ? {} : { instructions: instructions as string }),
  };
}

function readTurn(place: Place, given: JsonObject, names: readonly string[]): Turn {
  const known = place.table(given, TURN, ['request', 'tools']);
  const { request: asked, tools, outcome = 'answer', answer, highlights, files_after, limits, script = [], ...rest } = known;
  knownTools(place.at('asks'), (rest.asks ?? []) as string[], names);
  return {
    ...(rest as Partial<Turn>),
    request: String(asked ?? ''),
    tools: Array.isArray(tools)
      ? tools.map((step, index) => readStep(place.at('tools').at(index), step, names))
      : ((tools ?? 'any') as PathPattern),
    ending: listOf<Ending>(outcome)!,
    answer: answer === undefined ? {} : readAnswer(place.at('answer'), answer),
    ...(highlights === undefined ? {} : { highlights: listOf<string>(highlights)! }),
    ...(files_after === undefined ? {} : { files: files_after as JsonObject }),
    limits: limits === undefined ? {} : (place.at('limits').table(limits, LIMITS) as Limits),
    script: (script as Json[]).map((step, index) => readScript(place.at('script').at(index), step)),
  };
}

function readAnswer(place: Place, given: Json): AnswerChecks {
  const { contains, not_contains, matches, ...numbers } = place.table(given, ANSWER);
  return {
    ...(numbers as AnswerChecks),
    ...(contains === undefined ? {} : { contains: listOf<string | string[]>(contains)! }),
    ...(not_contains === undefined ? {} : { not_contains: listOf<string>(not_contains)! }),
    ...(matches === undefined ? {} : { matches: listOf<string>(matches)! }),
  };
}

/** A tool that a path names must exist; a failed call may name one that does not. */
function readStep(place: Place, step: Json, names: readonly string[]): PathStep {
  if (typeof step === 'string') {
    const name = step.replace(/\?$/, '');
    if (!name.endsWith('!')) knownTools(place, [name], names);
    return step;
  }
  const known = place.table(step, STEP);
  const inner = (one: Json, at: Place): PathStep => readStep(at, one, names);
  if (known.optional !== undefined) return { optional: inner(known.optional, place.at('optional')) };
  if (Array.isArray(known.any_order)) {
    return { any_order: known.any_order.map((one, index) => inner(one, place.at('any_order').at(index))) };
  }
  if (Array.isArray(known.one_of)) {
    const at = place.at('one_of');
    return {
      one_of: known.one_of.map((one, index) =>
        Array.isArray(one) ? one.map((each, second) => inner(each, at.at(index).at(second))) : inner(one, at.at(index)),
      ),
    };
  }
  if (known.name === undefined) place.expected('a step with name, optional, any_order or one_of', step);
  else inner(known.name, place.at('name'));
  return known as unknown as PathStep;
}

function knownTools(place: Place, wanted: readonly string[], names: readonly string[]): void {
  for (const name of wanted) if (!names.includes(name)) place.fault(`there is no tool "${name}"; ${meant(name, names)}`);
}

function readScript(place: Place, step: Json): ScriptStep {
  if (typeof step === 'string') return { text: step };
  const { tool, arguments: args = {}, calls, ...rest } = place.table(step, SCRIPT);
  const made = tool === undefined ? ((calls ?? []) as JsonObject[]) : [{ tool, arguments: args }];
  const checked = made.map((call, index) => ({ arguments: {}, ...place.at('calls').at(index).table(call, CALL, ['tool']) }));
  return { ...(rest as ScriptStep), ...(checked.length > 0 ? { calls: checked as unknown as NonNullable<ScriptStep['calls']> } : {}) };
}

function isInside(path: string): boolean {
  return !/^[/\\]|^[a-z]:/i.test(path) && !path.split(/[/\\]/).includes('..');
}

function isTableOrText(value: unknown): boolean {
  return isObject(value) || typeof value === 'string';
}

function isRegex(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'isu') !== undefined;
  } catch {
    return false; // that is the answer
  }
}

/** Every text between slashes in it is a regular expression that can be read. */
function isMatcher(value: unknown): boolean {
  if (typeof value === 'string') {
    try {
      regexOf(value);
      return true;
    } catch {
      return false; // that is the answer
    }
  }
  return typeof value !== 'object' || value === null || Object.values(value).every(isMatcher);
}
