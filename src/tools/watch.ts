/** How much the descendants of a process use: looked up in /proc, so on Linux only. */

import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds between two looks. A fork bomb makes some hundred processes in this time. */
const LOOK = 100;
/** Bytes of a page of memory; 4,096 on nearly every machine, where pages are larger the limit comes later. */
const PAGE = 4_096;

/** Looks until it is stopped. `beyond` is called once. */
export function watchDescendants(
  root: number,
  most: { processes?: number; memoryBytes?: number },
  beyond: (limit: 'processes' | 'memoryBytes') => void,
): { stop(): void } {
  const timer = setInterval(() => {
    const { processes, memoryBytes } = usage(root);
    const limit =
      processes > (most.processes ?? Infinity) ? 'processes' : memoryBytes > (most.memoryBytes ?? Infinity) ? 'memoryBytes' : undefined;
    if (limit === undefined) return;
    clearInterval(timer);
    beyond(limit);
  }, LOOK);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

/** The process itself and all that descend from it. One whose parent has died belongs to init, and is not counted any more. */
function usage(root: number): { processes: number; memoryBytes: number } {
  const children = new Map<number, number[]>();
  const pages = new Map<number, number>();
  for (const name of process.platform === 'linux' ? readdirSync('/proc') : []) {
    const stat = /^\d+$/.test(name) ? statOf(name) : undefined;
    if (!stat) continue;
    const pid = Number(name);
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid]);
    pages.set(pid, stat.pages);
  }
  const total = { processes: 0, memoryBytes: 0 };
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    total.processes++;
    total.memoryBytes += (pages.get(pid) ?? 0) * PAGE;
    open.push(...(children.get(pid) ?? []));
  }
  return total;
}

/** Fields 4 and 24 of /proc/PID/stat; the name in field 2 may hold blanks and brackets. */
function statOf(pid: string): { parent: number; pages: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { parent: Number(fields[1]), pages: Number(fields[21]) };
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
