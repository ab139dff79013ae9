/** The engine of Anthropic's Messages API, for a model of the 5.5 generation: it always thinks, and takes no sampling. */

import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { pictureProblem } from './image.ts';
import { halves } from './pieces.ts';
import type { Block, Counted, Engine, Received, Said } from './types.ts';

const fields = [
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'stream',
  'stop_sequences',
  'metadata',
];
const efforts = ['low', 'medium', 'high', 'xhigh', 'max'];

export function messagesEngine(): Engine {
  /** Blocks as they were given out, by the id of their first call. */
  const issued = new Map<string, JsonObject[]>();
  let calls = 0;
  return {
    path: '/messages',
    refuse(request) {
      const message = checkBody(request) ?? checkMessages(request.body) ?? checkReplay(request.body, issued);
      return message === undefined ? undefined : { status: 400, message };
    },
    blocks: ({ body }) => promptBlocks(body),
    answer({ body }, said, counted) {
      const blocks = contentOf(said, () => `toolu_${String(++calls).padStart(24, '0')}`);
      const first = blocks.find(({ type }) => type === 'tool_use');
      if (first) issued.set(String(first.id), blocks);
      const reason = first ? 'tool_use' : 'end_turn';
      const head = { id: 'msg_1', type: 'message', role: 'assistant', model: body.model as string };
      if (body.stream === true) return { type: 'text/event-stream', pieces: events(head, blocks, reason, counted) };
      const whole = { ...head, content: blocks, stop_reason: reason, stop_sequence: null, usage: usageOf(counted) };
      return { type: 'application/json', pieces: [JSON.stringify(whole)] };
    },
  };
}

// ---- refusals ----------------------------------------------------------------------------------------------

function checkBody({ body, headers }: Received): string | undefined {
  if (!headers['anthropic-version']) return 'anthropic-version: header is required';
  const sampled = ['temperature', 'top_p', 'top_k'].find((field) => body[field] !== undefined);
  if (sampled) return `\`${sampled}\` is deprecated for this model.`;
  const unknown = Object.keys(body).find((field) => !fields.includes(field));
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) > 128_000) return 'max_tokens: a whole number up to 128000 is required';
  const thinking = (body.thinking as JsonObject | undefined)?.type ?? 'adaptive';
  if (thinking !== 'adaptive') return `thinking.type: ${thinking} is not supported for this model`;
  const { effort, format } = (body.output_config ?? {}) as { effort?: string; format?: JsonObject };
  if (effort !== undefined && !efforts.includes(effort)) return `output_config.effort: ${effort}`;
  if (format && (format.type !== 'json_schema' || (format.schema as JsonObject | undefined)?.additionalProperties !== false))
    return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
  const choice = (body.tool_choice as JsonObject | undefined)?.type ?? 'auto';
  if (choice !== 'auto' && choice !== 'none') return `tool_choice: ${choice} is not supported for this model`;
  const marks = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  return checkTools(body.tools);
}

function checkTools(tools: Json | undefined): string | undefined {
  for (const tool of (tools ?? []) as JsonObject[]) {
    const { name, input_schema } = tool as { name?: string; input_schema?: JsonObject };
    if (!/^[\w-]{1,128}$/.test(name ?? '') || input_schema?.type !== 'object') return 'tools: name and input_schema are required';
    const known = ['name', 'description', 'input_schema', 'cache_control', 'strict', 'type'];
    const unknown = Object.keys(tool).find((field) => !known.includes(field));
    if (unknown) return `tools.0.${unknown}: Extra inputs are not permitted`;
  }
  return undefined;
}

interface Message {
  role: string;
  content: JsonObject[];
}

/** Content as blocks; messages of one role behind each other are one. */
function messagesOf(body: JsonObject): Message[] {
  const merged: Message[] = [];
  for (const { role, content } of body.messages as { role: string; content: Json }[]) {
    const blocks = (typeof content === 'string' ? [{ type: 'text', text: content }] : content) as JsonObject[];
    if (merged.at(-1)?.role === role) merged.at(-1)?.content.push(...blocks);
    else merged.push({ role, content: [...blocks] });
  }
  return merged;
}

function checkMessages(body: JsonObject): string | undefined {
  const messages = messagesOf(body);
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  for (const [at, { role, content }] of messages.entries()) {
    const wrong = content.map((block) => blockProblem(block, role)).find((problem) => problem !== undefined);
    if (wrong) return `messages.${at}: ${wrong}`;
    const asked = content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const next = messages[at + 1]?.content ?? [];
    const answered = next.slice(0, asked.length).map((block) => (block.type === 'tool_result' ? block.tool_use_id : undefined));
    if (!isDeepStrictEqual(new Set(asked), new Set(answered)))
      return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
  }
  return undefined;
}

function blockProblem(block: JsonObject, role: string): string | undefined {
  const kinds = role === 'user' ? ['text', 'image', 'tool_result'] : ['text', 'tool_use', 'thinking', 'redacted_thinking'];
  const type = String(block.type);
  if (!kinds.includes(type)) return `content of type ${type} in a message of ${role}`;
  if (type === 'text' && String(block.text).trim() === '') return 'text content blocks must be non-empty';
  if (type === 'tool_use' && !/^[\w-]+$/.test(String(block.id))) return 'tool_use.id: String should match pattern';
  if (type !== 'image') return undefined;
  const { type: source, data } = block.source as JsonObject;
  return source === 'base64' ? pictureProblem(String(data)) : undefined;
}

/** A message with calls begins with the thinking that came with it, signature and all. */
function checkReplay(body: JsonObject, issued: ReadonlyMap<string, JsonObject[]>): string | undefined {
  for (const { role, content } of messagesOf(body)) {
    const first = content.find(({ type }) => type === 'tool_use');
    const given = role === 'assistant' && first ? issued.get(String(first.id)) : undefined;
    const thinking = given?.[0]?.type === 'thinking' ? given[0] : undefined;
    if (!thinking) continue;
    if (content[0]?.type !== 'thinking') return 'messages: Expected `thinking` or `redacted_thinking`, but found `tool_use`';
    if (!isDeepStrictEqual(plain(content[0]), thinking)) return 'messages: Invalid `signature` in `thinking` block';
  }
  return undefined;
}

function plain({ cache_control: _, ...block }: JsonObject): JsonObject {
  return block;
}

// ---- the prompt and the answer -----------------------------------------------------------------------------

/** In the order of the cache: tools, system, messages. */
function promptBlocks(body: JsonObject): Block[] {
  const { system, tools = [] } = body;
  const texts = typeof system === 'string' ? [{ type: 'text', text: system }] : ((system ?? []) as JsonObject[]);
  const parts = messagesOf(body).flatMap(({ role, content }) => content.map((block) => ({ role, ...block }) as JsonObject));
  return [...(tools as JsonObject[]), ...texts, ...parts].map((part) => ({
    text: JSON.stringify(part, (key, value) => (key === 'cache_control' ? undefined : value)),
    marked: JSON.stringify(part).includes('"cache_control":'),
  }));
}

function contentOf({ reasoning, text, calls = [] }: Said, newId: () => string): JsonObject[] {
  return [
    ...(reasoning ? [{ type: 'thinking', thinking: reasoning, signature: Buffer.from(`signed ${reasoning}`).toString('base64') }] : []),
    ...(text ? [{ type: 'text', text }] : []),
    ...calls.map(({ name, arguments: input }) => ({ type: 'tool_use', id: newId(), name, input })),
  ];
}

function usageOf({ input, output, cached, written }: Counted): JsonObject {
  return {
    input_tokens: input - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: output,
  };
}

function events(head: JsonObject, blocks: JsonObject[], reason: string, counted: Counted): string[] {
  const event = (type: string, data: JsonObject) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  const usage = usageOf({ ...counted, output: 1 });
  const message = { ...head, content: [], stop_reason: null, stop_sequence: null, usage };
  const content = blocks.flatMap((block, index) => {
    const { begin, deltas } = piecesOf(block);
    return [
      event('content_block_start', { index, content_block: begin }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ];
  });
  return [
    event('message_start', { message }),
    event('ping', {}),
    ...content,
    event('message_delta', { delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: counted.output } }),
    event('message_stop', {}),
  ];
}

function piecesOf(block: JsonObject): { begin: JsonObject; deltas: JsonObject[] } {
  const { type } = block;
  if (type === 'text')
    return { begin: { type, text: '' }, deltas: halves(String(block.text)).map((text) => ({ type: 'text_delta', text })) };
  if (type === 'thinking') {
    const deltas: JsonObject[] = halves(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking }));
    return {
      begin: { type, thinking: '', signature: '' },
      deltas: [...deltas, { type: 'signature_delta', signature: block.signature as string }],
    };
  }
  const { id, name, input } = block as { id: string; name: string; input: JsonObject };
  const deltas = ['', ...halves(JSON.stringify(input))].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return { begin: { type: 'tool_use', id, name, input: {} }, deltas };
}
