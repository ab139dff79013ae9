/**
 * Our own client for Ollama's own API. The compatible one leaves the context at its default and cuts a longer prompt
 * without a word; here each request says how many tokens it needs.
 */

import type { HermesError } from '../kernel/errors.ts';
import { estimateTokens } from '../kernel/text.ts';
import type { JsonObject, Reply } from '../kernel/types.ts';
import { createTransport, type Incoming } from './http.ts';
import { badChunk, modelError, type Place } from './http-errors.ts';
import { chatModel } from './language-model.ts';
import { messageRenderer } from './ollama-messages.ts';
import { lines, type OllamaChunk, OllamaReader } from './ollama-reply.ts';
import { createServerQueries, type OllamaServer, readText, withStart } from './ollama-server.ts';
import { RequestHabits } from './request-habits.ts';
import { endpointURL, type NativeOptions, placeOf } from './sdk-setup.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

/** Asks the server for the model's window first, in a moment; resolves also when none answers. */
export async function createOllama(options: NativeOptions): Promise<ChatModel> {
  const { id, habits, apiKey, timeouts, env } = options;
  const root = rootURL(options.baseURL);
  const place = placeOf(options, root);
  const headers = Object.entries({
    'content-type': 'application/json',
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...options.headers,
  }).flat();
  const server = createServerQueries(root, place, headers, env);
  const card = await server.card();
  const contextWindow = smaller(options.contextWindow, card.contextLength);
  // The object of the caller, who goes on adding to it what is learnt.
  const abilities = Object.assign(options.abilities ?? {}, { ...card.abilities, ...options.abilities });
  const wire = createTransport({ url: new URL(`${root.href}api/chat`), place, timeouts, env });
  const requests = new RequestHabits({ habits: { ...habits, tool_choice: { values: ['auto'] } }, onLearn: options.onLearn });
  const thinking = { possible: card.thinks !== false };
  const request = requestBuilder(options, place, new ContextSize(card.numCtx ?? 0, contextWindow), thinking);

  async function ask(asked: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
    const allHeaders = [
      ...headers,
      ...Object.entries(asked.headers ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name, value])),
    ];
    for (;;) {
      const ready = requests.prepare(asked);
      const outgoing = { body: [request(ready, requests.fields(asked), onDelta !== undefined)], headers: allHeaders };
      const patience = onDelta ? 'firstByte' : 'wholeAnswer';
      const incoming = await wire.send({ ...outgoing, patience }, asked.abortSignal).catch((error: unknown) => {
        throw withStart(error);
      });
      if (incoming.status === 200) return await readAnswer(place, server, incoming, onDelta);
      const error = await server.refusal(incoming.status, incoming.headers, await readText(incoming));
      if (error.code === 'tools_not_supported') options.onLearn?.({ abilities: { tools: false } });
      const withoutThinking = thinking.possible && /does not support thinking/i.test(error.message);
      if (withoutThinking) thinking.possible = false;
      if (!withoutThinking && !requests.adapt(error, ready, asked)) throw error;
    }
  }

  return chatModel({
    endsOnAbort: true,
    id,
    contextWindow,
    abilities,
    ask,
    async close() {
      wire.close();
      server.close();
    },
  });
}

/** With or without the path of one of its APIs; ends in a slash. */
function rootURL(baseURL: string): URL {
  const url = endpointURL(baseURL, '(v1|api)(/chat)?');
  url.pathname = `${url.pathname.replace(/\/$/, '')}/`;
  return url;
}

function smaller(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

// ---- the request ----------------------------------------------------------------------------------------------

/** What an answer is given when nobody says how long it may be. */
const answerTokens = 4096;

function requestBuilder(
  { model, habits }: NativeOptions,
  place: Place,
  size: ContextSize,
  thinking: { possible: boolean },
): (options: AskOptions, fields: JsonObject, stream: boolean) => Buffer {
  const render = messageRenderer(habits.reasoning?.replay ?? 'all');
  const toolTexts = new WeakMap<object, { text: string; tokens: number }>();
  const renderTools = (tools: NonNullable<AskOptions['tools']>) => {
    let known = toolTexts.get(tools);
    if (!known) {
      const rendered = tools.flatMap((tool) => {
        if (tool.type !== 'function') return [];
        const { name, description, inputSchema } = tool;
        return [{ type: 'function', function: { name, description, parameters: inputSchema } }];
      });
      const text = JSON.stringify(rendered);
      known = { text, tokens: estimateTokens(text) };
      toolTexts.set(tools, known);
    }
    return known;
  };

  return (options, fields, stream) => {
    const tools = options.tools?.length && options.toolChoice?.type !== 'none' ? renderTools(options.tools) : undefined;
    const messages = options.prompt.map(render);
    const prompt = messages.reduce((sum, { tokens }) => sum + tokens, tools?.tokens ?? 0);
    if (prompt > size.most) throw tooLong(place, prompt, size.most);
    const numCtx = size.for(prompt + (options.maxOutputTokens ?? answerTokens));
    const { options: own, think, ...body } = fields;
    const head = {
      model,
      stream,
      ...body,
      ...(options.responseFormat?.type === 'json' && { format: options.responseFormat.schema ?? 'json' }),
      ...(thinking.possible && thinkField(think, options)),
      options: { ...sampling(options), num_ctx: numCtx, ...(own as JsonObject | undefined) },
    };
    const start = JSON.stringify(head).slice(0, -1);
    return Buffer.from(`${start}${tools ? `,"tools":${tools.text}` : ''},"messages":[${messages.map(({ text }) => text).join(',')}]}`);
  };
}

/** The server would cut the beginning off, without a word. */
function tooLong({ endpoint, model }: Place, tokens: number, most: number): HermesError {
  const message = `${endpoint}: the request holds about ${tokens} tokens, ${model} takes ${most}.`;
  return modelError('context_overflow', message, 'Send less: a shorter history, smaller tool results, or a model with a larger window.');
}

function thinkField(habit: JsonObject[string] | undefined, { reasoning }: AskOptions): JsonObject {
  if (habit !== undefined) return { think: habit };
  return reasoning === undefined || reasoning === 'provider-default' ? {} : { think: reasoning !== 'none' };
}

function sampling(options: AskOptions): JsonObject {
  const all = {
    temperature: options.temperature,
    top_p: options.topP,
    top_k: options.topK,
    seed: options.seed,
    stop: options.stopSequences?.length ? options.stopSequences : undefined,
    presence_penalty: options.presencePenalty,
    frequency_penalty: options.frequencyPenalty,
    num_predict: options.maxOutputTokens,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Tokens, in multiples of which the context grows. */
const contextStep = 4096;

/**
 * The context that is asked for. Another size makes the server load the model anew and read the whole prompt again, so
 * that it never shrinks, and grows by half at least.
 */
class ContextSize {
  private current: number;
  /** What the model takes. */
  readonly most: number;

  constructor(least: number, most = Number.POSITIVE_INFINITY) {
    this.current = Math.min(least, most);
    this.most = most;
  }

  for(needed: number): number {
    if (needed > this.current) {
      const wanted = Math.max(needed, this.current * 1.5);
      this.current = Math.min(Math.ceil(wanted / contextStep) * contextStep, this.most);
    }
    return this.current;
  }
}

// ---- the answer -----------------------------------------------------------------------------------------------

const wireFaults = new Set(['connection_lost', 'stream_silent', 'response_too_large']);
const lastLine = Buffer.from('\n');

/** What was read before the wire failed is not lost: the reply is `interrupted` then. */
async function readAnswer(place: Place, server: OllamaServer, incoming: Incoming, onDelta?: (delta: Delta) => void): Promise<Reply> {
  const reader = new OllamaReader();
  let refused: string | undefined;
  const read = lines((line) => {
    const chunk = parse(line);
    if (!chunk) throw notOllama(place, incoming, line);
    if (chunk.error) refused ??= line;
    const delta = reader.add(chunk);
    if (delta.text || delta.reasoning) onDelta?.(delta);
  });
  try {
    await incoming.read(read);
    read(lastLine);
  } catch (error) {
    const { code } = error as HermesError;
    if (!wireFaults.has(code) || reader.empty) throw error;
    return reader.end(code);
  }
  if (refused) throw await server.refusal(0, {}, refused);
  return reader.end();
}

function parse(line: string): OllamaChunk | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // named by the caller, who knows where it came from
  }
}

function notOllama(place: Place, { headers }: Incoming, line: string): HermesError {
  if (!String(headers['content-type'] ?? '').startsWith('text/html')) return badChunk(place, line);
  const message = `${place.endpoint} answered with a web page instead of what Ollama says.`;
  return modelError('bad_reply', message, 'Check base_url: the usual one is http://127.0.0.1:11434.');
}
