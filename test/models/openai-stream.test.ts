/** What the OpenAI-compatible client reads: streams cut anywhere, calls in every dialect, usage, finish reasons, faults in the middle. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible, type OpenAICompatibleOptions } from '../../src/models/openai-compatible.ts';
import type { Delta } from '../../src/models/types.ts';
import { chunk, completion, done, endpoint, failure, prompt, sendJson, sendStream, socketServer } from './endpoint.ts';

type More = Partial<OpenAICompatibleOptions>;

/** Asks once, as a stream, an endpoint that answers with this text. */
async function streamed(t: Parameters<typeof endpoint>[0], text: string, more: More = {}) {
  const server = await endpoint(t, (response) => sendStream(response, text));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', ...more });
  const deltas: Delta[] = [];
  const reply = await model.ask(prompt('hi'), (delta) => deltas.push(delta));
  return { reply, deltas, text: deltas.map((delta) => delta.text ?? '').join(''), server };
}

const call = (more: Record<string, unknown>) => chunk({ tool_calls: [more] });
const fn = (name?: string, args?: unknown) => ({
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
const inputs = (reply: { calls: { name: string; input: string }[] }) => reply.calls.map(({ name, input }) => [name, input]);

test('text, thinking, usage and finish of a stream with comments, CRLF and an unfinished last line', async (t) => {
  const wire = [
    ': OPENROUTER PROCESSING\n\n',
    'event: message\n',
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: '想一想' }),
    chunk({ content: '你好' }).replaceAll('\n', '\r\n'),
    ': keep-alive\n\n\n',
    'data:\n\n',
    chunk({ content: ', 世界' }).replace('data: ', 'data:'),
    chunk({}, 'stop'),
    `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 8 }, completion_tokens_details: { reasoning_tokens: 2 } } })}\n\n`,
    'data: [DONE]',
  ].join('');
  const { reply, deltas, text } = await streamed(t, wire);
  assert.deepEqual(reply, {
    text: '你好, 世界',
    reasoning: '想一想',
    calls: [],
    usage: { input_tokens: 12, output_tokens: 5, cached_tokens: 8, reasoning_tokens: 2 },
    finish: 'stop',
    finish_raw: 'stop',
  });
  assert.equal(text, '你好, 世界');
  assert.equal(deltas.map((delta) => delta.reasoning ?? '').join(''), '想一想');
});

test('a stream may be cut at any byte, also inside a character', async (t) => {
  const wire = Buffer.from(chunk({ content: '天气 ☀️' }) + chunk({ content: ' 🚀 fine' }, 'stop') + done);
  for (let at = 1; at < wire.length; at += 1) {
    const reply = await pieces(t, [wire.subarray(0, at), wire.subarray(at)]);
    assert.equal(reply.text, '天气 ☀️ 🚀 fine', `cut at byte ${at}`);
    assert.equal(reply.finish, 'stop');
  }
  const reply = await pieces(
    t,
    [...wire].map((byte) => Buffer.from([byte])),
  );
  assert.equal(reply.text, '天气 ☀️ 🚀 fine', 'byte by byte');
});

/** The pieces arrive in separate reads; one server for all the cuts of a test. */
let parts: Buffer[] = [];
const models = new WeakMap<object, ReturnType<typeof createOpenAICompatible>>();
async function pieces(t: Parameters<typeof endpoint>[0], cut: Buffer[]) {
  parts = cut;
  let model = models.get(t);
  if (!model) {
    const server = await endpoint(t, async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const part of parts) {
        response.write(part);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
    models.set(t, model);
  }
  return model.ask(prompt('hi'), () => {});
}

test('text is handed over while the model still writes', async (t) => {
  let release = () => {};
  const server = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'first' }));
    release = () => response.end(chunk({ content: ' second' }, 'stop') + done);
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const heard: string[] = [];
  const reply = await model.ask(prompt('hi'), ({ text }) => {
    heard.push(text ?? '');
    if (heard.length === 1) release();
  });
  assert.deepEqual(heard, ['first', ' second']);
  assert.equal(reply.text, 'first second');
});

test('usage from wherever it comes; what is not given is absent', async (t) => {
  const usage = { prompt_tokens: 3, completion_tokens: 4 };
  const cases: [string, string, unknown][] = [
    [
      'in the choice (Kimi)',
      `data: ${JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop', usage }] })}\n\n`,
      { input_tokens: 3, output_tokens: 4 },
    ],
    ['x_groq', chunk({}, 'stop', { x_groq: { usage } }), { input_tokens: 3, output_tokens: 4 }],
    [
      'DeepSeek cache',
      chunk({}, 'stop', { usage: { ...usage, prompt_cache_hit_tokens: 2 } }),
      { input_tokens: 3, output_tokens: 4, cached_tokens: 2 },
    ],
    ['null on every chunk', chunk({ content: 'a' }, null, { usage: null }) + chunk({}, 'stop', { usage: null }), undefined],
    ['only one figure', chunk({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: null } }), { input_tokens: 0 }],
  ];
  for (const [name, wire, expected] of cases) assert.deepEqual((await streamed(t, wire + done)).reply.usage, expected, name);
});

test('tool calls in every dialect', async (t) => {
  const add = ['add', '{"a":1}'];
  const cases: [string, string[], unknown[]][] = [
    [
      'as OpenAI writes',
      [
        call({ index: 0, id: 'a', ...fn('add', '') }),
        call({ index: 0, ...fn(undefined, '{"a"') }),
        call({ index: 0, ...fn(undefined, ':1}') }),
      ],
      [add],
    ],
    [
      'two, interleaved',
      [
        call({ index: 0, id: 'a', ...fn('add', '{"a"') }),
        call({ index: 1, id: 'b', ...fn('sub', '{"b"') }),
        call({ index: 0, ...fn(undefined, ':1}') }),
        call({ index: 1, ...fn(undefined, ':2}') }),
      ],
      [add, ['sub', '{"b":2}']],
    ],
    [
      'all index 0',
      [call({ index: 0, id: 'a', ...fn('add', '{"a":1}') }), call({ index: 0, id: 'b', ...fn('add', '{"a":2}') })],
      [add, ['add', '{"a":2}']],
    ],
    [
      'no index',
      [call({ id: 'a', ...fn('add', '{"a"') }), call(fn(undefined, ':1}')), call({ id: 'b', ...fn('sub', '{}') })],
      [add, ['sub', '{}']],
    ],
    ['no index, no ids', [call(fn('add', '{"a":1}')), call(fn('add', '{"a":2}'))], [add, ['add', '{"a":2}']]],
    ['name and id late', [call({ index: 0, ...fn(undefined, '{"a"') }), call({ index: 0, id: 'a', ...fn('add', ':1}') })], [add]],
    [
      'name and id repeated',
      [
        call({ index: 0, id: 'a', ...fn('add', '{"a"') }),
        call({ index: 0, id: 'a', ...fn('add', ':1}') }),
        call({ index: 0, id: 'a', ...fn('add', '') }),
      ],
      [add],
    ],
    [
      'one id for two',
      [call({ index: 0, id: 'x', ...fn('add', '{"a":1}') }), call({ index: 1, id: 'x', ...fn('sub', '{}') })],
      [add, ['sub', '{}']],
    ],
    ['empty arguments', [call({ index: 0, id: 'a', ...fn('now', '') })], [['now', '{}']]],
    ['null arguments', [call({ index: 0, id: 'a', ...fn('now', null) })], [['now', '{}']]],
    ['arguments as an object', [call({ index: 0, id: 'a', ...fn('add', { a: 1 }) })], [add]],
    [
      'null name and calls',
      [
        chunk({ content: null, tool_calls: null }),
        call({ index: 0, id: 'a', function: { name: 'add', arguments: '{"a":1}' } }),
        call({ index: 0, id: null, function: { name: null, arguments: '' } }),
      ],
      [add],
    ],
  ];
  for (const [name, wire, expected] of cases) {
    const { reply } = await streamed(t, wire.join('') + chunk({}, 'tool_calls') + done);
    assert.deepEqual(inputs(reply), expected, name);
    assert.equal(reply.finish, 'tool-calls', name);
    assert.ok(
      reply.calls.every(({ id }) => id !== ''),
      name,
    );
  }
});

test('finish reasons: known, unknown, missing', async (t) => {
  const text = chunk({ content: 'so' });
  const tool = call({ index: 0, id: 'a', ...fn('add', '{}') });
  const cases: [string, string, string, string | undefined][] = [
    ['length', text + chunk({}, 'length') + done, 'length', 'length'],
    ['filter', text + chunk({}, 'sensitive') + done, 'content-filter', 'sensitive'],
    ['stop with calls', tool + chunk({}, 'stop') + done, 'tool-calls', 'stop'],
    ['blank with calls (xAI)', tool + chunk({}, '') + done, 'tool-calls', ''],
    ['blank with calls, cut', tool + chunk({}, ''), 'interrupted', ''],
    ['unknown', text + chunk({}, 'galaxy_brain') + done, 'other', 'galaxy_brain'],
    ['a word of Object', text + chunk({}, 'constructor') + done, 'other', 'constructor'],
    ['no [DONE]', text + chunk({}, 'stop'), 'stop', 'stop'],
    ['no finish reason', text + done, 'interrupted', undefined],
    ['nothing at all', '', 'interrupted', undefined],
  ];
  for (const [name, wire, finish, raw] of cases) {
    const { reply } = await streamed(t, wire);
    assert.deepEqual([reply.finish, reply.finish_raw], [finish, raw], name);
  }
});

test('an answer that a provider breaks off is an error that may be tried again', async (t) => {
  const server = await endpoint(t, (response) => sendStream(response, chunk({}, 'insufficient_system_resource') + done));
  const error = await failure(createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' }), prompt('hi'), true);
  assert.deepEqual([error.code, error.retryable], ['server_error', true]);
  assert.match(error.message, /insufficient_system_resource/);
});

test('thinking under another name, and signatures, go back the way they came', async (t) => {
  const signed = { google: { thought_signature: 'abc' } };
  const wire =
    chunk({ reasoning: 'hm' }) + call({ index: 0, id: 'a', ...fn('add', '{}'), extra_content: signed }) + chunk({}, 'tool_calls') + done;
  const { reply, server } = await streamed(t, wire);
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const extra = reply.extra as Record<string, Record<string, never>>;
  const content = [
    { type: 'reasoning' as const, text: reply.reasoning ?? '' },
    { type: 'tool-call' as const, toolCallId: 'renamed', toolName: 'add', input: {} },
  ];
  await model.ask({ prompt: [{ role: 'assistant', content, providerOptions: extra }] });
  assert.deepEqual(server.requests[1]?.body.messages, [
    {
      role: 'assistant',
      content: null,
      reasoning: 'hm',
      tool_calls: [{ id: 'renamed', type: 'function', function: { name: 'add', arguments: '{}' }, extra_content: signed }],
    },
  ]);
});

test('details of thinking become whole entries again; content parts and lone signatures go back the way they came', async (t) => {
  const detail = (more: object) => chunk({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] });
  const { reply, deltas } = await streamed(
    t,
    [
      detail({ text: '想' }),
      detail({ text: '一想', format: 'f' }),
      detail({ signature: 's' }),
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'x' }] }),
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'y' }] }),
      chunk({ content: 'ok' }, 'stop'),
      done,
    ].join(''),
  );
  const whole = [
    { type: 'reasoning.text', index: 0, text: '想一想', format: 'f', signature: 's' },
    { type: 'reasoning.encrypted', index: 1, data: 'x' },
    { type: 'reasoning.encrypted', index: 1, data: 'y' },
  ];
  assert.deepEqual([reply.reasoning, reply.extra], ['想一想', { 'openai-compatible': { reasoning_details: whole } }]);
  assert.equal(deltas.map((delta) => delta.reasoning ?? '').join(''), '想一想');

  const both = await streamed(t, chunk({ reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a' }] }) + done);
  assert.equal(both.reply.reasoning, 'a', 'said once, though it comes twice');
  const parts = await streamed(
    t,
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }) + chunk({ content: 'x' }, 'stop') + done,
  );
  assert.deepEqual(
    [parts.reply.reasoning, parts.reply.text, parts.reply.extra],
    ['hm', 'x', { 'openai-compatible': { reasoning_field: 'content' } }],
  );
  const google = { google: { thought_signature: 'g' } };
  const lone = await streamed(t, chunk({ content: 'x' }) + chunk({ extra_content: google }, 'stop') + done);
  assert.deepEqual(lone.reply.extra, { 'openai-compatible': { extra_content: google } });
});

test('thinking that stands beside completion_tokens is output, too; the cost is what the endpoint says', async (t) => {
  const cases: [object, object, object | undefined][] = [
    [
      {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 22,
        completion_tokens_details: { reasoning_tokens: 7 },
        cost_in_usd_ticks: 1_500_000_000,
      },
      { input_tokens: 10, output_tokens: 12, reasoning_tokens: 7 },
      { amount: 0.15, currency: 'USD' },
    ],
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 3 }, cost: 0.002 },
      { input_tokens: 10, output_tokens: 5, reasoning_tokens: 3 },
      { amount: 0.002, currency: 'USD' },
    ],
    [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 18 }, { input_tokens: 10, output_tokens: 8, reasoning_tokens: 3 }, undefined],
    [
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost: 0 },
      { input_tokens: 10, output_tokens: 5 },
      { amount: 0, currency: 'USD' },
    ],
    [
      { prompt_tokens: 4, completion_tokens: 2, prompt_token_details: { cached_tokens: 3 } },
      { input_tokens: 4, output_tokens: 2, cached_tokens: 3 },
      undefined,
    ],
  ];
  for (const [usage, tokens, cost] of cases) {
    const { reply } = await streamed(t, chunk({ content: 'x' }, 'stop', { usage }) + done);
    assert.deepEqual([reply.usage, reply.cost], [tokens, cost]);
  }
});

test('a whole answer where a stream was asked for, and the other way round', async (t) => {
  const parts = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
    { type: 'text', text: 'so' },
  ];
  const server = await endpoint(t, (response, { body }) => {
    if (body.stream) sendJson(response, `\n\n  ${JSON.stringify(completion({ content: parts }, null))}`);
    else sendStream(response, chunk({ content: 'str' }) + chunk({ content: 'eam' }, 'stop') + done);
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const deltas: Delta[] = [];
  const whole = await model.ask(prompt('hi'), (delta) => deltas.push(delta));
  assert.deepEqual([whole.text, whole.reasoning, whole.finish], ['so', 'hm', 'stop']);
  assert.deepEqual(deltas, [{ reasoning: 'hm', text: 'so' }]);
  assert.equal((await model.ask(prompt('hi'))).text, 'stream');
});

test('a plain answer with calls', async (t) => {
  const tool_calls = [{ id: 'a', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }];
  const server = await endpoint(t, (response) =>
    sendJson(response, completion({ content: null, tool_calls }, 'tool_calls', { usage: { prompt_tokens: 1, completion_tokens: 2 } })),
  );
  const reply = await createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' }).ask(prompt('hi'));
  assert.deepEqual(reply, {
    text: '',
    calls: [{ id: 'a', name: 'add', input: '{"a":1}' }],
    usage: { input_tokens: 1, output_tokens: 2 },
    finish: 'tool-calls',
    finish_raw: 'tool_calls',
  });
});

test('an error inside a stream keeps its kind', async (t) => {
  const cases: [unknown, string, boolean][] = [
    [{ message: 'slow down', code: 429 }, 'rate_limited', true],
    [{ message: 'You exceeded your current quota', code: 'insufficient_quota' }, 'quota_exhausted', false],
    [{ message: 'upstream broke', code: 502 }, 'server_error', true],
    ['plain words', 'server_error', true],
    [{ message: "This model's maximum context length is 4096 tokens", code: 400 }, 'context_overflow', false],
  ];
  for (const [error, code, retryable] of cases) {
    const server = await endpoint(t, (response) =>
      sendStream(response, `${chunk({ content: 'begun' })}data: ${JSON.stringify({ error })}\n\n`),
    );
    const thrown = await failure(createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' }), prompt('hi'), true);
    assert.deepEqual([thrown.code, thrown.retryable], [code, retryable], JSON.stringify(error));
  }
});

test('a line that is not JSON is named', async (t) => {
  const server = await endpoint(t, (response) => sendStream(response, 'data: <html>gateway down</html>\n\n'));
  const error = await failure(createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' }), prompt('hi'), true);
  assert.equal(error.code, 'bad_stream');
  assert.match(error.message, /gateway down/);
});

test('what came before a cut or a silence is kept as an interrupted reply', async (t) => {
  const cut = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'half' }), () => response.destroy());
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: cut.baseURL, model: 'm' });
  const reply = await model.ask(prompt('hi'), () => {});
  assert.deepEqual(reply, { text: 'half', calls: [], finish: 'interrupted', finish_raw: 'connection_lost' });

  const silent = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'half' }));
  });
  const patient = createOpenAICompatible({ id: 'test:m', baseURL: silent.baseURL, model: 'm', timeouts: { silence: 60 } });
  assert.equal((await patient.ask(prompt('hi'), () => {})).finish_raw, 'stream_silent');
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(silent.open.size, 0, 'its socket is gone');
});

test('a cut or silence before the first piece is an error that may be tried again', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
  const cutPort = await socketServer(t, (socket) => socket.once('data', () => socket.end(head)));
  const cut = await failure(
    createOpenAICompatible({ id: 'test:m', baseURL: `http://127.0.0.1:${cutPort}`, model: 'm' }),
    prompt('hi'),
    true,
  );
  assert.deepEqual([cut.code, cut.retryable], ['connection_lost', true]);

  const silentPort = await socketServer(t, (socket) => socket.once('data', () => socket.write(head)));
  const options = { id: 'test:m', baseURL: `http://127.0.0.1:${silentPort}`, model: 'm', timeouts: { firstByte: 50 } };
  const silent = await failure(createOpenAICompatible(options), prompt('hi'), true);
  assert.deepEqual([silent.code, silent.retryable], ['first_byte_timeout', false]);

  const waiting = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': working on it\n\n');
  });
  const patient = createOpenAICompatible({ id: 'test:m', baseURL: waiting.baseURL, model: 'm', timeouts: { silence: 50 } });
  assert.equal((await failure(patient, prompt('hi'), true)).code, 'stream_silent');
});

test('a server that keeps the stream open after [DONE] has still answered', async (t) => {
  const server = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'all' }, 'stop') + done);
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', timeouts: { silence: 50 } });
  assert.equal((await model.ask(prompt('hi'), () => {})).finish, 'stop');
});

test('an answer without end is stopped at the limit', async (t) => {
  const server = await endpoint(t, (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => response.write('x'.repeat(60_000)) && !response.destroyed && setImmediate(more);
    response.on('drain', more);
    more();
  });
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm', maxBytes: 2 ** 20 });
  const error = await failure(model, prompt('hi'), true);
  assert.equal(error.code, 'response_too_large');
  assert.match(error.message, /1 MiB/);
});

test('a listener that throws ends the request with its error', async (t) => {
  const server = await endpoint(t, (response) => sendStream(response, chunk({ content: 'x' }, 'stop') + done));
  const model = createOpenAICompatible({ id: 'test:m', baseURL: server.baseURL, model: 'm' });
  const listener = () => {
    throw new Error('display broke');
  };
  await assert.rejects(model.ask(prompt('hi'), listener), /display broke/);
});
