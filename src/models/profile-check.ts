/** Checks a provider's profile: every key is known, every value has the form that profile.ts gives it. */

import { nearest } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';

/** What is wrong with a value at `path`; undefined = nothing. */
type Check = (value: unknown, path: string) => string | undefined;

const ofType =
  (type: 'string' | 'number' | 'boolean'): Check =>
  (value, path) =>
    typeof value === type && value !== '' ? undefined : `${path} must be a ${type}`;
const text = ofType('string');
const number = ofType('number');
const flag = ofType('boolean');
const oneOf =
  (...words: unknown[]): Check =>
  (value, path) =>
    words.includes(value) ? undefined : `${path} must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`;
const list =
  (item: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? first(value.map((one, i) => item(one, `${path}[${i}]`))) : `${path} must be a list`;
const record =
  (item: Check): Check =>
  (value, path) =>
    isObject(value) ? first(Object.entries(value).map(([key, one]) => item(one, `${path}.${key}`))) : `${path} must be an object`;
const any: Check = (value, path) => (isObject(value) ? undefined : `${path} must be an object`);
const pattern: Check = (value, path) => {
  try {
    new RegExp(value as string);
    return text(value, path);
  } catch {
    return `${path} must be a regular expression`;
  }
};
const either =
  (constant: unknown, other: Check): Check =>
  (value, path) =>
    value === constant ? undefined : other(value, path);

/** Keys that end in ! have to be there. */
function object(keys: Record<string, Check>): Check {
  const checks = new Map(Object.entries(keys).map(([key, check]) => [key.replace('!', ''), check]));
  const needed = Object.keys(keys).flatMap((key) => (key.endsWith('!') ? [key.slice(0, -1)] : []));
  return (value, path) => {
    if (!isObject(value)) return `${path} must be an object`;
    const missing = needed.find((key) => !(key in value));
    if (missing) return `${path}.${missing} is missing`;
    return first(
      Object.entries(value).map(([key, one]) => {
        const check = checks.get(key);
        return check ? check(one, `${path}.${key}`) : unknownKey(`${path}.${key}`, nearest(key, checks.keys()));
      }),
    );
  };
}

function unknownKey(path: string, near: string | undefined): string {
  return `${path} is unknown${near ? `: did you mean ${near}?` : ''}`;
}

function first(problems: (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}

const api = oneOf('chat', 'responses', 'anthropic', 'ollama');
const words = list(oneOf('auto', 'none', 'required', 'named'));
const habits = object({
  refuses: list(text),
  refuses_thinking: list(text),
  temperature: object({ min: number, max: number }),
  token_field: oneOf('max_tokens', 'max_completion_tokens'),
  max_output_tokens: number,
  body: any,
  system_role: oneOf('system', 'developer'),
  thinking: object({ 'default!': oneOf('on', 'off', 'always', 'never'), on: any, off: any, efforts: record(any) }),
  reasoning: object({ 'field!': text, 'replay!': oneOf('never', 'calls', 'all'), empty: either('', text) }),
  tool_choice: object({ 'values!': words, thinking: words, required: text }),
  parallel_tool_calls: flag,
  strict: flag,
  tools: flag,
  json: object({
    'format!': oneOf('json_schema', 'json_object', 'none'),
    with_tools: flag,
    streamed: flag,
    thinking: flag,
    drops: list(text),
  }),
  cache: oneOf('automatic', 'markers', 'none'),
  images: either(false, object({ max_edge: number, max_bytes: number })),
  call_id: oneOf('nine'),
  user_after_tool: flag,
  errors: object({ overflow: pattern, quota: pattern, balance: pattern, rate: pattern, key: pattern, model: pattern }),
});
const profile = object({
  'title!': text,
  'order!': number,
  api,
  model: text,
  local: oneOf(true),
  'endpoints!': record(
    object({ base_url: text, base_url_variables: list(text), 'keys!': list(text), api, model: text, note: text, habits }),
  ),
  habits,
  models: list(object({ 'match!': pattern, api, habits })),
  'sources!': list(text),
});

/** The first thing that is wrong with habits that were kept. */
export function habitsProblemOf(value: unknown): string | undefined {
  return habits(value, 'habits');
}

/** The first thing that is wrong with a profile. */
export function problemOf(value: unknown): string | undefined {
  return profile(value, 'profile');
}
