/**
 * Front door: the plain functions of a file as tools. The parser costs 25 ms, so what it found is kept under the content of the files
 * that were read; a start that finds them unchanged does not load it.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashOf } from '../define.ts';
import type { Findings } from './functions.ts';

interface Entry extends Findings {
  keys: string[];
  /** Hashes of all files that were read, by their paths. */
  files: Record<string, string>;
}
export interface Inference {
  infer(file: string, keys: readonly string[]): Promise<Findings>;
  /** Writes what is new; a cache that cannot be written costs time only. */
  save(): void;
}

/** `cacheFile`: absent = nothing is kept. */
export function createInference(cacheFile?: string): Inference {
  let before: Record<string, Entry> | undefined; // read for the first plain function only
  const now: Record<string, Entry> = {};
  let isNew = false;
  return {
    async infer(file, keys) {
      before ??= cacheFile === undefined ? {} : readCache(cacheFile);
      const known = before[file];
      const entry = known && isFresh(known, keys) ? known : await read(file, keys);
      isNew ||= entry !== known;
      now[file] = entry;
      return entry;
    },
    save() {
      if (cacheFile !== undefined && isNew) writeCache(cacheFile, now);
    },
  };
}

async function read(file: string, keys: readonly string[]): Promise<Entry> {
  const { parseSync } = await import('oxc-parser');
  const { Modules } = await import('./module.ts');
  const { readFunctions } = await import('./functions.ts');
  const modules = new Modules((name, text) => parseSync(name, text));
  const findings = readFunctions(file, keys, modules);
  const files = Object.fromEntries([...modules.files].map(([path, text]) => [path, hashOf(text)]));
  return { keys: [...keys], files, ...findings };
}

function isFresh({ keys, files }: Entry, wanted: readonly string[]): boolean {
  if (keys.join() !== wanted.join()) return false;
  return Object.entries(files).every(([path, hash]) => {
    const text = textOf(path);
    return text !== undefined && hashOf(text) === hash;
  });
}

function readCache(file: string): Record<string, Entry> {
  const text = textOf(file);
  if (text === undefined) return {};
  try {
    const { version, entries } = JSON.parse(text) as { version?: unknown; entries?: Record<string, Entry> };
    return version === versionOfReader() && entries ? entries : {};
  } catch {
    return {}; // a torn cache is made anew
  }
}

function writeCache(file: string, entries: Record<string, Entry>): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify({ version: versionOfReader(), entries }), { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error; // a folder that may not be written: the next start reads again
  }
}

/** Another reader may find something else in the same files. */
function versionOfReader(): string {
  const here = import.meta.dirname;
  return hashOf(...readdirSync(here).map((name) => textOf(join(here, name)) ?? ''));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
