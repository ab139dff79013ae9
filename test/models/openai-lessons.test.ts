/** What refusals teach the client: the next request does without, the lesson is told to whoever remembers, and it ends. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import type { Known } from '../../src/models/knowledge.ts';
import { createOpenAICompatible } from '../../src/models/openai-compatible.ts';
import type { Habits } from '../../src/models/profile.ts';
import type { AskOptions } from '../../src/models/types.ts';
import { completion, endpoint, failure, prompt, type Received, sendJson } from './endpoint.ts';

/** Asks an endpoint that refuses with these words what `isWrong` says; gives the lessons and the requests. */
async function lessons(
  t: TestContext,
  {
    says,
    isWrong,
    habits = {},
    options,
    status = 400,
    stream,
  }: {
    says: string;
    isWrong(body: Received['body']): boolean;
    habits?: Habits;
    options: AskOptions;
    status?: number;
    stream?: true;
  },
): Promise<{ facts: Known[]; requests: Received[] }> {
  const facts: Known[] = [];
  const server = await endpoint(t, (response, { body }) => {
    if (isWrong(body)) sendJson(response, { error: { message: says } }, status);
    else sendJson(response, completion({ content: 'ok' }));
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', habits, onLearn: (fact) => facts.push(fact) });
  assert.equal((await model.ask(options, stream && (() => {}))).text, 'ok');
  const asked = server.requests.length;
  await model.ask(options, stream && (() => {}));
  assert.equal(server.requests.length, asked + 1, 'remembered');
  return { facts, requests: server.requests };
}

const hi = prompt('hi');
const tool: LanguageModelV4FunctionTool = { type: 'function', name: 'add', inputSchema: { type: 'object' }, strict: true };
const schema = { type: 'object' as const };

test('any parameter that a refusal names is left out from then on', async (t) => {
  const named: [string, string, AskOptions, Habits?][] = [
    ['seed', 'Unrecognized request argument supplied: seed', { ...hi, seed: 1 }],
    ['stop', "Unsupported parameter: 'stop' is not supported with this model.", { ...hi, stopSequences: ['x'] }],
    ['reasoning_effort', 'reasoning_effort: extra fields not permitted', { ...hi, reasoning: 'low' }],
    [
      'chat_template_kwargs',
      '[{"loc":["body","chat_template_kwargs"]}]',
      { ...hi, reasoning: 'low' },
      { thinking: { default: 'off', on: { chat_template_kwargs: {} } } },
    ],
    [
      'thinking',
      'thinking: Extra inputs are not permitted',
      { ...hi, reasoning: 'low' },
      { thinking: { default: 'off', on: { thinking: {} } } },
    ],
    ['reasoning_split', 'unknown field "reasoning_split"', hi, { body: { reasoning_split: true } }],
  ];
  for (const [name, says, options, habits = {}] of named) {
    const { facts, requests } = await lessons(t, { says, options, habits: { refuses: ['x'], ...habits }, isWrong: (body) => name in body });
    assert.deepEqual(facts, [{ habits: { refuses: ['x', name] } }]);
    assert.equal(requests.length, 3);
  }
});

test('422 teaches, too; an everyday word that is no parameter does not', async (t) => {
  await lessons(t, { says: 'seed: not permitted', status: 422, options: { ...hi, seed: 1 }, isWrong: (body) => 'seed' in body });
  const server = await endpoint(t, (response) => sendJson(response, { error: 'please stop thinking about it' }, 400));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  assert.equal((await failure(model, { ...hi, stopSequences: ['x'] })).code, 'bad_request');
  assert.equal(server.requests.length, 1);
});

test('the token limit: its other name, or the most that it may say', async (t) => {
  const options = { ...hi, maxOutputTokens: 50_000 };
  const other = await lessons(t, {
    says: 'Unrecognized request argument: max_completion_tokens',
    habits: { token_field: 'max_completion_tokens' },
    options,
    isWrong: (body) => 'max_completion_tokens' in body,
  });
  assert.deepEqual(other.facts, [{ habits: { token_field: 'max_tokens' } }]);
  const most = await lessons(t, {
    says: 'max_tokens is too large: 50000. This model supports at most 16384 completion tokens.',
    options,
    isWrong: (body) => Number(body.max_tokens) > 16_384,
  });
  assert.deepEqual(most.facts, [{ habits: { max_output_tokens: 16_384 } }]);
});

test('tool_choice loses the word that was refused; the circumstance of the format, then the format', async (t) => {
  const choice = await lessons(t, {
    says: 'The tool_choice parameter does not support being set to required or object in thinking mode',
    options: { ...hi, tools: [tool], toolChoice: { type: 'tool', toolName: 'add' } },
    isWrong: (body) => body.tool_choice !== undefined,
  });
  assert.deepEqual(choice.facts.at(-1), { habits: { tool_choice: { values: ['auto', 'none'] } } });
  const withTools = await lessons(t, {
    says: 'response_format json_schema cannot be combined with tool calling',
    options: { ...hi, tools: [tool], responseFormat: { type: 'json', schema } },
    isWrong: (body) => body.response_format !== undefined,
  });
  assert.deepEqual(withTools.facts, [{ habits: { json: { format: 'json_schema', with_tools: false } } }]);
  const weaker = await lessons(t, {
    says: 'This response_format type is unavailable now',
    options: { ...hi, responseFormat: { type: 'json', schema } },
    isWrong: (body) => (body.response_format as { type: string } | undefined)?.type === 'json_schema',
  });
  assert.deepEqual(weaker.facts, [{ habits: { json: { format: 'json_object' } } }]);
  assert.match(JSON.stringify(weaker.requests[1]?.body.messages), /JSON Schema/);
});

test('strict, markers and thinking in messages', async (t) => {
  const strict = await lessons(t, {
    says: "Unknown parameter: 'tools[0].function.strict'.",
    options: { ...hi, tools: [tool] },
    isWrong: (body) => JSON.stringify(body.tools).includes('strict'),
  });
  assert.deepEqual(strict.facts, [{ habits: { strict: false } }]);
  const markers = await lessons(t, {
    says: 'messages.0.cache_control: Extra inputs are not permitted',
    habits: { cache: 'markers' },
    options: hi,
    isWrong: (body) => JSON.stringify(body).includes('cache_control'),
  });
  assert.deepEqual(markers.facts, [{ habits: { cache: 'none' } }]);

  const thought: LanguageModelV4Message = {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: '想' },
      { type: 'text', text: 'x' },
    ],
  };
  const unwelcome = await lessons(t, {
    says: "property 'reasoning_content' is unsupported",
    options: { prompt: [...hi.prompt, thought, ...hi.prompt] },
    isWrong: (body) => JSON.stringify(body).includes('reasoning_content'),
  });
  assert.deepEqual(unwelcome.facts, [{ habits: { reasoning: { field: 'reasoning_content', replay: 'never' } } }]);
  const plain: LanguageModelV4Message = { role: 'assistant', content: [{ type: 'text', text: 'x' }] };
  const wanted = await lessons(t, {
    says: 'thinking is enabled but reasoning_content is missing in assistant message at index 1',
    options: { prompt: [...hi.prompt, plain, ...hi.prompt] },
    isWrong: (body) => !JSON.stringify(body).includes('reasoning_content'),
  });
  assert.deepEqual(wanted.facts, [{ habits: { reasoning: { field: 'reasoning_content', replay: 'all', empty: ' ' } } }]);
});

test('tools beside thinking: turned off only where the refusal says so, also when nobody asked to think', async (t) => {
  const says =
    "Function tools with reasoning_effort are not supported for m in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.";
  const isWrong = (body: Received['body']) => body.reasoning_effort !== 'none';
  for (const reasoning of [undefined, 'high'] as const) {
    const { facts, requests } = await lessons(t, { says, isWrong, options: { ...hi, tools: [tool], ...(reasoning && { reasoning }) } });
    assert.deepEqual(facts, [{ habits: { body: { reasoning_effort: 'none' }, refuses: [] } }]);
    assert.equal(requests.length, 3);
  }
});

test('a refusal under status 200 teaches as well', async (t) => {
  const server = await endpoint(t, (response, { body }) =>
    sendJson(
      response,
      'seed' in body
        ? { base_resp: { status_code: 2013, status_msg: 'invalid params, unknown field: seed' } }
        : completion({ content: 'ok' }),
    ),
  );
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  assert.equal((await model.ask({ ...hi, seed: 1 })).text, 'ok');
  assert.equal(server.requests.length, 2);
});

test('an endpoint that refuses everything is asked a bounded number of times', async (t) => {
  const all =
    'temperature top_p seed presence_penalty frequency_penalty reasoning_effort response_format stream_options max_tokens max_completion_tokens';
  const server = await endpoint(t, (response) => sendJson(response, { error: { message: all } }, 400));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const options = { ...hi, temperature: 1, topP: 1, seed: 1, presencePenalty: 1, frequencyPenalty: 1, maxOutputTokens: 9 };
  assert.equal((await failure(model, { ...options, reasoning: 'low' }, true)).code, 'bad_request');
  assert.ok(server.requests.length <= 9, String(server.requests.length));
});

// ---- the address -------------------------------------------------------------------------------------------------

test('a base URL with or without /v1 is put right once, told, and kept', async (t) => {
  const elsewhere: [
    string,
    (baseURL: string) => string,
    (url: string) => boolean,
    (response: Parameters<Parameters<typeof endpoint>[1]>[0]) => void,
  ][] = [
    [
      '/v1 is missing',
      (base) => base.slice(0, -3),
      (url) => url === '/v1/chat/completions',
      (response) => sendJson(response, '<html><title>404</title>', 404),
    ],
    [
      '/v1 is too much',
      (base) => `${base}/chat/completions`,
      (url) => url === '/chat/completions',
      (response) => sendJson(response, 'not found', 404),
    ],
    [
      'LM Studio says so under 200',
      (base) => base.slice(0, -3),
      (url) => url === '/v1/chat/completions',
      (response) => sendJson(response, { error: 'Unexpected endpoint or method. (POST /chat/completions)' }),
    ],
    [
      'a page',
      (base) => base.slice(0, -3),
      (url) => url === '/v1/chat/completions',
      (response) => response.setHeader('content-type', 'text/html').end('<html><title>Welcome'),
    ],
  ];
  for (const [name, given, isRight, refuse] of elsewhere) {
    const facts: Known[] = [];
    const server = await endpoint(t, (response, { url }) =>
      isRight(url) ? sendJson(response, completion({ content: 'ok' })) : refuse(response),
    );
    const model = createOpenAICompatible({ id: 'test:m', baseURL: given(server.baseURL), model: 'm', onLearn: (fact) => facts.push(fact) });
    assert.equal((await model.ask(hi)).text, 'ok', name);
    assert.equal((await model.ask(hi)).text, 'ok', name);
    assert.equal(server.requests.length, 3, `${name}: remembered`);
    const right = name === '/v1 is too much' ? server.baseURL.slice(0, -3) : server.baseURL;
    assert.deepEqual(facts, [{ base_url: right }]);
  }
});

test('an answer at the other address counts, be it an error', async (t) => {
  const server = await endpoint(t, (response, { url }) =>
    url.startsWith('/v1/') ? sendJson(response, { error: { message: 'Incorrect API key provided' } }, 401) : sendJson(response, {}, 404),
  );
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL.slice(0, -3), model: 'm' });
  assert.equal((await failure(model)).code, 'wrong_key');
});
