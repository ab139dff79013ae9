/** One message of a LanguageModelV4 prompt as JSON for a chat-completions request. */

import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { seesNoImages } from './http-errors.ts';
import type { Habits } from './profile.ts';
import { toolOutputText } from './tool-output.ts';

/** Under this name a reply's `extra` holds what the endpoint has to get back with that message. */
export const extraKey = 'openai-compatible';
export type MessageExtra = {
  /** The field that thinking came in; absent = reasoning_content. `content`: parts of type thinking. */
  reasoning_field?: string;
  /** OpenRouter's and MiniMax's form of thinking, with signatures. */
  reasoning_details?: Json[];
  /** What came as `extra_content` with the message or with a call (Google's signatures), calls by their position. */
  extra_content?: Json;
  calls?: JsonObject;
};

/**
 * JSON of a message that follows `previous`; a tool message holds one for each result, joined by commas. `marked`: the
 * prompt up to here shall be cached.
 */
export type WriteMessage = (message: LanguageModelV4Message, previous: LanguageModelV4Message | undefined, marked?: boolean) => string;

/** Writes messages as an endpoint's habits want them. */
export function messageWriter(habits: Habits, model: string): WriteMessage {
  const callId = habits.call_id === 'nine' ? nineLetters : (id: string) => id;
  const { system_role: systemRole = 'system', cache, user_after_tool: userAfterTool } = habits;
  return (message, previous, marked = false) => {
    switch (message.role) {
      case 'system':
        return JSON.stringify({ role: systemRole, content: textOf(message.content, cache === 'markers' && !previous) });
      case 'user': {
        const user = JSON.stringify({ role: 'user', content: markedContent(userContent(message.content, habits, model), marked) });
        return userAfterTool === false && previous?.role === 'tool' ? `${between},${user}` : user;
      }
      case 'assistant':
        return JSON.stringify(assistantMessage(message, habits, callId, marked));
      case 'tool':
        return toolMessages(message, callId, marked);
    }
  };
}

/** Where no user message may follow a tool result. */
const between = JSON.stringify({ role: 'assistant', content: 'OK.' });
const marker = { cache_control: { type: 'ephemeral' } };

function textOf(text: string, marked: boolean): Json {
  return marked && text !== '' ? [{ type: 'text', text, ...marker }] : text;
}

function markedContent(content: string | JsonObject[], marked: boolean): Json {
  if (typeof content === 'string') return textOf(content, marked);
  return marked ? content.map((part, i) => (i === content.length - 1 ? { ...part, ...marker } : part)) : content;
}

/** The same nine for the same id, so that call and result stay together (32 bits twice, FNV-1a). */
function nineLetters(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id;
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (const character of id) {
    a = Math.imul(a ^ character.codePointAt(0)!, 0x01000193);
    b = Math.imul(b ^ a, 0x85ebca6b) ^ (b >>> 13);
  }
  return ((a >>> 0).toString(36) + (b >>> 0).toString(36)).padEnd(9, '0').slice(-9);
}

type ContentOf<Role> = Extract<LanguageModelV4Message, { role: Role }>['content'];

function userContent(parts: ContentOf<'user'>, { images }: Habits, model: string): string | JsonObject[] {
  if (parts.every((part) => part.type === 'text')) return parts.map((part) => part.text).join('\n');
  const rendered = parts.map((part): JsonObject => (part.type === 'text' ? { type: 'text', text: part.text } : filePart(part)));
  if (images === false && rendered.some((part) => part.type === 'image_url')) throw seesNoImages(model);
  return rendered;
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

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

function assistantMessage(message: AssistantMessage, habits: Habits, callId: (id: string) => string, marked: boolean): JsonObject {
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
        id: callId(part.toolCallId),
        type: 'function',
        function: { name: part.toolName, arguments: JSON.stringify(part.input) ?? '{}' },
        ...(signature !== undefined && { extra_content: signature }),
      });
    }
  }
  const thinking = replayed(reasoning, extra, habits, calls.length > 0);
  const content = calls.length > 0 && text === '' ? null : textOf(text, marked);
  return {
    role: 'assistant',
    content: thinking?.parts ? [...thinking.parts, ...(text === '' ? [] : [{ type: 'text', text, ...(marked && marker) }])] : content,
    ...thinking?.fields,
    ...(extra?.extra_content !== undefined && { extra_content: extra.extra_content }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

/** Thinking as it goes back with its message: as fields, or as parts of the content. Without a habit: as it came. */
function replayed(
  text: string,
  extra: MessageExtra | undefined,
  { reasoning: habit }: Habits,
  hasCalls: boolean,
): { fields?: JsonObject; parts?: JsonObject[] } | undefined {
  if (habit && (habit.replay === 'never' || (habit.replay === 'calls' && !hasCalls))) return undefined;
  if (extra?.reasoning_details && (!habit || habit.field === 'reasoning_details'))
    return { fields: { reasoning_details: extra.reasoning_details } };
  const came = extra?.reasoning_field;
  const field = habit?.field === 'reasoning_details' ? came : (habit?.field ?? came ?? 'reasoning_content');
  if (field === undefined) return undefined; // what came without details was another vendor's
  if (field === 'content') return text === '' ? undefined : { parts: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
  const value = text === '' ? habit?.empty : text;
  return value === undefined ? undefined : { fields: { [field]: value } };
}

function toolMessages(message: Extract<LanguageModelV4Message, { role: 'tool' }>, callId: (id: string) => string, marked: boolean): string {
  const results = message.content.filter((part) => part.type === 'tool-result');
  const write = (part: LanguageModelV4ToolResultPart, i: number) =>
    JSON.stringify({
      role: 'tool',
      tool_call_id: callId(part.toolCallId),
      content: textOf(toolOutputText(part.output, 'that this endpoint does not take'), marked && i === results.length - 1),
    });
  return results.map(write).join(',');
}
