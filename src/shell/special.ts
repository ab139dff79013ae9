/** Commands whose words follow a grammar of their own. */

import { ruleOf } from './commands.ts';
import { isOption, split } from './options.ts';
import { isEverything, pathOf, writingTo } from './places.ts';
import type { Finding } from './reasons.ts';
import { applyRule } from './rule.ts';
import type { Setting } from './setting.ts';
import { shown, type Word } from './words.ts';

type Special = (words: readonly Word[], setting: Setting) => Finding[];

export const SPECIAL: Readonly<Record<string, Special>> = {
  find,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  dd,
  date,
  tar,
  bsdtar: tar,
  cd: changeFolder,
  pushd: changeFolder,
};

/** -exec and its kin run a command for each file: {} stands for any of them. */
function find(words: readonly Word[], setting: Setting): Finding[] {
  const findings: Finding[] = [];
  const own: Word[] = [];
  for (let at = 0; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at]!.text)) own.push(words[at]!);
    else {
      // A + ends it only behind {}: find -exec rg + --pre=x ; looks for a +.
      const end = words.findIndex(({ text }, index) => index > at && (text === ';' || (text === '+' && words[index - 1]!.text === '{}')));
      const inner = words.slice(at + 1, end < 0 ? undefined : end);
      findings.push(...setting.inner(inner));
      if (/(?:^|\/)(?:rm|unlink|shred|rmdir)$/.test(inner[0]?.text ?? '')) findings.push({ reason: 'destroys', detail: inner[0]!.text });
      at = end < 0 ? words.length : end;
    }
  }
  findings.push(...applyRule(ruleOf('find')!, own, setting.ground));
  const removes = findings.some(({ reason }) => reason === 'destroys');
  if (removes && own[0] && isEverything(own[0].text, setting.ground)) findings.push({ reason: 'everything', detail: own[0].text });
  return findings;
}

const SED_HARMLESS = [
  /^(?:\d+|\$)?(?:,(?:\d+|\$))?[pdq=]$/,
  /^\/(?:[^/\\\n]|\\[^\n])*\/(?:,\/(?:[^/\\\n]|\\[^\n])*\/)?[pd]$/,
  /^s([/|#,:])(?:(?!\1)[^\\\n;{}]|\\[^\n])*\1(?:(?!\1)[^\\\n;{}]|\\[^\n])*\1[gpiI\d]*$/,
];

/** A script of sed can write files and run commands: only simple forms are known to read. */
function sed(words: readonly Word[], { ground }: Setting): Finding[] {
  const scripts: Word[] = [];
  const files: Word[] = [];
  const findings: Finding[] = [];
  let inPlace = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    if (/^(?:-e|--expression)$/.test(word.text)) scripts.push(words[++at] ?? word);
    else if (isOption(word.text, '--in-place') || /^-[nEsruz]*i/.test(word.text)) inPlace = true;
    else if (/^-[nEruszl]+$|^--(?:quiet|silent|regexp-extended|null-data|separate|posix|unbuffered|debug)$/.test(word.text)) continue;
    else if (word.text.startsWith('-') && word.text !== '-') findings.push({ reason: 'option', detail: word.text });
    else files.push(word);
  }
  if (scripts.length === 0) scripts.push(...files.splice(0, 1));
  const odd = scripts.find(({ text }) => !SED_HARMLESS.some((form) => form.test(text)));
  if (odd) findings.push({ reason: 'option', detail: shown(odd) });
  if (files.some(({ glob, text }) => glob && /^[*?[]/.test(text))) findings.push({ reason: 'unresolved' });
  if (!inPlace) return [...findings, { reason: 'reads' }];
  const places = files.map((file): Finding => ({ reason: writingTo(file.text, ground) ?? 'writes', detail: shown(file) }));
  return places.length > 0 ? [...findings, ...places] : [...findings, { reason: 'writes' }];
}

/** A program of awk without a way to write, to run or to read other things. */
function awk(words: readonly Word[]): Finding[] {
  const { options, operands } = split(words, '-F -v');
  const known = options.every(({ text }) => /^-[Fv]/.test(text));
  const program = operands[0];
  const harmless = program?.exact && !/[|>@]|system|getline|ENVIRON|PROCINFO|close|extension/.test(program.text);
  return [{ reason: known && harmless ? 'reads' : 'code', ...(harmless ? {} : { detail: 'awk' }) }];
}

function dd(words: readonly Word[], { ground }: Setting): Finding[] {
  const findings: Finding[] = [{ reason: 'destroys', detail: 'dd' }];
  for (const { text } of words) {
    const to = /^of=(.*)$/s.exec(text)?.[1];
    const reason = to === undefined ? undefined : writingTo(to, ground);
    if (reason) findings.push({ reason, detail: text });
  }
  return findings;
}

/** With a word that is no format it sets the clock. */
function date(words: readonly Word[], { ground }: Setting): Finding[] {
  const isSet = split(words, '-d --date -f --file -r --reference').operands.some(({ text }) => !text.startsWith('+'));
  return [...(isSet ? [{ reason: 'system' as const }] : []), ...applyRule(ruleOf('date')!, words, ground)];
}

/** t lists; everything else packs or unpacks. */
function tar(words: readonly Word[], { ground }: Setting): Finding[] {
  const first = words[0]?.text ?? '';
  const lists = /^-?[zjJvaf]*t[zjJvaf]*$|^--list$/.test(first);
  const rule = ruleOf('tar')!;
  return applyRule(lists ? { ...rule, does: 'reads' } : rule, first.startsWith('-') ? words : words.slice(1), ground);
}

/** Where the next commands stand; unknown when the folder is. */
function changeFolder(words: readonly Word[], { ground }: Setting): Finding[] {
  const [to] = split(words).operands;
  const target = to ?? { text: '~', exact: true, glob: false };
  ground.folder = target.exact && !target.glob && target.text !== '-' ? pathOf(target.text, ground) : undefined;
  return [{ reason: 'reads' }];
}
