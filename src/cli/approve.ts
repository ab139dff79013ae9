/** Asks the person at the terminal whether calls may run: the real arguments, whole, with nothing in them that could deceive the eye. */

import { createInterface } from 'node:readline/promises';
import type { CallQuestion, Json } from '../kernel/types.ts';
import type { Cli } from './context.ts';
import { visible, wrap } from './text.ts';

/** y runs them, n or an empty line does not, anything else is asked again; so does the end of the input, and an abort of the run. */
export async function askPerson(cli: Cli, calls: readonly CallQuestion[], signal?: AbortSignal): Promise<'approve' | 'deny'> {
  for (const call of calls) cli.terminal.err(describe(cli, call));
  return (await isYes(cli, cli.t('approval.allow'), signal)) ? 'approve' : 'deny';
}

export function confirm(cli: Cli, question: string): Promise<boolean> {
  return isYes(cli, cli.t('approval.confirm', { question }));
}

async function isYes(cli: Cli, question: string, signal?: AbortSignal): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  prompt.once('close', () => ended.abort());
  // In a prompt Ctrl-C is a key; it means here what it means elsewhere.
  prompt.once('SIGINT', () => {
    process.emit('SIGINT', 'SIGINT');
    ended.abort();
  });
  try {
    const signals = signal ? [signal, ended.signal] : [ended.signal];
    for (;;) {
      const answer = await prompt.question(cli.terminal.paint('bold', question), { signal: AbortSignal.any(signals) });
      if (/^(y|yes|是|允许)$/i.test(answer.trim())) return true;
      if (/^(n|no|否|不|不允许|)$/i.test(answer.trim())) return false;
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    cli.terminal.err('\n');
    return false;
  } finally {
    prompt.close();
  }
}

function describe(cli: Cli, { name, level, arguments: args }: CallQuestion): string {
  const head = cli.terminal.paint(
    ['bold', 'yellow'],
    `? ${cli.t('approval.wants', { name: visible(name), level: cli.t(`approval.${level}`) })}`,
  );
  const lines = Object.entries(args).flatMap(([key, value]) => block(cli, key, value));
  return `${head}\n${lines.map((line) => `  │ ${line}\n`).join('')}`;
}

/** Each line is broken here and carries the mark at its beginning, so that no argument can look like words of the program. */
function block(cli: Cli, key: string, value: Json): string[] {
  const text = typeof value === 'string' && value.includes('\n') ? `\n${value}` : JSON.stringify(value, null, 2);
  return wrap(visible(`${key}: ${text}`).replaceAll('\t', '    '), Math.max(20, cli.terminal.columns - 5));
}
