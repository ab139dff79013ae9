/** The guards of every run, with what they need to know of its tools. A replay has the same. */

import { claimsRule } from '../guards/claims.ts';
import { comparisonRule } from '../guards/comparison.ts';
import { failureGuard } from '../guards/failures.ts';
import { loopGuard } from '../guards/loop.ts';
import { madeUpRule } from '../guards/made-up.ts';
import { differing, GUARD_NUMBERS, type GuardNumbers } from '../guards/numbers.ts';
import { outwardGuard } from '../guards/outward.ts';
import { truthRule } from '../guards/truth.ts';
import type { Guard, JsonObject, Rule, ToolInfo } from '../kernel/types.ts';
import { selectTools } from '../tools/select.ts';
import { READ_RESULT } from '../tools/shape/read-result.ts';
import type { GuardOptions } from './types.ts';

/** Other tools that are named beside a closed one. */
const NAMED = 3;

export function guardsOf(tools: () => readonly ToolInfo[]): Guard[] {
  let known: { of: readonly ToolInfo[]; byName: Map<string, ToolInfo> } | undefined;
  const info = (name: string) => {
    const of = tools();
    if (known?.of !== of) known = { of, byName: new Map(of.map((tool) => [tool.name, tool])) };
    return known.byName.get(name);
  };
  return [failureGuard((name) => similarTools(info(name), tools())), loopGuard((name) => info(name)?.level), outwardGuard];
}

/** The rules over a final answer: `check` sends it back, `truth` stands last and says what is not verified. */
export function answerRules(tools: () => readonly ToolInfo[]): { check: Rule[]; truth: Rule } {
  const sources = () => tools().filter(({ name }) => name !== READ_RESULT);
  const ports = { tools: sources, fitting: (request: string) => selectTools(request, sources()).filter(({ score }) => score > 0) };
  return { check: [madeUpRule(ports), claimsRule(tools), comparisonRule], truth: truthRule(ports) };
}

/** By what they say of themselves. */
function similarTools(tool: ToolInfo | undefined, tools: readonly ToolInfo[]): string[] {
  if (!tool) return [];
  const about = [
    tool.name.replace(/[_-]/g, ' '),
    tool.description,
    tool.keywords ?? '',
    ...(tool.examples ?? []).map(({ request }) => request),
  ];
  const others = tools.filter((other) => other !== tool && other.name !== READ_RESULT);
  const ranked = selectTools(about.join('\n'), others).filter(({ score }) => score > 0);
  return ranked.slice(0, NAMED).map((found) => found.tool.name);
}

/** Name of the option -> name in the table. */
export const GUARD_OPTIONS = new Map(
  (Object.keys(GUARD_NUMBERS) as (keyof GuardNumbers)[]).map((name) => [name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()), name]),
);

/** What stands in run.start of the numbers that were asked for. */
export function guardNumbers(options: GuardOptions | undefined): JsonObject | undefined {
  const entries = Object.entries(options ?? {}).map(([name, value]) => [GUARD_OPTIONS.get(name) ?? name, value]);
  return differing(Object.fromEntries(entries));
}
