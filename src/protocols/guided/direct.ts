/** Requests that need no tool: what points to them, how the model is shown to answer, and what is said where it cannot. */

import { languageOf } from '../../kernel/text.ts';
import type { ToolInfo } from '../../kernel/types.ts';
import type { Templates } from '../templates.ts';

export interface DirectExample {
  /** Ways to say it; the first is shown to the model. */
  requests: string[];
  answer: string;
}

/** Stands among the tools when they are ranked; never shown and never called. */
export function directTool(templates: Templates): ToolInfo {
  const examples = (['en', 'zh'] as const).flatMap((language) => directExamples(templates, language));
  return {
    name: 'answer',
    description: '',
    level: 'read',
    input_schema: { type: 'object' },
    keywords:
      'hello hi thanks bye joke story poem who are you explain why capital of 你好 您好 谢谢 再见 你是谁 笑话 故事 诗 为什么 解释 首都',
    examples: examples.flatMap(({ requests }) => requests.map((request) => ({ request, arguments: {} }))),
    hash: '',
  };
}

/** guided-direct.LANGUAGE.md: blocks of two lines, the ways to ask (with | between them) and the answer. */
export function directExamples(templates: Templates, language: 'zh' | 'en'): DirectExample[] {
  const blocks = templates.fill('guided-direct', language, {}).split(/\n{2,}/);
  return blocks.map((block) => {
    const [requests = '', ...answer] = block.split('\n');
    return { requests: requests.split('|').map((request) => request.trim()), answer: answer.join('\n') };
  });
}

/** The answer of an example that asks exactly this. */
export function knownAnswer(examples: readonly DirectExample[], request: string): string | undefined {
  return examples.find(({ requests }) => requests.some((known) => letters(known) === letters(request)))?.answer;
}

/** A reply that only says the question again, goes round in circles, or leaves the language: no answer. */
export function isNoAnswer(text: string, request: string): boolean {
  const said = letters(text);
  if (said === '' || letters(request).includes(said)) return true;
  if (languageOf(request) === 'zh' && languageOf(text) !== 'zh') return true;
  const clauses = text
    .split(/[\n。！？!?,，;；.]+/)
    .map(letters)
    .filter((clause) => clause.length > 1);
  return clauses.length - new Set(clauses).size >= 2 || /(.{2,})\1\1/u.test(said) || text.includes('\uFFFD');
}

function letters(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
