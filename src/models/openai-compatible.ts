/**
 * Our own client for OpenAI-compatible chat completions: one request, one answer, on a keep-alive socket. It is the
 * hot path of every run, so a step costs what is new in it: earlier messages and the tools are serialised once.
 */

import { HermesError } from '../kernel/errors.ts';
import type { Reply } from '../kernel/types.ts';
import { createTransport, type Incoming, type Timeouts } from './http.ts';
import { badChunk, notCompletion, type Place, providerFault, statusError } from './http-errors.ts';
import { chatModel } from './language-model.ts';
import { type Completion, ReplyReader } from './openai-reply.ts';
import { RequestBuilder } from './openai-request.ts';
import { dataLines } from './sse.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

export interface OpenAICompatibleOptions {
  /** provider:model, for logs and errors. */
  id: string;
  /** With or without /chat/completions at its end; a query in it is kept. Anything but http or https is a usage error. */
  baseURL: string;
  /** The model's name as the endpoint knows it. */
  model: string;
  apiKey?: string;
  /** Where the key came from (OPENAI_API_KEY), for errors. */
  apiKeySource?: string;
  headers?: Record<string, string>;
  contextWindow?: number;
  /** Milliseconds; see Timeouts for the defaults. */
  timeouts?: Partial<Timeouts>;
  /** Most bytes of one answer; default 64 MiB. */
  maxBytes?: number;
  /** Where the proxy variables are read; default process.env. */
  env?: NodeJS.ProcessEnv;
}

export function createOpenAICompatible(options: OpenAICompatibleOptions): ChatModel {
  const { id, model, apiKey, apiKeySource, timeouts, maxBytes, env } = options;
  const url = completionsURL(options.baseURL);
  if (apiKey && !/^[\x20-\x7e]+$/.test(apiKey)) throw badKey(apiKeySource);
  const place: Place = { endpoint: `${id.split(':', 1)[0]} at ${url.origin}${url.pathname}`, model, apiKey, apiKeySource };
  const transport = createTransport({ url, place, timeouts, maxBytes, env });
  const requests = new RequestBuilder(model);
  const headers = flat({ 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...options.headers });

  async function ask(asked: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
    const allHeaders = asked.headers ? [...headers, ...flat(asked.headers)] : headers;
    for (;;) {
      const request = requests.build(asked, onDelta !== undefined);
      const patience = onDelta ? 'firstByte' : 'wholeAnswer';
      const incoming = await transport.post({ body: request.body, headers: allHeaders, patience }, asked.abortSignal);
      if (incoming.status === 200) {
        const reply = await readAnswer(place, incoming, onDelta);
        if (reply.finish === 'error') throw providerFault(place, reply.finish_raw);
        return reply;
      }
      const body = await readText(incoming);
      const error = statusError(place, incoming.status, incoming.headers, body);
      // Ends: each round takes one more parameter out of the requests.
      if (error.code !== 'bad_request' || !requests.adapt(request, body)) throw error;
    }
  }

  return chatModel({
    endsOnAbort: true,
    id,
    contextWindow: options.contextWindow,
    ask,
    close: async () => transport.close(),
  });
}

function completionsURL(baseURL: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new HermesError(
      'bad_base_url',
      `base_url has to be a URL like https://host/v1, without a user or password in it; got "${url?.host ?? baseURL}".`,
      {
        kind: 'usage',
        next: 'Correct base_url; the key belongs into the variable that api_key_env names.',
      },
    );
  url.pathname = `${url.pathname.replace(/(\/chat\/completions)?\/*$/, '')}/chat/completions`;
  return url;
}

/** An example left in .env (你的密钥), a line feed: what cannot stand in a header. */
function badKey(source = 'the API key'): HermesError {
  return new HermesError('bad_key', `${source} holds characters that no key has.`, {
    kind: 'usage',
    next: `Put the real key into ${source}.`,
  });
}

function flat(headers: Record<string, string | undefined>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

// ---- the answer -----------------------------------------------------------------------------------------------

/** The content type decides, not the request: some servers answer whole when asked to stream, some the other way. */
async function readAnswer(place: Place, incoming: Incoming, onDelta: ((delta: Delta) => void) | undefined): Promise<Reply> {
  const reader = new ReplyReader();
  const type = incoming.headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) return readStream(place, incoming, reader, onDelta);
  const body = await readText(incoming);
  const completion = parse(body);
  if (completion?.error) throw statusError(place, errorStatus(completion.error), incoming.headers, body);
  if (!completion?.choices?.length) throw notCompletion(place, type, body);
  reader.add(completion);
  const delta = reader.takeDelta();
  if (delta) onDelta?.(delta);
  return reader.reply({ whole: true });
}

/**
 * What was read before the wire failed is not lost: the reply is `interrupted` then, with the failure as its raw
 * finish reason. Only a stream that failed before its first piece of an answer, or that names an error, throws.
 */
async function readStream(place: Place, incoming: Incoming, reader: ReplyReader, onDelta?: (delta: Delta) => void): Promise<Reply> {
  let done = false;
  const readLines = dataLines((data) => {
    if (data.startsWith('[DONE]')) done = true;
    else if (data.trim() !== '') reader.add(parseChunk(place, data));
  });
  const read = (piece: Buffer) => {
    readLines(piece);
    const delta = onDelta && reader.takeDelta();
    if (delta) onDelta?.(delta);
  };
  try {
    await incoming.read(read);
    read(lastLine);
  } catch (error) {
    const cut = error instanceof HermesError && wireFaults.has(error.code) ? error.code : undefined;
    if (cut === undefined || (reader.empty && !done)) throw error;
    // A server that keeps the connection open after [DONE] has answered all the same.
    if (!done) return reader.reply({ cut });
  }
  return reader.reply({ done });
}

const wireFaults = new Set(['connection_lost', 'stream_silent', 'response_too_large']);
/** Ends a last line that came without a line feed. */
const lastLine = Buffer.from('\n');

function parseChunk(place: Place, data: string): Completion {
  const chunk = parse(data);
  if (!chunk) throw badChunk(place, data);
  if (chunk.error) throw statusError(place, errorStatus(chunk.error), {}, data);
  return chunk;
}

function parse(text: string): Completion | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // not JSON: named by the caller, who knows where it came from
  }
}

/** The HTTP status that an error object names in its `code` or `status`; else 0. */
function errorStatus(error: unknown): number {
  const { code, status } = (typeof error === 'object' && error !== null ? error : {}) as { code?: unknown; status?: unknown };
  const named = Number(code ?? status);
  return named >= 400 && named < 600 ? named : 0;
}

async function readText(incoming: Incoming): Promise<string> {
  const pieces: Buffer[] = [];
  await incoming.read((piece) => pieces.push(piece));
  return (pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)).toString();
}
