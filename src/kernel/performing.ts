/** What a performer holds while it carries out one command, and how the loop stops it. */

import type { Performing } from './types.ts';

/** The signal is made when a performer looks at it: many never do, and a step is a hot path. */
export class CommandPerforming implements Performing {
  readonly emit: Performing['emit'];
  readonly delta: Performing['delta'];
  #controller: AbortController | undefined;
  #reason: string | undefined;

  constructor(emit: Performing['emit'], delta: Performing['delta']) {
    this.emit = emit;
    this.delta = delta;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  stop(why: string): void {
    this.#reason ??= why;
    this.#controller?.abort(this.#reason);
  }
}
