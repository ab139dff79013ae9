/** A file takes its new content in one step: the old one or the new one is there, never a half. */

import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { HermesError } from '../../kernel/errors.ts';
import type { CallRecord } from '../../kernel/types.ts';
import type { WritablePlace } from '../workspace.ts';
import type { TextFile } from './form.ts';

/** A new file beside the target, flushed, takes its place. */
export async function replaceFile({ folder, name }: WritablePlace, bytes: Uint8Array, mode = 0o644): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const temporary = join(folder, `.${name}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
  try {
    const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode & 0o777);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** undefined: nothing is there. */
export async function statsOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const SHOW_OR_WRITE = ['read_file', 'write_file', 'edit_file'];

/** The model has seen this file in this run, or written it itself. */
export function wasRead(calls: readonly CallRecord[], workspace: string, path: string): boolean {
  const target = resolve(workspace, path);
  return calls.some(({ name, arguments: args, success }) => {
    return success && SHOW_OR_WRITE.includes(name) && resolve(workspace, String(args.path)) === target;
  });
}

export function notEncodable(path: string, argument: string, { encoding }: TextFile): HermesError {
  return new HermesError('not_encodable', `${argument} holds characters that ${encoding}, the encoding of ${path}, does not have`, {
    kind: 'tool',
    next: 'use other characters',
  });
}
