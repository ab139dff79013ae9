/** A server's definition as one of our tools. What it says is text of strangers: it is cleaned, bounded, and believed as far as the user says. */

import { isObject } from '../kernel/json.ts';
import { cut } from '../kernel/text.ts';
import type { Json, JsonObject, Level } from '../kernel/types.ts';
import { type Tool, type ToolContext, tool } from '../tools/define.ts';
import { neutralised } from '../tools/neutral.ts';
import { cleanText } from '../tools/result.ts';
import { inspect } from '../tools/validate.ts';
import type { ServerConfig, ServerTool } from './types.ts';

/** Characters of a description that a model reads. */
const MOST_DESCRIPTION = 2_000;
/** Characters of a description that are kept, and go into the comparison with what the user has agreed to. */
const MOST_KEPT = 20_000;
/** Characters of a schema, as JSON; a larger one would fill the window of most models. */
const MOST_SCHEMA = 60_000;
const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

export interface Carrier {
  server: ServerConfig;
  timeoutMs: number;
  /** Why a tool must not be called now; undefined = it may. */
  refusal(tool: string): string | undefined;
  call(tool: string, args: JsonObject, context: ToolContext): Promise<Json>;
  close(): Promise<void>;
}

/** undefined = it is no tool at all. Only what a model reads or a decision depends on: the rest may change without asking. */
export function definitionOf(given: unknown): ServerTool | undefined {
  if (!isObject(given) || typeof given.name !== 'string' || given.name === '') return undefined;
  const { name, title, description, inputSchema, annotations } = given;
  const hints = isObject(annotations) ? annotations : {};
  const titles = [title, hints.title].filter((one) => typeof one === 'string');
  const known = HINTS.flatMap((hint) => (typeof hints[hint] === 'boolean' ? [[hint, hints[hint]]] : []));
  const problem = problemOf(inputSchema);
  return {
    name: cut(name, MOST_DESCRIPTION),
    ...(titles.length > 0 ? { title: cut(titles[0]!, MOST_DESCRIPTION) } : {}),
    ...(typeof description === 'string' ? { description: cut(description, MOST_KEPT) } : {}),
    ...(problem === undefined ? { inputSchema: (inputSchema ?? {}) as JsonObject } : { inputSchema: {}, problem }),
    ...(known.length > 0 ? { annotations: Object.fromEntries(known) } : {}),
  };
}

/** What would break or fill whoever walks into it. */
function problemOf(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  if (!isObject(schema)) return 'its inputSchema is no JSON Schema object';
  const { problem } = inspect(schema as JsonObject, 'its inputSchema');
  if (problem !== undefined) return problem;
  const { length } = JSON.stringify(schema);
  return length > MOST_SCHEMA ? `its inputSchema has ${length} characters, at most ${MOST_SCHEMA} are taken` : undefined;
}

/** Throws an Error that says what is wrong with the definition. */
export function toTool(name: string, definition: ServerTool, carrier: Carrier): Tool {
  const { server, timeoutMs } = carrier;
  if (definition.problem !== undefined) throw new Error(definition.problem);
  const level = levelOf(definition, server);
  const { title } = definition;
  const words = [definition.description || title || `The tool ${definition.name}.`, `(From the MCP server "${server.name}".)`];
  const made = tool({
    name,
    description: cut(plain(words.join(' ')), MOST_DESCRIPTION),
    input: inputSchema(definition.inputSchema),
    level,
    timeoutMs,
    ...(definition.annotations?.idempotentHint === true && server.trusted ? { idempotent: true } : {}),
    keywords: plain([server.name, definition.name, title ?? ''].join(' ')),
    untrusted: true,
    private: true,
    ...(isOutward(definition, server) ? { outward: true } : {}),
    judge() {
      const deny = carrier.refusal(definition.name);
      return { level, ...(deny === undefined ? {} : { deny }) };
    },
    execute: (args, context) => carrier.call(definition.name, args as JsonObject, context),
  });
  return Object.assign(made, { close: carrier.close });
}

/**
 * Hints count for servers that the user trusts. Of all others a call is never just a look, because nobody knows what it does; a tool that
 * calls itself harmless is `write`, which asks all the same and may be allowed by name.
 */
function levelOf({ annotations = {} }: ServerTool, { trusted }: ServerConfig): Level {
  const { readOnlyHint, destructiveHint } = annotations;
  if (trusted && readOnlyHint === true) return 'read';
  return readOnlyHint === true || destructiveHint === false ? 'write' : 'dangerous';
}

/** A program that the user trusts and that runs here says itself whether it goes out; all others get what they are called with. */
function isOutward({ annotations = {} }: ServerTool, { trusted, transport }: ServerConfig): boolean {
  if (!trusted) return true;
  return transport.type === 'stdio' ? annotations.openWorldHint === true : annotations.openWorldHint !== false;
}

/** An object at its root; texts in it are read by the model like the description. */
function inputSchema(given: JsonObject): JsonObject {
  const { $schema: _, ...schema } = cleaned(given) as JsonObject;
  return schema.type === undefined ? { ...schema, type: 'object' } : schema;
}

function cleaned(value: unknown, key = ''): Json {
  if (typeof value === 'string') return key === 'description' || key === 'title' ? cut(plain(value), MOST_DESCRIPTION) : value;
  if (Array.isArray(value)) return value.map((one) => cleaned(one));
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(one, name)])) : (value as Json);
}

function plain(text: string): string {
  return neutralised(cleanText(text));
}
