/** The profiles of providers: each file is sound, adding one touches one file, and a model gets the habits that are its own. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { HermesError } from '../../src/kernel/errors.ts';
import type { ProviderProfile } from '../../src/models/profile.ts';
import { problemOf } from '../../src/models/profile-check.ts';
import { customsOf, type Provider, providersOf, siblingsOf } from '../../src/models/profiles.ts';
import { resolveModel } from '../../src/models/resolve.ts';

const folder = resolve(import.meta.dirname, '../../providers');
const files = readdirSync(folder);
const read = (file: string) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as ProviderProfile;
const provider = (name: string) => providersOf({}).find((each) => each.name === name) as Provider;
const habits = (name: string, model: string) => customsOf(provider(name), model).habits;

for (const file of files) {
  test(`providers/${file}`, () => {
    const profile = read(file);
    assert.equal(problemOf(profile), undefined);
    assert.ok(profile.sources.length > 0);
    for (const [name, { base_url, keys }] of Object.entries(profile.endpoints)) {
      assert.match(name, /^[a-z][a-z0-9-]*$/);
      if (base_url === undefined) assert.equal(name, 'openai-compatible');
      else assert.ok(URL.canParse(base_url) && !base_url.endsWith('/'), base_url);
      if (profile.local) assert.equal(new URL(base_url ?? '').hostname, '127.0.0.1');
      else if (base_url) assert.ok(keys.length > 0 && keys.every((key) => /^[A-Z][A-Z0-9_]*$/.test(key)), name);
    }
  });
}

test('names are unique, and no key variable belongs to two providers', () => {
  const names = providersOf({}).map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  for (const name of ['openai', 'kimi-coding', 'dashscope-us', 'zai-coding', 'minimax-intl', 'ollama-compatible', 'openai-compatible'])
    assert.ok(names.includes(name), name);
  const owners = new Map<string, string>();
  for (const file of files)
    for (const key of Object.values(read(file).endpoints).flatMap(({ keys }) => keys)) {
      assert.equal(owners.get(key) ?? file, file, key);
      owners.set(key, file);
    }
  const orders = files.map((file) => read(file).order);
  assert.equal(new Set(orders).size, orders.length, 'two providers with the same order');
});

test('a profile that is not sound is named: the file, the key, the nearest known', () => {
  const good = read('deepseek.json');
  const problems: [unknown, RegExp][] = [
    [[], /must be an object/],
    [{ ...good, title: undefined }, /title must be a string/],
    [{ ...good, tilte: 'x' }, /profile\.tilte is unknown: did you mean title/],
    [{ ...good, habits: { tool_choice: { values: ['any'] } } }, /habits\.tool_choice\.values\[0\] must be one of "auto"/],
    [{ ...good, habits: { thinking: {} } }, /thinking\.default is missing/],
    [{ ...good, models: [{ match: '(' }] }, /match must be a regular expression/],
    [{ ...good, endpoints: { x: { keys: 'KEY' } } }, /endpoints\.x\.keys must be a list/],
    [{ ...good, habits: { images: true } }, /images must be an object/],
  ];
  for (const [profile, says] of problems) assert.match(problemOf(profile) ?? '', says);
});

function ownFolder(t: TestContext, files: Record<string, string>): NodeJS.ProcessEnv {
  const own = mkdtempSync(join(tmpdir(), 'hermes-providers-'));
  t.after(() => rmSync(own, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text);
  return { HERMES_PROVIDERS: own };
}

test('one file adds a provider: it is chosen by its key, asked at its address', async (t) => {
  const acme: ProviderProfile = {
    title: '阿克米',
    order: 5,
    model: 'acme-1',
    endpoints: { acme: { base_url: 'https://api.acme.example/v1', keys: ['ACME_KEY'] } },
    habits: { refuses: ['seed'] },
    sources: ['its documentation'],
  };
  const env = { ...ownFolder(t, { 'acme.json': JSON.stringify(acme), 'readme.txt': 'no profile' }), ACME_KEY: 'k', OPENAI_API_KEY: 'o' };
  const choice = await resolveModel({ env, probe: async () => undefined });
  assert.deepEqual([choice.provider, choice.model, choice.reason], ['acme', 'acme-1', 'ACME_KEY is set']);
  const broken = ownFolder(t, { 'bad.json': '{"title": "x", "oder": 1}' });
  assert.throws(
    () => providersOf(broken),
    (error: HermesError) => error.code === 'bad_profile' && /bad\.json.*missing/.test(error.message),
  );
});

test('a model has the habits of its provider, its endpoint and its own name, later ones winning', () => {
  assert.deepEqual(habits('deepseek', 'deepseek-v4-pro').reasoning, { field: 'reasoning_content', replay: 'all', empty: '' });
  assert.equal(habits('deepseek', 'deepseek-v4-flash-vision-exp').images !== false, true);
  assert.deepEqual(habits('deepseek-anthropic', 'deepseek-v4-pro').reasoning, { field: 'content', replay: 'all' });
  assert.equal(habits('openai', 'gpt-4o').token_field, 'max_tokens');
  assert.equal(habits('openai', 'gpt-5-mini').thinking?.default, 'always');
  assert.deepEqual(habits('openai', 'gpt-5.2').refuses_thinking, ['temperature', 'top_p']);
  assert.equal(habits('openrouter', 'anthropic/claude-sonnet-5').cache, 'markers');
  assert.equal(habits('openrouter', 'openai/gpt-5.2').cache, 'automatic');
  assert.deepEqual(habits('moonshot', 'kimi-k2.7').tool_choice?.values, ['auto', 'none']);
  assert.deepEqual(habits('anthropic', 'claude-opus-4-1').refuses, []);
  assert.deepEqual(habits('anthropic', 'claude-opus-4-7').refuses, ['temperature', 'top_p', 'top_k']);
  assert.equal(habits('anthropic', 'claude-haiku-5-5').thinking?.default, 'off');
  assert.equal(habits('anthropic', 'claude-opus-5-5').thinking?.default, 'always');
});

test('some models of a provider are asked over another API, at its own address only', () => {
  const api = (model: string, baseURL?: string) => customsOf(provider('openai'), model, baseURL).api;
  const chat = ['gpt-4o', 'gpt-5', 'gpt-5.2', 'o3'].map((model) => api(model));
  assert.deepEqual(new Set(chat), new Set(['chat']));
  const responses = ['gpt-5.4', 'gpt-5.6-sol', 'gpt-6-luna', 'gpt-5-codex', 'gpt-5-pro'].map((model) => api(model));
  assert.deepEqual(new Set(responses), new Set(['responses']));
  assert.equal(api('gpt-5.6', 'http://gateway.example/v1'), 'chat');
  assert.equal(customsOf(provider('zhipu-anthropic'), 'glm-5.3').api, 'anthropic');
});

test('regions and plans that take the same key are known by name', () => {
  assert.deepEqual(siblingsOf(provider('moonshot'), 'MOONSHOT_API_KEY'), ['moonshot-intl (international)']);
  assert.deepEqual(siblingsOf(provider('openai'), 'OPENAI_API_KEY'), []);
  assert.deepEqual(siblingsOf(provider('deepseek'), 'DEEPSEEK_API_KEY'), [], 'another API of the same vendor takes the same key');
  assert.ok(siblingsOf(provider('zhipu'), 'ZHIPU_API_KEY').includes('zhipu-coding (coding plan)'));
});
