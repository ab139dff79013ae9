/** Case files: TOML that people write by hand. Every fault of a file is told at once; nothing runs before all of them can be read. */

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { ofPackage } from '../package.ts';
import { anything, Place } from './fields.ts';
import { readCase } from './read-case.ts';
import type { EvalCase } from './types.ts';

/** Folder of the cases that come with the program. */
export function standardFolder(): string {
  return ofPackage('evals');
}

/** `paths`: files, or folders whose *.toml files are read in the order of their names. `shipped`: tools that cases may name besides their own. */
export async function readCases(paths: readonly string[], shipped: readonly string[]): Promise<EvalCase[]> {
  const faults: string[] = [];
  const cases: EvalCase[] = [];
  for (const file of (await Promise.all(paths.map(filesOf))).flat()) cases.push(...(await readCaseFile(file, shipped, faults)));
  const seen = new Map<string, string>();
  for (const { name, file } of cases) {
    const before = seen.get(name);
    if (before !== undefined) faults.push(`${file}: case "${name}": the name is taken by a case of ${before}`);
    seen.set(name, file);
  }
  if (faults.length === 0) return cases;
  throw new HermesError('bad_case_file', `the case files have ${faults.length} faults:\n  ${faults.join('\n  ')}`, {
    kind: 'usage',
    next: 'mend them; docs/evals.md explains every key, and evals/*.toml are examples',
    data: { count: faults.length, faults: faults.join('\n  ') },
  });
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => extname(name) === '.toml').sort();
    if (names.length > 0) return names.map((name) => join(path, name));
    throw new Error('it holds no *.toml file');
  } catch (error) {
    throw unreadable(path, (error as Error).message);
  }
}

async function readCaseFile(file: string, shipped: readonly string[], faults: string[]): Promise<EvalCase[]> {
  const document = await parse(file);
  const shown = basename(file);
  const top = new Place(`${shown}:`, faults);
  const { tool = {}, case: cases = [] } = top.table(document, {
    tool: ['a table of tools, written [tool.NAME]', isObject],
    case: ['a list of cases, written [[case]]', Array.isArray],
    about: anything,
  });
  if ((cases as Json[]).length === 0) top.at('case').fault('missing; expected at least one [[case]]');
  return (cases as Json[]).map((given, index) => {
    const name = isObject(given) && typeof given.name === 'string' ? `"${given.name}"` : `number ${index + 1}`;
    return readCase(new Place(`${shown}: case ${name}:`, faults), given, { file: shown, shipped, tools: tool as JsonObject });
  });
}

async function parse(file: string): Promise<Json> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(file, (error as Error).message);
  }
  const { parse: parseToml } = await import('smol-toml');
  try {
    return asJson(parseToml(content.replace(/^\uFEFF/, '')));
  } catch (error) {
    const { line, column } = error as { line?: number; column?: number };
    const place = line === undefined ? file : `${file}:${line}:${column}`;
    throw unreadable(place, String((error as Error).message).split('\n')[0]!);
  }
}

/** Dates of TOML are texts for a case. */
function asJson(value: unknown): Json {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(asJson);
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asJson(one)]));
  return value as Json;
}

function unreadable(file: string, reason: string): HermesError {
  return new HermesError('case_file_unreadable', `${file} cannot be read: ${reason}`, {
    kind: 'usage',
    next: 'name a case file (TOML) or a folder of them; docs/evals.md shows one',
    data: { file, reason },
  });
}
