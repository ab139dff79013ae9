/** The way from arguments to an exit status: commands are found and run, help and errors told in the user's language. */

import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { HermesError } from '../kernel/errors.ts';
import { ofPackage } from '../package.ts';
import { buildCommands } from './commands.ts';
import { type Cli, type ExitStatus, usageError } from './context.ts';
import { printError, statusOf, toldError, withoutSecrets } from './errors.ts';
import { languageFrom } from './language.ts';
import { type MessageKey, translator } from './messages.ts';
import { Terminal } from './terminal.ts';
import { widthOf } from './text.ts';

/** Never rejects; ends the process with the exit status when everything that was written is out. */
export async function main(args: readonly string[]): Promise<void> {
  const language = languageFrom(args, process.env);
  const cli: Cli = { language, t: translator(language), terminal: new Terminal(), version: packageVersion() };
  const status = await execute(cli, args);
  await cli.terminal.flush();
  process.exit(status);
}

async function execute(cli: Cli, args: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = 0;
  const root = buildCommands(cli, (ended) => {
    status = ended;
  });
  for (const command of [root, ...allUnder(root)]) setUpOutput(cli, command);
  try {
    await root.parseAsync(args, { from: 'user' });
    return status;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const error = thrown instanceof CommanderError ? fromCommander(cli, thrown) : thrown;
    const told = toldError(cli, error);
    if (args.includes('--json')) cli.terminal.out(`${JSON.stringify({ status: 'error', error: told })}\n`);
    printError(cli, told);
    if (!(error instanceof HermesError) || process.env.HERMES_DEBUG === '1')
      cli.terminal.err(`${withoutSecrets((error as Error).stack ?? '')}\n`);
    return statusOf(error);
  }
}

function allUnder(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allUnder(child)]);
}

/** Errors come back as exceptions; help goes to standard output, with columns that fit Chinese too. */
function setUpOutput(cli: Cli, command: Command): void {
  const titles: Record<string, MessageKey> = { 'Usage:': 'help.usage', 'Arguments:': 'help.arguments', 'Commands:': 'help.commands' };
  command.exitOverride().configureOutput({ writeErr: () => {}, outputError: () => {}, getOutHelpWidth: () => cli.terminal.columns });
  command.configureHelp({
    styleTitle: (title) => cli.terminal.paintOut('bold', titles[title] ? cli.t(titles[title]) : title),
    displayWidth: widthOf,
  });
}

/** Commander's complaints, in the user's language. */
function fromCommander(cli: Cli, thrown: CommanderError): HermesError {
  const keys: Record<string, MessageKey> = {
    'commander.unknownOption': 'usage.unknownOption',
    'commander.unknownCommand': 'usage.unknownCommand',
    'commander.missingArgument': 'usage.missingArgument',
    'commander.optionMissingArgument': 'usage.optionMissingArgument',
    'commander.excessArguments': 'usage.excessArguments',
    'commander.help': 'usage.noSubcommand',
  };
  const key = keys[thrown.code];
  const name = /'([^']*)'/.exec(thrown.message)?.[1] ?? '';
  const near = /Did you mean (?:one of )?([^?]*)\?/.exec(thrown.message)?.[1];
  const message = key ? cli.t(key, { name }) : thrown.message.replace(/^error: /, '');
  return usageError(message + (near ? ` ${cli.t('usage.meant', { name: near })}` : ''), cli.t('usage.help', { command: 'hermes' }));
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(ofPackage('package.json'), 'utf8')) as { version: string }).version;
}
