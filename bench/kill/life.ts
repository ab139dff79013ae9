/** One life of the killed program: a real process, killed with SIGKILL at a given moment, and what is left of it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import type { Head } from '../../src/journal/store.ts';
import type { Said } from './child.ts';

const CHILD = join(import.meta.dirname, 'child.ts');
/** Far beyond what a life takes on a busy machine. */
const LIFE_MS = 60_000;
const LOOK_MS = 10;

/** `ms` after the program has said so many lines (the first comes before it opens the store), or after this tool has begun. */
export type Kill = { lines: number; ms: number } | { tool: string; ms: number };

export interface Life {
  said: Said[];
  /** What another process saw in the store while this one lived: the end of each run. */
  seen: Map<string, Head>;
  killed: boolean;
  /** Exit status of a life that was not killed, and what it wrote to standard error. */
  status: number | null;
  errors: string;
  /** Milliseconds from the first line to the end. */
  ms: number;
}

export interface LifeOptions {
  /** Without it the program lives to its end. */
  kill?: Kill;
  /** Another process reads in the store meanwhile. */
  watch?: boolean;
  /** An interrupted turn is not gone on with; the next one follows. */
  next?: boolean;
}

/** `mark` is in the environment of the program and of all that it starts. */
export async function live(folder: string, mark: string, { kill, watch, next }: LifeOptions = {}): Promise<Life> {
  const words = [...(kill ? ['stay'] : []), ...(next ? ['next'] : [])];
  const child = spawn(process.execPath, [CHILD, folder, ...words], { env: { ...process.env, HERMES_KILL_MARK: mark } });
  const said: Said[] = [];
  let errors = '';
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  const end = () => child.kill('SIGKILL');
  const limit = setTimeout(end, LIFE_MS);
  const watched = new AbortController();
  let seen: Promise<Map<string, Head>> | undefined;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  createInterface(child.stdout).on('line', (line) => {
    if (said.length === 0) began = performance.now();
    const last: Said = JSON.parse(line);
    said.push(last);
    if (watch && said.length === 2) seen = look(folder, watched.signal);
    if (kill && (isMoment(kill, last, said.length) || last.said === 'closed')) timer ??= setTimeout(end, kill.ms);
  });
  const [status, signal] = await once(child, 'close');
  clearTimeout(limit);
  clearTimeout(timer);
  watched.abort();
  return { said, seen: (await seen) ?? new Map(), killed: signal === 'SIGKILL', status, errors, ms: performance.now() - began };
}

function isMoment(kill: Kill, last: Said, lines: number): boolean {
  return 'lines' in kill ? lines === kill.lines : last.said === 'began' && last.tool === kill.tool;
}

/** Reads in the store, as another process, until the program is dead. */
async function look(folder: string, signal: AbortSignal): Promise<Map<string, Head>> {
  const seen = new Map<string, Head>();
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  while (!signal.aborted) {
    for (const { run_id, seq, hash } of await store.list({ limit: 100 })) seen.set(run_id, { seq, hash });
    await sleep(LOOK_MS);
  }
  await store.close();
  return seen;
}

/** Processes with the mark in their environment, zombies left out. Where there is no /proc nothing is found. */
export function survivors(mark: string): { pid: number; command: string }[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HERMES_KILL_MARK=${mark}\0`)) return [];
        return [{ pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() }];
      } catch (error) {
        if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return []; // gone, or not ours
        throw error;
      }
    });
}

export function endSurvivors(mark: string): void {
  for (const { pid } of survivors(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it has ended meanwhile
    }
  }
}
