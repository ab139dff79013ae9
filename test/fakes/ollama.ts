/** The engine of Ollama's own API. A real server cuts a prompt that num_ctx does not hold without a word; this one refuses it. */

import type { JsonObject } from '../../src/kernel/types.ts';
import { tokens } from './cache.ts';
import { pictureProblem } from './image.ts';
import { halves } from './pieces.ts';
import type { Block, Conditions, Counted, Engine, Said } from './types.ts';

const fields = ['model', 'messages', 'tools', 'think', 'format', 'options', 'keep_alive', 'stream'];
const options = [
  'num_ctx',
  'num_predict',
  'num_keep',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'seed',
  'stop',
  'presence_penalty',
  'frequency_penalty',
  'repeat_penalty',
];
const messageFields = ['role', 'content', 'thinking', 'tool_calls', 'images', 'tool_name', 'tool_call_id'];
/** What is loaded when nobody says anything. */
const usualContext = 4096;
const longestContext = 40_960;

export function ollamaEngine({ window }: Conditions = {}): Engine {
  const context = window === undefined ? longestContext : Math.floor(window / 4);
  return {
    path: '/api/chat',
    refuse({ body }) {
      const message = checkBody(body) ?? checkMessages(body.messages as JsonObject[]) ?? checkContext(body, context);
      return message === undefined ? undefined : { status: 400, message };
    },
    blocks: ({ body }) => promptBlocks(body),
    answer({ body }, said, counted) {
      const lines = linesOf({ ...said, ...(body.think === false ? { reasoning: undefined } : {}) }, body, counted);
      return {
        type: body.stream === false ? 'application/json' : 'application/x-ndjson',
        pieces: lines.map((line) => `${JSON.stringify(line)}\n`),
      };
    },
    other(path, { model }) {
      if (path === '/api/tags') return { models: [{ name: 'qwen3:8b', model: 'qwen3:8b', details: { family: 'qwen3' } }] };
      if (path === '/api/version') return { version: '0.13.0' };
      const info = { 'general.architecture': 'qwen3', 'qwen3.context_length': context };
      if (path === '/api/show' && typeof model === 'string')
        return { model_info: info, capabilities: ['completion', 'tools', 'thinking', 'vision'], details: { family: 'qwen3' } };
      return undefined;
    },
  };
}

// ---- refusals ----------------------------------------------------------------------------------------------

function checkBody(body: JsonObject): string | undefined {
  const unknown = Object.keys(body).find((field) => !fields.includes(field));
  if (unknown) return `unknown field ${unknown}`;
  const { num_ctx, ...settings } = (body.options ?? {}) as JsonObject;
  const strange = Object.keys(settings).find((name) => !options.includes(name));
  if (strange) return `invalid option provided: ${strange}`;
  if (num_ctx !== undefined && !Number.isInteger(num_ctx)) return 'option num_ctx must be of type integer';
  if (![undefined, true, false, 'low', 'medium', 'high'].includes(body.think as string)) return `invalid think value: ${body.think}`;
  if (body.format !== undefined && body.format !== 'json' && typeof body.format !== 'object') return `invalid format: ${body.format}`;
  const nameless = ((body.tools ?? []) as JsonObject[]).find((tool) => typeof (tool.function as JsonObject | undefined)?.name !== 'string');
  return nameless && 'tools: a function needs a name';
}

function checkMessages(messages: readonly JsonObject[]): string | undefined {
  for (const [at, message] of messages.entries()) {
    const unknown = Object.keys(message).find((field) => !messageFields.includes(field));
    if (unknown) return `messages[${at}]: unknown field ${unknown}`;
    if (typeof message.content !== 'string') return `messages[${at}]: cannot unmarshal content into a string`;
    const wrongCall = ((message.tool_calls ?? []) as JsonObject[]).find(
      (call) => typeof (call.function as JsonObject | undefined)?.arguments !== 'object',
    );
    if (wrongCall) return `messages[${at}]: arguments must be an object`;
    if (message.role === 'tool' && !message.tool_name && !message.tool_call_id) return `messages[${at}]: a tool message without tool_name`;
    const wrong = ((message.images ?? []) as string[]).map(pictureProblem).find((problem) => problem !== undefined);
    if (wrong) return `messages[${at}]: illegal base64 data: ${wrong}`;
  }
  return undefined;
}

function checkContext(body: JsonObject, longest: number): string | undefined {
  const { num_ctx = usualContext } = (body.options ?? {}) as { num_ctx?: number };
  const length = promptBlocks(body).reduce((sum, { text }) => sum + tokens(text), 0);
  if (num_ctx > longest) return `num_ctx ${num_ctx} is more than the ${longest} tokens of the model`;
  return length > num_ctx ? `a prompt of ${length} tokens would be cut to num_ctx ${num_ctx} without a word` : undefined;
}

// ---- the prompt and the answer -----------------------------------------------------------------------------

/** Pictures count by what a model makes of them, not by their bytes. */
function promptBlocks(body: JsonObject): Block[] {
  const parts = [...((body.tools ?? []) as JsonObject[]), ...(body.messages as JsonObject[])];
  return parts.map((part) => ({ text: JSON.stringify(part, (key, value) => (key === 'images' ? undefined : value)) }));
}

type SaidHere = Omit<Said, 'reasoning'> & { reasoning?: string | undefined };

function linesOf({ reasoning, text, calls = [] }: SaidHere, body: JsonObject, counted: Counted): JsonObject[] {
  const head = { model: body.model as string, created_at: '2026-11-30T00:00:00.000Z' };
  const end = { done: true, done_reason: 'stop', total_duration: 1_000_000, prompt_eval_count: counted.input, eval_count: counted.output };
  const tool_calls = calls.map(({ name, arguments: given }, index) => ({ function: { index, name, arguments: given } }));
  const withCalls = calls.length > 0 && { tool_calls };
  if (body.stream === false) {
    const message = { role: 'assistant', content: text ?? '', ...(reasoning && { thinking: reasoning }), ...withCalls };
    return [{ ...head, message, ...end }];
  }
  const messages: JsonObject[] = [
    ...halves(reasoning ?? '').map((thinking) => ({ role: 'assistant', content: '', thinking })),
    ...halves(text ?? '').map((content) => ({ role: 'assistant', content })),
    // Each call comes in a line of its own.
    ...tool_calls.map((call) => ({ role: 'assistant', content: '', tool_calls: [call] })),
  ];
  const lines = messages.map((message) => ({ ...head, message, done: false }));
  return [...lines, { ...head, message: { role: 'assistant', content: '' }, ...end }];
}
