/**
 * What was read of files, kept under their content: a start that finds them unchanged does not load what reads them (a parser costs
 * 25 to 90 ms). A cache that is torn, old or cannot be written costs time only.
 */

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hashOf } from './define.ts';

/** `files`: all that were read, path -> text. Absent = the value is not kept. */
export interface Fresh<T> {
  value: T;
  files?: ReadonlyMap<string, string>;
}
export interface ContentCache<T> {
  /** The value is plain data; another `key` is another question about the same files. */
  get(key: string, read: () => Fresh<T> | Promise<Fresh<T>>): Promise<T>;
  /** Writes what was asked for since the beginning, when some of it is new. */
  save(): void;
}
interface Entry<T> {
  value: T;
  /** Path -> hash. */
  files: Record<string, string>;
}

/** `file`: absent = nothing is kept. `reader`: the folder of the code that reads: another version of it may find something else. */
export function createContentCache<T>({ file, reader }: { file?: string | undefined; reader: string }): ContentCache<T> {
  let before: Record<string, Entry<T>> | undefined; // read at the first question only
  const now: Record<string, Entry<T>> = {};
  let isNew = false;
  return {
    async get(key, read) {
      before ??= file === undefined ? {} : readCache(file, reader);
      const known = before[key];
      if (known && isFresh(known)) {
        now[key] = known;
        return known.value;
      }
      const { value, files } = await read();
      if (files) {
        isNew = true;
        now[key] = { value, files: Object.fromEntries([...files].map(([path, text]) => [path, hashOf(text)])) };
      }
      return value;
    },
    save() {
      if (file !== undefined && isNew) writeCache(file, reader, now);
    },
  };
}

function isFresh({ files }: Entry<unknown>): boolean {
  return Object.entries(files).every(([path, hash]) => {
    const text = textOf(path);
    return text !== undefined && hashOf(text) === hash;
  });
}

function readCache<T>(file: string, reader: string): Record<string, Entry<T>> {
  const text = textOf(file);
  if (text === undefined) return {};
  try {
    const { version, entries } = JSON.parse(text) as { version?: unknown; entries?: Record<string, Entry<T>> };
    return version === versionOf(reader) && entries ? entries : {};
  } catch {
    return {}; // a torn cache is made anew
  }
}

function writeCache(file: string, reader: string, entries: Record<string, unknown>): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify({ version: versionOf(reader), entries }), { mode: 0o600 });
    renameSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error; // a folder that may not be written: the next start reads again
  }
}

function versionOf(reader: string): string {
  return hashOf(...readdirSync(reader).map((name) => textOf(join(reader, name)) ?? ''));
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}
