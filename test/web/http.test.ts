/** http_request: who is asked about what, what is sent and what comes back, and secrets that go nowhere else. */

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/types.ts';
import httpRequest from '../../tools/http_request.ts';
import { bodyOf, call, judged, sendJson, serve } from './rig.ts';

/** How a model writes it. */
const secret = (name: string) => `\${env:${name}}`;

async function echo(t: TestContext) {
  const asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const host = await serve(t, async (request, response) => {
    const body = await bodyOf(request);
    asked.push({ method: request.method!, url: request.url!, headers: request.headers, body });
    if (request.url === '/away') return response.writeHead(307, { location: `http://localhost:${host.split(':')[1]}/there` }).end();
    if (request.url === '/text')
      return response
        .writeHead(404, { 'content-type': 'text/plain; charset=gbk', 'retry-after': '5' })
        .end(Buffer.from([0xc4, 0xe3, 0xba, 0xc3]));
    if (request.url === '/broken') return response.writeHead(200, { 'content-type': 'application/json' }).end('{"a": ');
    if (request.url === '/png') return response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from('89504e47', 'hex'));
    if (request.url === '/ids')
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"id": 12345678901234567890, "ids": [-9007199254740993, 7], "amount": 1.10}');
    if (request.url === '/none') return response.writeHead(204).end();
    return sendJson(response, { method: request.method, got: request.headers.authorization ?? null, body }, 201);
  });
  return { asked, host };
}

test('to look at a named host is free, all else asks and shows the whole request', async () => {
  const own = { allow_hosts: ['api.example.com', '*.internal.example'] };
  const level = async (url: string, method = 'GET') => (await judged(httpRequest, { url, method }, { own })).level;
  assert.equal(await level('https://api.example.com/v1'), 'read');
  assert.equal(await level('https://a.internal.example/v1', 'HEAD'), 'read');
  assert.equal(await level('https://api.example.com/v1', 'DELETE'), 'dangerous');
  assert.equal(await level('https://api.example.com.evil.com/v1'), 'dangerous');
  assert.equal(await level('https://elsewhere.com/?q=secret'), 'dangerous');
  const args = { url: 'https://elsewhere.com/添加', method: 'POST', headers: { 'x-name': 'Li' }, json: { name: '苹果', n: 1 } };
  const shown = await judged(httpRequest, args, { own });
  assert.equal(shown.preview, 'POST https://elsewhere.com/%E6%B7%BB%E5%8A%A0\nx-name: Li\n\n{\n  "name": "苹果",\n  "n": 1\n}');
});

test('method, headers and body as they are said; JSON comes back as data, with the status and not as an error', async (t) => {
  const { host, asked } = await echo(t);
  const own = { allow_hosts: [host] };
  const posted = await call(
    httpRequest,
    { url: `http://${host}/items?x=1`, method: 'post', headers: { 'X-A': 'b' }, json: { name: '苹果' } },
    { own },
  );
  assert.deepEqual(posted.data, {
    status: 201,
    ok: true,
    type: 'application/json',
    body: { method: 'POST', got: null, body: '{"name":"苹果"}' },
  });
  assert.equal(posted.untrusted, true);
  const { headers, url } = asked[0]!;
  assert.deepEqual(
    [url, headers['x-a'], headers['content-type'], headers['idempotency-key']],
    ['/items?x=1', 'b', 'application/json', 'run-1.call-http_request'],
  );
  const put = await call(
    httpRequest,
    { url: `http://${host}/`, method: 'PUT', text: 'a,b\n', headers: { 'Content-Type': 'text/csv' } },
    { own },
  );
  assert.deepEqual([asked[1]!.body, asked[1]!.headers['content-type'], put.data!.status], ['a,b\n', 'text/csv', 201]);
  const told = async (path: string, method = 'GET') => (await call(httpRequest, { url: `http://${host}${path}`, method }, { own })).data;
  assert.deepEqual(await told('/text'), { status: 404, ok: false, type: 'text/plain', headers: { 'retry-after': '5' }, body: '你好' });
  assert.deepEqual(await told('/broken'), { status: 200, ok: true, type: 'application/json', body: '{"a": ' });
  assert.deepEqual(await told('/png'), { status: 200, ok: true, type: 'image/png', body: '[an image (PNG), 4 bytes]' });
  assert.deepEqual(await told('/none', 'DELETE'), { status: 204, ok: true });
  assert.deepEqual(await told('/', 'HEAD'), { status: 201, ok: true, type: 'application/json' });
});

test('ids of many digits come back digit by digit', async (t) => {
  const { host } = await echo(t);
  const { data } = await call(httpRequest, { url: `http://${host}/ids` }, { own: { allow_hosts: [host] } });
  assert.deepEqual(data!.body, { id: '12345678901234567890', ids: ['-9007199254740993', 7], amount: 1.1 });
});

test('a secret is written by name, and goes to named hosts in headers of its kind only', async (t) => {
  const { host, asked } = await echo(t);
  const env = { API_TOKEN: 'geheim-"1"', OTHER_TOKEN: 'x' };
  const own: JsonObject = { allow_hosts: [host], env: ['API_TOKEN', 'UNSET_TOKEN'] };
  const headers = { Authorization: `Bearer ${secret('API_TOKEN')}` };
  const shown = await judged(httpRequest, { url: `http://${host}/`, method: 'POST', headers }, { own, env });
  assert.match(shown.preview!, /Authorization: Bearer \$\{env:API_TOKEN\}/);
  const { data } = await call(httpRequest, { url: `http://${host}/`, headers }, { own, env });
  assert.equal(asked[0]!.headers.authorization, 'Bearer geheim-"1"');
  assert.equal((data!.body as JsonObject).got, 'Bearer [API_TOKEN]');
  const refused: [string, Record<string, string>, RegExp][] = [
    [`http://${host}/`, { Authorization: secret('OTHER_TOKEN') }, /OTHER_TOKEN may not be sent; the user can allow it/],
    [`http://${host}/`, { Accept: secret('API_TOKEN') }, /not in Accept/],
    [
      'https://evil.example/',
      { Authorization: secret('API_TOKEN') },
      /API_TOKEN is sent only to hosts in allow_hosts.*evil\.example is not among them/,
    ],
  ];
  for (const [url, bad, message] of refused)
    assert.match((await judged(httpRequest, { url, headers: bad }, { own, env })).message!, message);
  const unset = await call(httpRequest, { url: `http://${host}/`, headers: { 'x-api-key': secret('UNSET_TOKEN') } }, { own, env });
  assert.deepEqual([unset.code, asked.length], ['no_variable', 1]);
  const name = `localhost:${host.split(':')[1]}`;
  await call(httpRequest, { url: `http://${host}/away`, headers }, { own: { ...own, allow_hosts: [host, name] }, env });
  assert.deepEqual([asked.at(-1)!.url, asked.at(-1)!.headers.authorization], ['/there', undefined]);
});

test('requests that are none are refused before anybody is asked', async () => {
  const wrong: [JsonObject, RegExp][] = [
    [{ url: 'https://a.example/', method: 'GET', json: {} }, /GET has no body; use POST/],
    [{ url: 'https://a.example/', method: 'POST', json: {}, text: 'x' }, /one body/],
    [{ url: 'nowhere at all' }, /no web address|format|uri/],
    [{ url: 'https://a.example/', method: 'TRACE' }, /method/],
    [{ url: 'https://a.example/', headers: { 'x-name': '小明' } }, /"x-name".*percent-encoded/],
    [{ url: 'https://a.example/', headers: { 'x-name': 'a\r\nb: c' } }, /"x-name".*percent-encoded/],
    [{ url: 'https://a.example/', headers: { 'two words': 'a' } }, /"two words".*percent-encoded/],
  ];
  for (const [args, message] of wrong) assert.match((await judged(httpRequest, args)).message!, message, JSON.stringify(args));
  assert.equal((await call(httpRequest, { url: 'http://169.254.169.254/latest' })).code, 'address_refused');
  assert.equal(
    (await call(httpRequest, { url: 'https://a.example/', headers: { Host: 'b' } }, { own: { allow_hosts: ['127.0.0.1'] } })).code,
    'bad_header',
  );
});
