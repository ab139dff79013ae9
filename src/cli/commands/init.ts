/** `hermes init`: writes a configuration with what goes with it. What is there already is never changed, but for .gitignore. */

import { existsSync } from 'node:fs';
import { appendFile, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { userFolderOf } from '../../agent/config.ts';
import { keysOf, type Section } from '../../agent/config-keys.ts';
import { lookAtFolder, trustOf } from '../../agent/trust.ts';
import { HermesError } from '../../kernel/errors.ts';
import { providersOf } from '../../models/profiles.ts';
import type { Cli, ExitStatus } from '../context.ts';
import type { Language } from '../language.ts';
import { tellInert } from '../load.ts';
import type { BaseOptions } from '../options.ts';

const EXAMPLE = { name: 'deepseek', baseURL: 'https://api.deepseek.com', model: 'deepseek-v4-pro', keys: ['DEEPSEEK_API_KEY'] };

/** The keys that the file shows; `config show` has all of them. In a comment: without them the first run chooses by itself. */
const SHOWN: Partial<Record<Section, { key: string; value?: unknown; commented?: true }[]>> = {
  model: [
    { key: 'provider', value: EXAMPLE.name, commented: true },
    { key: 'base_url', value: EXAMPLE.baseURL, commented: true },
    { key: 'api_key_env', value: EXAMPLE.keys[0], commented: true },
    { key: 'model', value: EXAMPLE.model, commented: true },
    { key: 'temperature' },
    { key: 'max_tokens' },
  ],
  agent: [{ key: 'max_steps' }, { key: 'system_prompt' }, { key: 'tool_white_list' }],
  memory: [{ key: 'long_term_store' }, { key: 'auto_summarize' }, { key: 'recall_top_k' }, { key: 'recall_min_score' }],
  logging: [{ key: 'level' }, { key: 'json_lines' }],
};

export async function initCommand(cli: Cli, options: BaseOptions): Promise<ExitStatus> {
  const config = options.config ?? 'hermes_config.toml';
  const file = resolve(config);
  const strange = await lookAtFolder(dirname(file), here(), existsSync(file) ? file : undefined);
  try {
    await writeNew(cli, config, config.endsWith('.json') ? jsonText() : tomlText(cli.language));
    await writeNew(cli, '.env.example', envText(cli.language));
    await writeNew(cli, join('tools', 'README.md'), folderText(cli, 'tools'));
    await writeNew(cli, join('skills', 'README.md'), folderText(cli, 'skills'));
    await ignore(cli, ['.env', '.hermes/']);
  } catch (error) {
    const { code, path, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const data = { file: path ?? config, reason: message };
    throw new HermesError('init_failed', message, { kind: 'usage', data, cause: error });
  }
  await trustOwn(cli, file, strange.length === 0 || options.trust === true);
  cli.terminal.err(`${cli.t('init.next')}\n`);
  return 0;
}

/** What the user has made here is theirs; what others had put here before is asked about as everywhere. */
async function trustOwn(cli: Cli, file: string, isOwn: boolean): Promise<void> {
  const root = dirname(file);
  const found = await lookAtFolder(root, here(), file);
  const { state } = await trustOf(root, found, {
    env: process.env,
    userFolder: userFolderOf(process.env),
    ...(isOwn ? { answer: true } : {}),
  });
  if (state === 'untrusted') tellInert(cli, found);
}

function here() {
  return { env: process.env, userFolder: userFolderOf(process.env), cwd: process.cwd() };
}

/** The whole file or none: one that a full disk cut short would count as there the next time. */
async function writeNew(cli: Cli, file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (!handle) return cli.terminal.err(`${cli.t('init.kept', { file })}\n`);
  try {
    await handle.writeFile(text);
  } catch (error) {
    await rm(file);
    throw about(file, error);
  } finally {
    await handle.close();
  }
  cli.terminal.err(`${cli.t('init.wrote', { file })}\n`);
}

/** What goes wrong while a file is written does not say which one. */
function about(file: string, error: unknown): Error {
  return Object.assign(error as Error, { path: file });
}

async function ignore(cli: Cli, entries: string[]): Promise<void> {
  const file = '.gitignore';
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const missing = entries.filter((entry) => !lines.includes(entry) && !lines.includes(entry.replace(/\/$/, '')));
  if (missing.length === 0) return cli.terminal.err(`${cli.t('init.kept', { file })}\n`);
  const gap = text === '' || text.endsWith('\n') ? '' : '\n';
  // What stands there is not written anew, so that a full disk cannot take it.
  await appendFile(file, `${gap}${missing.join('\n')}\n`).catch((error) => Promise.reject(about(file, error)));
  cli.terminal.err(`${cli.t('init.wrote', { file })}\n`);
}

function tomlText(language: Language): string {
  const sections = Object.entries(SHOWN).map(([section, shown]) => {
    const lines = shown.map(({ key, value, commented }) => {
      const known = keysOf(section as Section)[key]!;
      const line = `${commented ? '# ' : ''}${key} = ${JSON.stringify(value ?? known.default)}`;
      return `${line}  # ${known[language]}`;
    });
    return `[${section}]\n${lines.join('\n')}\n`;
  });
  const head = { en: '# All keys and their values: hermes config show', zh: '# 全部配置项及其当前值：hermes config show' }[language];
  return `${head}\n\n${sections.join('\n')}`;
}

/** The same keys; JSON has no comments, so those that would stand in one are left out. */
function jsonText(): string {
  const sections = Object.entries(SHOWN).map(([section, shown]) => {
    const open = shown.filter(({ commented }) => !commented);
    return [section, Object.fromEntries(open.map(({ key, value }) => [key, value ?? keysOf(section as Section)[key]!.default]))];
  });
  return `${JSON.stringify(Object.fromEntries(sections), null, 2)}\n`;
}

function envText(language: Language): string {
  const head = {
    en: '# Copy this file to .env and fill in the keys you have. .env stays out of git and is read from here only.',
    zh: '# 复制为 .env 并填入你已有的密钥。.env 不进 git，程序只从这里读取。',
  }[language];
  const variables = new Set(providersOf().flatMap((provider) => provider.keys.slice(0, 1)));
  return `${head}\n${[...variables].map((name) => `# ${name}=\n`).join('')}`;
}

function folderText(cli: Cli, folder: 'tools' | 'skills'): string {
  return `# ${folder}\n\n${cli.t(`init.${folder}`)}\n`;
}
