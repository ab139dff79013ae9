/** One HTTP request to an API. To look at hosts that the user has named is free; anything else is shown and asked about. */

import { HermesError } from '../src/kernel/errors.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import { FOR_ONE_HOST } from '../src/network/fetch.ts';
import { includesHost } from '../src/network/hosts.ts';
import type { WebResponse } from '../src/network/response.ts';
import { type Judgement, tool } from '../src/tools/define.ts';
import { kindOf } from '../src/web/kind.ts';

/** Bytes of an answer that are read. */
const MOST_BYTES = 2_000_000;
/** Milliseconds of one attempt. */
const TIME_LIMIT = 20_000;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Headers of an answer that are worth telling. */
const TOLD = ['location', 'retry-after', 'etag', 'last-modified', 'link', 'allow', 'www-authenticate'];
const REFERENCE = /\$\{env:([A-Za-z_]\w*)\}/g;

export default tool({
  name: 'http_request',
  description:
    'Sends one HTTP request to an API and gives status, headers and body, JSON as data. Use it when the user names an API or asks to send ' +
    'data to an address; not to read web pages (web_fetch) or to search, and a person is asked first but for looks at hosts that are allowed.',
  level: 'dangerous',
  settingNames: ['allow_hosts', 'trusted_hosts', 'env'],
  outward: true,
  timeoutMs: 45_000,
  input: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'the whole address, such as https://api.example.com/v1/items', format: 'uri', minLength: 8 },
      method: { type: 'string', description: 'default: GET', enum: METHODS, default: 'GET' },
      headers: {
        type: 'object',
        description: `by name; a secret is written as \${env:NAME}, for variables that the user allows`,
        additionalProperties: { type: 'string' },
      },
      json: { description: 'body as JSON data' },
      text: { type: 'string', description: 'body as it is, instead of json' },
    },
    required: ['url'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { status: { type: 'integer' }, ok: { type: 'boolean' }, type: { type: 'string' }, headers: { type: 'object' }, body: {} },
  },
  aliases: {
    uri: 'url',
    address: 'url',
    endpoint: 'url',
    verb: 'method',
    data: 'json',
    payload: 'json',
    body: 'json',
    网址: 'url',
    方法: 'method',
  },
  keywords: 'http api request rest endpoint get post put patch delete header json webhook call 接口 请求 调用接口 推送 提交',
  examples: [
    {
      request: 'Send a GET request to the API at https://api.example.com/v1/status',
      arguments: { url: 'https://api.example.com/v1/status' },
      result: { status: 200, ok: true, body: { state: 'up' } },
      answer: 'The API answers with status 200: it is up.',
    },
    {
      request: '用 POST 调用接口 https://api.example.com/v1/items，提交名称 苹果',
      arguments: { url: 'https://api.example.com/v1/items', method: 'POST', json: { name: '苹果' } },
      result: { status: 201, ok: true, body: { id: 7 } },
      answer: '接口返回 201，已创建，编号 7。',
    },
  ],
  judge({ url, method, headers = {}, json, text }, { settings, language }): Judgement {
    const words = WORDS[language] ?? WORDS.en;
    const target = URL.canParse(url) ? new URL(url) : undefined;
    const problem = problemOf({ target, method, headers: headersOf(headers), json, text }, settings);
    if (problem) return { level: 'dangerous', deny: problem };
    const looks = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (looks && includesHost(namedHosts(settings), target!)) return { level: 'read' };
    const lines = [`${method} ${target!.href}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
    const body = json === undefined ? text : JSON.stringify(json, null, 2);
    return { level: 'dangerous', preview: `${lines.join('\n')}${body === undefined ? '' : `\n\n${body || words.empty}`}` };
  },
  async execute({ url, method, headers = {}, json, text }, { fetch, key, context }) {
    const secrets = new Map<string, string>();
    const filled = Object.fromEntries(
      Object.entries(headersOf(headers)).map(([name, value]) => [name, withSecrets(value, context.env, secrets)]),
    );
    const body = json === undefined ? text : JSON.stringify(json);
    const has = (name: string) => Object.keys(headers).some((one) => one.toLowerCase() === name);
    const own = {
      ...(json === undefined || has('content-type') ? {} : { 'content-type': 'application/json' }),
      // A service that knows it makes a repeat of this call harmless.
      ...((method === 'POST' || method === 'PATCH') && !has('idempotency-key') ? { 'idempotency-key': key } : {}),
    };
    const response = await fetch(url, {
      method,
      headers: { ...own, ...filled },
      maxBytes: MOST_BYTES,
      timeoutMs: TIME_LIMIT,
      ...(body === undefined ? {} : { body }),
    });
    return without(secrets, told(response, method));
  },
});

const WORDS = { en: { empty: '(empty body)' }, zh: { empty: '（空正文）' } } as const;

/** As the schema has checked it. */
function headersOf(headers: JsonObject): Record<string, string> {
  return headers as Record<string, string>;
}

// ---- what may be sent ------------------------------------------------------------------------------------

interface Wanted {
  target: URL | undefined;
  method: string;
  headers: Readonly<Record<string, string>>;
  json?: unknown;
  text?: string;
}

function problemOf({ target, method, headers, json, text }: Wanted, settings: JsonObject): string | undefined {
  if (!target) return 'the url is no web address; write a whole one: https://host/path';
  if (json !== undefined && text !== undefined) return 'there is json and text; a request has one body';
  if ((json !== undefined || text !== undefined) && (method === 'GET' || method === 'HEAD'))
    return `${method} has no body; use POST, or put it into the url`;
  return Object.entries(headers)
    .map(([name, value]) => headerProblem(name, value) ?? secretProblem(name, value, target, settings))
    .find((problem) => problem !== undefined);
}

/** What the connection would not take is told before anybody is asked. */
function headerProblem(name: string, value: string): string | undefined {
  const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch (error) {
    return `${(error as Error).message}; a header is one line of Latin letters and signs: write other text percent-encoded`;
  }
}

/** A secret goes to hosts that the user has named, in headers that do not follow a redirect to another host. */
function secretProblem(name: string, value: string, target: URL, settings: JsonObject): string | undefined {
  const allowed = [settings.env ?? []].flat();
  for (const [, variable = ''] of value.matchAll(REFERENCE)) {
    if (!allowed.includes(variable))
      return `the variable ${variable} may not be sent; the user can allow it in env of [tools.http_request]`;
    if (!FOR_ONE_HOST.test(name))
      return `a secret may stand in authorization, cookie, or a header with key, token or secret in its name, not in ${name}`;
    if (!includesHost(namedHosts(settings), target))
      return `${variable} is sent only to hosts in allow_hosts of [tools.http_request], and ${target.host} is not among them`;
  }
  return undefined;
}

/** Those that the user trusts so far that a look there needs no question. */
function namedHosts({ allow_hosts = [], trusted_hosts = [] }: JsonObject): string[] {
  return [allow_hosts, trusted_hosts].flat().filter((host) => typeof host === 'string');
}

function withSecrets(value: string, env: Readonly<Record<string, string>>, used: Map<string, string>): string {
  return value.replace(REFERENCE, (_, variable: string) => {
    const secret = env[variable];
    if (!secret)
      throw new HermesError('no_variable', `the variable ${variable} is not set`, { kind: 'tool', next: 'tell the user to set it' });
    used.set(variable, secret);
    return secret;
  });
}

// ---- what came -------------------------------------------------------------------------------------------

function told(response: WebResponse, method: string): JsonObject {
  const { status, ok, headers, bytes, truncated } = response;
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim();
  const shown = Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD.includes(name)));
  const kind = kindOf(response);
  const note = truncated ? `only the first ${bytes.length} bytes of the body were read` : undefined;
  return {
    status,
    ok,
    ...(type ? { type } : {}),
    ...(Object.keys(shown).length > 0 ? { headers: shown } : {}),
    ...(note ? { note } : {}),
    ...(method === 'HEAD' || bytes.length === 0
      ? {}
      : { body: kind.kind === 'other' ? `[${kind.name}, ${bytes.length} bytes]` : bodyOf(response, type) }),
  };
}

function bodyOf(response: WebResponse, type: string): JsonObject[string] {
  const text = response.text();
  if (!/json/i.test(type) || response.truncated) return text;
  try {
    return JSON.parse(text, exact);
  } catch {
    return text; // it only says that it is JSON
  }
}

/** Ids of more than 15 digits would come out as another number: they stay as they are written, as texts. */
function exact(_key: string, value: JsonObject[string], context?: { source?: string }): JsonObject[string] {
  return typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;
}

/** A server may send back what it got. */
function without(secrets: ReadonlyMap<string, string>, result: JsonObject): JsonObject {
  let text = JSON.stringify(result);
  for (const [variable, secret] of secrets) text = text.replaceAll(JSON.stringify(secret).slice(1, -1), `[${variable}]`);
  return JSON.parse(text) as JsonObject;
}
