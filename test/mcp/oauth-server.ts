/**
 * A small MCP server over HTTP behind a small OAuth provider: registration, authorization code with PKCE, tokens that run out, renewal,
 * rights (scopes) that a call may want.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { atEnd } from './rig.ts';

export interface OAuthServer {
  url: string;
  /** Paths that were asked, with their method. */
  asked: string[];
  /** Access tokens are not accepted any more; renewing gives new ones. */
  expire(): void;
  /** Nor are refresh tokens. */
  revoke(): void;
  /** What the person was asked to say yes to: client and rights. */
  asks: { client: string; scope: string }[];
}
export interface OAuthOptions {
  /** Anybody may look; a login is wanted for calls. */
  open?: boolean;
  /** The right that a call wants. */
  scope?: string;
  /** As a server of 2025-03-26: nothing says where to log in, and the root of the host speaks for this path or address. */
  issuer?: string;
  /** Clients may be known by an address that describes them. */
  describes?: boolean;
}

const sha256 = (text: string) => process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('base64url');

export async function oauthServer(t: TestContext, { open, scope, issuer, describes }: OAuthOptions = {}): Promise<OAuthServer> {
  const clients = new Map<string, string[]>();
  const codes = new Map<string, { challenge: string; redirect: string; client: string; scope: string }>();
  /** Token -> its rights. */
  const access = new Map<string, string>();
  const asks: OAuthServer['asks'] = [];
  const refresh = new Map<string, string>();
  const asked: string[] = [];
  let count = 0;

  const json = (response: ServerResponse, value: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const tokens = (response: ServerResponse, rights: string) => {
    const [one, two] = [`access-${++count}`, `refresh-${count}`];
    access.set(one, rights);
    refresh.set(two, rights);
    json(response, { access_token: one, refresh_token: two, token_type: 'Bearer', expires_in: 3600, scope: rights });
  };

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const [client = '', redirect = '', challenge = ''] = ['client_id', 'redirect_uri', 'code_challenge'].map(
      (name) => query.get(name) ?? '',
    );
    const isKnown = client.startsWith('https://') ? describes : clients.get(client)?.includes(redirect);
    if (!isKnown || query.get('code_challenge_method') !== 'S256') return void json(response, {}, 400);
    const code = `code-${++count}`;
    codes.set(code, { challenge, redirect, client, scope: query.get('scope') ?? '' });
    asks.push({ client, scope: query.get('scope') ?? '' });
    const to = new URL(redirect);
    to.searchParams.set('code', code);
    to.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: to.href }).end();
  }

  function token(form: URLSearchParams, response: ServerResponse): void {
    if (form.get('grant_type') === 'refresh_token') {
      const old = form.get('refresh_token') ?? '';
      const rights = refresh.get(old);
      refresh.delete(old);
      if (rights !== undefined) tokens(response, rights);
      else json(response, { error: 'invalid_grant' }, 400);
      return;
    }
    const known = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const isRight = known && sha256(form.get('code_verifier') ?? '') === known.challenge && form.get('redirect_uri') === known.redirect;
    if (isRight) tokens(response, known.scope);
    else json(response, { error: 'invalid_grant' }, 400);
  }

  function mcp(request: IncomingMessage, body: string, response: ServerResponse): void {
    const rights = access.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    const isCall = body.includes('"tools/call"');
    if (rights === undefined && (isCall || !open)) {
      const place = issuer === undefined ? ` resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` : '';
      response.setHeader('www-authenticate', `Bearer${place}`);
      return void json(response, { error: 'invalid_token' }, 401);
    }
    if (isCall && scope !== undefined && !rights!.split(' ').includes(scope)) {
      response.setHeader('www-authenticate', `Bearer error="insufficient_scope", scope="${scope}"`);
      return void json(response, { error: 'insufficient_scope' }, 403);
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as { id?: number; method: string; params?: { arguments?: { text?: string } } };
    if (id === undefined) return void response.writeHead(202).end();
    const answer = (result: object) => json(response, { jsonrpc: '2.0', id, result });
    if (method === 'initialize')
      return void answer({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'o', version: '1' } });
    if (method === 'tools/list')
      return void answer({ tools: [{ name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }] });
    if (method === 'tools/call') return void answer({ content: [{ type: 'text', text: params?.arguments?.text ?? '' }] });
    json(response, { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
  }

  const server = process.getBuiltinModule('node:http').createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', origin);
    asked.push(`${request.method} ${pathname}`);
    let body = '';
    for await (const chunk of request) body += chunk;
    if (pathname === '/mcp') mcp(request, body, response);
    else if (pathname === '/.well-known/oauth-protected-resource/mcp' && issuer === undefined)
      json(response, { resource: `${origin}/mcp`, authorization_servers: [origin], ...(scope ? { scopes_supported: ['look'] } : {}) });
    else if (pathname === '/.well-known/oauth-authorization-server')
      json(response, {
        issuer: new URL(issuer ?? '', origin).href.replace(/\/$/, ''),
        ...(describes ? { client_id_metadata_document_supported: true } : {}),
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
      });
    else if (pathname === '/register') {
      const asks = JSON.parse(body) as { redirect_uris: string[] };
      const client_id = `client-${++count}`;
      clients.set(client_id, asks.redirect_uris);
      json(response, { ...asks, client_id }, 201);
    } else if (pathname === '/authorize') authorize(searchParams, response);
    else if (pathname === '/token') token(new URLSearchParams(body), response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atEnd(t, () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `${origin}/mcp`,
    asked,
    asks,
    expire: () => access.clear(),
    revoke: () => [access, refresh].forEach((all) => void all.clear()),
  };
}
