/** Facts worth remembering, in whatever way a protocol lets the model tell them (P3); each is told once a run. */

import type { ProposedCall, State, ToolInfo } from '../kernel/types.ts';

/** Those that this run has not told yet, as a part of a reading. */
export function highlightsOf(told: readonly unknown[], state: State): { highlights?: string[] } {
  const facts = told.filter((fact) => typeof fact === 'string').map((fact) => fact.trim());
  const news = [...new Set(facts)].filter((fact) => fact !== '' && !state.highlights.includes(fact));
  return news.length > 0 ? { highlights: news } : {};
}

/** The shipped tool `remember`: native's way. A tool of this name with other arguments is somebody's own. */
function isRemember({ name, input_schema: { properties } }: ToolInfo): boolean {
  return name === 'remember' && typeof properties === 'object' && properties !== null && 'facts' in properties;
}

/** What the readable calls of `remember` hold, under whichever name the model wrote the argument. */
export function remembered(calls: readonly ProposedCall[], tools: readonly ToolInfo[], state: State): { highlights?: string[] } {
  const told = calls.filter(({ name, problem }) => name === 'remember' && problem === undefined);
  if (told.length === 0 || !tools.some(isRemember)) return {};
  return highlightsOf(
    told.flatMap((call) => Object.values(call.arguments).flat()),
    state,
  );
}

const shown = new WeakMap<readonly ToolInfo[], readonly ToolInfo[]>();

/** For protocols with a way of their own. The same list comes back for the same tools. */
export function withoutRemember(tools: readonly ToolInfo[]): readonly ToolInfo[] {
  if (!tools.some(isRemember)) return tools;
  const known = shown.get(tools) ?? tools.filter((tool) => !isRemember(tool));
  shown.set(tools, known);
  return known;
}
