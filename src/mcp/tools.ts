/** A server's definition as one of our tools. What it says is text of strangers: it is cleaned, bounded, and believed as far as the user says. */

import { cut } from '../kernel/text.ts';
import type { Json, JsonObject, Level } from '../kernel/types.ts';
import { type Tool, type ToolContext, tool } from '../tools/define.ts';
import { neutralised } from '../tools/neutral.ts';
import { cleanText } from '../tools/result.ts';
import { isObject } from '../tools/schema.ts';
import type { ServerConfig, ServerTool } from './types.ts';

/** Characters of a description that a model reads. */
const MOST_DESCRIPTION = 2_000;
/** Characters of a schema, as JSON; a larger one would fill the window of most models. */
const MOST_SCHEMA = 60_000;

export interface Carrier {
  server: ServerConfig;
  timeoutMs: number;
  /** Why a tool must not be called now; undefined = it may. */
  refusal(tool: string): string | undefined;
  call(tool: string, args: JsonObject, context: ToolContext): Promise<Json>;
  close(): Promise<void>;
}

/** Throws an Error that says what is wrong with the definition. */
export function toTool(name: string, definition: ServerTool, carrier: Carrier): Tool {
  const { server, timeoutMs } = carrier;
  const length = JSON.stringify(definition.inputSchema)?.length ?? 0;
  if (length > MOST_SCHEMA) throw new Error(`its schema has ${length} characters, at most ${MOST_SCHEMA} are taken`);
  const level = levelOf(definition, server);
  const title = definition.title ?? definition.annotations?.title;
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
function inputSchema(given: unknown): JsonObject {
  if (given === undefined) return { type: 'object', properties: {} };
  if (!isObject(given)) throw new Error('its inputSchema is no JSON Schema object');
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
