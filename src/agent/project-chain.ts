/** Folders from the top of a project down to the working folder: where instructions and skills of the project are looked for. */

import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWithin } from '../tools/protected.ts';

/** Where other programs keep skills, in a project and in the user's home. */
export const FOREIGN_FOLDERS = [join('.agents', 'skills'), join('.claude', 'skills')];
const INSTRUCTIONS = ['AGENTS.md', 'CLAUDE.md'];

/** The file of this folder; a link counts when it leads to a place inside `top`. */
export async function instructionFileIn(folder: string, top: string | undefined): Promise<string | undefined> {
  for (const name of INSTRUCTIONS) {
    const real = await realpath(join(folder, name)).catch(() => undefined);
    if (real !== undefined && (top === undefined || isWithin(top, real))) return join(folder, name);
  }
  return undefined;
}

/**
 * Real paths, the top first: the git root, else `root`, else the working folder alone. `isOwn`: all of it belongs to the project at
 * `root`; a repository of its own within it does not.
 */
export async function projectChain(root: string, cwd: string): Promise<{ folders: string[]; isOwn: boolean }> {
  const [rootReal, here] = await Promise.all([root, cwd].map((path) => realpath(path).catch(() => path)));
  const [top, rootTop] = [await gitTop(here!), await gitTop(rootReal!)];
  const inRoot = isWithin(rootReal!, here!);
  const first = top ?? (inRoot ? rootReal! : here!);
  const folders = [here!];
  while (folders[0] !== first) folders.unshift(dirname(folders[0]!));
  return { folders, isOwn: top === rootTop && (top !== undefined || inRoot) };
}

/** The nearest folder with a `.git`; one that somebody else has put above the user's own folder counts as little as it does for git. */
async function gitTop(from: string): Promise<string | undefined> {
  const owner = await ownerOf(from);
  for (let folder = from; ; folder = dirname(folder)) {
    const found = await ownerOf(join(folder, '.git'));
    if (found !== undefined) return found === owner || found === process.getuid?.() ? folder : undefined;
    if (folder === dirname(folder)) return undefined;
  }
}

/** undefined = there is no such thing. */
async function ownerOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.uid;
}
