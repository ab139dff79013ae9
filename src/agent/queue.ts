/** Events for a reader that takes them when it likes: nothing is lost, nobody is held up. */

/** `subscribe` hands over items until its result is called; the iteration ends when `over` settles and all has been read. */
export function queue<T>(subscribe: (push: (item: T) => void) => () => void, over: Promise<unknown>): AsyncIterableIterator<T> {
  const waiting: T[] = [];
  let next = 0;
  let ended = false;
  let wake: (() => void) | undefined;
  const stop = subscribe((item) => {
    waiting.push(item);
    wake?.();
  });
  const end = (): void => {
    ended = true;
    stop();
    wake?.();
  };
  over.then(end, end);
  return {
    async next() {
      while (next === waiting.length && !ended) {
        const more = Promise.withResolvers<void>();
        wake = more.resolve;
        await more.promise;
      }
      if (next === waiting.length) return { value: undefined, done: true };
      const value = waiting[next++] as T;
      if (next === waiting.length) next = waiting.length = 0;
      return { value, done: false };
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
