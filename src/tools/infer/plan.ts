/** How a plain function is called: each of its parameters, and where its value comes from. */

import type { JsonObject } from '../../kernel/types.ts';
import { isTool, type ToolContext } from '../define.ts';

export type Parameter =
  | { from: 'argument' | 'rest'; name: string }
  /** All arguments as one object. */
  | { from: 'arguments' }
  | { from: 'context' };

/** An argument that was left out is undefined, so that the function's own default counts. */
export function callFunction(
  run: (...values: unknown[]) => unknown,
  plan: readonly Parameter[],
  args: JsonObject,
  context: ToolContext,
): unknown {
  return run(
    ...plan.flatMap((parameter): unknown[] => {
      if (parameter.from === 'context') return [context];
      if (parameter.from === 'arguments') return [args];
      const value = args[parameter.name];
      return parameter.from === 'rest' ? ((value ?? []) as unknown[]) : [value];
    }),
  );
}

/** What a tool file offers, by where it stands in it: `default`, `default.0`, or a name. Named exports count where there is no default. */
export function offeredBy(module: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const { default: main } = module;
  if (Array.isArray(main)) return new Map(main.map((one, index) => [`default.${index}`, one]));
  if (main !== undefined) return new Map([['default', main]]);
  return new Map(Object.entries(module).filter(([, value]) => typeof value === 'function' || isTool(value)));
}
