/** What was added from elsewhere, and the hash of what its user agreed to: kept in a file of the user's own, not in the project. */

import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { hashOfFiles, readFolder } from './files.ts';

export interface Pin {
  /** As it was named when it was added. */
  source: string;
  /** Of a git repository. */
  commit?: string;
  /** Of the whole, and of each file, by its path. */
  hash: string;
  files: Record<string, string>;
  /** ISO 8601. */
  since: string;
}
/** Changed files that are named. */
const MOST_NAMED = 8;

/** By the real path of the skill's folder. */
export type Pins = Readonly<Record<string, Pin>>;

/** Throws when the file is broken: not to know what was agreed to must not count as agreement. */
export async function readPins(file: string): Promise<Pins> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw unusable(file, error);
  });
  if (text === undefined) return {};
  try {
    const { skills } = JSON.parse(text) as { skills?: unknown };
    if (isObject(skills)) return skills as unknown as Pins;
    throw new Error('it holds something else');
  } catch (error) {
    throw unusable(file, error as Error);
  }
}

/** `pin`: undefined = it is forgotten. */
export async function writePin(file: string, folder: string, pin: Pin | undefined): Promise<void> {
  const { [folder]: _, ...others } = await readPins(file);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const skills = pin ? { ...others, [folder]: pin } : others;
    await writeFile(temporary, `${JSON.stringify({ skills }, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw unusable(file, error as Error);
  }
}

/** What the folder holds now. */
export async function contentOf(folder: string): Promise<Pick<Pin, 'hash' | 'files'>> {
  const files = await readFolder(folder);
  return { hash: hashOfFiles(files), files: Object.fromEntries(files.map((file) => [file.path, hashOfFiles([file])])) };
}

/** Why the folder is not what was agreed to; undefined = it is, or nobody was ever asked about it. */
export async function changeOf(folder: string, pins: Pins): Promise<string | undefined> {
  const pin = pins[await realpath(folder)];
  if (!pin) return undefined;
  try {
    const { hash, files: now } = await contentOf(folder);
    if (hash === pin.hash) return undefined;
    const changed = [...new Set([...Object.keys(pin.files), ...Object.keys(now)])].filter((path) => now[path] !== pin.files[path]).sort();
    return `it has changed since it was added (${changed.slice(0, MOST_NAMED).join(', ')}${changed.length > MOST_NAMED ? ', ...' : ''})`;
  } catch (error) {
    if (error instanceof HermesError) return error.message;
    throw error;
  }
}

function unusable(file: string, cause: Error): HermesError {
  return new HermesError('skill_pins_unusable', `${file} cannot be used: ${cause.message.split('\n')[0]}`, {
    kind: 'usage',
    next: 'make its folder yours to write, or remove the file: then nothing tells any more whether added skills have changed',
    cause,
  });
}
