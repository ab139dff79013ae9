/** Sockets: kept and taken up again, given up by the server, through a real proxy. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '../../src/models/openai-compatible.ts';
import { chunk, completion, done, endpoint, failure, prompt, sendJson, sendStream, socketServer } from './endpoint.ts';
import { proxy } from './proxy.ts';

const clientOf = (baseURL: string, env: NodeJS.ProcessEnv = {}) =>
  createOpenAICompatible({ id: 'acme:big', baseURL, model: 'big', apiKey: 'k', env });

test('one socket serves request after request, plain and streamed, refusals included', async (t) => {
  const server = await endpoint(t, (response, { body }, count) => {
    if (count === 3) sendJson(response, { error: 'no' }, 500);
    else if (body.stream) sendStream(response, chunk({ content: 'x' }, 'stop') + done);
    else sendJson(response, completion({ content: 'x' }));
  });
  const model = clientOf(server.baseURL);
  for (let i = 0; i < 4; i++) {
    if (i === 2) await failure(model);
    else await model.ask(prompt('hi'), i % 2 ? () => {} : undefined);
  }
  assert.equal(server.connections, 1);
  assert.equal(server.requests.length, 4);
  await Promise.all([1, 2, 3].map(() => model.ask(prompt('hi'))));
  assert.ok(server.connections > 1, 'requests at the same time do not wait for each other');
  await model.close?.();
  for (let i = 0; i < 50 && server.open.size > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(server.open.size, 0, 'close gives the sockets back');
});

test('a kept socket that the server has given up is replaced, unseen by the caller', async (t) => {
  let requests = 0;
  const body = JSON.stringify(completion({ content: 'here' }));
  const port = await socketServer(t, (socket) => {
    let served = 0;
    socket.on('data', () => {
      requests++;
      // The second request on a socket finds it closed: what a server does whose idle time is just over.
      if (served++ > 0) socket.resetAndDestroy();
      else socket.write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  const model = clientOf(`http://127.0.0.1:${port}/v1`);
  for (let i = 0; i < 3; i++) assert.equal((await model.ask(prompt('hi'))).text, 'here');
  assert.equal(requests, 5);
});

test('a proxy is used when the environment names one, and not for NO_PROXY', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'through' })));
  const { url, seen } = await proxy(t);
  const model = clientOf(server.baseURL, { HTTP_PROXY: url });
  for (let i = 0; i < 2; i++) assert.equal((await model.ask(prompt('hi'))).text, 'through');
  assert.deepEqual(seen, Array(2).fill(`POST ${server.baseURL}/chat/completions`));
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer k');
  assert.equal(server.requests[0]?.headers.host, `127.0.0.1:${server.port}`);

  await clientOf(server.baseURL, { HTTP_PROXY: url, NO_PROXY: '127.0.0.1' }).ask(prompt('hi'));
  assert.equal(seen.length, 2);
});

test('https goes through the proxy as a tunnel', async (t) => {
  const port = await socketServer(t, (socket) => socket.once('data', () => socket.write('this is not TLS')));
  const { url, seen } = await proxy(t);
  const error = await failure(clientOf(`https://127.0.0.1:${port}/v1`, { HTTPS_PROXY: url }));
  assert.deepEqual(seen, [`CONNECT 127.0.0.1:${port}`]);
  assert.equal(error.code, 'not_tls', error.message);
});

test('a proxy that is not there is an error', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'x' })));
  const error = await failure(clientOf(server.baseURL, { HTTP_PROXY: 'http://127.0.0.1:1' }));
  assert.equal(error.code, 'connection_refused');
  assert.match(`${error.message} ${error.next}`, /127\.0\.0\.1:1\b.*proxy/);
});
