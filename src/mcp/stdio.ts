/**
 * A server as a process of its own group: one JSON message a line on its standard output, whatever else stands there is skipped. When it
 * is closed nothing of it is left, not what it has started either. The SDK's own transport ends the direct child only.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { cut } from '../kernel/text.ts';
import { endGroup, endMarked, markFor } from '../tools/marks.ts';
import { cleanText } from '../tools/result.ts';
import type { StdioServer } from './types.ts';

/** Bytes of one message. */
const MOST_BYTES = 12_000_000;
/** Characters of standard error that are kept for an error. */
const LAST_WORDS = 600;
/** Milliseconds after the end of its input, and after SIGTERM. */
const PATIENCE = 400;
/** What a server gets of the program's own environment: no keys, no proxies. */
const VARIABLES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

/** The shape that the SDK calls a Transport. */
export class StdioTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: never) => void;
  readonly #server: StdioServer;
  /** Finds what has left the group. */
  readonly #key = `mcp_${process.pid}_${Math.random().toString(36).slice(2)}`;
  #child: ChildProcess | undefined;
  #pieces: Buffer[] = [];
  #size = 0;
  #stderr = '';
  #ending: Promise<void> | undefined;
  #exited = false;
  /** Why we ended it, when it is the server's own fault. */
  #fault: string | undefined;

  constructor(server: StdioServer) {
    this.#server = server;
  }

  /** Rejects when there is no such program. */
  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#server;
    const own = Object.fromEntries(VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
    const child = spawn(command, args, { cwd, env: { ...own, ...env, ...markFor(this.#key) }, detached: true, stdio: 'pipe' });
    this.#child = child;
    child.stdin!.on('error', () => undefined); // it has ended; its end is told by `exit`
    child.stdout!.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stderr!.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-4 * LAST_WORDS);
    });
    if (child.pid !== undefined) keep(child.pid);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('spawn', resolve);
    child.once('error', (error) => {
      this.#exited = true;
      reject(error);
    });
    // Its last messages come before the end is told; a child of it may hold the pipes open for ever.
    child.once('exit', () => {
      this.#exited = true;
      const end = setTimeout(() => void this.close(), 50);
      child.once('close', () => {
        clearTimeout(end);
        void this.close();
      });
    });
    await promise;
    // A program that forgets to close its servers may still end; its servers end with it.
    child.unref();
    for (const stream of child.stdio) (stream as { unref?(): void } | null)?.unref?.();
  }

  async send(message: unknown): Promise<void> {
    if (this.#ending || !this.#child || this.#exited) throw new HermesError('mcp_closed', 'the server has ended', { kind: 'tool' });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`, () => resolve());
    await promise;
  }

  /** Politely first: the end of its input, then SIGTERM, then SIGKILL for all that is left. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** What it said last on standard error, or what it did wrong; '' = nothing. */
  lastWords(): string {
    const said = cleanText(this.#stderr).trim();
    return this.#fault ?? (said.length > LAST_WORDS ? `…${said.slice(-LAST_WORDS)}` : said);
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child?.pid !== undefined) {
      child.ref();
      const gone = new Promise<void>((resolve) => (this.#exited ? resolve() : child.once('exit', () => resolve())));
      child.stdin!.end();
      if (!(await within(gone, PATIENCE))) {
        signal(-child.pid, 'SIGTERM');
        await within(gone, PATIENCE);
      }
      await Promise.all([endGroup(child.pid), endMarked(this.#key)]);
      for (const stream of child.stdio) stream?.destroy();
      living.delete(child.pid);
    }
    this.#pieces = [];
    this.onclose?.();
  }

  #take(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#pieces.push(chunk.subarray(from, at));
      const line = Buffer.concat(this.#pieces).toString();
      this.#pieces = [];
      this.#size = 0;
      from = at + 1;
      this.#read(line);
    }
    const rest = chunk.subarray(from);
    this.#size += rest.length;
    this.#pieces.push(rest);
    if (this.#size <= MOST_BYTES) return;
    this.#pieces = [];
    this.#fault = `it sent a message of more than ${MOST_BYTES / 1e6} MB and was ended`;
    void this.close();
  }

  #read(line: string): void {
    if (this.#ending || !line.trimStart().startsWith('{')) return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return; // a log line that begins like JSON
    }
    if (isObject(message) && message.jsonrpc === '2.0') this.onmessage?.(message as never);
  }
}

/** Groups that end with this program, also when it ends without closing them. */
const living = new Set<number>();

let isWatching = false;

function keep(pid: number): void {
  if (!isWatching) {
    process.on('exit', () => {
      for (const one of living) signal(-one, 'SIGKILL');
    });
  }
  isWatching = true;
  living.add(pid);
}

/** True when it came in time. */
async function within(event: Promise<void>, ms: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  event.then(() => resolve(true));
  const came = await promise;
  clearTimeout(timer);
  return came;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // ESRCH: gone already
  }
}

/** One line for an error, without the mark-up of terminals. */
export function quoted(words: string): string {
  return words === '' ? '' : `; it said: ${cut(words.replace(/\s*\n\s*/g, ' | '), LAST_WORDS)}`;
}
