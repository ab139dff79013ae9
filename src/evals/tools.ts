/** Scripted tools: real tools of the agent (schema, level, permission) whose results are written in the case. */

import { setTimeout as sleep } from 'node:timers/promises';
import { HermesError } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { type Tool, tool } from '../tools/define.ts';
import { mismatch } from './match.ts';
import type { ScriptedResult, ScriptedTool } from './types.ts';

/** Made for one attempt: a sequence begins with its first result. */
export function scriptedTool(name: string, scripted: ScriptedTool): Tool {
  const { description, level, input, aliases, examples, keywords, untrusted, outward, delay_seconds } = scripted;
  let count = 0;
  return tool({
    name,
    description,
    level,
    input,
    retry: { times: 0 }, // what a case scripts is what the model meets: the path is judged
    ...(aliases ? { aliases } : {}),
    ...(examples ? { examples } : {}),
    ...(keywords ? { keywords } : {}),
    ...(untrusted ? { untrusted } : {}),
    ...(scripted.private ? { private: true } : {}),
    ...(outward ? { outward } : {}),
    async execute(args, { signal }) {
      if (delay_seconds) await sleep(delay_seconds * 1000, undefined, { signal });
      return given(name, resultFor(scripted, args as JsonObject, count++));
    },
  });
}

function resultFor(scripted: ScriptedTool, args: JsonObject, count: number): ScriptedResult {
  const fitting = scripted.when?.find((one) => mismatch(one.arguments, args, '') === undefined);
  return fitting ?? scripted.sequence?.[Math.min(count, scripted.sequence.length - 1)] ?? scripted;
}

function given(name: string, { result, fails, code }: ScriptedResult): Json {
  if (fails !== undefined) throw new HermesError(code ?? 'tool_failed', fails, { kind: 'tool' });
  if (result !== undefined) return result;
  throw new HermesError('not_found', `${name} found nothing for these arguments`, { kind: 'tool' });
}
