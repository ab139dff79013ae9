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

/** `open` is handed the address at which the person says yes. */
export function provider(file: string, stored: Stored, { oauth }: HttpServer, redirect: string, open: (url: URL) => void): Login {
  const { clientId, clientSecret } = oauth ?? {};
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret };
  const known = clientId === undefined ? undefined : { client_id: clientId, ...secret };
  let verifier = '';
  const state = crypto.randomUUID();
  const keep = (more: Stored) => writePrivate(file, Object.assign(stored, more));
  return {
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'hermes-agent',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => state,
    clientInformation: () => stored.client ?? known,
    saveClientInformation: (client) => keep({ client, redirect }),
    tokens: () => stored.tokens,
    saveTokens: (tokens) => keep({ tokens, redirect }),
    saveDiscoveryState: (discovery) => keep({ discovery }),
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
      await keep({});
    },
  };
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
