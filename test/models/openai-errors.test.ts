/** Every way an endpoint can refuse or fail: one error each, which names the endpoint, never the key, and says what to do. */

import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HermesError } from '../../src/kernel/errors.ts';
import { createOpenAICompatible, type OpenAICompatibleOptions } from '../../src/models/openai-compatible.ts';
import { completion, endpoint, failure, prompt, sendJson, socketServer } from './endpoint.ts';

const key = 'sk-test-1234567890';
const clientOf = (baseURL: string, more: Partial<OpenAICompatibleOptions> = {}) =>
  createOpenAICompatible({ id: 'acme:big', baseURL, model: 'big', apiKey: key, apiKeySource: 'ACME_API_KEY', env: {}, ...more });

interface Case {
  name: string;
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  code: string;
  retryable?: boolean;
  says?: RegExp;
  next?: RegExp;
  /** Requests in all; default 1. */
  asked?: number;
}

const cases: Case[] = [
  {
    name: 'wrong key',
    status: 401,
    body: { error: { message: `Incorrect API key provided: ${key}. sk-te*****90` } },
    code: 'wrong_key',
    says: /401: Incorrect API key provided: \[key\]\. \[key\]/,
    next: /ACME_API_KEY/,
  },
  { name: 'key without right', status: 403, body: { message: 'invalid token' }, code: 'wrong_key' },
  { name: 'region', status: 403, body: 'Not available in your country', code: 'forbidden', says: /country/ },
  { name: 'no balance', status: 402, body: { error: { message: 'Insufficient Balance' } }, code: 'balance_exhausted' },
  {
    name: 'no balance (GLM)',
    status: 429,
    body: { error: { code: '1113', message: '余额不足' } },
    code: 'balance_exhausted',
    says: /余额不足/,
  },
  {
    name: 'no such model',
    status: 404,
    body: { error: { message: 'model "bg" not found, try pulling it first' } },
    code: 'model_not_found',
    next: /"big"/,
    asked: 2, // which models are there?
  },
  {
    name: 'no such path',
    status: 404,
    body: '<html><head><title>404 Not Found</title></head></html>',
    code: 'path_not_found',
    says: /404 Not Found/,
    next: /\/v1 and http\S+\d were tried/,
    asked: 2, // without /v1
  },
  {
    name: 'OpenAI overflow',
    status: 400,
    body: { error: { code: 'context_length_exceeded', message: 'too long' } },
    code: 'context_overflow',
  },
  {
    name: 'vLLM overflow',
    status: 400,
    body: { message: "This model's maximum context length is 2048 tokens. However, you requested 9000" },
    code: 'context_overflow',
  },
  {
    name: 'llama.cpp overflow',
    status: 400,
    body: {
      error: { type: 'exceed_context_size_error', n_ctx: 4096, message: 'request (9000 tokens) exceeds the available context size' },
    },
    code: 'context_overflow',
  },
  {
    name: 'Qwen overflow',
    status: 400,
    body: { error: { message: 'Range of input length should be [1, 98304]' } },
    code: 'context_overflow',
  },
  { name: 'GLM overflow', status: 400, body: '{"error":{"code":"1261","message":"Prompt 超长"}}', code: 'context_overflow' },
  { name: 'byte limit', status: 413, body: 'Request Entity Too Large', code: 'context_overflow' },
  { name: 'bad option', status: 400, body: { error: 'seed must be positive' }, code: 'bad_request', says: /seed must be positive/ },
  {
    name: 'rate',
    status: 429,
    body: { error: { message: 'Rate limit reached: tokens per minute (TPM). context length exceeded' } },
    code: 'rate_limited',
    retryable: true,
  },
  {
    name: 'daily quota',
    status: 429,
    body: { error: { message: 'Rate limit reached for requests per day (RPD)' } },
    code: 'quota_exhausted',
  },
  {
    name: 'OpenAI quota',
    status: 429,
    body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
    code: 'quota_exhausted',
  },
  {
    name: 'Gemini quota',
    status: 429,
    body: [{ error: { message: 'quota', details: [{ quotaId: 'RequestsPerDayPerProject' }] } }],
    code: 'quota_exhausted',
  },
  { name: 'internal', status: 500, body: 'boom', code: 'server_error', retryable: true, says: /500: boom/ },
  {
    name: 'gateway page',
    status: 502,
    body: '<html><title>502 Bad Gateway</title><body>nginx</body></html>',
    code: 'server_error',
    retryable: true,
    says: /: 502 Bad Gateway$/,
  },
  { name: 'overloaded', status: 529, body: '', code: 'server_error', retryable: true },
  { name: 'moved', status: 308, body: '', headers: { location: 'https://other.example/v1' }, code: 'redirected', says: /other\.example/ },
];

const error = (message: string, code?: string) => ({ error: { message, ...(code && { code }) } });
cases.push(
  { name: 'expired key', status: 401, body: error('The API key has expired'), code: 'expired_key', next: /new key.*ACME_API_KEY/ },
  { name: 'expired key (Chinese)', status: 401, body: error('令牌已过期'), code: 'expired_key', says: /令牌已过期/ },
  { name: 'wrong key (Gemini)', status: 400, body: [error('API key not valid. Please pass a valid API key.')], code: 'wrong_key' },
  { name: 'wrong key (a bare text)', status: 401, body: '"Invalid token"', code: 'wrong_key', says: /: Invalid token$/ },
  {
    name: 'balance (flat body)',
    status: 403,
    body: { code: 30001, message: 'Sorry, your account balance is insufficient', data: null },
    code: 'balance_exhausted',
  },
  ...[
    'registry.ollama.ai/library/gemma does not support tools',
    'tool use is not supported with this model',
    '`tools` is not supported in this model. For a list of supported models refer to the docs',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    'deepseek-reasoner does not support Function Calling',
    'tools param requires --jinja flag',
  ].map((text): Case => ({ name: text, status: 400, body: error(text), code: 'tools_not_supported', next: /--protocol json/ })),
  { name: 'only this image', status: 400, body: error('This image is not supported: bmp'), code: 'bad_request' },
  { name: 'only the format', status: 400, body: error('response_format json_schema does not support tools'), code: 'bad_request' },
  { name: 'no tools (OpenRouter)', status: 404, body: error('No endpoints found that support tool use.'), code: 'tools_not_supported' },
  ...[
    'image input is not supported by this model',
    'unknown variant `image_url`, expected `text`',
    'llama is not a multimodal model',
    'This model does not support images. Use one that does',
  ].map((text): Case => ({ name: text, status: 400, body: error(text), code: 'images_not_supported', next: /"big"/ })),
  ...[
    'Model Not Exist',
    'The model `big` does not exist',
    'big is not a valid model ID',
    'Invalid model: big',
    '模型不存在，请检查模型代码。',
  ].map((text): Case => ({ name: text, status: 400, body: error(text), code: 'model_not_found', asked: 2 })),
);

for (const { name, status, body, headers, code, retryable = false, says, next, asked = 1 } of cases) {
  test(`answer ${status}: ${name}`, async (t) => {
    const server = await endpoint(t, (response) => sendJson(response, body, status, headers));
    const error = await failure(clientOf(server.baseURL));
    assert.ok(error instanceof HermesError);
    assert.deepEqual([error.code, error.kind, error.retryable], [code, 'model', retryable], error.message);
    assert.ok(error.message.startsWith(`acme at http://127.0.0.1:${server.port}/v1/chat/completions`), error.message);
    assert.ok(error.next);
    assert.doesNotMatch(`${error.message} ${error.next} ${JSON.stringify(error.data)}`, /1234567890/);
    if (says) assert.match(error.message, says);
    if (next) assert.match(error.next, next);
    assert.equal(server.requests.length, asked);
  });
}

test('how long to wait is read from header or body', async (t) => {
  const inTwoMinutes = new Date(Date.now() + 120_000).toUTCString();
  const asked: [Record<string, string>, unknown, (ms: unknown) => boolean][] = [
    [{ 'retry-after': '7' }, '', (ms) => ms === 7000],
    [{ 'retry-after-ms': '150', 'retry-after': '1' }, '', (ms) => ms === 150],
    [{ 'retry-after': inTwoMinutes }, '', (ms) => Number(ms) > 100_000 && Number(ms) <= 120_000],
    [{}, { error: { details: [{ retryDelay: '34.5s' }] } }, (ms) => ms === 34_500],
    [{ 'retry-after': 'soon' }, '', (ms) => ms === undefined],
  ];
  for (const [headers, body, expected] of asked) {
    const server = await endpoint(t, (response) => sendJson(response, body, 429, headers));
    const { data } = (await failure(clientOf(server.baseURL))) as HermesError & Error & Record<string, unknown>;
    assert.ok(expected((data as Record<string, unknown>).retry_after_ms), JSON.stringify([headers, data]));
  }
});

test('an answer that is no chat completion', async (t) => {
  const others: [string, string, RegExp][] = [
    [
      'text/html; charset=utf-8',
      '<html><head><title>Welcome to nginx!</title></head></html>',
      /text\/html instead of a chat completion: Welcome to nginx!/,
    ],
    ['text/plain', 'OK', /text\/plain .*: OK/],
    ['application/json', '{"hello":"world"}', /application\/json .*hello/],
    ['application/json', '{"base_resp":{"status_msg":"invalid params"}}', /invalid params/],
    ['application/json', '[1, 2', /\[1, 2/],
    ['application/json', '', /an empty body/],
  ];
  for (const [type, body, says] of others) {
    const server = await endpoint(t, (response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(body);
    });
    for (const stream of [false, true]) {
      const error = await failure(clientOf(server.baseURL), prompt('hi'), stream);
      assert.deepEqual([error.code, error.retryable], ['bad_reply', false], body);
      assert.match(error.message, says);
    }
  }
});

test('an error object under status 200', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, { error: { code: 429, message: 'busy' } }));
  assert.equal((await failure(clientOf(server.baseURL))).code, 'rate_limited');
});

test('a refusal under status 200, and an error in an array', async (t) => {
  const refusals: [unknown, string][] = [
    [{ base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 'balance_exhausted'],
    [{ choices: null, base_resp: { status_code: 1004, status_msg: 'login fail' } }, 'wrong_key'],
    [{ base_resp: { status_code: 1002, status_msg: 'rpm' } }, 'rate_limited'],
    [{ base_resp: { status_code: 1013, status_msg: 'internal' } }, 'server_error'],
    [[{ error: { code: 429, message: 'Quota', status: 'RESOURCE_EXHAUSTED' } }], 'rate_limited'],
  ];
  const errors = { balance: '"status_code":\\s*1008\\b', key: '"status_code":\\s*1004\\b', rate: '"status_code":\\s*1002\\b' };
  for (const [body, code] of refusals) {
    const server = await endpoint(t, (response) => sendJson(response, body));
    assert.equal((await failure(clientOf(server.baseURL, { habits: { errors } }))).code, code);
  }
});

test("a provider's own words count before those of all", async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, error('Allocated quota exceeded, per day', 'insufficient_quota'), 429));
  assert.equal((await failure(clientOf(server.baseURL))).code, 'quota_exhausted');
  assert.equal(
    (await failure(clientOf(server.baseURL, { habits: { errors: { rate: 'Allocated quota exceeded' } } }))).code,
    'rate_limited',
  );
  assert.equal((await failure(clientOf(server.baseURL, { habits: { errors: { balance: 'allocated' } } }))).code, 'balance_exhausted');
});

test('a key that may be of another region or plan: they are named', async (t) => {
  const server = await endpoint(t, (response, { text }) =>
    sendJson(response, error(text.includes('poor') ? 'Insufficient balance' : 'Invalid Authentication'), 401),
  );
  const siblings = ['acme-intl (international)', 'acme-coding (coding plan)'];
  const wrong = await failure(clientOf(server.baseURL, { siblings }));
  assert.equal(wrong.code, 'wrong_key');
  assert.match(wrong.message, /one of acme-intl \(international\), acme-coding/);
  assert.match(String(wrong.next), /ACME_API_KEY.*--model acme-intl:big/);
  const poor = await failure(clientOf(server.baseURL, { siblings }), prompt('poor'));
  assert.equal(poor.code, 'balance_exhausted');
  assert.match(poor.message, /a plan or another region is for acme-intl/);
});

test('a model that is not there: the nearest names, asked of the endpoint', async (t) => {
  const names = ['gpt-5.2', 'gpt-5-mini', 'text-embedding-3', '通义千问'];
  let list: (response: ServerResponse) => void = (response) => sendJson(response, { data: names.map((id) => ({ id })) });
  const server = await endpoint(t, (response, { method, headers }) => {
    if (method === 'POST') return sendJson(response, error('The model does not exist', 'model_not_found'), 404);
    assert.equal(headers.authorization, `Bearer ${key}`);
    return list(response);
  });
  const near = await failure(clientOf(server.baseURL, { model: 'gtp-5.2' }));
  assert.match(near.message, /nearest there: gpt-5\.2\)/);
  assert.match(String(near.next), /"gpt-5\.2"/);
  assert.deepEqual(
    server.requests.map(({ url }) => url),
    ['/v1/chat/completions', '/v1/models'],
  );
  const part = await failure(clientOf(server.baseURL, { model: 'GPT-5' }));
  assert.match(part.message, /nearest there: gpt-5\.2, gpt-5-mini\)/);
  const far = await failure(clientOf(server.baseURL, { model: 'something else entirely' }));
  assert.match(far.message, /\(there: gpt-5\.2, gpt-5-mini, 通义千问\)/);
  for (const answer of [(response: ServerResponse) => void response.end('<html>'), (response: ServerResponse) => void response.destroy()]) {
    list = answer;
    const plain = await failure(clientOf(server.baseURL));
    assert.deepEqual([plain.code, plain.message.includes('there:')], ['model_not_found', false]);
  }
});

test('a base URL that is none', () => {
  for (const baseURL of ['', 'localhost:8080', 'ftp://host/v1', 'https://user:hunter2@host/v1', 'user:hunter2@host/v1']) {
    assert.throws(
      () => clientOf(baseURL),
      (error: HermesError) => error.code === 'bad_base_url' && error.kind === 'usage' && !error.message.includes('hunter2'),
    );
  }
});

test('what stands for a key at a local server is no secret that would be cut out of words', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, '<title>502 Bad Gateway</title>', 502));
  for (const apiKey of ['w', 'none']) assert.match((await failure(clientOf(server.baseURL, { apiKey }))).message, /502 Bad Gateway$/);
});

test('a key in the query of a base URL is in no error and is not remembered', async (t) => {
  const learnt: unknown[] = [];
  const server = await endpoint(t, (response, { url }) =>
    url.startsWith('/v1/') ? sendJson(response, completion({ content: 'ok' })) : sendJson(response, 'nothing here', 404),
  );
  const address = `http://127.0.0.1:${server.port}`;
  const model = clientOf(`${address}?key=hunter2hunter2`, { onLearn: (fact) => learnt.push(fact) });
  assert.equal((await model.ask(prompt('hi'))).text, 'ok');
  assert.equal(server.requests.at(-1)?.url, '/v1/chat/completions?key=hunter2hunter2');
  assert.deepEqual(learnt, [{ base_url: `${address}/v1` }]);
  const lost = await failure(clientOf(`${address}/nowhere?key=hunter2hunter2`));
  assert.doesNotMatch(`${lost.message} ${lost.next}`, /hunter2/);
});

test('a key that is none', () => {
  for (const apiKey of ['你的密钥', 'sk-1\n']) {
    assert.throws(
      () => clientOf('http://127.0.0.1:1/v1', { apiKey }),
      (error: HermesError) => error.code === 'bad_key' && error.message.includes('ACME_API_KEY') && !error.message.includes(apiKey),
    );
  }
});

test('a huge page of markup is named within a moment', async (t) => {
  const server = await endpoint(t, (response) => sendJson(response, '<'.repeat(5_000_000), 500));
  const started = performance.now();
  assert.equal((await failure(clientOf(server.baseURL))).code, 'server_error');
  assert.ok(performance.now() - started < 5000);
});

// ---- the wire --------------------------------------------------------------------------------------------------

test('nobody listens', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const error = await failure(clientOf(`http://${host}:1/v1`));
    assert.deepEqual([error.code, error.retryable], ['connection_refused', true]);
    assert.match(error.message, /nothing listens at \S+:1\./);
  }
});

test('a host that does not exist', async () => {
  const error = await failure(clientOf('http://nowhere.invalid/v1'));
  assert.equal(error.code, 'host_not_found');
  assert.match(error.message, /nowhere\.invalid/);
  assert.match(String(error.next), /network/, 'most often it is the network that is missing');
});

test('a port that speaks another language', async (t) => {
  const port = await socketServer(t, (socket) => socket.end('220 mail.example ESMTP ready\r\n'));
  assert.equal((await failure(clientOf(`http://127.0.0.1:${port}/v1`))).code, 'not_http');
  const error = await failure(clientOf(`https://127.0.0.1:${port}/v1`));
  assert.equal(error.code, 'not_tls');
  assert.match(String(error.next), /http:\/\//);
});

test('a connection closed without an answer', async (t) => {
  const port = await socketServer(t, (socket) => socket.once('data', () => socket.destroy()));
  const error = await failure(clientOf(`http://127.0.0.1:${port}/v1`));
  assert.deepEqual([error.code, error.retryable], ['connection_lost', true]);
});

test('half a plain answer', async (t) => {
  const port = await socketServer(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"choices":[')),
  );
  assert.equal((await failure(clientOf(`http://127.0.0.1:${port}/v1`))).code, 'connection_lost');
});

test('silence: no first byte; no TLS handshake', async (t) => {
  const port = await socketServer(t, () => {});
  for (const [stream, timeouts] of [
    [true, { firstByte: 60 }],
    [false, { wholeAnswer: 60 }],
  ] as const) {
    const first = await failure(clientOf(`http://127.0.0.1:${port}/v1`, { timeouts }), prompt('hi'), stream);
    assert.deepEqual([first.code, first.retryable], ['first_byte_timeout', false]);
    assert.match(first.message, /0\.06 s/);
  }
  const connect = await failure(clientOf(`https://127.0.0.1:${port}/v1`, { timeouts: { connect: 60 } }));
  assert.deepEqual([connect.code, connect.retryable], ['connect_timeout', true]);
});

test('abort ends the request and its socket, before and during the answer', async (t) => {
  const server = await endpoint(t, (response, { body }) => {
    if (!body.stream) return;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n');
  });
  const model = clientOf(server.baseURL);
  const reason = new Error('stopped by hand');
  for (const stream of [false, true]) {
    const controller = new AbortController();
    const asked = model.ask({ ...prompt('hi'), abortSignal: controller.signal }, stream ? () => controller.abort(reason) : undefined);
    if (!stream) setTimeout(() => controller.abort(reason), 30);
    await assert.rejects(asked, (error) => error === reason);
    for (let i = 0; i < 50 && server.open.size > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(server.open.size, 0);
  }
  const asked = server.requests.length;
  await assert.rejects(model.ask({ ...prompt('hi'), abortSignal: AbortSignal.abort(reason) }), (error) => error === reason);
  assert.equal(server.requests.length, asked, 'not even sent');
});

test('TLS: an unknown authority is named; NODE_EXTRA_CA_CERTS makes it known', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-tls-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [keyFile, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-keyout', keyFile, '-out', certificate, ...subject],
      { stdio: 'pipe' },
    );
  } catch (error) {
    t.skip(`openssl is needed to make a certificate: ${(error as Error).message.split('\n')[0]}`);
    return;
  }
  const server = createTlsServer({ key: readFileSync(keyFile), cert: readFileSync(certificate) }, (request, response) => {
    request.resume().on('end', () => sendJson(response, completion({ content: 'over TLS' })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const error = await failure(clientOf(`https://127.0.0.1:${port}/v1`));
  assert.equal(error.code, 'bad_certificate');
  assert.match(String(error.next), /NODE_EXTRA_CA_CERTS/);
  const plain = await failure(clientOf(`http://127.0.0.1:${port}/v1`));
  assert.ok(['not_http', 'connection_lost'].includes(String(plain.code)), String(plain.code));

  const program = `
    import { createOpenAICompatible } from ${JSON.stringify(join(import.meta.dirname, '../../src/models/openai-compatible.ts'))};
    const model = createOpenAICompatible({ id: 'acme:big', baseURL: 'https://localhost:${port}/v1', model: 'big' });
    console.log((await model.ask(${JSON.stringify(prompt('hi'))})).text);
    await model.close();`;
  const printed = await new Promise<string>((resolve, reject) => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificate, NO_PROXY: '*' };
    execFile(process.execPath, ['--input-type=module', '-e', program], { env }, (failed, stdout) =>
      failed ? reject(failed) : resolve(stdout),
    );
  });
  assert.equal(printed.trim(), 'over TLS');
});
