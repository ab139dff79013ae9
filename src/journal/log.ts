/**
 * The JSON Lines log: a reader of the store that writes what has been committed to
 * `DIRECTORY/YYYY-MM-DD/RUN_ID.jsonl`, one file a run, one event a line. Files are only ever appended
 * to. The store keeps the writer's position; catching up after a crash appends only beyond it and at
 * most completes a torn last line. A shorter, missing or foreign file is reported, never refilled.
 */

import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256 } from './events.ts';
import { holdLease } from './lease.ts';
import { maskPatterns } from './secrets.ts';
import type { EventStore, LogPosition, RunHead } from './store.ts';

export interface LogProblem {
  code: 'log_missing' | 'log_short' | 'log_foreign' | 'log_failed' | 'sign_failed';
  run_id: string;
  message: string;
}
export interface Log {
  /** Writes what is committed by now. */
  flush(): Promise<void>;
  /** Brings the logs of runs up to date that no living process writes. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}
export interface LogOptions {
  store: EventStore;
  directory: string;
  /** Problems harm no run: the store holds the events, and what could not be written is tried again later. */
  report: (problem: LogProblem) => void;
}

/** Events of a run that goes on are written this often, its end at once. */
const WRITE_MS = 200;

export function openLog({ store, directory, report }: LogOptions): Log {
  const dirty = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  const stop = store.watch((run_id, ended) => {
    dirty.add(run_id);
    if (ended) flush();
    else timer ??= setTimeout(flush, WRITE_MS).unref();
  });

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(async () => {
      const run_ids = [...dirty];
      dirty.clear();
      await Promise.all(run_ids.map(write));
    });
    return writing;
  }

  async function write(run_id: string): Promise<void> {
    try {
      await writeRun(store, directory, run_id, report);
    } catch (error) {
      failed(run_id, error);
    }
  }

  function failed(run_id: string, error: unknown): void {
    report({ code: 'log_failed', run_id, message: `the log of run ${run_id} could not be written: ${String(error)}` });
  }

  async function catchUp(): Promise<void> {
    for (const run_id of await store.log.behind()) {
      try {
        const lease = await holdLease(store, run_id);
        if (!lease) continue; // its process writes
        await write(run_id);
        await lease.release();
      } catch (error) {
        failed(run_id, error); // the store takes no lease (full, locked): it can still be read
      }
    }
  }

  return {
    flush,
    catchUp,
    async close() {
      stop();
      await flush();
    },
  };
}

export function logPath(directory: string, head: Pick<RunHead, 'run_id' | 'started'>): string {
  return join(directory, head.started.slice(0, 10), `${encodeURIComponent(head.run_id)}.jsonl`);
}

/** A stored line as the file has it: patterns masked (then `"masked":true` follows the hash), line separators and controls escaped. */
export function renderLine(line: string): string {
  const masked = maskPatterns(line);
  const safe = masked.replace(/[\u007f-\u009f\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return masked === line ? `${safe}\n` : `${safe.slice(0, -1)},"masked":true}\n`;
}

export function foldHash(hash: string, rendered: string): string {
  return sha256(hash + rendered);
}

/** Deletes the files of pruned runs, with their signatures. */
export async function removeLogs(directory: string, pruned: readonly RunHead[]): Promise<void> {
  for (const head of pruned) {
    const path = logPath(directory, head);
    for (const file of [path, path.replace(/\.jsonl$/, '.sig')]) await rm(file, { force: true });
  }
}

async function writeRun(store: EventStore, directory: string, run_id: string, report: LogOptions['report']): Promise<void> {
  const head = await store.head(run_id);
  if (!head) return; // pruned meanwhile
  const position = await store.log.position(run_id);
  const rendered = (await store.lines(run_id, position.seq + 1)).map(renderLine);
  if (rendered.length === 0) return;
  const path = logPath(directory, head);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a+', 0o600);
  try {
    const text = Buffer.from(rendered.join(''));
    const size = await place(file, position, text, (code, what) => report({ code, run_id, message: `${path} ${what}` }));
    await file.datasync(); // the position must not outlive the text
    await store.log.move(run_id, { seq: position.seq + rendered.length, bytes: size, hash: rendered.reduce(foldHash, position.hash) });
  } finally {
    await file.close();
  }
}

/** Appends what is not there yet; gives the size of the file then. */
async function place(
  file: FileHandle,
  { bytes }: LogPosition,
  text: Buffer,
  report: (code: LogProblem['code'], what: string) => void,
): Promise<number> {
  const { size } = await file.stat();
  let start = 0;
  if (size === 0 && bytes > 0)
    report('log_missing', `is missing or empty; ${bytes} bytes had been written. Later events follow, earlier ones are not written again`);
  else if (size < bytes)
    report('log_short', `holds ${size} bytes, ${bytes} had been written. Later events follow, earlier ones are not written again`);
  else if (size > bytes) {
    // A crash came between writing and keeping the position: what is there must be the beginning of what follows.
    const tail = Buffer.alloc(size - bytes);
    await file.read(tail, 0, tail.length, bytes);
    if (text.subarray(0, tail.length).equals(tail)) start = tail.length;
    else report('log_foreign', `holds ${size - bytes} bytes that hermes did not write`);
  }
  await file.appendFile(text.subarray(start));
  return size + text.length - start;
}
