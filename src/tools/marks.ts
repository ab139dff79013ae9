/**
 * The mark of a call in the environment of its processes. On Linux it finds those that have left their process group
 * (setsid, daemons); a process that also clears its environment escapes, and needs a sandbox.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const MARK = 'HERMES_CALL_ID';

/** The mark that every process of a call carries; calls within calls add theirs. */
export function markFor(key: string): { [MARK]: string } {
  const outer = process.env[MARK];
  return { [MARK]: outer ? `${outer} ${key}` : key };
}

/** Kills until a look finds no marked process any more: some may have started others between a look and its kills. */
export async function endMarked(key: string): Promise<void> {
  for (let look = 0; look < 50; look++) {
    const pids = marked(key);
    if (pids.length === 0) return;
    for (const pid of pids) kill(pid);
    await sleep(5);
  }
}

function marked(key: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && marksOf(name).includes(key))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** Whole keys: one may be the beginning of another. */
function marksOf(pid: string): string[] {
  const entry = environmentOf(pid)
    .split('\0')
    .find((one) => one.startsWith(`${MARK}=`));
  return entry?.slice(MARK.length + 1).split(' ') ?? [];
}

/** As it was at the start of the process; empty for a zombie, a foreign process or one that has just ended. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

/** Ends a process group; waits until it is gone, but not for a zombie that nobody reaps. */
export async function endGroup(leader: number): Promise<void> {
  for (let look = 0; look < 10 && kill(-leader); look++) await sleep(2);
}

/** SIGKILL; a negative pid is a process group. False when it is gone or not ours. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}
