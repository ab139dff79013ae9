/** What goes wrong with a server, in words that name it and say what to do. */

import { existsSync } from 'node:fs';
import { HermesError } from '../kernel/errors.ts';
import { cut } from '../kernel/text.ts';
import { cleanText } from '../tools/result.ts';
import type { ServerConfig, StdioServer } from './types.ts';

export type Sdk = typeof import('@modelcontextprotocol/client');

export interface Circumstances {
  server: ServerConfig;
  /** What a program said last, as the end of a sentence. */
  said: string;
  /** Milliseconds that it had to start, and for the call; undefined = there was none, or it was ended. */
  startMs: number;
  callMs: number | undefined;
  /** It had not answered when its time to start was over. */
  isLate: boolean;
  /** We have ended it ourselves. */
  isEnded: boolean;
}

/** Any error of the SDK or the network. */
export function failureOf(error: unknown, sdk: Sdk, { server, said, startMs, callMs, isLate, isEnded }: Circumstances): HermesError {
  const { name, transport } = server;
  const fail = (code: string, what: string, next: string, data = {}) =>
    new HermesError(code, `the MCP server "${name}" ${what}${said}`, { kind: 'tool', next, cause: error, data: { server: name, ...data } });
  const look = transport.type === 'stdio' ? 'start its command by hand to see more' : 'check its address, and that it runs';
  if (error instanceof HermesError && error.code !== 'mcp_closed') return error;
  const { code } = error as { code?: unknown };
  if ((code === 'ENOENT' || code === 'EACCES') && transport.type === 'stdio')
    return fail('mcp_not_found', `cannot be started: ${whyNot(transport, code)}`, 'install it, or correct its configuration');
  if (needsLogin(error, sdk)) {
    return hasOwnHeader(transport)
      ? fail('mcp_login', 'does not accept the Authorization header of its configuration', 'correct the header')
      : fail('mcp_login', 'wants you to log in', `hermes mcp login ${name}`);
  }
  if (error instanceof sdk.InsufficientScopeError) {
    const { requiredScope: scope } = error;
    const rights = scope ? `: ${cut(cleanText(scope), 200)}` : '';
    return fail('mcp_login', `wants more rights than your login has${rights}`, `hermes mcp login ${name}`, scope ? { scope } : {});
  }
  // Which of the two clocks rings first is chance; it is late either way.
  if (code === 'REQUEST_TIMEOUT' || isLate) {
    const next = callMs === undefined ? look : 'try a smaller task, or go on without it';
    return fail('timeout', `did not answer within ${(callMs ?? startMs) / 1000} s`, next);
  }
  if (isEnded) return fail('cancelled', 'was ended', 'call it again');
  if (code === 'CONNECTION_CLOSED' || error instanceof HermesError)
    return fail('mcp_ended', 'has ended', `${look}; the next call starts it anew`);
  if (error instanceof sdk.ProtocolError)
    return fail('mcp_refused', `refuses: ${plainReason(error)}`, callMs === undefined ? look : 'mend the arguments, or go on without it');
  const status = error instanceof sdk.SdkHttpError ? error.data.status : undefined;
  if (status === 404 || status === 405) return fail('mcp_no_such_way', `answers ${status}`, 'check its address');
  return fail('mcp_failed', `cannot be used: ${plainReason(error)}`, look);
}

/** The reason of an error of the SDK or the network, without the step of the SDK that met it and its list of what it expected. */
export function plainReason(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  const said = cleanText(message ?? String(error)).replace(/^Version negotiation probe failed: |: [[{]\n[\s\S]*$/g, '');
  const code = cause?.code ?? '';
  return cut(said.includes(code) ? said : `${said} ${code}`, 500);
}

/** A key of the user's own, in its configuration. */
export function hasOwnHeader(server: ServerConfig['transport']): boolean {
  return server.type !== 'stdio' && Object.keys(server.headers).some((header) => /^authorization$/i.test(header));
}

function needsLogin(error: unknown, sdk: Sdk): boolean {
  return error instanceof sdk.UnauthorizedError || (error instanceof sdk.SdkHttpError && error.data.status === 401);
}

function whyNot({ command, cwd }: StdioServer, code: string): string {
  if (code === 'EACCES') return `${command} is no program that may be run`;
  if (!existsSync(cwd)) return `there is no folder ${cwd}`;
  return `there is no program ${command}${/\s/.test(command) ? '; arguments belong into args' : ''}`;
}
