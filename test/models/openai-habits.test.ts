/** What the client sends under an endpoint's habits, field by field, and message by message. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import { createOpenAICompatible } from '../../src/models/openai-compatible.ts';
import type { Habits } from '../../src/models/profile.ts';
import type { AskOptions } from '../../src/models/types.ts';
import { completion, endpoint, failure, prompt, sendJson } from './endpoint.ts';

type Body = Record<string, unknown> & { messages: Record<string, unknown>[] };

/** Asks once under these habits and gives the body that was sent. */
async function sent(t: TestContext, habits: Habits, options: AskOptions, onDelta?: () => void): Promise<Body> {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', habits });
  await model.ask(options, onDelta);
  return server.requests[0]!.body;
}

const tool: LanguageModelV4FunctionTool = { type: 'function', name: 'add', inputSchema: { type: 'object' }, strict: true };
const hi = prompt('hi');
const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] });
const call = (id: string): LanguageModelV4Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 'add', input: {} }],
});
const result = (id: string): LanguageModelV4Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'add', output: { type: 'text', value: '三' } }],
});

test('sampling: refused fields are left out, others kept within range, the body has fields of its own', async (t) => {
  const asked = { ...hi, temperature: 0, topP: 0.9, seed: 7, maxOutputTokens: 99_999, stopSequences: ['x'] };
  const habits: Habits = {
    refuses: ['seed', 'stop'],
    refuses_thinking: ['top_p'],
    temperature: { min: 0.01, max: 1 },
    token_field: 'max_completion_tokens',
    max_output_tokens: 16_384,
    body: { reasoning_split: true },
    thinking: { default: 'off', on: { think: true } },
  };
  const { messages: _, ...parameters } = await sent(t, habits, asked);
  assert.deepEqual(parameters, { model: 'm', temperature: 0.01, top_p: 0.9, max_completion_tokens: 16_384, reasoning_split: true });
  const thinking = await sent(t, habits, { ...asked, reasoning: 'high' });
  assert.deepEqual([thinking.top_p, thinking.think], [undefined, true]);
});

test('thinking: on, off and how hard, as far as the model lets itself be told', async (t) => {
  const type = (value: string) => ({ thinking: { type: value } });
  const efforts = { low: { effort: 'low' }, high: { effort: 'high' }, max: { effort: 'max' } };
  const cases: [Habits['thinking'], AskOptions['reasoning'], Record<string, unknown>][] = [
    [{ default: 'on', on: type('enabled'), off: type('disabled'), efforts }, 'provider-default', {}],
    [{ default: 'on', on: type('enabled'), off: type('disabled'), efforts }, 'none', type('disabled')],
    [{ default: 'on', on: type('enabled'), off: type('disabled'), efforts }, 'low', { ...type('enabled'), effort: 'low' }],
    [{ default: 'on', efforts }, 'minimal', { effort: 'low' }],
    [{ default: 'on', efforts }, 'medium', { effort: 'high' }],
    [{ default: 'on', efforts }, 'xhigh', { effort: 'max' }],
    [{ default: 'always', efforts }, 'none', {}],
    [{ default: 'never' }, 'high', {}],
    [undefined, 'high', { reasoning_effort: 'high' }],
    [undefined, undefined, {}],
  ];
  for (const [thinking, reasoning, fields] of cases) {
    const { messages: _, model: __, ...parameters } = await sent(t, thinking ? { thinking } : {}, reasoning ? { ...hi, reasoning } : hi);
    assert.deepEqual(parameters, fields, `${thinking?.default} ${reasoning}`);
  }
});

test('tool_choice becomes what the endpoint takes, also while it thinks', async (t) => {
  const thinking = { default: 'on' as const };
  const named = { type: 'tool' as const, toolName: 'add' };
  const cases: [Habits, AskOptions['toolChoice'], unknown][] = [
    [{}, named, { type: 'function', function: { name: 'add' } }],
    [{ tool_choice: { values: ['auto', 'none', 'required'] } }, named, 'required'],
    [{ tool_choice: { values: ['auto', 'required'], required: 'any' } }, named, 'any'],
    [{ tool_choice: { values: ['auto'] } }, { type: 'required' }, undefined],
    [{ thinking, tool_choice: { values: ['auto', 'required'], thinking: ['auto'] } }, { type: 'required' }, undefined],
    [{}, { type: 'none' }, 'none'],
    [{}, { type: 'auto' }, undefined],
  ];
  for (const [habits, toolChoice, value] of cases) {
    const body = await sent(t, habits, { ...hi, tools: [tool], toolChoice: toolChoice! });
    assert.deepEqual([body.tool_choice, (body.tools as unknown[]).length], [value, 1], JSON.stringify([habits, toolChoice]));
  }
  const without = await sent(t, { tool_choice: { values: ['auto'] } }, { ...hi, tools: [tool], toolChoice: { type: 'none' } });
  assert.deepEqual([without.tools, without.tool_choice], [undefined, undefined], 'no word for none: no tools');
  const single = { ...hi, tools: [tool], providerOptions: { 'openai-compatible': { parallel_tool_calls: false } } };
  assert.equal((await sent(t, {}, single)).parallel_tool_calls, false);
  assert.equal((await sent(t, { parallel_tool_calls: false }, single)).parallel_tool_calls, undefined);
  const loose = await sent(t, { strict: false }, { ...hi, tools: [tool] });
  assert.equal('strict' in (loose.tools as { function: object }[])[0]!.function, false);
});

test('the form of the answer: a schema, an object with the schema in words, or nothing', async (t) => {
  const schema = {
    type: 'object' as const,
    properties: { type: { type: 'string' as const } },
    required: ['type'],
    additionalProperties: false,
  };
  const asked: AskOptions = { ...hi, responseFormat: { type: 'json', schema } };
  const format = async (habits: Habits, options = asked, onDelta?: () => void) =>
    (await sent(t, habits, options, onDelta)).response_format as Record<string, unknown> | undefined;
  assert.deepEqual(await format({}), { type: 'json_schema', json_schema: { name: 'answer', schema } });
  assert.deepEqual(await format({ strict: true }), { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } });
  assert.equal(await format({ json: { format: 'none' } }), undefined);
  const narrow: Habits = { json: { format: 'json_schema', with_tools: false, streamed: false, thinking: false } };
  assert.equal(await format(narrow, { ...asked, tools: [tool] }), undefined);
  assert.equal(await format(narrow, asked, () => {}), undefined);
  assert.equal(await format({ ...narrow, thinking: { default: 'on' } }), undefined);
  assert.equal((await format(narrow))?.type, 'json_schema');

  const words = await sent(t, { json: { format: 'json_object' } }, asked);
  assert.deepEqual(words.response_format, { type: 'json_object' });
  assert.equal(words.messages.length, 2);
  assert.match(String(words.messages[1]?.content), /JSON Schema:\n\{"type":"object"/);
  const told: AskOptions = { ...asked, prompt: [{ role: 'system', content: '用 JSON 回答' }, ...hi.prompt] };
  assert.equal((await sent(t, { json: { format: 'json_object' } }, told)).messages.length, 2, 'the prompt speaks of JSON already');

  const odd = {
    $schema: 'x',
    type: 'object' as const,
    properties: { $schema: { type: 'string' as const, anyOf: [{ type: 'string' as const }] } },
  };
  const dropped = await format(
    { json: { format: 'json_schema', drops: ['$schema', 'type beside anyOf'] } },
    { ...hi, responseFormat: { type: 'json', schema: odd } },
  );
  const own = { type: 'object', properties: { $schema: { anyOf: [{ type: 'string' }] } } };
  assert.deepEqual(dropped?.json_schema, { name: 'answer', schema: own });
});

test('thinking goes back as the endpoint wants it', async (t) => {
  const thought = (extra?: object): LanguageModelV4Message => ({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: '想' },
      { type: 'text', text: 'so' },
    ],
    ...(extra && { providerOptions: { 'openai-compatible': extra as Record<string, never> } }),
  });
  const plain: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'so' }] };
  const details = [{ type: 'reasoning.text', text: '想', signature: 's' }];
  const field = 'reasoning_content';
  const cases: [Habits['reasoning'], LanguageModelV4Message, Record<string, unknown>][] = [
    [undefined, thought(), { content: 'so', reasoning_content: '想' }],
    [undefined, thought({ reasoning_field: 'reasoning' }), { content: 'so', reasoning: '想' }],
    [undefined, thought({ reasoning_details: details }), { content: 'so', reasoning_details: details }],
    [{ field, replay: 'never' }, thought(), { content: 'so' }],
    [{ field, replay: 'calls' }, thought(), { content: 'so' }],
    [{ field, replay: 'all', empty: '' }, plain, { content: 'so', reasoning_content: '' }],
    [{ field: 'reasoning', replay: 'all' }, thought(), { content: 'so', reasoning: '想' }],
    [{ field: 'reasoning_details', replay: 'all' }, thought({ reasoning_details: details }), { content: 'so', reasoning_details: details }],
    [{ field: 'reasoning_details', replay: 'all' }, thought({ reasoning_field: 'reasoning' }), { content: 'so', reasoning: '想' }],
    [{ field: 'reasoning_details', replay: 'all' }, thought(), { content: 'so' }],
    [
      { field: 'content', replay: 'all' },
      thought(),
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: '想' }] },
          { type: 'text', text: 'so' },
        ],
      },
    ],
  ];
  for (const [reasoning, message, fields] of cases) {
    const { messages } = await sent(t, reasoning ? { reasoning } : {}, { prompt: [user('a'), message, user('b')] });
    assert.deepEqual(messages[1], { role: 'assistant', ...fields });
  }
  const { messages } = await sent(
    t,
    { reasoning: { field, replay: 'calls', empty: ' ' } },
    { prompt: [user('a'), call('c1'), result('c1')] },
  );
  assert.equal(messages[1]?.reasoning_content, ' ');
});

test("Mistral's ways: ids of nine, a word before the next user message, the developer role", async (t) => {
  const habits: Habits = { call_id: 'nine', user_after_tool: false, system_role: 'developer' };
  const long = 'call_00_abcdefghijklmnop';
  const { messages } = await sent(t, habits, {
    prompt: [{ role: 'system', content: 's' }, user('a'), call(long), result(long), user('b'), call('Abcdef123'), result('Abcdef123')],
  });
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['developer', 'user', 'assistant', 'tool', 'assistant', 'user', 'assistant', 'tool'],
  );
  const ids = messages.flatMap(
    (message) => ((message.tool_calls as { id: string }[] | undefined)?.[0]?.id ?? message.tool_call_id ?? []) as string,
  );
  assert.match(ids[0]!, /^[a-zA-Z0-9]{9}$/);
  assert.equal(ids[0], ids[1]);
  assert.deepEqual(ids.slice(2), ['Abcdef123', 'Abcdef123']);
});

test('cache markers: last tool, system message, last message; what stood before keeps its bytes', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', habits: { cache: 'markers' } });
  const history: LanguageModelV4Message[] = [{ role: 'system', content: '系统' }, user('a')];
  const tools = [tool, { ...tool, name: 'sub' }];
  for (let step = 0; step < 5; step++) {
    await model.ask({ prompt: [...history], tools });
    history.push(call(`c${step}`), result(`c${step}`));
  }
  const texts = server.requests.map(({ text }) => text);
  for (const [i, text] of texts.entries()) {
    assert.equal(text.split('"cache_control":{"type":"ephemeral"}').length - 1, 3);
    const before = texts[i - 1];
    if (before === undefined) continue;
    const lastMessage = before.lastIndexOf(',{"role"');
    assert.equal(text.slice(0, lastMessage), before.slice(0, lastMessage));
  }
  const { messages, tools: marked } = server.requests[4]!.body;
  assert.deepEqual(messages.at(-1)?.content, [{ type: 'text', text: '三', cache_control: { type: 'ephemeral' } }]);
  assert.deepEqual(messages[0]?.content, [{ type: 'text', text: '系统', cache_control: { type: 'ephemeral' } }]);
  assert.equal(messages.at(-3)?.content, '三');
  assert.deepEqual(
    (marked as object[]).map((each) => 'cache_control' in each),
    [false, true],
  );
  const image = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: 'aGk=' } };
  await model.ask({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'look' }, image] }] });
  await model.ask({ prompt: [user('x'), { role: 'user', content: [{ type: 'text', text: 'look' }, image] }] });
  const parts = server.requests.at(-1)?.body.messages[1]?.content as object[];
  assert.deepEqual(
    parts.map((part) => 'cache_control' in part),
    [false, true],
  );
});

test('a picture for a model that sees none is not sent', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, completion({ content: 'ok' })));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'blind-1', habits: { images: false } });
  const image = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: 'aGk=' } };
  const error = await failure(model, { prompt: [{ role: 'user', content: [image] }] });
  assert.equal(error.code, 'images_not_supported');
  assert.match(error.message, /blind-1/);
  assert.equal(server.requests.length, 0);
});
