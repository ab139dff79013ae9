/** Anthropic's Messages API: what goes out, what comes back, and what has to go back with the next request. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import { createAnthropic } from '../../src/models/anthropic.ts';
import type { Habits } from '../../src/models/profile.ts';
import type { AskOptions, Delta } from '../../src/models/types.ts';
import { endpoint, failure, prompt, sendJson, sendStream, socketServer } from './endpoint.ts';

type Json = Record<string, unknown>;
const event = (data: Json) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const usage = { input_tokens: 10, cache_read_input_tokens: 70, cache_creation_input_tokens: 20, output_tokens: 1 };
const start = (given: Json = usage) =>
  event({ type: 'message_start', message: { id: 'msg_1', model: 'claude', role: 'assistant', content: [], usage: given } });
/** One content block with its deltas. */
const block = (index: number, content: Json, ...deltas: Json[]) =>
  event({ type: 'content_block_start', index, content_block: content }) +
  deltas.map((delta) => event({ type: 'content_block_delta', index, delta })).join('') +
  event({ type: 'content_block_stop', index });
const text = (index: number, words: string) => block(index, { type: 'text', text: '' }, { type: 'text_delta', text: words });
const thinking = (index: number, words: string, signature: string) =>
  block(index, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: words }, { type: 'signature_delta', signature });
const call = (index: number, id: string, name: string, json: string) =>
  block(index, { type: 'tool_use', id, name, input: {} }, { type: 'input_json_delta', partial_json: json });
const stop = (reason: string, more: Json = { output_tokens: 30 }) =>
  event({ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: more }) + event({ type: 'message_stop' });
const hello = start() + text(0, '你好') + stop('end_turn');

const tools: LanguageModelV4FunctionTool[] = ['read', 'write'].map((name) => ({
  type: 'function',
  name,
  description: name,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}));
const system: LanguageModelV4Message = { role: 'system', content: 'Be brief.' };
const asked: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'read a and b' }] };
const result = (id: string, value: string): LanguageModelV4Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value } }],
});

const key = 'sk-ant-1234567890';
const clientOf = (baseURL: string, more: Partial<Parameters<typeof createAnthropic>[0]> = {}) =>
  createAnthropic({ id: 'anthropic:m', baseURL, model: 'claude-opus-4-5', apiKey: key, habits: {}, env: {}, ...more });
const answering = (t: TestContext, ...answers: string[]) =>
  endpoint(t, (response, _request, count) => sendStream(response, answers[Math.min(count, answers.length) - 1] as string));

test('text is streamed; cached tokens count into the input', async (t) => {
  const server = await answering(t, hello);
  const model = await clientOf(server.baseURL);
  const deltas: Delta[] = [];
  assert.deepEqual(await model.ask(prompt('hi'), (delta) => deltas.push(delta)), {
    text: '你好',
    calls: [],
    finish: 'stop',
    finish_raw: 'end_turn',
    usage: { input_tokens: 100, output_tokens: 30, cached_tokens: 70, cache_write_tokens: 20 },
  });
  assert.deepEqual(deltas, [{ text: '你好' }]);
  assert.equal(server.requests[0]?.url, '/v1/messages');
  assert.equal(server.requests[0]?.headers['x-api-key'], key);
  assert.equal((await model.ask(prompt('hi'))).text, '你好');
  assert.equal(server.connections, 1, 'the socket is kept');
  await model.close?.();
});

test('figures that did not come are absent', async (t) => {
  const server = await answering(t, start({ input_tokens: 10, output_tokens: 0 }) + text(0, 'x') + stop('end_turn'));
  assert.deepEqual((await (await clientOf(server.baseURL)).ask(prompt('hi'))).usage, { input_tokens: 10, output_tokens: 30 });
});

test('the ends of an answer', async (t) => {
  const ends = { pause_turn: 'stop', refusal: 'content-filter', max_tokens: 'length', model_context_window_exceeded: 'length' };
  for (const [reason, finish] of Object.entries(ends)) {
    const server = await answering(t, start() + text(0, 'so') + stop(reason));
    const reply = await (await clientOf(server.baseURL)).ask(prompt('hi'));
    assert.deepEqual([reply.finish, reply.finish_raw], [finish, reason]);
  }
});

test('an address with or without /v1, or with the whole path', async (t) => {
  const server = await answering(t, hello);
  const root = server.baseURL.replace('/v1', '');
  for (const base of [root, `${root}/`, `${root}/v1`, `${root}/v1/messages`, `${root}/apps/anthropic`, `${root}/api/anthropic/v1/`])
    await (await clientOf(base)).ask(prompt('hi'));
  const paths = server.requests.map(({ url }) => url);
  assert.deepEqual(paths, [...Array(4).fill('/v1/messages'), '/apps/anthropic/v1/messages', '/api/anthropic/v1/messages']);
  await assert.rejects(clientOf('ftp://host'), { code: 'bad_base_url' });
  await assert.rejects(clientOf(root, { apiKey: '你的密钥', apiKeySource: 'ANTHROPIC_API_KEY' }), { code: 'bad_key' });
});

test('thinking with tools over several steps: every block goes back as it came, in its place', async (t) => {
  const first =
    start() +
    thinking(0, 'first a', 'sig-1') +
    block(1, { type: 'redacted_thinking', data: 'secret' }) +
    text(2, 'Reading.') +
    thinking(3, '然后 b', 'sig-2') +
    call(4, 'toolu_1', 'read', '{"path":"a"}') +
    call(5, 'toolu_2', 'read', '{"path":"b"}') +
    stop('tool_use');
  const server = await answering(t, first, hello);
  const model = await clientOf(server.baseURL);
  const reply = await model.ask({ prompt: [system, asked], tools });
  assert.equal(reply.reasoning, 'first a\n\n然后 b');
  assert.deepEqual(JSON.parse(JSON.stringify(reply.extra)), reply.extra, 'plain data');
  assert.deepEqual(
    reply.calls.map(({ id, input }) => [id, input]),
    [
      ['toolu_1', '{"path":"a"}'],
      ['toolu_2', '{"path":"b"}'],
    ],
  );
  // As the native protocol renders it; the framework may have given other ids.
  const answered: LanguageModelV4Message = {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: reply.reasoning as string },
      { type: 'text', text: reply.text },
      { type: 'tool-call', toolCallId: 'toolu_1_2', toolName: 'read', input: { path: 'a' } },
      { type: 'tool-call', toolCallId: 'functions.read:0', toolName: 'read', input: { path: 'b' } },
    ],
    providerOptions: reply.extra as NonNullable<LanguageModelV4Message['providerOptions']>,
  };
  const frozen = structuredClone(answered);
  await model.ask({ prompt: [system, asked, answered, result('toolu_1_2', '1'), result('functions.read:0', '2')], tools });
  assert.deepEqual(answered, frozen, 'what was handed over is not changed');
  const [, assistant, results] = server.requests[1]!.body.messages as unknown as [Json, Json, Json & { content: Json[] }];
  assert.deepEqual(assistant.content, [
    { type: 'thinking', thinking: 'first a', signature: 'sig-1' },
    { type: 'redacted_thinking', data: 'secret' },
    { type: 'text', text: 'Reading.' },
    { type: 'thinking', thinking: '然后 b', signature: 'sig-2' },
    { type: 'tool_use', id: 'toolu_1_2', name: 'read', input: { path: 'a' } },
    { type: 'tool_use', id: 'functions_read_0', name: 'read', input: { path: 'b' } },
  ]);
  assert.deepEqual(
    results.content.map(({ tool_use_id }) => tool_use_id),
    ['toolu_1_2', 'functions_read_0'],
  );
});

test('an empty thinking block with a signature is kept; of others, thinking without one, too', async (t) => {
  const [empty, unsigned] = ['', 'hm'].map((words) =>
    words
      ? start() +
        block(0, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: words }) +
        text(1, 'so') +
        stop('end_turn')
      : start() +
        block(0, { type: 'thinking', thinking: '' }, { type: 'signature_delta', signature: '0b9a' }) +
        text(1, 'so') +
        stop('end_turn'),
  ) as [string, string];
  const server = await answering(t, empty, hello, unsigned, hello);
  const model = await clientOf(server.baseURL, { model: 'deepseek-v4-pro' });
  for (const kept of [
    { type: 'thinking', thinking: '', signature: '0b9a' },
    { type: 'thinking', thinking: 'hm', signature: '' },
  ]) {
    const reply = await model.ask(prompt('hi'));
    const answered: LanguageModelV4Message = {
      role: 'assistant',
      content: [...(reply.reasoning ? [{ type: 'reasoning' as const, text: reply.reasoning }] : []), { type: 'text', text: reply.text }],
      ...(reply.extra && { providerOptions: reply.extra as NonNullable<LanguageModelV4Message['providerOptions']> }),
    };
    await model.ask({ prompt: [asked, answered, asked] });
    const sent = server.requests.at(-1)?.body.messages[1] as { content: Json[] };
    assert.deepEqual(sent.content[0], kept);
  }
});

test('texts without a word in them, which the API refuses, are left out', async (t) => {
  const server = await answering(t, hello);
  const history: LanguageModelV4Message[] = [
    {
      role: 'user',
      content: [
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
        { type: 'text', text: '' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: '\n\n' },
        { type: 'tool-call', toolCallId: 't', toolName: 'read', input: {} },
      ],
    },
    result('t', ''),
  ];
  await (await clientOf(server.baseURL)).ask({ prompt: history, tools });
  const types = (server.requests[0]!.body.messages as unknown as { content: Json[] }[]).map(({ content }) =>
    content.map(({ type }) => type),
  );
  assert.deepEqual(types, [['image'], ['tool_use'], ['tool_result']]);
});

test('markers after tools, system and the last message; the front stays the same to the byte', async (t) => {
  const server = await answering(t, hello);
  const model = await clientOf(server.baseURL);
  const history: LanguageModelV4Message[] = [system, asked];
  for (let step = 1; step <= 3; step++) {
    await model.ask({ prompt: [...history], tools, temperature: 0.2 });
    history.push(
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `t${step}`, toolName: 'read', input: { path: 'a' } }] },
      result(`t${step}`, `text ${step}`),
    );
  }
  const marker = /,"cache_control":\{"type":"ephemeral"\}/g;
  const fronts = server.requests.map(({ text }) => text.replace(marker, ''));
  for (const [step, { text, body }] of server.requests.entries()) {
    assert.equal(text.match(marker)?.length, step === 0 ? 3 : 4);
    const last = (list: unknown) => (list as Json[]).at(-1) as Json & { content: Json[] };
    for (const place of [last(body.tools), last(body.system), last(last(body.messages).content)]) assert.ok(place.cache_control);
    if (step === 0) continue;
    // All of the messages before stand at the same place.
    const before = fronts[step - 1] as string;
    const end = before.lastIndexOf('],"tools"') < 0 ? before.length - 2 : before.lastIndexOf('],"tools"');
    assert.ok(fronts[step]?.startsWith(before.slice(0, end)), `step ${step + 1}`);
  }
  const unmarked = await clientOf(server.baseURL, { habits: { cache: 'none' } });
  await unmarked.ask({ prompt: history, tools });
  assert.doesNotMatch(server.requests.at(-1)?.text ?? '', marker);
});

test('habits decide about sampling, thinking, limits and forced tools', async (t) => {
  const server = await answering(t, hello);
  const sent = async (model: string, habits: Habits, options: Partial<AskOptions>) => {
    await (await clientOf(server.baseURL, { model, habits })).ask({ ...prompt('hi'), tools, ...options });
    return server.requests.at(-1)?.body as Json;
  };
  assert.equal((await sent('claude-opus-4-5', {}, { temperature: 0.2 })).temperature, 0.2);
  assert.equal((await sent('claude-opus-5-5', {}, { temperature: 0.2 })).temperature, undefined);
  assert.equal((await sent('glm-5.3', { refuses: ['temperature'] }, { temperature: 0.2 })).temperature, undefined);
  assert.equal((await sent('MiniMax-M3', { temperature: { min: 0.01, max: 1 } }, { temperature: 0 })).temperature, 0.01);

  const thinks: Habits = {
    thinking: {
      default: 'on',
      on: { thinking: { type: 'enabled' } },
      off: { thinking: { type: 'disabled' } },
      efforts: { high: { output_config: { effort: 'high' } } },
    },
    tool_choice: { values: ['auto', 'none', 'required', 'named'], thinking: ['auto', 'none'] },
    refuses_thinking: ['temperature'],
    body: { service_tier: 'auto' },
  };
  const high = await sent('deepseek-v4-pro', thinks, { reasoning: 'high', temperature: 0.2, toolChoice: { type: 'required' } });
  assert.deepEqual([high.thinking, high.output_config, high.temperature], [{ type: 'enabled' }, { effort: 'high' }, undefined]);
  assert.deepEqual([high.tool_choice, high.service_tier, high.max_tokens], [{ type: 'auto' }, 'auto', 16384]);
  const off = await sent('deepseek-v4-pro', thinks, {
    reasoning: 'none',
    temperature: 0.2,
    toolChoice: { type: 'tool', toolName: 'read' },
  });
  assert.deepEqual([off.thinking, off.temperature, off.tool_choice], [{ type: 'disabled' }, 0.2, { type: 'tool', name: 'read' }]);
  assert.equal((await sent('glm-5.3', { max_output_tokens: 8000 }, { maxOutputTokens: 9000 })).max_tokens, 8000);
  // Of Claude the SDK knows what else changes with it.
  const budget: Habits = { thinking: { default: 'off', efforts: { high: { thinking: { type: 'enabled', budget_tokens: 24576 } } } } };
  const bounded = await sent('claude-sonnet-4-5', budget, { reasoning: 'high', maxOutputTokens: 1000, temperature: 0.2 });
  assert.deepEqual(
    [bounded.thinking, bounded.max_tokens, bounded.temperature],
    [{ type: 'enabled', budget_tokens: 24576 }, 25576, undefined],
  );
  const adaptive: Habits = {
    thinking: { default: 'always', efforts: { low: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } } } },
  };
  const shown = await sent('claude-sonnet-5-5', adaptive, { reasoning: 'low', toolChoice: { type: 'required' } });
  assert.deepEqual([shown.thinking, shown.output_config], [{ type: 'adaptive', display: 'summarized' }, { effort: 'low' }]);
  assert.deepEqual(shown.tool_choice, { type: 'auto' });
  assert.deepEqual((await sent('claude-opus-5', {}, { reasoning: 'high' })).output_config, { effort: 'high' });
});

test('a refused parameter is left out from then on, and learnt', async (t) => {
  const refused = async (sent: (body: Json) => unknown, message: string, options: Partial<AskOptions>, habits: Habits = {}) => {
    const server = await endpoint(t, (response, { body }) => {
      if (sent(body) === undefined) return sendStream(response, hello);
      sendJson(response, { type: 'error', error: { type: 'invalid_request_error', message } }, 400);
    });
    const learnt: unknown[] = [];
    const model = await clientOf(server.baseURL, { habits, onLearn: (fact) => learnt.push(fact) });
    for (let i = 0; i < 2; i++) assert.equal((await model.ask({ ...prompt('hi'), ...options })).text, '你好');
    assert.equal(server.requests.length, 3);
    assert.equal(learnt.length, 1);
    return learnt[0];
  };
  const temperature = await refused(({ temperature }) => temperature, '`temperature` is deprecated for this model.', { temperature: 0.2 });
  assert.deepEqual(temperature, { habits: { refuses: ['temperature'] } });
  const efforts: Habits = {
    thinking: { default: 'off', efforts: { high: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } } } },
  };
  const noEffort = 'This model does not support the effort parameter.';
  const effort = await refused(({ output_config }) => output_config, noEffort, { reasoning: 'high' }, efforts);
  assert.deepEqual(effort, { habits: { refuses: ['output_config'] } });
  const tooMany = 'max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens';
  const most = await refused(({ max_tokens }) => (Number(max_tokens) > 8192 ? 1 : undefined), tooMany, { maxOutputTokens: 20_000 });
  assert.deepEqual(most, { habits: { max_output_tokens: 8192 } });
  const small = await endpoint(t, (response, { body }) =>
    Number(body.max_tokens) > 8192 ? sendJson(response, { error: { message: tooMany } }, 400) : sendStream(response, hello),
  );
  const other = await clientOf(small.baseURL, { model: 'glm-5.3' });
  for (let i = 0; i < 2; i++) assert.equal((await other.ask(prompt('hi'))).text, '你好', 'also of the limit that we set');
  assert.equal(small.requests.length, 3);
  const broken = await endpoint(t, (response) =>
    sendJson(
      response,
      { error: { type: 'invalid_request_error', message: 'messages.1.content.0.thinking: each block must hold a signature' } },
      400,
    ),
  );
  const error = await failure(await clientOf(broken.baseURL, { habits: efforts }), { ...prompt('hi'), reasoning: 'high' });
  assert.deepEqual([error.code, broken.requests.length], ['bad_request', 1]);
});

test('a model that is not there: the nearest that are', async (t) => {
  const server = await endpoint(t, (response, { url }) =>
    url.endsWith('/models')
      ? sendJson(response, { data: [{ id: 'claude-opus-5' }, { id: 'claude-haiku-5-5' }] })
      : sendJson(response, { type: 'error', error: { type: 'not_found_error', message: 'model: claude-opsu-5' } }, 404),
  );
  const error = await failure(await clientOf(server.baseURL, { model: 'claude-opsu-5' }));
  assert.deepEqual([error.code, error.next], ['model_not_found', 'Did you mean "claude-opus-5"?']);
  assert.equal(server.requests.at(-1)?.headers['x-api-key'], key);
});

test('a schema and a picture', async (t) => {
  const server = await answering(t, start() + text(0, '{"a":1}') + stop('end_turn'));
  const schema = { type: 'object' as const, properties: { a: { type: 'integer' as const } }, required: ['a'], additionalProperties: false };
  const image: LanguageModelV4Message = {
    role: 'user',
    content: [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
      { type: 'text', text: 'what is this?' },
    ],
  };
  const reply = await (await clientOf(server.baseURL)).ask({ prompt: [image], responseFormat: { type: 'json', schema } });
  assert.equal(reply.text, '{"a":1}');
  const { output_config, messages } = server.requests[0]!.body as unknown as { output_config: Json; messages: { content: Json[] }[] };
  assert.deepEqual((output_config.format as Json).type, 'json_schema');
  assert.deepEqual(messages[0]?.content[0]?.source, { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' });
});

test('refusals and faults in our words', async (t) => {
  const body = (type: string, message: string) => ({ type: 'error', error: { type, message } });
  const cases: [number, Json | string, Record<string, string>, string, boolean][] = [
    [401, body('authentication_error', `invalid x-api-key ${key}`), {}, 'wrong_key', false],
    [429, body('rate_limit_error', 'Number of request tokens per minute'), { 'retry-after': '7' }, 'rate_limited', true],
    [529, body('overloaded_error', 'Overloaded'), {}, 'server_error', true],
    [400, body('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'), {}, 'context_overflow', false],
    [404, body('not_found_error', 'model: claude-opsu'), {}, 'model_not_found', false],
    [404, '<html><title>Nothing here</title></html>', {}, 'path_not_found', false],
  ];
  for (const [status, answer, headers, code, retryable] of cases) {
    const server = await endpoint(t, (response) => sendJson(response, answer, status, headers));
    const error = await failure(await clientOf(server.baseURL));
    assert.deepEqual([error.code, error.retryable], [code, retryable], error.message);
    assert.match(error.message, /^anthropic at http:\/\/127/);
    assert.doesNotMatch(error.message, /sk-ant/);
    if (status === 429) assert.equal((error.data as Json).retry_after_ms, 7000);
  }
  const inStream: [string, string][] = [
    [event(body('overloaded_error', 'Overloaded')), 'server_error'],
    [start() + text(0, 'so') + event(body('rate_limit_error', 'slow down')), 'rate_limited'],
  ];
  for (const [stream, code] of inStream) {
    const server = await answering(t, stream);
    assert.equal((await failure(await clientOf(server.baseURL))).code, code);
  }
});

test('a page or plain JSON in place of the stream', async (t) => {
  const page = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<html><title>Sign in</title></html>');
  });
  const error = await failure(await clientOf(page.baseURL));
  assert.equal(error.code, 'bad_reply');
  assert.match(error.message, /text\/html instead of a stream: Sign in/);
  const plain = await endpoint(t, (response) => sendJson(response, { error: { code: 429, message: 'busy, try later' } }));
  assert.equal((await failure(await clientOf(plain.baseURL))).code, 'rate_limited');
});

test('cut and silent streams end, with what had come', async (t) => {
  const open = (t: TestContext, text: string, then: 'cut' | 'end' | 'silent') =>
    endpoint(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text);
      if (then === 'end') response.end();
      if (then === 'cut') setTimeout(() => response.destroy(), 20);
    });
  const half = start() + event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  const more = half + event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } });
  for (const [then, raw] of [
    ['end', undefined],
    ['cut', 'connection_lost'],
    ['silent', 'stream_silent'],
  ] as const) {
    const server = await open(t, more, then);
    const reply = await (await clientOf(server.baseURL, { timeouts: { silence: 80 } })).ask(prompt('hi'), () => {});
    assert.deepEqual([reply.text, reply.finish, reply.finish_raw], ['half', 'interrupted', raw]);
  }
  const silent = await open(t, half, 'silent');
  const error = await failure(await clientOf(silent.baseURL, { timeouts: { silence: 80 } }));
  assert.deepEqual([error.code, error.retryable], ['stream_silent', true]);
  const port = await socketServer(t, () => {});
  const never = await failure(await clientOf(`http://127.0.0.1:${port}`, { timeouts: { firstByte: 60 } }));
  assert.equal(never.code, 'first_byte_timeout');
  const refused = await failure(await clientOf('http://127.0.0.1:1'));
  assert.equal(refused.code, 'connection_refused');
});

test('abort ends the request and its socket', async (t) => {
  const server = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(start() + text(0, 'x'));
  });
  const model = await clientOf(server.baseURL);
  const controller = new AbortController();
  const reason = new Error('stopped by hand');
  await assert.rejects(
    model.ask({ ...prompt('hi'), abortSignal: controller.signal }, () => controller.abort(reason)),
    (error) => error === reason,
  );
  for (let i = 0; i < 50 && server.open.size > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(server.open.size, 0);
});
