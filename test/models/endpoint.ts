/** A real HTTP server on loopback that answers as a test wants, and helpers to write the answers of model endpoints. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createSocketServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { AskOptions, ChatModel } from '../../src/models/types.ts';

export interface Received {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, unknown> & { messages: Record<string, unknown>[] };
}
export interface Endpoint {
  baseURL: string;
  port: number;
  requests: Received[];
  connections: number;
  /** Sockets that are open now. */
  open: Set<Socket>;
}

/** Ends with the test. */
export async function endpoint(
  t: TestContext,
  answer: (response: ServerResponse, request: Received, count: number) => void,
): Promise<Endpoint> {
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const text = Buffer.concat(pieces).toString();
      const received = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        text,
        body: text ? JSON.parse(text) : {},
      };
      answer(response, received, seen.requests.push(received));
    });
  });
  const seen: Endpoint = { baseURL: '', port: 0, requests: [], connections: 0, open: new Set() };
  server.on('connection', (socket) => {
    seen.connections++;
    seen.open.add(socket);
    socket.on('close', () => seen.open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  seen.port = (server.address() as AddressInfo).port;
  seen.baseURL = `http://127.0.0.1:${seen.port}/v1`;
  return seen;
}

/** A server that writes whatever bytes it wants. */
export async function socketServer(t: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export function sendJson(response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

export function sendStream(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(text);
}

/** A whole answer. */
export function completion(message: Record<string, unknown>, finish: string | null = 'stop', more: Record<string, unknown> = {}): unknown {
  return { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }], ...more };
}

/** One event of a stream. */
export function chunk(delta: Record<string, unknown>, finish: string | null = null, more: Record<string, unknown> = {}): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`;
}

export const done = 'data: [DONE]\n\n';

export function prompt(text: string): AskOptions {
  return { prompt: [{ role: 'user', content: [{ type: 'text', text }] }] };
}

/** What ask throws. */
export async function failure(
  model: ChatModel,
  options: AskOptions = prompt('hello'),
  stream = false,
): Promise<Error & Record<string, unknown>> {
  try {
    await model.ask(options, stream ? () => {} : undefined);
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error('ask was expected to fail');
}
