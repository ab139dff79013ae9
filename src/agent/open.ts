/** The agent that a configuration describes: its store, log, tools, model and permissions. What the command line and the server run. */

import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { idleRules, matchesPattern } from '../guards/permissions.ts';
import { type Log, type LogProblem, openLog } from '../journal/log.ts';
import { createSecrets } from '../journal/secrets.ts';
import { readSigningKey, signEnds } from '../journal/sign.ts';
import { openSqliteStore } from '../journal/sqlite.ts';
import type { EventStore } from '../journal/store.ts';
import { HermesError, nearest } from '../kernel/errors.ts';
import { providersOf } from '../models/profiles.ts';
import type { Skills } from '../skills/scan.ts';
import type { Tool } from '../tools/define.ts';
import { lackOf } from '../tools/needs.ts';
import { type Diagnostic, type Scanned, scanTools, type ToolFolder } from '../tools/scan.ts';
import { READ_RESULT } from '../tools/shape/read-result.ts';
import { Agent } from './agent.ts';
import { LOAD_SKILL } from './catalogue.ts';
import type { Config } from './config.ts';
import { defined } from './defined.ts';
import { GUARD_OPTIONS } from './guards.ts';
import { readInstructionFiles } from './instruction-files.ts';
import { knownSecrets } from './known-secrets.ts';
import { libraryAddress } from './library.ts';
import { type OpenedTools, openServers, withServers } from './mcp.ts';
import { SHIPPED_TOOLS } from './shipped.ts';
import { openSkills, skillFoldersOutside, withSkills } from './skills.ts';
import { checkToolSettings } from './tool-settings.ts';
import type { AgentOptions, Approver, GuardOptions, ModelOption, RunLimits } from './types.ts';

export interface OpenOptions extends Pick<AgentOptions, 'onApproval' | 'pull' | 'onNotice'> {
  /** provider:model, an alias of the configuration, or a model itself; wins over the configuration. */
  model?: ModelOption;
  /** For this run, on top of the configuration. */
  allow?: readonly string[];
  deny?: readonly string[];
  /** Language of the program's own words. */
  language?: 'zh' | 'en';
  /** Told of log files that could not be written or were changed. */
  onLogProblem?(problem: LogProblem): void;
  /** Told of tool files that could not be used. */
  onDiagnostic?(diagnostic: Diagnostic): void;
}
export interface OpenedAgent {
  agent: Agent;
  store: EventStore;
  tools: readonly Tool[];
  diagnostics: readonly Diagnostic[];
  /** Ends everything that was opened; what has been committed is in the log then. */
  close(): Promise<void>;
}

export async function openAgent(config: Config, options: OpenOptions = {}): Promise<OpenedAgent> {
  const { agent: settings, model, permissions, tools: toolSettings } = config.values;
  const secrets = secretsOf(config);
  const { store, close: closeStore } = await openStore(config, { secrets, ...defined({ onLogProblem: options.onLogProblem }) });
  try {
    const [opened, instructions] = await Promise.all([openTools(config, options.onApproval), readInstructionFiles(config)]);
    const { tools, diagnostics, liveTools, skills } = opened;
    for (const notice of [...instructions.problems, ...misspeltRules(config, tools, options.language)]) options.onNotice?.(notice);
    for (const diagnostic of diagnostics) options.onDiagnostic?.(diagnostic);
    checkNamed(config, tools, [...(options.allow ?? []), ...(options.deny ?? [])]);
    const agent = new Agent({
      ...modelOptions(config, options),
      ...defined({ onApproval: options.onApproval, timezone: settings.timezone }),
      ...(settings.system_prompt ? { instructions: settings.system_prompt } : {}),
      instructionFiles: instructions.files,
      skills: isOffered(LOAD_SKILL, tools, settings.tool_white_list) ? skills.texts : [],
      ...(settings.language === 'auto' ? {} : { language: settings.language }),
      fallback: model.fallback.map((name) => config.aliases[name] ?? name),
      protocol: model.protocol,
      tools,
      ...defined({ liveTools }),
      preselect: toolSettings.preselect,
      toolSettings: withReadable(config.toolSettings, skillFoldersOutside(skills, config.root)),
      store,
      secrets,
      workspace: config.root,
      codeFolders: codeFolders(config),
      permissions: {
        whiteList: settings.tool_white_list,
        allow: [...permissions.allow, ...config.remembered, ...(options.allow ?? [])],
        ask: permissions.ask,
        deny: [...permissions.deny, ...(options.deny ?? [])],
        approvalDays: permissions.approval_days,
      },
      limits: { maxSteps: settings.max_steps, maxSeconds: settings.max_seconds, ...budgetOptions(config) },
      guards: guardOptions(config),
      toolTimeoutMs: toolSettings.timeout_seconds * 1000,
      resultCharacters: toolSettings.result_characters,
      readBack: tools.some(({ info }) => info.name === READ_RESULT), // shipped, and switched off as any other tool
      maxParallel: toolSettings.max_parallel,
      ...(config.env.HERMES_DEBUG === '1' ? { debugDirectory: join(config.root, '.hermes', 'debug') } : {}),
    });
    const close = async () => {
      await agent.close();
      await closeStore();
    };
    return { agent, store, tools, diagnostics, close };
  } catch (error) {
    await closeStore();
    throw error;
  }
}

function budgetOptions({ values }: Config): RunLimits {
  const { run_tokens, run_cost, day_tokens, day_cost, currency, unknown_price } = values.limits;
  const caps = defined({ runTokens: run_tokens, runCost: run_cost, dayTokens: day_tokens, dayCost: day_cost });
  return { ...caps, currency, unknownPrice: unknown_price };
}

function guardOptions({ values }: Config): GuardOptions {
  return Object.fromEntries([...GUARD_OPTIONS].map(([option, name]) => [option, values.guards[name]]));
}

/** What the configuration says of the model that is asked, without those that it falls back on. */
export function modelOptions(config: Config, options: Pick<OpenOptions, 'model' | 'pull' | 'language' | 'onNotice'>): AgentOptions {
  const { model } = config.values;
  const named = typeof options.model === 'string' ? (config.aliases[options.model] ?? options.model) : options.model;
  return {
    packagesFrom: config.trust.state === 'trusted' ? config.root : null,
    ...defined({
      model: named,
      pull: options.pull,
      onNotice: options.onNotice,
      contextWindow: model.context_window,
      maxTokens: model.max_tokens,
    }),
    choice: { config: choiceOf(config), ...defined({ language: options.language }) },
    ...(config.sources['model.temperature']?.origin === 'default' ? {} : { temperature: model.temperature }),
    ...(model.reasoning === 'provider-default' ? {} : { reasoning: model.reasoning }),
    prices: config.prices,
    env: config.env,
  };
}

/**
 * A tool that was named for this run (--tools, --allow, --deny) and is not there is a mistake, and so is one of --tools that is not set up;
 * patterns and the file may name what others have.
 */
function checkNamed({ values, sources, toolSettings, env }: Config, tools: readonly Tool[], rules: readonly string[]): void {
  const isListed = sources['agent.tool_white_list']?.origin === 'option';
  const names = tools.map((tool) => tool.info.name);
  const given = [...(isListed ? values.agent.tool_white_list : []), ...rules.map((rule) => rule.split(/[:@]/, 1)[0]!)];
  const missing = given.find((name) => name !== '' && !name.includes('*') && !names.includes(name));
  if (missing === undefined) {
    if (!isListed) return;
    const named = tools.filter(({ info }) => values.agent.tool_white_list.includes(info.name));
    const lack = named.map((tool) => lackOf(tool, toolSettings[tool.info.name] ?? {}, env)).find((one) => one !== undefined);
    if (lack) throw new HermesError('not_set_up', lack, { kind: 'usage', next: 'set it in hermes_config.toml, the environment or .env' });
    return;
  }
  const near = nearest(missing, names);
  throw new HermesError('unknown_tool', `there is no tool "${missing}"`, {
    kind: 'usage',
    next: near ? `did you mean ${near}?` : '`hermes tools list` shows what there is',
  });
}

const MISSPELT = {
  en: (list: string, rule: string, near: string) => `${list} "${rule}" matches no tool; did you mean ${near}?`,
  zh: (list: string, rule: string, near: string) => `${list} “${rule}” 不匹配任何工具；是不是想写 ${near}？`,
};

/** A rule of the file that matches no tool may be meant for another folder, but for one that names a tool here nearly. */
function misspeltRules({ values }: Config, tools: readonly Tool[], language: 'zh' | 'en' = 'en'): string[] {
  const infos = tools.map(({ info }) => info);
  const off = values.tools.disabled;
  const names = infos.map(({ name }) => name);
  const { allow, ask, deny } = values.permissions;
  const idle = idleRules({ allow, ask, deny, white_list: values.agent.tool_white_list.filter((name) => name !== '') }, infos);
  return idle.flatMap(({ list, rule, why }) => {
    const [name = ''] = rule.split(/[:@]/, 1);
    const near = why === 'no_tool' && !names.includes(name) && !off.includes(name) ? nearest(name, names) : undefined;
    return near === undefined ? [] : [MISSPELT[language](list === 'white_list' ? 'tool_white_list' : list, rule, near)];
  });
}

/** The tools that the program ships, those of the configured folders, skills, and those of MCP servers. */
export async function openTools(
  config: Config,
  approver?: Approver,
): Promise<OpenedTools & Pick<Scanned, 'hints' | 'files'> & { skills: Skills }> {
  const { disabled } = config.values.tools;
  const [files, skills, mcp] = await Promise.all([scanFolders(config), openSkills(config), openServers(config, { approver })]);
  const scanned = { ...withSkills(files, skills, disabled), skills };
  const opened = mcp ? { ...scanned, ...withServers(scanned.tools, scanned.diagnostics, mcp, disabled) } : scanned;
  try {
    checkToolSettings(config, opened.tools);
    return opened;
  } catch (error) {
    await Promise.all(opened.tools.map((tool) => tool.close?.()));
    throw error;
  }
}

function scanFolders(config: Config): Promise<Scanned> {
  const { directories, disabled } = config.values.tools;
  const own = directories.map((directory) => resolve(config.root, directory)).filter((directory) => directory !== SHIPPED_TOOLS.path);
  const folders: ToolFolder[] = [SHIPPED_TOOLS, ...own];
  return scanTools(folders, { disabled, library: libraryAddress(), cacheFile: join(config.root, '.hermes', 'cache', 'tools.json') });
}

function isOffered(name: string, tools: readonly Tool[], whiteList: readonly string[]): boolean {
  return tools.some(({ info }) => info.name === name) && whiteList.some((pattern) => matchesPattern(pattern, name));
}

/** Those of the configuration, and those that it would name without one: they are taken up when it goes. */
function codeFolders({ root, values }: Config): string[] {
  const named = ['tools', 'skills', ...values.tools.directories, ...values.skills.directories];
  return [...new Set(named.map((folder) => resolve(root, folder)))];
}

/** The shell tool sees these folders as well: skills bring scripts. */
function withReadable(settings: Config['toolSettings'], folders: readonly string[]): Config['toolSettings'] {
  const { readable = [] } = settings.shell ?? {};
  if (folders.length === 0 || !Array.isArray(readable)) return settings;
  return { ...settings, shell: { ...settings.shell, readable: [...readable, ...folders] } };
}

export interface OpenedStore {
  store: EventStore;
  close(): Promise<void>;
}

/** `.hermes/` beside the configuration: the database, and the JSON Lines log that is written from it. */
export async function openStore(
  config: Config,
  options: { secrets?: Readonly<Record<string, string>>; onLogProblem?(problem: LogProblem): void } = {},
): Promise<OpenedStore> {
  const folder = join(config.root, '.hermes');
  const { json_lines, sign_key } = config.values.logging;
  const key = sign_key === undefined ? undefined : await readSigningKey(resolve(config.root, sign_key));
  await makeFolder(folder);
  const { hide } = createSecrets(options.secrets ?? secretsOf(config));
  const store = await openSqliteStore({ file: join(folder, 'hermes.db'), hide });
  const directory = join(folder, 'logs');
  const report = options.onLogProblem ?? ((problem) => process.emitWarning(problem.message));
  let log: Log | undefined;
  if (json_lines) {
    log = openLog({ store, directory, report });
    await log.catchUp();
  }
  const signer = key && signEnds({ store, directory, report }, key);
  const close = async () => {
    await store.flush();
    await log?.close();
    await signer?.close();
    await store.close();
  };
  return { store, close };
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new HermesError('folder_unwritable', `${folder} cannot be made: ${(error as Error).message}`, {
      kind: 'store',
      next: 'run hermes in a folder that you may write to, or name one with -C DIR; a run is never made unsaved',
      cause: error,
    });
  }
}

function secretsOf(config: Config): Record<string, string> {
  return knownSecrets(
    config,
    providersOf(config.env).flatMap((provider) => provider.keys),
  );
}

function choiceOf(config: Config) {
  const { provider, model, base_url, api_key_env } = config.values.model;
  const name = model && !provider && config.aliases[model] ? config.aliases[model] : model;
  return defined({ provider, model: name, base_url, api_key_env }) as {
    provider?: string;
    model?: string;
    base_url?: string;
    api_key_env?: string;
  };
}
