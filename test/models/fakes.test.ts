/** The fake endpoints themselves: they refuse what their vendors refuse, or conformance would prove nothing. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '../../src/kernel/types.ts';
import { type Fake, fakeKey, startFake } from '../fakes/server.ts';
import type { Conditions, Turn, Vendor } from '../fakes/types.ts';
import { deepseek, minimax, moonshot } from '../fakes/vendors/china.ts';
import { groq, mistral } from '../fakes/vendors/international.ts';
import { ollama } from '../fakes/vendors/local.ts';
import { anthropic, gemini, openai, openaiResponses } from '../fakes/vendors/makers.ts';
import { vendors } from '../fakes/vendors.ts';

const opened: Fake[] = [];
after(() => Promise.all(opened.map((fake) => fake.close())));

async function open(vendor: Vendor, script: readonly Turn[] = [{ text: 'yes' }], conditions: Conditions = {}) {
  const fake = await startFake(vendor, script, conditions);
  opened.push(fake);
  const path = vendor.engine({}).path;
  return async (fields: JsonObject, key = fakeKey) => {
    const headers = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      ...(vendor.key && { [vendor.key]: vendor.key === 'authorization' ? `Bearer ${key}` : key }),
    };
    const response = await fetch(fake.baseURL + path, {
      method: 'POST',
      headers,
      body: JSON.stringify({ model: vendor.model, ...fields }),
    });
    const text = await response.text();
    return { status: response.status, text, body: (() => JSON.parse(text))() as JsonObject };
  };
}

const hello = [{ role: 'user', content: 'hello' }];
const called = (call: JsonObject, more: JsonObject = {}): JsonObject[] => [
  ...hello,
  { role: 'assistant', content: null, tool_calls: [call], ...more },
  { role: 'tool', tool_call_id: call.id as string, content: '3' },
];
const add = { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } };
const calls = [{ name: 'add', arguments: { a: 1 } }];
/** The first call of a whole answer of chat completions. */
const callOf = (body: JsonObject) => {
  const [choice] = body.choices as { message: { tool_calls: JsonObject[] } }[];
  return choice!.message.tool_calls[0]!;
};

test('every fake refuses an unknown field and a wrong key, and answers what it documents', async () => {
  for (const vendor of vendors.filter(({ provider }) => provider !== 'llamacpp')) {
    const ask = await open(vendor);
    const request: JsonObject = vendor === openaiResponses ? { input: 'hello' } : { messages: hello };
    if (vendor === anthropic) request.max_tokens = 100;
    assert.equal((await ask({ ...request, nonsense: 1 })).status, 400, vendor.provider);
    if (vendor.key) assert.equal((await ask(request, 'another')).status, 401, vendor.provider);
    const answer = await ask({ ...request, stream: false });
    assert.deepEqual([answer.status, answer.text.includes('yes')], [200, true], vendor.provider);
  }
});

test('the shape of a refusal is the vendor’s', async () => {
  const refusal = async (vendor: Vendor) => (await (await open(vendor))({ messages: hello, nonsense: 1 })).body;
  assert.match(JSON.stringify(await refusal(gemini)), /^\[\{"error":\{"code":400/);
  assert.match(JSON.stringify(await refusal(mistral)), /^\{"object":"error","message":/);
  assert.match(JSON.stringify(await refusal(minimax)), /^\{"base_resp":\{"status_code":2013/);
  assert.match(JSON.stringify(await refusal(anthropic)), /^\{"type":"error","error":\{"type":"invalid_request_error"/);
});

test('parameters that a vendor does not take are refused by name', async () => {
  const refused: [Vendor, JsonObject, RegExp][] = [
    [openai, { temperature: 0.2, reasoning_effort: 'low' }, /temperature/],
    [openai, { max_tokens: 10 }, /max_tokens/],
    [moonshot, { temperature: 0.2 }, /only 1 is allowed/],
    [deepseek, { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } }, /unavailable/],
    [deepseek, { response_format: { type: 'json_object' } }, /word 'json'/],
    [deepseek, { tools: [add], tool_choice: 'required' }, /thinking mode/],
    [mistral, { tools: [add], tool_choice: 'required' }, /tool_choice/],
    [minimax, { temperature: 0 }, /temperature/],
    [groq, { tools: [add], response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } } }, /response_format/],
  ];
  for (const [vendor, fields, words] of refused) {
    const { status, text } = await (await open(vendor))({ messages: hello, ...fields });
    assert.equal(status, 400, `${vendor.provider} ${JSON.stringify(fields)}`);
    assert.match(text, words);
  }
});

test('thinking and signatures that do not come back are noticed', async () => {
  const ask = await open(deepseek, [{ reasoning: 'hm', calls }, { text: 'yes' }]);
  const call = callOf((await ask({ messages: hello, tools: [add] })).body);
  assert.equal((await ask({ messages: called(call) })).status, 400);
  assert.equal((await ask({ messages: called(call, { reasoning_content: 'other' }) })).status, 400);
  assert.equal((await ask({ messages: called(call, { reasoning_content: 'hm' }) })).status, 200);

  const signed = await open(gemini, [{ calls }, { text: 'yes' }]);
  const { extra_content, ...bare } = callOf((await signed({ messages: hello, tools: [add] })).body);
  assert.equal((await signed({ messages: called(bare) })).status, 400);
  assert.equal((await signed({ messages: called({ ...bare, extra_content: extra_content! }) })).status, 200);
});

test('a call without its result, and an id that nobody gave, are refused', async () => {
  const ask = await open(openai, [{ calls }, { text: 'yes' }]);
  const call = callOf((await ask({ messages: hello, tools: [add] })).body);
  const messages = called(call);
  assert.equal((await ask({ messages: messages.slice(0, 2) })).status, 400);
  assert.equal((await ask({ messages: [...hello, messages[2]!] })).status, 400);
  assert.equal((await ask({ messages })).status, 200);
});

test('the cache counts only what is byte for byte the same', async () => {
  const ask = await open(openai);
  const cachedOf = (body: JsonObject) =>
    (body.usage as { prompt_tokens_details: { cached_tokens: number } }).prompt_tokens_details.cached_tokens;
  const long = (first: string) => [{ role: 'system', content: first + 'rule '.repeat(800) }, ...hello];
  assert.equal(cachedOf((await ask({ messages: long('a') })).body), 0);
  assert.ok(cachedOf((await ask({ messages: [...long('a'), { role: 'assistant', content: 'x' }, ...hello] })).body) > 900);
  assert.equal(cachedOf((await ask({ messages: long('b') })).body), 0);
});

test('a context that is too small for the prompt is refused where a real Ollama would cut', async () => {
  const ask = await open(ollama);
  const messages = [{ role: 'user', content: 'word '.repeat(4000) }];
  assert.match((await ask({ messages, stream: false })).text, /would be cut to num_ctx 4096/);
  assert.equal((await ask({ messages, stream: false, options: { num_ctx: 8192 } })).status, 200);
});
