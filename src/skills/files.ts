/** The files of a skill: read with limits, their paths checked, hashed as a whole. */

import { lstat, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';

export interface SkillFile {
  /** With `/`, relative to the folder. */
  path: string;
  data: Uint8Array;
  executable: boolean;
}

/** A skill with its resources; more was named by mistake, or is an attack. */
export const MOST_FILES = 2_000;
export const MOST_BYTES = 20_000_000;
const MOST_DEPTH = 16;

/** No part of a skill: git's own, and what systems and Python leave behind. Other files beside Python's own are: code may import them. */
export function isLeft(path: string): boolean {
  return /(?:^|\/)(?:\.git(?:\/|$)|\.DS_Store$|__pycache__\/[^/]+\.pyc$)/.test(path);
}

/** All files below the folder. Links and devices are refused by name. Throws HermesError `skill_files`. */
export async function readFolder(folder: string, without: readonly string[] = []): Promise<SkillFile[]> {
  const files: SkillFile[] = [];
  let room = MOST_BYTES;
  async function look(path: string, depth: number): Promise<void> {
    for (const entry of await readdir(join(folder, path), { withFileTypes: true })) {
      const inside = path === '' ? entry.name : `${path}/${entry.name}`;
      if (isLeft(inside) || without.includes(entry.name)) continue;
      if (depth > MOST_DEPTH) throw refused(`${inside} lies deeper than ${MOST_DEPTH} folders`);
      if (entry.isDirectory()) await look(inside, depth + 1);
      else if (!entry.isFile())
        throw refused(`${inside} is ${entry.isSymbolicLink() ? 'a link' : 'no file'}: expected files and folders only`);
      else {
        const { size, mode } = await lstat(join(folder, inside));
        room -= size;
        checkRoom(files.length + 1, room);
        files.push({ path: checkedPath(inside), data: await readFile(join(folder, inside)), executable: (mode & 0o111) !== 0 });
      }
    }
  }
  await look('', 1);
  return sorted(files);
}

/** A text that belongs to a skill. Throws HermesError `unreadable`: what waits for a writer (a pipe), is too long or is no UTF-8 is not read. */
export async function readText(file: string, most: number): Promise<string> {
  const unreadable = (message: string) => new HermesError('unreadable', message, { kind: 'usage' });
  const stats = await stat(file);
  if (!stats.isFile()) throw unreadable('it is no ordinary file');
  if (stats.size > most) throw unreadable(`it has ${stats.size} bytes; at most ${most} are read`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    throw error instanceof TypeError ? unreadable('it is no UTF-8 text; save it as UTF-8') : error;
  }
}

export async function writeFiles(folder: string, files: readonly SkillFile[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { path, data, executable } of files) {
    const file = join(folder, ...path.split('/'));
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, data, { mode: executable ? 0o755 : 0o644, flag: 'wx' });
  }
}

/** The same for the same paths, bytes and rights to run, whatever the order or the times: sha256, hexadecimal. */
export function hashOfFiles(files: readonly SkillFile[]): string {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const hash = createHash('sha256');
  for (const { path, data, executable } of sorted(files)) {
    hash.update(`${JSON.stringify([path, executable, data.length])}\n`).update(data);
  }
  return hash.digest('hex');
}

/** Throws when a path of an archive or folder leads anywhere else, or would on another system. */
export function checkedPath(path: string): string {
  const parts = path.split('/');
  const isSafe = !/[\\\0:]/.test(path) && path.length <= 400 && parts.every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isSafe) throw refused(`the path ${JSON.stringify(path)} leads out of the skill's folder, or is no path on every system`);
  return path;
}

export function checkRoom(count: number, room: number): void {
  if (count > MOST_FILES) throw refused(`it has more than ${MOST_FILES} files`);
  if (room < 0) throw refused(`it has more than ${MOST_BYTES / 1_000_000} MB`);
}

export function refused(message: string): HermesError {
  return new HermesError('skill_files', `refused: ${message}`, {
    kind: 'usage',
    next: 'nothing was added; tell its author, or name another source',
  });
}

function sorted(files: readonly SkillFile[]): SkillFile[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
