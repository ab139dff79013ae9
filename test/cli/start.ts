/** Starts the real program for the tests of the command line, in a folder and with an environment of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after } from 'node:test';

const main = resolve(import.meta.dirname, '../../src/cli/main.ts');

export interface Ended {
  out: string;
  err: string;
  /** Exit status, or the signal's name. */
  status: number | string;
}
export interface StartOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Default: standard input is empty. `open`: a pipe that stays open. */
  input?: string | Buffer | 'open';
}

export function start(args: readonly string[], { cwd, env, input = '' }: StartOptions): { child: ChildProcess; ended: Promise<Ended> } {
  const { PATH, TMPDIR, HERMES_MODELS } = process.env;
  const own = { PATH, HOME: cwd, LANG: 'C.UTF-8', ...(TMPDIR ? { TMPDIR } : {}), ...(HERMES_MODELS ? { HERMES_MODELS } : {}), ...env };
  const child = spawn(process.execPath, [main, ...args], { cwd, env: own, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ended.err += text;
  });
  // A program that refuses its input early closes the pipe: that is no failure of the test.
  child.stdin.on('error', () => child.stdin.destroy());
  if (input !== 'open') child.stdin.end(input);
  return {
    child,
    ended: new Promise((done) => child.once('close', (code, signal) => done({ ...ended, status: code ?? signal ?? 'unknown' }))),
  };
}

export function hermes(args: readonly string[], options: StartOptions): Promise<Ended> {
  return start(args, options).ended;
}

/** A folder of this test file, removed afterwards. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-cli-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
