/** What every command is given: the language, the terminal, and its options as the user wrote them. */

import { HermesError } from '../kernel/errors.ts';
import type { Language } from './language.ts';
import type { Translate } from './messages.ts';
import type { Terminal } from './terminal.ts';

export interface Cli {
  language: Language;
  t: Translate;
  terminal: Terminal;
  version: string;
}

/** What a command ends with; see surface: 0 success, 1 error, 2 usage, 3 not asked, 4 steps, 5 time, 6 guard, 130, 143. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 130 | 143;

/** What is wrong, with the nearest name that there is. */
export function meaning({ t }: Pick<Cli, 't'>, said: string, name: string | undefined): string {
  return name === undefined ? said : t('usage.meant', { said: said.replace(/[.。]$/, ''), name });
}

export function usageError(message: string, next: string): HermesError {
  return new HermesError('usage', message, { kind: 'usage', next });
}
