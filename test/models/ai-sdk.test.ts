/** A provider of the AI SDK by the name of its package: real packages in a temporary folder, and an installed one. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Agent } from '../../src/index.ts';
import { openAiSdkModel } from '../../src/models/ai-sdk.ts';
import { endpoint, failure, prompt, sendJson, sendStream } from './endpoint.ts';

/** A folder in whose node_modules these packages stand. */
function folderWith(t: TestContext, packages: Record<string, { manifest?: object; files: Record<string, string> }>): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-sdk-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, { manifest, files }] of Object.entries(packages)) {
    const place = join(folder, 'node_modules', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module', ...manifest }));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  }
  return folder;
}

const model = (version: string) => `
  const parts = (text) => new ReadableStream({ start(controller) {
    controller.enqueue({ type: 'text-start', id: '0', providerMetadata: { acme: { signature: 's' } } });
    controller.enqueue({ type: 'text-delta', id: '0', delta: text });
    controller.enqueue({ type: 'finish', finishReason: { unified: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } });
    controller.close();
  } });
  export function createModel(modelId, settings) {
    return { specificationVersion: '${version}', provider: 'acme', modelId, supportedUrls: {}, doStream: async ({ prompt }) => ({
      stream: parts(JSON.stringify({ modelId, key: settings.apiKey, base: settings.baseURL, prompt: prompt.at(-1) })) }) };
  }`;
const provider = `import { createModel } from './model.js';
  export const version = '1';
  export function createThing() { return undefined; }
  export function createAcme(settings = {}) { return Object.assign((id) => createModel(id, settings), { languageModel: (id) => createModel(id, settings) }); }
  export const acme = createAcme();`;

test('createAcme of a package that only `import` finds gets key and address; what its parts carry goes back', async (t) => {
  const exports = { '.': { types: './index.d.ts', import: './index.js' } };
  const from = folderWith(t, { '@acme/sdk': { manifest: { exports }, files: { 'index.js': provider, 'model.js': model('v4') } } });
  const opened = await openAiSdkModel({
    package: '@acme/sdk',
    model: 'big:1',
    from,
    apiKey: 'k',
    baseURL: 'https://acme.example',
    contextWindow: 9,
  });
  assert.deepEqual([opened.id, opened.contextWindow], ['@acme/sdk:big:1', 9]);
  const reply = await opened.ask(prompt('hi'));
  const { prompt: last, ...rest } = JSON.parse(reply.text);
  assert.deepEqual(rest, { modelId: 'big:1', key: 'k', base: 'https://acme.example' });
  assert.equal(last.role, 'user');
  const answered = { role: 'assistant' as const, content: [{ type: 'text' as const, text: reply.text }] };
  const providerOptions = reply.extra as NonNullable<Parameters<typeof opened.ask>[0]['providerOptions']>;
  const again = JSON.parse((await opened.ask({ prompt: [{ ...answered, providerOptions }] })).text);
  assert.deepEqual(again.prompt.content, [{ type: 'text', text: reply.text, providerOptions: { acme: { signature: 's' } } }]);
});

test('the agent opens it by name, from its workspace', async (t) => {
  const workspace = folderWith(t, {
    '@acme/sdk': { manifest: { main: 'index.js' }, files: { 'index.js': provider, 'model.js': model('v4') } },
  });
  const agent = new Agent({ model: '@acme/sdk:big', workspace, tools: [] });
  const outcome = await agent.run('你好');
  assert.equal(outcome.status, 'success', outcome.error?.message);
  assert.equal(outcome.model, '@acme/sdk:big');
  assert.equal(JSON.parse(outcome.answer).modelId, 'big');
  await agent.close();
});

test('a package with a ready provider only, in a folder further up', async (t) => {
  const ready = `const { createModel } = require('./model.cjs'); exports.acme = { languageModel: (id) => createModel(id, {}) };`;
  const commonJs = model('v4').replace('export function', 'exports.createModel = function');
  const manifest = { type: 'commonjs', main: 'main.cjs' };
  const folder = folderWith(t, { 'acme-provider': { manifest, files: { 'main.cjs': ready, 'model.cjs': commonJs } } });
  const from = join(folder, 'project', 'deep');
  mkdirSync(from, { recursive: true });
  const opened = await openAiSdkModel({ package: 'acme-provider', model: 'm', from });
  assert.equal(JSON.parse((await opened.ask(prompt('hi'))).text).modelId, 'm');
});

test('what is not installed, too old, broken, or no provider is named, with the next step', async (t) => {
  const from = folderWith(t, {
    '@acme/old': { files: { 'index.js': provider, 'model.js': model('v2') } },
    '@acme/broken': { files: { 'index.js': 'export const = 1' } },
    '@acme/other': { files: { 'index.js': 'export const answer = 42; export const createAnswer = () => 42;' } },
  });
  const cases: [string, string, RegExp, RegExp][] = [
    ['@acme/absent', 'package_missing', /@acme\/absent is not installed/, /^npm install @acme\/absent$/],
    ['@acme/old', 'package_too_old', /v2.*v4 is needed/, /npm install @acme\/old@latest/],
    ['@acme/broken', 'package_broken', /@acme\/broken cannot be loaded/, /npm install/],
    ['@acme/other', 'not_a_provider', /@acme\/other exports no provider/, /@ai-sdk/],
  ];
  for (const [name, code, message, next] of cases) {
    await assert.rejects(openAiSdkModel({ package: name, model: 'm', from }), { code, message, next });
  }
});

test('a key that the package misses is taken from .env, which only we read; without one, the variable is named', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, { error: { message: 'no' } }, 401));
  const from = resolve(import.meta.dirname, '../..');
  const openWith = (env: Record<string, string>) =>
    openAiSdkModel({ package: '@ai-sdk/openai', model: 'gpt-5.2', from, baseURL: server.baseURL, env });
  const before = process.env.OPENAI_API_KEY;
  delete process.env.OPENAI_API_KEY;
  t.after(() => before !== undefined && Object.assign(process.env, { OPENAI_API_KEY: before }));
  assert.equal((await failure(await openWith({ OPENAI_API_KEY: 'sk-from-dotenv' }))).code, 'wrong_key');
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-from-dotenv');
  const missing = await failure(await openWith({}));
  assert.equal(missing.code, 'key_missing');
  assert.match(missing.message, /OPENAI_API_KEY/);
});

test('an installed provider, @ai-sdk/openai, on our transport and with our errors', async (t) => {
  const events = [
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg' } },
    { type: 'response.output_text.delta', item_id: 'msg', output_index: 0, delta: '你好' },
    { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'msg' } },
    { type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 2 } } },
  ];
  const server = await endpoint(t, (response, _request, count) => {
    if (count > 1) return sendJson(response, { error: { message: 'Incorrect API key provided: sk-secret-1' } }, 401);
    sendStream(response, events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  });
  const from = resolve(import.meta.dirname, '../..');
  const opened = await openAiSdkModel({
    package: '@ai-sdk/openai',
    model: 'gpt-5.2',
    from,
    apiKey: 'sk-secret-1',
    baseURL: server.baseURL,
    env: {},
  });
  const reply = await opened.ask(prompt('hi'));
  assert.deepEqual([reply.text, reply.finish], ['你好', 'stop']);
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-secret-1');
  const refused = await failure(opened);
  assert.equal(refused.code, 'wrong_key');
  assert.match(refused.message, /^@ai-sdk\/openai at http:\/\/127/);
  assert.doesNotMatch(refused.message, /secret/);
  await opened.close?.();
});
