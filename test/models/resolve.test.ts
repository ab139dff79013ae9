/** Which model answers: option, configuration, key, local server, model file, embedded default, in this order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HermesError } from '../../src/kernel/errors.ts';
import { servedModels } from '../../src/models/probe.ts';
import { parseModelName, type ResolveOptions, resolveModel } from '../../src/models/resolve.ts';
import { endpoint, sendJson, socketServer } from './endpoint.ts';

const silent = async () => undefined;
const resolve = (options: Partial<ResolveOptions> = {}) => resolveModel({ env: {}, probe: silent, ...options });
const fails = (options: Partial<ResolveOptions>, code: string, says: RegExp) =>
  assert.rejects(resolve(options), (error: HermesError) => {
    assert.equal(error.code, code);
    assert.equal(error.kind, 'usage');
    assert.match(`${error.message}; ${error.next}`, says);
    return true;
  });

test('names are split at the first colon; an unknown provider is met with the nearest known', () => {
  assert.deepEqual(parseModelName('ollama:qwen3:0.6b'), { provider: 'ollama', model: 'qwen3:0.6b' });
  assert.deepEqual(parseModelName('deepseek'), { provider: 'deepseek' });
  assert.deepEqual(parseModelName('local:/models/a.gguf'), { provider: 'local', model: '/models/a.gguf' });
  const nearest: [string, RegExp][] = [
    ['depseek:x', /did you mean "deepseek:x"/],
    ['gpt-5.2', /did you mean "openai:gpt-5\.2"/],
    ['nobody-knows-it', /provider:model.*providers: local, openai/],
    ['', /provider:model/],
  ];
  for (const [name, says] of nearest) {
    assert.throws(
      () => parseModelName(name),
      (error: HermesError) => error.code === 'unknown_provider' && says.test(`${error.message} ${error.next}`),
    );
  }
});

test('a package of the AI SDK is a provider by its name', async () => {
  for (const name of ['@ai-sdk/google', '@openrouter/ai-sdk-provider', 'ai-sdk-ollama', 'ollama-ai-provider-v2'])
    assert.deepEqual(parseModelName(`${name}:gemini-3-pro:free`), { provider: name, model: 'gemini-3-pro:free' });
  const config = { provider: '@ai-sdk/google', model: 'gemini-3-pro', base_url: 'https://proxy.example', api_key_env: 'MY_KEY' };
  const { notes, reason, ...choice } = await resolve({ config, env: { MY_KEY: 'k' } });
  const named = { provider: '@ai-sdk/google', package: '@ai-sdk/google', model: 'gemini-3-pro' };
  assert.deepEqual(choice, { ...named, baseURL: 'https://proxy.example', apiKey: 'k', apiKeySource: 'MY_KEY' });
  const { notes: _notes, reason: _reason, ...plain } = await resolve({ option: '@ai-sdk/google:gemini-3-pro' });
  assert.deepEqual(plain, named);
  await assert.rejects(resolve({ option: '@ai-sdk/google' }), { code: 'model_missing' });
  assert.throws(() => parseModelName('meta-llama/llama-4'), { code: 'unknown_provider' });
});

test('the option comes before everything else', async () => {
  const choice = await resolve({
    option: 'deepseek:some-model',
    config: { provider: 'openai', model: 'other', base_url: 'http://elsewhere/v1', api_key_env: 'OTHER' },
    env: { DEEPSEEK_API_KEY: 'k1', OPENAI_API_KEY: 'k2', OTHER: 'k3' },
  });
  assert.deepEqual(choice, {
    provider: 'deepseek',
    model: 'some-model',
    baseURL: 'https://api.deepseek.com',
    apiKey: 'k1',
    apiKeySource: 'DEEPSEEK_API_KEY',
    reason: 'chosen with --model',
    notes: [],
  });
});

test('the configuration: provider, address and key of its own', async () => {
  const env = { MY_KEY: 'mine', OPENAI_API_KEY: 'other' };
  const config = { base_url: 'http://gateway.example/v1/', model: 'a:b', api_key_env: 'MY_KEY' };
  const choice = await resolve({ config, env, language: 'zh' });
  assert.deepEqual(choice, {
    provider: 'openai-compatible',
    model: 'a:b',
    baseURL: 'http://gateway.example/v1',
    apiKey: 'mine',
    apiKeySource: 'MY_KEY',
    reason: '由配置指定',
    notes: [],
  });
  assert.equal((await resolve({ config: { provider: 'ollama', model: 'qwen3:0.6b' } })).model, 'qwen3:0.6b');
  assert.equal((await resolve({ config: { model: 'vllm:big' } })).provider, 'vllm');
  const proxied = await resolve({ config: { provider: 'deepseek', base_url: 'http://10.0.0.1/v1', model: 'x' } });
  assert.equal('apiKey' in proxied, false, 'a gateway may need no key');
  await fails({ config: { ...config, api_key_env: 'MISSING' }, env }, 'key_missing', /api_key_env names MISSING/);
  await fails({ config: { base_url: 'http://gateway.example/v1' } }, 'model_missing', /openai-compatible:MODEL/);
  const keyed = { option: 'deepseek', env: { DEEPSEEK_API_KEY: 'k' } };
  const aside = await resolve({ ...keyed, config: { base_url: 'http://gateway.example/v1' } });
  assert.match(aside.notes.join(), /base_url is not used.*provider = "deepseek"/);
  const others = { base_url: 'http://gateway.example/v1', provider: 'openai' };
  assert.deepEqual((await resolve({ ...keyed, config: others })).notes, []);
  await fails({ config: { provider: 'openai-compatible', model: 'x' } }, 'base_url_missing', /base_url in \[model\]/);
});

test('a key in the environment chooses its provider', async () => {
  const choice = await resolve({ env: { OPENAI_API_KEY: '', DEEPSEEK_API_KEY: 'k', ZHIPU_API_KEY: 'z' } });
  assert.deepEqual([choice.provider, choice.model, choice.reason], ['deepseek', 'deepseek-v4-pro', 'DEEPSEEK_API_KEY is set']);
  assert.equal((await resolve({ env: { GEMINI_API_KEY: 'g', ZAI_API_KEY: 'z' } })).provider, 'zai', 'one with a usual model goes first');
  await fails({ env: { GROQ_API_KEY: 'k' } }, 'model_missing', /--model groq:MODEL/);
  await fails({ option: 'moonshot' }, 'key_missing', /MOONSHOT_API_KEY/);
  const gateway = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://gateway.example/v1' };
  await fails({ env: gateway }, 'model_missing', /openai/);
  const named = await resolve({ option: 'openai:x', env: gateway });
  assert.equal('baseURL' in named && named.baseURL, 'http://gateway.example/v1');
});

test('regions share a key: the usual one is taken, another by its name', async () => {
  const env = { MOONSHOT_API_KEY: 'm', ANTHROPIC_API_KEY: '' };
  const choice = await resolve({ env });
  assert.deepEqual([choice.provider, 'baseURL' in choice && choice.baseURL], ['moonshot', 'https://api.moonshot.cn/v1']);
  const named = await resolve({ env, option: 'moonshot-intl:kimi-k3' });
  assert.equal('baseURL' in named && named.baseURL, 'https://api.moonshot.ai/v1');
});

test('a local server that serves a model, asked only when nothing else decides', async () => {
  const asked: string[] = [];
  const probe = async (baseURL: string) => {
    asked.push(baseURL);
    return { 'http://127.0.0.1:1234/v1': [], 'http://127.0.0.1:8000/v1': ['big', 'small'] }[baseURL];
  };
  await resolve({ env: { DEEPSEEK_API_KEY: 'k' }, probe });
  assert.deepEqual(asked, []);
  const choice = await resolve({ probe, localModels: async () => ['smollm2-135m'] });
  assert.deepEqual(choice, {
    provider: 'vllm',
    model: 'big',
    baseURL: 'http://127.0.0.1:8000/v1',
    direct: true,
    reason: 'vLLM answers at 127.0.0.1:8000',
    notes: ['LM Studio answers at 127.0.0.1:1234, but serves no model'],
  });
  assert.deepEqual(
    asked.sort(),
    ['11434', '1234', '8000', '8080'].map((port) => `http://127.0.0.1:${port}/v1`),
  );
  assert.equal((await resolve({ option: 'vllm', probe })).model, 'big');
});

test('then a model file, then the embedded default', async () => {
  const file = await resolve({ localModels: async () => ['smollm2-135m'] });
  assert.deepEqual([file.provider, file.model], ['local', 'smollm2-135m']);
  assert.match(file.reason, /smollm2-135m/);
  const embedded = await resolve({ localModels: async () => [] });
  assert.deepEqual([embedded.provider, embedded.model], ['local', undefined]);
  assert.match((await resolve({ language: 'zh' })).reason, /内置默认模型/);
  assert.deepEqual(await resolve({ option: 'local:other' }), {
    provider: 'local',
    model: 'other',
    reason: 'chosen with --model',
    notes: [],
  });
});

test('a probe meets real servers: models, another program, silence, nobody', async (t) => {
  const server = await endpoint(t, (response) =>
    sendJson(response, { object: 'list', data: [{ id: 'nomic-embed-text' }, { id: 'qwen3:0.6b' }] }),
  );
  assert.deepEqual(await servedModels(server.baseURL, 2000), ['qwen3:0.6b']);
  assert.deepEqual([server.requests[0]?.method, server.requests[0]?.url], ['GET', '/v1/models']);
  const page = await endpoint(t, (response) => response.end('<html>'));
  assert.equal(await servedModels(page.baseURL, 2000), undefined);
  const gone = await endpoint(t, (response) => sendJson(response, {}, 404));
  assert.equal(await servedModels(gone.baseURL, 2000), undefined);
  const silence = await socketServer(t, () => {});
  assert.equal(await servedModels(`http://127.0.0.1:${silence}/v1`, 50), undefined);
  assert.equal(await servedModels('http://127.0.0.1:1/v1', 2000), undefined);
});
