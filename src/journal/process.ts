/** Whether the process that holds a lease still lives, as far as this machine can tell. */

import { existsSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** The machine and, on Linux, the process namespace: elsewhere a process id means another process. */
export function thisHost(): string {
  const namespace = '/proc/self/ns/pid';
  return existsSync(namespace) ? `${hostname()} ${readlinkSync(namespace)}` : hostname();
}

/** True only when it is certain. A number that has been given to another process counts as living; the lease then has to expire. */
export function isGone(holder: { host: string; pid: number }): boolean {
  if (holder.host !== thisHost()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
