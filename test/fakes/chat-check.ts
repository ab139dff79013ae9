/** The strictness of a fake chat-completions endpoint: what its vendor does not document is refused, by name. */

import type { Json, JsonObject } from '../../src/kernel/types.ts';
import type { ChatRules, ChoiceWord } from './chat-rules.ts';
import { imageProblem } from './image.ts';

const everywhere = ['model', 'messages', 'tools', 'stream', 'stream_options'];

/** Everything but the messages; gives the refusal's words. */
export function checkRequest(rules: ChatRules, body: JsonObject, thinks: boolean): string | undefined {
  const taken = rules.fields === 'any' ? undefined : [...everywhere, ...rules.fields];
  const unknown = Object.keys(body).find((field) => taken && !taken.includes(field));
  if (unknown) return `Unrecognized request argument supplied: ${unknown}`;
  const refused = thinks && rules.thinkingRefuses?.find((field) => body[field] !== undefined);
  if (refused) return `Unsupported parameter: '${refused}' is not supported with this model while it thinks.`;
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' must not be empty";
  return checkTools(rules, body) ?? checkChoice(rules, body, thinks) ?? checkFormat(rules, body) ?? rules.wrong?.(body, thinks);
}

function checkTools(rules: ChatRules, { tools }: JsonObject): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return "'tools' must not be empty";
  for (const tool of tools as JsonObject[]) {
    const { name, parameters, strict, ...more } = (tool.function ?? {}) as JsonObject;
    if (tool.type !== 'function' || typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name))
      return "Invalid 'tools': a function needs a name";
    if ((parameters as JsonObject | undefined)?.type !== 'object') return `tools: function ${name} has no parameters`;
    if (strict !== undefined && !rules.strictTools) return "Unrecognized request argument supplied: 'strict' in a function";
    const unknown = Object.keys(more).find((field) => field !== 'description');
    if (unknown) return `Unrecognized request argument supplied: ${unknown} in a function`;
  }
  return undefined;
}

function checkChoice(rules: ChatRules, { tool_choice, tools }: JsonObject, thinks: boolean): string | undefined {
  if (tool_choice === undefined) return undefined;
  if (tools === undefined) return "'tool_choice' is only allowed when 'tools' are specified";
  const word = (typeof tool_choice === 'string' ? tool_choice : 'named') as ChoiceWord;
  if (thinks && rules.thinkingToolChoice && !rules.thinkingToolChoice.includes(word))
    return `tool_choice '${word}' is not supported in thinking mode`;
  return rules.toolChoice.includes(word) ? undefined : `Invalid value for 'tool_choice': ${word}`;
}

function checkFormat(rules: ChatRules, { response_format, messages }: JsonObject): string | undefined {
  if (response_format === undefined) return undefined;
  const { type, json_schema } = response_format as { type: 'text' | 'json_schema' | 'json_object'; json_schema?: JsonObject };
  if (type === 'text') return undefined;
  if (!rules.formats.includes(type)) return `response_format ${type} is unavailable for this model`;
  if (type === 'json_schema' && (typeof json_schema?.name !== 'string' || typeof json_schema.schema !== 'object'))
    return "Missing required parameter: 'response_format.json_schema.schema'";
  if (type === 'json_object' && !/json/i.test(JSON.stringify(messages)))
    return "Prompt must contain the word 'json' to use response_format json_object";
  return undefined;
}

const fieldsOf: Record<string, readonly string[]> = {
  system: ['content', 'name'],
  developer: ['content', 'name'],
  user: ['content', 'name'],
  assistant: ['content', 'tool_calls', 'name'],
  tool: ['content', 'tool_call_id'],
};

/** Roles, fields, and that each call is answered right behind its message. */
export function checkMessages(rules: ChatRules, body: JsonObject): string | undefined {
  const messages = body.messages as JsonObject[];
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const role = String(message.role);
    const wrong = checkMessage(rules, message, role);
    if (wrong) return `messages[${at}]: ${wrong}`;
    if (role === 'tool') {
      if (!open.delete(String(message.tool_call_id))) return `messages[${at}]: tool_call_id answers no call before it`;
      continue;
    }
    if (open.size > 0) return `messages[${at}]: an assistant message with 'tool_calls' must be followed by tool messages for each of them`;
    if (role === 'assistant') open = new Set(((message.tool_calls ?? []) as JsonObject[]).map((call) => String(call.id)));
  }
  const marks = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marks > 0 && !rules.markers) return 'Unrecognized request argument supplied: cache_control';
  return open.size > 0
    ? 'the last tool_calls are not answered'
    : marks > 4
      ? 'a maximum of 4 blocks with cache_control may be given'
      : undefined;
}

function checkMessage(rules: ChatRules, message: JsonObject, role: string): string | undefined {
  const known = role === 'developer' && !rules.developer ? undefined : fieldsOf[role];
  if (!known) return `unknown role '${role}'`;
  const replayed = rules.replay.on === 'never' || role !== 'assistant' ? [] : [rules.replay.field ?? '', ...(rules.messageFields ?? [])];
  const taken = ['role', ...known, ...replayed];
  const unknown = rules.fields === 'any' ? undefined : Object.keys(message).find((field) => !taken.includes(field));
  if (unknown) return `Extra inputs are not permitted: ${unknown}`;
  if (role === 'assistant' && !message.tool_calls && (message.content === null || message.content === undefined))
    return 'content or tool_calls must be set';
  return checkCalls(rules, message.tool_calls) ?? checkContent(rules, message.content, role);
}

function checkCalls(rules: ChatRules, calls: Json | undefined): string | undefined {
  for (const call of (calls ?? []) as JsonObject[]) {
    const { name, arguments: written } = (call.function ?? {}) as JsonObject;
    if (call.type !== 'function' || typeof name !== 'string' || typeof written !== 'string')
      return 'tool_calls: a function with name and arguments is needed';
    if (!new RegExp(`^${rules.callId(1).replace(/\w/g, '\\w')}$`).test(String(call.id)))
      return `tool_calls: the id ${call.id} has not the form of ours`;
    if (call.extra_content !== undefined && !rules.signs) return 'Extra inputs are not permitted: extra_content';
    if (!isObjectText(written)) return 'tool_calls: arguments are not JSON';
  }
  return undefined;
}

function checkContent(rules: ChatRules, content: Json | undefined, role: string): string | undefined {
  if (!Array.isArray(content)) return undefined;
  for (const part of content as JsonObject[]) {
    if (part.type === 'image_url' && role === 'user') {
      const url = String((part.image_url as JsonObject | undefined)?.url ?? '');
      const wrong = rules.images ? imageProblem(url, rules.images) : 'this model does not take image_url';
      if (wrong) return wrong;
    } else if (!['text', 'thinking'].includes(String(part.type))) return `unknown content part '${part.type}'`;
  }
  return undefined;
}

function isObjectText(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false; // the refusal says so
  }
}
