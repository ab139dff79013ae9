/** One request and its whole answer, on a connection of its own to addresses that were checked. */

import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Transform } from 'node:stream';
import { HermesError } from '../kernel/errors.ts';
import type { Resolved } from './target.ts';

export interface HopRequest {
  method: string;
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}
export interface Answer {
  status: number;
  headers: Record<string, string>;
  bytes: Uint8Array;
  truncated: boolean;
}
export interface Hop {
  url: URL;
  addresses: readonly Resolved[];
  request: HopRequest;
  maxBytes: number;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Bytes of all headers of an answer. */
const MAX_HEADERS = 32_768;

export function requestHop(hop: Hop): Promise<Answer> {
  const { url, signal } = hop;
  return new Promise<Answer>((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let request: ClientRequest;
    try {
      request = open(hop);
    } catch (cause) {
      return reject(failure(url, cause as NodeJS.ErrnoException)); // a header that cannot be sent
    }
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', abort);
      settle();
      request.destroy();
    };
    const fail = (error: NodeJS.ErrnoException) => end(() => reject(failure(url, error)));
    const abort = () => end(() => reject(signal.reason));
    signal.addEventListener('abort', abort);
    request.on('error', fail);
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      read(response, hop, (answer) => end(() => resolve(answer)), fail);
    });
    request.on('close', () => {
      if (!isAnswered) fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' })); // it turned to another protocol
    });
    request.end(hop.request.body);
  });
}

function open({ url, addresses, request, env }: Hop): ClientRequest {
  const http = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const hasProxy = env.HTTP_PROXY || env.HTTPS_PROXY || env.http_proxy || env.https_proxy;
  const options: RequestOptions = {
    protocol: url.protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    path: url.pathname + url.search,
    method: request.method,
    headers: { 'user-agent': 'hermes-agent', accept: '*/*', ...lowerCase(request.headers), 'accept-encoding': 'gzip, deflate, br' },
    lookup: answerWith(addresses),
    agent: new http.Agent({ keepAlive: false, ...(hasProxy ? { proxyEnv: env } : {}) }),
    maxHeaderSize: MAX_HEADERS,
  };
  return http.request(options);
}

/** In the place of a second look-up, which could give another answer than the one that was checked. */
function answerWith(addresses: readonly Resolved[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  };
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Takes the body until its end or `maxBytes`, counted as they come out of the decompression. */
function read(
  response: IncomingMessage,
  { request, maxBytes }: Hop,
  done: (answer: Answer) => void,
  fail: (error: NodeJS.ErrnoException) => void,
): void {
  const encoding = request.method === 'HEAD' ? undefined : response.headers['content-encoding']?.trim().toLowerCase();
  const unpack = decompressor(encoding);
  if (unpack === null) {
    fail(new HermesError('bad_encoding', `it answers in an encoding that was not asked for: ${encoding}`, { kind: 'tool', next: OTHER }));
    return;
  }
  const body = unpack ? response.pipe(unpack) : response;
  const pieces: Buffer[] = [];
  let size = 0;
  const finish = (truncated: boolean) => {
    const bytes = new Uint8Array(Buffer.concat(pieces));
    done({ status: response.statusCode ?? 0, headers: plainHeaders(response), bytes, truncated });
  };
  body.on('data', (piece: Buffer) => {
    pieces.push(piece.subarray(0, maxBytes - size));
    size += piece.length;
    if (size <= maxBytes) return;
    body.removeAllListeners('data').destroy();
    finish(true);
  });
  body.on('end', () => finish(false));
  for (const stream of new Set([response, body])) stream.on('error', fail);
}

/** undefined = none is needed; null = it is not known. Whatever comes after the compressed data is ignored. */
function decompressor(encoding: string | undefined): Transform | undefined | null {
  if (!encoding || encoding === 'identity') return undefined;
  const zlib = process.getBuiltinModule('node:zlib');
  if (encoding === 'gzip' || encoding === 'x-gzip') return zlib.createGunzip();
  if (encoding === 'deflate') return zlib.createInflate();
  return encoding === 'br' ? zlib.createBrotliDecompress() : null;
}

function plainHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function failure(url: URL, cause: NodeJS.ErrnoException): HermesError {
  if (cause instanceof HermesError)
    return new HermesError(cause.code, `${url.host}: ${cause.message}`, { kind: 'tool', next: OTHER, cause });
  const [code, words, next, retryable = false] = wordsFor(cause);
  return new HermesError(code, `${url.host} ${words}`, { kind: 'tool', next, retryable, cause });
}

const LATER = 'try again later, or use another source';
const OTHER = 'use another address';

function wordsFor({ code = '', message }: NodeJS.ErrnoException): [code: string, words: string, next: string, retryable?: boolean] {
  if (code === 'ECONNREFUSED')
    return ['connection_refused', 'refuses the connection', 'check the address and its port, or use another source', true];
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return ['connection_lost', 'closed the connection before its answer was complete', LATER, true];
  if (code === 'ERR_PROXY_TUNNEL')
    return ['proxy_refused', 'was not let through by the proxy', 'use another source, or tell the user that their proxy refuses this host'];
  if (code === 'HPE_HEADER_OVERFLOW') return ['headers_too_large', `sent more than ${MAX_HEADERS} bytes of headers`, OTHER];
  if (code.startsWith('HPE_')) return ['not_http', `does not speak HTTP (${code})`, OTHER];
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER|CRL/.test(code)) {
    const next = 'use another source, or tell the user: an own authority is named by NODE_EXTRA_CA_CERTS=FILE before the start';
    return ['bad_certificate', `shows a certificate that cannot be trusted (${code})`, next];
  }
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return ['not_tls', 'does not speak TLS on this port', 'check http or https, and the port'];
  if (code.startsWith('Z_') || code.startsWith('ERR_BR')) return ['bad_encoding', 'sent a body that cannot be decompressed', OTHER];
  if (code === 'ERR_INVALID_CHAR' || code === 'ERR_INVALID_HTTP_TOKEN')
    return [
      'bad_header',
      `cannot be sent this: ${message}`,
      'a header is one line of Latin letters and signs; write other text percent-encoded',
    ];
  return ['network_error', `cannot be reached: ${message}`, LATER, true];
}
