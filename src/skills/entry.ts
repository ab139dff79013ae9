/** The file of a skill's code, inside its folder. */

import { realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { isWithin } from '../tools/protected.ts';
import type { Manifest } from './types.ts';

const USUAL = ['skill.ts', 'skill.js', 'skill.mjs'];

/** The real path of the code. `code`: the folder where a compiled bundled skill has its code. Throws HermesError `bad_entry`. */
export async function findEntry(folder: string, { entry }: Manifest, code = folder): Promise<string> {
  const tried = entry === undefined ? USUAL : code === folder ? [entry] : [entry, entry.replace(/\.ts$/, '.js')];
  const root = await realpath(code).catch(() => code);
  for (const name of tried) {
    const file = await realpath(join(root, name)).catch(() => undefined);
    if (file === undefined) continue;
    if (!isWithin(root, file)) throw bad(`entry: expected a file inside the skill's folder, got ${name}, which leads out of it`);
    if (!/\.(?:ts|js|mjs)$/.test(file)) throw bad(`entry: expected a .ts, .js or .mjs file, got ${name}`);
    if (!(await stat(file)).isFile()) throw bad(`entry: expected a file, got ${name}, which is none`);
    return file;
  }
  if (entry !== undefined && !isWithin(root, join(root, entry)))
    throw bad(`entry: expected a file inside the skill's folder, got ${entry}, which leads out of it`);
  throw bad(
    entry === undefined ? 'there is no skill.ts beside skill.yaml, and no entry names another file' : `entry: there is no ${entry}`,
  );
}

function bad(message: string): HermesError {
  return new HermesError('bad_entry', message, { kind: 'usage' });
}
