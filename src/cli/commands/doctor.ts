/** `hermes doctor`: what is set up, what is missing, and the command that mends it. It changes nothing. */

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../agent/config.ts';
import { readInstructionFiles } from '../../agent/instruction-files.ts';
import { openTools } from '../../agent/open.ts';
import { factsOf } from '../../agent/permits.ts';
import { changedSince } from '../../agent/trust.ts';
import { idleRules } from '../../guards/permissions.ts';
import { openSqliteStore } from '../../journal/sqlite.ts';
import { errorData } from '../../kernel/errors.ts';
import { EMBEDDED_DEFAULT, findModel, listModels, modelsDirectory } from '../../models/catalogue.ts';
import { runCommand } from '../../models/command.ts';
import { reachProblem } from '../../models/reach.ts';
import { type ModelChoice, resolveModel } from '../../models/resolve.ts';
import { hasRuntime } from '../../models/runtime.ts';
import { lackOf } from '../../tools/needs.ts';
import type { Cli, ExitStatus } from '../context.ts';
import { inOwnWords, toldError } from '../errors.ts';
import { lookFor } from '../load.ts';
import type { MessageKey } from '../messages.ts';
import type { BaseOptions } from '../options.ts';
import { harmless } from '../text.ts';

interface Finding {
  what: MessageKey;
  state: 'good' | 'fair' | 'bad';
  detail: string;
  /** The command that mends it, or what to do. */
  mend?: string;
}

const CONNECT_MS = 3000;

export async function doctorCommand(cli: Cli, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  const findings: Finding[] = [{ what: 'doctor.node', state: 'good', detail: `${process.version} (${process.execPath})` }];
  const config = await checkConfig(cli, options, findings);
  if (config) {
    findings.push(
      await checkTrust(cli, config),
      await checkEnvFile(cli, config),
      ...(await checkModel(cli, config)),
      await checkStore(cli, config),
      ...(await checkTools(cli, config)),
      await checkSandbox(cli, config),
      ...(await checkInstructions(cli, config)),
    );
  }
  if (options.json)
    cli.terminal.out(
      `${JSON.stringify(
        findings.map(({ what, ...rest }) => ({ what: what.slice('doctor.'.length), ...rest })),
        null,
        2,
      )}\n`,
    );
  else for (const finding of findings) print(cli, finding);
  return findings.some(({ state }) => state === 'bad') ? 1 : 0;
}

function print(cli: Cli, { what, state, detail, mend }: Finding): void {
  const { terminal, t } = cli;
  const mark = { good: terminal.paintOut('green', '✓'), fair: terminal.paintOut('yellow', '!'), bad: terminal.paintOut('red', '✗') }[state];
  terminal.out(`${mark} ${t(what)}${t('doctor.colon')}${harmless(detail)}\n`);
  if (mend) terminal.out(`    → ${harmless(mend)}\n`);
}

async function checkConfig(cli: Cli, options: BaseOptions, findings: Finding[]): Promise<Config | undefined> {
  const what = 'doctor.config';
  try {
    const config = await lookFor(options);
    const files = [config.userFile, config.file].filter((file) => file !== undefined);
    findings.push({ what, state: 'good', detail: files.join(', ') || cli.t('doctor.defaults') });
    return config;
  } catch (error) {
    const { message, next } = inOwnWords(cli, toldError(cli, error));
    findings.push({ what, state: 'bad', detail: message, ...(next ? { mend: next } : {}) });
    return undefined;
  }
}

async function checkEnvFile(cli: Cli, { root }: Config): Promise<Finding> {
  const what = 'doctor.env';
  const file = join(root, '.env');
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) return { what, state: 'good', detail: cli.t('doctor.noEnv') };
  const isOpen = process.platform !== 'win32' && (found.mode & 0o077) !== 0;
  return isOpen
    ? { what, state: 'fair', detail: cli.t('doctor.openEnv', { file }), mend: `chmod 600 "${file}"` }
    : { what, state: 'good', detail: file };
}

/** Which model would answer, and whether it could. */
async function checkModel(cli: Cli, config: Config): Promise<Finding[]> {
  const what = 'doctor.model';
  const directory = modelsDirectory({ ...config.env });
  const { provider, model, base_url, api_key_env } = config.values.model;
  try {
    const choice = await resolveModel({
      config: Object.fromEntries(Object.entries({ provider, model, base_url, api_key_env }).filter(([, value]) => value !== undefined)),
      env: { ...config.env },
      localModels: async () => (await listModels(directory)).map(({ name }) => name),
      language: cli.language,
    });
    const notes: Finding[] = choice.notes.map((detail) => ({ what, state: 'fair', detail }));
    const name = `${choice.provider}:${choice.model ?? EMBEDDED_DEFAULT.name}`;
    const chosen: Finding = { what, state: 'good', detail: `${name} (${choice.reason})` };
    if ('package' in choice) {
      if (config.trust.state !== 'trusted')
        return [
          ...notes,
          { ...chosen, state: 'fair', detail: cli.t('doctor.trust.not', { what: choice.package }), mend: 'hermes doctor --trust' },
        ];
      const { openAiSdkModel } = await import('../../models/ai-sdk.ts');
      await (await openAiSdkModel({ ...choice, from: config.root, env: { ...config.env } })).close?.();
      return [...notes, chosen];
    }
    return [
      ...notes,
      chosen,
      'baseURL' in choice ? await checkEndpoint(cli, config, choice) : await checkLocal(cli, directory, choice.model),
    ];
  } catch (error) {
    const { message, next } = inOwnWords(cli, toldError(cli, error));
    return [{ what, state: 'bad', detail: message, ...(next ? { mend: next } : {}) }];
  }
}

/** By the way that its requests would take. */
async function checkEndpoint(cli: Cli, { env }: Config, { baseURL }: Extract<ModelChoice, { baseURL: string }>): Promise<Finding> {
  const what = 'doctor.endpoint';
  const url = new URL(baseURL);
  const problem = await reachProblem(url, { ...env }, CONNECT_MS);
  if (problem === undefined) return { what, state: 'good', detail: cli.t('doctor.reachable', { host: url.host }) };
  return { what, state: 'bad', detail: cli.t('doctor.unreachable', { host: url.host, problem }), mend: cli.t('doctor.network') };
}

async function checkLocal(cli: Cli, directory: string, name = EMBEDDED_DEFAULT.name): Promise<Finding> {
  const what = 'doctor.local';
  const here = await findModel(directory, name).then(
    ({ file }) => file,
    () => undefined,
  );
  if (here && hasRuntime(directory)) return { what, state: 'good', detail: here };
  const mend = `hermes models pull ${name}`;
  if (here) return { what, state: 'fair', detail: cli.t('doctor.noRuntime'), mend };
  const pip = await runCommand('python3', ['-m', 'pip', '--version'], {}).then(
    ({ code }) => code === 0,
    () => false,
  );
  if (pip) return { what, state: 'fair', detail: cli.t('doctor.toPull'), mend };
  return { what, state: 'bad', detail: cli.t('doctor.noPip'), mend: 'apt-get install -y python3-pip' };
}

async function checkStore(cli: Cli, { root }: Config): Promise<Finding> {
  const what = 'doctor.store';
  const file = join(root, '.hermes', 'hermes.db');
  if (!(await stat(file).catch(() => undefined))) {
    const isWritable = await access(dirname(dirname(file)), constants.W_OK).then(
      () => true,
      () => false,
    );
    if (isWritable) return { what, state: 'good', detail: cli.t('doctor.newStore', { file }) };
    return { what, state: 'bad', detail: cli.t('doctor.readOnly', { root }), mend: cli.t('next.noFolder') };
  }
  try {
    const store = await openSqliteStore({ file });
    await store.list({ limit: 1 });
    await store.close();
    return { what, state: 'good', detail: file };
  } catch (error) {
    const { message, next } = errorData(error);
    return { what, state: 'bad', detail: message, ...(next ? { mend: next } : {}) };
  }
}

/** Whether what the folder holds may act; what has changed since is told, since trust covers it. */
async function checkTrust(cli: Cli, { trust }: Config): Promise<Finding> {
  const what = 'doctor.trust';
  const { state, by, since = '', found } = trust;
  if (state === 'nothing') return { what, state: 'good', detail: cli.t('doctor.trust.nothing') };
  if (state === 'untrusted') {
    const detail = cli.t('doctor.trust.not', { what: found.map(({ path, holds }) => `${path} (${holds.join(', ')})`).join('; ') });
    return { what, state: 'fair', detail, mend: 'hermes doctor --trust' };
  }
  const changed = await changedSince(trust);
  if (changed.length > 0) return { what, state: 'fair', detail: cli.t('doctor.trust.changed', { since, files: changed.join(', ') }) };
  return { what, state: 'good', detail: cli.t(`doctor.trust.${by ?? 'user'}`, { since }) };
}

/** The tools, and the rules that speak of them. */
async function checkTools(cli: Cli, config: Config): Promise<Finding[]> {
  const what = 'doctor.tools';
  let opened: Awaited<ReturnType<typeof openTools>>;
  try {
    opened = await openTools(config);
  } catch (error) {
    const { message, next } = toldError(cli, error);
    return [{ what, state: 'bad', detail: message, ...(next ? { mend: next } : {}) }];
  }
  const { tools, diagnostics } = opened;
  await Promise.all(tools.map((tool) => tool.close?.()));
  const { toolSettings, env } = config;
  const good = tools.filter((tool) => lackOf(tool, toolSettings[tool.info.name] ?? {}, env) === undefined).length;
  const without = tools.length - good;
  const detail = cli.t('doctor.tools.checked', { good, without, bad: diagnostics.length });
  const finding: Finding =
    diagnostics.length === 0 ? { what, state: 'good', detail } : { what, state: 'fair', detail, mend: 'hermes tools check' };
  return [finding, ...checkRules(cli, config, tools)];
}

/** AGENTS.md and its like. Those that are not trusted are told with the folder's trust, but for what lies in another repository. */
async function checkInstructions(cli: Cli, config: Config): Promise<Finding[]> {
  const what = 'doctor.instructions';
  const { files, untrusted, problems } = await readInstructionFiles(config);
  const named = files.map(({ path }) => path).join(', ');
  const isCut = files.some(({ kept }) => kept !== undefined);
  const [bytes, kept] = files.reduce(([all, used], file) => [all + file.bytes, used + (file.kept ?? file.bytes)], [0, 0]);
  const found: Finding = isCut
    ? {
        what,
        state: 'fair',
        detail: cli.t('doctor.instructions.cut', { files: named, bytes, kept }),
        mend: cli.t('doctor.instructions.mend'),
      }
    : { what, state: 'good', detail: named || cli.t('doctor.instructions.none') };
  return [
    found,
    ...problems.map((detail): Finding => ({ what, state: 'fair', detail })),
    ...(untrusted.length === 0
      ? []
      : [{ what, state: 'fair', detail: cli.t('doctor.trust.not', { what: untrusted.join(', ') }) } as const]),
  ];
}

/** Where the shell tool runs its commands. */
async function checkSandbox(cli: Cli, { toolSettings, values }: Config): Promise<Finding> {
  const what = 'doctor.sandbox';
  if (values.tools.disabled.includes('shell')) return { what, state: 'good', detail: cli.t('doctor.sandbox.unused') };
  if (toolSettings.shell?.sandbox === false) {
    return { what, state: 'fair', detail: cli.t('doctor.sandbox.off'), mend: cli.t('doctor.sandbox.mend') };
  }
  try {
    const { openSandbox } = await import('../../sandbox/open.ts');
    return { what, state: 'good', detail: (await openSandbox()).name };
  } catch (error) {
    const { message, next } = toldError(cli, error);
    return { what, state: 'fair', detail: message, ...(next ? { mend: next } : {}) };
  }
}

/** Rules that decide nothing: most often a name that was misspelt. A broken one stops every run. */
function checkRules(cli: Cli, { values, remembered }: Config, tools: Awaited<ReturnType<typeof openTools>>['tools']): Finding[] {
  const what = 'doctor.rules';
  const { allow, ask, deny } = values.permissions;
  const rules = { allow: [...allow, ...remembered], ask, deny, white_list: values.agent.tool_white_list, ...factsOf(tools) };
  try {
    const idle = idleRules(
      rules,
      tools.map(({ info }) => info),
    );
    const count = rules.allow.length + ask.length + deny.length;
    if (idle.length === 0) return [{ what, state: 'good', detail: cli.t('doctor.rules.good', { count }) }];
    return idle.map(({ list, rule, why, by = '' }) => {
      const detail = cli.t(`doctor.rules.${why}`, { list: list === 'white_list' ? 'tool_white_list' : list, rule, by });
      return { what, state: 'fair', detail, mend: cli.t('doctor.rules.mend') };
    });
  } catch (error) {
    const { message, next } = toldError(cli, error);
    return [{ what, state: 'bad', detail: message, ...(next ? { mend: next } : {}) }];
  }
}
