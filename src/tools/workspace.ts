/** Paths of file tools: inside the workspace, whatever links and dots they contain. */

import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { HermesError } from '../kernel/errors.ts';

/** The real path of something that exists inside the workspace. Throws when it does not exist or lies outside. */
export async function readablePath(workspace: string, path: string): Promise<string> {
  const root = await realpath(workspace);
  const target = inside(root, workspace, path);
  const real = await existing(target);
  if (real === undefined) {
    throw new HermesError('not_found', `there is no ${path} in the workspace`, { kind: 'tool', next: 'list_files shows what is there' });
  }
  if (!isWithin(root, real)) throw outside(path);
  return real;
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
  if (await isLink(target)) {
    throw new HermesError('is_link', `${path} is a symbolic link; links are not written through`, {
      kind: 'tool',
      next: 'name the file itself',
    });
  }
  const own = relative(root, target).split(sep).find(isProtected);
  if (own) throw new HermesError('protected_path', `${path} is refused: ${own} belongs to git or to this program`, { kind: 'tool' });
  return target;
}

/** Git's folder (its hooks and settings run code), and this program's store, logs, configuration and keys. */
function isProtected(segment: string): boolean {
  return /^(?:\.git|\.hermes|\.env|hermes_config\.\w+)$/i.test(segment);
}

/** The absolute path, by its letters inside the workspace. */
function inside(root: string, workspace: string, path: string): string {
  if (path === '' || path.includes('\0')) throw new HermesError('bad_path', 'expected a path in the workspace', { kind: 'tool' });
  const target = resolve(root, path);
  const named = resolve(workspace);
  if (isWithin(root, target)) return target;
  if (isWithin(named, target)) return join(root, relative(named, target));
  throw outside(path);
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function outside(path: string): HermesError {
  return new HermesError('outside_workspace', `${path} leads out of the workspace`, {
    kind: 'tool',
    next: 'use a path inside the workspace',
  });
}

async function existing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
