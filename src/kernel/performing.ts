/** What a performer holds while it carries out one command, and how the loop stops it. */

import type { Performing } from './types.ts';

/** The signal is made when a performer looks at it: many never do, and a step is a hot path. */
export function performingFor(emit: Performing['emit'], delta: Performing['delta']): Performing & { stop(why: string): void } {
  let controller: AbortController | undefined;
  let reason: string | undefined;
  return {
    emit,
    delta,
    get signal() {
      controller ??= new AbortController();
      if (reason !== undefined) controller.abort(reason);
      return controller.signal;
    },
    stop(why) {
      reason ??= why;
      controller?.abort(reason);
    },
  };
}
