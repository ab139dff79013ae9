/**
 * The rules that "always" has made, by folder: `permissions.toml` in the user's configuration folder. Not in the project: what one
 * person allows stays theirs, no cloned repository brings any along, and no tool of a run can reach it.
 */

import { mkdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { readSmallText } from './read-text.ts';

const HEAD = '# What was answered with "always", by folder. Delete a line, and you are asked again.\n';

export function rememberedFile(userFolder: string): string {
  return join(userFolder, 'permissions.toml');
}

/** The rules of this folder; no file = none. A broken file is an error that names it. */
export async function readRemembered(userFolder: string, root: string): Promise<readonly string[]> {
  return (await readAll(rememberedFile(userFolder)))[await realOf(root)] ?? [];
}

/** Adds rules: the file is there as it was, or as it is to be. */
export async function remember(userFolder: string, root: string, rules: readonly string[]): Promise<void> {
  const file = rememberedFile(userFolder);
  const all = await readAll(file);
  const folder = await realOf(root);
  all[folder] = [...new Set([...(all[folder] ?? []), ...rules])];
  const temporary = `${file}.${process.pid}.tmp`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeFile(temporary, HEAD + Object.entries(all).map(sectionText).join(''), { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function readAll(file: string): Promise<Record<string, readonly string[]>> {
  const text = await readSmallText(file);
  if (text === undefined) return {};
  try {
    const folders = Object.entries((await import('smol-toml')).parse(text));
    return Object.fromEntries(folders.map(([folder, section]) => [folder, rulesOf(folder, section)]));
  } catch (cause) {
    const reason = String((cause as Error).message).split('\n')[0]!;
    throw new HermesError('config_syntax', `${file}: ${reason}.`, {
      kind: 'usage',
      next: 'mend or delete the file; without it you are asked again',
      data: { file, reason },
      cause,
    });
  }
}

function rulesOf(folder: string, section: unknown): string[] {
  const { allow, ...others } = Object(section) as Record<string, unknown>;
  if (Array.isArray(allow) && allow.every((rule) => typeof rule === 'string') && Object.keys(others).length === 0) return allow;
  throw new Error(`["${folder}"] holds something else than allow = [ "RULE", ... ]`);
}

async function realOf(root: string): Promise<string> {
  return realpath(root).catch(() => root);
}

function sectionText([folder, rules]: [string, readonly string[]]): string {
  return `\n[${tomlText(folder)}]\nallow = [\n${rules.map((rule) => `  ${tomlText(rule)},\n`).join('')}]\n`;
}

/** JSON writes the same escapes as TOML, but for the one character that TOML wants escaped besides. */
function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}
