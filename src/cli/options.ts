/** The options that commands share, and what each of them means to the configuration. */

import { type Command, Option } from 'commander';
import type { Override } from '../agent/config.ts';
import { type Cli, usageError } from './context.ts';
import type { Language } from './language.ts';
import type { MessageKey } from './messages.ts';

/** Options that every command takes. */
export interface BaseOptions {
  config?: string;
  dir?: string;
  lang?: Language;
  quiet?: boolean;
  verbose?: boolean;
  trust?: boolean;
}

/** Options of the commands that run a request. */
export interface RunOptions extends BaseOptions {
  model?: string;
  protocol?: string;
  maxSteps?: string;
  tools?: string;
  session?: string;
  continue?: boolean;
  file?: string[];
  json?: boolean;
  events?: boolean;
  allow?: string[];
  deny?: string[];
  onApproval?: OnApproval;
  offline?: boolean;
  /** File with the JSON Schema of the answer. */
  outputSchema?: string;
  /** Not an option: the run has been waiting before. */
  parked?: boolean;
}
export type OnApproval = 'ask' | 'wait' | 'deny';

export function addBaseOptions(cli: Cli, command: Command): Command {
  const option = maker(cli, 'help.group.common');
  return command
    .addOption(option('--config <file>', 'help.o.config'))
    .addOption(option('-C, --dir <folder>', 'help.o.dir'))
    .addOption(option('--lang <language>', 'help.o.lang').argParser(oneOf(cli, '--lang', ['zh', 'en'])))
    .addOption(option('--trust', 'help.o.trust'))
    .addOption(option('-q, --quiet', 'help.o.quiet'))
    .addOption(option('-v, --verbose', 'help.o.verbose'))
    .addHelpOption(option('-h, --help', 'help.help'));
}

/** `hide`: understood, but not shown in the help (of `hermes` itself, where they would bury the commands). */
export function addRunOptions(cli: Cli, command: Command, hide = false): Command {
  const model = maker(cli, 'help.group.model');
  const input = maker(cli, 'help.group.input');
  const control = maker(cli, 'help.group.control');
  const output = maker(cli, 'help.group.output');
  const options = [
    model('-m, --model <provider:model>', 'help.o.model'),
    model('--protocol <name>', 'help.o.protocol'),
    model('--offline', 'help.o.offline'),
    input('-f, --file <file>', 'help.o.file').argParser(collect),
    input('--session <id>', 'help.o.session'),
    input('--continue', 'help.o.continue'),
    control('--tools <names>', 'help.o.tools'),
    control('--max-steps <n>', 'help.o.maxSteps'),
    control('--allow <tool>', 'help.o.allow').argParser(collect),
    control('--deny <tool>', 'help.o.deny').argParser(collect),
    control('--on-approval <what>', 'help.o.onApproval').argParser(oneOf(cli, '--on-approval', ['ask', 'wait', 'deny'])),
    output('--json', 'help.o.json'),
    output('--events', 'help.o.events'),
  ];
  for (const option of options) command.addOption(hide ? option.hideHelp() : option);
  return command;
}

/** What the options change in the configuration; the table of keys checks the values. */
export function overridesOf(options: RunOptions): Override[] {
  const overrides: Override[] = [];
  const add = (key: string, value: unknown, option: string) => value !== undefined && overrides.push({ key, value, option });
  add('model.protocol', options.protocol, '--protocol');
  add('agent.max_steps', options.maxSteps, '--max-steps');
  add('agent.tool_white_list', options.tools, '--tools');
  add('agent.language', options.lang, '--lang');
  return overrides;
}

function maker(cli: Cli, group: MessageKey): (flags: string, key: MessageKey) => Option {
  return (flags, key) => new Option(flags, cli.t(key)).helpGroup(cli.t(group));
}

export function collect(value: string, earlier: string[] | undefined): string[] {
  return [...(earlier ?? []), value];
}

function oneOf(cli: Cli, name: string, choices: readonly string[]): (value: string) => string {
  return (value) => {
    if (choices.includes(value)) return value;
    const message = cli.t('usage.oneOf', { name, choices: choices.join(', '), got: value });
    throw usageError(message, cli.t('usage.example', { example: `${name} ${choices[0]}` }));
  };
}

export function wholeNumber(cli: Cli, name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw usageError(cli.t('usage.wholeNumber', { name, got: text }), cli.t('usage.example', { example: `${name} 10` }));
}
