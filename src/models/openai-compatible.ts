/**
 * Our own client for OpenAI-compatible chat completions: one request, one answer, on a keep-alive socket. It is the
 * hot path of every run, so a step costs what is new in it: earlier messages and the tools are serialised once.
 * It lives by the habits that it is given, and learns further ones from refusals.
 */

import { HermesError } from '../kernel/errors.ts';
import type { Reply } from '../kernel/types.ts';
import { checkedURL, checkKey, type EndpointOptions } from './endpoint.ts';
import { createTransport, type Timeouts, type Transport } from './http.ts';
import { type Place, providerFault, statusError } from './http-errors.ts';
import type { Known } from './knowledge.ts';
import { chatModel } from './language-model.ts';
import { withNearest } from './model-names.ts';
import { isStream, readAnswer, readText } from './openai-answer.ts';
import { type CompletionRequest, RequestBuilder } from './openai-request.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

/** baseURL: with or without /chat/completions at its end; a query in it is kept. Anything but http or https is a usage error. */
export interface OpenAICompatibleOptions extends Omit<EndpointOptions, 'habits'> {
  /** Default: none, as OpenAI's chat completions are documented. */
  habits?: EndpointOptions['habits'];
  /** Milliseconds; see Timeouts for the defaults. */
  timeouts?: Partial<Timeouts>;
  /** Most bytes of one answer; default 64 MiB. */
  maxBytes?: number;
}

/** Parameters that one request may lose to refusals before the refusal counts. */
const maxLessons = 8;

export function createOpenAICompatible(options: OpenAICompatibleOptions): ChatModel {
  const { id, model, apiKey, habits = {}, env, onLearn } = options;
  checkKey(options);
  let wire = openWire(options, completionsURL(options.baseURL));
  const requests = new RequestBuilder(model, habits);
  const headers = flat({ 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }), ...options.headers });

  async function ask(asked: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
    const allHeaders = asked.headers ? [...headers, ...flat(asked.headers)] : headers;
    for (let lessons = 0; ; lessons++) {
      const request = requests.build(asked, onDelta !== undefined);
      const sending = { request, headers: allHeaders, signal: asked.abortSignal, onDelta };
      const first = await send(wire, sending);
      const sent = isMisplaced(first) ? await sendElsewhere(first, sending) : first;
      if (!('refusal' in sent)) return sent;
      const { error, refusal } = sent;
      if (error.code === 'model_not_found') throw await withNearest(error, wire.place, modelsURL(wire.url), allHeaders, env);
      const lesson = error.code === 'bad_request' && lessons < maxLessons ? requests.adapt(request, refusal) : undefined;
      const fact = lesson ? { habits: lesson } : learntFrom(error);
      if (fact) onLearn?.(fact);
      if (!lesson) throw error;
    }
  }

  /** People give a base URL with or without /v1: the other one is tried once, and kept when something answers there. */
  async function sendElsewhere({ error }: Refused, sending: Sending): Promise<Reply | Refused> {
    const other = openWire(options, otherURL(wire.url));
    const sent = await send(other, sending);
    if (isMisplaced(sent)) {
      other.transport.close();
      const next = `Check base_url: ${baseOf(wire.url)} and ${baseOf(other.url)} were tried.`;
      return { error: new HermesError(error.code, error.message, { kind: 'model', next, data: error.data }), refusal: '' };
    }
    wire.transport.close();
    wire = other;
    onLearn?.({ base_url: baseOf(other.url) });
    return sent;
  }

  return chatModel({
    endsOnAbort: true,
    id,
    contextWindow: options.contextWindow,
    abilities: options.abilities,
    ask,
    close: async () => wire.transport.close(),
  });
}

function flat(headers: Record<string, string | undefined>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

// ---- one request --------------------------------------------------------------------------------------------------

interface Wire {
  url: URL;
  place: Place;
  transport: Transport;
}
interface Sending {
  request: CompletionRequest;
  headers: string[];
  signal: AbortSignal | undefined;
  onDelta: ((delta: Delta) => void) | undefined;
}
/** No answer: why, and the words in which the endpoint said so. */
interface Refused {
  error: HermesError;
  refusal: string;
}

function openWire(options: OpenAICompatibleOptions, url: URL): Wire {
  const { id, model, apiKey, apiKeySource, siblings, habits, timeouts, maxBytes, env } = options;
  const endpoint = `${id.split(':', 1)[0]} at ${url.origin}${url.pathname}`;
  const place: Place = { endpoint, model, apiKey, apiKeySource, siblings, errors: habits?.errors };
  return { url, place, transport: createTransport({ url, place, timeouts, maxBytes, env }) };
}

async function send({ place, transport }: Wire, { request, headers, signal, onDelta }: Sending): Promise<Reply | Refused> {
  const incoming = await transport.send({ body: request.body, headers, patience: onDelta ? 'firstByte' : 'wholeAnswer' }, signal);
  if (incoming.status !== 200) {
    const refusal = await readText(incoming);
    return { error: statusError(place, incoming.status, incoming.headers, refusal), refusal };
  }
  try {
    const reply = await readAnswer(place, incoming, onDelta);
    if (reply.finish === 'error') throw providerFault(place, reply.finish_raw);
    return reply;
  } catch (error) {
    // A stream may have been shown already: what fails in it is not asked again here.
    if (!(error instanceof HermesError) || isStream(incoming)) throw error;
    return { error, refusal: error.message };
  }
}

function learntFrom({ code, data }: HermesError): Known | undefined {
  if (code === 'tools_not_supported' && data.server !== true) return { abilities: { tools: false } };
  return code === 'images_not_supported' ? { abilities: { images: false } } : undefined;
}

// ---- addresses ----------------------------------------------------------------------------------------------------

/** Nothing is there, or something that is no chat completion. */
function isMisplaced(sent: Reply | Refused): sent is Refused {
  return 'refusal' in sent && (sent.error.code === 'path_not_found' || sent.error.code === 'bad_reply');
}

function completionsURL(baseURL: string): URL {
  const url = checkedURL(baseURL);
  return withPath(url, `${url.pathname.replace(/(\/chat\/completions)?\/*$/, '')}/chat/completions`);
}

/** With /v1 where it was without, and the other way round. */
function otherURL(url: URL): URL {
  const base = url.pathname.replace(/\/chat\/completions$/, '');
  const other = base.endsWith('/v1') ? base.slice(0, -3) : `${base}/v1`;
  return withPath(url, `${other}/chat/completions`);
}

function modelsURL(url: URL): URL {
  return withPath(url, url.pathname.replace(/\/chat\/completions$/, '/models'));
}

/** As people write it, and without the query, which may hold a key. */
function baseOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/chat\/completions$/, '')}`.replace(/\/$/, '');
}

function withPath(url: URL, pathname: string): URL {
  const copy = new URL(url);
  copy.pathname = pathname;
  return copy;
}
