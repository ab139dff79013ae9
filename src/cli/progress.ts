/** How far a download has come: one moving line in a terminal, a line at each quarter in a pipe. */

import type { Cli } from './context.ts';
import { cutToWidth } from './text.ts';

export class Progress {
  readonly #cli: Cli;
  #quarter = -1;
  #label = '';
  #moving = false;

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  show(label: string, bytes: number, total: number): void {
    const { terminal } = this.#cli;
    const part = total > 0 ? Math.min(1, bytes / total) : 0;
    const text = `${label} ${Math.floor(part * 100)} %  ${megabytes(bytes)} / ${megabytes(total)}`;
    if (terminal.cursorMoves) {
      this.#moving = true;
      terminal.err(`\r\x1b[K${cutToWidth(text, terminal.columns - 1)}`);
      return;
    }
    const quarter = Math.floor(part * 4);
    if (label === this.#label && quarter <= this.#quarter) return;
    this.#label = label;
    this.#quarter = quarter;
    terminal.err(`${text}\n`);
  }

  /** Takes the moving line away. */
  end(): void {
    if (!this.#moving) return;
    this.#moving = false;
    this.#cli.terminal.err('\r\x1b[K');
  }
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
