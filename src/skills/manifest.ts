/** skill.yaml: what it may hold, checked as a whole, so that one message names all that is wrong with it. */

import { HermesError, nearest } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject, Level, ToolExample } from '../kernel/types.ts';
import { tool } from '../tools/define.ts';
import { compileValidator, inspect } from '../tools/validate.ts';
import type { Manifest } from './types.ts';
import { readYaml } from './yaml.ts';

/** Field of skill.yaml -> field of tool({...}), which checks it. */
const TOOL_FIELDS: Readonly<Record<string, string>> = {
  output: 'output',
  keywords: 'keywords',
  aliases: 'aliases',
  idempotent: 'idempotent',
  parallel_group: 'parallelGroup',
  resource: 'resource',
  max_calls: 'maxCalls',
  needs: 'needs',
  setting_names: 'settingNames',
  from_conversation: 'fromConversation',
  untrusted: 'untrusted',
  private: 'private',
  outward: 'outward',
};
/** For people and registries. */
const TOLD = ['version', 'author', 'license', 'homepage', 'tags'];
const FIELDS = ['name', 'description', 'parameters', 'entry', 'examples', 'level', 'timeout_seconds', ...Object.keys(TOOL_FIELDS), ...TOLD];
const LEVELS = ['read', 'write', 'dangerous'];
const LEAST_EXAMPLES = 2;
/** Fields of an example, the names of the documents first. */
const EXAMPLE_FIELDS = ['input', 'request', 'call', 'arguments', 'output', 'result', 'answer', 'note'];

/** Throws HermesError `bad_skill` or `bad_yaml`. */
export async function readManifest(text: string): Promise<Manifest> {
  const given = await readYaml(text);
  if (!isObject(given)) throw problemsError([`expected name, description, parameters and examples, got ${preview(given as Json)}`]);
  const fields = given as JsonObject;
  const problems = unknownFields(fields, FIELDS);
  const { entry, level, timeout_seconds } = fields;
  if (entry !== undefined && !isText(entry)) problems.push(`entry: expected a file of its folder, such as skill.ts, got ${preview(entry)}`);
  if (level !== undefined && !LEVELS.includes(level as string))
    problems.push(`level: expected read, write or dangerous, got ${preview(level)}`);
  if (timeout_seconds !== undefined && !(typeof timeout_seconds === 'number' && timeout_seconds > 0 && timeout_seconds <= 86_400))
    problems.push(`timeout_seconds: expected seconds from 0 to 86400, got ${preview(timeout_seconds)}`);
  const parameters = parametersOf(fields.parameters, problems);
  const examples = await examplesOf(fields, parameters, problems);
  const more = Object.fromEntries(
    Object.entries(TOOL_FIELDS).flatMap(([field, name]) => (fields[field] === undefined ? [] : [[name, fields[field]!]])),
  );
  if (typeof timeout_seconds === 'number') more.timeoutMs = Math.round(timeout_seconds * 1000);
  const { name, description } = fields as { name: string; description: string };
  problems.push(...toolProblems({ ...more, name, description, input: parameters }));
  if (problems.length > 0) throw problemsError(problems);
  return {
    name,
    description,
    parameters,
    examples,
    more,
    ...(entry === undefined ? {} : { entry: entry as string }),
    ...(level === undefined ? {} : { level: level as Level }),
  };
}

/** What tool({...}) says of these fields, by their names here. */
function toolProblems(definition: JsonObject): string[] {
  try {
    tool({ ...(definition as { name: string; description: string; input: JsonObject }), level: 'read', execute: () => undefined });
    return [];
  } catch (error) {
    const names = new Map(Object.entries(TOOL_FIELDS).map(([field, name]) => [name, field]));
    const [, ...lines] = (error as Error).message.split('\n');
    return lines.map((line) => line.trim().replace(/^\w+/, (name) => (name === 'input' ? 'parameters' : (names.get(name) ?? name))));
  }
}

function parametersOf(given: Json | undefined, problems: string[]): JsonObject {
  if (isObject(given)) return { type: 'object', ...(given as JsonObject) };
  problems.push(
    `parameters: expected a JSON Schema of the arguments (type: object, properties: ...), got ${given === undefined ? 'nothing' : preview(given)}`,
  );
  return { type: 'object' };
}

// ---- examples ----------------------------------------------------------------------------------------------

async function examplesOf(fields: JsonObject, parameters: JsonObject, problems: string[]): Promise<ToolExample[]> {
  const { examples: given = [], name } = fields;
  if (!Array.isArray(given)) {
    problems.push(`examples: expected a list, got ${preview(given)}`);
    return [];
  }
  const check = await checkOf(parameters);
  const before = problems.length;
  const examples = given.flatMap((one, index) => {
    try {
      return [exampleOf(one, name, check)];
    } catch (error) {
      problems.push(`examples[${index}]: ${(error as Error).message}`);
      return [];
    }
  });
  const different = new Set(examples.map((example) => JSON.stringify([example.request, example.arguments]))).size;
  if (problems.length === before && different < LEAST_EXAMPLES)
    problems.push(
      `examples: expected at least ${LEAST_EXAMPLES} different ones, a usual request and an edge case, got ${different}: ` +
        'they are what a model learns the skill from',
    );
  return examples;
}

/** Nothing is checked against a schema that is wrong itself: that is told elsewhere. */
async function checkOf(parameters: JsonObject): Promise<(args: JsonObject) => string[]> {
  const validate = await compileValidator(parameters, 'call').catch(() => undefined);
  return (args) => {
    const { size, problem } = inspect(args, 'call');
    return problem ? [problem] : (validate?.(args, size) ?? []);
  };
}

function exampleOf(given: Json, name: Json | undefined, check: (args: JsonObject) => string[]): ToolExample {
  if (!isObject(given)) throw new Error(`expected { input, call }, got ${preview(given)}`);
  const fields = given as JsonObject;
  const problems = unknownFields(fields, EXAMPLE_FIELDS);
  const request = fields.input ?? fields.request;
  if (!isText(request)) problems.push(`input: expected what a user says, got ${request === undefined ? 'nothing' : preview(request)}`);
  const args = argumentsOf(fields.call ?? fields.arguments, name);
  if (!args) problems.push(`call: expected the arguments, as an object or as JSON text, got ${preview(fields.call ?? fields.arguments)}`);
  else problems.push(...check(args));
  if (fields.answer !== undefined && !isText(fields.answer)) problems.push(`answer: expected a text, got ${preview(fields.answer)}`);
  if (problems.length > 0) throw new Error(problems.join('; '));
  const result = fields.result ?? fields.output;
  return {
    request: request as string,
    arguments: args!,
    ...(result === undefined ? {} : { result }),
    ...(fields.answer === undefined ? {} : { answer: fields.answer as string }),
  };
}

/** `{"expression": "1+1"}`, or the whole call: `{"name": "calculator", "arguments": {...}}`; as an object or as its JSON text. */
function argumentsOf(call: Json | undefined, name: Json | undefined): JsonObject | undefined {
  let value: unknown = call;
  if (typeof call === 'string') {
    try {
      value = JSON.parse(call);
    } catch {
      return undefined; // told with what was expected
    }
  }
  if (!isObject(value)) return undefined;
  const { name: called = value.tool, arguments: args } = value;
  return (called === name && called !== undefined && isObject(args) ? args : value) as JsonObject;
}

// ---- words -------------------------------------------------------------------------------------------------

function unknownFields(fields: JsonObject, known: readonly string[]): string[] {
  return Object.keys(fields)
    .filter((field) => !known.includes(field))
    .map((field) => {
      const near = nearest(field, known);
      return `${field}: unknown field${near ? `; did you mean ${near}?` : `; known are ${known.join(', ')}`}`;
    });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function preview(value: Json | undefined): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
}

function problemsError(problems: readonly string[]): HermesError {
  return new HermesError('bad_skill', problems.join('; '), { kind: 'usage' });
}
