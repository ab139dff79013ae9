/** The way from arguments to an exit status: commands are found and run, help and errors told in the user's language. */

import { readFileSync } from 'node:fs';
import { type Command, CommanderError } from 'commander';
import { HermesError } from '../kernel/errors.ts';
import { ofPackage } from '../package.ts';
import { buildCommands, unknownCommand } from './commands.ts';
import { type Cli, type ExitStatus, meaning, usageError } from './context.ts';
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
  const { lost } = cli.terminal;
  if (lost) {
    printError(cli, toldError(cli, new HermesError('output_unwritable', lost.message, { data: { reason: lost.message } })));
    await cli.terminal.flush();
  }
  process.exit(lost && status === 0 ? 1 : status);
}

async function execute(cli: Cli, args: readonly string[]): Promise<ExitStatus> {
  let status: ExitStatus = 0;
  const root = buildCommands(cli, (ended) => {
    status = ended;
  });
  for (const command of [root, ...allUnder(root)]) setUpOutput(cli, command, args);
  try {
    await root.parseAsync(args, { from: 'user' });
    return status;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    const told = toldError(cli, thrown);
    if (args.includes('--json')) cli.terminal.out(`${JSON.stringify({ status: 'error', error: told })}\n`);
    printError(cli, told);
    if (!(thrown instanceof HermesError) || process.env.HERMES_DEBUG === '1')
      cli.terminal.err(`${withoutSecrets((thrown as Error).stack ?? '')}\n`);
    return statusOf(thrown);
  }
}

function allUnder(command: Command): Command[] {
  return command.commands.flatMap((child) => [child, ...allUnder(child)]);
}

/** Errors come back as exceptions; help goes to standard output, with columns that fit Chinese too. */
function setUpOutput(cli: Cli, command: Command, args: readonly string[]): void {
  const titles: Record<string, MessageKey> = {
    'Usage:': 'help.usage',
    'Arguments:': 'help.arguments',
    'Options:': 'help.options',
    'Commands:': 'help.commands',
  };
  command.exitOverride((thrown) => {
    throw thrown.exitCode === 0 ? thrown : fromCommander(cli, command, thrown, args);
  });
  command.configureOutput({ writeErr: () => {}, outputError: () => {}, getOutHelpWidth: () => cli.terminal.columns });
  command.configureHelp({
    styleTitle: (title) => cli.terminal.paintOut('bold', titles[title] ? cli.t(titles[title]) : title),
    displayWidth: widthOf,
  });
}

/** Commander's complaints about what was given to a command, in the user's language. */
function fromCommander(cli: Cli, command: Command, thrown: CommanderError, args: readonly string[]): HermesError {
  const keys: Record<string, MessageKey> = {
    'commander.unknownOption': 'usage.unknownOption',
    'commander.unknownCommand': 'usage.unknownCommand',
    'commander.missingArgument': 'usage.missingArgument',
    'commander.optionMissingArgument': 'usage.optionMissingArgument',
    'commander.excessArguments': 'usage.excessArguments',
    'commander.help': 'usage.noSubcommand',
  };
  // `hermes help NAME` with a name that is none ends as the help of hermes.
  if (thrown.code === 'commander.help' && !command.parent) return unknownCommand(cli, command, args[args.indexOf('help') + 1] ?? '');
  const path = pathOf(command);
  const values = {
    command: path,
    name: /'([^']*)'/.exec(thrown.message)?.[1] ?? '',
    expected: command.registeredArguments.length,
    got: / but got (.*)\.$/s.exec(thrown.message)?.[1] ?? '',
    choices: command.commands.map((child) => child.name()).join(', '),
  };
  const near = /Did you mean (?:one of )?([^?]*)\?/.exec(thrown.message)?.[1];
  const key = keys[thrown.code];
  const message = key ? cli.t(key, values) : thrown.message.replace(/^error: /, '');
  return usageError(meaning(cli, message, near), cli.t('usage.help', { command: path }));
}

/** As it is typed: `hermes runs show`. */
function pathOf(command: Command): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(ofPackage('package.json'), 'utf8')) as { version: string }).version;
}
