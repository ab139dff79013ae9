/** The processes of one call: each in its own group, output capped, none survives the call. Loaded with the first `exec`. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { HermesError } from '../kernel/errors.ts';
import type { ExecLimits, ExecOptions, ExecResult } from './define.ts';
import { endGroup, endMarked, markFor } from './marks.ts';
import { cleanText, decodeText } from './result.ts';
import { watchDescendants } from './watch.ts';

const MAX_BYTES = 1_000_000;
/** Milliseconds for the last output after the end of a process whose children hold its pipes open. */
const LAST_OUTPUT = 100;

export class CallProcesses {
  readonly #key: string;
  readonly #workspace: string;
  readonly #children: ChildProcess[] = [];
  #isOver = false;

  constructor(key: string, workspace: string) {
    this.#key = key;
    this.#workspace = workspace;
  }

  run(command: string | readonly string[], options: ExecOptions = {}): Promise<ExecResult> {
    if (this.#isOver) throw new HermesError('call_over', 'the call is over; it starts no more processes', { kind: 'tool' });
    const [file, ...args] = typeof command === 'string' ? [command] : command;
    if (!file) throw new HermesError('no_command', 'exec: expected a command, got nothing', { kind: 'tool' });
    const child = spawn(file, args, {
      cwd: options.cwd ?? this.#workspace,
      env: { ...(options.onlyEnv ? {} : process.env), ...options.env, ...markFor(this.#key) },
      shell: typeof command === 'string',
      detached: true,
    });
    this.#children.push(child);
    child.stdin.on('error', () => undefined); // a process may end without reading its input
    child.stdin.end(options.input ?? '');
    return finished(child, options);
  }

  /** Ends every process that the call has started, and what these have started. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all([endMarked(this.#key), ...this.#children.map(({ pid }) => (pid === undefined ? undefined : endGroup(pid)))]);
    for (const child of this.#children) {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }
  }
}

function finished(child: ChildProcess, { maxBytes = MAX_BYTES, timeoutMs, limits = {} }: ExecOptions): Promise<ExecResult> {
  let ended: ExecResult['ended'];
  const end = (why: ExecResult['ended']) => {
    ended ??= why;
    if (child.pid !== undefined) void endGroup(child.pid);
  };
  let room = limits.outputBytes ?? Infinity;
  const take = (bytes: number) => {
    room -= bytes;
    if (room < 0) end('outputBytes');
  };
  const stdout = collect(child.stdout!, maxBytes, take);
  const stderr = collect(child.stderr!, maxBytes, take);
  const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'time');
  const watch = watched(child, limits, end);
  return new Promise<ExecResult>((resolve, reject) => {
    const done = (code: number | null, signal: string | null) => {
      const truncated = stdout.isCut() || stderr.isCut();
      resolve({ code, signal, stdout: stdout.text(), stderr: stderr.text(), truncated, ...(ended ? { ended } : {}) });
    };
    child.once('error', reject);
    child.once('close', done);
    // A busy loop runs its timers before it reads what has come: what is there by then is read first.
    child.once('exit', (code, signal) => setTimeout(() => setImmediate(done, code, signal), LAST_OUTPUT).unref());
  }).finally(() => {
    clearTimeout(timer);
    watch?.stop();
  });
}

function watched({ pid }: ChildProcess, limits: ExecLimits, end: (why: keyof ExecLimits) => void) {
  const isLimited = limits.processes !== undefined || limits.memoryBytes !== undefined;
  return isLimited && pid !== undefined ? watchDescendants(pid, limits, end) : undefined;
}

function collect(stream: Readable, maxBytes: number, take: (bytes: number) => void): { text(): string; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
    take(chunk.length);
  });
  return { text: () => cleanText(decodeText(Buffer.concat(chunks), size > maxBytes)), isCut: () => size > maxBytes };
}
