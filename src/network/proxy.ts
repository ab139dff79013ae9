/** An HTTP proxy that connects to nothing but what was checked: the one way out of a sandbox, and of a browser. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { errorData } from '../kernel/errors.ts';
import type { Resolved } from './target.ts';

/** Milliseconds without a byte after which a connection ends. */
const IDLE = 60_000;

/** Of the header Proxy-Status (RFC 9209), where an http address could not be connected to. */
export const NOT_CONNECTED = 'hermes-agent; error=destination_unavailable';

/** The address to connect to; throws for what may not be reached. */
export type AddressOf = (url: URL) => Promise<Resolved>;

export interface OpenProxy {
  /** Of a proxy on the loopback address. */
  port: number | undefined;
  close(): Promise<void>;
}

/** Listens on a socket file, which only its owner may use, or without one on any port of the loopback address. */
export async function openProxy(addressOf: AddressOf, file?: string): Promise<OpenProxy> {
  const http = process.getBuiltinModule('node:http');
  const server = http.createServer((request, response) => void forward(request, response, addressOf));
  const tunnels = new Set<Socket>();
  server.on('connect', (request, socket: Socket, head: Buffer) => {
    tunnels.add(socket);
    socket.once('close', () => tunnels.delete(socket));
    void tunnel(request, socket, head, addressOf);
  });
  server.on('connection', (socket) => socket.setTimeout(IDLE, () => socket.destroy()));
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (file === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(file, resolve);
  });
  return { port: file === undefined ? (server.address() as AddressInfo).port : undefined, close: () => closed(server, tunnels) };
}

/** https and everything else: CONNECT host:port. */
async function tunnel(request: IncomingMessage, socket: Socket, head: Buffer, addressOf: AddressOf): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const url = new URL(`https://${request.url}`);
    const { address } = await addressOf(url);
    const out = process.getBuiltinModule('node:net').connect({ host: address, port: Number(url.port || 443) });
    out.setTimeout(IDLE, () => out.destroy());
    out.on('error', () => socket.destroy());
    socket.on('close', () => out.destroy());
    out.on('close', () => socket.destroy());
    out.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      out.write(head);
      socket.pipe(out).pipe(socket);
    });
  } catch (error) {
    socket.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${errorData(error).message}\n`);
  }
}

async function forward(request: IncomingMessage, response: ServerResponse, addressOf: AddressOf): Promise<void> {
  const refuse = (error: unknown) => {
    if (!response.headersSent) response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`${errorData(error).message}\n`);
  };
  try {
    const url = new URL(request.url ?? '');
    if (url.protocol !== 'http:') throw new Error('only http and CONNECT pass');
    const { address } = await addressOf(url);
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = request.headers;
    const options = { host: address, port: url.port || 80, path: url.pathname + url.search, method: request.method };
    const out = process.getBuiltinModule('node:http').request({ ...options, headers: { ...headers, host: url.host } });
    out.setTimeout(IDLE, () => out.destroy());
    out.on('error', (error) => {
      if (!response.headersSent) response.writeHead(502, { 'proxy-status': NOT_CONNECTED });
      response.end(`${error.message}\n`);
    });
    out.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    response.on('close', () => out.destroy());
    request.pipe(out);
  } catch (error) {
    refuse(error);
  }
}

function closed(server: Server, tunnels: ReadonlySet<Socket>): Promise<void> {
  for (const socket of tunnels) socket.destroy();
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
