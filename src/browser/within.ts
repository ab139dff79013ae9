/** A wait with an end: a page whose script never ends answers nothing. */

import { failure } from './words.ts';

export async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(failure('page_hangs', `the page did not answer within ${ms / 1000} s`, 'open another page')),
    ms,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
    promise.catch(() => undefined); // its end comes too late for anybody
  }
}
