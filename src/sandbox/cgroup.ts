/**
 * A control group for one command: how root's processes are counted, whom the kernel's own limit (RLIMIT_NPROC) spares. Without one
 * they are only looked at from outside, and a fork bomb can be faster.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Group {
  /** A process that writes its id there is in it, and all it starts. */
  procs: string;
  close(): Promise<void>;
}

const NAME = /^hermes-(\d+)-\d+$/;
let count = 0;

/** undefined: this machine lets us make none. */
export function openGroup(processes: number, memoryBytes: number): Group | undefined {
  for (const base of bases()) {
    const folder = join(base, `hermes-${process.pid}-${++count}`);
    try {
      removeOld(base);
      mkdirSync(folder);
      if (existsSync(join(folder, 'pids.max'))) {
        writeFileSync(join(folder, 'pids.max'), String(processes));
        if (existsSync(join(folder, 'memory.max'))) writeFileSync(join(folder, 'memory.max'), String(memoryBytes));
        return { procs: join(folder, 'cgroup.procs'), close: () => remove(folder) };
      }
      rmdirSync(folder);
    } catch (error) {
      if (!UNABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
  return undefined;
}

const UNABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EBUSY', 'ENOTDIR', 'EINVAL', 'EEXIST', 'ENOTEMPTY']);

/** Where groups may be made: the one that this process is in, of version 1 and 2, and the root. */
function bases(): string[] {
  const lines = readFileSync('/proc/self/cgroup', 'utf8').split('\n');
  const own = (controllers: RegExp) => lines.find((line) => controllers.test(line))?.replace(/^\d+:[^:]*:/, '') ?? '/';
  const first = '/sys/fs/cgroup/pids';
  const second = '/sys/fs/cgroup';
  const found = [join(first, own(/^\d+:(?:[^:]*,)?pids(?:,[^:]*)?:/)), first, join(second, own(/^0::/)), second];
  return found.filter((base) => existsSync(join(base, 'cgroup.procs')));
}

/** Those of programs that were killed. */
function removeOld(base: string): void {
  for (const name of readdirSync(base)) {
    const pid = NAME.exec(name)?.[1];
    if (pid && !existsSync(`/proc/${pid}`)) tryRemove(join(base, name));
  }
}

/** The kernel lets go of a group a moment after its last process. */
async function remove(folder: string): Promise<void> {
  for (let look = 0; look < 100 && !tryRemove(folder); look++) await sleep(look);
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch (error) {
    if (!UNABLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
