/** What the refusal of a request teaches: the habits under which the next one will do. */

import type { Habits, ToolChoiceWord } from './profile.ts';

/** What of a request a refusal can be about. */
interface Sent {
  parameters: Record<string, unknown>;
  tools: boolean;
}

/** A request without these is no request. */
const needed = new Set(['model', 'stream']);

/** `refusal` is the body of a 400 or its like. undefined: it names nothing that the next request could do without. */
export function lessonOf(refusal: string, request: Sent, habits: Habits): Habits | undefined {
  const sent = (name: string) => request.parameters[name] !== undefined;
  if (request.tools && request.parameters.reasoning_effort !== 'none' && /set reasoning_effort to\W+none\b/.test(refusal))
    return withoutEffort(habits);
  if (sent('max_tokens') && refusal.includes('max_completion_tokens')) return { token_field: 'max_completion_tokens' };
  if (habits.cache === 'markers' && refusal.includes('cache_control')) return { cache: 'none' };
  if (refusal.includes('reasoning_content') || refusal.includes('reasoning_details')) return thinkingLesson(refusal, habits);
  if (request.tools && habits.strict !== false && named('strict', refusal)) return { strict: false };
  const name = Object.keys(request.parameters)
    .filter((candidate) => !needed.has(candidate))
    .sort((a, b) => Number(b.includes('_')) - Number(a.includes('_'))) // "tool_choice in thinking mode" is about the choice
    .find((candidate) => named(candidate, refusal));
  if (name === undefined) return undefined;
  if (name === 'response_format') return formatLesson(refusal, request, habits);
  if (name === 'tool_choice') return choiceLesson(request, habits);
  const most = tokenFields.has(name) ? mostTokens(refusal, Number(request.parameters[name])) : undefined;
  if (most) return { max_output_tokens: most };
  if (name === 'max_completion_tokens') return { token_field: 'max_tokens' };
  return { refuses: [...(habits.refuses ?? []), name] };
}

/** OpenAI's newer models take tools beside thinking on another API only, and think unless they are told not to. */
function withoutEffort({ body, refuses = [] }: Habits): Habits {
  return { body: { ...body, reasoning_effort: 'none' }, refuses: refuses.filter((name) => name !== 'reasoning_effort') };
}

/** Everyday words count in quotes only. */
export function named(name: string, refusal: string): boolean {
  const everyday = /^(stop|reasoning|thinking|usage|strict)$/.test(name);
  return new RegExp(everyday ? `["'\`.\\[]${name}["'\`\\]:]|\\b${name}: ` : `\\b${name}\\b`).test(refusal);
}

const tokenFields = new Set(['max_tokens', 'max_completion_tokens']);

/** "supports at most 16384", "should be [1, 8192]": the greatest number below what was asked for. */
export function mostTokens(refusal: string, asked: number): number | undefined {
  const numbers = [...refusal.matchAll(/\b\d{3,7}\b/g)].map(([digits]) => Number(digits)).filter((number) => number < asked);
  return numbers.length > 0 ? Math.max(...numbers) : undefined;
}

/** Thinking that is missing has to go back, if need be as a blank; any other complaint means that it must not. */
function thinkingLesson(refusal: string, { reasoning }: Habits): Habits | undefined {
  const wanted = /missing|must be|required|pass(ed)? back|need(ed|s)?\b/i.test(refusal);
  const field = refusal.includes('reasoning_content') ? 'reasoning_content' : 'reasoning_details';
  if (wanted && reasoning?.empty === undefined) return { reasoning: { field, replay: 'all', empty: ' ' } };
  if (!wanted && reasoning?.replay !== 'never') return { reasoning: { field: reasoning?.field ?? field, replay: 'never' } };
  return undefined;
}

/** First the circumstance that the text names, then the weaker format, then none. */
function formatLesson(refusal: string, { parameters, tools }: Sent, { json }: Habits): Habits {
  const { type } = parameters.response_format as { type: 'json_schema' | 'json_object' };
  const format = json?.format ?? 'json_schema';
  if (tools && /\btools?\b|function call/i.test(refusal)) return { json: { ...json, format, with_tools: false } };
  if (parameters.stream && /stream/i.test(refusal)) return { json: { ...json, format, streamed: false } };
  const weaker = type === 'json_schema' && !/['"]?json_object['"]? is not/.test(refusal);
  return { json: { ...json, format: weaker ? 'json_object' : 'none' } };
}

function choiceLesson({ parameters }: Sent, { tool_choice }: Habits): Habits {
  const value = parameters.tool_choice;
  const word = typeof value !== 'string' ? 'named' : value === 'none' || value === 'auto' ? value : 'required';
  const without = (words: readonly ToolChoiceWord[]) => words.filter((each) => each !== word);
  const { thinking, values = ['auto', 'none', 'required', 'named'] } = tool_choice ?? {};
  return { tool_choice: { ...tool_choice, values: without(values), ...(thinking && { thinking: without(thinking) }) } };
}
