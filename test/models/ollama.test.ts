/** Ollama's own API: the context that is asked for, thinking, tools, and what its refusals become. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import { createOllama } from '../../src/models/ollama.ts';
import type { Habits } from '../../src/models/profile.ts';
import type { AskOptions, Delta } from '../../src/models/types.ts';
import { endpoint, failure, prompt, type Received, sendJson } from './endpoint.ts';

type Json = Record<string, unknown>;
const line = (value: Json) => `${JSON.stringify({ model: 'qwen3', ...value })}\n`;
const says = (message: Json) => line({ message: { role: 'assistant', ...message }, done: false });
const end = (more: Json = {}) =>
  line({ message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', prompt_eval_count: 26, eval_count: 9, ...more });
const hello = says({ content: '你' }) + says({ content: '好' }) + end();
const card = { model_info: { 'qwen3.context_length': 40960 }, capabilities: ['completion', 'tools', 'thinking'] };

interface Server {
  /** The bodies of /api/chat. */
  asked: (Json & { options: Json; messages: Json[] })[];
  url: string;
  connections(): number;
}
type Answer = string | ((response: ServerResponse, request: Received) => void);
async function ollama(t: TestContext, show: Json | undefined, ...answers: Answer[]): Promise<Server> {
  const asked: Server['asked'] = [];
  const server = await endpoint(t, (response, request) => {
    if (request.url === '/api/show') return sendJson(response, show ?? { error: 'no' }, show ? 200 : 404);
    if (request.url === '/api/tags') return sendJson(response, { models: [{ name: 'qwen3:8b' }, { name: 'llama3.2:latest' }] });
    if (request.url !== '/api/chat') return sendJson(response, '404 page not found', 404);
    asked.push(request.body as unknown as Server['asked'][number]);
    const answer = answers[Math.min(asked.length, answers.length) - 1] as Answer;
    if (typeof answer !== 'string') return answer(response, request);
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    response.end(answer);
  });
  return { asked, url: server.baseURL.replace('/v1', ''), connections: () => server.connections };
}
const refuse =
  (status: number, error: string): Answer =>
  (response) =>
    sendJson(response, { error }, status);
const clientOf = (baseURL: string, more: Partial<Parameters<typeof createOllama>[0]> = {}) =>
  createOllama({ id: 'ollama:qwen3', baseURL, model: 'qwen3', habits: {}, env: {}, ...more });
const tools: LanguageModelV4FunctionTool[] = [
  { type: 'function', name: 'read', description: 'read', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];

test('text, streamed and whole; the window comes from the server', async (t) => {
  const server = await ollama(t, card, hello, line({ message: { role: 'assistant', content: 'all' }, done: true, eval_count: 2 }));
  const model = await clientOf(server.url);
  assert.equal(model.contextWindow, 40960);
  assert.deepEqual(model.abilities, { tools: true, images: false });
  const deltas: Delta[] = [];
  assert.deepEqual(await model.ask({ ...prompt('hi'), temperature: 0.2, maxOutputTokens: 100 }, (delta) => deltas.push(delta)), {
    text: '你好',
    calls: [],
    finish: 'stop',
    finish_raw: 'stop',
    usage: { input_tokens: 26, output_tokens: 9 },
  });
  assert.deepEqual(deltas, [{ text: '你' }, { text: '好' }]);
  assert.deepEqual(server.asked[0]?.options, { temperature: 0.2, num_predict: 100, num_ctx: 4096 });
  assert.equal(server.asked[0]?.stream, true);
  assert.deepEqual(await model.ask(prompt('hi')), { text: 'all', calls: [], finish: 'stop', usage: { output_tokens: 2 } });
  assert.equal(server.asked[1]?.stream, false);
  await model.close?.();
});

test('a line cut inside a character, and a last one without a line feed', async (t) => {
  const bytes = Buffer.from(hello.trimEnd());
  const server = await ollama(t, card, (response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const middle = bytes.indexOf(Buffer.from('你')) + 1;
    response.write(bytes.subarray(0, middle));
    setTimeout(() => response.end(bytes.subarray(middle)), 20);
  });
  assert.equal((await (await clientOf(server.url)).ask(prompt('hi'), () => {})).text, '你好');
});

test('an address with the path of either API', async (t) => {
  const server = await ollama(t, card, hello);
  for (const base of ['', '/', '/v1', '/api', '/api/chat', '/v1/']) await (await clientOf(server.url + base)).ask(prompt('hi'));
  assert.equal(server.asked.length, 6);
});

test('the context grows with the request, by steps, never beyond the model, and never shrinks', async (t) => {
  const server = await ollama(t, card, hello);
  const model = await clientOf(server.url);
  const words = (tokens: number) => prompt('word'.repeat(tokens));
  for (const tokens of [10, 500, 5000, 100, 11_000, 12_000, 30_000]) await model.ask(words(tokens));
  assert.deepEqual(
    server.asked.map(({ options }) => options.num_ctx),
    [8192, 8192, 12288, 12288, 20480, 20480, 36864],
  );
  assert.equal((await failure(model, words(45_000))).code, 'context_overflow', 'the server would cut it without a word');
  await model.ask({ ...words(38_000), maxOutputTokens: 3500 });
  assert.equal(server.asked.at(-1)?.options.num_ctx, 40960);
  const small = await clientOf(server.url, { contextWindow: 6000 });
  assert.equal(small.contextWindow, 6000);
  await small.ask(words(1000));
  assert.equal(server.asked.at(-1)?.options.num_ctx, 6000);
  const own = await ollama(t, { ...card, parameters: 'stop "<|im_end|>"\nnum_ctx                        16384' }, hello);
  await (await clientOf(own.url)).ask(prompt('hi'));
  assert.equal(own.asked[0]?.options.num_ctx, 16384, 'what the Modelfile sets is the least');
});

test('tools: calls come whole and without ids; they go back with their thinking', async (t) => {
  const calls = ['a', 'b'].map((path) => ({ function: { name: 'read', arguments: { path } } }));
  const first = says({ content: '', thinking: '先看' }) + says({ content: '', tool_calls: calls }) + end();
  const server = await ollama(t, card, first, hello);
  const model = await clientOf(server.url, { habits: { reasoning: { field: 'thinking', replay: 'calls' } } });
  const asked: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'read' }] };
  const reply = await model.ask({ prompt: [asked], tools, toolChoice: { type: 'required' } }, () => {});
  assert.deepEqual([reply.finish, reply.reasoning], ['tool-calls', '先看']);
  assert.deepEqual(
    reply.calls.map(({ name, input }) => [name, input]),
    [
      ['read', '{"path":"a"}'],
      ['read', '{"path":"b"}'],
    ],
  );
  assert.equal(new Set(reply.calls.map(({ id }) => id)).size, 2);
  const [one, two] = reply.calls.map(({ id }) => id) as [string, string];
  const history: LanguageModelV4Message[] = [
    asked,
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '先看' },
        { type: 'tool-call', toolCallId: one, toolName: 'read', input: { path: 'a' } },
        { type: 'tool-call', toolCallId: two, toolName: 'read', input: { path: 'b' } },
      ],
    },
    ...[one, two].map(
      (toolCallId): LanguageModelV4Message => ({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value: 'text' } }],
      }),
    ),
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'old' },
        { type: 'text', text: 'done' },
      ],
    },
  ];
  await model.ask({ prompt: history, tools });
  assert.deepEqual(server.asked[1]?.messages.slice(1), [
    {
      role: 'assistant',
      content: '',
      thinking: '先看',
      tool_calls: [
        { id: one, function: { name: 'read', arguments: { path: 'a' } } },
        { id: two, function: { name: 'read', arguments: { path: 'b' } } },
      ],
    },
    { role: 'tool', content: 'text', tool_name: 'read', tool_call_id: one },
    { role: 'tool', content: 'text', tool_name: 'read', tool_call_id: two },
    { role: 'assistant', content: 'done' },
  ]);
  const [sent] = server.asked[0]!.tools as Json[];
  assert.deepEqual(sent, { type: 'function', function: { name: 'read', description: 'read', parameters: tools[0]?.inputSchema } });
  assert.equal(server.asked[0]?.tool_choice, undefined);
});

test('thinking on and off, by level where the habits have levels; a model that cannot is asked without', async (t) => {
  const server = await ollama(t, card, hello);
  const sent = async (habits: Habits, reasoning?: AskOptions['reasoning']) => {
    await (await clientOf(server.url, { habits })).ask({ ...prompt('hi'), ...(reasoning && { reasoning }) });
    return server.asked.at(-1)?.think;
  };
  const levels: Habits = { thinking: { default: 'always', efforts: { high: { think: 'high' } } } };
  const found = [await sent({}), await sent({}, 'high'), await sent({}, 'none'), await sent(levels, 'high')];
  assert.deepEqual(found, [undefined, true, false, 'high']);

  const cannot = await ollama(t, { ...card, capabilities: ['completion'] }, hello);
  await (await clientOf(cannot.url)).ask({ ...prompt('hi'), reasoning: 'high' });
  assert.equal(cannot.asked[0]?.think, undefined);
  const refuses = await ollama(t, undefined, refuse(400, '"qwen3" does not support thinking'), hello);
  const model = await clientOf(refuses.url);
  assert.equal((await model.ask({ ...prompt('hi'), reasoning: 'high' })).text, '你好');
  await model.ask({ ...prompt('hi'), reasoning: 'high' });
  assert.deepEqual(
    refuses.asked.map(({ think }) => think),
    [true, undefined, undefined],
  );
});

test('a schema, a picture, and fields of the habits', async (t) => {
  const server = await ollama(t, card, hello);
  const model = await clientOf(server.url, {
    habits: { body: { keep_alive: '30m', options: { num_gpu: 1 } }, json: { format: 'json_schema', with_tools: false } },
  });
  const schema = { type: 'object' as const };
  const image: LanguageModelV4Message = {
    role: 'user',
    content: [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
      { type: 'text', text: '这是什么？' },
    ],
  };
  await model.ask({ prompt: [image], responseFormat: { type: 'json', schema } });
  const { format, messages, keep_alive, options } = server.asked[0]!;
  assert.deepEqual([format, keep_alive, options.num_gpu], [schema, '30m', 1]);
  assert.deepEqual(messages, [{ role: 'user', content: '这是什么？', images: ['iVBORw0KGgo='] }]);
  await model.ask({ ...prompt('hi'), responseFormat: { type: 'json' } });
  assert.equal(server.asked[1]?.format, 'json');
  await model.ask({ ...prompt('hi'), tools, responseFormat: { type: 'json', schema } });
  assert.equal(server.asked[2]?.format, undefined, 'a grammar would leave no room for a call');
  const pdf: LanguageModelV4Message = {
    role: 'user',
    content: [{ type: 'file', mediaType: 'application/pdf', data: { type: 'data', data: 'JVBERi0=' } }],
  };
  assert.equal((await failure(model, { prompt: [pdf] })).code, 'file_not_supported');
});

test('refusals name what to do', async (t) => {
  const cases: [Answer, string, RegExp][] = [
    [refuse(404, "model 'qwen3' not found"), 'model_not_found', /^Did you mean "qwen3:8b"\? Or run `ollama pull qwen3`\.$/],
    [refuse(400, 'registry.example/library/qwen3 does not support tools'), 'tools_not_supported', /json/],
    [refuse(500, 'model requires more system memory (9.1 GiB) than is available (4.2 GiB)'), 'out_of_memory', /smaller/],
    [refuse(503, 'server busy, please try again.'), 'server_error', /later/],
    [says({ content: 'so' }) + line({ error: 'an error was encountered while running the model' }), 'server_error', /later/],
  ];
  for (const [answer, code, next] of cases) {
    const server = await ollama(t, card, answer);
    const learnt: unknown[] = [];
    const error = await failure(await clientOf(server.url, { onLearn: (fact) => learnt.push(fact) }), { ...prompt('hi'), tools });
    assert.equal(error.code, code, error.message);
    assert.match(String(error.next), next);
    assert.match(error.message, /^ollama at http:\/\/127/);
    assert.deepEqual(learnt, code === 'tools_not_supported' ? [{ abilities: { tools: false } }] : []);
  }
  const nobody = await failure(await clientOf('http://127.0.0.1:1'));
  assert.equal(nobody.code, 'connection_refused');
  assert.match(String(nobody.next), /ollama serve/);
  const page = await ollama(t, undefined, (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html></html>');
  });
  assert.equal((await failure(await clientOf(page.url))).code, 'bad_reply');
});

test('cut, silent and unfinished answers end, with what had come', async (t) => {
  const half = says({ content: 'half' });
  const cases: [Answer, string | undefined][] = [
    [half, undefined],
    [(response) => void response.write(half), 'stream_silent'],
    [(response) => void response.write(half, () => response.destroy()), 'connection_lost'],
  ];
  for (const [answer, raw] of cases) {
    const server = await ollama(t, card, answer);
    const reply = await (await clientOf(server.url, { timeouts: { silence: 100 } })).ask(prompt('hi'), () => {});
    assert.deepEqual([reply.text, reply.finish, reply.finish_raw], ['half', 'interrupted', raw]);
  }
  const server = await ollama(t, card, says({ content: 'so' }) + end({ done_reason: 'length' }));
  assert.equal((await (await clientOf(server.url)).ask(prompt('hi'))).finish, 'length');
});

test('abort ends the request', async (t) => {
  const server = await ollama(t, card, (response) => {
    response.writeHead(200);
    response.write(says({ content: 'x' }));
  });
  const controller = new AbortController();
  const reason = new Error('stopped by hand');
  const model = await clientOf(server.url);
  const asked = model.ask({ ...prompt('hi'), abortSignal: controller.signal }, () => controller.abort(reason));
  await assert.rejects(asked, (error) => error === reason);
});
