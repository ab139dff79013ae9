/**
 * `guardedFetch`: the only way by which anything is fetched on a model's behalf. Every hop is checked (scheme, port, address) and
 * connects to the addresses that were checked; time, bytes, headers and redirects are bounded.
 */

import { unlessAborted } from '../kernel/abort.ts';
import { HermesError } from '../kernel/errors.ts';
import { type Answer, type HopRequest, requestHop } from './hop.ts';
import { type WebResponse, webResponse } from './response.ts';
import { checkTarget, parseUrl, refusal, systemResolve, type TargetOptions } from './target.ts';

export type { WebResponse } from './response.ts';

/** What the caller of a fetch decides. */
export interface FetchOptions {
  /** Default GET. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Bytes of the body that are kept, counted after decompression; the connection is closed there. Default 5,000,000. */
  maxBytes?: number;
  /** Milliseconds for everything: looking up, connecting, redirects, the whole body. Default 20,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}
/** What the program decides. */
export interface GuardOptions extends FetchOptions {
  /** Hosts that may be reached whatever their address and port (see hosts.ts). Default: none. */
  allowHosts?: readonly string[];
  /** Told of every hop that is going to be asked. */
  onHop?(url: URL): void;
  /** Default: the system's. */
  resolve?: TargetOptions['resolve'];
  /** Where the proxy variables are read; default process.env. */
  env?: NodeJS.ProcessEnv;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;
/** The connection's own business; a caller who sets them could make two readers see two different requests. */
const OWN_HEADERS = /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|keep-alive|accept-encoding|proxy-.*)$/i;
/** Meant for one host; not sent on to another. */
export const FOR_ONE_HOST = /^(?:authorization|cookie|.*(?:api-?key|token|secret).*)$/i;

/** Rejects with a HermesError of kind `tool`, or with the signal's reason. An HTTP error status is an answer, not an error. */
export async function guardedFetch(address: string | URL, options: GuardOptions = {}): Promise<WebResponse> {
  const { timeoutMs = 20_000, signal } = options;
  const deadline = new AbortController();
  const late = new HermesError('fetch_timeout', `${place(String(address))} did not answer completely within ${timeoutMs / 1000} s`, {
    kind: 'tool',
    next: 'try again later, or another source',
    retryable: true,
  });
  const timer = setTimeout(() => deadline.abort(late), timeoutMs);
  try {
    return await follow(String(address), options, signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(address: string, options: GuardOptions, signal: AbortSignal): Promise<WebResponse> {
  const { allowHosts = [], resolve = systemResolve, env = process.env, maxBytes = 5_000_000 } = options;
  let url = parseUrl(address);
  let request = firstRequest(options);
  for (let hops = 0; ; hops++) {
    const addresses = await unlessAborted(checkTarget(url, { allowHosts, resolve }), signal).catch((error) => {
      throw hops === 0 ? error : ledThere(error, place(address));
    });
    options.onHop?.(url);
    const answer = await requestHop({ url, addresses, request, maxBytes, env, signal });
    const next = REDIRECTS.has(answer.status) ? answer.headers.location : undefined;
    if (next === undefined) return webResponse({ ...answer, url: url.href });
    if (hops === MAX_REDIRECTS)
      throw refusal('too_many_redirects', `${place(address)} redirects more than ${MAX_REDIRECTS} times`, 'use another address');
    const target = redirectTarget(url, next);
    request = redirected(request, answer, target.origin === url.origin);
    url = target;
  }
}

/** The caller has asked for another address than the one that is refused. */
function ledThere(error: unknown, from: string): unknown {
  if (!(error instanceof HermesError)) return error;
  const { code, message, next, kind } = error;
  return new HermesError(code, `${from} redirects elsewhere: ${message}`, { kind, ...(next ? { next } : {}), cause: error });
}

function firstRequest({ method = 'GET', headers = {}, body }: GuardOptions): HopRequest {
  const name = method.toUpperCase();
  if (!METHODS.has(name)) throw refusal('bad_method', `the method ${method} is not known`, `use one of ${[...METHODS].join(', ')}`);
  const own = Object.keys(headers).find((header) => OWN_HEADERS.test(header));
  if (own) throw refusal('bad_header', `the header ${own} is set by the connection itself`, 'leave it out');
  if (body !== undefined && (name === 'GET' || name === 'HEAD')) throw refusal('bad_body', `${name} has no body`, 'use POST');
  return { method: name, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
}

function redirectTarget(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href))
    throw refusal('bad_redirect', `${from.host} redirects to what is no address`, 'use another address');
  const target = parseUrl(new URL(location, from).href);
  if (from.protocol === 'https:' && target.protocol === 'http:')
    throw refusal('redirect_refused', `${from.host} redirects from https to http (${target.host})`, 'use another address');
  return target;
}

/** As browsers do it: 303, and a POST that was moved, go on as GET. */
function redirected(request: HopRequest, { status }: Answer, isSameOrigin: boolean): HopRequest {
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST';
  const dropped = (name: string) => (!isSameOrigin && FOR_ONE_HOST.test(name)) || (becomesGet && /^content-/i.test(name));
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !dropped(name)));
  return becomesGet ? { method: 'GET', headers } : { ...request, headers };
}

/** For messages: an address without what may be secret in it. */
function place(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address.slice(0, 100);
}
