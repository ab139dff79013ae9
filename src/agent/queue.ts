/** Events for a reader that takes them when it likes: nothing is lost, nobody is held up. */

/**
 * `subscribe` hands over items until its result is called. The iteration ends when `over` settles and all has been read; when `over`
 * was rejected, the reader gets that error then.
 */
export function queue<T>(subscribe: (push: (item: T) => void) => () => void, over: Promise<unknown>): AsyncIterableIterator<T> {
  const waiting: T[] = [];
  let next = 0;
  let ended = false;
  let failure: { error: unknown } | undefined;
  let more = Promise.withResolvers<void>();
  const stop = subscribe((item) => {
    waiting.push(item);
    more.resolve();
  });
  const end = (): void => {
    ended = true;
    stop();
    more.resolve();
  };
  over.then(end, (error: unknown) => {
    failure = { error };
    end();
  });
  return {
    async next() {
      while (next === waiting.length && !ended) {
        await more.promise;
        if (next === waiting.length && !ended) more = Promise.withResolvers<void>();
      }
      if (next < waiting.length) {
        const value = waiting[next++] as T;
        if (next === waiting.length) next = waiting.length = 0;
        return { value, done: false };
      }
      const thrown = failure;
      failure = undefined;
      if (thrown) throw thrown.error;
      return { value: undefined, done: true };
    },
    async return() {
      end();
      return { value: undefined, done: true };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
