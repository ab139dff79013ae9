/** Pulling from hubs and addresses: against a local hub that redirects to another server, cuts, changes its mind and refuses. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { HermesError } from '../../src/kernel/errors.ts';
import { keptParts } from '../../src/models/pull/part.ts';
import { type PullOptions, type PullProgress, planPull, pullModel, smallOnHub } from '../../src/models/pull.ts';
import { type FakeHub, fakeHub, sha256 } from '../fakes/hub.ts';

const model = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(300_000, '一个小模型 ')]);
const other = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(300_000, 'another model ')]);
const SPEC = 'hf:Qwen/Qwen3-0.6B-GGUF';
let folder: string;
let models: string;
let hub: FakeHub;
let env: NodeJS.ProcessEnv;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hermes-hub-'));
});
beforeEach(async () => {
  models = await mkdtemp(join(folder, 'models-'));
  hub = await fakeHub({ 'README.md': Buffer.from('# 模型'), 'Qwen3-0.6B-Q8_0.gguf': model });
  env = { PATH: process.env.PATH, ...hub.env };
});
afterEach(() => hub.close());
after(() => rm(folder, { recursive: true }));

const pull = (spec: string, options: Partial<PullOptions> = {}) => pullModel(spec, { directory: models, env, backOff: 5, ...options });
const fromStore = () => hub.seen.filter(({ host }) => host === 'store');

function refusal(code: string, words?: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof HermesError, String(error));
    assert.equal(error.code, code, error.message);
    assert.ok(error.next, 'says what to do next');
    if (words) assert.match(`${error.message} | ${error.next}`, words);
    return true;
  };
}

/** Breaks off as soon as so much has come. */
async function stopAfter(bytes: number, spec = SPEC): Promise<void> {
  const controller = new AbortController();
  const onProgress = (progress: PullProgress) => progress.bytes >= bytes && controller.abort(new Error('enough'));
  await assert.rejects(pull(spec, { signal: controller.signal, onProgress }), /enough/);
}

// ---- the usual way --------------------------------------------------------------------------------------------

test('a model comes from Hugging Face by way of the store that it redirects to, checked and with its licence', async () => {
  const plan = await planPull(SPEC, { env });
  assert.equal(plan.licence, 'apache-2.0');
  assert.equal(plan.download, model.length);
  assert.equal(plan.sha256, sha256(model));
  const seen: PullProgress[] = [];
  const file = await pull(SPEC, { onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(await readFile(file), model);
  assert.deepEqual(await readdir(models), ['Qwen3-0.6B-Q8_0.gguf']);
  assert.deepEqual(seen.at(-1), { part: 'download', bytes: model.length, total: model.length });
  assert.match(hub.seen.find(({ path }) => path.includes('/resolve/'))?.path ?? '', /\/resolve\/c0ffee/, 'file and hash are of one commit');
});

test('a model comes from ModelScope', async () => {
  const plan = await planPull('ms:Qwen/Qwen3-0.6B-GGUF/Qwen3-0.6B-Q8_0.gguf', { env });
  assert.equal(plan.licence, 'apache-2.0');
  assert.deepEqual(await readFile(await pull('ms:Qwen/Qwen3-0.6B-GGUF')), model);
});

test('keys go to the hub and never to the store, nor into an error', async () => {
  const keyed = { ...env, HF_TOKEN: 'hf_verysecretverysecret', MODELSCOPE_API_TOKEN: 'ms-verysecretverysecret' };
  for (const spec of [SPEC, 'ms:Qwen/Qwen3-0.6B-GGUF']) {
    await pull(spec, { env: keyed });
    await rm(join(models, 'Qwen3-0.6B-Q8_0.gguf'));
  }
  const [asked, stored] = [hub.seen.filter(({ host }) => host === 'hub'), fromStore()];
  assert.ok(asked.every(({ headers }) => /verysecret/.test(headers.authorization ?? '')));
  assert.equal(stored.length, 2);
  assert.doesNotMatch(JSON.stringify(stored), /verysecret/);
  hub.mischief = { refuse: { at: 'listing', status: 401, text: 'bad token hf_verysecretverysecret' } };
  await assert.rejects(pull(SPEC, { env: keyed }), (error: HermesError) => {
    assert.doesNotMatch(JSON.stringify(error.toData()), /verysecret/);
    return refusal('download_refused', /HF_TOKEN/)(error);
  });
});

test('of several files the Q4_K_M is taken; a name chooses another; without either the names are told', async () => {
  hub.files = new Map([
    ['mmproj-model.gguf', other],
    ['m-Q4_K_M.gguf', model],
    ['m-Q8_0.gguf', other],
  ]);
  assert.equal((await planPull(SPEC, { env })).file, 'm-Q4_K_M.gguf');
  assert.equal((await planPull(`${SPEC}/m-q8_0.gguf`, { env })).sha256, sha256(other));
  await assert.rejects(planPull(`${SPEC}/m-Q8_1.gguf`, { env }), refusal('model_file_not_found', /did you mean .*m-Q8_0\.gguf/));
  hub.files.delete('m-Q4_K_M.gguf');
  hub.files.set('m-Q6_K.gguf', model);
  await assert.rejects(
    planPull(SPEC, { env }),
    refusal('model_file_not_found', /m-Q8_0\.gguf \(0 MB\), m-Q6_K\.gguf.*name one: hermes models pull hf:/),
  );
  hub.files = new Map([['model.safetensors', other]]);
  await assert.rejects(planPull(SPEC, { env }), refusal('model_file_not_found', /no \.gguf file/));
  hub.files = new Map([['m-Q4_K_M-00001-of-00002.gguf', other]]);
  await assert.rejects(planPull(SPEC, { env }), refusal('model_in_pieces'));
});

test('a name of the catalogue asks both hubs, and the first that has it counts', async () => {
  env.HF_ENDPOINT = 'http://127.0.0.1:9';
  const file = await pull('qwen3-0.6b');
  assert.deepEqual(await readdir(models), ['qwen3-0.6b.gguf']);
  assert.deepEqual(await readFile(file), model);
  env.MODELSCOPE_ENDPOINT = 'http://127.0.0.1:9';
  await assert.rejects(planPull('qwen3-1.7b', { env }), refusal('no_hub', /HF_ENDPOINT/));
});

test('the first run learns of the small model when a hub answers at once, and waits no longer than 2 s', async () => {
  assert.equal((await smallOnHub({ env }))?.name, 'qwen3-0.6b');
  hub.mischief = { late: 30_000 };
  const began = Date.now();
  assert.equal(await smallOnHub({ env }), undefined);
  assert.ok(Date.now() - began < 10_000);
});

test('an address with its hash', async () => {
  const address = `http://127.0.0.1:${hub.port}/a/b/resolve/x/Qwen3-0.6B-Q8_0.gguf`;
  await assert.rejects(pull(`${address}#sha256=${'0'.repeat(64)}`), refusal('model_checksum'));
  assert.deepEqual(await readdir(models), []);
  assert.deepEqual(await readFile(await pull(`${address}#sha256=${sha256(model)}`)), model);
});

// ---- going on -------------------------------------------------------------------------------------------------

test('a cut connection is taken up again where it broke off', async () => {
  hub.mischief = { cut: { after: 90_000, times: 3 } };
  assert.deepEqual(await readFile(await pull(SPEC)), model);
  const ranges = fromStore().map(({ headers }) => headers.range);
  assert.deepEqual(ranges, [undefined, 'bytes=90000-', 'bytes=180000-', 'bytes=270000-']);
});

test('a connection that is always cut at once ends after a few attempts', async () => {
  hub.mischief = { cut: { after: 0, times: 100 } };
  await assert.rejects(pull(SPEC), refusal('download_failed', /closed the connection/));
  assert.equal(fromStore().length, 4);
});

test('silence in the middle is an end, too, and taken up again; silence from the beginning is told', async () => {
  hub.mischief = { hang: 80_000 };
  assert.deepEqual(await readFile(await pull(SPEC, { timeouts: { silence: 100 } })), model);
  assert.equal(fromStore().length, 4);
  await rm(join(models, 'Qwen3-0.6B-Q8_0.gguf'));
  hub.mischief = { hang: 0 };
  await assert.rejects(pull(SPEC, { timeouts: { firstByte: 200, silence: 100 } }), refusal('download_failed', /silent/));
});

test('a stopped pull is kept, told of, and goes on; the next one leaves nothing behind', async () => {
  hub.mischief = { slow: 5 };
  await stopAfter(100_000);
  const [part] = await keptParts(models);
  assert.equal(part?.file, 'Qwen3-0.6B-Q8_0.gguf');
  assert.equal(part?.total, model.length);
  assert.ok(part.bytes >= 100_000 && part.bytes < model.length);
  const before = fromStore().length;
  assert.deepEqual(await readFile(await pull(SPEC)), model);
  assert.equal(fromStore()[before]?.headers.range, `bytes=${part.bytes}-`);
  assert.deepEqual(await readdir(models), ['Qwen3-0.6B-Q8_0.gguf']);
});

test('a server without ranges begins anew', async () => {
  hub.mischief = { slow: 5 };
  await stopAfter(100_000);
  hub.mischief = { noRanges: true };
  assert.deepEqual(await readFile(await pull(SPEC)), model);
});

test('a file that has changed meanwhile begins anew: by its hash, and by its etag where there is no hash', async () => {
  for (const noHash of [false, true]) {
    hub.files.set('Qwen3-0.6B-Q8_0.gguf', model);
    hub.mischief = { slow: 5, noHash };
    await stopAfter(100_000);
    hub.files.set('Qwen3-0.6B-Q8_0.gguf', other);
    hub.mischief = { noHash };
    const file = await pull(SPEC);
    assert.deepEqual(await readFile(file), other);
    await rm(file);
  }
});

test('without hash and etag nothing is taken up again', async () => {
  hub.mischief = { slow: 5, noHash: true, noETag: true };
  await stopAfter(100_000);
  hub.mischief = { noHash: true, noETag: true };
  const before = fromStore().length;
  assert.deepEqual(await readFile(await pull(SPEC)), model);
  assert.equal(fromStore()[before]?.headers.range, undefined);
});

test('a part with a wrong beginning is found out at the end, and the file fetched whole', async () => {
  hub.mischief = { slow: 5 };
  await stopAfter(100_000);
  const [part] = await keptParts(models);
  const data = join(part?.folder ?? '', 'data');
  const kept = await readFile(data);
  kept[70_000] = 0;
  await writeFile(data, kept);
  hub.mischief = {};
  assert.deepEqual(await readFile(await pull(SPEC)), model);
});

test('kill -9 in the middle: the next pull goes on', async () => {
  hub.mischief = { slow: 20 };
  const child = pulling();
  await untilPart(100_000);
  child.kill('SIGKILL');
  await new Promise((ended) => child.once('close', ended));
  hub.mischief = {};
  const before = fromStore().length;
  assert.deepEqual(await readFile(await pull(SPEC)), model);
  assert.match(fromStore()[before]?.headers.range ?? '', /^bytes=[1-9]\d{5}-/);
  assert.deepEqual(await readdir(models), ['Qwen3-0.6B-Q8_0.gguf']);
});

test('two pulls at once, in two processes, both end with the whole file and nothing beside it', async () => {
  hub.mischief = { slow: 10 };
  await stopAfter(50_000);
  const child = pulling();
  const ended = new Promise((done) => child.once('close', done));
  await untilPart(60_000);
  const [file, status] = await Promise.all([pull(SPEC), ended]);
  assert.equal(status, 0);
  assert.deepEqual(await readFile(file), model);
  assert.deepEqual(await readdir(models), ['Qwen3-0.6B-Q8_0.gguf']);
});

/** The same pull in a process of its own. */
function pulling(): ChildProcess {
  const code = `import { pullModel } from ${JSON.stringify(import.meta.resolve('../../src/models/pull.ts'))};
    await pullModel(${JSON.stringify(SPEC)}, { directory: ${JSON.stringify(models)} });`;
  return spawn(process.execPath, ['--input-type=module-typescript', '-e', code], { env, stdio: 'inherit' });
}

/** Until a part has so many bytes, whoever works on it. */
async function untilPart(bytes: number): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    for (const name of await readdir(models)) {
      const found = name.startsWith('.part-') ? await stat(join(models, name, 'data')).catch(() => undefined) : undefined;
      if (found && found.size >= bytes) return;
    }
    await new Promise((done) => setTimeout(done, 10));
  }
  assert.fail('no part has grown');
}

// ---- what is refused ------------------------------------------------------------------------------------------

test('wrong content, a wrong size, a page and something else than a model are thrown away and named', async () => {
  const cases: [FakeHub['mischief'], string, RegExp][] = [
    [{ listed: { sha256: sha256(other) } }, 'model_checksum', /expected [0-9a-f]{64}/],
    [{ listed: { size: 299_999 } }, 'model_size', /should have 299999 bytes/],
    [{ page: true }, 'not_a_model', /web page/],
  ];
  for (const [mischief, code, words] of cases) {
    hub.mischief = mischief;
    await assert.rejects(pull(SPEC), refusal(code, words));
    assert.deepEqual(await readdir(models), [], code);
  }
  hub.files.set('Qwen3-0.6B-Q8_0.gguf', Buffer.from('version https://git-lfs.github.com/spec/v1'));
  hub.mischief = {};
  await assert.rejects(pull(SPEC), refusal('not_a_model', /version https/));
  assert.deepEqual(await readdir(models), []);
});

test('a file too large for the disk is refused before its first byte', async () => {
  hub.mischief = { huge: 1e15 };
  await assert.rejects(pull(SPEC), refusal('disk_full', /1000000000 MB are needed/));
  assert.deepEqual(await readdir(models), []);
});

test('gated, private, missing: who refuses, and what to do', async () => {
  const gated = { at: 'listing', status: 403, code: 'GatedRepo', text: 'Access to model is restricted.' } as const;
  hub.mischief = { refuse: gated };
  await assert.rejects(pull(SPEC), refusal('model_gated', /terms at http.*Qwen3-0.6B-GGUF.*then set HF_TOKEN/));
  hub.mischief = { refuse: { ...gated, at: 'file', status: 401 } };
  await assert.rejects(
    pull(SPEC, { env: { ...env, HF_TOKEN: 'hf_secretsecret' } }),
    refusal('model_gated', /with the account of HF_TOKEN/),
  );
  hub.mischief = { refuse: { at: 'listing', status: 401, text: '{"error":"Invalid username or password."}' } };
  await assert.rejects(pull(SPEC), refusal('download_refused', /Invalid username.*for a private or gated one set HF_TOKEN/));
  hub.mischief = { refuse: { at: 'listing', status: 404, code: 'RepoNotFound', text: 'Repository not found' } };
  await assert.rejects(pull(SPEC), refusal('download_not_found', /check the name/));
  await assert.rejects(pull('ms:Qwen/Nothing'), refusal('download_not_found', /ModelScope/));
  hub.mischief = { refuse: { at: 'listing', status: 200, text: '<html><title>Welcome to the hotel</title></html>' } };
  await assert.rejects(pull(SPEC), refusal('not_a_hub', /Welcome to the hotel/));
});

test('a hub that is busy is asked again, after the time that it names', async () => {
  hub.mischief = { refuse: { at: 'file', status: 503, times: 2 } };
  assert.deepEqual(await readFile(await pull(SPEC)), model);
  hub.mischief = { refuse: { at: 'file', status: 429, times: 100, headers: { 'retry-after': '0' } } };
  await rm(join(models, 'Qwen3-0.6B-Q8_0.gguf'));
  await assert.rejects(pull(SPEC), refusal('download_failed', /429/));
});

test('redirects: not for ever, not to another kind of address, not from https to http', async () => {
  hub.mischief = { redirect: `http://127.0.0.1:${hub.port}/a/b/resolve/x/Qwen3-0.6B-Q8_0.gguf` };
  await assert.rejects(pull(SPEC), refusal('too_many_redirects'));
  hub.mischief = { redirect: 'file:///etc/passwd' };
  await assert.rejects(pull(SPEC), refusal('bad_redirect', /file:/));
});

test('another file of that name is not touched; the same one is not fetched again', async () => {
  await writeFile(join(models, 'Qwen3-0.6B-Q8_0.gguf'), other);
  await assert.rejects(pull(SPEC), refusal('model_exists', /hermes models rm Qwen3-0.6B-Q8_0/));
  assert.deepEqual(await readFile(join(models, 'Qwen3-0.6B-Q8_0.gguf')), other);
  await writeFile(join(models, 'Qwen3-0.6B-Q8_0.gguf'), model);
  await pull(SPEC);
  assert.equal(fromStore().length, 0);
});

// ---- files and words ------------------------------------------------------------------------------------------

test('a file of this machine becomes a model by a link, after a look at its beginning', async () => {
  const own = join(folder, '我的 模型.gguf');
  await writeFile(own, model);
  const file = await pull(own);
  assert.equal(file, join(models, '我的_模型.gguf'));
  assert.equal((await stat(file)).ino, (await stat(own)).ino);
  assert.equal(await pull(own), file);
  await writeFile(join(folder, 'no.gguf'), 'PK');
  await assert.rejects(pull(join(folder, 'no.gguf')), refusal('not_a_model'));
  await assert.rejects(pull(join(folder, 'absent.gguf')), refusal('model_not_found'));
  await mkdir(join(folder, 'folder.gguf'));
  await assert.rejects(pull(join(folder, 'folder.gguf')), refusal('not_a_model'));
});

test('what cannot be read is answered with what is expected', async () => {
  const cases: [string, string][] = [
    ['qwen3', 'unknown_model'],
    ['hf:only', 'bad_model_source'],
    ['hf:a/b/c.bin', 'bad_model_source'],
    ['hf:a/b@', 'bad_model_source'],
    ['hf:../b', 'bad_model_source'],
    ['pypi:a/b.gguf', 'bad_model_source'],
    ['https://example.com/model.bin', 'bad_model_source'],
    ['https://example.com/model.gguf#sha256=12', 'bad_model_source'],
    ['http://example.com/model.gguf', 'plain_http'],
  ];
  for (const [spec, code] of cases) await assert.rejects(planPull(spec, { env }), refusal(code), spec);
  await assert.rejects(planPull('https://me:hush@example.com/m.bin', { env }), (error: Error) => !/hush/.test(error.message));
});
