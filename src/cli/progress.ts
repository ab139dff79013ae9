/** How far a download has come, how fast, and how long it will take: one moving line in a terminal, a line at each quarter in a pipe. */

import type { Cli } from './context.ts';
import { cutToWidth } from './text.ts';

/** Milliseconds over which the speed is taken. */
const WINDOW_MS = 5000;

export class Progress {
  readonly #cli: Cli;
  #step = -1;
  #label = '';
  #moving = false;
  /** When how much had come, the last few seconds of it. */
  #seen: { at: number; bytes: number }[] = [];

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  /** Without a total it is not known how much it will be. */
  show(label: string, bytes: number, total?: number): void {
    const { terminal } = this.#cli;
    const isNew = label !== this.#label;
    this.#label = label;
    const pace = this.#pace(isNew, bytes, total);
    const part = total ? Math.min(1, bytes / total) : undefined;
    const text =
      part === undefined
        ? `${label} ${megabytes(bytes)}`
        : `${label} ${Math.floor(part * 100)} %  ${megabytes(bytes)} / ${megabytes(total ?? 0)}`;
    if (terminal.cursorMoves) {
      this.#moving = true;
      terminal.err(`\r\x1b[K${cutToWidth(text + pace, terminal.columns - 1)}`);
      return;
    }
    const step = Math.floor(part === undefined ? bytes / 100_000_000 : part * 4);
    if (!isNew && step <= this.#step) return;
    this.#step = step;
    terminal.err(`${text}${pace}\n`);
  }

  /** Takes the moving line away. */
  end(): void {
    if (!this.#moving) return;
    this.#moving = false;
    this.#cli.terminal.err('\r\x1b[K');
  }

  /** Speed and remaining time, once there is something to tell them by. */
  #pace(isNew: boolean, bytes: number, total: number | undefined): string {
    const at = performance.now();
    if (isNew) this.#seen = [];
    this.#seen = [...this.#seen.filter((each) => at - each.at < WINDOW_MS), { at, bytes }];
    const [first] = this.#seen;
    if (!first || at - first.at < 1000 || bytes <= first.bytes) return '';
    const perSecond = ((bytes - first.bytes) * 1000) / (at - first.at);
    const rest = total === undefined ? '' : `  ${duration((total - bytes) / perSecond)}`;
    return `  ${(perSecond / 1e6).toFixed(1)} MB/s${rest}`;
  }
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
