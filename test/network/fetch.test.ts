/** The guarded fetch against real servers on this machine, which is reached by name of the allow list only. */

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createNetServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { type GuardOptions, guardedFetch } from '../../src/network/fetch.ts';

const noCertificate = spawnSync('openssl', ['version']).status !== 0 && 'openssl makes the certificate';

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    if ('closeAllConnections' in server) (server as ReturnType<typeof createServer>).closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const local = async () => [{ address: '127.0.0.1', family: 4 }];

/** A server under the name site.test, which only this resolver knows. */
async function site(t: TestContext, answer: RequestListener) {
  const port = await listen(t, createServer(answer));
  const get = (path: string, options: GuardOptions = {}) =>
    guardedFetch(`http://site.test:${port}${path}`, { allowHosts: ['site.test'], resolve: local, env: {}, ...options });
  return { port, get };
}

const fails = (promise: Promise<unknown>, code: string) => assert.rejects(promise, { code });

test('a page: status, headers, text by its charset, JSON; an error status is an answer', async (t) => {
  const { port, get } = await site(t, (request, response) => {
    if (request.url === '/gbk')
      return response.writeHead(200, { 'content-type': 'text/plain; charset=gbk' }).end(Buffer.from([0xc4, 0xe3, 0xba, 0xc3]));
    if (request.url === '/meta') return response.writeHead(200, { 'content-type': 'text/html' }).end('<meta charset="utf-8">你好');
    response.writeHead(404, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
    response.end(JSON.stringify({ host: request.headers.host, method: request.method, 你好: '世界' }));
  });
  const page = await get('/x?y=1#z');
  assert.deepEqual([page.status, page.ok, page.url, page.truncated], [404, false, `http://site.test:${port}/x?y=1#z`, false]);
  assert.deepEqual(page.json(), { host: `site.test:${port}`, method: 'GET', 你好: '世界' });
  assert.equal(page.headers['set-cookie'], 'a=1, b=2');
  assert.equal((await get('/gbk')).text(), '你好');
  assert.match((await get('/meta')).text(), /你好/);
  const noJson = await get('/meta');
  assert.throws(() => noJson.json(), { code: 'not_json' });
});

test('methods, bodies and headers go as they are given; those of the connection itself are refused', async (t) => {
  const { get } = await site(t, async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    response.end(JSON.stringify({ method: request.method, key: request.headers['x-key'], body: Buffer.concat(pieces).toString() }));
  });
  const said = await get('/', { method: 'post', headers: { 'X-Key': 'k' }, body: '请求' });
  assert.deepEqual(said.json(), { method: 'POST', key: 'k', body: '请求' });
  await fails(get('/', { method: 'CONNECT' }), 'bad_method');
  await fails(get('/', { body: 'x' }), 'bad_body');
  await fails(get('/', { headers: { Host: '127.0.0.1' } }), 'bad_header');
  await fails(get('/', { headers: { 'Transfer-Encoding': 'chunked' } }), 'bad_header');
  await fails(get('/', { headers: { 'x-a': 'b\r\nx-c: d' } }), 'bad_header');
});

test('this machine and private networks are refused before anything is sent', async (t) => {
  let asked = 0;
  const port = await listen(
    t,
    createServer((_request, response) => {
      asked++;
      response.end();
    }),
  );
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '0'])
    await fails(guardedFetch(`http://${host}:${port}/`), 'address_refused');
  await fails(guardedFetch(`http://rebound.test:${port}/`, { resolve: local }), 'address_refused');
  assert.equal(asked, 0);
});

test('each hop is checked anew: address, scheme, credentials, and where its name leads', async (t) => {
  const paths: string[] = [];
  const { port, get } = await site(t, (request, response) => {
    paths.push(`${request.method} ${request.headers.host} ${request.url}`);
    const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
    if (to) response.writeHead(302, { location: to }).end();
    else response.end('there');
  });
  await fails(get(`/?to=http://127.0.0.1:${port}/`), 'address_refused');
  await assert.rejects(get('/?to=http://169.254.169.254/latest/'), {
    code: 'address_refused',
    message: `site.test:${port} redirects elsewhere: 169.254.169.254 is refused: cloud metadata address`,
    next: 'use another address',
  });
  await fails(get('/?to=file:///etc/passwd'), 'scheme_refused');
  await fails(get('/?to=http://a:b@site.test/'), 'credentials_in_url');
  assert.equal((await get('/?to=/next')).text(), 'there');
  assert.equal(paths.at(-1), `GET site.test:${port} /next`);
  await fails(get(`/?to=http://rebound.test:${port}/`), 'address_refused');
});

test('a name is resolved once: the connection takes the addresses that were checked', async (t) => {
  let times = 0;
  const { get } = await site(t, (_request, response) => response.end('first'));
  const changing = async () => (times++ === 0 ? local() : [{ address: '127.0.0.2', family: 4 }]);
  assert.equal((await get('/', { resolve: changing })).text(), 'first');
  assert.equal(times, 1);
});

test('redirects: at most five, secrets stay with their host, a moved POST becomes a GET', async (t) => {
  const seen: IncomingMessage[] = [];
  const other = await listen(
    t,
    createServer((request, response) => {
      seen.push(request);
      response.end('moved');
    }),
  );
  const { get } = await site(t, (request, response) => {
    if (request.url === '/loop') return void response.writeHead(301, { location: '/loop' }).end();
    response.writeHead(Number(request.url?.slice(1)), { location: `http://other.test:${other}/` }).end();
  });
  const options = {
    allowHosts: ['site.test', 'other.test'],
    method: 'POST',
    body: 'x',
    headers: { authorization: 'Bearer 1', 'x-a': '1' },
  };
  await fails(get('/loop'), 'too_many_redirects');
  await get('/302', options);
  await get('/307', options);
  assert.deepEqual(
    seen.map(({ method, headers }) => [method, headers.authorization, headers['x-a']]),
    [
      ['GET', undefined, '1'],
      ['POST', undefined, '1'],
    ],
  );
});

// ---- limits ------------------------------------------------------------------------------------------------

const endless = (response: ServerResponse, piece: Buffer) => {
  const write = () => {
    while (!response.destroyed && response.write(piece));
    response.once('drain', write);
  };
  write();
};

test('a body without end is cut, plain or compressed; its connection is closed', async (t) => {
  const closed: Promise<unknown>[] = [];
  const zeros = Buffer.alloc(50_000_000);
  const { get } = await site(t, (request, response) => {
    closed.push(new Promise((done) => response.once('close', done)));
    if (request.url === '/endless') return endless(response, Buffer.alloc(65_536, 'x'));
    const pack = { '/gzip': gzipSync, '/deflate': deflateSync, '/br': brotliCompressSync }[request.url ?? ''];
    response.writeHead(200, { 'content-encoding': (request.url ?? '').slice(1) });
    response.end(pack?.(request.headers['x-small'] ? Buffer.from('small 小') : zeros));
  });
  for (const path of ['/endless', '/gzip', '/deflate', '/br']) {
    const page = await get(path, { maxBytes: 100_000 });
    assert.deepEqual([page.bytes.length, page.truncated], [100_000, true], path);
  }
  await Promise.all(closed);
  for (const path of ['/gzip', '/deflate', '/br']) assert.equal((await get(path, { headers: { 'x-small': '1' } })).text(), 'small 小');
});

test('a slow drip, silence and a slow name service end with the time; an abort ends at once', async (t) => {
  const { get } = await site(t, (request, response) => {
    if (request.url === '/silent') return;
    const timer = setInterval(() => response.write('.'), 20);
    response.once('close', () => clearInterval(timer));
  });
  await fails(get('/drip', { timeoutMs: 200 }), 'fetch_timeout');
  await fails(get('/silent', { timeoutMs: 200 }), 'fetch_timeout');
  await fails(get('/', { timeoutMs: 200, resolve: () => new Promise(() => {}) }), 'fetch_timeout');
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error('enough')), 50);
  await assert.rejects(get('/drip', { signal: stop.signal }), { message: 'enough' });
  await assert.rejects(get('/drip', { signal: AbortSignal.abort(new Error('before')) }), { message: 'before' });
});

test('what is no proper answer is named', async (t) => {
  const raw =
    (text: string) =>
    async (options: GuardOptions = {}) => {
      const port = await listen(
        t,
        createNetServer((socket) => {
          socket.on('error', () => undefined);
          socket.end(text);
        }),
      );
      return guardedFetch(`http://site.test:${port}/`, { allowHosts: ['site.test'], resolve: local, env: {}, ...options });
    };
  await fails(raw('SSH-2.0-OpenSSH_9\r\n')(), 'not_http');
  await fails(raw(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(40_000)}\r\n\r\n`)(), 'headers_too_large');
  await fails(raw('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort')(), 'connection_lost');
  await fails(raw('')(), 'connection_lost');
  await fails(raw('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nnot gzip')(), 'bad_encoding');
  await fails(raw('HTTP/1.1 200 OK\r\ncontent-encoding: snappy\r\n\r\nx')(), 'bad_encoding');
  await fails(
    raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n')({ timeoutMs: 2000 }),
    'connection_lost',
  );
  await fails(guardedFetch('http://site.test:9/', { allowHosts: ['site.test'], resolve: local, env: {} }), 'connection_refused');
});

// ---- proxies and authorities -----------------------------------------------------------------------------

test('behind a proxy the address is checked before the proxy hears of it; NO_PROXY goes straight', async (t) => {
  const heard: string[] = [];
  const proxyServer = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`);
    response.end('by proxy');
  });
  proxyServer.on('connect', (request, socket) => {
    heard.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const proxy = `http://127.0.0.1:${await listen(t, proxyServer)}`;
  const { get } = await site(t, (_request, response) => response.end('straight'));
  const env = { http_proxy: proxy, https_proxy: proxy, no_proxy: 'site.test' };
  const lookup = async (host: string) => [{ address: host === 'public.test' ? '93.184.216.34' : '10.0.0.1', family: 4 }];
  assert.equal((await guardedFetch('http://public.test/a', { env, resolve: lookup })).text(), 'by proxy');
  await fails(guardedFetch('https://public.test/b', { env, resolve: lookup }), 'proxy_refused');
  await fails(guardedFetch('http://private.test/', { env, resolve: lookup }), 'address_refused');
  await fails(guardedFetch(`${proxy}/`, { env, resolve: lookup }), 'address_refused');
  assert.equal((await get('/', { env })).text(), 'straight');
  assert.deepEqual(heard, ['GET http://public.test/a', 'CONNECT public.test:443']);
});

test('TLS: the name counts, not the address; an own authority by NODE_EXTRA_CA_CERTS; never down to http', {
  skip: noCertificate,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-fetch-'));
  t.after(() => rm(folder, { recursive: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=site.test', '-addext', 'subjectAltName=DNS:site.test'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'pipe',
  });
  const secure = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    if (request.url === '/down') response.writeHead(302, { location: 'http://site.test/' }).end();
    else response.end('secure');
  });
  const port = await listen(t, secure);
  const options = { allowHosts: ['site.test', 'wrong.test'], resolve: local, env: {} };
  await fails(guardedFetch(`https://site.test:${port}/`, options), 'bad_certificate');
  await fails(guardedFetch(`http://site.test:${port}/`, options), 'connection_lost');
  const code = `import { guardedFetch } from ${JSON.stringify(import.meta.resolve('../../src/network/fetch.ts'))};
    const options = { allowHosts: ['site.test', 'wrong.test'], env: {}, resolve: async () => [{ address: '127.0.0.1', family: 4 }] };
    const get = (url) => guardedFetch(url, options).then((page) => page.text(), (error) => error.code);
    const urls = ['https://site.test:${port}/', 'https://site.test:${port}/down', 'https://wrong.test:${port}/'];
    console.log((await Promise.all(urls.map(get))).join(' '));`;
  const printed = await new Promise<string>((done, fail) => {
    const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: cert };
    execFile(process.execPath, ['--input-type=module', '-e', code], { env }, (error, stdout) => (error ? fail(error) : done(stdout)));
  });
  assert.equal(printed.trim(), 'secure redirect_refused bad_certificate');
});

test('a connection through a proxy is a tunnel to the name that was checked', { skip: noCertificate }, async (t) => {
  const tunnels: string[] = [];
  const target = await listen(
    t,
    createNetServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end('HTTP/1.1 400 this is no TLS\r\n\r\n'))),
  );
  const proxyServer = createServer();
  proxyServer.on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    const through = connect(target, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const one of [socket, through]) one.on('error', () => undefined);
  });
  const env = { HTTPS_PROXY: `http://127.0.0.1:${await listen(t, proxyServer)}` };
  const lookup = async () => [{ address: '93.184.216.34', family: 4 }];
  await fails(guardedFetch('https://public.test/', { env, resolve: lookup }), 'not_tls');
  assert.deepEqual(tunnels, ['public.test:443']);
});

// ---- all of the collected addresses, in a network of its own ---------------------------------------------

const data = resolve(import.meta.dirname, '../../../shared/data/ssrf/ssrf.json');
const noNamespace =
  (!existsSync(data) && 'shared/data/ssrf is not here') ||
  (spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status !== 0 && 'unshare makes the network');

test('the real client, where only loopback exists: nothing refused reaches a server', { skip: noNamespace }, async () => {
  const code = `import { readFileSync } from 'node:fs';
    import { createServer } from 'node:http';
    import { guardedFetch } from ${JSON.stringify(import.meta.resolve('../../src/network/fetch.ts'))};
    const { block_urls, block_schemes, allow_urls, hosts_file } = JSON.parse(readFileSync(${JSON.stringify(data)}, 'utf8'));
    let reached = 0;
    const server = createServer((_request, response) => response.end(String(reached++)));
    await new Promise((done) => server.listen(80, '::', done));
    const lines = hosts_file.trim().split('\\n').map((line) => line.split(' '));
    const resolve = async (host) => lines.filter((line) => line.includes(host)).map(([address]) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const get = (url) => guardedFetch(url, { resolve, env: {}, timeoutMs: 5000 }).then(() => 'answered', (error) => error.code);
    const refused = await Promise.all([...block_urls, ...block_schemes].map(get));
    const allowed = await Promise.all(allow_urls.map(get));
    const inner = await guardedFetch('http://localhost/', { env: {}, allowHosts: ['localhost'] });
    console.log(JSON.stringify({ refused, allowed, reached, inner: inner.status }));
    process.exit();`;
  const inside = `ip link set lo up && exec "$0" --input-type=module -e "$1"`;
  const printed = execFileSync('unshare', ['-rn', 'sh', '-c', inside, process.execPath, code], { encoding: 'utf8', timeout: 60_000 });
  const { refused, allowed, reached, inner } = JSON.parse(printed) as {
    refused: string[];
    allowed: string[];
    reached: number;
    inner: number;
  };
  assert.deepEqual([refused.length, allowed.length, inner, reached], [74, 11, 200, 1]);
  for (const code of refused) assert.match(code, /_refused$|^bad_url$|^credentials_in_url$/);
  for (const code of allowed) assert.equal(code, 'network_error', 'let through, and there is no network');
});
