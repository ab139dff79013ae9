/** Front door: the plain functions of a file as tools. What the parser found is kept under the content of the files that were read. */

import { dirname } from 'node:path';
import { moduleFile } from '../../package.ts';
import { createContentCache, type Fresh } from '../content-cache.ts';
import { bracketDepth } from '../depth.ts';
import type { Findings } from './functions.ts';

/** From about 2,000 on the parser ends the whole program. */
const MOST_NESTED = 1_000;

export interface Inference {
  infer(file: string, keys: readonly string[]): Promise<Findings>;
  save(): void;
}

/** `cacheFile`: absent = nothing is kept. */
export function createInference(cacheFile?: string): Inference {
  const cache = createContentCache<Findings>({ file: cacheFile, reader: dirname(moduleFile('tools/infer/infer')) });
  return {
    infer: (file, keys) => cache.get(`${file} ${keys.join()}`, () => read(file, keys)),
    save: cache.save,
  };
}

async function read(file: string, keys: readonly string[]): Promise<Fresh<Findings>> {
  const { parseSync } = await import('oxc-parser');
  const { Modules } = await import('./module.ts');
  const { readFunctions } = await import('./functions.ts');
  const modules = new Modules((name, text) => {
    if (bracketDepth(text) > MOST_NESTED) throw new Error(`${name} nests brackets more than ${MOST_NESTED} deep`);
    return parseSync(name, text);
  });
  const value = readFunctions(file, keys, modules);
  return { value, ...(modules.isIncomplete ? {} : { files: modules.files }) };
}
