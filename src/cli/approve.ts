/** Asks the person at the terminal: whether calls may run, and other questions of yes or no. */

import { createInterface } from 'node:readline/promises';
import type { ApprovalAnswer } from '../agent/types.ts';
import { alwaysRules } from '../agent/wait.ts';
import type { CallQuestion } from '../kernel/types.ts';
import type { Cli } from './context.ts';
import { describeCall, marked, optionsOf } from './question.ts';

const YES = /^(y|yes|是|允许)$/i;
const NO = /^(?:n|no|否|不|不允许)(?:[\s:：,，]+(.*))?$/is;
const ALWAYS = /^(a|always|总是|始终)$/i;

/**
 * One answer for all calls of the step. y runs them; n, with or without a reason, or an empty line does not; anything else is asked
 * again. undefined = the end of the input, or `signal`: nobody has answered.
 */
export async function askPerson(cli: Cli, calls: readonly CallQuestion[], signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const { terminal, t } = cli;
  if (calls[0]?.wants) return askWords(cli, calls[0], signal);
  for (const call of calls) terminal.err(describeCall(cli, call, (style, text) => terminal.paint(style, text)));
  const rules = alwaysRules(calls);
  terminal.err(`  ${terminal.paint('dim', t('approval.how'))}\n`);
  if (rules) terminal.err(`  ${terminal.paint('dim', t('approval.always'))}\n${rules.map((rule) => marked(cli, rule)).join('')}`);
  for (;;) {
    const line = await prompt(cli, t('approval.allow'), signal);
    if (line === undefined) return undefined;
    const answer = answerOf(line.trim(), rules !== undefined);
    if (answer) return { ...answer, by: 'terminal' };
  }
}

/** Any line is the answer, a number one of those offered; an empty line says that there is none. */
async function askWords(cli: Cli, call: CallQuestion, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const { terminal, t } = cli;
  terminal.err(describeCall(cli, call, (style, text) => terminal.paint(style, text)));
  terminal.err(`  ${terminal.paint('dim', t('approval.howWords'))}\n`);
  const line = (await prompt(cli, t('approval.words'), signal))?.trim();
  if (line === undefined) return undefined;
  if (line === '') return { decision: 'deny', by: 'terminal' };
  return { decision: 'approve', note: wordsOf(call, line), by: 'terminal' };
}

/** The answer that a line stands for. */
export function wordsOf({ arguments: args }: Pick<CallQuestion, 'arguments'>, line: string): string {
  const options = optionsOf(args);
  return /^\d+$/.test(line) ? (options[Number(line) - 1] ?? line) : line;
}

function answerOf(line: string, mayAlways: boolean): ApprovalAnswer | undefined {
  if (YES.test(line)) return { decision: 'approve' };
  if (mayAlways && ALWAYS.test(line)) return { decision: 'approve', always: true };
  if (line === '') return { decision: 'deny' };
  const no = NO.exec(line);
  return no ? { decision: 'deny', ...(no[1]?.trim() ? { note: no[1].trim() } : {}) } : undefined;
}

/** y is yes; n, an empty line and the end of the input are no. */
export async function confirm(cli: Cli, question: string): Promise<boolean> {
  return (await askYesNo(cli, cli.t('approval.confirm', { question }))) ?? false;
}

/** undefined = the end of the input. */
export async function askYesNo(cli: Cli, question: string): Promise<boolean | undefined> {
  for (;;) {
    const line = (await prompt(cli, question))?.trim();
    if (line === undefined) return undefined;
    if (line === '' || NO.test(line)) return false;
    if (YES.test(line)) return true;
  }
}

/** A line of the person's; undefined when the input has ended, the terminal is gone, or `signal` was aborted. */
async function prompt(cli: Cli, question: string, signal?: AbortSignal): Promise<string | undefined> {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  const end = () => ended.abort();
  reader.once('close', end);
  process.stdin.once('error', end); // the terminal was closed
  // In a prompt Ctrl-C is a key; it means here what it means elsewhere: where nothing is going on yet, the end of the program.
  reader.once('SIGINT', () => {
    const isHeard = process.emit('SIGINT', 'SIGINT');
    if (!isHeard) {
      cli.terminal.err('\n');
      process.exit(130);
    }
    end();
  });
  try {
    return await reader.question(cli.terminal.paint('bold', question), {
      signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal,
    });
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
    cli.terminal.err('\n');
    return undefined;
  } finally {
    process.stdin.off('error', end);
    reader.close();
  }
}
