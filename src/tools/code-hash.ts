/**
 * What a person agrees to when they agree to a tool from a file: the file and all code that it names by a path, and they in turn. Not
 * followed: packages and names of a package.json (#name), paths that are put together when it runs or hold quotes or escapes.
 */

import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { branded, hashOf, type Tool } from './define.ts';

/** Files that run: modules, data of modules, scripts that a tool may start. */
const CODE = /\.(?:[cm]?[jt]s|json|wasm|py|sh|bash|zsh|rb|pl|php|lua|ps1|bat|cmd)$/;
/** What may name a file: a path, or one word that ends as code does. One too many in the hash does no harm. */
const PATH = /^(?:\.{0,2}\/|file:\/\/)[^\n\0]{1,500}$/;
const WORD = /^[^\s\0]{1,500}$/;
/** What Node tries for the path of a require. */
const ENDINGS = ['.ts', '.js', '.mjs', '.cjs', '.json', '/package.json', '/index.ts', '/index.js'];
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
  const hashes = new Map<string, string>();
  const queue = [...files];
  for (let path = queue.pop(); path !== undefined && hashes.size < MOST; path = queue.pop()) {
    if (hashes.has(path)) continue;
    const bytes = bytesOf(path);
    hashes.set(path, hashOf(bytes.toString('latin1'))); // every byte counts
    const isData = path.endsWith('.json') && basename(path) !== 'package.json';
    if (!isData) queue.push(...namedIn(bytes.toString(), path));
  }
  const parts = [...hashes].map(([path, hash]) => [relative(files[0]!, path), hash]).sort(([a], [b]) => (a! < b! ? -1 : 1));
  return hashOf(...parts.flat());
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    return Buffer.from(`cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** The files that are named between any two quotes, wherever: in an import, a require, a worker, a command. */
function namedIn(text: string, path: string): string[] {
  const names = new Set(text.split(/["'`]/).filter((part) => PATH.test(part) || (WORD.test(part) && CODE.test(part))));
  const from = realPath(path); // Node resolves imports from there
  return [...names].flatMap((name) => {
    const place = placeOf(from, name);
    if (CODE.test(place) && isFile(place)) return [place];
    return ENDINGS.map((ending) => place + ending).filter(isFile);
  });
}

function placeOf(from: string, name: string): string {
  try {
    return fileURLToPath(new URL(name, pathToFileURL(from)));
  } catch {
    return resolve(dirname(from), name);
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // it cannot be read, and names nothing
  }
}

/** A pipe would be waited for. */
function isFile(path: string): boolean {
  return existsSync(path) && (statSync(path, { throwIfNoEntry: false })?.isFile() ?? false);
}
