/**
 * The configuration: user's file < project's file < environment < options, each value checked against the table of keys and each
 * remembered with where it came from. Nothing is read before `loadConfig` is called.
 */

import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { HermesError, nearest } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { Price } from '../models/prices.ts';
import { type ConfigValues, KEYS, type Key, keysOf, type Section } from './config-keys.ts';
import { readDotenv } from './dotenv.ts';
import { readSmallText } from './read-text.ts';
import { readRemembered } from './remembered.ts';
import { type FolderTrust, lookAtFolder, type TrustAnswer, trustOf } from './trust.ts';

const FILE_NAME = 'hermes_config.toml';
const SECTIONS = Object.keys(KEYS) as Section[];

export type Origin = 'default' | 'user' | 'project' | 'environment' | 'option';
export interface Source {
  origin: Origin;
  /** The file, variable or option; absent for defaults. */
  name?: string;
}
export interface Config {
  values: ConfigValues;
  /** [models]: short names for provider:model. */
  aliases: Record<string, string>;
  /** Own prices, by provider:model; they win over the table. */
  prices: Record<string, Price>;
  /** [tools.NAME]: each tool's own settings; checked where the tools are known. */
  toolSettings: Record<string, JsonObject>;
  /** `section.key` (also `models.ALIAS` and `tools.NAME`) -> where the value comes from. */
  sources: Record<string, Source>;
  /** Rules in `allow` that "always" has made, see remembered.ts. */
  remembered: readonly string[];
  /** The project's file, when there is one. */
  file?: string;
  userFile?: string;
  /** Folder of the project's file, else the working directory: .env, .hermes/ and tools/ lie there. */
  root: string;
  /** The working directory. */
  cwd: string;
  /** Of the user, for all folders: configuration, .env, what they trust and allow. */
  userFolder: string;
  /** Whether what `root` holds may act; what it holds has not been read when it may not. */
  trust: FolderTrust;
  /** .env files under the real environment; the only place where keys are looked up. */
  env: Readonly<Record<string, string | undefined>>;
}
export interface Override {
  /** `section.key` */
  key: string;
  /** A text is read like an environment variable. */
  value: unknown;
  /** How the user wrote it, for messages: --max-steps */
  option: string;
}
export interface ConfigOptions {
  cwd?: string;
  /** A TOML file, or JSON when its name ends in .json; takes the place of the project's file. */
  file?: string;
  /** Default: process.env. */
  env?: Readonly<Record<string, string | undefined>>;
  overrides?: readonly Override[];
  /** Who decides about a folder that nobody has decided about; true = it is trusted from now on; default: it stays inert. */
  trust?: TrustAnswer | boolean;
}

export async function loadConfig(options: ConfigOptions = {}): Promise<Config> {
  const cwd = resolve(options.cwd ?? process.cwd());
  const environment = options.env ?? process.env;
  const userFolder = userFolderOf(environment);
  const file = options.file === undefined ? await findUpwards(cwd) : resolve(cwd, options.file);
  const userFile = join(userFolder, FILE_NAME);
  const root = file === undefined ? cwd : dirname(file);
  const isNamed = options.file !== undefined;
  const mayAsk = file === undefined || (await exists(file)); // a name that is wrong is told first
  const answer = options.trust && mayAsk ? { answer: options.trust } : {};
  const trust = await trustOf(root, await lookAtFolder(root, { env: environment, userFolder, cwd }, file, isNamed), {
    env: environment,
    userFolder,
    ...answer,
  });
  const isTrusted = trust.state === 'trusted';
  const config = emptyConfig(
    { root, cwd, userFolder, trust },
    {
      ...(await readDotenv(join(userFolder, '.env'))),
      ...(isTrusted ? await readDotenv(join(root, '.env')) : {}),
      ...environment,
    },
  );

  if (file !== userFile && (await addFile(config, userFile, 'user'))) config.userFile = userFile;
  if (file !== undefined && (isTrusted || isNamed)) {
    if (!(await addFile(config, file, 'project'))) throw missing(file);
    config.file = file;
  }
  config.remembered = await readRemembered(userFolder, root);
  addEnvironment(config);
  await chooseToolFolders(config, isTrusted);
  for (const { key, value, option } of options.overrides ?? []) {
    const [section, name] = key.split('.') as [Section, string];
    setValue(config, section, name, value, { origin: 'option', name: option });
  }
  return config;
}

/** Where the user's own settings for all folders lie. */
export function userFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'hermes');
}

/** The usual folder may be absent; one that somebody has named may not. Without trust only what the user named for all folders counts. */
async function chooseToolFolders({ values, sources, root }: Config, isTrusted: boolean): Promise<void> {
  const { tools } = values;
  const { origin } = sources['tools.directories']!;
  if (!isTrusted) tools.directories = origin === 'project' ? [] : tools.directories.filter((folder) => isAbsolute(folder));
  else if (origin === 'default' && !(await exists(join(root, 'tools')))) tools.directories = [];
}

/** All defaults, as if nothing had been configured. */
function emptyConfig(place: Pick<Config, 'root' | 'cwd' | 'userFolder' | 'trust'>, env: Config['env']): Config {
  const values: Record<string, Record<string, unknown>> = {};
  const sources: Record<string, Source> = {};
  for (const section of SECTIONS) {
    values[section] = {};
    for (const [name, key] of Object.entries(keysOf(section))) {
      values[section][name] = key.default;
      sources[`${section}.${name}`] = { origin: 'default' };
    }
  }
  return { values: values as unknown as ConfigValues, aliases: {}, prices: {}, toolSettings: {}, remembered: [], sources, ...place, env };
}

async function findUpwards(from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    const file = join(folder, FILE_NAME);
    if (await exists(file)) return file;
    if (folder === dirname(folder)) return undefined;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

// ---- files -------------------------------------------------------------------------------------------

/** False when there is no such file. */
async function addFile(config: Config, file: string, origin: Origin): Promise<boolean> {
  const text = await readSmallText(file);
  if (text === undefined) return false;
  const source = { origin, name: file };
  for (const [section, table] of Object.entries(await parse(text, file))) {
    if (section === 'models') addAliases(config, table, source);
    else if (section === 'prices') addPrices(config, table, source);
    else if (isSection(section)) addSection(config, section, table, source);
    else throw unknownKey(section, [...SECTIONS, 'models', 'prices'], source);
  }
  return true;
}

async function parse(text: string, file: string): Promise<Record<string, unknown>> {
  try {
    const document: unknown = file.endsWith('.json') ? JSON.parse(text) : (await import('smol-toml')).parse(text);
    if (isTable(document)) return document;
    throw new Error('a JSON object was expected');
  } catch (error) {
    // Only the first line: what follows quotes the file, which may hold a key.
    const reason = String((error as Error).message).split('\n')[0]!;
    const { line, column } = error as { line?: number; column?: number };
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    throw new HermesError('config_syntax', `${place}: ${reason}.`, {
      kind: 'usage',
      next: `Mend the file there; \`hermes init\` in an empty folder writes a good example.`,
      data: { file: place, reason },
    });
  }
}

function addSection(config: Config, section: Section, table: unknown, source: Source): void {
  if (!isTable(table)) throw badValue(section, `a section, written [${section}]`, table, source);
  for (const [name, value] of Object.entries(table)) {
    if (section === 'tools' && isTable(value) && !Object.hasOwn(KEYS.tools, name)) {
      config.toolSettings[name] = value as JsonObject;
      config.sources[`tools.${name}`] = source;
    } else setValue(config, section, name, value, source);
  }
}

function addAliases(config: Config, table: unknown, source: Source): void {
  if (!isTable(table)) throw badValue('models', 'a section, written [models]', table, source);
  for (const [alias, target] of Object.entries(table)) {
    if (typeof target !== 'string') throw badValue(`models.${alias}`, 'a model, such as "deepseek:deepseek-chat"', target, source);
    config.aliases[alias] = target;
    config.sources[`models.${alias}`] = source;
  }
}

const PRICE = 'a price such as { in = 1.2, out = 4.8, read = 0.12 }, per million tokens, with currency = "CNY" where it is not USD';

function addPrices(config: Config, table: unknown, source: Source): void {
  if (!isTable(table)) throw badValue('prices', 'a section, written [prices]', table, source);
  for (const [model, price] of Object.entries(table)) {
    const fits = ([name, value]: [string, unknown]) =>
      name === 'currency'
        ? typeof value === 'string'
        : ['in', 'out', 'read', 'write'].includes(name) && typeof value === 'number' && value >= 0;
    if (!isTable(price) || !Object.entries(price).every(fits) || price.in === undefined || price.out === undefined)
      throw badValue(`prices."${model}"`, PRICE, price, source);
    config.prices[model] = price as Price;
    config.sources[`prices.${model}`] = source;
  }
}

// ---- environment --------------------------------------------------------------------------------------

/** HERMES_<SECTION>_<KEY>. A variable that is nearly one of ours is a mistake; any other belongs to somebody else. */
function addEnvironment(config: Config): void {
  for (const [variable, value] of Object.entries(config.env)) {
    const section = SECTIONS.find((one) => variable.startsWith(`HERMES_${one.toUpperCase()}_`));
    if (section === undefined || value === undefined) continue;
    const name = variable.slice(`HERMES_${section}_`.length).toLowerCase();
    const source: Source = { origin: 'environment', name: variable };
    if (Object.hasOwn(KEYS[section], name)) setValue(config, section, name, value, source);
    else if (nearest(name, Object.keys(KEYS[section])) !== undefined)
      throw unknownKey(`${section}.${name}`, Object.keys(KEYS[section]), source);
  }
}

/** Variables and options are texts; this is the value they stand for. */
function fromText(text: string, kind: Key<unknown>['kind']): unknown {
  const trimmed = text.trim();
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : text;
  if (kind === 'integer' || kind === 'number') return trimmed === '' ? text : Number.isNaN(Number(trimmed)) ? text : Number(trimmed);
  if (kind !== 'list') return text;
  return trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim());
}

// ---- one value ------------------------------------------------------------------------------------------

function setValue(config: Config, section: Section, name: string, raw: unknown, source: Source): void {
  const key = Object.hasOwn(KEYS[section], name) ? keysOf(section)[name] : undefined;
  if (key === undefined) throw unknownKey(`${section}.${name}`, Object.keys(KEYS[section]), source);
  const isText = source.origin === 'environment' || source.origin === 'option';
  const value = key.accept(isText && typeof raw === 'string' ? fromText(raw, key.kind) : raw);
  if (value === undefined) throw badValue(`${section}.${name}`, key.expected, raw, source);
  (config.values[section] as Record<string, unknown>)[name] = value;
  config.sources[`${section}.${name}`] = source;
}

function isSection(name: string): name is Section {
  return Object.hasOwn(KEYS, name);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

// ---- errors -----------------------------------------------------------------------------------------------

function missing(file: string): HermesError {
  const next = '`hermes init` writes one in the working directory.';
  return new HermesError('config_missing', `There is no configuration file ${file}.`, { kind: 'usage', next, data: { file } });
}

export function unknownKey(key: string, known: Iterable<string>, source: Source): HermesError {
  const name = key.slice(key.indexOf('.') + 1);
  const elsewhere = SECTIONS.find((section) => Object.hasOwn(KEYS[section], name));
  const near = nearest(name, known);
  const meant = near ?? (elsewhere === undefined ? undefined : `[${elsewhere}] ${name}`);
  const where = source.name ?? '';
  return new HermesError(
    'config_unknown_key',
    `Unknown configuration key "${key}" (${where}).${meant === undefined ? '' : ` Did you mean ${meant}?`}`,
    {
      kind: 'usage',
      next: '`hermes config show` lists all keys.',
      data: { key, where, ...(meant === undefined ? {} : { meant }) },
    },
  );
}

function badValue(key: string, expected: string, got: unknown, source: Source): HermesError {
  const where = source.name ?? '';
  const shown = show(key, got);
  return new HermesError('config_bad_value', `${key} must be ${expected}, not ${shown} (${where}).`, {
    kind: 'usage',
    next: 'Change it there; `hermes config show` lists every key with its value.',
    data: { key, expected, got: shown, where },
  });
}

/** What came, short; a text where a secret may stand by mistake is not repeated. */
function show(key: string, got: unknown): string {
  if (typeof got === 'string' && /key|token|secret|password/i.test(key)) return `a text of ${got.length} characters`;
  const text = JSON.stringify(got) ?? String(got);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
