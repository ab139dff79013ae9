/** The tool that finds other tools: there when only some are shown to the model. What it finds is shown from the next step on. */

import type { ToolInfo } from '../kernel/types.ts';
import { type Tool, tool } from './define.ts';
import { preselect } from './select.ts';

export const FIND_TOOLS = 'find_tools';
/** Tools that one search finds, and names that its description lists. */
const MOST_FOUND = 5;
const MOST_NAMES = 200;

export function findTools(others: readonly ToolInfo[]): Tool {
  const names = others.map(({ name }) => name);
  const listed =
    names.length > MOST_NAMES ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more` : names.join(', ');
  return tool({
    name: FIND_TOOLS,
    description:
      'Finds tools that are there and not described here, by what they do; those it finds can be called in the next step. Use it when ' +
      `no described tool fits, not when one does. All tools: ${listed}.`,
    level: 'read',
    idempotent: true,
    input: {
      type: 'object',
      properties: { query: { type: 'string', description: 'what the tool has to do, or its name, e.g. send an e-mail' } },
      required: ['query'],
      additionalProperties: false,
    },
    examples: [
      { request: 'Send the report to ann@example.com.', arguments: { query: 'send an e-mail' } },
      { request: '把这段话翻译成法语', arguments: { query: '翻译 translate' } },
    ],
    execute: ({ query }) => foundFor(query, others).map(({ name, description }) => ({ name, description })),
  });
}

export function foundFor(query: string, tools: readonly ToolInfo[]): ToolInfo[] {
  const named = tools.filter(({ name }) => query.includes(name));
  const others = preselect(
    query,
    tools.filter(({ name }) => name !== FIND_TOOLS && !query.includes(name)),
    MOST_FOUND,
  );
  return [...named, ...others].slice(0, MOST_FOUND);
}
