/** The one error class: a code for programs, a message for people, and what to do next. */

import type { ErrorData, Json } from './types.ts';

/** Exit statuses and HTTP codes are derived from `kind`, never from the text. */
export type ErrorKind = 'usage' | 'model' | 'tool' | 'store' | 'internal';

export class HermesError extends Error {
  /** Stable, snake_case. */
  readonly code: string;
  readonly kind: ErrorKind;
  readonly next: string | undefined;
  /** Whether the same attempt may succeed later; decided where the error is made. */
  readonly retryable: boolean;
  readonly data: Record<string, Json>;

  constructor(
    code: string,
    message: string,
    options: { kind?: ErrorKind; next?: string; retryable?: boolean; data?: Record<string, Json>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'HermesError';
    this.code = code;
    this.kind = options.kind ?? 'internal';
    this.next = options.next;
    this.retryable = options.retryable ?? false;
    this.data = options.data ?? {};
  }

  toData(): ErrorData {
    return { code: this.code, message: this.message, ...(this.next === undefined ? {} : { next: this.next }) };
  }
}

/** Any thrown value as error data; foreign errors keep their text under `internal_error`. */
export function errorData(thrown: unknown, code = 'internal_error'): ErrorData {
  if (thrown instanceof HermesError) return thrown.toData();
  return { code, message: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** The nearest of the known names, for "did you mean"; undefined when none is near. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      row[j] = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    previous = row;
  }
  return previous[b.length]!;
}
