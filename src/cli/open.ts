/** The agent of the project at hand, as configuration and options describe it. */

import type { Config } from '../agent/config.ts';
import { type OpenedAgent, openAgent } from '../agent/open.ts';
import type { JsonObject } from '../kernel/types.ts';
import { type Cli, usageError } from './context.ts';
import { inOwnWords } from './errors.ts';
import { loadFor } from './load.ts';
import { overridesOf, type RunOptions } from './options.ts';
import { harmless } from './text.ts';
import type { Turn } from './turn.ts';

/** Options that contradict each other or the table of keys are refused before anything is opened. */
export function configFor(cli: Cli, options: RunOptions): Promise<Config> {
  if (options.continue && options.session !== undefined) {
    throw usageError(cli.t('usage.sessionTwice'), cli.t('usage.help', { command: 'hermes run' }));
  }
  if (options.json && options.events) throw usageError(cli.t('usage.jsonAndEvents'), cli.t('usage.help', { command: 'hermes run' }));
  return loadFor(cli, options, overridesOf(options));
}

export async function openFor(cli: Cli, config: Config, options: RunOptions, turn: Turn): Promise<OpenedAgent> {
  const { terminal, t, language } = cli;
  const { approver } = turn;
  return openAgent(config, {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(approver === undefined ? {} : { onApproval: approver }),
    ...(options.offline ? {} : { pull: turn.pull }),
    allow: options.allow ?? [],
    deny: options.deny ?? [],
    language,
    onLogProblem: ({ message }) => terminal.err(`${terminal.paint('yellow', '!')} ${message}\n`),
    onNotice: (text) => options.quiet || terminal.err(`${terminal.paint('yellow', '!')} ${harmless(text)}\n`),
    onDiagnostic: ({ file, line, code, message }) => {
      if (options.quiet) return;
      const place = line === undefined ? file : `${file}:${line}`;
      const told = { place, message: inOwnWords(cli, { code, message }).message };
      terminal.err(`${terminal.paint('yellow', '!')} ${harmless(t(code.startsWith('mcp_') ? 'mcp.bad' : 'tools.bad', told))}\n`);
    },
  });
}

/** The schema that --output-schema names, as an option of the run; refused before anything is opened. */
export async function outputFor({ outputSchema }: RunOptions): Promise<{ output?: JsonObject }> {
  if (outputSchema === undefined) return {};
  return { output: await (await import('../agent/output-file.ts')).readOutputSchema(outputSchema) };
}

/** The session that the options name; undefined = a new one. */
export async function sessionFor(cli: Cli, config: Config, { store }: OpenedAgent, options: RunOptions): Promise<string | undefined> {
  if (!options.continue) return options.session;
  const last = await store.sessions.lastIn(config.root);
  if (last === undefined && !options.quiet) cli.terminal.err(`${cli.t('run.noSession')}\n`);
  return last;
}
