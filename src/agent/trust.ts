/**
 * Folder trust: what a folder holds that could act for its user (tools are code, a configuration redirects, .env carries keys) stays
 * inert until they have said once that they trust it. So a cloned repository runs no code and sends no key anywhere by being entered.
 *
 * Trust is per folder, by its real path, and covers what is changed in it later, as in editors: people change their own tools every
 * day, and a question that comes every day is answered without reading. What was there when it was given is kept (hashes), so that
 * `hermes doctor` can tell what has changed since. A folder inside a trusted one that has things of its own is asked about by itself.
 */

import { mkdir, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { ofPackage } from '../package.ts';
import { hashOf } from '../tools/define.ts';
import { readDotenv } from './dotenv.ts';
import { FOREIGN_FOLDERS, instructionFileIn, projectChain } from './project-chain.ts';
import { readSmallText } from './read-text.ts';

export interface Found {
  kind: 'config' | 'env' | 'tools' | 'skills' | 'mcp' | 'instructions';
  /** Relative to the folder. */
  path: string;
  /** Files of code, names of variables, the endpoint that a configuration names. */
  holds: string[];
}
export interface FolderTrust {
  /** nothing: the folder holds nothing that would have to be trusted. */
  state: 'trusted' | 'untrusted' | 'nothing';
  /** Who said so; absent = nobody has been asked yet. */
  by?: 'shipped' | 'user' | 'environment';
  /** Real path. */
  folder: string;
  found: readonly Found[];
  /** ISO 8601: since when. */
  since?: string;
  /** Relative path -> hash, at the time when it was trusted. */
  files?: Readonly<Record<string, string>>;
}
/** undefined = no answer: nothing is kept, the folder stays inert for now. */
export type TrustAnswer = (folder: FolderTrust) => Promise<boolean | undefined>;

interface Kept {
  trusted: boolean;
  since: string;
  files: Record<string, string>;
}

const SKILL = /^skill\.(?:md|ya?ml)$/i;
const CODE = /\.(?:ts|js|mjs|cjs)$/;
/** Variables of a .env that the program would look at; another program's .env is none of ours. */
const OURS = /^HERMES_|KEY|TOKEN|_BASE_URL$|_HOST$/i;
/** Files that are looked at in one folder of tools or skills, and how deep. */
const MOST_FILES = 500;
const DEPTH = 4;

interface Around {
  env: Readonly<Record<string, string | undefined>>;
  userFolder: string;
  /** The working directory. */
  cwd: string;
}

/**
 * What could act in `root`, and the instructions between the top of its repository and the working directory. `named`: the user named
 * the configuration file for this run, which is their word for that file.
 */
export async function lookAtFolder(root: string, around: Around, file?: string, named = false): Promise<Found[]> {
  const config = await readConfig(file ?? join(root, 'hermes_config.toml'));
  const found: Found[] = [];
  const add = (kind: Found['kind'], path: string, holds: string[]) => holds.length > 0 && found.push({ kind, path, holds });
  if (file !== undefined && !named) add('config', basename(file), [config.endpoint ?? '']);
  add(
    'env',
    '.env',
    Object.keys(await readDotenv(join(root, '.env')).catch(() => ({ HERMES_: '' }))).filter((name) => OURS.test(name)),
  );
  for (const folder of config.directories) {
    add('tools', folder, await filesIn(resolve(root, folder), (name) => CODE.test(name)));
  }
  for (const folder of config.skills) {
    add('skills', folder, await filesIn(resolve(root, folder), (name) => SKILL.test(basename(name)) || CODE.test(name)));
  }
  add('mcp', '.mcp.json', await serversOf(join(root, '.mcp.json')));
  await lookAtTexts(root, around, add);
  return found;
}

/** Instructions and skills of other programs, of folders that are not trusted already. */
async function lookAtTexts(
  root: string,
  around: Around,
  add: (kind: Found['kind'], path: string, holds: string[]) => unknown,
): Promise<void> {
  const { folders, isOwn } = await projectChain(root, around.cwd);
  const known = await trustedFrom(folders, around);
  const real = await realpath(root).catch(() => root);
  const home = around.env.HOME || homedir();
  for (const folder of isOwn ? folders : []) {
    if (folder !== real && known.has(folder)) continue;
    const file = await instructionFileIn(folder, folders[0]);
    if (file !== undefined) add('instructions', relative(real, file), [`${(await stat(file)).size} bytes`]);
    for (const place of folder === home ? [] : FOREIGN_FOLDERS) {
      const path = join(folder, place);
      add('skills', relative(real, path), await filesIn(path, (name) => SKILL.test(basename(name))));
    }
  }
}

/** Of the folders from the project's top down to the working folder those whose texts count. */
export async function trustedFolders(place: Around & { root: string; trust: FolderTrust }): Promise<ReadonlySet<string>> {
  const { folders, isOwn } = await projectChain(place.root, place.cwd);
  return isOwn && place.trust.state === 'trusted' ? new Set(folders) : trustedFrom(folders, place);
}

/** Trust in a folder holds for what lies below it on this way. */
async function trustedFrom(folders: readonly string[], { env, userFolder }: Around): Promise<ReadonlySet<string>> {
  const kept = await readKept(userFolder);
  const first = folders.findIndex((folder) => env.HERMES_TRUST === '1' || isShipped(folder) || kept[folder]?.trusted);
  return new Set(first < 0 ? [] : folders.slice(first));
}

/** The folder's state; where nobody has decided yet, `answer` is asked (true = trusted from now on). */
export async function trustOf(
  root: string,
  found: readonly Found[],
  { env, userFolder, answer }: { env: Readonly<Record<string, string | undefined>>; userFolder: string; answer?: TrustAnswer | true },
): Promise<FolderTrust> {
  const folder = await realpath(root).catch(() => root);
  const base = { folder, found };
  if (isShipped(folder) || folder === (await realpath(userFolder).catch(() => userFolder)))
    return { ...base, state: 'trusted', by: 'shipped' };
  if (env.HERMES_TRUST === '1') return { ...base, state: 'trusted', by: 'environment' };
  const kept = (await readKept(userFolder))[folder];
  if (answer === true && !kept?.trusted) return keep(userFolder, base, true);
  if (kept)
    return {
      ...base,
      state: kept.trusted || found.length > 0 ? stateOf(kept.trusted) : 'nothing',
      by: 'user',
      since: kept.since,
      files: kept.files,
    };
  if (found.length === 0) return { ...base, state: 'nothing' };
  const unknown: FolderTrust = { ...base, state: 'untrusted' };
  const said = answer === undefined || answer === true ? undefined : await answer(unknown);
  return said === undefined ? unknown : keep(userFolder, base, said);
}

/** What is not as it was when the folder was trusted: new, changed or gone. */
export async function changedSince({ folder, found, files }: FolderTrust): Promise<string[]> {
  if (!files) return [];
  const now = await hashes(folder, found);
  return [...new Set([...Object.keys(now), ...Object.keys(files)])].filter((path) => now[path] !== files[path]).sort();
}

function stateOf(trusted: boolean): FolderTrust['state'] {
  return trusted ? 'trusted' : 'untrusted';
}

/** What the program itself ships: its own folder, and the examples in it. */
function isShipped(folder: string): boolean {
  return folder === ofPackage() || isInside(ofPackage('examples'), folder);
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
}

// ---- what is there -----------------------------------------------------------------------------------

/** Only what the question tells; a file that cannot be read says so when it is used. */
async function readConfig(file: string): Promise<{ directories: string[]; skills: string[]; endpoint?: string }> {
  const usual = { directories: ['tools'], skills: ['skills'] };
  try {
    const text = await readSmallText(file);
    if (text === undefined) return usual;
    const document = file.endsWith('.json') ? JSON.parse(text) : (await import('smol-toml')).parse(text);
    const { model, tools, skills } = document as Record<
      'model' | 'tools' | 'skills',
      { base_url?: unknown; directories?: unknown } | undefined
    >;
    const named = (given: unknown) => (Array.isArray(given) ? given.filter((one) => typeof one === 'string') : undefined);
    const directories = named(tools?.directories) ?? usual.directories;
    return {
      directories,
      skills: named(skills?.directories) ?? usual.skills,
      ...(typeof model?.base_url === 'string' ? { endpoint: model.base_url } : {}),
    };
  } catch {
    return usual; // told by loadConfig, which reads it again
  }
}

/** Names of the MCP servers that would be started; a file that cannot be read might hold any. */
async function serversOf(file: string): Promise<string[]> {
  try {
    const text = await readSmallText(file);
    return text === undefined ? [] : Object.keys((JSON.parse(text) as { mcpServers?: object }).mcpServers ?? {});
  } catch {
    return ['?']; // told when it is used
  }
}

async function filesIn(folder: string, isMeant: (name: string) => boolean): Promise<string[]> {
  const files: string[] = [];
  async function look(path: string, depth: number): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (files.length >= MOST_FILES) return;
      const inside = join(path, entry.name);
      if (entry.isDirectory() && depth < DEPTH && entry.name !== 'node_modules') await look(inside, depth + 1);
      else if (!entry.isDirectory() && isMeant(entry.name)) files.push(relative(folder, inside));
    }
  }
  await look(folder, 1);
  return files;
}

/** Values of a .env are not kept, not even hashed: only which variables it has. */
async function hashes(folder: string, found: readonly Found[]): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const { kind, path, holds } of found) {
    if (kind === 'env') files[path] = hashOf(holds.join('\n'));
    else if (kind === 'config' || kind === 'mcp' || kind === 'instructions') files[path] = await hashOfFile(join(folder, path));
    else for (const file of holds) files[join(path, file)] = await hashOfFile(resolve(folder, path, file));
  }
  return files;
}

async function hashOfFile(file: string): Promise<string> {
  return hashOf((await readSmallText(file).catch(() => undefined)) ?? '');
}

// ---- what is kept --------------------------------------------------------------------------------------

function keptIn(userFolder: string): string {
  return join(userFolder, 'trusted.json');
}

async function readKept(userFolder: string): Promise<Record<string, Kept>> {
  const file = keptIn(userFolder);
  const text = await readSmallText(file);
  if (text === undefined) return {};
  try {
    return (JSON.parse(text) as { folders: Record<string, Kept> }).folders ?? {};
  } catch (cause) {
    throw new HermesError('trust_unreadable', `${file} is broken: it cannot be told which folders are trusted`, {
      kind: 'usage',
      next: `delete it, and you are asked again: rm "${file}"`,
      data: { file },
      cause,
    });
  }
}

async function keep(userFolder: string, { folder, found }: Pick<FolderTrust, 'folder' | 'found'>, trusted: boolean): Promise<FolderTrust> {
  const file = keptIn(userFolder);
  const temporary = `${file}.${process.pid}.tmp`;
  const since = new Date().toISOString();
  const files = trusted ? await hashes(folder, found) : {};
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const folders = { ...(await readKept(userFolder)), [folder]: { trusted, since, files } };
    await writeFile(temporary, `${JSON.stringify({ folders }, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    if (error instanceof HermesError) throw error;
    const reason = (error as Error).message;
    throw new HermesError('trust_unwritable', `${file} cannot be written, so that trust cannot be kept: ${reason}`, {
      kind: 'usage',
      next: 'make that folder writable, or set HERMES_TRUST=1 for this program only',
      data: { file, reason },
      cause: error,
    });
  }
  return { folder, found, state: stateOf(trusted), by: 'user', since, files };
}
