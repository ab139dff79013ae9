/** What an endpoint's habits make of what was asked: thinking, the choice of tools, the form of the answer. */

import type { JSONSchema7, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonObject } from '../kernel/types.ts';
import type { Habits, ToolChoiceWord } from './profile.ts';

// ---- thinking -------------------------------------------------------------------------------------------------

const levels = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The request fields for a level of thinking, and whether the model thinks then. */
export function thinkingOf({ thinking }: Habits, level = 'provider-default'): { fields?: JsonObject; thinks: boolean } {
  const asked = level === 'provider-default' ? undefined : level;
  if (!thinking) return { ...(asked && { fields: { reasoning_effort: asked } }), thinks: asked !== undefined && asked !== 'none' };
  const { on, off, efforts } = thinking;
  const always = thinking.default === 'always';
  if (!asked || thinking.default === 'never') return { thinks: always || thinking.default === 'on' };
  if (asked === 'none') {
    if (always || (thinking.default === 'on' && !off)) return { thinks: true };
    return { ...(off && { fields: off }), thinks: false };
  }
  const effort = efforts && nearestLevel(asked, efforts);
  return { ...((on || effort) && { fields: { ...on, ...effort } }), thinks: true };
}

/** Of two equally near levels the higher. */
function nearestLevel(asked: string, efforts: Record<string, JsonObject>): JsonObject | undefined {
  const distance = (level: string) => Math.abs(levels.indexOf(level) - levels.indexOf(asked) - 0.1);
  const [nearest] = Object.keys(efforts).sort((a, b) => distance(a) - distance(b));
  return nearest === undefined ? undefined : efforts[nearest];
}

// ---- tools ----------------------------------------------------------------------------------------------------

/**
 * The value of tool_choice. What the endpoint does not take becomes what it takes: a named tool becomes `required`,
 * that becomes `auto`; `none` then means that no tools are offered. `auto` is every endpoint's default, and not every
 * endpoint knows the word: it is not sent.
 */
export function choiceOf(
  { tool_choice }: Habits,
  choice: LanguageModelV4CallOptions['toolChoice'],
  thinks: boolean,
): { value?: JsonObject | string; withoutTools?: true } {
  if (!choice || choice.type === 'auto') return {};
  const words = (thinks ? tool_choice?.thinking : undefined) ?? tool_choice?.values;
  const takes = (word: ToolChoiceWord) => words === undefined || words.includes(word);
  if (choice.type === 'none') return takes('none') ? { value: 'none' } : { withoutTools: true };
  if (choice.type === 'tool' && takes('named')) return { value: { type: 'function', function: { name: choice.toolName } } };
  return takes('required') ? { value: tool_choice?.required ?? 'required' } : {};
}

// ---- the form of the answer -------------------------------------------------------------------------------------

export interface Circumstances {
  thinks: boolean;
  tools: boolean;
  stream: boolean;
}
type JsonFormat = Extract<LanguageModelV4CallOptions['responseFormat'], { type: 'json' }>;

/** The value of response_format; undefined where the endpoint takes none: the request goes without, and the caller checks the answer. */
export function formatOf(habits: Habits, format: JsonFormat, now: Circumstances): JsonObject | undefined {
  const { json } = habits;
  const refused =
    json?.format === 'none' ||
    (now.tools && json?.with_tools === false) ||
    (now.stream && json?.streamed === false) ||
    (now.thinks && json?.thinking === false);
  if (refused) return undefined;
  const { schema, name = 'answer', description } = format;
  if (!schema || json?.format === 'json_object') return { type: 'json_object' };
  const own = json?.drops ? without(schema, json.drops) : schema;
  const strict = habits.strict === true && isStrict(own);
  const parts = { name, ...(description !== undefined && { description }), schema: own as JsonObject, ...(strict && { strict }) };
  return { type: 'json_schema', json_schema: parts };
}

/** `"$schema"` is left out anywhere, `"type beside anyOf"` where both stand together. Names of properties are no keywords. */
function without(schema: JSONSchema7, drops: readonly string[]): JSONSchema7 {
  const isDropped = (keyword: string, siblings: object) =>
    drops.some((drop) => {
      const [dropped, beside] = drop.split(' beside ');
      return keyword === dropped && (beside === undefined || beside in siblings);
    });
  const copy = (value: unknown, names: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => copy(item, false));
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([keyword]) => names || !isDropped(keyword, value));
    return Object.fromEntries(kept.map(([keyword, inner]) => [keyword, copy(inner, !names && namesOf.has(keyword))]));
  };
  return copy(schema, false) as JSONSchema7;
}

/** Keywords whose object is keyed by names. */
const namesOf = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

/** What `strict` asks of a schema: each object names all its properties as required and allows no others. */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, required = [], additionalProperties } = schema as JSONSchema7;
  if (type === 'object' && (additionalProperties !== false || Object.keys(properties ?? {}).some((name) => !required.includes(name))))
    return false;
  return Object.values(schema).every(isStrict);
}
