/** The three prompts of guided: which call, what its result says, and an answer without tools. Examples do the explaining. */

import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { cut, languageOf } from '../../kernel/text.ts';
import type { Json, ToolExample, ToolInfo } from '../../kernel/types.ts';
import type { Templates } from '../templates.ts';
import type { DirectExample } from './direct.ts';
import { writeLines } from './lines.ts';
import type { Turn } from './turn.ts';

/** Examples of one tool that are shown. */
const EXAMPLES = 2;
/** Characters of a result, of a file and of an earlier message that the model is shown. */
const SHOWN_CHARACTERS = { result: 1_200, file: 1_500, earlier: 300 };

/**
 * The best tool last, and its example in the language of the request last of all: what stands last counts most. A best tool
 * without examples is asked for alone, by the names of the arguments that it needs.
 */
export function callPrompt(turn: Turn, shown: readonly ToolInfo[], templates: Templates): LanguageModelV4Prompt {
  if (shown[0] && !shown[0].examples?.length) return formPrompt(turn, shown[0], templates);

  const dialogue = shown
    .toReversed()
    .flatMap((tool) =>
      examplesOf(tool, turn.language).flatMap((example) => [user(example.request), assistant(writeLines(tool.name, example.arguments))]),
    );
  const { before } = turn;
  const earlier =
    before?.call && before.call.name === shown[0]?.name
      ? [user(before.request), assistant(writeLines(before.call.name, before.call.arguments))]
      : [];
  return [NO_SYSTEM, ...dialogue, ...earlier, user(turn.request)];
}

/** guided-form.LANGUAGE.md: blocks of a request, the names of its arguments in parentheses, and a line for each of them. */
function formPrompt(
  { request, language }: Turn,
  { name, description, input_schema }: ToolInfo,
  templates: Templates,
): LanguageModelV4Prompt {
  const properties = Object.keys(input_schema.properties ?? {});
  if (properties.length === 0) return [NO_SYSTEM, user(description), assistant(name), user(request)];

  const blocks = templates.fill('guided-form', language, {}).split(/\n{2,}/);
  const dialogue = blocks.flatMap((block) => {
    const [asked = '', names = '', ...lines] = block.split('\n');
    return [user(`${asked}\n${names}`), assistant(lines.join('\n'))];
  });
  const names = Array.isArray(input_schema.required) ? input_schema.required : properties;
  return [NO_SYSTEM, ...dialogue, user(`${request}\n(${names.join(', ')})`)];
}

export function answerPrompt(turn: Turn, tools: readonly ToolInfo[], templates: Templates): LanguageModelV4Prompt {
  const last = turn.results.at(-1)!;
  const ask = (request: string, result: string) => user(templates.fill('guided-answer', turn.language, { request, result }));
  const examples = examplesOf(
    tools.find(({ name }) => name === last.name),
    turn.language,
  ).filter((example) => example.answer !== undefined);
  const dialogue = examples.flatMap((example) => [ask(example.request, textOf(example.result ?? null)), assistant(example.answer ?? '')]);
  return [NO_SYSTEM, ...dialogue, ask(turn.request, cut(last.content, SHOWN_CHARACTERS.result))];
}

export function directPrompt(turn: Turn, examples: readonly DirectExample[]): LanguageModelV4Prompt {
  const { before, files } = turn;
  const dialogue = examples.flatMap(({ requests, answer }) => [user(requests[0] ?? ''), assistant(answer)]);
  const earlier = before?.answer
    ? [user(cut(before.request, SHOWN_CHARACTERS.earlier)), assistant(cut(before.answer, SHOWN_CHARACTERS.earlier))]
    : [];
  const given = files.map((file) => `${cut(file, SHOWN_CHARACTERS.file)}\n\n`).join('');
  return [NO_SYSTEM, ...dialogue, ...earlier, user(given + turn.request)];
}

/** One question, without examples: those answer in sentences, and the grammar holds the form. */
export function outputPrompt(turn: Turn, fields: readonly string[], templates: Templates): LanguageModelV4Prompt {
  const given = turn.results.findLast(({ success }) => success)?.content ?? (turn.files.join('\n') || '-');
  const result = cut(given, SHOWN_CHARACTERS.result);
  return [NO_SYSTEM, user(templates.fill('guided-output', turn.language, { request: turn.request, result, fields: fields.join(', ') }))];
}

/** Tiny models answer worse with instructions than without; an empty message keeps the model's own away. */
const NO_SYSTEM: LanguageModelV4Message = { role: 'system', content: '' };

/** At most two, those in the language of the request last. */
function examplesOf(tool: ToolInfo | undefined, language: 'zh' | 'en'): ToolExample[] {
  if (!tool) return [];
  const all = tool.examples ?? [];
  const same = all.filter((example) => languageOf(example.request) === language).slice(0, EXAMPLES);
  const other = all.filter((example) => languageOf(example.request) !== language).slice(0, EXAMPLES - same.length);
  return [...other, ...same];
}

function textOf(result: Json): string {
  return typeof result === 'string' ? result : JSON.stringify(result);
}

function user(text: string): LanguageModelV4Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

function assistant(text: string): LanguageModelV4Message {
  return { role: 'assistant', content: [{ type: 'text', text }] };
}
