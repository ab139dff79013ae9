/** `hermes models`: pulled from a local hub, listed, removed, tried against a server that calls tools and one that only writes them; the first run. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { EMBEDDED_DEFAULT, modelsDirectory } from '../../src/models/catalogue.ts';
import { pullModel } from '../../src/models/pull.ts';
import { type FakeHub, fakeHub } from '../fakes/hub.ts';
import { hermes, newFolders, noTerminal, onScreen, start } from './start.ts';

const content = Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(2_000_000, '一个模型 ')]);
const folders = await newFolders();
let hub: FakeHub;
let cwd: string;
let models: string;
let env: Record<string, string>;

before(async () => {
  hub = await fakeHub({ 'Small-Q8_0.gguf': content });
});
beforeEach(async () => {
  cwd = await folders();
  models = join(cwd, 'models');
  hub.mischief = {};
  hub.seen.length = 0;
  // Without an index pip finds nothing, and nobody is called.
  env = { ...hub.env, HERMES_MODELS: models, PIP_NO_INDEX: '1', PIP_CONFIG_FILE: '/dev/null' };
});
after(() => hub.close());

const run = (args: readonly string[], more: Record<string, string> = {}) => hermes(['models', ...args], { cwd, env: { ...env, ...more } });

interface Listed {
  name: string;
  state: string;
  bytes?: number;
  known?: { abilities?: { protocol?: string; tools?: boolean }; test?: object };
}
async function listed(more: Record<string, string> = {}): Promise<Listed[]> {
  const { out } = await run(['list', '--json'], more);
  return JSON.parse(out) as Listed[];
}

test('pulled, listed and removed, with the licence told', async () => {
  const pulled = await run(['pull', 'hf:some/Small-GGUF']);
  assert.equal(pulled.status, 0, pulled.err);
  assert.equal(pulled.out, '');
  assert.match(pulled.err, /pulling hf:some\/Small-GGUF\/Small-Q8_0\.gguf: 2 MB, licence apache-2\.0/);
  assert.match(pulled.err, /downloading 100 %/);
  assert.match(pulled.err, /Small-Q8_0 is ready/);
  assert.ok((await listed()).some(({ name, state, bytes }) => name === 'local:Small-Q8_0' && state === 'here' && bytes === content.length));
  const table = await run(['list', '--lang', 'zh']);
  assert.match(table.out, /名称 .*测试结果/);
  assert.match(table.out, /local:smollm2-135m .*无需密钥即可试用/);
  assert.equal((await run(['rm', 'local:Small-Q8_0'])).status, 0);
  assert.deepEqual(await readdir(models), []);
  const again = await run(['rm', 'Small-Q8_0']);
  assert.equal(again.status, 2);
  assert.match(again.err, /no local model "Small-Q8_0"/);
});

test('Ctrl-C in the middle: what has come is kept and told of, listed, gone on with, or thrown away', async () => {
  hub.mischief = { slow: 20 };
  const { child, ended } = start(['models', 'pull', 'ms:some/Small-GGUF'], { cwd, env, input: 'open' });
  child.stderr?.on('data', (text: string) => /downloading \d/.test(text) && child.kill('SIGINT'));
  const { status, err } = await ended;
  assert.equal(status, 130, err);
  assert.match(err, /what has come so far is kept, the same command goes on from there/);
  assert.match((await run(['list'])).out, /local:Small-Q8_0 .*\d+ % is here/);
  hub.mischief = { slow: 20 };
  hub.seen.length = 0;
  const more = start(['models', 'pull', 'ms:some/Small-GGUF'], { cwd, env, input: 'open' });
  more.child.stderr?.on('data', (text: string) => /downloading \d/.test(text) && more.child.kill('SIGTERM'));
  assert.equal((await more.ended).status, 143);
  assert.match(hub.seen.find(({ host }) => host === 'store')?.headers.range ?? '', /^bytes=[1-9]/);
  const dropped = await run(['rm', 'Small-Q8_0', '--lang', 'zh']);
  assert.equal(dropped.status, 0, dropped.err);
  assert.match(dropped.err, /已删除 Small-Q8_0 已下载的部分/);
  assert.deepEqual(await readdir(models), []);
});

test('what goes wrong is told in the language of the user, with the next step', async () => {
  hub.mischief = { refuse: { at: 'listing', status: 403, code: 'GatedRepo' } };
  const gated = await run(['pull', 'hf:some/Small-GGUF', '--lang', 'zh']);
  assert.equal(gated.status, 1);
  assert.match(gated.err, /该模型需要先同意条款[\s\S]*下一步：.*HF_TOKEN/);
  const unknown = await run(['pull', 'qwen3']);
  assert.equal(unknown.status, 2);
  assert.match(unknown.err, /there is no model "qwen3" to pull; known: .*qwen3-0\.6b[\s\S]*hf:OWNER/);
  const chinese = await run(['pull', 'hf:x', '--lang', 'zh']);
  assert.match(chinese.err, /应为 hf:OWNER/);
  const terms = await run(['pull', 'gemma3-270m']);
  assert.equal(terms.status, 2);
  assert.match(terms.err, /given under the Gemma terms of use: https:[\s\S]*hermes models pull gemma3-270m --yes/);
});

// ---- the first run --------------------------------------------------------------------------------------------

test('the first run asks a hub only where it was told to, and never with --offline', async () => {
  const plain = await hermes(['run', '1+1'], { cwd, env });
  assert.equal(plain.status, 1);
  assert.match(plain.err, /smollm2-135m is brought/);
  assert.equal(hub.seen.length, 0);
  const offline = await hermes(['run', '--offline', '1+1'], { cwd, env: { ...env, HERMES_PULL: 'small' } });
  assert.match(offline.err, /no model is there/);
  assert.equal(hub.seen.length, 0);
  hub.mischief = { refuse: { at: 'listing', status: 500 } };
  const without = await hermes(['run', '1+1'], { cwd, env: { ...env, HERMES_PULL: 'small' } });
  assert.match(without.err, /smollm2-135m is brought/, 'the default, as no hub has it');
});

test('in a terminal the small model is offered', { skip: noTerminal }, async () => {
  const screen = onScreen(['run', '1+1'], { cwd, env });
  await screen.seen(/pull qwen3-0\.6b \(2 MB, apache-2\.0; (hf|ms):Qwen\/Qwen3-0\.6B-GGUF/);
  screen.type('n\r');
  await screen.seen(/smollm2-135m is brought/);
  assert.equal(await screen.ended, 1);
  assert.ok(
    hub.seen.every(({ host }) => host === 'hub'),
    'nothing was fetched',
  );
});

test('HERMES_PULL=small takes it, and the run is answered by it; then it is tried, and what was found is kept', async (context) => {
  const file = await pullModel(EMBEDDED_DEFAULT, { directory: modelsDirectory() }).catch((error: Error) => {
    if (process.env.CI === 'true') throw error;
    context.skip(`the embedded model cannot be had here: ${error.message}`);
  });
  if (!file) return;
  hub.files = new Map([['Qwen3-0.6B-Q8_0.gguf', await readFile(file)]]); // any model that runs
  const answered = await hermes(['run', '23 乘以 17 等于多少？'], { cwd, env: { ...env, HERMES_PULL: 'small' } });
  hub.files = new Map([['Small-Q8_0.gguf', content]]);
  assert.equal(answered.status, 0, answered.err);
  assert.match(answered.err, /qwen3-0\.6b is brought[\s\S]*local:qwen3-0\.6b/);
  assert.match(answered.out, /391/);
  assert.equal((await stat(join(models, 'qwen3-0.6b.gguf'))).size, EMBEDDED_DEFAULT.bytes);

  const tried = await run(['test', 'local:qwen3-0.6b', '--protocol', 'guided', '--json']);
  const { answers, streams, schema, protocols, protocol } = JSON.parse(tried.out);
  assert.deepEqual({ answers, streams, schema }, { answers: true, streams: true, schema: true });
  assert.equal(protocols.length, 1);
  assert.ok(protocols[0].right >= 4, tried.out);
  assert.equal(protocol, 'guided');
  assert.equal(tried.status, 0);
  const row = (await listed()).find(({ name }) => name === 'local:qwen3-0.6b');
  assert.equal(row?.known?.abilities?.protocol, 'guided');
  assert.match((await run(['list'])).out, /local:qwen3-0\.6b .*guided [456]\/6 \(\d{4}-/);
});

// ---- models test ----------------------------------------------------------------------------------------------

interface Body {
  messages: { role: string; content: string | { type: string }[] | null }[];
  tools?: { function: { name: string } }[];
  response_format?: object;
  stream?: boolean;
}

/** A model that is good at one protocol: function calling, or calls that it writes as JSON. */
async function serve(good: 'native' | 'json'): Promise<Record<string, string>> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request.setEncoding('utf8')) text += piece;
    const body = JSON.parse(text || '{}') as Body;
    const message = answerTo(body, good);
    const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
    if (!body.stream) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }], usage }));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of (message.content ?? '').match(/.{1,4}/gsu) ?? []) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: piece }, finish_reason: null }] })}\n\n`);
      await new Promise((done) => setTimeout(done, 2));
    }
    response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { HERMES_MODEL_PROVIDER: 'openai-compatible', HERMES_MODEL_BASE_URL: base, HERMES_MODEL_MODEL: `good-at-${good}` };
}

const CALLS: [RegExp, string, object][] = [
  [/23 \* 17/, 'calculator', { expression: '23 * 17' }],
  [/\(12\+8\)/, 'calculator', { expression: '(12+8)*4' }],
  [/成都/, 'weather', { city: '成都' }],
  [/Oslo/, 'weather', { city: 'Oslo' }],
  [/Tokyo/, 'current_time', { time_zone: 'Asia/Tokyo' }],
  [/北京/, 'current_time', { time_zone: 'Asia/Shanghai' }],
];

function answerTo({ messages, tools }: Body, good: 'native' | 'json'): { role: string; content: string | null; tool_calls?: object[] } {
  const said = (index: number) => {
    const content = messages.at(index)?.content ?? '';
    return typeof content === 'string' ? content : JSON.stringify(content);
  };
  const say = (content: string) => ({ role: 'assistant', content });
  const last = said(-1);
  if (/image_url/.test(last)) return say('Red.');
  if (/Anna/.test(last)) return say('{"name":"Anna","age":31}');
  if (/杭州/.test(last)) return say('杭州是一座美丽的城市，有西湖。');
  const result = /391|\b80\b|\b7\b|19|18:24|17:36/.exec(last)?.[0];
  const isResult = messages.at(-1)?.role === 'tool' || messages.length > 2;
  const [, name, args] = isResult ? [] : (CALLS.find(([request]) => request.test(last)) ?? []);
  if (!name) return say(isResult && result ? `It is ${result}.` : 'Hello there.');
  if (tools && good === 'native') {
    return {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `call_${name}`, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
    };
  }
  if (!tools && good === 'json' && !/Action:/.test(said(0))) return say(JSON.stringify({ tool: name, arguments: args }));
  return say('I cannot do that.');
}

test('a model with function calling is asked natively from now on', async () => {
  const served = await serve('native');
  const { out, err, status } = await run(['test'], served);
  assert.equal(status, 0, err + out);
  assert.match(out, /plain answer +yes\nstreaming +yes\nanswer that fits a schema +yes\nimages +yes\n/);
  assert.match(out, /native +6\/6 +6\/6 +\d+\.\d +\d+\n/);
  assert.match(out, /json +0\/6 .*none of the first 3 was right/);
  assert.match(out, /openai-compatible:good-at-native is asked in native/);
  const known = JSON.parse(await readFile(join(models, 'known.json'), 'utf8')) as Record<string, Listed['known']>;
  const [fact] = Object.values(known);
  assert.deepEqual(fact?.abilities, { ...fact?.abilities, protocol: 'native', tools: true });
});

test('a model that only writes its calls is asked in json from now on, also by the next run', async () => {
  await mkdir(models);
  const served = await serve('json');
  const { out, err, status } = await run(['test', '--lang', 'zh'], served);
  assert.equal(status, 0, err + out);
  assert.match(out, /json +6\/6/);
  assert.match(out, /今后 openai-compatible:good-at-json 使用 json 协议/);
  const after = await hermes(['run', '--json', 'Hello'], { cwd, env: { ...env, ...served } });
  assert.equal(JSON.parse(after.out).protocol, 'json');
});

test('a model that cannot be asked is told as such, and nothing is kept', async () => {
  const { err, status } = await run(['test'], { ...env, HERMES_MODEL_BASE_URL: 'http://127.0.0.1:9/v1', HERMES_MODEL_MODEL: 'm' });
  assert.equal(status, 1);
  assert.match(err, /refuses the connection/);
  await assert.rejects(readFile(join(models, 'known.json')));
});
