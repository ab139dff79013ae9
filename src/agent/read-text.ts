/** Reads the small text files that people write by hand: configuration and .env. */

import { readFile, stat } from 'node:fs/promises';
import { HermesError } from '../kernel/errors.ts';

/** Far more than any configuration holds; a larger file was named by mistake. */
const MOST_BYTES = 1_000_000;

/** The text without its byte order mark; undefined when there is no such file. Throws `config_unreadable` with the reason. */
export async function readSmallText(file: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    const stats = await stat(file);
    // One that nobody writes into would be waited for without end; those of the shell's own <(...) are written into.
    if (stats.isFIFO() && !/^\/(?:dev\/fd|proc)\//.test(file)) throw unreadable(file, 'it is a pipe');
    if (stats.size > MOST_BYTES) throw unreadable(file, `${stats.size} bytes are too many (at most ${MOST_BYTES})`);
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof HermesError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unreadable(file, (error as Error).message, error);
  }
  if (bytes.length > MOST_BYTES) throw unreadable(file, `${bytes.length} bytes are too many (at most ${MOST_BYTES})`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable(file, 'it is not UTF-8 text', error);
  }
}

function unreadable(file: string, reason: string, cause?: unknown): HermesError {
  const next = 'Save it as a UTF-8 text file that you may read, or name another one with --config.';
  return new HermesError('config_unreadable', `${file} cannot be read: ${reason}.`, { kind: 'usage', next, data: { file, reason }, cause });
}
