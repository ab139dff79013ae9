/** Reads a .env file into a map. It is never put into the process environment: what the program starts must not inherit the keys. */

import { stat } from 'node:fs/promises';
import { readSmallText } from './read-text.ts';

/** KEY=VALUE lines with optional `export`, quotes and comments; an absent file (or a folder of that name) is an empty map. */
export async function readDotenv(file: string): Promise<Record<string, string>> {
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  const text = isFile ? await readSmallText(file) : undefined;
  if (text === undefined) return {};
  const { parseEnv } = process.getBuiltinModule('node:util');
  return { ...parseEnv(text) } as Record<string, string>;
}
