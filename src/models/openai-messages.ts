/** One message of a LanguageModelV4 prompt as JSON for a chat-completions request. */

import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';

/** Under this name a reply's `extra` holds what the endpoint has to get back with that message. */
export const extraKey = 'openai-compatible';
export type MessageExtra = {
  /** The field that thinking came in; absent = reasoning_content. */
  reasoning_field?: string;
  /** What came as `extra_content` with a call (Google's signatures), by the call's position. */
  calls?: JsonObject;
};

/** JSON of the message; a tool message holds one for each result, joined by commas. */
export function renderMessage(message: LanguageModelV4Message): string {
  switch (message.role) {
    case 'system':
      return JSON.stringify({ role: 'system', content: message.content });
    case 'user':
      return JSON.stringify({ role: 'user', content: userContent(message.content) });
    case 'assistant':
      return JSON.stringify(assistantMessage(message));
    case 'tool':
      return message.content.flatMap((part) => (part.type === 'tool-result' ? [JSON.stringify(toolMessage(part))] : [])).join(',');
  }
}

type ContentOf<Role> = Extract<LanguageModelV4Message, { role: Role }>['content'];

function userContent(parts: ContentOf<'user'>): string | JsonObject[] {
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n');
  return parts.map((part) => (part.type === 'text' ? { type: 'text', text: part.text } : filePart(part)));
}

function filePart(part: LanguageModelV4FilePart): JsonObject {
  const { data, mediaType } = part;
  const name = part.filename ?? 'file';
  if (data.type === 'text') return { type: 'text', text: `${name}:\n${data.text}` };
  const image = /^image\/[^*]/.test(mediaType);
  if (data.type === 'url' && image) return { type: 'image_url', image_url: { url: data.originalUrl ?? data.url.href } };
  if (data.type === 'data' && /^text\//.test(mediaType))
    return { type: 'text', text: `${name}:\n${Buffer.from(base64(data.data), 'base64')}` };
  if (data.type === 'data' && (image || mediaType === 'application/pdf')) {
    const url = `data:${mediaType};base64,${base64(data.data)}`;
    return image ? { type: 'image_url', image_url: { url } } : { type: 'file', file: { filename: name, file_data: url } };
  }
  throw new HermesError('file_not_supported', `${name} (${mediaType}) cannot be sent to this model: images, PDF and text can.`, {
    kind: 'usage',
    next: 'Convert the file, or give its text.',
  });
}

function base64(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
}

function assistantMessage(message: Extract<LanguageModelV4Message, { role: 'assistant' }>): JsonObject {
  const extra = message.providerOptions?.[extraKey] as MessageExtra | undefined;
  const calls: JsonObject[] = [];
  let text = '';
  let reasoning = '';
  for (const part of message.content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'tool-call') {
      const signature = extra?.calls?.[calls.length];
      calls.push({
        id: part.toolCallId,
        type: 'function',
        function: { name: part.toolName, arguments: JSON.stringify(part.input) ?? '{}' },
        ...(signature !== undefined && { extra_content: signature }),
      });
    }
  }
  return {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    ...(reasoning !== '' && { [extra?.reasoning_field ?? 'reasoning_content']: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function toolMessage(part: LanguageModelV4ToolResultPart): JsonObject {
  return { role: 'tool', tool_call_id: part.toolCallId, content: toolOutput(part.output) };
}

function toolOutput(output: LanguageModelV4ToolResultPart['output']): string {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'The tool was not run: permission denied.';
    case 'content':
      return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type} that this endpoint does not take]`)).join('\n');
  }
}
