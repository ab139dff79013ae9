/**
 * A `fetch` for the AI SDK's providers that moves its bytes as our own client does: keep-alive, proxies, an own certificate
 * authority, and a bound on every phase. The SDK itself waits for a silent stream without end.
 */

import { isObject } from '../kernel/json.ts';
import type { JsonObject } from '../kernel/types.ts';
import { createTransport, type Incoming, type Timeouts, type Transport } from './http.ts';
import { modelError, type Place, statusError } from './http-errors.ts';
import { nextHop } from './pull/get.ts';

export interface OwnFetch {
  fetch: typeof globalThis.fetch;
  close(): void;
}

interface Sent {
  url: URL;
  method: string;
  headers: Headers;
  body?: string | Uint8Array | undefined;
  signal?: AbortSignal | null | undefined;
  /** Default: `follow`, of GET and HEAD. */
  redirect?: RequestInit['redirect'];
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

export function createFetch(options: {
  place: Place;
  timeouts?: Partial<Timeouts> | undefined;
  env?: NodeJS.ProcessEnv | undefined;
}): OwnFetch {
  // One for each server: most providers have one, and some ask for its files at ever new addresses.
  const transports = new Map<string, Transport>();
  const transportTo = (url: URL) => {
    let transport = transports.get(url.origin);
    if (!transport) {
      transport = createTransport({ url, ...options });
      transports.set(url.origin, transport);
    }
    return transport;
  };

  async function send({ url, method, headers, body, signal: given }: Sent): Promise<Response> {
    const cancelled = new AbortController();
    const signal = given ? AbortSignal.any([given, cancelled.signal]) : cancelled.signal;
    const streamed = method === 'POST' && isStreamed(url, body);
    const patience = streamed ? 'firstByte' : 'wholeAnswer';
    const outgoing = {
      method,
      path: url.pathname + url.search,
      body: body === undefined ? [] : [Buffer.from(body as string)],
      headers: [...headers].flat(),
      patience,
    } as const;
    const incoming = await transportTo(url).send(outgoing, signal);
    if (streamed && incoming.status === 200) await refuseWhole(options.place, incoming);
    const answer = new Headers(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
    if (method === 'HEAD') incoming.discard();
    return new Response(method === 'HEAD' ? null : bodyOf(incoming, cancelled), { status: incoming.status, headers: answer });
  }

  async function ownFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    let sent = plainPost(input, init) ?? (await anyRequest(input, init));
    for (let hop = 0; ; hop++) {
      const answer = await send(sent);
      const { method, redirect = 'follow' } = sent;
      const location = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
      if (location === null || redirect === 'manual') return answer;
      if (redirect === 'follow' && (hop >= MAX_REDIRECTS || !(method === 'GET' || method === 'HEAD'))) return answer;
      await answer.body?.cancel();
      if (redirect === 'error') throw new TypeError(`${sent.url.host} redirects, which is not wanted here`);
      const url = nextHop(sent.url, location);
      // Keys are for the host that was asked, not for one that it names.
      const headers = url.origin === sent.url.origin ? sent.headers : new Headers({ accept: sent.headers.get('accept') ?? '*/*' });
      sent = { ...sent, url, headers };
    }
  }

  return {
    fetch: ownFetch,
    close() {
      for (const transport of transports.values()) transport.close();
    },
  };
}

/** What a language model's request nearly always is. */
function plainPost(input: string | URL | Request, { method, body, headers, signal, redirect }: RequestInit): Sent | undefined {
  if (input instanceof Request || method !== 'POST' || !(typeof body === 'string' || body instanceof Uint8Array)) return undefined;
  return { url: new URL(input), method, headers: new Headers(headers), body, signal, redirect };
}

/** Forms, downloads, questions about a job: whatever fetch takes. */
async function anyRequest(input: string | URL | Request, init: RequestInit): Promise<Sent> {
  const request = new Request(input, init);
  const { url, method, headers, signal, redirect } = request;
  const body = request.body ? new Uint8Array(await request.arrayBuffer()) : undefined;
  return { url: new URL(url), method, headers, body, signal, redirect };
}

/** The same fetch, with these fields in every JSON body; an object in place of an object is merged into it. */
export function withFields(fetch: typeof globalThis.fetch, fields: JsonObject): typeof globalThis.fetch {
  return (input, init) => {
    if (typeof init?.body !== 'string') return fetch(input, init);
    const body = JSON.parse(init.body) as JsonObject;
    for (const [name, value] of Object.entries(fields)) {
      const known = body[name];
      body[name] = isObject(known) && isObject(value) && name !== 'thinking' ? { ...known, ...value } : value;
    }
    return fetch(input, { ...init, body: JSON.stringify(body) });
  };
}

function isStreamed(url: URL, body: Sent['body']): boolean {
  return /stream/i.test(url.pathname) || (typeof body === 'string' && /"stream"\s*:\s*true/.test(body));
}

function bodyOf(incoming: Incoming, cancelled: AbortController): ReadableStream<Uint8Array> | null {
  if (incoming.status === 204 || incoming.status === 205 || incoming.status === 304) return null; // fetch wants it so
  return new ReadableStream<Uint8Array>({
    start(controller) {
      // Not awaited: the head is handed over while the body is still coming. Its size is bounded by the transport.
      incoming
        .read((piece) => controller.enqueue(piece))
        .then(
          () => controller.close(),
          (error: unknown) => controller.error(error),
        );
    },
    cancel: (reason) => cancelled.abort(reason),
  });
}

/** A page or a JSON text in place of the stream that was asked for: the SDK's parser would see an empty stream. */
async function refuseWhole(place: Place, incoming: Incoming): Promise<void> {
  const type = String(incoming.headers['content-type'] ?? '').split(';')[0] as string;
  if (type !== 'application/json' && type !== 'text/html') return;
  const pieces: Buffer[] = [];
  await incoming.read((piece) => pieces.push(piece));
  const text = Buffer.concat(pieces).toString();
  const error = type === 'application/json' ? errorIn(text) : undefined;
  if (error) throw statusError(place, errorStatus(error), incoming.headers, text);
  const title = /<title[^>]*>([^<]{1,100})/i.exec(text)?.[1]?.trim();
  throw modelError(
    'bad_reply',
    `${place.endpoint} answered with ${type} instead of a stream${title ? `: ${title}` : ''}`,
    'Check base_url: what answers there does not speak the API of this provider.',
  );
}

function errorIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { error?: unknown } | null)?.error;
  } catch {
    return undefined; // no JSON after all: named by the caller
  }
}

/** The HTTP status that an error object names; else 0. */
function errorStatus(error: unknown): number {
  const { code, status } = isObject(error) ? error : {};
  const named = Number(code ?? status);
  return named >= 400 && named < 600 ? named : 0;
}
