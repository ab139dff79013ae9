/** Both ways between our door and the AI SDK: any V4 model behind `ask`, and our models as V4 models. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APICallError, type LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { generateText, streamText } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { HermesError } from '../../src/kernel/errors.ts';
import { asChatModel } from '../../src/models/ask.ts';
import { createOpenAICompatible } from '../../src/models/openai-compatible.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { Delta } from '../../src/models/types.ts';
import { endpoint, failure, prompt, sendJson } from './endpoint.ts';

const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 6, cacheWrite: undefined },
  outputTokens: { total: 5, text: undefined, reasoning: 2 },
};
const finish: LanguageModelV4StreamPart = { type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_use' } };

function foreign(chunks: LanguageModelV4StreamPart[]) {
  return new MockLanguageModelV4({
    provider: 'acme.chat',
    modelId: 'big',
    doStream: async () => ({ stream: simulateReadableStream({ chunks }) }),
  });
}

test('the stream of a foreign model becomes a reply; parts without a place in it are passed over', async () => {
  const model = asChatModel(
    foreign([
      { type: 'stream-start', warnings: [] },
      { type: 'custom', kind: 'acme.thing' },
      { type: 'ping' },
      { type: 'raw', rawValue: 1 },
      { type: 'reasoning-start', id: '0' },
      { type: 'reasoning-delta', id: '0', delta: 'hm' },
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: '你' },
      { type: 'text-delta', id: '1', delta: '好' },
      { type: 'a-part-of-next-year' } as unknown as LanguageModelV4StreamPart,
      { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'now', input: '' },
      { type: 'tool-call', toolCallId: 'b', toolName: 'web_search', input: '{}', providerExecuted: true },
      finish,
    ]),
  );
  assert.deepEqual([model.id, model.provider, model.modelId], ['acme.chat:big', 'acme.chat', 'big']);
  const deltas: Delta[] = [];
  assert.deepEqual(await model.ask(prompt('hi'), (delta) => deltas.push(delta)), {
    text: '你好',
    reasoning: 'hm',
    calls: [{ id: 'a', name: 'now', input: '{}' }],
    finish: 'tool-calls',
    finish_raw: 'tool_use',
    usage: { input_tokens: 10, output_tokens: 5, cached_tokens: 6, reasoning_tokens: 2 },
  });
  assert.deepEqual(deltas, [{ reasoning: 'hm' }, { text: '你' }, { text: '好' }]);
});

test('a foreign stream without an end is interrupted', async () => {
  const reply = await asChatModel(foreign([{ type: 'text-delta', id: '1', delta: 'half' }]), { id: 'acme:big' }).ask(prompt('hi'));
  assert.deepEqual(reply, { text: 'half', calls: [], finish: 'interrupted' });
});

test('foreign errors, thrown or as parts, get our codes', async () => {
  const call = (statusCode: number | undefined, responseBody = '') =>
    new APICallError({
      message: 'call failed',
      url: 'https://api.acme.example/v1/x?key=secret',
      requestBodyValues: {},
      statusCode,
      responseBody,
    });
  const cases: [unknown, string, boolean][] = [
    [call(429, '{"error":{"message":"slow down"}}'), 'rate_limited', true],
    [call(401), 'wrong_key', false],
    [call(400, 'prompt is too long: 300000 tokens'), 'context_overflow', false],
    [call(undefined), 'network_error', false],
    [new TypeError('cannot read x'), 'model_failed', false],
    ['only words', 'model_failed', false],
  ];
  for (const [error, code, retryable] of cases) {
    const asPart = asChatModel(foreign([{ type: 'error', error }]));
    const thrown = asChatModel(
      new MockLanguageModelV4({
        doStream: async () => {
          throw error;
        },
      }),
    );
    for (const model of [asPart, thrown]) {
      const found = await failure(model);
      assert.ok(found instanceof HermesError);
      assert.deepEqual([found.code, found.retryable], [code, retryable], found.message);
      assert.doesNotMatch(found.message, /secret/);
    }
  }
});

test('abort ends a foreign stream that does not listen to it', async () => {
  const silent = new MockLanguageModelV4({ doStream: async () => ({ stream: new ReadableStream<LanguageModelV4StreamPart>() }) });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('stop')), 20);
  await assert.rejects(asChatModel(silent).ask({ ...prompt('hi'), abortSignal: controller.signal }), /stop/);
});

test("the AI SDK's own functions run on our models", async () => {
  const script = { text: 'four', reasoning: 'two and two', usage: { input_tokens: 7, output_tokens: 3, cached_tokens: 5 } };
  const whole = await generateText({ model: scriptedModel([script]), prompt: 'hi' });
  assert.deepEqual([whole.text, whole.reasoningText, whole.finishReason], ['four', 'two and two', 'stop']);
  assert.deepEqual([whole.usage.inputTokens, whole.usage.inputTokenDetails.cacheReadTokens, whole.usage.outputTokens], [7, 5, 3]);

  const streamed = streamText({ model: scriptedModel([{ ...script, calls: [{ name: 'add', arguments: { a: 1 } }] }]), prompt: 'hi' });
  let text = '';
  for await (const piece of streamed.textStream) text += piece;
  assert.equal(text, 'four');
  assert.equal(await streamed.finishReason, 'tool-calls');
  assert.equal((await streamed.toolCalls)[0]?.toolName, 'add');
});

test('our model and back through the SDK interface is the same reply', async () => {
  const script = {
    text: 'so',
    reasoning: 'hm',
    calls: [{ name: 'add', arguments: { a: 1 }, id: 'x' }],
    usage: { input_tokens: 7, output_tokens: 3, reasoning_tokens: 1 },
  };
  const direct = await scriptedModel([script]).ask(prompt('hi'));
  assert.deepEqual(await asChatModel(scriptedModel([script])).ask(prompt('hi')), direct);
});

test('doStream rejects what fails before the first piece, reports what fails after, and can be cancelled', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, { error: 'no' }, 401));
  const refused = createOpenAICompatible({ id: 'acme:big', baseURL: server.baseURL, model: 'big' });
  await assert.rejects(
    async () => refused.doStream(prompt('hi')),
    (error: HermesError) => error.code === 'wrong_key',
  );
  await assert.rejects(
    async () => refused.doGenerate(prompt('hi')),
    (error: HermesError) => error.code === 'wrong_key',
  );

  const late = await scriptedModel([{ text: 'begun', error: new Error('broke') }]).doStream(prompt('hi'));
  const types: string[] = [];
  for await (const part of late.stream) types.push(part.type === 'error' ? String(part.error) : part.type);
  assert.deepEqual(types, ['stream-start', 'text-start', 'text-delta', 'Error: broke']);

  const model = scriptedModel(['a long text '.repeat(100)]);
  const { stream } = await model.doStream(prompt('hi'));
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel('enough');
  assert.equal(model.calls[0]?.abortSignal?.aborted, true);
});
