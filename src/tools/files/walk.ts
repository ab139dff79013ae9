/** The files below a folder of the workspace that a person would look through: not what git ignores, not links, nothing secret. */

import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { secretPart } from '../protected.ts';
import { type IgnoreRules, parseIgnore } from './ignore.ts';

/** Never looked into. */
const SKIPPED = new Set(['.git', 'node_modules', '.hermes', '.venv', '__pycache__']);
const IGNORE_FILES = ['.gitignore', '.ignore'];
/** Bytes of a .gitignore; more is not meant for people. */
const MOST_RULES = 200_000;

interface Level {
  /** Of its folder, below the workspace, ending in / or empty. */
  prefix: string;
  rules: IgnoreRules;
}

/** Paths below `workspace`, with /, in order. Ends by itself when the caller does not go on. `folder`: its real path, within the workspace. */
export async function* walkFiles(workspace: string, folder: string): AsyncGenerator<string> {
  const place = relative(workspace, folder).split(sep).filter(Boolean);
  const levels: Level[] = [];
  let prefix = '';
  for (const part of place) {
    levels.push(...(await readRules(workspace, prefix, await entriesOf(join(workspace, prefix)))));
    prefix += `${part}/`;
  }
  yield* walk(workspace, prefix, levels);
}

async function* walk(workspace: string, prefix: string, above: readonly Level[]): AsyncGenerator<string> {
  const entries = await entriesOf(join(workspace, prefix));
  const levels = [...above, ...(await readRules(workspace, prefix, entries))];
  for (const entry of entries) {
    const path = prefix + entry.name;
    if (SKIPPED.has(entry.name) || isIgnored(levels, path, entry.isDirectory())) continue;
    if (secretPart(workspace, join(workspace, path)) !== undefined) continue;
    if (entry.isDirectory()) yield* walk(workspace, `${path}/`, levels);
    else if (entry.isFile()) yield path;
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // not ours to read: nothing is in it for us
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The nearest file that speaks of a path decides. */
function isIgnored(levels: readonly Level[], path: string, isFolder: boolean): boolean {
  for (const { prefix, rules } of levels.toReversed()) {
    const said = rules.ignores(path.slice(prefix.length), isFolder);
    if (said !== undefined) return said;
  }
  return false;
}

/** Of ordinary files only: a pipe would be waited for. */
async function readRules(workspace: string, prefix: string, entries: readonly Dirent[]): Promise<Level[]> {
  const names = IGNORE_FILES.filter((name) => entries.some((entry) => entry.name === name && entry.isFile()));
  const texts = await Promise.all(names.map((name) => readFile(join(workspace, prefix, name), 'utf8').catch(() => '')));
  return texts.map((text) => ({ prefix, rules: parseIgnore(text.slice(0, MOST_RULES)) }));
}
