/** Starts the real program for the tests of the command line, in a folder and with an environment of its own. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
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
  // The folders of tests are their own: they trust them, but for the tests of trust itself.
  const own = {
    PATH,
    HOME: cwd,
    LANG: 'C.UTF-8',
    HERMES_TRUST: '1',
    ...(TMPDIR ? { TMPDIR } : {}),
    ...(HERMES_MODELS ? { HERMES_MODELS } : {}),
    ...env,
  };
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

/** Whether `script` (util-linux) is here, which gives a program a terminal of its own; else why not. */
export const noTerminal: string | false =
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0
    ? false
    : 'needs script of util-linux (apt-get install -y bsdutils)';

export interface OnScreen {
  /** Resolves when the pattern has been written since the last match. */
  seen(pattern: RegExp): Promise<string>;
  type(text: string): void;
  ended: Promise<number>;
}

/** The program in a terminal of 80 columns. */
export function onScreen(args: readonly string[], { cwd, env }: { cwd: string; env?: Record<string, string> }): OnScreen {
  const command = [process.execPath, main, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { PATH } = process.env;
  const child = spawn('script', ['-qefc', `stty cols 80 rows 24; exec ${command}`, '/dev/null'], {
    cwd,
    env: { PATH, HOME: cwd, LANG: 'C.UTF-8', TERM: 'xterm', SHELL: '/bin/sh', HERMES_TRUST: '1', ...env },
  });
  let screen = '';
  let read = 0;
  let look = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    look();
  });
  return {
    seen: (pattern) =>
      new Promise((done, fail) => {
        const timer = setTimeout(
          () => fail(new Error(`${pattern} was not written; the screen holds ${JSON.stringify(screen.slice(read))}`)),
          20_000,
        );
        look = () => {
          const found = pattern.exec(screen.slice(read));
          if (!found) return;
          clearTimeout(timer);
          look = () => {};
          const before = screen.slice(read, read + found.index + found[0].length);
          read += found.index + found[0].length;
          done(before);
        };
        look();
      }),
    type: (text) => child.stdin.write(text),
    ended: new Promise((done) => child.once('close', (code) => done(code ?? -1))),
  };
}

/** A folder of this test file, removed afterwards. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-cli-'));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes new folders inside one of this test file's own; their names begin with `prefix`. */
export async function newFolders(prefix = ''): Promise<() => Promise<string>> {
  const top = await ownFolder();
  let count = 0;
  return async () => {
    const made = join(top, `${prefix}${++count}`);
    await mkdir(made);
    return made;
  };
}
