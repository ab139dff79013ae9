/** Tries again what may work the next time, with growing waits, or as long as the other side asks for. */

import { HermesError } from '../kernel/errors.ts';

export interface RetryOptions {
  /** Attempts in all; default 4. */
  tries?: number;
  /** Ends the waiting; what is thrown then is its reason. */
  signal?: AbortSignal;
  /** Asked before each further attempt; default: always. Once text of a reply has been shown, a second one would contradict it. */
  mayRetry?(): boolean;
  /** Told before each wait. */
  onRetry?(error: HermesError, waitMs: number): void;
  /** Waits so many milliseconds, or less when the signal is aborted; default a timer. */
  sleep?(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Waits before the 2nd, 3rd, 4th attempt: about 0.5, 1, 2 s, spread by a quarter so that many clients do not come back at once. */
const firstWait = 500;
/** A server that asks for a longer wait is not waited for. */
const longestWait = 60_000;

/** The result of the first attempt that succeeds; else the last error. Only errors marked `retryable` are tried again. */
export async function withRetry<T>(attempt: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { tries = 4, signal, mayRetry = () => true, sleep = pause } = options;
  for (let tried = 1; ; tried++) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof HermesError) || !error.retryable || tried >= tries || !mayRetry()) throw error;
      const asked = Number(error.data.retry_after_ms ?? 0);
      if (asked > longestWait) throw tooLong(error, asked);
      const wait = firstWait * 2 ** (tried - 1) * (0.75 + Math.random() / 2);
      options.onRetry?.(error, Math.max(asked, wait));
      await sleep(Math.max(asked, wait), signal);
      signal?.throwIfAborted();
    }
  }
}

function tooLong(error: HermesError, asked: number): HermesError {
  const message = `${error.message} (it asks to wait ${Math.ceil(asked / 1000)} s; not waited for more than ${longestWait / 1000} s)`;
  return new HermesError(error.code, message, { kind: error.kind, next: error.next, data: error.data, cause: error });
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
