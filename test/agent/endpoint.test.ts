/** A model behind an address, opened by name: its profile's client and habits, and what was learnt about it in other processes. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openModel } from '../../src/agent/models.ts';
import type { HermesError } from '../../src/kernel/errors.ts';
import { completion, endpoint, prompt, sendJson } from '../models/endpoint.ts';

function place(t: TestContext): { env: NodeJS.ProcessEnv; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-endpoint-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return { env: { HERMES_MODELS: folder }, file: join(folder, 'known.json') };
}
const hi = { ...prompt('你好'), temperature: 0.2, seed: 1 };

test('what one process learns, the next one knows: a parameter, the address, and that there are no tools', async (t) => {
  const { env } = place(t);
  const server = await endpoint(t, (response, { url, body }) => {
    if (!url.startsWith('/v1/')) return sendJson(response, 'no such page', 404);
    if ('temperature' in body) return sendJson(response, { error: 'temperature: not permitted' }, 400);
    if ('tools' in body) return sendJson(response, { error: { message: 'm does not support tools' } }, 400);
    return sendJson(response, completion({ content: 'ok' }));
  });
  const notices: string[] = [];
  const baseURL = server.baseURL.replace('/v1', '');
  const open = async () => (await openModel('openai-compatible:m', { baseURL, env, onNotice: (text) => notices.push(text) })).model;

  const first = await open();
  assert.deepEqual(first.abilities, {});
  assert.equal((await first.ask(hi)).text, 'ok');
  assert.equal(server.requests.length, 3);
  const tools = [{ type: 'function' as const, name: 'add', inputSchema: { type: 'object' as const } }];
  await assert.rejects(first.ask({ ...hi, tools }), (error: HermesError) => error.code === 'tools_not_supported');
  assert.deepEqual(first.abilities, { tools: false });
  assert.equal(notices.length, 1);
  assert.ok(notices[0]?.includes(`answers at ${server.baseURL}`));

  const asked = server.requests.length;
  const second = await open();
  assert.deepEqual(second.abilities, { tools: false });
  assert.equal((await second.ask(hi)).text, 'ok');
  assert.equal(server.requests.length, asked + 1, 'right at once');
  assert.equal('temperature' in server.requests.at(-1)!.body, false);
  second.learn?.({ protocol: 'json' });
  assert.deepEqual((await open()).abilities, { tools: false, protocol: 'json' });
});

test('a broken memory is no obstacle, and is mended', async (t) => {
  const { env, file } = place(t);
  writeFileSync(file, '{"half');
  const server = await endpoint(t, (response, { body }) =>
    sendJson(response, 'seed' in body ? { error: 'seed: not permitted' } : completion({ content: 'ok' }), 'seed' in body ? 400 : 200),
  );
  const { model } = await openModel('openai-compatible:m', { baseURL: server.baseURL, env });
  assert.equal((await model.ask(hi)).text, 'ok');
  assert.deepEqual(JSON.parse(readFileSync(file, 'utf8'))[`${server.baseURL} m`].habits, { refuses: ['seed'] });
});

test("a provider's habits and abilities go with its models, also at a gateway", async (t) => {
  const { env } = place(t);
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const { model } = await openModel('deepseek:deepseek-v4-pro', { baseURL: server.baseURL, apiKey: 'k', env });
  assert.deepEqual(model.abilities, { tools: true, images: false });
  await model.ask({ ...hi, reasoning: 'none' });
  const { messages: _, ...parameters } = server.requests[0]!.body;
  assert.deepEqual(parameters, { model: 'deepseek-v4-pro', temperature: 0.2, thinking: { type: 'disabled' } });
  const gateway = await openModel('openai:gpt-5.6', { baseURL: server.baseURL, apiKey: 'k', env });
  await gateway.model.ask(prompt('hi'));
  assert.equal(server.requests.at(-1)?.url, '/v1/chat/completions');
});

test('each API has its client', async (t) => {
  const { env } = place(t);
  const urls: string[] = [];
  const server = await endpoint(t, (response, { url }) => {
    urls.push(url);
    sendJson(response, { error: { message: 'no' } }, 418);
  });
  const asked = async (name: string) => {
    const { model } = await openModel(name, { baseURL: server.baseURL.replace('/v1', ''), apiKey: 'k', env });
    await assert.rejects(model.ask(prompt('hi')));
    await model.close?.();
  };
  await asked('anthropic:claude-sonnet-5-5');
  await asked('ollama:qwen3:0.6b');
  assert.equal(
    urls.some((url) => url.endsWith('/messages')),
    true,
  );
  assert.equal(
    urls.some((url) => url.startsWith('/api/')),
    true,
  );
});

test('the wrong region is named with the right one', async (t) => {
  const { env } = place(t);
  const server = await endpoint(t, (response) => sendJson(response, { error: { message: 'Invalid Authentication' } }, 401));
  const { model } = await openModel('moonshot:kimi-k2.6', {
    choice: { config: { provider: 'moonshot', base_url: server.baseURL } },
    env: { ...env, MOONSHOT_API_KEY: 'k' },
  });
  await assert.rejects(model.ask(prompt('hi')), (error: HermesError) => {
    assert.equal(error.code, 'wrong_key');
    assert.match(error.message, /moonshot-intl \(international\)/);
    assert.match(error.next ?? '', /--model moonshot-intl:kimi-k2\.6/);
    return true;
  });
});
