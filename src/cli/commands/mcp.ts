/** `hermes mcp list|check|approve|login`: the MCP servers that an agent would have here. */

import type { Config } from '../../agent/config.ts';
import { configuredServers, mcpFolder, openServers } from '../../agent/mcp.ts';
import { nearest } from '../../kernel/errors.ts';
import type { Mcp } from '../../mcp/open.ts';
import type { Server } from '../../mcp/server.ts';
import type { ServerConfig } from '../../mcp/types.ts';
import { confirm } from '../approve.ts';
import { type Cli, type ExitStatus, meaning, usageError } from '../context.ts';
import { inOwnWords } from '../errors.ts';
import { loadFor } from '../load.ts';
import type { BaseOptions } from '../options.ts';
import { onSignals, type Signals } from '../signals.ts';
import { harmless, table } from '../text.ts';

type JsonOption = BaseOptions & { json?: boolean };

/** Every server with what is known of it; only those are started whose tools nobody has seen yet. */
export function mcpList(cli: Cli, options: JsonOption): Promise<ExitStatus> {
  return withServers(cli, options, {}, async (mcp) => {
    const rows = [...mcp.servers.map((server) => rowOf(mcp, server)), ...unread(mcp)];
    if (options.json) cli.terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length > 0) {
      const head = (['mcp.name', 'mcp.tools', 'mcp.state', 'mcp.address'] as const).map((key) => cli.t(key));
      const cells = rows.map(({ name, tools, problems, trusted, address }) => {
        const state = problems.length > 0 ? cli.t('mcp.problems', { count: problems.length }) : cli.t(trusted ? 'mcp.trusted' : 'mcp.fine');
        return [name, String(tools.length), state, address ?? ''].map(harmless);
      });
      cli.terminal.out(table([head, ...cells], cli.terminal.tableColumns));
    }
    return tellProblems(cli, mcp, options);
  });
}

/** Starts the servers, or the one that is named, and tells what they offer and what is wrong. */
export function mcpCheck(cli: Cli, name: string | undefined, options: JsonOption): Promise<ExitStatus> {
  return withServers(cli, options, { fresh: true, only: name }, async (mcp) => {
    if (options.json)
      cli.terminal.out(
        `${JSON.stringify(
          mcp.servers.map((server) => rowOf(mcp, server)),
          null,
          2,
        )}\n`,
      );
    else
      for (const { info } of mcp.tools()) cli.terminal.out(harmless(`${info.name} (${info.level}): ${info.description.split('\n')[0]}\n`));
    return tellProblems(cli, mcp, options);
  });
}

/** Shows what has changed in a server's descriptions, and opens its tools again when the person agrees. */
export function mcpApprove(cli: Cli, name: string, options: BaseOptions & { yes?: boolean }): Promise<ExitStatus> {
  return withServers(cli, options, { fresh: true, only: name }, async (mcp) => {
    const [server] = mcp.servers;
    if (!server) return tellProblems(cli, mcp, options);
    const changed = server.tools().filter((tool) => tool.changed !== undefined);
    if (changed.length === 0) {
      cli.terminal.err(`${cli.t('mcp.unchanged', { name: harmless(name) })}\n`);
      return tellProblems(cli, mcp, options);
    }
    const { definitionDiff } = await import('../../mcp/diff.ts');
    for (const { definition, changed: now } of changed) {
      cli.terminal.err(`${cli.terminal.paint('bold', harmless(definition.name))}\n${harmless(definitionDiff(definition, now!))}\n`);
    }
    if (!options.yes && !cli.terminal.canAsk) throw usageError(cli.t('mcp.cannotAsk'), cli.t('mcp.cannotAsk.next', { name }));
    if (!options.yes && !(await confirm(cli, cli.t('mcp.agree', { count: changed.length })))) return 3;
    await server.agree(changed.map(({ definition }) => definition.name));
    cli.terminal.err(`${cli.t('mcp.agreed', { count: changed.length })}\n`);
    return 0;
  });
}

export async function mcpLogin(cli: Cli, name: string, options: BaseOptions): Promise<ExitStatus> {
  const config = await loadFor(cli, options);
  const server = await named(cli, config, name);
  const { login } = await import('../../mcp/login.ts');
  const controller = new AbortController();
  const signals = onSignals(() => controller.abort());
  try {
    const show = (url: URL) => cli.terminal.err(`${cli.t('mcp.open')}\n  ${harmless(url.href)}\n`);
    const isDone = await login(server, { folder: mcpFolder(config), show, signal: controller.signal, env: config.env });
    cli.terminal.err(`${cli.t(isDone ? 'mcp.loggedIn' : 'mcp.noLogin', { name: harmless(name) })}\n`);
    return 0;
  } finally {
    signals.end();
  }
}

async function withServers(
  cli: Cli,
  options: BaseOptions,
  which: { fresh?: boolean; only?: string | undefined },
  use: (mcp: Mcp) => Promise<ExitStatus>,
): Promise<ExitStatus> {
  const config = await loadFor(cli, options);
  if (which.only !== undefined) await named(cli, config, which.only);
  const signals: Signals = onSignals(() => process.exit(signals.status)); // the servers end with the program
  const mcp = await openServers(config, which);
  try {
    if (mcp) return await use(mcp);
    cli.terminal.err(`${cli.t('mcp.none')}\n`);
    return 0;
  } finally {
    await mcp?.close();
    signals.end();
  }
}

async function named(cli: Cli, config: Config, name: string): Promise<ServerConfig> {
  const { servers, off, diagnostics } = await configuredServers(config);
  const found = servers.find((server) => server.name === name);
  if (found) return found;
  const wrong = diagnostics.find(({ server }) => server === name);
  if (wrong) throw usageError(`${wrong.file}: ${wrong.message}`, cli.t('mcp.unknown.next'));
  if (off.includes(name)) throw usageError(cli.t('mcp.off', { name }), cli.t('mcp.off.next'));
  const near = nearest(
    name,
    servers.map((server) => server.name),
  );
  throw usageError(meaning(cli, cli.t('mcp.unknown', { name }), near), cli.t('mcp.unknown.next'));
}

function rowOf(mcp: Mcp, server: Server) {
  const { name, file, address, trusted } = server.config;
  return {
    name,
    file,
    address,
    trusted,
    tools: server.tools().map(({ definition, changed }) => ({ name: definition.name, ...(changed ? { changed: true } : {}) })),
    problems: mcp.diagnostics().flatMap(({ server: of, message }) => (of === name ? [message] : [])),
  };
}

/** Servers that are written wrong: they are none, and stand in the list all the same. */
function unread(mcp: Mcp) {
  const known = new Set(mcp.servers.map(({ config }) => config.name));
  return mcp
    .diagnostics()
    .filter(({ code, server }) => code === 'mcp_config' && server !== '' && !known.has(server))
    .map(({ server: name, file, message }) => ({ name, file, address: undefined, trusted: false, tools: [], problems: [message] }));
}

/** Exit status 1 when anything is wrong. */
function tellProblems(cli: Cli, mcp: Mcp, { quiet }: BaseOptions): ExitStatus {
  const problems = mcp.diagnostics();
  for (const { file: place, code, message } of quiet ? [] : problems) {
    const told = cli.t('mcp.bad', { place, message: inOwnWords(cli, { code, message }).message });
    cli.terminal.err(`${cli.terminal.paint('yellow', '!')} ${harmless(told)}\n`);
  }
  return problems.length === 0 ? 0 : 1;
}
