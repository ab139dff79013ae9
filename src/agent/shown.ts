/**
 * Which tools a run shows to its model, when there are many: those that fit the request, chosen by code at the first step and the same
 * for the whole run, so that the front of every prompt stays as it is. Those that were called by name or found by find_tools are added
 * at the end. All of it follows from the state, so a run that is gone on with shows the same.
 */

import { estimateTokens } from '../kernel/text.ts';
import type { JsonObject, State, ToolInfo } from '../kernel/types.ts';
import { FIND_TOOLS, foundFor } from '../tools/find.ts';
import { preselect } from '../tools/select.ts';
import { READ_RESULT } from '../tools/shape/read-result.ts';
import { LOAD_SKILL } from './catalogue.ts';

/** Up to this many all are shown: models choose well among them, and a choice by words can miss. */
export const PRESELECT_ABOVE = 32;
/** Tools that are shown when there are more. */
export const PRESELECT = 12;
/** A request of fewer tokens may lean on the one before it ("and tomorrow?"). */
const SHORT = 10;

/** Prompts speak of them. */
const ALWAYS: ReadonlySet<string> = new Set([FIND_TOOLS, READ_RESULT, LOAD_SKILL]);

type Choice = (state: State, tools: readonly ToolInfo[]) => readonly ToolInfo[];

/** Gives the same array as long as the same tools are shown. `count` 0 = all. */
export function createShown(count = PRESELECT): Choice {
  let known: { tools: readonly ToolInfo[]; chosen: readonly ToolInfo[]; shown: readonly ToolInfo[] } | undefined;
  return (state, tools) => {
    if (!isMany(withoutReader(tools), count)) return tools;
    if (known?.tools !== tools) {
      const chosen = choose(state, tools, count);
      known = { tools, chosen, shown: chosen };
    }
    if (state.protocol === 'guided') return tools; // its rails choose for themselves
    const { chosen, shown } = known;
    const more = askedFor(state, tools).filter((tool) => !chosen.includes(tool));
    if (chosen.length + more.length !== shown.length) known.shown = [...chosen, ...more];
    return known.shown;
  };
}

function withoutReader(tools: readonly ToolInfo[]): readonly ToolInfo[] {
  return tools.at(-1)?.name === READ_RESULT ? tools.slice(0, -1) : tools;
}

/** Whether find_tools is needed beside these. */
export function isMany(tools: readonly unknown[], count = PRESELECT): boolean {
  return count > 0 && tools.length > Math.max(PRESELECT_ABOVE, count);
}

/** In the order that the toolbox has them. */
function choose(state: State, tools: readonly ToolInfo[], count: number): ToolInfo[] {
  const others = tools.filter(({ name }) => !ALWAYS.has(name));
  const fitting = new Set(preselect(requestOf(state), others, count));
  return tools.filter((tool) => fitting.has(tool) || ALWAYS.has(tool.name));
}

/** What this run was asked; with what was asked before, when it is short. */
function requestOf({ messages, own_from }: State): string {
  const isUser = ({ role }: { role: string }) => role === 'user';
  const own = messages.slice(own_from).find(isUser) ?? messages.findLast(isUser);
  const before = messages.slice(0, own_from).findLast(isUser);
  const text = own?.content ?? '';
  return estimateTokens(text) < SHORT && before ? `${before.content}\n${text}` : text;
}

/** Tools that were called, shown or not, and that were found, in this order. */
function askedFor(state: State, tools: readonly ToolInfo[]): ToolInfo[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const asked = new Set<ToolInfo>();
  for (const message of state.messages) {
    for (const { name, arguments: args } of message.role === 'assistant' ? (message.calls ?? []) : []) {
      const found = name === FIND_TOOLS ? foundFor(queryOf(args), tools) : [byName.get(name)];
      for (const tool of found) if (tool) asked.add(tool);
    }
  }
  return [...asked];
}

function queryOf({ query }: JsonObject): string {
  return typeof query === 'string' ? query : '';
}
