/**
 * What a reply of the json protocol may look like, for endpoints and local models that hold it exactly: one branch for an answer,
 * one for each tool. The root has to be an object, so the branches stand in `reply`, behind the reasoning.
 */

import type { JsonObject, ToolInfo } from '../kernel/types.ts';
import { strictObject, strictSchema } from './strict.ts';

/** Characters that the tools' branches may have; the tools beyond share one branch that takes their arguments as a string of JSON. */
const MOST_CHARACTERS = 24_000;

export function replySchema(tools: readonly ToolInfo[], output: JsonObject | undefined): JsonObject {
  const finish = strictObject({
    action: word('finish'),
    answer: output === undefined ? { type: 'string' } : strictSchema(output),
    highlights: { type: 'array', items: { type: 'string' } },
  });
  const branches = [finish, ...callBranches(tools)];
  return strictObject({ reasoning: { type: 'string' }, reply: branches.length === 1 ? finish : { anyOf: branches } });
}

function callBranches(tools: readonly ToolInfo[]): JsonObject[] {
  const branches: JsonObject[] = [];
  let left = MOST_CHARACTERS;
  for (const [index, { name, input_schema }] of tools.entries()) {
    const branch = callBranch([name], strictSchema(input_schema));
    left -= JSON.stringify(branch).length;
    if (left < 0)
      return [
        ...branches,
        callBranch(
          tools.slice(index).map((tool) => tool.name),
          { type: 'string' },
        ),
      ];
    branches.push(branch);
  }
  return branches;
}

function callBranch(names: string[], parameters: JsonObject): JsonObject {
  return strictObject({ action: word('tool_call'), tool: { type: 'string', enum: names }, parameters });
}

function word(text: string): JsonObject {
  return { type: 'string', enum: [text] };
}
