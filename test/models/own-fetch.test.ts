/** The fetch that AI SDK providers are given: whatever they send goes the way of our own client. */

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createFetch } from '../../src/models/own-fetch.ts';
import { proxy } from './proxy.ts';

type Heard = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string };

async function server(t: TestContext, moved: Record<string, string> = {}): Promise<{ base: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const http = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    heard.push({ method, url, headers, body: (await request.toArray()).join('') });
    const location = moved[url];
    if (location) response.writeHead(302, { location });
    response.end(`${method} ${url}`);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => http.close());
  return { base: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, heard };
}

function fetchOf(t: TestContext, env: NodeJS.ProcessEnv = {}): typeof fetch {
  const made = createFetch({ place: { endpoint: 'acme', model: 'm' }, env });
  t.after(() => made.close());
  return made.fetch;
}

test('every method and every kind of body goes through the proxy of the configuration, and past it for NO_PROXY', async (t) => {
  const { base, heard } = await server(t);
  const { url, seen } = await proxy(t);
  const form = new FormData();
  form.set('文件', new Blob(['内容']), 'a.txt');
  const requests: [string | URL | Request, RequestInit?][] = [
    [`${base}/default`],
    [new URL(`${base}/get`), { method: 'GET', headers: { 'x-key': 'k' } }],
    [`${base}/head`, { method: 'HEAD' }],
    [`${base}/delete`, { method: 'DELETE' }],
    [`${base}/put`, { method: 'PUT', body: '你好' }],
    [`${base}/form`, { method: 'POST', body: form }],
    [`${base}/query`, { method: 'POST', body: new URLSearchParams({ a: '1' }) }],
    [`${base}/text`, { method: 'POST', body: 'plain' }],
    [new Request(`${base}/request`, { method: 'POST', body: 'whole', headers: { 'x-key': 'k' } })],
  ];
  const through = fetchOf(t, { HTTP_PROXY: url });
  for (const request of requests) assert.equal((await through(...request)).status, 200);
  const wanted = [
    'GET /default',
    'GET /get',
    'HEAD /head',
    'DELETE /delete',
    'PUT /put',
    'POST /form',
    'POST /query',
    'POST /text',
    'POST /request',
  ];
  assert.deepEqual(
    seen,
    wanted.map((one) => one.replace(' ', ` ${base}`)),
  );
  assert.deepEqual(
    heard.map(({ method, url: path }) => `${method} ${path}`),
    wanted,
  );
  const [, get, , remove, put, posted, query, , whole] = heard as [Heard, Heard, Heard, Heard, Heard, Heard, Heard, Heard, Heard];
  assert.deepEqual([get.headers['x-key'], get.headers['content-length'], remove.headers['content-length']], ['k', undefined, undefined]);
  assert.deepEqual([put.body, query.body, whole.body, whole.headers['x-key']], ['你好', 'a=1', 'whole', 'k']);
  assert.match(posted.body, /内容/);
  assert.match(String(posted.headers['content-type']), /^multipart\/form-data; boundary=/);

  const past = fetchOf(t, { HTTP_PROXY: url, NO_PROXY: '127.0.0.1' });
  assert.equal(await (await past(`${base}/get`)).text(), 'GET /get');
  assert.equal(seen.length, wanted.length);
});

test('a download that has moved is followed, without its keys to another host; a POST is not', async (t) => {
  const elsewhere = await server(t);
  const { base, heard } = await server(t, { '/a': '/b', '/b': `${elsewhere.base}/c`, '/loop': '/loop', '/post': '/b' });
  const ask = fetchOf(t);
  const headers = { authorization: 'Bearer k', accept: 'text/plain' };
  assert.equal(await (await ask(`${base}/a`, { headers })).text(), 'GET /c');
  assert.deepEqual(
    heard.map(({ headers: sent }) => sent.authorization),
    ['Bearer k', 'Bearer k'],
  );
  assert.deepEqual([elsewhere.heard[0]?.headers.authorization, elsewhere.heard[0]?.headers.accept], [undefined, 'text/plain']);
  assert.equal((await ask(`${base}/post`, { method: 'POST', body: '{}' })).status, 302);
  assert.equal((await ask(`${base}/loop`)).status, 302, 'it ends');
});

test('whoever checks each hop himself, or wants none, is not led on', async (t) => {
  const elsewhere = await server(t);
  const { base } = await server(t, { '/a': `${elsewhere.base}/c` });
  const ask = fetchOf(t);
  const post = { method: 'POST', body: '{}' };
  for (const init of [{}, post]) {
    const answer = await ask(`${base}/a`, { ...init, redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, `${elsewhere.base}/c`]);
    await assert.rejects(ask(`${base}/a`, { ...init, redirect: 'error' }), TypeError);
  }
  assert.equal((await ask(new Request(`${base}/a`, { redirect: 'manual' }))).status, 302);
  assert.deepEqual(elsewhere.heard, []);
});
