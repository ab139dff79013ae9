/** The line protocol: a tool's name on the first line, then one `argument: value` a line. Safer for tiny models than quoted JSON. */

import type { Json, JsonObject } from '../../kernel/types.ts';

export interface Lines {
  /** As it was written; undefined when the first line is no name of one of the tools. */
  tool?: string;
  arguments: Record<string, string>;
}

export function writeLines(tool: string, args: JsonObject): string {
  return [tool, ...Object.entries(args).map(([name, value]) => `${name}: ${plain(value)}`)].join('\n');
}

/** Only lines of known form count; the first of two lines for one argument does. */
export function readLines(text: string, tools: readonly string[]): Lines {
  const [first = '', ...rest] = text.trim().split('\n');
  const tool = tools.find((name) => name.toLowerCase() === first.replace(/^[\s`*"'-]+|[\s`*"':]+$/g, '').toLowerCase());
  const read: Lines = { ...(tool === undefined ? {} : { tool }), arguments: {} };
  for (const line of tool === undefined ? [first, ...rest] : rest) {
    const [, name, value] = /^\s*([\w-]+)\s*[:：]\s*(.*?)\s*$/.exec(line) ?? [];
    if (name && value && !Object.hasOwn(read.arguments, name)) read.arguments[name] = value;
  }
  return read;
}

function plain(value: Json): string {
  return typeof value === 'string' ? value.replace(/\s*\n\s*/g, ' ') : JSON.stringify(value);
}
