/** The configured MCP servers as a source of tools: which files count, who is asked, and how their tools join the others. */

import { join } from 'node:path';
import type { JsonObject } from '../kernel/types.ts';
import type { ReadServers } from '../mcp/config.ts';
import type { Mcp } from '../mcp/open.ts';
import type { Elicit, ServerConfig } from '../mcp/types.ts';
import type { Tool } from '../tools/define.ts';
import type { Diagnostic } from '../tools/scan.ts';
import type { Config } from './config.ts';
import type { Approver } from './types.ts';

export interface OpenedTools {
  tools: readonly Tool[];
  diagnostics: Diagnostic[];
  /** See AgentOptions; absent = they stay as they are. */
  liveTools?(): readonly Tool[];
}

/** Of the user, for all folders; beside it lies what is known of servers. */
export function mcpFolder({ userFolder }: Pick<Config, 'userFolder'>): string {
  return join(userFolder, 'mcp');
}

/** `mcp.json` of the user, and `.mcp.json` of a folder that is trusted, which wins where both name a server. */
export async function configuredServers(config: Config): Promise<ReadServers> {
  const { root, env, userFolder, trust } = config;
  const { disabled, trusted } = config.values.mcp;
  const files = [join(userFolder, 'mcp.json'), ...(trust.state === 'trusted' ? [join(root, '.mcp.json')] : [])];
  const { readServers } = await import('../mcp/config.ts');
  const read = await Promise.all(files.map((file) => readServers(file, { env, root, disabled, trusted })));
  const servers = new Map<string, ServerConfig>();
  for (const one of read) {
    for (const name of one.off) servers.delete(name);
    for (const server of one.servers) servers.set(server.name, server);
  }
  const off = read.flatMap((one) => one.off).filter((name) => !servers.has(name));
  return { servers: [...servers.values()], off, diagnostics: read.flatMap((one) => one.diagnostics) };
}

export interface OpenServersOptions {
  approver?: Approver | undefined;
  /** Each is asked, also those whose tools are known. */
  fresh?: boolean;
  /** No other than this one. */
  only?: string | undefined;
}

/** undefined = none is configured, and nothing of it is loaded. */
export async function openServers(config: Config, { approver, fresh = false, only }: OpenServersOptions = {}): Promise<Mcp | undefined> {
  const configured = await configuredServers(config);
  const isMeant = (name: string) => only === undefined || name === only;
  const servers = configured.servers.filter(({ name }) => isMeant(name));
  const diagnostics = configured.diagnostics.filter(({ server }) => isMeant(server));
  if (servers.length + diagnostics.length === 0) return undefined;
  const { openMcp } = await import('../mcp/open.ts');
  const { start_seconds, call_seconds } = config.values.mcp;
  const mcp = await openMcp({
    servers,
    folder: mcpFolder(config),
    startMs: Math.round(start_seconds * 1000),
    callMs: Math.round(call_seconds * 1000),
    env: config.env,
    fresh,
    ...(approver ? { elicit: askedBy(approver) } : {}),
  });
  return { ...mcp, diagnostics: () => [...diagnostics, ...mcp.diagnostics()] };
}

/** The tools of servers beside all others. A name that is taken stays with the tool that has it. */
export function withServers(own: readonly Tool[], diagnostics: readonly Diagnostic[], mcp: Mcp, disabled: readonly string[]): OpenedTools {
  const files = new Set(own.map(({ info }) => info.name));
  const left = new Set([...files, ...disabled]);
  const together = () => [...own, ...from.filter(({ info }) => !left.has(info.name))];
  let from = mcp.tools();
  let all = together();
  return {
    tools: all,
    diagnostics: [...diagnostics, ...mcp.diagnostics(), ...takenNames(from, files)],
    liveTools() {
      if (mcp.tools() === from) return all;
      from = mcp.tools();
      all = together();
      return all;
    },
  };
}

function takenNames(tools: readonly Tool[], taken: ReadonlySet<string>): Diagnostic[] {
  const message = (name: string) => `the MCP tool ${name} is not used: another tool has its name; rename one of them, or the server`;
  return tools
    .filter(({ info }) => taken.has(info.name))
    .map(({ info }) => ({ file: '.mcp.json', code: 'mcp_taken', message: message(info.name) }));
}

/**
 * A server's question goes the way of approvals: a yes sends the values that the server proposes itself. Where it wants values that only
 * a person can make up, it is told no.
 */
function askedBy(approver: Approver): Elicit {
  return async ({ server, message, schema }, signal) => {
    const { properties = {}, required = [] } = schema as { properties?: Record<string, JsonObject>; required?: string[] };
    if (!required.every((name) => properties[name]?.default !== undefined)) return { action: 'decline' };
    const content = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => (property.default === undefined ? [] : [[name, property.default]])),
    );
    const id = `elicit_${crypto.randomUUID()}`;
    const call = { call_id: id, name: server, level: 'dangerous', arguments: content, hash: '', reason: message } as const;
    const answer = await approver({ approvalId: id, runId: '', calls: [call] }, { signal });
    const isYes = answer === true || (typeof answer === 'object' && answer.decision === 'approve');
    return isYes ? { action: 'accept', content } : { action: answer === undefined ? 'cancel' : 'decline' };
  };
}
