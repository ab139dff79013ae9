/**
 * A run as people see it while it goes on: what the model writes, each tool call with its result, warnings. In a terminal with a
 * moving status line, in a pipe as plain lines. Everything goes to standard error, but for the streamed answer when standard
 * output is a terminal.
 */

import type { RunOutcome } from '../agent/types.ts';
import { maskPatterns } from '../journal/secrets.ts';
import type { RunEvent } from '../kernel/types.ts';
import type { Cli } from './context.ts';
import { costText } from './cost.ts';
import { type Line, Story, short } from './story.ts';
import { cutToWidth, harmless, oneLine } from './text.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 120;

/** As [logging] level: ERROR shows nothing of the run, WARNING only what went wrong, DEBUG every detail. */
export type Loudness = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR';

export class Display {
  readonly #cli: Cli;
  readonly #loudness: Loudness;
  readonly #story: Story;
  readonly #stream: 'out' | 'err' | 'none';
  #startedAt = performance.now();
  #status: { text: string; since: number; timer: NodeJS.Timeout } | undefined;
  /** What the reply of this step has streamed so far, and what the last one streamed as a whole. */
  #streamed = '';
  #lastStreamed = '';

  /** `hasJson`: standard output holds JSON, nothing else may be written to it. */
  constructor(cli: Cli, loudness: Loudness, hasJson: boolean) {
    this.#cli = cli;
    this.#loudness = loudness;
    this.#story = new Story(cli.t, cli.terminal.cursorMoves ? cli.terminal.columns : undefined);
    const { outIsTerminal, errIsTerminal } = cli.terminal;
    const isLoud = loudness === 'INFO' || loudness === 'DEBUG';
    this.#stream = outIsTerminal && !hasJson ? 'out' : errIsTerminal && isLoud ? 'err' : 'none';
  }

  show(event: RunEvent): void {
    if (event.event_type === 'run.start') this.#startedAt = performance.now();
    if (event.event_type === 'model.delta') this.#write(event.data.text ?? '');
    if (event.event_type === 'model.end') this.#endStream();
    const line = this.#story.line(event);
    if (event.event_type === 'approval.ask' && this.#cli.terminal.canAsk) return; // the question itself follows
    if (line && this.#isHeard(line)) this.#line(line.text, line.tone);
    if (event.event_type === 'model.start') this.#setStatus(this.#cli.t('run.thinking', { model: event.data.model }));
    if (event.event_type === 'tool.start') this.#setStatus(this.#story.call(event.data.call_id, event.data.name));
    if (event.event_type === 'tool.delta') this.#setStatus(short(event.data.data));
  }

  /** Ends what moves; true when the answer already stands on the screen. */
  end(outcome: RunOutcome): boolean {
    this.settle();
    return this.#stream === 'out' && outcome.answer !== '' && this.#lastStreamed === harmless(outcome.answer).trim();
  }

  /** The figures of the run, after its answer. */
  summarise({ usage, steps, toolCalls, cost }: RunOutcome): void {
    if (this.#loudness !== 'DEBUG' && !(this.#loudness === 'INFO' && this.#cli.terminal.errIsTerminal)) return;
    const known = usage.inputTokens !== undefined || usage.outputTokens !== undefined;
    const tokens = known ? `${usage.inputTokens ?? '?'} + ${usage.outputTokens ?? '?'}` : this.#cli.t('run.unknown');
    const cached = usage.cachedTokens ? ` ${this.#cli.t('run.cached', { tokens: usage.cachedTokens })}` : '';
    const spent = known || cost ? costText(this.#cli.t, cost) : '';
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(1);
    const figures = this.#cli.t('run.summary', { steps, calls: toolCalls.length, tokens: `${tokens}${cached}`, seconds });
    this.#line(`${figures}${spent}`, 'dim');
  }

  /** Ends a streamed line and takes the status line away, so that something else can be written. */
  settle(): void {
    this.#endStream();
    this.#clear();
  }

  #clear(): void {
    if (!this.#status) return;
    clearInterval(this.#status.timer);
    this.#status = undefined;
    this.#cli.terminal.err('\r\x1b[K');
  }

  #write(text: string): void {
    if (this.#stream === 'none' || text === '') return;
    this.#clear();
    const safe = harmless(text);
    this.#streamed += safe;
    if (this.#stream === 'out') this.#cli.terminal.out(safe);
    else this.#cli.terminal.err(this.#cli.terminal.paint('dim', safe));
  }

  #endStream(): void {
    this.#clear();
    if (this.#streamed === '') return;
    if (!this.#streamed.endsWith('\n')) {
      if (this.#stream === 'out') this.#cli.terminal.out('\n');
      else this.#cli.terminal.err('\n');
    }
    this.#lastStreamed = this.#streamed.trim();
    this.#streamed = '';
  }

  #isHeard({ tone, detail }: Line): boolean {
    if (this.#loudness === 'ERROR') return false;
    if (this.#loudness === 'WARNING') return tone === 'yellow' || tone === 'red';
    return !detail || this.#loudness === 'DEBUG';
  }

  #line(text: string, tone: Line['tone']): void {
    this.#endStream();
    const { terminal } = this.#cli;
    const safe = oneLine(maskPatterns(text));
    terminal.err(`${tone ? terminal.paint(tone, safe) : safe}\n`);
  }

  #setStatus(text: string): void {
    if (this.#loudness === 'ERROR' || !this.#cli.terminal.cursorMoves || this.#streamed !== '') return;
    this.#clear();
    const timer = setInterval(() => this.#drawStatus(), FRAME_MS);
    timer.unref();
    this.#status = { text: oneLine(maskPatterns(text)), since: performance.now(), timer };
    this.#drawStatus();
  }

  #drawStatus(): void {
    if (!this.#status) return;
    const { terminal } = this.#cli;
    const passed = performance.now() - this.#status.since;
    const frame = FRAMES[Math.floor(passed / FRAME_MS) % FRAMES.length]!;
    const seconds = passed >= 1000 ? ` ${Math.floor(passed / 1000)} s` : '';
    const text = cutToWidth(`${frame} ${this.#status.text}`, terminal.columns - 1 - seconds.length);
    terminal.err(`\r\x1b[K${terminal.paint('dim', text + seconds)}`);
  }
}
