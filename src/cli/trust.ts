/** The question about a folder that is new here: what it holds, and what trusting it means. */

import type { FolderTrust, Found } from '../agent/trust.ts';
import { askYesNo } from './approve.ts';
import type { Cli } from './context.ts';
import { marked } from './question.ts';
import { visible } from './text.ts';

/** Names that the question lists of each kind; the rest is counted. */
const NAMED = 8;

/** undefined = the input has ended, nobody has answered. */
export async function askTrust(cli: Cli, { folder, found }: FolderTrust): Promise<boolean | undefined> {
  const { terminal, t } = cli;
  terminal.err(`${terminal.paint(['bold', 'yellow'], `? ${t('trust.new', { folder: visible(folder) })}`)}\n`);
  for (const one of found) terminal.err(marked(cli, `${one.path}: ${told(cli, one)}`));
  terminal.err(`  ${t('trust.means')}\n`);
  return askYesNo(cli, t('approval.confirm', { question: t('trust.ask') }));
}

function told({ t }: Cli, { kind, holds }: Found): string {
  const named = holds.slice(0, NAMED).join(', ');
  const files = holds.length > NAMED ? t('trust.more', { files: named, count: holds.length - NAMED }) : named;
  if (kind === 'config') return holds[0] ? t('trust.endpoint', { endpoint: holds[0] }) : t('trust.config');
  if (kind === 'mcp') return t('trust.mcp', { files });
  const keys = { tools: 'trust.code', env: 'trust.env', skills: 'trust.skills', instructions: 'trust.instructions' } as const;
  return t(keys[kind], { files });
}
