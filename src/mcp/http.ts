/**
 * A fetch for the SDK over node:http: proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) and streams, redirects left to the caller. The address
 * is the user's own, so that it may lie on this machine.
 */

import type { IncomingMessage, RequestOptions } from 'node:http';

export interface McpFetch {
  fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  /** Ends its connections, also those that are still being read. */
  close(): void;
}

const NO_BODY = new Set([101, 204, 205, 304]);

export function createFetch(env: NodeJS.ProcessEnv = process.env): McpFetch {
  const agents = new Map<string, import('node:http').Agent>();
  const proxied = env.HTTP_PROXY || env.HTTPS_PROXY || env.http_proxy || env.https_proxy ? { proxyEnv: env } : {};

  function agentFor(protocol: string) {
    const known = agents.get(protocol);
    if (known) return known;
    const { Agent } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    const made = new Agent({ keepAlive: true, ...proxied });
    agents.set(protocol, made);
    return made;
  }

  async function ask(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    if (input instanceof Request) throw new TypeError('a Request object is not expected here');
    const url = new URL(input);
    const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = init.body === undefined || init.body === null ? undefined : String(init.body); // a text, or a form
    if (init.body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded;charset=UTF-8';
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    const options: RequestOptions = { method: init.method ?? 'GET', headers, agent: agentFor(url.protocol) };
    if (init.signal) options.signal = init.signal;
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const sent = request(url, options, (incoming) => resolve(responseOf(incoming)));
    sent.once('error', reject);
    sent.end(body);
    return promise;
  }

  return {
    fetch: ask,
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

function responseOf(incoming: IncomingMessage): Response {
  const { Readable } = process.getBuiltinModule('node:stream');
  const { statusCode: status = 502, statusMessage: statusText = '' } = incoming;
  const headers = new Headers();
  for (let at = 0; at < incoming.rawHeaders.length; at += 2) headers.append(incoming.rawHeaders[at]!, incoming.rawHeaders[at + 1]!);
  if (NO_BODY.has(status)) {
    incoming.resume();
    return new Response(null, { status: status === 101 ? 204 : status, statusText, headers });
  }
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, statusText, headers });
}
