/** One message of a LanguageModelV4 prompt as Ollama's own API has it, serialised once. */

import type { LanguageModelV4FilePart, LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import { estimateTokens } from '../kernel/text.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { Habits } from './profile.ts';
import { toolOutputText } from './tool-output.ts';

export interface RenderedMessage {
  /** JSON; a tool message holds one object for each result, joined by commas. */
  text: string;
  /** An estimate. */
  tokens: number;
}

type Message<Role> = Extract<LanguageModelV4Message, { role: Role }>;
/** Tokens of a picture and of a message's frame: about what the vision models served there take. */
const imageTokens = 1500;
const frameTokens = 8;

/** Known by identity: a message that is handed over again costs nothing. `replay` says when thinking goes back. */
export function messageRenderer(replay: NonNullable<Habits['reasoning']>['replay']): (message: LanguageModelV4Message) => RenderedMessage {
  const known = new WeakMap<LanguageModelV4Message, RenderedMessage>();
  return (message) => {
    let rendered = known.get(message);
    if (!rendered) {
      const objects = wireMessages(message, replay);
      let tokens = 0;
      for (const { images, ...rest } of objects)
        tokens += estimateTokens(JSON.stringify(rest)) + frameTokens + (Array.isArray(images) ? images.length * imageTokens : 0);
      rendered = { text: objects.map((object) => JSON.stringify(object)).join(','), tokens };
      known.set(message, rendered);
    }
    return rendered;
  };
}

function wireMessages(message: LanguageModelV4Message, replay: string): JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [userMessage(message)];
    case 'assistant':
      return [assistantMessage(message, replay)];
    case 'tool':
      return message.content.flatMap((part) => (part.type === 'tool-result' ? [toolMessage(part)] : []));
  }
}

function userMessage({ content }: Message<'user'>): JsonObject {
  const texts: string[] = [];
  const images: string[] = [];
  for (const part of content) {
    if (part.type === 'text') texts.push(part.text);
    else if (part.data.type === 'text') texts.push(`${part.filename ?? 'file'}:\n${part.data.text}`);
    else images.push(image(part));
  }
  return { role: 'user', content: texts.join('\n'), ...(images.length > 0 && { images }) };
}

/** Base64, without a data URL around it; Ollama fetches nothing. */
function image({ data, mediaType, filename }: LanguageModelV4FilePart): string {
  if (data.type === 'data' && mediaType.startsWith('image/'))
    return typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
  throw new HermesError('file_not_supported', `${filename ?? 'a file'} (${mediaType}) cannot be sent to Ollama: pictures and text can.`, {
    kind: 'usage',
    next: 'Convert the file, or give its text.',
  });
}

function assistantMessage({ content }: Message<'assistant'>, replay: string): JsonObject {
  let text = '';
  let thinking = '';
  const calls: JsonObject[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') thinking += part.text;
    else if (part.type === 'tool-call')
      calls.push({ id: part.toolCallId, function: { name: part.toolName, arguments: (part.input ?? {}) as JsonObject } });
  }
  const goesBack = thinking !== '' && (replay === 'all' || (replay === 'calls' && calls.length > 0));
  return { role: 'assistant', content: text, ...(goesBack && { thinking }), ...(calls.length > 0 && { tool_calls: calls }) };
}

function toolMessage({ toolCallId, toolName, output }: LanguageModelV4ToolResultPart): JsonObject {
  return { role: 'tool', content: toolOutputText(output, 'that is not sent'), tool_name: toolName, tool_call_id: toolCallId };
}
