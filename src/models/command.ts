/** Runs one outside program (pip, npm) in its own process group, so that ending it ends all that it started. */

import { spawn } from 'node:child_process';

export interface CommandResult {
  code: number;
  /** Standard output and standard error together, the last 8,000 characters. */
  output: string;
}

/** Milliseconds between the polite end of a process group and the certain one. */
const GRACE_MS = 2_000;
const KEPT_OUTPUT = 8_000;

/**
 * Resolves when the program has ended, whatever its exit status. Rejects with the spawn error when it
 * could not start (ENOENT: there is no such program), and with the signal's reason, after the whole
 * group has been ended, when aborted.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: { signal?: AbortSignal; environment?: NodeJS.ProcessEnv } = {},
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: options.environment ?? process.env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT);
    });
  }
  let killer: NodeJS.Timeout | undefined;
  const end = () => {
    endGroup(child.pid, 'SIGTERM');
    killer = setTimeout(() => endGroup(child.pid, 'SIGKILL'), GRACE_MS);
  };
  const endNow = () => endGroup(child.pid, 'SIGKILL');
  options.signal?.addEventListener('abort', end, { once: true });
  process.once('exit', endNow);
  try {
    const code = await new Promise<number>((done, failed) => {
      child.once('error', failed);
      child.once('close', (status) => done(status ?? 1));
    });
    options.signal?.throwIfAborted();
    return { code, output };
  } finally {
    clearTimeout(killer);
    process.removeListener('exit', endNow);
    options.signal?.removeEventListener('abort', end);
  }
}

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
