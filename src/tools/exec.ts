/** The processes of one call: each in its own group, output capped, none survives the call. Loaded with the first `exec`. */

import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { HermesError } from '../kernel/errors.ts';
import type { ExecOptions, ExecResult } from './define.ts';
import { endGroup, endMarked, markFor } from './marks.ts';
import { cleanText, decodeText } from './result.ts';

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
      env: { ...process.env, ...options.env, ...markFor(this.#key) },
      shell: typeof command === 'string',
      detached: true,
    });
    this.#children.push(child);
    child.stdin.on('error', () => undefined); // a process may end without reading its input
    child.stdin.end(options.input ?? '');
    return finished(child, options.maxBytes ?? MAX_BYTES);
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

function finished(child: ChildProcess, maxBytes: number): Promise<ExecResult> {
  const stdout = collect(child.stdout!, maxBytes);
  const stderr = collect(child.stderr!, maxBytes);
  return new Promise((resolve, reject) => {
    const done = (code: number | null, signal: string | null) =>
      resolve({ code, signal, stdout: stdout.text(), stderr: stderr.text(), truncated: stdout.isCut() || stderr.isCut() });
    child.once('error', reject);
    child.once('close', done);
    child.once('exit', (code, signal) => setTimeout(done, LAST_OUTPUT, code, signal).unref());
  });
}

function collect(stream: Readable, maxBytes: number): { text(): string; isCut(): boolean } {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size));
    size += chunk.length;
  });
  return { text: () => cleanText(decodeText(Buffer.concat(chunks), size > maxBytes)), isCut: () => size > maxBytes };
}
