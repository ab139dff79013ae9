/** The request of a command line: its words, what standard input brings, the files that go with it; checked before anything runs. */

import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FilePart } from '../kernel/types.ts';
import { type Cli, usageError } from './context.ts';
import type { MessageKey } from './messages.ts';

/** Far beyond what any model reads at once; larger ones were given by mistake. */
const MOST_TEXT_BYTES = 1_000_000;
const MOST_IMAGE_BYTES = 20_000_000;
/** When a pipe stays silent for so long, one line says what is being waited for. */
const SILENCE_MS = 2000;
/** Programs that start others often leave a socket open as their input and never write to it: it counts as empty after this. */
const SOCKET_MS = 1000;

export interface Request {
  text: string;
  files: FilePart[];
}

export async function readRequest(cli: Cli, words: readonly string[], files: readonly string[]): Promise<Request> {
  const fromInput = words.length === 1 && words[0] === '-';
  const parts = await readFiles(cli, files);
  const input = await readInput(cli, fromInput);
  if (fromInput) return { text: checked(cli, textOf(cli, '-', input ?? Buffer.alloc(0))), files: parts };
  const text = checked(cli, words.join(' '));
  if (input !== undefined && input.length > 0) parts.push(partOf(cli, 'stdin', input));
  return { text, files: parts };
}

export function readFiles(cli: Cli, files: readonly string[]): Promise<FilePart[]> {
  return Promise.all(files.map((file) => readPart(cli, file)));
}

function checked(cli: Cli, text: string): string {
  if (text.trim() === '') throw bad(cli, 'input.empty', {});
  if (Buffer.byteLength(text) > MOST_TEXT_BYTES) throw tooLarge(cli, cli.t('input.request'), Buffer.byteLength(text), MOST_TEXT_BYTES);
  // Arguments that were not UTF-8 reach us with replacement characters in them.
  if (text.includes('\ufffd')) throw bad(cli, 'input.notUtf8', { name: cli.t('input.request') });
  return text;
}

async function readPart(cli: Cli, file: string): Promise<FilePart> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw bad(cli, 'input.unreadable', { name: file, reason: (error as Error).message });
  }
  return partOf(cli, basename(file), bytes);
}

function partOf(cli: Cli, name: string, bytes: Buffer): FilePart {
  const image = imageType(bytes);
  if (image === undefined) return { name, media_type: 'text/plain', data: textOf(cli, name, bytes) };
  if (bytes.length > MOST_IMAGE_BYTES) throw tooLarge(cli, name, bytes.length, MOST_IMAGE_BYTES);
  return { name, media_type: image, data: bytes.toString('base64') };
}

function textOf(cli: Cli, name: string, bytes: Buffer): string {
  if (bytes.length > MOST_TEXT_BYTES) throw tooLarge(cli, name, bytes.length, MOST_TEXT_BYTES);
  if (bytes.includes(0)) throw bad(cli, 'input.binary', { name });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bad(cli, 'input.notUtf8', { name });
  }
}

/** By the first bytes, whatever the name says. */
function imageType(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, 12).toString('latin1');
  if (head.startsWith('\x89PNG')) return 'image/png';
  if (head.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'image/webp';
  return undefined;
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
      if (size > MOST_IMAGE_BYTES) throw tooLarge(cli, 'stdin', size, MOST_IMAGE_BYTES);
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
