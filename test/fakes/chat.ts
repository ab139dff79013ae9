/** The engine of chat completions: checks a request against a vendor's rules and gives an answer the vendor's form. */

import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { checkMessages, checkRequest } from './chat-check.ts';
import type { ChatRules } from './chat-rules.ts';
import { chatAnswer } from './chat-write.ts';
import type { Block, Engine, Refusal } from './types.ts';

/** An assistant message as it was given out: what has to come back. */
export interface Issued {
  text: string;
  /** By field of the message. */
  thinking: JsonObject;
  calls: { id: string; extra?: Json }[];
}

export function chatEngine(rules: ChatRules): Engine {
  const issued: Issued[] = [];
  let calls = 0;
  return {
    path: '/chat/completions',
    refuse({ body }): Refusal | undefined {
      const thinks = rules.thinks(body);
      const message = checkRequest(rules, body, thinks) ?? checkMessages(rules, body) ?? checkReplay(rules, body, issued);
      return message === undefined ? undefined : { status: 400, message };
    },
    blocks: ({ body }) => promptBlocks(body),
    answer({ body }, said, counted) {
      const shown = { ...said, ...(rules.thinks(body) ? {} : { reasoning: undefined }) };
      const given = (shown.calls ?? []).map((call) => ({ ...call, id: rules.callId(++calls), signature: `signature-${calls}` }));
      const { answer, message } = chatAnswer(rules, body, { ...shown, calls: given }, counted);
      issued.push(message);
      return answer;
    },
    other: (path) => (path === '/models' ? { object: 'list', data: [] } : undefined),
  };
}

/** Tools first, then message by message; a marker counts at the end of what carries it. */
function promptBlocks(body: JsonObject): Block[] {
  const tools = (body.tools as JsonObject[] | undefined) ?? [];
  const messages = body.messages as JsonObject[];
  return [...tools, ...messages].map((part) => {
    const text = JSON.stringify(part, (key, value) => (key === 'cache_control' ? undefined : value));
    return { text: contentText(part, text), marked: JSON.stringify(part).includes('"cache_control":') };
  });
}

/** A text and its only part are the same to a model: a marker that moves on does not change the prompt. */
function contentText(part: JsonObject, text: string): string {
  const { content } = part;
  if (!Array.isArray(content) || content.length !== 1) return text;
  const only = content[0] as JsonObject;
  return only.type === 'text' ? JSON.stringify({ ...part, content: only.text }) : text;
}

// ---- what has to come back ---------------------------------------------------------------------------------

function checkReplay(rules: ChatRules, body: JsonObject, issued: readonly Issued[]): string | undefined {
  const messages = body.messages as JsonObject[];
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const calls = (message.tool_calls ?? []) as JsonObject[];
    const given = issued.find(({ text, calls: ids }) =>
      ids.length > 0 ? ids[0]!.id === calls[0]?.id : text === plainText(message.content),
    );
    const wrong = checkThinking(rules, message, calls.length > 0, given) ?? checkSignatures(rules, calls, given);
    if (wrong) return `messages[${at}]: ${wrong}`;
  }
  return undefined;
}

function checkThinking(
  { replay, thinking }: ChatRules,
  message: JsonObject,
  hasCalls: boolean,
  given: Issued | undefined,
): string | undefined {
  const { on, field } = replay;
  if (on === 'never' || field === undefined) return undefined;
  if (thinking?.kind === 'parts') return hasCalls ? checkParts(message, given) : undefined;
  const value = message[field];
  const original = given?.thinking[field];
  const needed = on === 'every' || (on === 'calls' && hasCalls && (original !== undefined || thinking?.kind === 'field'));
  if (value === undefined || value === null) {
    if (!needed || (thinking?.kind === 'details' && original === undefined)) return undefined;
    return `the ${field} in the thinking mode must be passed back to the API.`;
  }
  const isBlank = typeof value === 'string' && value.trim() === '';
  if (isBlank)
    return on === 'calls' && value === '' ? `${field} is empty` : hasCalls && original !== undefined ? `${field} was lost` : undefined;
  if (original !== undefined && !isDeepStrictEqual(merged(value), merged(original))) return `${field} is not what was sent`;
  return undefined;
}

/** Details may come back in the pieces in which they went out. */
function merged(value: Json): Json {
  if (!Array.isArray(value)) return value;
  const entries: JsonObject[] = [];
  for (const piece of value as JsonObject[]) {
    const known = entries.find((entry) => entry.index === piece.index);
    if (!known) entries.push({ ...piece });
    else Object.assign(known, piece, { text: `${known.text ?? ''}${piece.text ?? ''}` });
  }
  return entries;
}

function checkParts(message: JsonObject, given: Issued | undefined): string | undefined {
  const original = given?.thinking.content;
  const parts = (Array.isArray(message.content) ? message.content : []) as JsonObject[];
  const thinking = parts.filter((part) => part.type === 'thinking');
  if (original === undefined) return undefined;
  const text = (part: JsonObject) => (part.thinking as JsonObject[]).map((piece) => piece.text).join('');
  return thinking.map(text).join('') === original ? undefined : 'the thinking parts are not what was sent';
}

function checkSignatures(rules: ChatRules, calls: readonly JsonObject[], given: Issued | undefined): string | undefined {
  if (!rules.signs || !given) return undefined;
  const lost = given.calls.find((call, at) => call.extra !== undefined && !isDeepStrictEqual(calls[at]?.extra_content, call.extra));
  return lost && 'Function call is missing a thought_signature in functionCall parts.';
}

function plainText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return ((content ?? []) as JsonObject[]).flatMap((part) => (typeof part.text === 'string' ? [part.text] : [])).join('');
}
