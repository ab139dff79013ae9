/** What a script means, written as each protocol has its models write it: one script serves all protocols. */

import type { ScriptedAnswer } from '../models/scripted.ts';
import type { ScriptStep } from './types.ts';

/** Protocols that a script can be written for; rails for tiny models (guided) decide too much themselves. */
export const SCRIPTED_PROTOCOLS = ['native', 'json', 'react'] as const;
export type ScriptedProtocol = (typeof SCRIPTED_PROTOCOLS)[number];

const WRITERS: Record<ScriptedProtocol, (step: ScriptStep) => ScriptedAnswer[]> = {
  native,
  json: (step) => [json(step)],
  react: (step) => [react(step)],
};

export function scriptedReplies(steps: readonly ScriptStep[], protocol: ScriptedProtocol): ScriptedAnswer[] {
  return steps.flatMap((step) => WRITERS[protocol](step).map((reply) => (step.cut ? { ...reply, finish: 'length' as const } : reply)));
}

/** Highlights are a call of their own here, which a reply follows. */
function native({ text = '', calls = [], highlights = [] }: ScriptStep): ScriptedAnswer[] {
  const reply = { text, calls: calls.map((call) => ({ name: call.tool, arguments: call.arguments })) };
  return highlights.length === 0 ? [reply] : [{ calls: [{ name: 'remember', arguments: { facts: [...highlights] } }] }, reply];
}

/** Arguments that are text stand in the object as they are; a reply that is cut ends with them. */
function json({ text = '', calls = [], highlights = [], cut }: ScriptStep): ScriptedAnswer {
  const quoted = JSON.stringify(text);
  if (calls.length === 0) {
    const kept = highlights.length > 0 ? `, "highlights": ${JSON.stringify(highlights)}` : '';
    return { text: `{"action": "finish", "answer": ${quoted}${kept}}` };
  }
  const written = calls.map(({ tool, arguments: args }) => `"tool": ${JSON.stringify(tool)}, "parameters": ${rawOrJson(args)}`);
  const reasoning = text === '' ? '' : `"reasoning": ${quoted}, `;
  const open = `{${reasoning}"action": "tool_call", `;
  if (calls.length === 1) return { text: open + written[0] + (cut ? '' : '}') };
  return { text: `${open}"calls": [${written.map((call) => `{${call}`).join('}, ')}${cut ? '' : '}]}'}` };
}

function react({ text = '', calls = [], highlights = [] }: ScriptStep): ScriptedAnswer {
  if (calls.length === 0) {
    const kept = highlights.length > 0 ? `\nHighlights: ${highlights.join('; ')}` : '';
    return { text: `Final Answer: ${text}${kept}` };
  }
  const actions = calls.map(({ tool, arguments: args }) => `Action: ${tool}\nAction Input: ${rawOrJson(args)}`);
  return { text: [...(text === '' ? [] : [`Thought: ${text}`]), ...actions].join('\n') };
}

function rawOrJson(args: object | string): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}
