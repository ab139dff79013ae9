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

/** Packages that are asked for only where they are needed, with the versions that were tested (a test compares package.json). */
const OPTIONAL_PACKAGES = {
  '@anthropic-ai/sandbox-runtime': '0.0.83',
  '@modelcontextprotocol/client': '2.4.0',
  '@mozilla/readability': '0.6.0',
  linkedom: '0.18.15',
  nodemailer: '10.6.1',
  pg: '8.23.1',
  'playwright-core': '1.65.1',
  sharp: '0.35.5',
  'tree-sitter-bash': '0.25.1',
  'web-tree-sitter': '0.27.2',
};
type OptionalPackage = keyof typeof OPTIONAL_PACKAGES;

/** The line that installs what is named, as a person can paste it. */
export function installLine(...names: OptionalPackage[]): string {
  return `npm install ${names.map((name) => `${name}@${OPTIONAL_PACKAGES[name]}`).join(' ')}`;
}

/** `who` is what needs them, such as "the browser needs"; `cause` is what the import said. */
export function packageMissing(who: string, names: OptionalPackage[], cause: unknown): HermesError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const why = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(code ?? '') ? 'not installed' : `cannot be loaded: ${message.split('\n')[0]}`;
  const what = names.length > 1 ? 'packages' : 'package';
  return new HermesError('package_missing', `${who} the ${what} ${names.join(' and ')} (${why})`, {
    kind: 'usage',
    next: installLine(...names),
    cause,
  });
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
    const isOther = distance === Math.max(name.length, candidate.length); // nothing of it stays: 李雷 is not near id
    if (distance < bestDistance && !isOther) [best, bestDistance] = [candidate, distance];
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
