/**
 * The rules that "always" has made: `.hermes/permissions.toml` in the project's folder. A file of its own, since it is written by the
 * program: the project's configuration keeps its comments and its place under version control, and what one person allows stays theirs.
 */

import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { readSmallText } from './read-text.ts';

const HEAD = '# What was answered with "always". Delete a line, and you are asked again.\n';

export function rememberedFile(root: string): string {
  return join(root, '.hermes', 'permissions.toml');
}

/** No file = no rules. A broken one is an error that names it. */
export async function readRemembered(root: string): Promise<readonly string[]> {
  const file = rememberedFile(root);
  const text = await readSmallText(file);
  if (text === undefined) return [];
  try {
    const { allow, ...others } = (await import('smol-toml')).parse(text);
    const isList = Array.isArray(allow) && allow.every((rule) => typeof rule === 'string');
    if (isList && Object.keys(others).length === 0) return allow as string[];
    throw new Error('expected allow = [ "RULE", ... ] and nothing else');
  } catch (error) {
    const reason = String((error as Error).message).split('\n')[0]!;
    throw new HermesError('config_syntax', `${file}: ${reason}.`, {
      kind: 'usage',
      next: 'mend or delete the file; without it you are asked again',
      data: { file, reason },
    });
  }
}

/** Adds rules: the file is there as it was, or as it is to be. */
export async function remember(root: string, rules: readonly string[]): Promise<void> {
  const known = await readRemembered(root);
  const all = [...new Set([...known, ...rules])];
  const file = rememberedFile(root);
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, `${HEAD}allow = [\n${all.map((rule) => `  ${tomlText(rule)},\n`).join('')}]\n`, {
      mode: 0o600,
      flush: true,
    });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** JSON writes the same escapes as TOML, but for the one character that TOML wants escaped besides. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
