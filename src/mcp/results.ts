/** What a server answers to a call, as a tool's result: text and data as they are, what a model cannot read as a word about it. */

import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Json } from '../kernel/types.ts';

/** The parts of the protocol's CallToolResult that are read here; servers send what they like. */
interface CallResult {
  content?: unknown;
  structuredContent?: unknown;
  isError?: unknown;
}

/** The data of a successful call. Throws `mcp_tool_error` with the server's own words for a failed one. */
export function resultOf(server: string, result: CallResult): Json {
  const blocks = Array.isArray(result.content) ? result.content : [];
  const parts = blocks.map(blockText).filter((text) => text !== '');
  if (result.isError === true) {
    throw new HermesError('mcp_tool_error', parts.join('\n') || `the server "${server}" says only that the call failed`, {
      kind: 'tool',
      next: 'mend the arguments if that is what it says, else go on without it',
    });
  }
  if (result.structuredContent === undefined || result.structuredContent === null) return parts.join('\n');
  // By the protocol a text repeats the structure for older clients; only what says more is kept.
  const more = blocks.filter((block) => !(isObject(block) && block.type === 'text')).map(blockText);
  const data = result.structuredContent as Json;
  return more.length === 0 ? data : { data, also: more };
}

function blockText(block: unknown): string {
  if (!isObject(block)) return '';
  const { type, text, data, mimeType, resource, uri, name } = block;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (type === 'image' || type === 'audio') return `[${type}, ${mimeType ?? 'unknown kind'}, ${bytesOf(data)} bytes: cannot be shown here]`;
  if (type === 'resource_link') return `[resource ${uri}${name === undefined ? '' : `: ${name}`}]`;
  if (type === 'resource' && isObject(resource)) {
    if (typeof resource.text === 'string') return `[resource ${resource.uri}]\n${resource.text}`;
    return `[resource ${resource.uri}, ${resource.mimeType ?? 'unknown kind'}, ${bytesOf(resource.blob)} bytes: cannot be shown here]`;
  }
  return `[content of the kind ${JSON.stringify(type) ?? 'unknown'}: cannot be shown here]`;
}

/** Of base64. */
function bytesOf(data: unknown): number {
  return typeof data === 'string' ? Math.floor((data.replace(/=+$/, '').length * 3) / 4) : 0;
}
