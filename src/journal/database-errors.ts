/** What SQLite and the file system report, as errors that name the file, what was expected and the next step. */

import { HermesError } from '../kernel/errors.ts';

const LOCKED = new Set([5, 6, 15]); // BUSY, LOCKED, PROTOCOL
export function isLocked(error: unknown): boolean {
  return LOCKED.has(resultCode(error));
}

/** A refusal, a constraint, a value that cannot be stored: nothing is wrong with the file, the transaction can go on. */
export function isOwnFault(error: unknown): boolean {
  const code = resultCode(error);
  return code === 0 || code === 18 || code === 19 || code === 25; // none of SQLite's, TOOBIG, CONSTRAINT, RANGE
}

/** SQLite's primary result code; 0 for anything else. */
function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
}

/** What SQLite or the file system says, as code, words and next step. Keys: SQLite's result codes and errno names. */
const READ_ONLY = [
  'store_read_only',
  'cannot be written; a writable folder and file were expected',
  'make both writable, or choose another folder with -C',
];
const CORRUPT = [
  'store_corrupt',
  'is damaged or no database',
  'move it away and run again; what the runs did stands in the logs folder beside it',
];
const FULL = ['store_full', 'cannot grow: the disk or the quota is full', 'free some space, then go on with: hermes runs resume RUN'];
const REASONS: Record<string, string[]> = {
  3: READ_ONLY,
  8: READ_ONLY,
  14: ['store_cannot_open', 'cannot be opened; a writable folder and file were expected', 'check the path and its permissions'],
  EACCES: READ_ONLY,
  EPERM: READ_ONLY,
  EROFS: READ_ONLY,
  11: CORRUPT,
  26: CORRUPT,
  13: FULL,
  ENOSPC: FULL,
  EDQUOT: FULL,
  10: [
    'store_io',
    'cannot be read or written: the disk reports an error',
    'check the disk and the quota, then go on with: hermes runs resume RUN',
  ],
};

/** Any failure of the file as an error for people. */
export function explain(error: unknown, file: string, lockedMs: number): HermesError {
  if (error instanceof HermesError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  if (isLocked(error)) {
    const seconds = Math.round(lockedMs / 100) / 10;
    return new HermesError('store_locked', `${file} has been locked by another program for ${seconds} s; it was expected to be free`, {
      kind: 'store',
      next: `end the program that holds it (fuser ${file} names it) and run again`,
      retryable: true,
      cause: error,
    });
  }
  const errno = error instanceof Error && 'code' in error ? String(error.code) : '';
  const [code, says, next] = REASONS[resultCode(error)] ?? REASONS[errno] ?? ['store_failed', 'could not be used', 'run: hermes doctor'];
  return new HermesError(code!, `${file} ${says} (${detail})`, { kind: 'store', next: next!, cause: error });
}
