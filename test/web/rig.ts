/** A server on this machine, and one tool called the way of any call: prepared, then run. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Fact, JsonObject, ToolResult } from '../../src/kernel/types.ts';
import type { ToolboxOptions } from '../../src/tools/call.ts';
import type { Tool } from '../../src/tools/define.ts';
import { acted, callOf, prepared } from '../tools/performing.ts';

const { createServer } = process.getBuiltinModule('node:http');

/** host:port; ended with the test. */
export async function serve(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(value));
}

export interface Called {
  data?: JsonObject;
  code?: string;
  message?: string;
  next?: string;
  untrusted?: true;
  from?: string;
}

/** The result of a call, whether it is refused while it is prepared or fails while it runs. */
export async function call(tool: Tool, args: JsonObject, options: Partial<ToolboxOptions> & { own?: JsonObject } = {}): Promise<Called> {
  const { own = {}, ...others } = options;
  const box: ToolboxOptions = { tools: [tool], env: {}, ...others, settings: { [tool.info.name]: own } };
  const fact = await prepared(box, callOf(tool.info.name, args));
  if (fact.event_type === 'call.reject') return { code: fact.data.code, message: fact.data.message };
  const { arguments: ready, level, hash } = fact.data as Extract<Fact, { event_type: 'call.prepare' }>['data'];
  const call = callOf(tool.info.name, ready, { level, ...(hash === undefined ? {} : { hash }) });
  const { result, untrusted, from } = await acted(box, call);
  return { ...told(result), ...(untrusted ? { untrusted } : {}), ...(from === undefined ? {} : { from }) };
}

function told(result: ToolResult): Called {
  if (result.success) return { data: result.data as JsonObject };
  const { code, message, next } = result.error;
  return { code, message, ...(next === undefined ? {} : { next }) };
}

/** What `prepare` says of a call. */
export async function judged(tool: Tool, args: JsonObject, options: Partial<ToolboxOptions> & { own?: JsonObject } = {}) {
  const { own = {}, ...others } = options;
  const box = { tools: [tool], env: {}, ...others, settings: { [tool.info.name]: own } };
  return (await prepared(box, callOf(tool.info.name, args))).data as {
    level?: string;
    ask?: string;
    preview?: string;
    code?: string;
    message?: string;
  };
}
