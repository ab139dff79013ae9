/** The tools that the program ships: for itself, and for agents that are made in code. */

import { HermesError, nearest } from '../kernel/errors.ts';
import { besideCode } from '../package.ts';
import type { Tool } from '../tools/define.ts';
import { scanTools } from '../tools/scan.ts';

export const SHIPPED_TOOLS = { path: besideCode('tools'), trusted: true } as const;

/** Those of these names, in their order; without names all. Throws `unknown_tool`. */
export async function shippedTools(names?: readonly string[]): Promise<Tool[]> {
  const { tools } = await scanTools([SHIPPED_TOOLS]);
  return names === undefined ? tools : names.map((name) => toolOf(name, tools));
}

function toolOf(name: string, tools: readonly Tool[]): Tool {
  const found = tools.find(({ info }) => info.name === name);
  if (found) return found;
  const known = tools.map(({ info }) => info.name);
  const near = nearest(name, known);
  throw new HermesError('unknown_tool', `there is no built-in tool "${name}"${near ? `; did you mean ${near}?` : ''}`, {
    kind: 'usage',
    next: `there are ${known.join(', ')}`,
  });
}
