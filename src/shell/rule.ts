/** Applies a line of the table to a command's words. */

import type { CommandRule } from './commands.ts';
import { isMildBuild, reasonOf, split } from './options.ts';
import { type Ground, isEverything, writingTo } from './places.ts';
import type { Finding, ReasonName } from './reasons.ts';
import { shown, type Word } from './words.ts';

type Options = NonNullable<CommandRule['options']>;

export function applyRule(rule: CommandRule, words: readonly Word[], ground: Ground): Finding[] {
  if (rule.verbs) return applyVerb(rule, rule.verbs, words, ground);
  const { options, operands, mayHaveMore } = split(words, rule.values);
  const findings = options.flatMap((word): Finding[] => {
    const reason = reasonOf(word.text, rule) ?? (rule.does === 'builds' && !isMildBuild(word, rule.mild) ? 'option' : undefined);
    return reason ? [{ reason, detail: shown(word) }] : word.exact ? [] : [{ reason: 'unresolved' }];
  });
  // Options such as kill -l or git clean -n make it harmless.
  const isMild = findings.some(({ reason }) => reason === 'reads') || isListing(rule, options, operands);
  const does: ReasonName = isMild ? 'reads' : rule.does;
  const allowed = rule.operands?.split(' ');
  const other = allowed && operands.find(({ text }) => !allowed.includes(text));
  if (other) findings.push({ reason: 'option', detail: other.text });
  if (mayHaveMore && (rule.options || rule.writes)) findings.push({ reason: 'unresolved' });
  const paths = isMild ? [] : written(rule, operands);
  findings.push(...pathFindings(paths, ground, findings));
  if (does !== 'writes' || paths.length === 0) findings.push({ reason: does });
  return findings;
}

function isListing({ lists }: CommandRule, options: readonly Word[], operands: readonly Word[]): boolean {
  if (lists === undefined || operands.length > 0) return false;
  const allowed = lists.split(' ');
  return options.every(({ text }) => allowed.includes(text));
}

/** Options before the verb are the command's own, those after it the verb's; those of `everywhere` count in both places. */
function applyVerb(rule: CommandRule, verbs: NonNullable<CommandRule['verbs']>, words: readonly Word[], ground: Ground): Finding[] {
  const withValue = new Set(rule.values?.split(' '));
  let at = 0;
  while (at < words.length && /^-/.test(words[at]!.text)) at += withValue.has(words[at]!.text) ? 2 : 1;
  const { verbs: _, lists, everywhere, ...given } = rule;
  const own = { ...given, options: both(given.options, everywhere) };
  const before = applyRule({ ...own, does: 'reads' }, words.slice(0, at), ground).filter(({ reason }) => reason !== 'reads');
  const verb = words[at];
  if (!verb) return [...before, { reason: isListing(rule, words.slice(0, at), []) || !before.length ? 'reads' : rule.does }];
  if (!verb.exact || verb.glob) return [...before, { reason: 'unresolved' }];
  const chosen = Object.hasOwn(verbs, verb.text) ? verbs[verb.text]! : undefined;
  if (chosen === undefined) return [...before, { reason: rule.does, detail: verb.text }];
  const sub: CommandRule = typeof chosen === 'string' ? { does: chosen } : chosen;
  const inherited = { everywhere: both(sub.everywhere, everywhere), ...(rule.oneDash ? { oneDash: true } : {}) };
  const options = sub.verbs ? sub.options : both(sub.options, everywhere);
  return [...before, ...applyRule({ ...sub, ...inherited, options }, words.slice(at + 1), ground)];
}

function both(some: Options = {}, others: Options = {}): Options {
  const made: Options = { ...some };
  for (const [reason, names] of Object.entries(others) as [ReasonName, string][]) {
    made[reason] = made[reason] === undefined ? names : `${made[reason]} ${names}`;
  }
  return made;
}

function written({ writes }: CommandRule, operands: readonly Word[]): readonly Word[] {
  if (writes === 'all') return operands;
  if (writes === 'last') return operands.slice(-1);
  return writes === 'second' ? operands.slice(1, 2) : [];
}

function pathFindings(paths: readonly Word[], ground: Ground, so: readonly Finding[]): Finding[] {
  const destroys = so.some(({ reason }) => reason === 'destroys');
  return paths.flatMap((word): Finding[] => {
    const detail = shown(word);
    if (destroys && isEverything(word.text, ground)) return [{ reason: 'everything', detail }];
    const reason = writingTo(word.text, ground);
    return reason ? [{ reason, detail }] : [];
  });
}
