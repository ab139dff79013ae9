/**
 * Servers as the user has configured them: `mcpServers` of a `.mcp.json`, in the format that other programs write and read. Keys that
 * only those know are left alone. One server that is written wrong costs only itself.
 */

import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isObject } from '../kernel/json.ts';
import type { HttpServer, McpDiagnostic, ServerConfig, StdioServer } from './types.ts';

/** Bytes of a configuration file. */
const MOST_BYTES = 1_000_000;
/** What programs call the two ways over HTTP. */
const WEB = ['http', 'streamable-http', 'streamableHttp', 'sse'];

export interface ReadOptions {
  /** Where ${VAR} and ${VAR:-fallback} are looked up. */
  env: Readonly<Record<string, string | undefined>>;
  /** Folder that servers are started in. */
  root: string;
  /** Names of servers that are switched off. */
  disabled?: readonly string[];
  /** Names of servers whose own hints count. */
  trusted?: readonly string[];
}
export interface ReadServers {
  servers: ServerConfig[];
  /** Names of servers that are switched off, in the file or by `disabled`. */
  off: string[];
  diagnostics: McpDiagnostic[];
}

/** The servers of a file; none when there is no such file. */
export async function readServers(file: string, options: ReadOptions): Promise<ReadServers> {
  const bad = (message: string): ReadServers => ({
    servers: [],
    off: [],
    diagnostics: [{ file, code: 'mcp_config', message, server: '' }],
  });
  let text: string;
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return bad('it is no ordinary file');
    if (stats.size > MOST_BYTES) return bad(`it has more than ${MOST_BYTES} bytes`);
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { servers: [], off: [], diagnostics: [] } : bad(message);
  }
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    // Only the place: the reason of the parser quotes the file, which may hold a key.
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)?.[0] ?? '(it ends too early)';
    return bad(`it is no JSON ${place}; JSON has no comments, and no comma before } or ]`);
  }
  if (!isObject(document) || !isObject(document.mcpServers)) {
    const got = isObject(document) && isObject(document.servers) ? ', got "servers"' : ''; // as .vscode/mcp.json has it
    return bad(`expected { "mcpServers": { NAME: { "command": ... } } }${got}`);
  }
  return parseServers(document.mcpServers, file, options);
}

/** `entries`: what stands under `mcpServers`. */
export function parseServers(entries: Readonly<Record<string, unknown>>, file: string, options: ReadOptions): ReadServers {
  const { disabled = [], trusted = [] } = options;
  const servers: ServerConfig[] = [];
  const off: string[] = [];
  const diagnostics: McpDiagnostic[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    if (disabled.includes(name) || (isObject(entry) && entry.disabled === true)) {
      off.push(name);
      continue;
    }
    try {
      const transport = transportOf(entry, options);
      servers.push({ name, file, transport, address: addressOf(entry as Record<string, unknown>), trusted: trusted.includes(name) });
    } catch (error) {
      diagnostics.push({ file, code: 'mcp_config', message: `the server "${name}": ${(error as Error).message}`, server: name });
    }
  }
  return { servers, off, diagnostics };
}

function addressOf({ command, args, url }: Record<string, unknown>): string {
  return [command ?? url, ...(Array.isArray(args) ? args : [])].join(' ');
}

/** Throws an Error that says what was expected; values are never repeated in it, they may be keys. */
function transportOf(given: unknown, { env, root }: ReadOptions): StdioServer | HttpServer {
  if (!isObject(given) || (given.command === undefined && given.url === undefined))
    throw new Error('expected command (a program to start) or url (an address)');
  const entry = expanded(given, { workspaceFolder: root, userHome: env.HOME, ...env });
  const type = entry.type ?? (entry.command === undefined ? 'http' : 'stdio');
  if (type === 'stdio') {
    if (typeof entry.command !== 'string' || entry.command === '') throw new Error('command: expected the program to start');
    return {
      type,
      command: entry.command,
      args: texts(entry.args, 'args'),
      env: textMap(entry.env, 'env'),
      cwd: resolve(root, entry.cwd === undefined ? '.' : text(entry.cwd, 'cwd')),
    };
  }
  if (!WEB.includes(type as string)) throw new Error('type: expected stdio, http or sse');
  const url = text(entry.url, 'url');
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new Error('url: expected an address that begins with http:// or https://');
  const oauth = isObject(entry.oauth) ? oauthOf(entry.oauth) : undefined;
  return { type: type === 'sse' ? 'sse' : 'http', url, headers: headersOf(entry.headers), ...(oauth ? { oauth } : {}) };
}

function oauthOf({ clientId, clientSecret, callbackPort }: Record<string, unknown>): NonNullable<HttpServer['oauth']> {
  if (callbackPort !== undefined && !Number.isInteger(callbackPort)) throw new Error('oauth.callbackPort: expected a port');
  return {
    ...(clientId === undefined ? {} : { clientId: text(clientId, 'oauth.clientId') }),
    ...(clientSecret === undefined ? {} : { clientSecret: text(clientSecret, 'oauth.clientSecret') }),
    ...(callbackPort === undefined ? {} : { callbackPort: callbackPort as number }),
  };
}

function headersOf(given: unknown): Record<string, string> {
  const headers = textMap(given, 'headers');
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new Error(`headers: ${JSON.stringify(name)} is no name of a header`);
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new Error(`headers.${name}: expected one line without letters of other scripts`);
  }
  return headers;
}

function text(value: unknown, key: string): string {
  if (typeof value !== 'string' || value.includes('\0')) throw new Error(`${key}: expected a text`);
  return value;
}

function texts(value: unknown = [], key: string): string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) throw new Error(`${key}: expected a list of texts`);
  return value;
}

function textMap(value: unknown = {}, key: string): Record<string, string> {
  if (!isObject(value)) throw new Error(`${key}: expected texts by name`);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one, `${key}.${name}`)]));
}

/** Every text in it with its variables filled in. */
function expanded(entry: Record<string, unknown>, env: ReadOptions['env']): Record<string, unknown> {
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return filled(value, env);
    if (Array.isArray(value)) return value.map(fill);
    return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one)])) : value;
  };
  const ours = ['command', 'args', 'env', 'cwd', 'url', 'headers', 'oauth'];
  return { ...entry, ...Object.fromEntries(ours.map((key) => [key, fill(entry[key])])) };
}

/** ${VAR}, ${VAR:-fallback}, and ${env:VAR} as editors write it. */
function filled(value: string, env: ReadOptions['env']): string {
  const asked = /\$\{(?:input|command):[^}]*\}/.exec(value)?.[0];
  if (asked) throw new Error(`${asked} is asked for by editors only; write a variable of the environment, \${VAR}`);
  return value.replace(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const found = env[name] || fallback;
    if (found === undefined) throw new Error(`the variable ${name} is not set; set it, or write \${${name}:-FALLBACK}`);
    return found;
  });
}
