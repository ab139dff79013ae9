/** The configuration of the folder at hand, as far as the folder is trusted. */

import { type Config, loadConfig, type Override } from '../agent/config.ts';
import type { Found, TrustAnswer } from '../agent/trust.ts';
import type { Cli } from './context.ts';
import type { BaseOptions } from './options.ts';
import { harmless } from './text.ts';

/** For commands that act: a folder that nobody has decided about is asked about, or left inert, which is said. */
export async function loadFor(cli: Cli, options: BaseOptions, overrides: readonly Override[] = []): Promise<Config> {
  const config = await loadConfig({
    ...(options.config === undefined ? {} : { file: options.config }),
    overrides,
    trust: options.trust === true || (cli.terminal.canAsk && asking(cli)),
  });
  if (config.trust.state === 'untrusted' && !options.quiet) tellInert(cli, config.trust.found);
  return config;
}

export function tellInert(cli: Cli, found: readonly Found[]): void {
  const what = found.map(({ path }) => path).join(', ');
  cli.terminal.err(`${cli.terminal.paint('yellow', '!')} ${harmless(cli.t('trust.inert', { what }))}\n`);
}

function asking(cli: Cli): TrustAnswer {
  return async (folder) => (await import('./trust.ts')).askTrust(cli, folder);
}

/** For commands that only look: nobody is asked. */
export function lookFor(options: BaseOptions): Promise<Config> {
  return loadConfig({ ...(options.config === undefined ? {} : { file: options.config }), trust: options.trust === true });
}
