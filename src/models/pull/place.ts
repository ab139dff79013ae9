/** The models directory as a place to work in: work folders that are always removed, and room on the disk. */

import { mkdir, mkdtemp, readdir, rm, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { HermesError } from '../../kernel/errors.ts';

/**
 * Runs `use` with a fresh folder inside the directory and removes it afterwards, and with it what a pull
 * that was killed on this machine left behind. The folder's name says whose it is: host and process.
 */
export async function inWorkFolder<T>(directory: string, use: (work: string) => Promise<T>): Promise<T> {
  const work = await makeWorkFolder(directory);
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeWorkFolder(directory: string): Promise<string> {
  const mine = `.pull-${hostname()}-`;
  return writable(directory, async () => {
    await mkdir(directory, { recursive: true });
    for (const name of await readdir(directory)) {
      const owner = name.startsWith(mine) ? Number(name.slice(mine.length).split('-')[0]) : undefined;
      if (owner && !isAlive(owner)) await rm(join(directory, name), { recursive: true, force: true });
    }
    return await mkdtemp(join(directory, `${mine}${process.pid}-`));
  });
}

/** What `change` throws becomes a HermesError that names the directory. */
export async function writable<T>(directory: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (error) {
    throw new HermesError('models_directory', `cannot write to the models directory ${directory}: ${(error as Error).message}`, {
      kind: 'usage',
      next: 'set HERMES_MODELS to a directory that can be written',
      cause: error,
    });
  }
}

/** Whether the process is there; one of another user counts. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

export async function checkSpace(directory: string, needed: number): Promise<void> {
  const disk = await statfs(directory);
  const free = disk.bavail * disk.bsize;
  if (free < needed) throw diskFull(`${megabytes(needed)} MB are needed in ${directory}, ${megabytes(free)} MB are free`);
}

export function diskFull(message: string, cause?: unknown): HermesError {
  return new HermesError('disk_full', message, {
    next: 'free some space, or set HERMES_MODELS to a directory on another disk',
    cause,
  });
}

/** 0 = not there. */
export function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}
