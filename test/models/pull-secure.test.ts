/** Pulling over TLS with an own authority, through a proxy, and onto a disk that fills up: in processes of their own, as the environment counts. */

import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createTlsServer, type Server } from 'node:https';
import { type AddressInfo, connect, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { keptParts } from '../../src/models/pull/part.ts';
import { fakeHub, sha256 } from '../fakes/hub.ts';

const model = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(400_000, '模型')]);
const noLimits = spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit (util-linux) limits the files of a process';
const noCertificate = spawnSync('openssl', ['version']).status !== 0 && 'openssl makes the certificate';

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-secure-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

interface Ended {
  file?: string;
  code?: string;
  message?: string;
}

/** The pull in a process of its own, under `before` (a program that runs it). */
async function pullIn(directory: string, spec: string, env: NodeJS.ProcessEnv, before: string[] = []): Promise<Ended> {
  const code = `import { pullModel } from ${JSON.stringify(import.meta.resolve('../../src/models/pull.ts'))};
    const options = { directory: ${JSON.stringify(directory)}, backOff: 5 };
    const ended = await pullModel(${JSON.stringify(spec)}, options).then((file) => ({ file }), ({ code, message }) => ({ code, message }));
    console.log(JSON.stringify(ended));`;
  const [program = '', ...args] = [...before, process.execPath, '--input-type=module-typescript', '-e', code];
  const printed = await new Promise<string>((done, fail) => {
    execFile(program, args, { env: { PATH: process.env.PATH, ...env } }, (error, stdout) => (error ? fail(error) : done(stdout)));
  });
  return JSON.parse(printed) as Ended;
}

async function listen(t: TestContext, server: NetServer): Promise<number> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    if ('closeAllConnections' in server) (server as Server).closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('TLS with an own authority through a proxy; never down to plain HTTP', { skip: noCertificate }, async (t) => {
  const folder = await folderFor(t);
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', key, '-out', cert, ...subject], {
    stdio: 'pipe',
  });
  let plainPort = 0;
  const plain = createHttpServer((_request, response) => response.end(model));
  const store = createTlsServer({ key: await readFile(key), cert: await readFile(cert) }, (request, response) => {
    if (request.url?.startsWith('/down')) response.writeHead(302, { location: `http://127.0.0.1:${plainPort}/m.gguf` }).end();
    else response.writeHead(200, { 'content-length': model.length }).end(model);
  });
  plainPort = await listen(t, plain);
  const port = await listen(t, store);
  const tunnels: string[] = [];
  const proxy = createHttpServer().on('connect', (request, socket) => {
    tunnels.push(request.url ?? '');
    const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const end of [target, socket]) end.on('error', () => end.destroy());
    socket.on('close', () => target.destroy());
  });
  const proxyPort = await listen(t, proxy);
  const models = join(folder, 'models');

  assert.equal((await pullIn(models, `https://localhost:${port}/m.gguf`, {})).code, 'bad_certificate');
  const env = { NODE_EXTRA_CA_CERTS: cert, HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` };
  assert.equal((await pullIn(models, `https://localhost:${port}/down/m.gguf`, env)).code, 'bad_redirect');
  const { file, message } = await pullIn(models, `https://localhost:${port}/m.gguf#sha256=${sha256(model)}`, env);
  assert.equal(file, join(models, 'm.gguf'), message);
  assert.deepEqual(tunnels, Array(2).fill(`localhost:${port}`));
  await rm(file ?? '');
  await pullIn(models, `https://localhost:${port}/m.gguf`, { ...env, NO_PROXY: 'localhost' });
  assert.equal(tunnels.length, 2, 'past the proxy');
});

test('a disk that is full in the middle: said so, what has come is kept, and the pull goes on when there is room', {
  skip: noLimits,
}, async (t) => {
  const models = join(await folderFor(t), 'models');
  const hub = await fakeHub({ 'm.gguf': model });
  t.after(() => hub.close());
  const ended = await pullIn(models, 'hf:a/b', hub.env, ['prlimit', '--fsize=150000:']);
  assert.equal(ended.code, 'disk_full', ended.message);
  const [part] = await keptParts(models);
  assert.ok(part && part.bytes > 100_000 && part.bytes <= 150_000, `${part?.bytes}`);
  const { file } = await pullIn(models, 'hf:a/b', hub.env);
  assert.deepEqual(await readFile(file ?? ''), model);
  assert.deepEqual(await readdir(models), ['m.gguf']);
});
