/** A command's words as options and operands. */

import type { CommandRule } from './commands.ts';
import type { ReasonName } from './reasons.ts';
import type { Word } from './words.ts';

export interface Split {
  options: Word[];
  operands: Word[];
  /** Some word may turn out to be an option: * in a folder that holds a file named -o. */
  mayHaveMore: boolean;
}

/** `values`: options whose next word is their value, divided by blanks. */
export function split(words: readonly Word[], values = ''): Split {
  const withValue = new Set(values.split(' '));
  const made: Split = { options: [], operands: [], mayHaveMore: false };
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (word.text === '--' && word.exact) {
      made.options.push(word);
      made.operands.push(...words.slice(at + 1));
      break;
    }
    if (/^-./.test(word.text)) {
      made.options.push(word);
      if (withValue.has(word.text)) at++;
    } else {
      made.operands.push(word);
      made.mayHaveMore ||= (!word.exact || word.glob) && /^(?:[*?[{]|\uFFFC)/.test(word.text);
    }
  }
  return made;
}

/** Why this option matters for the rule; of several reasons the first in the table's order. */
export function reasonOf(option: string, rule: Pick<CommandRule, 'options' | 'oneDash'>): ReasonName | undefined {
  for (const [reason, names] of Object.entries(rule.options ?? {})) {
    // What makes a command mild has to stand by itself: the l of -KILL does not list signals, nor does the n of -enode try only.
    const isGiven = (name: string) => (reason === 'reads' ? option === name : isOption(option, name, rule.oneDash));
    if (names.split(' ').some(isGiven)) return reason as ReasonName;
  }
  return undefined;
}

/** Options that only change what a build or test shows, or which of its parts it does: -v, --quiet, -j8. */
const MILD_BUILD = new Set(
  '--all --all-features --all-targets --bail --benches --build --cache --check --ci --color --coverage --detectOpenHandles --doc'
    .split(' ')
    .concat(
      '--dry-run --durations --examples --exitfirst --ext --ff --fail-fast --features --filter --frozen --grep --help --jobs'.split(' '),
    )
    .concat('--keep-going --last-failed --lf --lib --locked --max-warnings --maxfail --no-color --no-default-features --no-run'.split(' '))
    .concat(
      '--noEmit --offline --pretty --quiet --release --run --runInBand --show-error-codes --silent --skipLibCheck --strict'.split(' '),
    )
    .concat('--tb --test --test-name-pattern --test-only --testNamePattern --tests --timeout --verbose --version --watch'.split(' '))
    .concat('--watchAll --workspace -- -k -m -n -t'.split(' ')),
);

/** Whether an option leaves a build what it is; those of `more` do so for this command. */
export function isMildBuild({ text }: Word, more = ''): boolean {
  const name = text.split('=')[0]!;
  return MILD_BUILD.has(name) || more.split(' ').includes(name) || /^-(?:[vqsxkhBb]+|j\d*)$/.test(text);
}

/** -o, -xo, -oVALUE, --output, --output=x, --outp: how getopt reads them. */
export function isOption(given: string, name: string, oneDash = false): boolean {
  if (given === name) return true;
  if (oneDash || name.startsWith('--')) {
    const plain = given.split('=')[0]!.replace(oneDash ? /^--(?=.)/ : /^$/, '-');
    return plain === name || (!oneDash && plain.length > 3 && given.startsWith('--') && name.startsWith(plain));
  }
  return name.length === 2 && /^-[^-]/.test(given) && given.includes(name[1]!);
}
