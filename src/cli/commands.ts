/** Every command by name: what it takes, and the file that carries it out, which is loaded when it is called. */

import { Command, Option } from 'commander';
import { type HermesError, nearest } from '../kernel/errors.ts';
import type { AnswerOptions } from './commands/approvals.ts';
import type { EvalCommandOptions } from './commands/eval.ts';
import type { AddOptions, CheckOptions } from './commands/skills.ts';
import { type Cli, type ExitStatus, meaning, usageError } from './context.ts';
import { reasonOf } from './errors.ts';
import type { MessageKey } from './messages.ts';
import { addBaseOptions, addRunOptions, type BaseOptions, collect, type RunOptions } from './options.ts';

type Given<O = BaseOptions> = [options: O];
type Json = { json?: boolean };
type SigningKey = { key?: string };

interface Tree {
  cli: Cli;
  root: Command;
  /** Takes the exit status of the command that ran. */
  end(status: ExitStatus): void;
}

export function buildCommands(cli: Cli, end: (status: ExitStatus) => void): Command {
  const { t } = cli;
  const root = new Command('hermes').description(t('help.program')).enablePositionalOptions().allowExcessArguments();
  root.version(cli.version, '-V, --version', t('help.version')).helpCommand('help [command]', t('help.helpCommand'));
  root.addHelpText('after', `\n${t('help.more')}`);
  addRunOptions(cli, addBaseOptions(cli, root), true);
  const tree: Tree = { cli, root, end };
  addWork(tree);
  addRuns(tree);
  addApprovals(tree);
  addSetUp(tree);
  root.action(async (options: RunOptions, command: Command) => {
    const [word] = command.args;
    if (word !== undefined) throw unknownCommand(cli, root, word);
    if (!cli.terminal.canAsk) throw usageError(t('usage.noCommand'), t('usage.help', { command: 'hermes' }));
    if (options.dir) changeFolder(cli, options.dir);
    end(await (await import('./commands/chat.ts')).chatCommand(cli, options));
  });
  return root;
}

// ---- the commands, in the order of the help ------------------------------------------------------------

function addWork(tree: Tree): void {
  const { cli, root } = tree;
  root.commandsGroup(cli.t('help.group.work'));
  const run = add(tree, root, 'run [request...]', 'help.run', async (request: string[], options: RunOptions) =>
    (await import('./commands/run.ts')).runCommand(cli, request, options),
  );
  const chat = add(tree, root, 'chat', 'help.chat', async (options: RunOptions) =>
    (await import('./commands/chat.ts')).chatCommand(cli, options),
  );
  for (const command of [run, chat]) addRunOptions(cli, command);
  run.addOption(outputSchema(cli));
  addEval(tree);
}

function addEval(tree: Tree): void {
  const { cli, root } = tree;
  add(tree, root, 'eval [files...]', 'help.eval', async (files: string[], options: EvalCommandOptions) =>
    (await import('./commands/eval.ts')).evalCommand(cli, files, options),
  )
    .addOption(plain(cli, '-m, --model <provider:model>', 'help.o.evalModel').argParser(collect))
    .addOption(plain(cli, '--protocol <name>', 'help.o.protocol'))
    .addOption(plain(cli, '--repeat <n>', 'help.o.repeat'))
    .addOption(plain(cli, '--parallel <n>', 'help.o.parallel'))
    .addOption(plain(cli, '--filter <text>', 'help.o.filter'))
    .addOption(plain(cli, '--json', 'help.o.json'))
    .addOption(plain(cli, '--out <file>', 'help.o.out'))
    .addOption(plain(cli, '--compare <file>', 'help.o.compare'));
}

function addRuns(tree: Tree): void {
  const { cli, root } = tree;
  root.commandsGroup(cli.t('help.group.look'));
  const runs = add(tree, root, 'runs', 'help.runs');
  const looking = () => import('./commands/runs.ts');
  const goingOn = () => import('./commands/continue.ts');
  const list = add(tree, runs, 'list', 'help.runs.list', async (...[options]: Given) => (await looking()).runsList(cli, options));
  list.addOption(plain(cli, '-n, --limit <n>', 'help.o.limit')).addOption(plain(cli, '--session <id>', 'help.o.ofSession'));
  const show = add(tree, runs, 'show <run>', 'help.runs.show', async (id: string, options: BaseOptions & Json) =>
    (await looking()).runsShow(cli, id, options),
  );
  const tail = add(tree, runs, 'tail <run>', 'help.runs.tail', async (id: string, options: BaseOptions & Json) =>
    (await looking()).runsTail(cli, id, options),
  );
  const verify = add(tree, runs, 'verify [run...]', 'help.runs.verify', async (ids: string[], options: BaseOptions & Json & SigningKey) =>
    (await looking()).runsVerify(cli, ids, options),
  );
  verify.addOption(plain(cli, '--key <file>', 'help.o.publicKey'));
  const sign = add(tree, runs, 'sign <run...>', 'help.runs.sign', async (ids: string[], options: BaseOptions & SigningKey) =>
    (await looking()).runsSign(cli, ids, options),
  );
  sign.addOption(plain(cli, '--key <file>', 'help.o.privateKey'));
  const replay = add(tree, runs, 'replay <run>', 'help.runs.replay', async (id: string, options: BaseOptions & Json) =>
    (await goingOn()).runsReplay(cli, id, options),
  );
  const stats = add(tree, runs, 'stats', 'help.runs.stats', async (...[options]: Given) =>
    (await import('./commands/stats.ts')).runsStats(cli, options),
  );
  stats.addOption(plain(cli, '-n, --limit <n>', 'help.o.limit'));
  for (const command of [list, show, tail, verify, replay, stats]) command.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  const resume = add(tree, runs, 'resume <run>', 'help.runs.resume', async (id: string, options: RunOptions) =>
    (await goingOn()).runsResume(cli, id, options),
  );
  const fork = add(
    tree,
    runs,
    'fork <run> [request...]',
    'help.runs.fork',
    async (id: string, words: string[], options: RunOptions & { at?: string }) => (await goingOn()).runsFork(cli, id, words, options),
  );
  for (const command of [resume, fork]) addRunOptions(cli, command);
  fork.addOption(plain(cli, '--at <n>', 'help.o.at')).addOption(outputSchema(cli));
  const prune = add(tree, runs, 'prune', 'help.runs.prune', async (...[options]: Given) => (await looking()).runsPrune(cli, options));
  prune.addOption(plain(cli, '--older-than <days>', 'help.o.olderThan')).addOption(plain(cli, '--yes', 'help.o.yes'));
}

function addApprovals(tree: Tree): void {
  const { cli, root } = tree;
  const approvals = add(tree, root, 'approvals', 'help.approvals');
  const file = () => import('./commands/approvals.ts');
  const list = add(tree, approvals, 'list', 'help.approvals.list', async (options: BaseOptions & Json) =>
    (await file()).approvalsList(cli, options),
  );
  list.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  const approve = add(tree, approvals, 'approve <id>', 'help.approvals.approve', async (id: string, options: AnswerOptions) =>
    (await file()).approvalsApprove(cli, id, options),
  );
  const words = add(
    tree,
    approvals,
    'answer <id> <text>',
    'help.approvals.answer',
    async (id: string, text: string, options: AnswerOptions) => (await file()).approvalsAnswer(cli, id, text, options),
  );
  addRunOptions(cli, words);
  const deny = add(tree, approvals, 'deny <id>', 'help.approvals.deny', async (id: string, options: AnswerOptions) =>
    (await file()).approvalsDeny(cli, id, options),
  );
  approve.addOption(plain(cli, '--always', 'help.o.always'));
  for (const command of [approve, deny]) addRunOptions(cli, command).addOption(plain(cli, '--note <text>', 'help.o.note'));
}

function addSetUp(tree: Tree): void {
  const { cli, root } = tree;
  root.commandsGroup(cli.t('help.group.setup'));
  add(tree, root, 'init', 'help.init', async (options: BaseOptions) => (await import('./commands/init.ts')).initCommand(cli, options));
  addTools(tree);
  addSkills(tree);
  addMcp(tree);
  const models = add(tree, root, 'models', 'help.models');
  const local = () => import('./commands/models.ts');
  const list = add(tree, models, 'list', 'help.models.list', async (options: BaseOptions & Json) =>
    (await local()).modelsList(cli, options),
  );
  list.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  const pull = add(
    tree,
    models,
    'pull [source]',
    'help.models.pull',
    async (source: string | undefined, options: BaseOptions & { yes?: boolean }) => (await local()).modelsPull(cli, source, options),
  );
  pull.addOption(plain(cli, '--yes', 'help.o.agree'));
  add(tree, models, 'rm <name>', 'help.models.rm', async (name: string, options: BaseOptions) =>
    (await local()).modelsRemove(cli, name, options),
  );
  const test = add(
    tree,
    models,
    'test [model]',
    'help.models.test',
    async (name: string | undefined, options: BaseOptions & Json & { protocol?: string }) =>
      (await import('./commands/models-test.ts')).modelsTest(cli, name, options),
  );
  test.addOption(plain(cli, '--protocol <name>', 'help.o.onlyProtocol')).addOption(plain(cli, '--json', 'help.o.jsonArray'));
  const config = add(tree, root, 'config', 'help.config');
  const show = add(tree, config, 'show', 'help.config.show', async (options: BaseOptions & Json) =>
    (await import('./commands/config.ts')).configShow(cli, options),
  );
  show.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  const doctor = add(tree, root, 'doctor', 'help.doctor', async (options: BaseOptions & Json) =>
    (await import('./commands/doctor.ts')).doctorCommand(cli, options),
  );
  doctor.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  add(tree, root, 'completion <shell>', 'help.completion', async (shell: string) =>
    (await import('./commands/completion.ts')).completionCommand(cli, root, shell),
  );
}

function addTools(tree: Tree): void {
  const { cli, root } = tree;
  const tools = add(tree, root, 'tools', 'help.tools');
  const file = () => import('./commands/tools.ts');
  const list = add(tree, tools, 'list', 'help.tools.list', async (options: BaseOptions & Json) => (await file()).toolsList(cli, options));
  const show = add(tree, tools, 'show <name>', 'help.tools.show', async (name: string, options: BaseOptions & Json) =>
    (await file()).toolsShow(cli, name, options),
  );
  const check = add(tree, tools, 'check', 'help.tools.check', async (options: BaseOptions & Json) =>
    (await file()).toolsCheck(cli, options),
  );
  const call = add(
    tree,
    tools,
    'call <name> [arguments...]',
    'help.tools.call',
    async (name: string, words: string[], options: RunOptions) => (await file()).toolsCall(cli, name, words, options),
  );
  for (const command of [list, show, check, call]) command.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  call.addOption(
    plain(cli, '--allow <tool>', 'help.o.allow').argParser((tool, earlier: string[] | undefined) => [...(earlier ?? []), tool]),
  );
}

function addSkills(tree: Tree): void {
  const { cli, root } = tree;
  const skills = add(tree, root, 'skills', 'help.skills');
  const file = () => import('./commands/skills.ts');
  const list = add(tree, skills, 'list', 'help.skills.list', async (options: BaseOptions & Json) =>
    (await file()).skillsList(cli, options),
  );
  const check = add(tree, skills, 'check [name]', 'help.skills.check', async (name: string | undefined, options: CheckOptions) =>
    (await file()).skillsCheck(cli, name, options),
  );
  for (const command of [list, check]) command.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  const adding = add(tree, skills, 'add <source>', 'help.skills.add', async (source: string, options: AddOptions) =>
    (await file()).skillsAdd(cli, source, options),
  );
  const remove = add(tree, skills, 'remove <name>', 'help.skills.remove', async (name: string, options: AddOptions) =>
    (await file()).skillsRemove(cli, name, options),
  );
  check.addOption(plain(cli, '--accept', 'help.o.accept'));
  adding.addOption(plain(cli, '--path <folder>', 'help.o.path'));
  for (const command of [adding, remove]) command.addOption(plain(cli, '--user', 'help.o.user'));
  for (const command of [check, adding, remove]) command.addOption(plain(cli, '--yes', 'help.o.yes'));
}

function addMcp(tree: Tree): void {
  const { cli, root } = tree;
  const mcp = add(tree, root, 'mcp', 'help.mcp');
  const file = () => import('./commands/mcp.ts');
  const list = add(tree, mcp, 'list', 'help.mcp.list', async (options: BaseOptions & Json) => (await file()).mcpList(cli, options));
  const check = add(tree, mcp, 'check [name]', 'help.mcp.check', async (name: string | undefined, options: BaseOptions & Json) =>
    (await file()).mcpCheck(cli, name, options),
  );
  for (const command of [list, check]) command.addOption(plain(cli, '--json', 'help.o.jsonArray'));
  add(tree, mcp, 'approve <name>', 'help.mcp.approve', async (name: string, options: BaseOptions & { yes?: boolean }) =>
    (await file()).mcpApprove(cli, name, options),
  ).addOption(plain(cli, '--yes', 'help.o.agree'));
  add(tree, mcp, 'login <name>', 'help.mcp.login', async (name: string, options: BaseOptions) =>
    (await file()).mcpLogin(cli, name, options),
  );
}

// ---- making one ----------------------------------------------------------------------------------------------

/** Options that stood before the command's name count as well. Without an action it only holds sub-commands. */
function add<A extends unknown[]>(
  { cli, root, end }: Tree,
  parent: Command,
  usage: string,
  key: MessageKey,
  action?: (...given: A) => Promise<ExitStatus>,
): Command {
  const command = addBaseOptions(cli, parent.command(usage).description(cli.t(key)).allowExcessArguments(false));
  if (!action) return command.helpCommand(false);
  return command.action(async (...given) => {
    const options = { ...root.opts(), ...command.opts() };
    if (options.dir) changeFolder(cli, options.dir);
    end(await action(...([...given.slice(0, -2), options] as A)));
  });
}

function plain(cli: Cli, flags: string, key: MessageKey): Option {
  return new Option(flags, cli.t(key)).helpGroup(cli.t('help.options'));
}

function outputSchema(cli: Cli): Option {
  return new Option('--output-schema <file>', cli.t('help.o.outputSchema')).helpGroup(cli.t('help.group.output'));
}

function changeFolder(cli: Cli, folder: string): void {
  try {
    process.chdir(folder);
  } catch (error) {
    throw usageError(cli.t('usage.noFolder', { folder, reason: reasonOf(cli, error) }), cli.t('next.noFolder'));
  }
}

export function unknownCommand(cli: Cli, parent: Command, name: string): HermesError {
  const near = nearest(
    name,
    parent.commands.map((command) => command.name()),
  );
  return usageError(meaning(cli, cli.t('usage.unknownCommand', { name }), near), cli.t('usage.help', { command: parent.name() }));
}
