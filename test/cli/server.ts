/** A model server on loopback that answers from a script, streaming or not, as OpenAI-compatible endpoints do. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Said {
  text?: string;
  calls?: { name: string; arguments: object }[];
  /** Answer with this HTTP status instead. */
  status?: number;
  /** Milliseconds between the pieces of a streamed text. */
  slow?: number;
}
export interface ModelServer {
  /** Environment that makes it the configured model. */
  env: Record<string, string>;
  requests: { messages: { role: string; content: unknown }[]; tools?: unknown[]; stream?: boolean; model: string }[];
}

/** Each request takes the next of the script; the last one stays. Ends with the test file. */
export async function modelServer(script: readonly Said[]): Promise<ModelServer> {
  const requests: ModelServer['requests'] = [];
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await textOf(request));
    const said = script[Math.min(requests.push(body) - 1, script.length - 1)]!;
    if (said.status !== undefined) {
      response.writeHead(said.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: said.text ?? 'refused' } }));
    } else if (body.stream) await stream(response, said);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole(said)));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const env = {
    HERMES_MODEL_PROVIDER: 'openai-compatible',
    HERMES_MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`,
    HERMES_MODEL_MODEL: 'scripted',
  };
  return { env, requests };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function toolCalls({ calls = [] }: Said) {
  return calls.map(({ name, arguments: args }, index) => ({
    index,
    id: `call_${index}_${name}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }));
}

function whole(said: Said): object {
  const tool_calls = toolCalls(said);
  const message = { role: 'assistant', content: said.text ?? null, ...(tool_calls.length > 0 ? { tool_calls } : {}) };
  return {
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop' }],
    usage,
  };
}

async function stream(response: ServerResponse, said: Said): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish_reason: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`,
    );
  for (const piece of said.text?.match(/.{1,4}/gsu) ?? []) {
    send({ content: piece });
    if (said.slow) await new Promise((done) => setTimeout(done, said.slow));
    if (response.destroyed) return;
  }
  const tool_calls = toolCalls(said);
  if (tool_calls.length > 0) send({ tool_calls });
  send({}, tool_calls.length > 0 ? 'tool_calls' : 'stop');
  response.write(`data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n`);
  response.end('data: [DONE]\n\n');
}
