/** What the OpenAI-compatible client sends: messages, tools, sampling, files; what it learns from refusals; what it serialises again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { createOpenAICompatible } from '../../src/models/openai-compatible.ts';
import { chunk, completion, done, endpoint, failure, prompt, sendJson, sendStream } from './endpoint.ts';

const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): LanguageModelV4Message => ({ role: 'assistant', content: [{ type: 'text', text }] });

test('every kind of message reaches the endpoint in its own form', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', apiKey: 'secret' });
  const history: LanguageModelV4Prompt = [
    { role: 'system', content: '你是助手' },
    user('加 1 和 2'),
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'two numbers' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: { a: 1, b: 2 } },
        { type: 'tool-call', toolCallId: 'c2', toolName: 'now', input: {} },
      ],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'add', output: { type: 'text', value: '3' } },
        { type: 'tool-result', toolCallId: 'c2', toolName: 'now', output: { type: 'error-json', value: { code: 'no_clock' } } },
      ],
    },
    assistant('3'),
    user('a lone surrogate \ud83d and a NUL \0'),
  ];
  await model.ask({ prompt: history });
  const [request] = server.requests;
  assert.equal(request?.url, '/v1/chat/completions');
  assert.equal(request?.headers.authorization, 'Bearer secret');
  assert.equal(request?.headers['content-type'], 'application/json');
  assert.deepEqual(request?.body, {
    model: 'm',
    messages: [
      { role: 'system', content: '你是助手' },
      { role: 'user', content: '加 1 和 2' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'two numbers',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":1,"b":2}' } },
          { id: 'c2', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '3' },
      { role: 'tool', tool_call_id: 'c2', content: '{"code":"no_clock"}' },
      { role: 'assistant', content: '3' },
      { role: 'user', content: 'a lone surrogate \ud83d and a NUL \0' },
    ],
  });
});

test('tools, sampling, format and own headers', async (t) => {
  const server = await endpoint(t, (response) => sendStream(response, chunk({ content: 'ok' }, 'stop') + done));
  const model = createOpenAICompatible({
    id: 'test:m',
    baseURL: `${server.baseURL}/?api-version=3`,
    model: 'm',
    headers: { 'x-all': '1' },
  });
  const schema = { type: 'object' as const, properties: { a: { type: 'number' as const } } };
  const options = {
    ...prompt('hi'),
    tools: [{ type: 'function' as const, name: 'add', description: 'Adds.', inputSchema: schema }],
    toolChoice: { type: 'tool' as const, toolName: 'add' },
    temperature: 0.2,
    topP: 0.9,
    maxOutputTokens: 50,
    seed: 7,
    stopSequences: ['END'],
    reasoning: 'low' as const,
    responseFormat: { type: 'json' as const, schema, name: 'sum' },
    headers: { 'x-one': '2', 'x-none': undefined },
  };
  await model.ask(options, () => {});
  const pasted = createOpenAICompatible({ id: 'test:m', baseURL: `${server.baseURL}/chat/completions`, model: 'm' });
  await pasted.ask({ ...prompt('hi'), responseFormat: { type: 'json' }, toolChoice: { type: 'required' } });
  const [full, small] = server.requests;
  assert.equal(full?.url, '/v1/chat/completions?api-version=3');
  assert.equal(full?.headers.authorization, undefined);
  assert.deepEqual([full?.headers['x-all'], full?.headers['x-one'], full?.headers['x-none']], ['1', '2', undefined]);
  const { messages, ...parameters } = full?.body ?? { messages: [] };
  assert.equal(messages.length, 1);
  assert.deepEqual(parameters, {
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
    temperature: 0.2,
    top_p: 0.9,
    max_tokens: 50,
    seed: 7,
    stop: ['END'],
    reasoning_effort: 'low',
    response_format: { type: 'json_schema', json_schema: { name: 'sum', schema } },
    tool_choice: { type: 'function', function: { name: 'add' } },
    tools: [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters: schema } }],
  });
  assert.equal(small?.url, '/v1/chat/completions');
  assert.deepEqual(small?.body.response_format, { type: 'json_object' });
  assert.equal('tool_choice' in (small?.body ?? {}), false, 'no choice without tools');
});

test('images and text files go along; what cannot be sent is named', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const file = (mediaType: string, data: string | Uint8Array): LanguageModelV4Message => ({
    role: 'user',
    content: [
      { type: 'text', text: 'look' },
      { type: 'file', mediaType, filename: 'a.bin', data: { type: 'data', data } },
    ],
  });
  await model.ask({
    prompt: [file('image/png', 'aGk='), file('image/png', Buffer.from('hi')), file('text/csv', Buffer.from('一,二').toString('base64'))],
  });
  const parts = server.requests[0]?.body.messages.map((message) => (message.content as unknown[])[1]);
  assert.deepEqual(parts, [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
    { type: 'text', text: 'a.bin:\n一,二' },
  ]);
  const error = await failure(model, { prompt: [file('video/mp4', 'aGk=')] });
  assert.equal(error.code, 'file_not_supported');
  assert.match(error.message, /a\.bin.*video\/mp4/);
});

test('a refused parameter is left out from then on', async (t) => {
  const refusals: Record<string, string> = {
    temperature: "Unsupported value: 'temperature' does not support 0.2 with this model.",
    max_tokens: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    stream_options: 'stream_options: extra fields not permitted',
    response_format: "'response_format.type' must be 'json_schema'",
  };
  const server = await endpoint(t, (response, { body }) => {
    const refused = Object.keys(refusals).find((name) => name in body);
    if (refused) sendJson(response, { error: { message: refusals[refused], type: 'invalid_request_error' } }, 400);
    else sendStream(response, chunk({ content: 'ok' }, 'stop') + done);
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const options = { ...prompt('hi'), temperature: 0.2, maxOutputTokens: 9, responseFormat: { type: 'json' as const } };
  assert.equal((await model.ask(options, () => {})).text, 'ok');
  assert.equal(server.requests.length, 5);
  assert.equal(server.requests[4]?.body.max_completion_tokens, 9);
  assert.equal((await model.ask(options, () => {})).text, 'ok');
  assert.equal(server.requests.length, 6, 'remembered');
});

test('a refusal that stays is an error, not a loop', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, { error: { message: 'temperature temperature' } }, 400));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const error = await failure(model, { ...prompt('hi'), temperature: 1 });
  assert.equal(error.code, 'bad_request');
  assert.equal(server.requests.length, 2);
});

/** A message that counts how often it is serialised. */
function counted(counts: number[], index: number): LanguageModelV4Message {
  counts[index] = 0;
  const input = {
    toJSON() {
      counts[index] = (counts[index] as number) + 1;
      return { index };
    },
  };
  return { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${index}`, toolName: 'note', input }] };
}

test('a step serialises what is new, and nothing else', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const counts: number[] = [];
  const history: LanguageModelV4Message[] = [user('go')];
  for (let step = 0; step < 40; step++) {
    history.push(counted(counts, step));
    await model.ask({ prompt: [...history] });
  }
  assert.deepEqual(counts, Array(40).fill(1));
  const names = server.requests[39]?.body.messages.slice(1).map((message) => JSON.stringify(message.tool_calls));
  assert.equal(names?.length, 40);
  assert.match(names?.[39] ?? '', /\\"index\\":39/);

  await model.ask({ prompt: [...history.slice(0, 21), user('another way')] });
  await model.ask({ prompt: [...history, user('go on')] });
  assert.deepEqual(counts, Array(40).fill(1), 'a fork and the original share what they share');
  assert.equal(server.requests[40]?.body.messages.length, 22);
  assert.equal(server.requests[41]?.body.messages.length, 42);
});

test('a message that was replaced, removed or added is noticed', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const contents = async (messages: LanguageModelV4Prompt) => {
    await model.ask({ prompt: messages });
    return server.requests.at(-1)?.body.messages.map((message) => message.content);
  };
  const history = [user('一'), assistant('two'), user('three')];
  assert.deepEqual(await contents(history), ['一', 'two', 'three']);
  history[1] = assistant('zwei');
  assert.deepEqual(await contents(history), ['一', 'zwei', 'three']);
  history.pop();
  assert.deepEqual(await contents(history), ['一', 'zwei']);
  history.push(user('x'.repeat(20_000)), user('end'));
  assert.deepEqual(await contents(history), ['一', 'zwei', 'x'.repeat(20_000), 'end']);
  assert.deepEqual(await contents([]), []);
});

test('a hundred conversations at once are kept apart', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const system: LanguageModelV4Message = { role: 'system', content: 'shared' };
  const talks = Array.from({ length: 100 }, (_, i) => [system, user(`talk ${i}`)]);
  for (let round = 0; round < 3; round++) {
    await Promise.all(
      talks.map(async (talk, i) => {
        await model.ask({ prompt: [...talk] });
        talk.push(assistant(`answer ${i}.${round}`), user(`more ${i}.${round}`));
      }),
    );
  }
  assert.equal(server.requests.length, 300);
  for (const { body } of server.requests) {
    const i = String(body.messages[1]?.content).slice(5);
    for (const [at, message] of body.messages.slice(2).entries()) {
      assert.equal(message.content, `${at % 2 ? 'more' : 'answer'} ${i}.${at >> 1}`);
    }
  }
});
