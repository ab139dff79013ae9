/** Images by their paths in what was typed, pasted or dropped into a talk: each becomes an attachment, its name stays in the text. */

import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LoadedFile, loadFile } from '../agent/files.ts';
import { readHeader } from '../media/header.ts';
import { imageKind } from '../media/kind.ts';
import type { Cli } from './context.ts';

/** A longer text is a document, and paths in it are part of it. */
const MOST_CHARACTERS = 2000;
/** Where a path may end: after the ending of an image's name, or at a blank or quote. Whether it is an image its content tells. */
const ENDS = /\.(?:png|jpe?g|gif|webp|bmp|tiff?|hei[cf]|avif)(?![A-Za-z0-9])|(?<!\\)(?=[\s"'”’」』》>])|$/gi;
/** Where a path may begin: a slash, tilde or dot that no other path goes through. */
const PATH_STARTS = /(?<![\w.~/\\-])(?:~|\.{1,2})?\/|file:\/\//g;
/** With the ending of an image's name behind it, also any new word. */
const STARTS = new RegExp(String.raw`(?<=^|[\s"'“‘「『《(（[<，。：；、])\S|${PATH_STARTS.source}`, 'g');
const QUOTES: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '‘': '’', '「': '」', '『': '』', '《': '》', '<': '>' };

export interface Attached {
  /** With `[name]` in place of each path. */
  text: string;
  files: LoadedFile[];
  /** Nothing was said beside the paths. */
  isOnlyPaths: boolean;
}

/** Throws a HermesError when an image that was found cannot be read. */
export async function attachImages(text: string): Promise<Attached> {
  const found = text.length > MOST_CHARACTERS ? [] : findImages(text);
  let rest = '';
  let named = '';
  let at = 0;
  for (const { start, end, path } of found) {
    rest += text.slice(at, start);
    named += `${text.slice(at, start)}[${basename(path)}]`;
    at = end;
  }
  const files: LoadedFile[] = [];
  for (const { path } of found) files.push(await loadFile(path));
  return { text: named + text.slice(at), files, isOnlyPaths: found.length > 0 && (rest + text.slice(at)).trim() === '' };
}

/** What people are told of an attachment: its name, type and size. */
export function describeAttached({ t }: Pick<Cli, 't'>, { name, data }: LoadedFile): string {
  const bytes = Buffer.from(data as Uint8Array);
  const kind = imageKind(bytes)!;
  const { width, height } = readHeader(kind, bytes);
  const size = width && height ? `${kind.toUpperCase()}, ${width}x${height}` : kind.toUpperCase();
  return t('chat.attached', { name, size });
}

interface Place {
  start: number;
  end: number;
  path: string;
}

function findImages(text: string): Place[] {
  const found: Place[] = [];
  let after = 0;
  for (const match of text.matchAll(ENDS)) {
    const place = placeBefore(text, after, match.index + match[0].length, match[0] === '' ? PATH_STARTS : STARTS);
    if (!place) continue;
    found.push(place);
    after = place.end;
  }
  return found;
}

/** The longest path of an image that ends here, on the same line. */
function placeBefore(text: string, after: number, end: number, starts: RegExp): Place | undefined {
  const from = Math.max(after, text.lastIndexOf('\n', end - 1) + 1);
  for (const { index } of text.slice(from, end).matchAll(starts)) {
    const start = from + index;
    const path = forms(text.slice(start, end)).find(isImage);
    if (path !== undefined) return withQuotes(text, { start, end, path });
  }
  return undefined;
}

/** As it stands, as a terminal escapes it when a file is dropped, as an address, in the home folder. */
function forms(typed: string): string[] {
  if (typed.startsWith('file://')) return fromAddress(typed);
  const plain = typed.replace(/\\(.)/g, '$1');
  const given = plain === typed ? [typed] : [typed, plain];
  return given.map((path) => (path.startsWith('~/') ? join(homedir(), path.slice(2)) : path));
}

function fromAddress(address: string): string[] {
  try {
    return [fileURLToPath(address)];
  } catch {
    return []; // not an address of a file here
  }
}

function isImage(path: string): boolean {
  try {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(64);
      return imageKind(head.subarray(0, readSync(file, head))) !== undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return false; // no path, or not ours to read: it stays text
  }
}

function withQuotes(text: string, { start, end, path }: Place): Place {
  const isQuoted = QUOTES[text[start - 1] ?? ''] === text[end] && text[end] !== undefined;
  return isQuoted ? { start: start - 1, end: end + 1, path } : { start, end, path };
}
