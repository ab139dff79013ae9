/**
 * One request on a keep-alive socket, bounded in every phase: connecting, first byte, silence, size. Proxies are
 * honoured (HTTP_PROXY, HTTPS_PROXY, NO_PROXY), an own certificate authority through NODE_EXTRA_CA_CERTS.
 */

import type { Agent, ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Place } from './http-errors.ts';
import { networkError, timeoutError, tooLarge } from './wire-errors.ts';

/** Milliseconds. */
export interface Timeouts {
  /** Until the socket (with TLS, the handshake; through a proxy, the tunnel) stands; default 10,000. */
  connect: number;
  /** From then to the first byte of a streamed answer; default 120,000: a large prompt on a small machine takes its time. */
  firstByte: number;
  /** The same for a plain answer, which is written to its end before it is sent; default 600,000. */
  wholeAnswer: number;
  /** Between two pieces of the answer; default 60,000. */
  silence: number;
}
const defaultTimeouts: Timeouts = { connect: 10_000, firstByte: 120_000, wholeAnswer: 600_000, silence: 60_000 };
/** Bytes of one answer; far above any model's longest, far below the memory. */
const defaultMaxBytes = 64 * 2 ** 20;

export interface TransportOptions {
  url: URL;
  /** Names the other side in errors. */
  place: Place;
  timeouts?: Partial<Timeouts>;
  maxBytes?: number;
  /** Where the proxy variables are read; default process.env. */
  env?: NodeJS.ProcessEnv;
}

export interface Transport {
  /**
   * Resolves at the head of the answer. Rejects with a HermesError, or with the signal's reason as soon as it is
   * aborted; the socket is gone then. `headers` is a flat list of names and values, without host and length.
   */
  send(request: Outgoing, signal?: AbortSignal): Promise<Incoming>;
  /** The same without a body. */
  get(headers: readonly string[], signal?: AbortSignal): Promise<Incoming>;
  close(): void;
}

interface Outgoing {
  /** Default POST. */
  method?: string;
  /** Path and query; default: those of the transport's address. */
  path?: string;
  /** Empty: without one. */
  body: readonly Buffer[];
  headers: readonly string[];
  /** How long the first byte of the answer may take. */
  patience: 'firstByte' | 'wholeAnswer';
}

/** An answer whose body is still to be read; it has to be, or the socket is not given back. */
export interface Incoming {
  status: number;
  headers: IncomingHttpHeaders;
  /** Hands over the body piece by piece; resolves at its proper end, rejects as `send` does or with what `onPiece` threw. */
  read(onPiece: (piece: Buffer) => void): Promise<void>;
  /** The same for a body of any size, taken as slowly as the caller likes: the server waits. Leaving early closes the socket. */
  pieces(): AsyncGenerator<Buffer, void>;
  /** For a body, or the rest of one, that nobody wants: the socket is closed. */
  discard(): void;
}

const copiedBytes = 64 * 1024;

interface Limits extends Timeouts {
  maxBytes: number;
}

export function createTransport(options: TransportOptions): Transport {
  const { url, place } = options;
  const secure = url.protocol === 'https:';
  const limits: Limits = { ...defaultTimeouts, ...options.timeouts, maxBytes: options.maxBytes ?? defaultMaxBytes };
  let agent: Agent | undefined;
  const base = baseOf(url);

  function open(method: string, headers: readonly string[], path = base.path): ClientRequest {
    // Not imported: as an ES module node:http costs 100 ms at start, and only a part of the programs asks a model.
    const http = secure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
    agent ??= new http.Agent({ keepAlive: true, ...proxySetting(options.env ?? process.env) });
    return http.request({ ...base, path, method, agent, headers: ['host', url.host, ...headers] });
  }

  function send(outgoing: Outgoing, signal?: AbortSignal): Promise<Incoming> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const { method = 'POST', headers, patience } = outgoing;
    let length = 0;
    for (const part of outgoing.body) length += part.length;
    // Each write costs more than copying a few kilobytes does; a long history goes out as it is kept.
    const body = length <= copiedBytes ? [Buffer.concat(outgoing.body, length)] : outgoing.body;
    const counted = length > 0 || method === 'POST' ? ['content-length', String(length)] : [];
    const request = open(method, [...counted, ...headers], outgoing.path);
    const exchange = new Exchange(request, place, limits, patience, signal, () => send(outgoing, signal));
    for (const part of body.slice(0, -1)) request.write(part);
    request.end(length > 0 ? body.at(-1) : undefined); // with the head, in one write
    return exchange.head;
  }

  return {
    send,
    get: (headers, signal) => send({ method: 'GET', body: [], headers, patience: 'firstByte' }, signal),
    close: () => agent?.destroy(),
  };
}

/** Where a request goes; `[::1]` is `::1` for a socket. */
export function baseOf({ protocol, hostname, port, pathname, search }: URL) {
  return { protocol, host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, port, path: pathname + search };
}

export function proxySetting(env: NodeJS.ProcessEnv): { proxyEnv?: NodeJS.ProcessEnv } {
  return env.HTTP_PROXY || env.HTTPS_PROXY || env.http_proxy || env.https_proxy ? { proxyEnv: env } : {};
}

/** One request and its answer: whatever ends it first (answer, error, time, abort) ends it once. */
class Exchange implements Incoming {
  readonly head: Promise<Incoming>;
  status = 0;
  headers: IncomingHttpHeaders = {};
  private response: IncomingMessage | undefined;
  private timer: NodeJS.Timeout | undefined;
  private over = false;
  private bytes = 0;
  /** The first piece is here: from now on the timer measures silence. */
  private silenceCounts = false;
  private failure: unknown;
  private reject: (reason: unknown) => void = () => {};
  private readonly request: ClientRequest;
  private readonly place: Place;
  private readonly limits: Limits;
  private readonly signal: AbortSignal | undefined;
  private readonly onAbort = () => this.fail(this.signal?.reason);

  constructor(
    request: ClientRequest,
    place: Place,
    limits: Limits,
    patience: Outgoing['patience'],
    signal: AbortSignal | undefined,
    again: () => Promise<Incoming>,
  ) {
    this.request = request;
    this.place = place;
    this.limits = limits;
    this.signal = signal;
    signal?.addEventListener('abort', this.onAbort);
    this.head = new Promise((resolve, reject) => {
      this.reject = reject;
      request.on('socket', (socket: Socket) => {
        this.expectWithin(socket.connecting ? 'connect' : patience);
        if (socket.connecting)
          socket.once(this.request.protocol === 'https:' ? 'secureConnect' : 'connect', () => this.expectWithin(patience));
      });
      request.on('response', (response) => {
        this.response = response;
        this.status = response.statusCode ?? 0;
        this.headers = response.headers;
        resolve(this);
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server had closed an idle socket just as it was taken up again: not the server's answer, so ask on another.
        if (request.reusedSocket && !this.response && !this.over && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) {
          this.finish();
          resolve(again());
        } else this.fail(networkError(place, error));
      });
    });
  }

  read(onPiece: (piece: Buffer) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.over) return reject(this.failure);
      this.reject = reject;
      const response = this.response as IncomingMessage;
      // Not 'data': a read of the socket brings many small HTTP chunks at once, and this hands them over as one piece.
      response.on('readable', () => {
        for (let piece = response.read(); piece !== null && !this.over; piece = response.read()) this.take(piece, onPiece);
      });
      response.on('end', () => {
        this.finish();
        resolve();
      });
      response.on('error', (error: NodeJS.ErrnoException) => this.fail(networkError(this.place, error)));
    });
  }

  async *pieces(): AsyncGenerator<Buffer, void> {
    if (this.over) throw this.failure;
    try {
      this.expectWithin('silence');
      for await (const piece of this.response as IncomingMessage) {
        clearTimeout(this.timer); // whoever takes them may take his time
        yield piece as Buffer;
        this.expectWithin('silence');
      }
    } catch (error) {
      this.fail(networkError(this.place, error as NodeJS.ErrnoException));
      throw this.failure;
    } finally {
      this.finish();
    }
  }

  discard(): void {
    this.finish();
    this.request.destroy();
  }

  private take(piece: Buffer, onPiece: (piece: Buffer) => void): void {
    this.bytes += piece.length;
    if (this.bytes > this.limits.maxBytes) {
      this.fail(tooLarge(this.place, this.limits.maxBytes));
      return;
    }
    if (this.silenceCounts) this.timer?.refresh();
    else if (!this.response?.complete) {
      this.expectWithin('silence');
      this.silenceCounts = true;
    }
    try {
      onPiece(piece);
    } catch (error) {
      this.fail(error);
    }
  }

  private expectWithin(phase: keyof Timeouts): void {
    clearTimeout(this.timer);
    if (!this.over) this.timer = setTimeout(() => this.fail(timeoutError(this.place, phase, this.limits[phase])), this.limits[phase]);
  }

  private finish(): void {
    this.over = true;
    clearTimeout(this.timer);
    this.signal?.removeEventListener('abort', this.onAbort);
  }

  private fail(reason: unknown): void {
    if (this.over) return;
    this.failure = reason;
    this.finish();
    this.request.destroy();
    this.reject(reason);
  }
}
