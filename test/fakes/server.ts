/** A fake endpoint: a real HTTP server on loopback that answers as a vendor documents it, refusals included. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/kernel/types.ts';
import { automaticCache, markedCache, tokens } from './cache.ts';
import type { Answer, Conditions, Counted, Received, Refusal, Said, Turn, Vendor } from './types.ts';

/** The key that a fake takes. */
export const fakeKey = 'key-of-the-fake-endpoint';

export interface Exchange extends Received {
  /** Milliseconds, monotonic. */
  at: number;
  status: number;
  /** What a refusal said. */
  refused?: string;
  /** Of a request that was answered. */
  counted?: Counted;
}
export interface Fake {
  baseURL: string;
  /** Requests to the model, in order. */
  exchanges: Exchange[];
  close(): Promise<void>;
}

/** Each request that is taken gets the next of the script; the last one stays. */
export async function startFake(vendor: Vendor, script: readonly Turn[], conditions: Conditions = {}): Promise<Fake> {
  const engine = vendor.engine(conditions);
  const cache = vendor.cache === 'markers' ? markedCache() : automaticCache();
  const exchanges: Exchange[] = [];
  let turn = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const received: Received = { path, headers: request.headers, body: parse(await textOf(request)) };
    if (path !== vendor.base + engine.path) {
      const other = engine.other?.(path.slice(vendor.base.length), received.body);
      return send(response, other === undefined ? 404 : 200, other ?? `Not found: ${path}`);
    }
    const exchange: Exchange = { ...received, at: performance.now(), status: 200 };
    exchanges.push(exchange);
    const refusal = refusalOf(received);
    if (refusal) {
      exchange.status = refusal.status;
      exchange.refused = refusal.message;
      return send(response, refusal.status, refusal.body ?? shapeOf(vendor, refusal), refusal.headers);
    }
    const said = script[Math.min(turn++, script.length - 1)] as Turn;
    if (said.fault === 'rate') {
      const rate = vendor.rate as Refusal;
      exchange.status = rate.status;
      return send(response, rate.status, rate.body ?? shapeOf(vendor, rate), rate.headers);
    }
    exchange.counted = count(received, said);
    await write(response, engine.answer(received, said, exchange.counted), said.fault);
  }

  function refusalOf(request: Received): Refusal | undefined {
    const { key } = vendor;
    if (key && request.headers[key] !== (key === 'authorization' ? `Bearer ${fakeKey}` : fakeKey))
      return { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided.' };
    const { exhausted, window, refuses } = conditions;
    if (exhausted === request.body.model && vendor.quota) return vendor.quota;
    if (refuses && request.body[refuses.field] !== undefined) return { status: 400, message: refuses.message };
    const refusal = engine.refuse(request);
    if (refusal || window === undefined) return refusal;
    const length = engine.blocks(request).reduce((sum, block) => sum + Buffer.byteLength(block.text), 0);
    return vendor.overflow && length > window ? vendor.overflow : undefined;
  }

  function count(request: Received, said: Said): Counted {
    const { total, cached, written } = cache.take(engine.blocks(request));
    const reasoning = tokens(said.reasoning ?? '');
    return { input: total, output: tokens(JSON.stringify([said.text, said.calls])) + reasoning, reasoning, cached, written };
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      exchanges.push({ path: '', headers: {}, body: {}, at: performance.now(), status: 500, refused: `the fake broke: ${String(error)}` });
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}${vendor.base}`,
    exchanges,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}

function parse(text: string): JsonObject {
  return text === '' ? {} : (JSON.parse(text) as JsonObject);
}

function shapeOf(vendor: Vendor, refusal: Refusal): unknown {
  const { code = null, message } = refusal;
  return vendor.shape?.(refusal) ?? { error: { message, type: 'invalid_request_error', param: null, code } };
}

function send(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(text);
}

/** Bytes of one write: small enough to part characters and events. */
const sliceBytes = 41;
/** A cut closes the connection after half of the pieces; a silence leaves it open and says no more. */
async function write(response: ServerResponse, { type, pieces }: Answer, fault: Turn['fault']): Promise<void> {
  response.writeHead(200, { 'content-type': type });
  const [only = ''] = pieces;
  const broken = pieces.length > 1 ? pieces.slice(0, Math.ceil(pieces.length / 2)) : [only.slice(0, only.length >> 1)];
  for (const piece of fault ? broken : pieces) {
    const bytes = Buffer.from(piece);
    for (let at = 0; at < bytes.length; at += sliceBytes) response.write(bytes.subarray(at, at + sliceBytes));
    // The event loop reads before it comes back here: the events of a stream arrive one after another.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!fault) response.end();
  else if (fault === 'cut') response.destroy();
}
