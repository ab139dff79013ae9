/** Where a talk gets its lines from: a prompt in a terminal, or the lines of a pipe. */

import { createInterface } from 'node:readline';
import type { Cli } from './context.ts';

/** `interrupt`: Ctrl-C on an empty line. `end`: Ctrl-D, or no more input. */
export type Entry = { text: string } | 'interrupt' | 'end';

export interface LineSource {
  next(): Promise<Entry>;
}

/**
 * Lines that arrive within this time after the first were pasted together and are one request; so is the last of them when it still
 * waits for Enter. Lines that were there when the prompt came were typed ahead, while a run went on: each is a request of its own.
 */
const PASTE_MS = 30;

/** A prompt of its own for each line: while a run goes on nobody else reads the keyboard, so that Ctrl-C is a signal then. */
export function terminalLines(cli: Cli): LineSource {
  let history: string[] = [];
  const ahead: string[] = [];
  return {
    next: () =>
      new Promise((done) => {
        const typed = ahead.shift();
        if (typed !== undefined) {
          cli.terminal.err(`${cli.terminal.paint(['bold', 'cyan'], '› ')}${typed}\n`);
          return done({ text: typed });
        }
        const began = performance.now();
        let isAhead = false;
        const prompt = createInterface({
          input: process.stdin,
          output: process.stderr,
          prompt: cli.terminal.paint(['bold', 'cyan'], '› '),
          history,
          historySize: 500,
        });
        const lines: string[] = [];
        const end = (entry: Entry) => {
          finished = true;
          prompt.close();
          done(entry);
        };
        let finished = false;
        function settle(): void {
          if (finished || (prompt.line !== '' && !isAhead)) return; // the rest of a paste is still being edited
          const [first = '', ...others] = lines;
          if (isAhead) ahead.push(...others);
          end({ text: isAhead ? first : lines.join('\n') });
        }
        prompt.on('history', (kept: string[]) => {
          history = kept;
        });
        prompt.on('line', (line) => {
          if (lines.length === 0) isAhead = performance.now() - began < PASTE_MS;
          lines.push(line);
          setTimeout(settle, PASTE_MS);
        });
        prompt.on('SIGINT', () => {
          if (prompt.line === '') return end('interrupt');
          prompt.write(null, { ctrl: true, name: 'e' });
          cli.terminal.err('^C\n');
          end({ text: '' });
        });
        prompt.on('close', () => {
          if (!finished) end(lines.length > 0 ? { text: lines.join('\n') } : 'end');
        });
        prompt.prompt();
      }),
  };
}

/** Each line is a request. */
export function pipedLines(): LineSource {
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await lines.next();
      return done ? 'end' : { text: value };
    },
  };
}
