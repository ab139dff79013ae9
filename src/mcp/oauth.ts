/** The tokens of a server that was logged in to, in a file of the user's own (0600), renewed as they run out. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { HermesError } from '../kernel/errors.ts';
import { hashOf } from '../tools/define.ts';
import { writePrivate } from './known.ts';
import type { HttpServer, ServerConfig } from './types.ts';

interface Stored {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  redirect?: string;
  /** Who gives out the tokens: an answer of anybody else is refused. */
  discovery?: OAuthDiscoveryState;
  /** Rights, with blanks between them, that calls have asked for in vain; the next login asks for them once. */
  wanted?: string;
}

export type Login = OAuthClientProvider;

/** A server's tokens belong to its address: another address never gets them. */
export function tokenFile(folder: string, { name, transport }: ServerConfig): string {
  return join(folder, 'oauth', `${hashOf(name, (transport as HttpServer).url)}.json`);
}

/** undefined = nobody has logged in to it. */
export async function storedLogin(folder: string, server: ServerConfig): Promise<Login | undefined> {
  if (server.transport.type === 'stdio') return undefined;
  const stored = await readStored(tokenFile(folder, server));
  if (!stored.tokens) return undefined;
  const again = () => {
    throw new HermesError('mcp_login', `the login to the MCP server "${server.name}" has run out`, {
      kind: 'tool',
      next: `hermes mcp login ${server.name}`,
      data: { server: server.name },
    });
  };
  return provider(tokenFile(folder, server), stored, server.transport, stored.redirect ?? 'http://127.0.0.1/callback', again);
}

/** A call wants more rights than the login has. */
export async function wantMore(folder: string, server: ServerConfig, scope: string): Promise<void> {
  const file = tokenFile(folder, server);
  const stored = await readStored(file);
  await writePrivate(file, { ...stored, wanted: together(stored.wanted, scope) });
}

/** What a new login asks for beside what the server names: the rights of the last one, and those that were wanted since. */
export async function takeWanted(file: string): Promise<string> {
  const { wanted, ...stored } = await readStored(file);
  if (wanted !== undefined) await writePrivate(file, stored); // once: a right that nobody can give must not bar every login
  return together(stored.tokens?.scope, wanted);
}

/** The rights of all of them, each once. */
export function together(...scopes: (string | null | undefined)[]): string {
  return [...new Set(scopes.flatMap((scope) => scope?.split(/\s+/) ?? []))].filter((right) => right !== '').join(' ');
}

/** `open` is handed the address at which the person says yes. Nothing is kept before there are tokens: a login that is broken off changes nothing. */
export function provider(file: string, stored: Stored, { oauth }: HttpServer, redirect: string, open: (url: URL) => void): Login {
  const { clientId, clientSecret } = oauth ?? {};
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  // An address is a document about this client: a service that reads such documents needs no registration.
  const isAddress = clientId !== undefined && /^https:\/\/[^/]+\/./.test(clientId);
  const known = clientId === undefined || isAddress ? undefined : { client_id: clientId, ...secret };
  let verifier = '';
  const state = crypto.randomUUID();
  const write = async () => {
    const { wanted } = await readStored(file); // a call may have written it since
    await writePrivate(file, { ...stored, wanted });
  };
  const keep = async (more: Stored) => {
    Object.assign(stored, more);
    if (stored.tokens) await write();
  };
  return {
    ...(isAddress ? { clientMetadataUrl: clientId } : {}),
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'hermes-agent',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    clientInformation: (asked) => stored.client ?? (known && { ...known, ...(asked ? { issuer: asked.issuer } : {}) }),
    saveClientInformation: (client) => keep({ client, redirect }),
    tokens: () => stored.tokens,
    // Renewed ones that say nothing of rights have those that there were.
    saveTokens: (tokens) => keep({ tokens: { ...(stored.tokens?.scope ? { scope: stored.tokens.scope } : {}), ...tokens }, redirect }),
    saveDiscoveryState: async (discovery) => {
      checkIssuer(discovery);
      await keep({ discovery });
    },
    discoveryState: () => stored.discovery,
    redirectToAuthorization: open,
    saveCodeVerifier: (code) => {
      verifier = code;
    },
    codeVerifier: () => verifier,
    invalidateCredentials: async (scope) => {
      if (scope === 'all' || scope === 'tokens') delete stored.tokens;
      if (scope === 'all' || scope === 'client') delete stored.client;
      if (scope === 'all' || scope === 'discovery') delete stored.discovery;
      await write();
    },
  };
}

/**
 * RFC 8414, 3.3: who is asked has to be who answers, else the code of one service could be led to another. One exception: what stands
 * at the root of a host may speak for a path of the same host, as servers of the protocol's 2025-03-26 do. The SDK would refuse that.
 */
function checkIssuer({ authorizationServerUrl: asked, authorizationServerMetadata: metadata }: OAuthDiscoveryState): void {
  if (!metadata || [asked, asked.replace(/\/$/, '')].includes(metadata.issuer)) return;
  const { origin, pathname } = new URL(asked);
  if (pathname === '/' && URL.canParse(metadata.issuer) && new URL(metadata.issuer).origin === origin) return;
  throw new Error(`${asked} speaks for somebody else: its metadata names the issuer ${metadata.issuer}`);
}

async function readStored(file: string): Promise<Stored> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Stored;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || error instanceof SyntaxError) return {}; // as if nobody had logged in yet
    throw error;
  }
}
