/** The engine of OpenAI's Responses API, for a model that thinks with tools. */

import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { imageProblem } from './image.ts';
import { halves } from './pieces.ts';
import type { Block, Counted, Engine, Said } from './types.ts';

const fields = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'store', 'include', 'reasoning', 'text', 'max_output_tokens', 'stream'],
  ...['parallel_tool_calls', 'prompt_cache_key', 'prompt_cache_options', 'metadata', 'truncation', 'temperature', 'top_p'],
];
const efforts = ['none', 'low', 'medium', 'high', 'xhigh', 'max'];

export function responsesEngine(): Engine {
  /** By call: the reasoning item that went out with it. */
  const issued = new Map<string, JsonObject>();
  let items = 0;
  const newId = (kind: string) => `${kind}_${String(++items).padStart(24, '0')}`;
  return {
    path: '/responses',
    refuse({ body }) {
      const message = checkBody(body) ?? checkInput(body) ?? checkReplay(body, issued);
      return message === undefined ? undefined : { status: 400, message };
    },
    blocks: ({ body }) => promptBlocks(body),
    answer({ body }, said, counted) {
      const output = outputOf(body, said, newId);
      const reasoning = output.find(({ type }) => type === 'reasoning');
      for (const item of output) if (item.type === 'function_call' && reasoning) issued.set(String(item.call_id), reasoning);
      const head = { id: newId('resp'), object: 'response', created_at: 1_790_000_000, model: body.model as string };
      const whole = { ...head, status: 'completed', output, usage: usageOf(counted), incomplete_details: null };
      if (body.stream === true) return { type: 'text/event-stream', pieces: events(head, output, whole) };
      return { type: 'application/json', pieces: [JSON.stringify(whole)] };
    },
  };
}

// ---- refusals ----------------------------------------------------------------------------------------------

function checkBody(body: JsonObject): string | undefined {
  const unknown = Object.keys(body).find((field) => !fields.includes(field));
  if (unknown) return `Unknown parameter: '${unknown}'.`;
  const { effort = 'medium' } = (body.reasoning ?? {}) as { effort?: string };
  if (!efforts.includes(effort)) return `Unsupported value: '${effort}' is not supported with 'reasoning.effort'.`;
  const sampled = ['temperature', 'top_p'].find((field) => body[field] !== undefined);
  if (sampled && effort !== 'none') return `Unsupported parameter: '${sampled}' is not supported with this model.`;
  const { format } = (body.text ?? {}) as { format?: JsonObject };
  if (format?.type === 'json_schema' && format.strict !== false && isOpen(format.schema))
    return "Invalid schema for response_format: 'additionalProperties' is required to be supplied and to be false.";
  for (const tool of (body.tools ?? []) as JsonObject[]) {
    if (tool.type !== 'function' || typeof tool.name !== 'string') return "Missing required parameter: 'tools[0].name'.";
    if (tool.strict !== false && isOpen(tool.parameters))
      return `Invalid schema for function '${tool.name}': 'additionalProperties' is required to be supplied and to be false.`;
  }
  return undefined;
}

/** Strict schemas close every object and require all of its properties. */
function isOpen(schema: Json | undefined): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (Array.isArray(schema)) return schema.some(isOpen);
  const { type, properties, required, additionalProperties } = schema as {
    type?: string;
    properties?: object;
    required?: string[];
    additionalProperties?: boolean;
  };
  const isLoose = type === 'object' && (additionalProperties !== false || Object.keys(properties ?? {}).length !== (required ?? []).length);
  return isLoose || Object.values(schema).some(isOpen);
}

const itemsOf = (body: JsonObject) => (Array.isArray(body.input) ? body.input : [{ role: 'user', content: body.input }]) as JsonObject[];

function checkInput(body: JsonObject): string | undefined {
  const open = new Set<string>();
  for (const [at, item] of itemsOf(body).entries()) {
    const type = item.type ?? 'message';
    if (type === 'item_reference' && body.store === false)
      return `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`;
    if (type === 'function_call') open.add(String(item.call_id));
    if (type === 'function_call_output' && !open.delete(String(item.call_id)))
      return `No tool call found for function call output with call_id ${item.call_id}.`;
    if (type !== 'message') continue;
    if (open.size > 0) return `No tool output found for function call ${[...open][0]}.`;
    const wrong = contentProblem(item);
    if (wrong) return `input[${at}]: ${wrong}`;
  }
  return open.size > 0 ? `No tool output found for function call ${[...open][0]}.` : undefined;
}

function contentProblem({ role, content }: JsonObject): string | undefined {
  if (!['system', 'developer', 'user', 'assistant'].includes(String(role))) return `unknown role ${role}`;
  if (!Array.isArray(content)) return undefined;
  const kinds = role === 'assistant' ? ['output_text'] : ['input_text', 'input_image'];
  for (const part of content as JsonObject[]) {
    if (!kinds.includes(String(part.type))) return `Invalid value: '${part.type}'`;
    const wrong = part.type === 'input_image' ? imageProblem(String(part.image_url), 'any') : undefined;
    if (wrong) return wrong;
  }
  return undefined;
}

/** The reasoning that led to a call stands before it, encrypted as it was. */
function checkReplay(body: JsonObject, issued: ReadonlyMap<string, JsonObject>): string | undefined {
  const items = itemsOf(body);
  for (const [at, item] of items.entries()) {
    const reasoning = item.type === 'function_call' ? issued.get(String(item.call_id)) : undefined;
    if (!reasoning) continue;
    const before = items.slice(0, at).findLast(({ type }) => type === 'reasoning');
    if (before?.id !== reasoning.id)
      return `Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning.id}'.`;
    if (before?.encrypted_content !== reasoning.encrypted_content)
      return `The encrypted content for item ${reasoning.id} could not be verified.`;
  }
  return undefined;
}

// ---- the prompt and the answer -----------------------------------------------------------------------------

function promptBlocks(body: JsonObject): Block[] {
  const { tools = [], instructions = '' } = body;
  return [...(tools as JsonObject[]), { instructions }, ...itemsOf(body)].map((part) => ({ text: JSON.stringify(part) }));
}

function outputOf(body: JsonObject, { reasoning, text, calls = [] }: Said, newId: (kind: string) => string): JsonObject[] {
  const { summary } = (body.reasoning ?? {}) as { summary?: string };
  const isEncrypted = ((body.include ?? []) as string[]).includes('reasoning.encrypted_content');
  const output: JsonObject[] = [];
  if (reasoning) {
    const summaries = summary ? [{ type: 'summary_text', text: reasoning }] : [];
    const encrypted = isEncrypted && { encrypted_content: Buffer.from(`secret ${reasoning}`).toString('base64') };
    output.push({ type: 'reasoning', id: newId('rs'), summary: summaries, ...encrypted });
  }
  if (text) {
    const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
    output.push({ type: 'message', id: newId('msg'), role: 'assistant', status: 'completed', content });
  }
  for (const { name, arguments: given } of calls)
    output.push({
      type: 'function_call',
      id: newId('fc'),
      call_id: newId('call'),
      name,
      arguments: JSON.stringify(given),
      status: 'completed',
    });
  return output;
}

function usageOf({ input, output, reasoning, cached }: Counted): JsonObject {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function events(head: JsonObject, output: JsonObject[], whole: JsonObject): string[] {
  let sequence_number = 0;
  const event = (type: string, data: JsonObject) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence_number++, ...data })}\n\n`;
  const started = { response: { ...head, status: 'in_progress', output: [] } };
  return [
    event('response.created', started),
    event('response.in_progress', started),
    ...output.flatMap((item, output_index) => itemEvents(item, output_index, event)),
    event('response.completed', { response: whole }),
  ];
}

function itemEvents(item: JsonObject, output_index: number, event: (type: string, data: JsonObject) => string): string[] {
  const at = { item_id: item.id as string, output_index };
  const begun = {
    ...item,
    ...(item.type === 'message' ? { content: [] } : item.type === 'reasoning' ? { summary: [] } : { arguments: '' }),
  };
  return [
    event('response.output_item.added', { output_index, item: begun }),
    ...innerEvents(item, at, event),
    event('response.output_item.done', { output_index, item }),
  ];
}

function innerEvents(item: JsonObject, at: JsonObject, event: (type: string, data: JsonObject) => string): string[] {
  if (item.type === 'function_call') {
    const name = 'response.function_call_arguments';
    return [
      ...halves(String(item.arguments)).map((delta) => event(`${name}.delta`, { ...at, delta })),
      event(`${name}.done`, { ...at, arguments: item.arguments as string }),
    ];
  }
  if (item.type === 'message') {
    const [part] = item.content as JsonObject[];
    const where = { ...at, content_index: 0 };
    return [
      event('response.content_part.added', { ...where, part: { type: 'output_text', text: '', annotations: [] } }),
      ...halves(String(part?.text)).map((delta) => event('response.output_text.delta', { ...where, delta })),
      event('response.output_text.done', { ...where, text: part?.text as string }),
      event('response.content_part.done', { ...where, part: part as JsonObject }),
    ];
  }
  return (item.summary as JsonObject[]).flatMap((part, summary_index) => [
    event('response.reasoning_summary_part.added', { ...at, summary_index, part: { type: 'summary_text', text: '' } }),
    ...halves(String(part.text)).map((delta) => event('response.reasoning_summary_text.delta', { ...at, summary_index, delta })),
    event('response.reasoning_summary_part.done', { ...at, summary_index, part }),
  ]);
}
