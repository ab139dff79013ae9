/**
 * What a person agrees to when they agree to a tool from a file: the text of the file and of those that it names by a path, and they in
 * turn. Not followed: packages, and paths that are put together when it runs.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { branded, hashOf, type Tool } from './define.ts';

/** A path that stands in quotes, wherever: an import, a require, a worker. One too many in the hash does no harm. */
const NAMED = /(["'`])(\.{0,2}\/[^"'`\n\0]{1,500})\1/g;
/** What Node tries for the path of a require. */
const ENDINGS = ['', '.ts', '.js', '.mjs', '.cjs', '.json', '/index.ts', '/index.js'];
const CODE = /\.(?:[cm]?[jt]s|json)$/;
/** Files; what is beyond them is not looked at. */
const MOST = 500;

/** A user's tool of these files: its hash also covers its code, and what a person agrees to is the code as it lies there then. */
export function withCode(tool: Tool, files: readonly string[], threads: { renew(): void }): Tool {
  const loaded = codeHash(files);
  let last = loaded;
  const now = () => {
    const hash = codeHash(files);
    if (hash !== last) threads.renew();
    last = hash;
    return hash;
  };
  return branded({ ...tool, info: { ...tool.info, hash: hashOf(tool.info.hash, loaded) }, code: { loaded, now } });
}

/** Never throws: a file that cannot be read is another than it was. */
export function codeHash(files: readonly string[]): string {
  const texts = new Map<string, string>();
  const queue = [...files];
  for (let path = queue.pop(); path !== undefined && texts.size < MOST; path = queue.pop()) {
    if (texts.has(path)) continue;
    const text = textOf(path);
    texts.set(path, text);
    for (const [, , named = ''] of text.matchAll(NAMED)) {
      const found = fileAt(path, named);
      if (found !== undefined) queue.push(found);
    }
  }
  const parts = [...texts].map(([path, text]) => [relative(files[0]!, path), text]).sort(([a], [b]) => (a! < b! ? -1 : 1));
  return hashOf(...parts.flat());
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return `cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
}

function fileAt(from: string, named: string): string | undefined {
  const path = resolve(dirname(from), named.replace(/[?#].*$/, ''));
  return ENDINGS.map((ending) => path + ending).find((one) => CODE.test(one) && existsSync(one));
}
