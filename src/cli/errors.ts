/** How an error is told: what is wrong, and what to do next, in the user's language, on standard error. */

import { secretVariables } from '../agent/known-secrets.ts';
import { createSecrets, maskPatterns } from '../journal/secrets.ts';
import { errorData, HermesError } from '../kernel/errors.ts';
import type { ErrorData } from '../kernel/types.ts';
import { type Cli, type ExitStatus, meaning } from './context.ts';
import { inChinese, phraseInChinese } from './errors-zh.ts';
import { isMessageKey } from './messages.ts';
import { harmless } from './text.ts';

/** Errors whose code one of the tables knows are told in the user's language, others as they are. */
export function toldError(cli: Cli, thrown: unknown): ErrorData {
  const data = inOwnWords(cli, inWords(cli, thrown));
  return { ...data, message: withoutSecrets(data.message), ...(data.next === undefined ? {} : { next: withoutSecrets(data.next) }) };
}

function inWords(cli: Cli, thrown: unknown): ErrorData {
  const data = errorData(thrown);
  if (!(thrown instanceof HermesError)) return data;
  const values: Record<string, string> = Object.fromEntries(Object.entries(thrown.data).map(([name, value]) => [name, String(value)]));
  for (const [name, say] of [
    ['reason', reasonOf],
    ['expected', phrase],
  ] as const) {
    if (values[name] !== undefined) values[name] = say(cli, values[name]);
  }
  const key = `error.${data.code}`;
  const nextKey = `next.${data.code}`;
  if (isMessageKey(key)) data.message = meaning(cli, cli.t(key, values), values.meant);
  if (isMessageKey(nextKey)) data.next = cli.t(nextKey, values);
  return data;
}

/** Why a file could not be read or written: what the system says by a code, in words; all else as it is. */
export function reasonOf(cli: Pick<Cli, 't' | 'language'>, thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const key = `reason.${/^(E[A-Z]+): /.exec(text)?.[1]}`;
  return isMessageKey(key) ? cli.t(key) : phrase(cli, text);
}

function phrase({ language }: Pick<Cli, 'language'>, text: string): string {
  return language === 'zh' ? phraseInChinese(text) : text;
}

export function printError(cli: Cli, given: ErrorData): void {
  const { terminal, t } = cli;
  const error = inOwnWords(cli, given);
  terminal.err(`${terminal.paint('red', t('error.prefix'))}${harmless(withoutSecrets(error.message))}\n`);
  terminal.err(`${terminal.paint('cyan', t('error.next'))}${harmless(withoutSecrets(error.next ?? t('next.general')))}\n`);
}

/** An error may repeat what was given for something else: a key that stands where a number should. */
export function withoutSecrets(text: string): string {
  return maskPatterns(createSecrets(secretVariables(process.env)).hide(text));
}

/** In the user's language, for whoever shows it in another form. */
export function inOwnWords(cli: Pick<Cli, 'language'>, error: ErrorData): ErrorData {
  return cli.language === 'zh' ? inChinese(error) : error;
}

export function statusOf(thrown: unknown): ExitStatus {
  return thrown instanceof HermesError && thrown.kind === 'usage' ? 2 : 1;
}
