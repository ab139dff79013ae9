/** All configured servers at once: their tools with names of their own, and what is wrong with any of them. */

import type { Tool } from '../tools/define.ts';
import { toolNames } from './names.ts';
import { reasonOf, Server, type ServerOptions } from './server.ts';
import { toTool } from './tools.ts';
import type { Elicit, McpDiagnostic, ServerConfig } from './types.ts';

export interface McpOptions {
  servers: readonly ServerConfig[];
  /** Of the user, where what is known of servers and their tokens lie. */
  folder: string;
  /** Milliseconds until a server is ready; default 30,000, which leaves time for npx to fetch one. */
  startMs?: number;
  /** Milliseconds of one call; default 60,000. */
  callMs?: number;
  /** Asks the person what a server wants to know; default: servers are told that nobody can be asked. */
  elicit?: Elicit;
  /** Where the proxy variables are read; default process.env. */
  env?: NodeJS.ProcessEnv;
  /** Ask every server, also those whose tools are known. */
  fresh?: boolean;
}
export interface Mcp {
  /** The same list until a server has other tools. Closing any tool of a server ends that server; a later call starts it again. */
  tools(): readonly Tool[];
  /** What is wrong now. */
  diagnostics(): readonly McpDiagnostic[];
  servers: readonly Server[];
  /** Ends every server that was started. */
  close(): Promise<void>;
}

/** Never rejects for what a server does. A server that is not known yet is started, all of them at the same time. */
export async function openMcp(options: McpOptions): Promise<Mcp> {
  const { startMs = 30_000, callMs = 60_000, fresh = false } = options;
  const failed = new Map<Server, unknown>();
  let made: { tools: Tool[]; diagnostics: McpDiagnostic[] } | undefined;
  const serverOptions: ServerOptions = {
    folder: options.folder,
    startMs,
    callMs,
    ...(options.elicit ? { elicit: options.elicit } : {}),
    ...(options.env ? { env: options.env } : {}),
    onChange: () => {
      made = undefined;
    },
  };
  const servers = options.servers.map((config) => new Server(config, serverOptions));
  await Promise.all(servers.map((server) => server.load(fresh).catch((error) => failed.set(server, error))));
  const all = () => {
    made ??= makeTools(servers, failed, startMs + callMs + 1_000);
    return made;
  };
  return {
    tools: () => all().tools,
    diagnostics: () => all().diagnostics,
    servers,
    close: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

function makeTools(servers: readonly Server[], failed: ReadonlyMap<Server, unknown>, timeoutMs: number) {
  const tools: Tool[] = [];
  const diagnostics: McpDiagnostic[] = [];
  const names = toolNames(
    servers.map((server) => ({ name: server.config.name, tools: server.tools().map(({ definition }) => definition.name) })),
  );
  for (const server of servers) {
    const { name, file } = server.config;
    const tell = (code: string, message: string) => diagnostics.push({ file, code, message, server: name });
    if (failed.has(server)) tell('mcp_server', reasonOf(failed.get(server), '; its tools are missing'));
    const carrier = {
      server: server.config,
      timeoutMs,
      refusal: (tool: string) => server.refusal(tool),
      call: server.call.bind(server),
      close: () => server.close(),
    };
    for (const { definition, changed } of server.tools()) {
      if (changed)
        tell(
          'mcp_changed',
          `the tool ${definition.name} of "${name}" is described otherwise than when you agreed to it; \`hermes mcp approve ${name}\` shows how`,
        );
      try {
        tools.push(toTool(names.get(name)!.get(definition.name)!, definition, carrier));
      } catch (error) {
        tell('mcp_tool', `the tool ${definition.name} of "${name}" cannot be used: ${(error as Error).message.replace(/\s*\n\s*/g, ' ')}`);
      }
    }
  }
  return { tools, diagnostics };
}
