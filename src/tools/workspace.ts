/**
 * Files inside the workspace, whatever links and dots a path contains. A path is judged first by its names, then by what was really
 * opened: links that are swapped between the two lead nowhere. That holds on Linux, where an open file tells its place and an open
 * folder can be worked in; elsewhere the place is looked at again. A hard link is the file itself: no path shows its other names.
 */

import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import type { JudgeContext } from './define.ts';
import { codeReason, isWithin, protectedPart, secretPart } from './protected.ts';

// Windows knows none of these; there they are undefined and count as 0.
const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_DIRECTORY = 0 } = constants;
const PLACES = '/proc/self/fd';
const knowsPlaces = process.platform === 'linux' && existsSync(PLACES);

/** The real path of something that exists inside the workspace and holds no secrets. */
export async function readablePath(workspace: string, path: string): Promise<string> {
  const root = await realpath(workspace);
  const real = await existing(inside(root, workspace, path));
  if (real === undefined) {
    throw new HermesError('not_found', `there is no ${path} in the workspace`, { kind: 'tool', next: 'list_files shows what is there' });
  }
  checkReadable(root, real, path);
  return real;
}

/** Opens a file or folder for reading; the caller closes it. Never waits: a pipe opens without its writer. */
export async function openReadable(workspace: string, path: string): Promise<FileHandle> {
  const real = await readablePath(workspace, path);
  const handle = await openUnlinked(real, O_RDONLY | O_NONBLOCK, path);
  try {
    checkReadable(await realpath(workspace), await placeOf(handle, real, path), path);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where a file may be made or replaced. */
export interface WritablePlace {
  /** The folder that was checked, and stays it however its path changes until it is closed. For `join(folder, name)`, not for people. */
  folder: string;
  name: string;
  close(): Promise<void>;
}

/** As `writablePath`, with the folder opened and missing folders made. */
export async function openWritable(workspace: string, path: string): Promise<WritablePlace> {
  const target = await writablePath(workspace, path);
  const root = await realpath(workspace);
  let folder = root;
  let handle = await openUnlinked(root, O_RDONLY | O_DIRECTORY, path);
  const place = () => (knowsPlaces ? join(PLACES, String(handle.fd)) : folder);
  try {
    for (const part of relative(root, dirname(target)).split(sep).filter(Boolean)) {
      const next = join(place(), part);
      await mkdir(next).catch(unlessExists);
      const inner = await openUnlinked(next, O_RDONLY | O_DIRECTORY, path);
      await handle.close();
      handle = inner;
      folder = join(folder, part);
    }
    return { folder: place(), name: basename(target), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Why a person has to agree to the writing of this file; undefined = rules may decide, or it is refused when it is tried. */
export async function codeAt(
  path: string,
  { workspace, codeFolders, language }: Pick<JudgeContext, 'workspace' | 'codeFolders' | 'language'>,
): Promise<string | undefined> {
  const [root, target] = await Promise.all([realpath(workspace), writablePath(workspace, path).catch(() => undefined)]);
  return target === undefined ? undefined : codeReason(root, target, await Promise.all(codeFolders.map(realPlace)), language);
}

/** The real path that this has, or would have if what is missing were made. */
export async function realPlace(path: string): Promise<string> {
  const real = await existing(path);
  if (real !== undefined) return real;
  const folder = await realPlace(dirname(path));
  return (await isLink(path)) ? realPlace(resolve(folder, await readlink(path))) : join(folder, basename(path));
}

/**
 * The real path that may be written: its folder is inside the workspace (it may not exist yet), its last part is no link,
 * and nothing on the way is git's or the program's own.
 */
export async function writablePath(workspace: string, path: string): Promise<string> {
  const root = await realpath(workspace);
  let folder = dirname(inside(root, workspace, path));
  const name = basename(resolve(root, path));
  const missing: string[] = [];
  let real = await existing(folder);
  while (real === undefined) {
    if (await isLink(folder)) throw outside(path);
    missing.unshift(basename(folder));
    folder = dirname(folder);
    real = await existing(folder);
  }
  const target = join(real, ...missing, name);
  if (!isWithin(root, target) || target === root) throw outside(path);
  if (await isLink(target)) throw isLinkError(path);
  const own = protectedPart(root, target);
  if (own) {
    const message = `${path} is refused: ${own} belongs to git or to this program, or holds secrets`;
    throw new HermesError('protected_path', message, { kind: 'tool', next: 'a person can change it' });
  }
  return target;
}

function checkReadable(root: string, real: string, path: string): void {
  if (!isWithin(root, real)) throw outside(path);
  const secret = secretPart(root, real);
  if (!secret) return;
  throw new HermesError('secret_file', `${path} is refused: ${secret} holds secrets, or what other runs have kept`, {
    kind: 'tool',
    next: 'a person can look into it',
  });
}

/** Where an open file is now. */
async function placeOf(handle: FileHandle, real: string, path: string): Promise<string> {
  if (knowsPlaces) return (await readlink(join(PLACES, String(handle.fd)))).replace(/ \(deleted\)$/, '');
  const [opened, named, now] = [await handle.stat(), await lstat(real), await realpath(real)];
  if (opened.ino !== named.ino || opened.dev !== named.dev) throw outside(path);
  return now;
}

/** A link in the last place came there after the check. */
async function openUnlinked(real: string, flags: number, path: string): Promise<FileHandle> {
  try {
    return await open(real, flags | O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP') throw isLinkError(path);
    throw error;
  }
}

/** A home folder or a drive is meant, also where these are only letters: a folder of the name ~ is a trap for later commands. */
const ELSEWHERE = process.platform === 'win32' ? /^~(?:[\\/]|$)/ : /^(?:~(?:[\\/]|$)|[A-Za-z]:[\\/])/;

/** The absolute path, by its letters inside the workspace. */
function inside(root: string, workspace: string, path: string): string {
  if (path === '' || path.includes('\0')) throw new HermesError('bad_path', 'expected a path in the workspace', { kind: 'tool' });
  if (ELSEWHERE.test(path)) throw outside(path);
  const target = resolve(root, path);
  const named = resolve(workspace);
  if (isWithin(root, target)) return target;
  if (isWithin(named, target)) return join(root, relative(named, target));
  throw outside(path);
}

function outside(path: string): HermesError {
  return new HermesError('outside_workspace', `${path} leads out of the workspace`, {
    kind: 'tool',
    next: 'use a path inside the workspace',
  });
}

function isLinkError(path: string): HermesError {
  const message = `${path} is a symbolic link, or leads through one that was just made; links are not written through`;
  return new HermesError('is_link', message, { kind: 'tool', next: 'name the file itself' });
}

async function existing(path: string): Promise<string | undefined> {
  return realpath(path).catch(unlessMissing);
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(unlessMissing);
  return stats?.isSymbolicLink() ?? false;
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function unlessExists(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error;
}
