/** Standard output and standard error, as the commands use them: the answer goes to one, all else to the other. */

import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

export class Terminal {
  /** Somebody looks at it, and the cursor may be moved. */
  readonly outIsTerminal = process.stdout.isTTY === true;
  readonly errIsTerminal = process.stderr.isTTY === true;
  /** A person can be asked. */
  readonly canAsk = process.stdin.isTTY === true && process.stderr.isTTY === true;
  readonly cursorMoves = process.stderr.isTTY === true && process.env.TERM !== 'dumb';
  #closed = false;
  #lost: NodeJS.ErrnoException | undefined;

  constructor() {
    // A reader that went away (`| head`) is no fault of the program: it goes on, unheard, or stops where it asks `isClosed`.
    for (const stream of [process.stdout, process.stderr]) {
      stream.on('error', (error: NodeJS.ErrnoException) => {
        this.#closed = true;
        if (error.code !== 'EPIPE' && stream === process.stdout) this.#lost ??= error;
      });
    }
  }

  /** Why standard output could not be written (a full disk); undefined while all went well. Complete after `flush`. */
  get lost(): NodeJS.ErrnoException | undefined {
    return this.#lost;
  }

  /** The reader of standard output or standard error has gone. */
  get isClosed(): boolean {
    return this.#closed;
  }

  get columns(): number {
    return process.stderr.columns || process.stdout.columns || 80;
  }

  /** Columns for a table on standard output; undefined in a pipe, where nothing is cut. */
  get tableColumns(): number | undefined {
    return this.outIsTerminal ? this.columns : undefined;
  }

  out(text: string): void {
    process.stdout.write(text);
  }

  err(text: string): void {
    process.stderr.write(text);
  }

  /** Coloured for standard error where it is a terminal; NO_COLOR and its like are honoured by Node. */
  paint(style: Style, text: string): string {
    return styleText(style, text, { stream: process.stderr });
  }

  paintOut(style: Style, text: string): string {
    return styleText(style, text, { stream: process.stdout });
  }

  /** Resolves when all that was written has been handed to the system, or has failed; to be awaited before the process ends. */
  async flush(): Promise<void> {
    for (const stream of [process.stdout, process.stderr]) {
      if (!stream.destroyed) await new Promise<void>((resolve) => stream.write('', () => resolve()));
    }
  }
}
