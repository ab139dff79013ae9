/** The request of a command line: its words, what standard input brings, the files that go with it; checked before anything runs. */

import { fstatSync } from 'node:fs';
import type { LoadedFile } from '../agent/files.ts';
import { type Cli, usageError } from './context.ts';
import type { MessageKey } from './messages.ts';

/** Far beyond what any model reads at once; larger ones were given by mistake. */
const MOST_TEXT_BYTES = 1_000_000;
/** More than an image may have (50 MB); what it is, is known afterwards. */
const MOST_INPUT_BYTES = 60_000_000;
/** When a pipe stays silent for so long, one line says what is being waited for. */
const SILENCE_MS = 2000;
/** Programs that start others often leave a socket open as their input and never write to it: it counts as empty after this. */
const SOCKET_MS = 1000;

export interface Request {
  text: string;
  files: LoadedFile[];
}

export async function readRequest(cli: Cli, words: readonly string[], files: readonly string[]): Promise<Request> {
  const fromInput = words.length === 1 && words[0] === '-';
  const parts = await readFiles(files);
  const input = await readInput(cli, fromInput);
  if (fromInput) {
    const { data } = await loaded(cli.t('input.stdin'), input ?? Buffer.alloc(0));
    if (typeof data !== 'string') throw bad(cli, 'input.image', {});
    return { text: checked(cli, data), files: parts };
  }
  const text = checked(cli, words.join(' '));
  if (input !== undefined && input.length > 0) parts.push(await loaded('stdin', input));
  return { text, files: parts };
}

/** Throws a HermesError that names the file. */
export async function readFiles(files: readonly string[]): Promise<LoadedFile[]> {
  if (files.length === 0) return [];
  const { loadFile } = await import('../agent/files.ts');
  return Promise.all(files.map((file) => loadFile(file)));
}

async function loaded(name: string, bytes: Buffer): Promise<LoadedFile> {
  return (await import('../agent/files.ts')).loadBytes(name, bytes);
}

function checked(cli: Cli, text: string): string {
  if (text.trim() === '') throw bad(cli, 'input.empty', {});
  if (Buffer.byteLength(text) > MOST_TEXT_BYTES) throw tooLarge(cli, cli.t('input.request'), Buffer.byteLength(text), MOST_TEXT_BYTES);
  // Arguments that were not UTF-8 reach us with replacement characters in them.
  if (text.includes('\ufffd')) throw bad(cli, 'input.notUtf8', { name: cli.t('input.request') });
  return text;
}

/** All of standard input when something may come from it; undefined when it is a terminal, a device or closed. */
async function readInput(cli: Cli, wanted: boolean): Promise<Buffer | undefined> {
  const kind = inputKind();
  if (kind === 'none' || (kind === 'terminal' && !wanted)) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  const { stdin } = process;
  const notice = setTimeout(() => size === 0 && cli.terminal.err(`${cli.t('input.waiting')}\n`), SILENCE_MS);
  const giveUp = kind === 'socket' && !wanted ? setTimeout(() => size === 0 && stdin.destroy(), SOCKET_MS) : undefined;
  try {
    for await (const chunk of stdin) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > MOST_INPUT_BYTES) throw tooLarge(cli, cli.t('input.stdin'), size, MOST_INPUT_BYTES);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  } finally {
    clearTimeout(notice);
    clearTimeout(giveUp);
  }
  return Buffer.concat(chunks);
}

function inputKind(): 'terminal' | 'socket' | 'data' | 'none' {
  if (process.stdin.isTTY) return 'terminal';
  try {
    const stat = fstatSync(0);
    if (stat.isSocket()) return 'socket';
    return stat.isFIFO() || stat.isFile() ? 'data' : 'none';
  } catch {
    return 'none';
  }
}

function tooLarge(cli: Cli, name: string, bytes: number, most: number): Error {
  return bad(cli, 'input.tooLarge', { name, bytes, most });
}

function bad(cli: Cli, key: MessageKey, values: Record<string, string | number>): Error {
  return usageError(cli.t(key, values), cli.t('input.next'));
}
