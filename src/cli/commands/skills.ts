/** `hermes skills list|check|add|remove`: the skills that an agent would have here. */

import { basename, dirname, join } from 'node:path';
import type { Config } from '../../agent/config.ts';
import { builtInNames, openSkills, pinsFile, projectSkills, userSkills } from '../../agent/skills.ts';
import { lookAtFolder, trustOf } from '../../agent/trust.ts';
import { nearest } from '../../kernel/errors.ts';
import { runCommand } from '../../models/command.ts';
import { type AddPlan, acceptSkill, namedSkills, type PlannedSkill, planAdd, removeSkill } from '../../skills/install.ts';
import type { FoundSkill, Skills } from '../../skills/scan.ts';
import type { SkillDiagnostic } from '../../skills/types.ts';
import { confirm } from '../approve.ts';
import { type Cli, type ExitStatus, meaning, usageError } from '../context.ts';
import { inOwnWords } from '../errors.ts';
import { loadFor, tellInert } from '../load.ts';
import type { BaseOptions } from '../options.ts';
import { harmless, table } from '../text.ts';

type JsonOption = BaseOptions & { json?: boolean };
type YesOption = BaseOptions & { yes?: boolean; user?: boolean };
export type AddOptions = YesOption & { path?: string };
export type CheckOptions = JsonOption & { accept?: boolean; yes?: boolean };

/** Files that are listed of one skill; the rest is counted. */
const LISTED = 40;

export async function skillsList(cli: Cli, options: JsonOption): Promise<ExitStatus> {
  const skills = await openSkills(await loadFor(cli, options));
  if (options.json) cli.terminal.out(`${JSON.stringify(skills.found, null, 2)}\n`);
  else if (skills.found.length > 0) {
    const head = (['skills.name', 'skills.kind', 'skills.state', 'skills.from'] as const).map((key) => cli.t(key));
    const rows = skills.found.map((one) =>
      [one.name, cli.t(`skills.kind.${one.kind}`), stateOf(cli, one), placeOf(cli, one)].map(harmless),
    );
    cli.terminal.out(table([head, ...rows], cli.terminal.tableColumns));
  }
  const hasOwn = skills.found.some(({ origin }) => origin !== 'bundled');
  if (!hasOwn && !options.json && !options.quiet) cli.terminal.err(`${cli.t('skills.none')}\n`);
  tellAll(cli, skills.diagnostics, 'yellow', options);
  return skills.diagnostics.length === 0 ? 0 : 1;
}

/** What is wrong with the skills, or with one; --accept agrees to what has changed in it since it was added. */
export async function skillsCheck(cli: Cli, name: string | undefined, options: CheckOptions): Promise<ExitStatus> {
  const config = await loadFor(cli, options);
  const skills = await openSkills(config);
  const meant = name === undefined ? skills.found : find(cli, skills, name);
  if (options.accept) return accept(cli, config, skills, meant, options);
  const files = new Set(meant.map(({ file }) => file));
  const isMeant = ({ file }: SkillDiagnostic) => name === undefined || files.has(file);
  const [diagnostics, hints] = [skills.diagnostics.filter(isMeant), skills.hints.filter(isMeant)];
  if (options.json) cli.terminal.out(`${JSON.stringify({ skills: meant, diagnostics, hints }, null, 2)}\n`);
  else {
    for (const one of [...diagnostics, ...hints]) cli.terminal.out(harmless(`${toldIn(cli, one)} (${one.code})\n`));
  }
  const good = meant.filter(({ state }) => state === 'used').length;
  cli.terminal.err(`${cli.t('skills.checked', { good, bad: diagnostics.length, hints: hints.length })}\n`);
  return diagnostics.length === 0 ? 0 : 1;
}

/** Shows what would be added, and adds it when the person agrees. Nothing of it runs. */
export async function skillsAdd(cli: Cli, source: string, options: AddOptions): Promise<ExitStatus> {
  const config = await loadFor(cli, options);
  const into = options.user ? userSkills(config) : (projectSkills(config)[0] ?? join(config.root, 'skills'));
  const plan = await planAdd({
    source,
    into,
    pinsFile: pinsFile(config),
    cwd: config.cwd,
    run: runCommand,
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  show(cli, plan);
  if (!(await agreed(cli, cli.t('skills.agree', { count: plan.skills.length }), options))) return 3;
  await plan.carryOut();
  for (const { target } of plan.skills) cli.terminal.err(`${harmless(cli.t('skills.added', { target }))}\n`);
  if (!options.user) await trustOwn(cli, config);
  return 0;
}

export async function skillsRemove(cli: Cli, name: string, options: YesOption): Promise<ExitStatus> {
  const config = await loadFor(cli, options);
  const found = find(cli, await openSkills(config), name);
  const own = [...(options.user ? [] : projectSkills(config)), userSkills(config)];
  const skill = own.flatMap((folder) => found.filter((one) => dirname(one.folder) === folder)).at(0);
  if (!skill) throw usageError(cli.t('skills.notOurs', { name, folder: found[0]!.folder }), cli.t('skills.notOurs.next', { name }));
  if (!(await agreed(cli, cli.t('skills.remove', { folder: skill.folder }), options))) return 3;
  await removeSkill(skill.folder, pinsFile(config));
  cli.terminal.err(`${harmless(cli.t('skills.removed', { folder: skill.folder }))}\n`);
  return 0;
}

async function accept(cli: Cli, config: Config, skills: Skills, meant: readonly FoundSkill[], options: CheckOptions): Promise<ExitStatus> {
  const changed = meant.filter(({ state }) => state === 'changed');
  if (changed.length === 0) {
    cli.terminal.err(`${cli.t('skills.unchanged')}\n`);
    return 0;
  }
  tellAll(
    cli,
    skills.diagnostics.filter(({ file }) => changed.some((one) => one.file === file)),
    'yellow',
    {},
  );
  if (!(await agreed(cli, cli.t('skills.accept', { names: changed.map(({ folder }) => folder).join(', ') }), options))) return 3;
  for (const { folder } of changed) await acceptSkill(folder, pinsFile(config));
  cli.terminal.err(`${cli.t('skills.accepted', { count: changed.length })}\n`);
  return 0;
}

// ---- what is shown -----------------------------------------------------------------------------------------

function show(cli: Cli, { source, commit, skills }: AddPlan): void {
  const { terminal, t } = cli;
  const say = (text: string) => terminal.err(`${harmless(text)}\n`);
  say(t('skills.plan', { source: commit === undefined ? source : `${source} (${commit.slice(0, 12)})` }));
  for (const skill of skills) {
    terminal.err(`\n${terminal.paint('bold', harmless(`${skill.name} → ${skill.target}`))}\n`);
    for (const line of linesOf(cli, skill)) say(`  ${line}`);
  }
  terminal.err('\n');
}

function linesOf({ t }: Cli, { tools, texts, files, bytes, hash, hints }: PlannedSkill): string[] {
  const builtIn = new Set(builtInNames());
  return [
    ...tools.flatMap(({ name, level, description, acts }) => [
      t('skills.plan.tool', { name, level, description }),
      ...(acts ? [`  ${t('skills.plan.acts', { acts })}`] : []),
      ...(builtIn.has(name) ? [`  ${t('skills.plan.replaces', { name })}`] : []),
    ]),
    ...texts.map(({ name, description }) => t('skills.plan.text', { name, description })),
    ...files.slice(0, LISTED).map((file) => `${file.path}  ${file.bytes}`),
    ...(files.length > LISTED ? [`… +${files.length - LISTED}`] : []),
    t('skills.plan.sum', { files: files.length, bytes }),
    `sha256 ${hash}`,
    ...hints.map((hint) => `! ${hint}`),
  ];
}

function stateOf(cli: Cli, { state, source }: FoundSkill): string {
  const told = cli.t(`skills.state.${state}`);
  return source === undefined ? told : `${told}, ${cli.t('skills.addedFrom', { source })}`;
}

function placeOf(cli: Cli, { origin, folder }: FoundSkill): string {
  return origin === 'bundled' ? cli.t('skills.bundled') : folder;
}

function tellAll(cli: Cli, diagnostics: readonly SkillDiagnostic[], colour: 'yellow', { quiet }: { quiet?: boolean }): void {
  if (quiet) return;
  for (const one of diagnostics) cli.terminal.err(`${cli.terminal.paint(colour, '!')} ${harmless(toldIn(cli, one))}\n`);
}

function toldIn(cli: Cli, { file, line, code, message }: SkillDiagnostic): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${inOwnWords(cli, { code, message }).message}`;
}

// ---- asking ------------------------------------------------------------------------------------------------

async function agreed(cli: Cli, question: string, { yes }: { yes?: boolean }): Promise<boolean> {
  if (yes) return true;
  if (!cli.terminal.canAsk) throw usageError(cli.t('skills.cannotAsk'), cli.t('skills.cannotAsk.next'));
  return confirm(cli, harmless(question));
}

/** A folder that held nothing to be trusted before holds now what its user has agreed to. */
async function trustOwn(cli: Cli, config: Config): Promise<void> {
  const { root, file, env, userFolder, cwd, trust } = config;
  const found = await lookAtFolder(root, { env, userFolder, cwd }, file);
  if (trust.state === 'nothing') await trustOf(root, found, { env, userFolder, answer: true });
  else if (trust.state === 'untrusted') tellInert(cli, found);
}

function find(cli: Cli, { found }: Skills, name: string): FoundSkill[] {
  const named = namedSkills(found, name);
  if (named.length > 0) return named;
  const near = nearest(
    name,
    found.flatMap((one) => [one.name, basename(one.folder)]),
  );
  throw usageError(meaning(cli, cli.t('skills.unknown', { name }), near), cli.t('skills.unknown.next'));
}
