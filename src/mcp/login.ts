/** Logging in to a server over HTTP: the person says yes in a browser, which comes back to a port of this machine (OAuth, with PKCE). */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HermesError } from '../kernel/errors.ts';
import { httpTransport, loadSdk, OWN_CHECK } from './connection.ts';
import { hasOwnHeader, plainReason } from './failure.ts';
import { createFetch } from './http.ts';
import { provider, takeWanted, together, tokenFile } from './oauth.ts';
import type { ServerConfig } from './types.ts';

export interface LoginOptions {
  folder: string;
  /** Shows the address where the person says yes. */
  show(url: URL): void;
  signal?: AbortSignal;
  env?: NodeJS.ProcessEnv;
}

/** False = the server wants no login. The tokens are kept. Throws HermesError when it does not come to an end. */
export async function login(server: ServerConfig, { folder, show, signal, env }: LoginOptions): Promise<boolean> {
  const { transport: to, name } = server;
  if (to.type === 'stdio') {
    const message = `the MCP server "${name}" is a program of this machine; logging in is for servers over HTTP`;
    throw new HermesError('mcp_no_login', message, { kind: 'usage', next: 'a program gets its keys in env of its configuration' });
  }
  const sdk = await loadSdk(name);
  const { fetch, close } = createFetch(env);
  const answer = Promise.withResolvers<URLSearchParams>();
  answer.promise.catch(() => undefined); // looked at below, when the person has been asked
  const listener = process.getBuiltinModule('node:http').createServer((request, response) => take(request, response, answer.resolve));
  const abort = () => answer.reject(failed(name, 'was not logged in to'));
  signal?.addEventListener('abort', abort);
  const client = new sdk.Client(
    { name: 'hermes-agent', version: '0.1.0' },
    { versionNegotiation: { mode: to.type === 'sse' ? 'legacy' : 'auto' } },
  );
  try {
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(to.oauth?.callbackPort ?? 0, '127.0.0.1', resolve);
    });
    const redirect = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
    const wanted = await takeWanted(tokenFile(folder, server));
    const ask = (url: URL) => {
      const scope = together(url.searchParams.get('scope'), wanted);
      if (scope !== '') url.searchParams.set('scope', scope);
      show(url);
    };
    const auth = provider(tokenFile(folder, server), {}, to, redirect, ask);
    const transport = httpTransport(sdk, to, { fetch, requestInit: { headers: to.headers }, authProvider: auth });
    try {
      await client.connect(transport);
      // Some let everybody in, and ask at a call: those say where to log in.
      const info = hasOwnHeader(to) ? undefined : await sdk.discoverOAuthServerInfo(to.url, { fetchFn: fetch, ...OWN_CHECK });
      if (!info?.resourceMetadata) return false;
      await sdk.auth(auth, { serverUrl: to.url, fetchFn: fetch, ...OWN_CHECK });
    } catch (error) {
      if (!(error instanceof sdk.UnauthorizedError)) throw error;
    }
    const parameters = await answer.promise;
    if (parameters.get('state') !== (await auth.state!())) throw failed(name, 'got an answer that belongs to another login');
    if (parameters.get('error')) throw failed(name, `says: ${parameters.get('error_description') ?? parameters.get('error')}`);
    await transport.finishAuth(parameters);
    return true;
  } catch (error) {
    if (error instanceof HermesError) throw error;
    throw failed(name, `could not be logged in to: ${plainReason(error)}`, error);
  } finally {
    signal?.removeEventListener('abort', abort);
    await client.close().catch(() => undefined); // only tokens are wanted of it
    listener.closeAllConnections();
    listener.close();
    close();
  }
}

function take(request: IncomingMessage, response: ServerResponse, resolve: (answer: URLSearchParams) => void): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isAnswer = pathname === '/callback' && (searchParams.has('code') || searchParams.has('error'));
  response.writeHead(isAnswer ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(isAnswer ? 'You can close this window. 可以关闭此窗口了。\n' : '');
  if (isAnswer) resolve(searchParams);
}

function failed(name: string, what: string, cause?: unknown): HermesError {
  return new HermesError('mcp_login', `the MCP server "${name}" ${what}`, {
    kind: 'tool',
    next: `\`hermes mcp login ${name}\` tries again`,
    ...(cause === undefined ? {} : { cause }),
  });
}
