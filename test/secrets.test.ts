/**
 * A search for seeded secrets in everything that the program writes: random ones are given in every way that there is, the real
 * program does everything that might repeat them, then every file and every line of output is searched. Known values may stand
 * nowhere; what only looks like a secret may stand in the database, which keeps what was said, and in no reader's words.
 */

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { type Ended, hermes, newFolders, type StartOptions } from './cli/start.ts';

const random = () => randomBytes(15).toString('hex');
/** Known to the program: by variable, .env, configuration, or as a password in an address. The quote and the sign need escaping. */
const known = {
  key: `${random()}Zk`,
  dotenv: `${random()}"ü/+`,
  setting: random(),
  address: random(),
  proxy: random(),
};
/** Not known: what people, models and tools say, told by its shape alone. */
const shaped = {
  typed: `sk-proj-${random()}`,
  said: `ghp_${random()}${random()}`.slice(0, 44),
  found: `AKIA${random()
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .slice(0, 16)}`,
};

/** What the model answers; `{key}` is the key that it was asked with. */
type Reply = { status?: number; text?: string; call?: { name: string; arguments: object } };

async function server(replies: Reply[]): Promise<{ host: string; keys: string[] }> {
  const keys: string[] = [];
  let next = 0;
  const listener = createServer(async (request, response) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    keys.push(key);
    const { stream } = JSON.parse(await body(request)) as { stream?: boolean };
    const { status = 200, text, call } = replies[Math.min(next++, replies.length - 1)]!;
    const content = text?.replaceAll('{key}', key);
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json' });
      return response.end(JSON.stringify({ error: { message: content } }));
    }
    const calls = call && [
      { index: 0, id: `call_${next}`, type: 'function', function: { name: call.name, arguments: JSON.stringify(call.arguments) } },
    ];
    const said = { role: 'assistant', content: content ?? null, ...(calls ? { tool_calls: calls } : {}) };
    const finish_reason = calls ? 'tool_calls' : 'stop';
    if (!stream)
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ choices: [{ message: said, finish_reason }] }));
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const choice of [{ delta: said }, { delta: {}, finish_reason }])
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  return { host: `127.0.0.1:${(listener.address() as AddressInfo).port}`, keys };
}

async function body(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}

/** A tool that uses a secret, gives it back, throws it, and is asked about. */
const TOOLS = `import { tool } from 'hermes-agent';
const input = { type: 'object', properties: { token: { type: 'string' }, how: { type: 'string' } } };
const make = (name, level) => tool({
  name, level, input, description: 'Uses a token.',
  execute({ token = '', how }, { context, progress }) {
    progress({ with: token });
    const all = { token, setting: context.settings.api_key, found: ${JSON.stringify(shaped.found)} };
    if (how === 'throw') throw new Error('refused: ' + JSON.stringify(all));
    if (how === 'code') throw Object.assign(new Error('refused'), { code: 'E' + token.slice(0, 5), next: 'use ' + token });
    if (how === 'length') return token.length;
    return how === 'deep' ? { a: [{ [token]: all }], text: encodeURIComponent(token) } : 'used ' + Object.values(all).join(' ');
  },
});
export default [make('use_token', 'read'), make('send_token', 'dangerous')];`;

const folder = await newFolders('secret');
const outputs: { command: string; ended: Ended }[] = [];
const searched: string[] = [];

/** A project with every secret in its place, whose model answers from the script. */
async function project(replies: Reply[]) {
  const { host, keys } = await server(replies);
  const cwd = await folder();
  searched.push(cwd);
  mkdirSync(join(cwd, 'tools'));
  writeFileSync(join(cwd, 'tools', 'token.ts'), TOOLS);
  writeFileSync(join(cwd, '.env'), `SERVICE_TOKEN='${known.dotenv}'\n`);
  writeFileSync(join(cwd, 'typed.txt'), `the key is ${shaped.typed} and the token ${known.dotenv}`);
  writeFileSync(
    join(cwd, 'hermes_config.toml'),
    `[model]\nprovider = "openai-compatible"\nbase_url = "http://${host}/v1"\nmodel = "scripted"\napi_key_env = "OUR_KEY"\n` +
      `[tools.use_token]\napi_key = "${known.setting}"\n[tools.send_token]\napi_key = "${known.setting}"\n`,
  );
  const proxy = `http://someone:${known.proxy}@127.0.0.1:9`;
  const env = { OUR_KEY: known.key, HERMES_TRUST: '1', HERMES_DEBUG: '1', HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: '127.0.0.1' };
  const run = async (args: string[], more: Partial<StartOptions> = {}) => {
    const ended = await hermes(args, { cwd, ...more, env: { ...env, ...more.env } });
    outputs.push({ command: `hermes ${args.join(' ')}`, ended });
    return ended;
  };
  return { cwd, keys, run };
}

const use = (how: string, name = 'use_token') => ({ call: { name, arguments: { token: '{{secret:SERVICE_TOKEN}}', how } } });

test('tools, replies, thoughts, files and notes that repeat secrets; and every command that looks back', async () => {
  const { run, keys } = await project([
    { text: `Your key is {key}, or ${shaped.said}.` },
    use('length'),
    ...['plain', 'deep', 'throw', 'code'].map((how) => use(how)),
    { call: { name: 'notes_set', arguments: { key: 'token', value: `${known.dotenv} ${known.key}` } } },
    { call: { name: 'use_token', arguments: { token: `${known.key} ${shaped.said}`, how: 'deep' } } },
    { call: { name: 'no_such_tool', arguments: { token: known.key } } },
    { call: { name: 'use_token', arguments: { wrong: known.key, token: 7 } } },
    { text: `Done with ${known.setting} and ${known.proxy}.` },
  ]);
  await run(['run', `My key is ${shaped.typed}; what is yours? ${known.key}`, '--session', 'one', '-v']);
  const length = await run(['run', '--events', '-f', 'typed.txt', 'use it', '--session', 'one', '-v']);
  assert.equal(length.status, 0, length.err);
  assert.match(length.out, new RegExp(`"data":${known.dotenv.length}\\b`), 'the tool got the real value, unaltered');
  assert.deepEqual([...new Set(keys)], [known.key], 'and the server the real key');
  const looks = [
    'list',
    'list --json',
    'show last',
    'show last --json',
    'tail last --json',
    'verify',
    'verify --json',
    'replay last',
    'replay last --json',
    'stats',
  ];
  await Promise.all(looks.map((words) => run(['runs', ...words.split(' ')])));
});

test('questions, answers and reasons', async () => {
  const { run } = await project([use('plain', 'send_token'), { text: 'Not sent.' }, use('throw', 'send_token'), { text: 'Sent.' }]);
  await run(['run', 'send it', '--on-approval', 'wait']);
  await run(['approvals', 'list']);
  await run(['approvals', 'list', '--json']);
  await run(['approvals', 'deny', 'last', '--note', `never ${known.key} ${shaped.typed}`]);
  await run(['run', 'send it', '--allow', 'send_token', '--json']);
  await run(['run', 'send it', '--allow', `send_token:${known.dotenv}`]);
  await run(['runs', 'show', 'last', '--json']);
});

test('errors of providers, addresses and values that are not right', async () => {
  const { run, cwd } = await project([
    { status: 401, text: 'Incorrect API key provided: {key}' },
    { status: 400, text: `bad request with {key} and ${shaped.said}` },
    { status: 500, text: 'internal error for {key}' },
  ]);
  for (const more of [[], ['--json'], []]) await run(['run', 'hello', ...more], { env: { HERMES_AGENT_MAX_SECONDS: '1' } });
  const wrong: Record<string, string>[] = [
    { HERMES_MODEL_BASE_URL: `http://user:${known.address}@127.0.0.1:9/v1` },
    { HERMES_MODEL_BASE_URL: `ftp://user:${known.address}@127.0.0.1/v1` },
    { HERMES_MODEL_API_KEY_ENV: known.key },
    { HERMES_MODEL_API_KEY_ENV: shaped.typed },
    { HERMES_MODEL_TEMPERATURE: known.key },
    { HERMES_MODEL_PROVIDER: known.key },
    { OUR_KEY: `${known.key}\n` },
    { OUR_KEY: `${known.key}密` },
    { HTTP_PROXY: `http://someone:${known.proxy}@127.0.0.1:9`, NO_PROXY: '' },
  ];
  await Promise.all(wrong.map((env) => run(['run', 'hello'], { env: { HERMES_AGENT_MAX_SECONDS: '1', ...env } })));
  writeFileSync(join(cwd, 'broken.toml'), `[model]\napi_key = "${shaped.typed}"\n`);
  await run(['run', 'hello', '--config', 'broken.toml']);
  writeFileSync(join(cwd, 'broken.toml'), `[model]\nmodel = "${shaped.typed}\n`);
  await run(['run', 'hello', '--config', 'broken.toml']);
});

test('what is set up and what is missing', async () => {
  const { run } = await project([{ text: 'hello {key}' }]);
  const address = { HERMES_MODEL_BASE_URL: `http://user:${known.address}@127.0.0.1:9/v1?key=${known.address}` };
  const shows = ['config show', 'doctor', 'models list', 'tools list', 'tools show use_token'].map((words) => words.split(' '));
  await Promise.all(shows.flatMap((args) => [run(args), run([...args, '--json']), run([...args, '--json'], { env: address })]));
  await run(['tools', 'check']);
  await run(['models', 'test', '--json']);
  await run(['tools', 'call', 'use_token', `token=${shaped.typed}`, 'how=throw']);
  await run(['init'], { cwd: await folder() });
});

// ---- the search --------------------------------------------------------------------------------------------

/** A secret as it may be written down. */
function forms(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [...new Set([secret, inJson, JSON.stringify(inJson).slice(1, -1), encodeURIComponent(secret), base64.slice(0, -4)])];
}

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Where the test itself has put them. */
const PLANTED = /^(?:\.env|typed\.txt|broken\.toml|hermes_config\.toml|tools\/token\.ts)$/;

test('no known secret is in any file or output, and nothing that looks like one in any but the database', () => {
  const found: string[] = [];
  const look = (place: string, bytes: Buffer, secrets: Record<string, string>) => {
    for (const [name, secret] of Object.entries(secrets)) {
      for (const form of forms(secret)) {
        const at = bytes.indexOf(form);
        if (at >= 0) found.push(`${name} in ${place}: ...${bytes.subarray(Math.max(0, at - 80), at + 20).toString()}`);
      }
    }
  };
  let looked = 0;
  for (const folder of searched) {
    for (const file of files(folder)) {
      const name = relative(folder, file);
      if (PLANTED.test(name)) continue;
      looked += 1;
      look(name, readFileSync(file), /hermes\.db/.test(name) ? known : { ...known, ...shaped });
    }
  }
  for (const { command, ended } of outputs) {
    look(`stderr of ${command}`, Buffer.from(ended.err), { ...known, ...shaped });
    // An answer is handed over as it was given: a person may have asked for just that.
    const isAnswer = /^hermes (?:run|approvals deny)(?!.* --(?:json|events))/.test(command);
    look(`stdout of ${command}`, Buffer.from(ended.out), isAnswer ? known : { ...known, ...shaped });
  }
  assert.ok(looked > 40 && outputs.length > 40, `${looked} files and ${outputs.length} outputs were searched`);
  assert.deepEqual(found, []);
});
