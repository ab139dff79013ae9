/** What `openMcp` of the library takes: servers as a `.mcp.json` names them. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { parseServers } from './config.ts';
import { type Mcp, type McpOptions, openMcp } from './open.ts';

export interface OpenMcpOptions extends Omit<McpOptions, 'servers' | 'folder'> {
  /** Where what is known of servers and their tokens lie; default: hermes/mcp in the user's configuration folder. */
  folder?: string;
  /** Folder that servers are started in; default: the working directory. */
  root?: string;
  /** Names of servers whose own hints count; default: none. */
  trusted?: readonly string[];
}

/** Throws a HermesError that names every entry that is written wrong. A server that cannot be started is in `diagnostics()`. */
export function openMcpServers(mcpServers: Readonly<Record<string, unknown>>, options: OpenMcpOptions = {}): Promise<Mcp> {
  const { root = process.cwd(), trusted = [], folder = userFolder(), ...rest } = options;
  const { servers, diagnostics } = parseServers(mcpServers, join(root, 'mcpServers'), { env: options.env ?? process.env, root, trusted });
  if (diagnostics.length > 0) {
    const next = 'write them as in .mcp.json: { NAME: { command, args, env } } or { NAME: { url, headers } }';
    throw new HermesError('mcp_config', diagnostics.map(({ message }) => message).join('; '), { kind: 'usage', next });
  }
  return openMcp({ ...rest, servers, folder });
}

function userFolder(): string {
  return join(process.env.XDG_CONFIG_HOME || join(process.env.HOME || homedir(), '.config'), 'hermes', 'mcp');
}
