/** Servers over HTTP: the real one both ways, headers, a login with OAuth, and addresses where nobody is. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/types.ts';
import { parseServers } from '../../src/mcp/config.ts';
import { login } from '../../src/mcp/login.ts';
import { storedLogin, wantMore } from '../../src/mcp/oauth.ts';
import { oauthServer } from './oauth-server.ts';
import { answered, atEnd, bin, called, errorOf, namesOf, opened, temporaryFolder } from './rig.ts';

async function freePort(): Promise<number> {
  const server = process.getBuiltinModule('node:http').createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

/** The reference server over HTTP; resolves when it listens. */
async function everything(t: TestContext, way: 'streamableHttp' | 'sse'): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [bin('mcp-server-everything'), way], { env: { ...process.env, PORT: String(port) } });
  atEnd(t, () => child.kill('SIGKILL'));
  await new Promise<void>((listening, failed) => {
    child.once('exit', failed);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => /listening|running/i.test(String(text)) && listening());
  });
  return `http://127.0.0.1:${port}`;
}

test('the reference server over streamable HTTP', async (t) => {
  const address = await everything(t, 'streamableHttp');
  const mcp = await opened(t, { web: { type: 'http', url: `${address}/mcp` } }, { folder: await temporaryFolder(t) });
  assert.deepEqual(mcp.diagnostics(), []);
  assert.equal(await answered(mcp, 'web__echo', { message: '你好' }), 'Echo: 你好');
  const long = await called(mcp, 'web__trigger-long-running-operation', { duration: 0.4, steps: 2 });
  assert.ok(long.result.success && long.deltas.length > 0);
  assert.ok(
    mcp.tools().every(({ info }) => info.outward),
    'its calls leave this machine',
  );
});

test('a server of the older way is found by itself', async (t) => {
  const address = await everything(t, 'sse');
  const folder = await temporaryFolder(t);
  const mcp = await opened(t, { named: { type: 'sse', url: `${address}/sse` }, found: { url: `${address}/sse` } }, { folder });
  assert.deepEqual(mcp.diagnostics(), []);
  assert.equal(await answered(mcp, 'named__echo', { message: 'a' }), 'Echo: a');
  assert.equal(await answered(mcp, 'found__echo', { message: 'b' }), 'Echo: b');
});

test('nobody at the address, and somebody who speaks no MCP: named, within its time', async (t) => {
  const server = process.getBuiltinModule('node:http').createServer((_, response) => response.end('<html>hello</html>'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  atEnd(t, () => server.close());
  const { port } = server.address() as AddressInfo;
  const mcp = await opened(
    t,
    { nobody: { url: `http://127.0.0.1:${await freePort()}/mcp` }, page: { url: `http://127.0.0.1:${port}/mcp` } },
    { folder: await temporaryFolder(t), startMs: 3_000 },
  );
  const told = Object.fromEntries(mcp.diagnostics().map((one) => [one.server, one.message]));
  assert.match(told.nobody!, /"nobody" cannot be used: .*ECONNREFUSED/);
  assert.match(told.page!, /the MCP server "page"/);
});

/** One server over HTTP, and the way to log in to it. */
async function mailbox(url: string, folder: string, more: JsonObject = {}) {
  const mail = { mail: { type: 'http', url, ...more } };
  const { servers, diagnostics } = parseServers(mail, join(folder, '.mcp.json'), { env: {}, root: folder });
  assert.deepEqual(diagnostics, []);
  const logIn = () => login(servers[0]!, { folder: join(folder, 'known'), show: (address) => void sayYes(address) });
  return { mail, config: servers[0]!, logIn };
}

/** What a browser does when its person says yes. */
async function sayYes(url: URL): Promise<void> {
  const asked = await fetch(url, { redirect: 'manual' });
  const back = await fetch(asked.headers.get('location')!);
  assert.match(await back.text(), /close this window/);
}

test('a server that wants a login: asked for, done once, kept for the user alone, renewed, asked for again when it is over', async (t) => {
  const server = await oauthServer(t);
  const folder = await temporaryFolder(t);
  const servers = { 邮箱: { type: 'http', url: server.url } };
  const before = await opened(t, servers, { folder });
  assert.match(before.diagnostics()[0]!.message, /"邮箱" wants you to log in; its tools are missing \(hermes mcp login 邮箱\)/);
  assert.ok(!server.asked.includes('POST /register'), 'a run registers nothing anywhere');

  const known = join(folder, 'known');
  const [config] = parseServers(servers, join(folder, '.mcp.json'), { env: {}, root: folder }).servers;
  assert.equal(await login(config!, { folder: known, show: (url) => void sayYes(url) }), true);
  const [file] = await readdir(join(known, 'oauth'));
  assert.equal((await stat(join(known, 'oauth', file!))).mode & 0o777, 0o600);
  assert.match(await readFile(join(known, 'oauth', file!), 'utf8'), /refresh-/);

  const mcp = await opened(t, servers, { folder });
  const [name] = namesOf(mcp) as [string];
  assert.equal(await answered(mcp, name, { text: '已登录' }), '已登录');
  server.expire();
  assert.equal(await answered(mcp, name, { text: 'renewed' }), 'renewed');
  server.revoke();
  const error = errorOf((await called(mcp, name, { text: 'x' })).result);
  assert.equal(error.code, 'mcp_login', JSON.stringify(error));
  assert.match(error.message, /has run out/);
});

test('a call that wants more rights says so; the next login asks for them, and keeps those there were', async (t) => {
  const server = await oauthServer(t, { scope: 'write' });
  const folder = await temporaryFolder(t);
  const { mail, logIn } = await mailbox(server.url, folder);
  await logIn();
  const mcp = await opened(t, mail, { folder });
  const error = errorOf((await called(mcp, 'mail__echo', { text: 'x' })).result);
  assert.match(error.message, /"mail" wants more rights than your login has: write/);
  assert.equal(error.next, 'hermes mcp login mail');
  await logIn();
  assert.deepEqual(
    server.asks.map(({ scope }) => scope),
    ['look', 'look write'],
  );
  assert.equal(await answered(mcp, 'mail__echo', { text: '写' }), '写', 'the same run goes on');
  await logIn();
  assert.equal(server.asks.at(-1)!.scope, 'look write', 'rights that were given once are asked for again');
});

test('tokens that are renewed in between take nothing from what the next login asks for', async (t) => {
  const server = await oauthServer(t, { scope: 'write' });
  const folder = await temporaryFolder(t);
  const { config, logIn } = await mailbox(server.url, folder);
  await logIn();
  const known = join(folder, 'known');
  const running = await storedLogin(known, config);
  await wantMore(known, config, 'write');
  const renewed = { access_token: 'renewed', token_type: 'Bearer' }; // without a word on rights: those that it had
  await running!.saveTokens(renewed);
  await logIn();
  assert.equal(server.asks.at(-1)!.scope, 'look write');
  await (await storedLogin(known, config))!.saveTokens(renewed);
  await logIn();
  assert.equal(server.asks.at(-1)!.scope, 'look write');
});

test('a server that lets everybody in and asks at a call can be logged in to', async (t) => {
  const server = await oauthServer(t, { open: true });
  const folder = await temporaryFolder(t);
  const { mail, logIn } = await mailbox(server.url, folder);
  const mcp = await opened(t, mail, { folder });
  assert.match(errorOf((await called(mcp, 'mail__echo', { text: 'x' })).result).message, /wants you to log in/);
  assert.equal(await logIn(), true);
  assert.equal(await answered(mcp, 'mail__echo', { text: 'in' }), 'in');
});

test('a login that is broken off leaves the one before as it was', async (t) => {
  const server = await oauthServer(t);
  const folder = await temporaryFolder(t);
  const { mail, config, logIn } = await mailbox(server.url, folder);
  await logIn();
  const controller = new AbortController();
  const known = join(folder, 'known');
  await assert.rejects(login(config, { folder: known, show: () => controller.abort(), signal: controller.signal }), /was not logged in to/);
  assert.equal(await answered(await opened(t, mail, { folder }), 'mail__echo', { text: 'still' }), 'still');
});

test('a client that an address describes registers only where addresses are not read', async (t) => {
  const about = 'https://example.org/hermes/client.json';
  for (const [describes, client] of [
    [true, /^https:\/\/example\.org\/hermes\/client\.json$/],
    [false, /^client-\d+$/],
  ] as const) {
    const server = await oauthServer(t, { describes });
    const { logIn } = await mailbox(server.url, await temporaryFolder(t), { oauth: { clientId: about } });
    assert.equal(await logIn(), true);
    assert.match(server.asks[0]!.client, client);
    assert.equal(server.asked.includes('POST /register'), !describes);
  }
});

test('the root of a host may speak for a path of it, as servers of 2025-03-26 do, and for nobody else', async (t) => {
  const own = await oauthServer(t, { issuer: '/oauth' });
  assert.equal(await (await mailbox(own.url, await temporaryFolder(t))).logIn(), true);
  const other = await oauthServer(t, { issuer: 'https://accounts.example.org' });
  const { logIn } = await mailbox(other.url, await temporaryFolder(t));
  await assert.rejects(logIn(), /speaks for somebody else: its metadata names the issuer https:\/\/accounts\.example\.org/);
  assert.ok(!other.asked.includes('POST /register'));
});

test('an answer to another login is refused, and a login that is broken off ends', async (t) => {
  const server = await oauthServer(t);
  const folder = await temporaryFolder(t);
  const [config] = parseServers({ mail: { url: server.url } }, join(folder, '.mcp.json'), { env: {}, root: folder }).servers;
  const forge = async (url: URL) => {
    const redirect = new URL(url.searchParams.get('redirect_uri')!);
    redirect.search = '?code=stolen&state=another';
    await fetch(redirect);
  };
  await assert.rejects(login(config!, { folder, show: (url) => void forge(url) }), /belongs to another login/);
  const controller = new AbortController();
  await assert.rejects(login(config!, { folder, show: () => controller.abort(), signal: controller.signal }), /was not logged in to/);
});

test('a header that is not accepted is told as that', async (t) => {
  const server = await oauthServer(t);
  const servers = { mail: { url: server.url, headers: { Authorization: 'Bearer wrong' } } };
  const mcp = await opened(t, servers, { folder: await temporaryFolder(t) });
  assert.match(mcp.diagnostics()[0]!.message, /"mail" does not accept the Authorization header of its configuration/);
});

test('servers are asked through the proxy that the environment names', async (t) => {
  const server = await oauthServer(t);
  const through: string[] = [];
  const proxy = process.getBuiltinModule('node:http').createServer((request, response) => {
    through.push(request.url!);
    response.writeHead(404).end();
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  atEnd(t, () => proxy.close());
  const env = { HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  await opened(t, { mail: { url: server.url } }, { folder: await temporaryFolder(t), env, startMs: 3_000 });
  assert.ok(through.includes(server.url));
  assert.deepEqual(server.asked, []);
});
