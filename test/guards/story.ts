/** Whole runs of an agent with a scripted model: what the guards said is read from the events. */

import { Agent } from '../../src/agent/agent.ts';
import type { AgentOptions, RunOutcome } from '../../src/agent/types.ts';
import type { JsonObject, Level, RunEvent } from '../../src/kernel/types.ts';
import { type ScriptedReply, scriptedModel } from '../../src/models/scripted.ts';
import { type Tool, tool } from '../../src/tools/define.ts';

export interface Story {
  outcome: RunOutcome;
  /** guard:verdict, in order. */
  trips: string[];
  /** What was refused, by name. */
  refused: string[];
  messages: string[];
  events: RunEvent[];
}

/** A call, an answer, or several calls of one step. */
export type Said = string | [name: string, args?: JsonObject] | [name: string, args?: JsonObject][];

export async function told(request: string, said: readonly Said[], options: AgentOptions = {}): Promise<Story> {
  const model = scriptedModel(said.map(replyOf));
  const agent = new Agent({ model, permissions: { allow: ['*'] }, ...options });
  const events: RunEvent[] = [];
  const outcome = await agent.run(request, { onEvent: (event) => void (event.seq !== undefined && events.push(event)) });
  await agent.close();
  const tripped = events.filter((event) => event.event_type === 'guard.trip');
  return {
    outcome,
    trips: tripped.map(({ data }) => `${data.guard}:${data.verdict}`),
    refused: events.flatMap((event) => (event.event_type === 'call.reject' ? [`${event.data.name}:${event.data.code}`] : [])),
    messages: tripped.map(({ data }) => data.message),
    events,
  };
}

function replyOf(said: Said): ScriptedReply {
  if (typeof said === 'string') return said;
  const calls = (Array.isArray(said[0]) ? said : [said]) as [string, JsonObject?][];
  return { calls: calls.map(([name, args]) => ({ name, arguments: args ?? {} })) };
}

/** A tool that takes anything; `results` one after another (the last stays), or what a function makes of the arguments. Errors are thrown. */
export function plainTool(
  name: string,
  results: readonly unknown[] | ((args: JsonObject) => unknown),
  more: { level?: Level; description?: string; examples?: { request: string; arguments: JsonObject }[]; keywords?: string } = {},
): Tool {
  let count = 0;
  return tool({
    name,
    description: more.description ?? `The tool ${name}.`,
    input: { type: 'object', additionalProperties: true },
    level: more.level ?? 'read',
    ...(more.examples ? { examples: more.examples } : {}),
    ...(more.keywords ? { keywords: more.keywords } : {}),
    execute(args) {
      const value = typeof results === 'function' ? results(args as JsonObject) : results[Math.min(count++, results.length - 1)];
      if (value instanceof Error) throw value;
      return value;
    },
  });
}
