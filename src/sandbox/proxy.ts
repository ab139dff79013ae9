/** The way out of a sandbox: an HTTP proxy on a socket file that lets through to named hosts only. */

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { errorData } from '../kernel/errors.ts';
import { includesHost } from '../network/hosts.ts';
import { checkTarget, type Resolved, systemResolve } from '../network/target.ts';

/** Milliseconds without a byte after which a connection ends. */
const IDLE = 60_000;

/**
 * `hosts`: see src/network/hosts.ts. Private addresses are reached only where an entry names them with a port, or as an address.
 * Only its owner may use the socket; as a command can run under another user, the folder around it has to keep others out.
 */
export async function openProxy(file: string, hosts: readonly string[]): Promise<{ close(): Promise<void> }> {
  const http = process.getBuiltinModule('node:http');
  const server = http.createServer((request, response) => void forward(request, response, hosts));
  server.on('connect', (request, socket: Socket, head: Buffer) => void tunnel(request, socket, head, hosts));
  server.on('connection', (socket) => socket.setTimeout(IDLE, () => socket.destroy()));
  server.unref();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(file, resolve));
  return { close: () => closed(server) };
}

async function addressOf(url: URL, hosts: readonly string[]): Promise<Resolved> {
  if (!includesHost(hosts, url)) throw new Error(`${url.host} is none of the hosts that may be reached: ${hosts.join(', ')}`);
  const allowHosts = hosts.filter((host) => /:\d+$|^[\d.]+$|^\[/.test(host));
  const [address] = await checkTarget(url, { allowHosts, resolve: systemResolve });
  return address!;
}

/** https and everything else: CONNECT host:port. */
async function tunnel(request: IncomingMessage, socket: Socket, head: Buffer, hosts: readonly string[]): Promise<void> {
  socket.on('error', () => socket.destroy());
  try {
    const url = new URL(`https://${request.url}`);
    const { address } = await addressOf(url, hosts);
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

async function forward(request: IncomingMessage, response: ServerResponse, hosts: readonly string[]): Promise<void> {
  const refuse = (error: unknown) => {
    if (!response.headersSent) response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`${errorData(error).message}\n`);
  };
  try {
    const url = new URL(request.url ?? '');
    if (url.protocol !== 'http:') throw new Error('only http and CONNECT pass');
    const { address } = await addressOf(url, hosts);
    const { 'proxy-connection': _, 'proxy-authorization': __, ...headers } = request.headers;
    const options = { host: address, port: url.port || 80, path: url.pathname + url.search, method: request.method };
    const out = process.getBuiltinModule('node:http').request({ ...options, headers: { ...headers, host: url.host } });
    out.setTimeout(IDLE, () => out.destroy());
    out.on('error', refuse);
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

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
