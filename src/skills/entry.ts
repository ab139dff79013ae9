/** A skill's code, as far as it shows without running it: the file inside its folder, the function that is called, what it does. */

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import type { Level } from '../kernel/types.ts';
import type { Fresh } from '../tools/content-cache.ts';
import { isWithin } from '../tools/protected.ts';
import type { Manifest } from './types.ts';

const USUAL = ['skill.ts', 'skill.js', 'skill.mjs'];
/** Exports that are called, the first that is there. */
const NAMES = ['default', 'execute', 'run'];

/** What the code tells. `problem`: it cannot be used. */
export interface Entry {
  /** Name of the export; with it the function is called as (arguments, context). */
  key?: string;
  level?: Level;
  untrusted?: true;
  outward?: true;
  /** What its code does besides computing: "it uses node:fs (line 1)". */
  acts?: string;
  problem?: { code: string; message: string; line?: number };
}

/** The real path of the code. `code`: the folder where a compiled bundled skill has its code. Throws HermesError `bad_entry`. */
export async function findEntry(folder: string, { entry }: Manifest, code = folder): Promise<string> {
  const tried = entry === undefined ? USUAL : code === folder ? [entry] : [entry, entry.replace(/\.ts$/, '.js')];
  const root = await realpath(code).catch(() => code);
  for (const name of tried) {
    const file = await realpath(join(root, name)).catch(() => undefined);
    if (file === undefined) continue;
    if (!isWithin(root, file)) throw bad(`entry: expected a file inside the skill's folder, got ${name}, which leads out of it`);
    if (!/\.(?:ts|js|mjs)$/.test(file)) throw bad(`entry: expected a .ts, .js or .mjs file, got ${name}`);
    if (!(await stat(file)).isFile()) throw bad(`entry: expected a file, got the folder ${name}`);
    return file;
  }
  if (entry !== undefined && !isWithin(root, join(root, entry)))
    throw bad(`entry: expected a file inside the skill's folder, got ${entry}, which leads out of it`);
  throw bad(
    entry === undefined ? 'there is no skill.ts beside skill.yaml, and no entry names another file' : `entry: there is no ${entry}`,
  );
}

/** Parses the file; nothing of it runs. */
export async function readEntry(file: string): Promise<Fresh<Entry>> {
  const { parseSync } = await import('oxc-parser');
  const { Modules } = await import('../tools/infer/module.ts');
  const { effectOf } = await import('../tools/infer/effects.ts');
  const modules = new Modules((name, text, options) => {
    const parsed = parseSync(name, text, options);
    const [error] = parsed.errors;
    if (!error) return parsed;
    const line = text.slice(0, error.labels[0]?.start ?? 0).split('\n').length;
    throw bad(`${name === file ? 'it' : name} is no valid code: ${error.message}`, line);
  });
  try {
    const module = modules.read(file);
    const key = NAMES.find((name) => module.exports.has(name)) ?? onlyOne([...module.exports.keys()]);
    if (key === undefined)
      return {
        value: { problem: { code: 'no_function', message: 'expected `export default function (args, context)`, found no such export' } },
      };
    const node = modules.findExport(module, key)?.value.node as { params?: unknown[]; type?: string } | undefined;
    if (node?.type !== undefined && /Literal$|^ObjectExpression$|^ArrayExpression$|^Class/.test(node.type))
      return { value: { problem: { code: 'no_function', message: `expected ${key} to be a function (args, context), got ${node.type}` } } };
    const effect = effectOf(module, modules);
    const takesContext = node?.params === undefined || node.params.length > 1;
    const why = effect ? `it uses ${effect.name} (line ${effect.line})` : takesContext ? 'it takes the context' : undefined;
    const value: Entry = {
      key,
      level: why ? 'write' : 'read',
      ...(effect?.network ? { untrusted: true, outward: true } : {}),
      ...(why ? { acts: why } : {}),
    };
    return { value, files: modules.files };
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    const { code, message, data } = error;
    return { value: { problem: { code, message, ...(typeof data.line === 'number' ? { line: data.line } : {}) } } };
  }
}

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

function bad(message: string, line?: number): HermesError {
  return new HermesError('bad_entry', message, { kind: 'usage', ...(line === undefined ? {} : { data: { line } }) });
}
