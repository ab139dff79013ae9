/** OpenAI's Responses API: nothing stored there, encrypted thinking and item ids back with the next request. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Habits } from '../../src/models/profile.ts';
import { createResponses } from '../../src/models/responses.ts';
import type { AskOptions, Delta } from '../../src/models/types.ts';
import { endpoint, failure, prompt, sendJson, sendStream } from './endpoint.ts';

type Json = Record<string, unknown>;
let sequence = 0;
const event = (data: Json) => `event: ${data.type}\ndata: ${JSON.stringify({ sequence_number: sequence++, ...data })}\n\n`;
const response = { id: 'resp_1', created_at: 1, model: 'gpt' };
const created = event({ type: 'response.created', response });
const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 30,
  output_tokens_details: { reasoning_tokens: 20 },
};
const completed = (given: Json | null = usage) => event({ type: 'response.completed', response: { ...response, usage: given } });
const item = (index: number, added: Json, done: Json, between = '') =>
  event({ type: 'response.output_item.added', output_index: index, item: added }) +
  between +
  event({ type: 'response.output_item.done', output_index: index, item: { ...added, ...done } });
const thought = (index: number, id: string, summary: string, encrypted: string) =>
  item(
    index,
    { type: 'reasoning', id, summary: [] },
    { encrypted_content: encrypted },
    summary &&
      event({ type: 'response.reasoning_summary_part.added', item_id: id, summary_index: 0 }) +
        event({ type: 'response.reasoning_summary_text.delta', item_id: id, summary_index: 0, delta: summary }) +
        event({ type: 'response.reasoning_summary_part.done', item_id: id, summary_index: 0 }),
  );
const message = (index: number, id: string, text: string) =>
  item(
    index,
    { type: 'message', id },
    {},
    event({ type: 'response.output_text.delta', item_id: id, output_index: index, content_index: 0, delta: text }),
  );
const call = (index: number, id: string, callId: string, path: string) => {
  const whole = JSON.stringify({ path });
  return item(
    index,
    { type: 'function_call', id, call_id: callId, name: 'read', arguments: '' },
    { arguments: whole, status: 'completed' },
    event({ type: 'response.function_call_arguments.delta', item_id: id, output_index: index, delta: whole }),
  );
};
const hello = created + message(0, 'msg_1', '你好') + completed();

const tools: LanguageModelV4FunctionTool[] = [
  { type: 'function', name: 'read', description: 'read', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];
const asked: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'read a and b' }] };
const result = (id: string, value: string): LanguageModelV4Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value } }],
});
const clientOf = (baseURL: string, more: Partial<Parameters<typeof createResponses>[0]> = {}) =>
  createResponses({
    id: 'openai:m',
    baseURL,
    model: 'gpt-5.4',
    apiKey: 'sk-test-123456',
    habits: { thinking: { default: 'on' } },
    env: {},
    ...more,
  });
const answering = (t: TestContext, ...answers: string[]) =>
  endpoint(t, (response, _request, count) => sendStream(response, answers[Math.min(count, answers.length) - 1] as string));

test('text, usage, and a request that stores nothing', async (t) => {
  const server = await answering(t, hello);
  const model = await clientOf(`${server.baseURL}/responses/`);
  const deltas: Delta[] = [];
  const { extra, ...reply } = await model.ask({ ...prompt('hi'), tools, temperature: 0.2, maxOutputTokens: 500 }, (delta) =>
    deltas.push(delta),
  );
  assert.deepEqual(reply, {
    text: '你好',
    calls: [],
    finish: 'stop',
    usage: { input_tokens: 100, output_tokens: 30, cached_tokens: 64, reasoning_tokens: 20 },
  });
  assert.ok(extra);
  assert.deepEqual(deltas, [{ text: '你好' }]);
  const { url, headers, body } = server.requests[0]!;
  assert.deepEqual([url, headers.authorization], ['/v1/responses', 'Bearer sk-test-123456']);
  const { store, include, stream, temperature, max_output_tokens, reasoning, tools: sent } = body as Json;
  assert.deepEqual(
    [store, include, stream, temperature, max_output_tokens],
    [false, ['reasoning.encrypted_content'], true, undefined, 500],
  );
  assert.deepEqual(reasoning, { summary: 'auto' });
  assert.equal((sent as Json[])[0]?.strict, false, 'optional arguments stay optional');
});

test('a figure that did not come is absent', async (t) => {
  const server = await answering(t, created + message(0, 'msg_1', 'x') + completed({ input_tokens: 5, output_tokens: 2 }));
  assert.deepEqual((await (await clientOf(server.baseURL)).ask(prompt('hi'))).usage, { input_tokens: 5, output_tokens: 2 });
});

test('thinking with tools: encrypted items go back in their order, calls keep the ids that they have now', async (t) => {
  const first =
    created +
    thought(0, 'rs_1', '先看 a', 'enc-1') +
    message(1, 'msg_1', 'Reading.') +
    thought(2, 'rs_2', '', 'enc-2') +
    call(3, 'fc_1', 'call_1', 'a') +
    call(4, 'fc_2', 'call_2', 'b') +
    completed();
  const server = await answering(t, first, hello);
  const model = await clientOf(server.baseURL);
  const reply = await model.ask({ prompt: [asked], tools });
  assert.deepEqual([reply.reasoning, reply.text, reply.finish], ['先看 a', 'Reading.', 'tool-calls']);
  const answered: LanguageModelV4Message = {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: reply.reasoning as string },
      { type: 'text', text: reply.text },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a' } },
      { type: 'tool-call', toolCallId: 'call_2_1', toolName: 'read', input: { path: 'b' } },
    ],
    providerOptions: reply.extra as NonNullable<LanguageModelV4Message['providerOptions']>,
  };
  await model.ask({ prompt: [asked, answered, result('call_1', '1'), result('call_2_1', '2')], tools });
  const input = (server.requests[1]!.body as Json).input as Json[];
  assert.deepEqual(input.slice(1), [
    { type: 'reasoning', id: 'rs_1', encrypted_content: 'enc-1', summary: [{ type: 'summary_text', text: '先看 a' }] },
    { role: 'assistant', content: 'Reading.' },
    { type: 'reasoning', id: 'rs_2', encrypted_content: 'enc-2', summary: [] },
    { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
    { type: 'function_call', call_id: 'call_2_1', name: 'read', arguments: '{"path":"b"}' },
    { type: 'function_call_output', call_id: 'call_1', output: '1' },
    { type: 'function_call_output', call_id: 'call_2_1', output: '2' },
  ]);
});

test('effort, also as chat completions call it; nothing about thinking for a model that does not', async (t) => {
  const server = await answering(t, hello);
  const sent = async (model: string, habits: Habits, options: Partial<AskOptions>) => {
    await (await clientOf(server.baseURL, { model, habits })).ask({ ...prompt('hi'), ...options });
    return server.requests.at(-1)?.body as Json;
  };
  const efforts: Habits = { thinking: { default: 'on', efforts: { high: { reasoning_effort: 'xhigh' } } } };
  assert.deepEqual((await sent('gpt-5.4', efforts, { reasoning: 'high' })).reasoning, { summary: 'auto', effort: 'xhigh' });
  assert.deepEqual((await sent('gpt-5.4', {}, { reasoning: 'low' })).reasoning, { effort: 'low', summary: 'auto' });
  const none = await sent(
    'gpt-5.4',
    { thinking: { default: 'on', off: { reasoning_effort: 'none' } } },
    { reasoning: 'none', temperature: 0.2 },
  );
  assert.deepEqual([none.reasoning, none.temperature], [{ effort: 'none' }, 0.2]);
  const other = await sent('acme-large', efforts, { reasoning: 'high' });
  assert.deepEqual([other.reasoning, other.include], [{ summary: 'auto', effort: 'xhigh' }, ['reasoning.encrypted_content']]);
  const plain = await sent('gpt-4.1', {}, { temperature: 0.2 });
  assert.deepEqual([plain.reasoning, plain.include, plain.temperature], [undefined, undefined, 0.2]);
});

test('an organisation that may not see summaries is asked without them from then on', async (t) => {
  const server = await endpoint(t, (response, { body }) => {
    if (!(body.reasoning as Json | undefined)?.summary) return sendStream(response, hello);
    const message = 'Your organization must be verified to generate reasoning summaries.';
    sendJson(response, { error: { message, type: 'invalid_request_error', param: 'reasoning.summary', code: 'unsupported_value' } }, 400);
  });
  const model = await clientOf(server.baseURL);
  for (let i = 0; i < 2; i++) assert.equal((await model.ask(prompt('hi'))).text, '你好');
  assert.equal(server.requests.length, 3);
});

test('a schema and a picture', async (t) => {
  const server = await answering(t, created + message(0, 'msg_1', '{"a":1}') + completed());
  const image: LanguageModelV4Message = {
    role: 'user',
    content: [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
      { type: 'text', text: 'what is this?' },
    ],
  };
  const schema = { type: 'object' as const, properties: { a: { type: 'integer' as const } } };
  assert.equal((await (await clientOf(server.baseURL)).ask({ prompt: [image], responseFormat: { type: 'json', schema } })).text, '{"a":1}');
  const { text, input } = server.requests[0]!.body as unknown as { text: { format: Json }; input: { content: Json[] }[] };
  assert.deepEqual([text.format.type, text.format.strict], ['json_schema', false]);
  assert.equal(input[0]?.content[0]?.image_url, 'data:image/png;base64,iVBORw0KGgo=');
});

test('refusals, by status and in the stream', async (t) => {
  const failed = (code: string, message: string) =>
    event({ type: 'response.failed', response: { ...response, instructions: 'prompt is too long', error: { code, message } } });
  const answers: [number, unknown, Record<string, string>, string, boolean][] = [
    [401, { error: { message: 'Incorrect API key provided: sk-test-123456' } }, {}, 'wrong_key', false],
    [429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }, {}, 'quota_exhausted', false],
    [429, { error: { message: 'Rate limit reached' } }, { 'retry-after-ms': '1500' }, 'rate_limited', true],
    [
      400,
      { error: { message: 'Your input exceeds the context window of this model', code: 'context_length_exceeded' } },
      {},
      'context_overflow',
      false,
    ],
    [200, created + failed('server_error', 'The server had an error'), {}, 'server_error', true],
    [200, created + message(0, 'm', 'so') + failed('rate_limit_exceeded', 'Rate limit reached'), {}, 'rate_limited', true],
  ];
  for (const [status, answer, headers, code, retryable] of answers) {
    const server = await endpoint(t, (response) =>
      status === 200 ? sendStream(response, answer as string) : sendJson(response, answer, status, headers),
    );
    const error = await failure(await clientOf(server.baseURL));
    assert.deepEqual([error.code, error.retryable], [code, retryable], error.message);
    assert.match(error.message, /^openai at http:\/\/127/);
    assert.doesNotMatch(error.message, /sk-test|instructions/);
    if (headers['retry-after-ms']) assert.equal((error.data as Json).retry_after_ms, 1500);
  }
});

test('incomplete, cut and silent answers', async (t) => {
  const half = created + event({ type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'm' } });
  const text = event({ type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'half' });
  const incomplete = { ...response, incomplete_details: { reason: 'max_output_tokens' }, usage };
  const server = await answering(
    t,
    created + message(0, 'm', 'half') + event({ type: 'response.incomplete', response: incomplete }),
    half + text,
  );
  const model = await clientOf(server.baseURL);
  assert.deepEqual((await model.ask(prompt('hi'))).finish, 'length');
  assert.deepEqual((await model.ask(prompt('hi'))).finish, 'interrupted');
  for (const [begun, code] of [
    [half + text, undefined],
    [half, 'stream_silent'],
  ] as const) {
    const silent = await endpoint(t, (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begun);
    });
    const quiet = await clientOf(silent.baseURL, { timeouts: { silence: 150 } });
    if (code) assert.equal((await failure(quiet)).code, code);
    else assert.equal((await quiet.ask(prompt('hi'))).finish_raw, 'stream_silent');
  }
});
