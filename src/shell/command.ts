/** What one simple command does, and what the commands inside it do: wrappers, shells, interpreters, find -exec. */

import { HARMLESS, INTERPRETERS, LOADERS, ruleOf, SHELLS, WRAPPERS, type WrapperRule } from './commands.ts';
import { isOption, reasonOf, split } from './options.ts';
import { type Ground, isWithin, pathOf, readingFrom, writingTo } from './places.ts';
import type { Script, Simple } from './read.ts';
import type { Finding } from './reasons.ts';
import { applyRule } from './rule.ts';
import type { Found, Judging, Setting } from './setting.ts';
import { SPECIAL } from './special.ts';
import { plainWord, shown, type Word } from './words.ts';

/** Commands around or within one: env timeout 5 nice ... */
const MOST_WRAPPED = 20;

/** The command, then what it redirects, then the commands inside its text. */
export function judgeCommand(simple: Simple, script: Script, ground: Ground, nested: Judging): Found[] {
  let depth = 0;
  const inner: Setting['inner'] = (words) => (++depth > MOST_WRAPPED ? [{ reason: 'unclear' }] : judgeWords(words, setting));
  const setting: Setting = { simple, script, ground, nested, inner, found: [] };
  const findings: Finding[] = [];
  for (const { name } of simple.assignments) {
    if (LOADERS.test(name)) findings.push({ reason: 'loader', detail: name });
    else if (simple.words.length > 0 && !HARMLESS.test(name)) findings.push({ reason: 'variables', detail: name });
  }
  findings.push(...judgeWords(simple.words, setting));
  if (simple.background) findings.push({ reason: 'background' });
  const redirects = simple.redirects.flatMap(({ to, writes }) => redirected(to, writes, ground));
  const isEmpty = simple.words.length === 0 && findings.length === 0; // > file
  return [...(isEmpty ? [] : [{ command: simple.source, findings }]), ...redirects, ...setting.found];
}

function redirected(to: Word, writes: boolean, ground: Ground): Found[] {
  const reason = writes ? writingTo(to.text, ground) : readingFrom(to.text, ground);
  const command = `${writes ? '>' : '<'} ${shown(to)}`;
  if (!writes && !to.exact && !reason) return [{ command, findings: [{ reason: 'unresolved' }], isRedirect: true }];
  return reason ? [{ command, findings: [{ reason, detail: shown(to) }], isRedirect: true }] : [];
}

function judgeWords(words: readonly Word[], setting: Setting): Finding[] {
  const [first, ...rest] = words;
  if (!first) return [];
  if (!first.exact || first.glob) return [{ reason: 'hidden', detail: shown(first) }, ...valuesOf(words, setting)];
  const findings: Finding[] = first.disguised ? [{ reason: 'hidden', detail: first.text }] : [];
  findings.push(...judgeNamed(first.text, rest, setting), ...valuesOf(rest, setting));
  return findings;
}

const SYSTEM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

function judgeNamed(given: string, rest: readonly Word[], setting: Setting): Finding[] {
  const name = (SYSTEM_FOLDER.test(given) ? given.slice(given.lastIndexOf('/') + 1) : given).replace(/^mkfs\..*/s, 'mkfs');
  if (setting.script.functions.has(name)) return [];
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper) return wrapped(name, wrapper, rest, setting);
  const isQuestion = rest.length === 1 && /^(?:--version|--help|-V)$/.test(rest[0]!.text);
  if (SHELLS.has(name)) return isQuestion ? [] : shell(name, rest, setting);
  const language = name.replace(/[\d.]+$/, '');
  if (Object.hasOwn(INTERPRETERS, language)) return isQuestion ? [] : interpreter(language, rest, setting);
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined;
  if (special) return special(rest, setting);
  const rule = ruleOf(name);
  if (rule) return isQuestion ? [] : applyRule(rule, rest, setting.ground);
  if (name.includes('/')) return [{ reason: 'script', detail: name }];
  return [{ reason: 'unknown', detail: name }];
}

/** Values that nobody knows yet, and paths that hold secrets, whatever the command is. */
function valuesOf(words: readonly Word[], { ground }: Setting): Finding[] {
  return words.flatMap((word): Finding[] => {
    const text = word.text.replace(/^-{1,2}[\w-]+=/, '');
    const reason = readingFrom(text, ground);
    if (reason) return [{ reason, detail: shown(word) }];
    if (!word.exact || (word.glob && text.includes('{') && text !== '{}')) return [{ reason: 'unresolved', detail: shown(word) }];
    // A pattern that begins with a dot may stand for .env and the like.
    return word.glob && /(?:^|\/)\.[^/]*[*?[]/.test(text) ? [{ reason: 'secrets', detail: text }] : [];
  });
}

// ---- commands that run others --------------------------------------------------------------------------

function wrapped(name: string, rule: WrapperRule, words: readonly Word[], setting: Setting): Finding[] {
  const findings: Finding[] = rule.does ? [{ reason: rule.does, detail: name }] : [];
  if (name === 'command' && /^-[vV]$/.test(words[0]?.text ?? '')) return findings;
  const withValue = new Set(rule.values?.split(' '));
  let at = 0;
  for (; at < words.length && (isSetting(words[at]!) || /^-/.test(words[at]!.text)); at++) {
    const { text } = words[at]!;
    if (name === 'env' && /^(?:-\w*S|--split)/.test(text)) {
      const rest = [text.replace(/^(?:-\w*S|--split-string=?)/, ''), ...words.slice(at + 1).map((word) => word.text)].join(' ');
      setting.found.push(...setting.nested(rest, setting.ground));
      return [...findings, { reason: 'code', detail: 'env -S' }];
    }
    const more = reasonOf(text, rule);
    if (more) findings.push({ reason: more, detail: text });
    if (!text.startsWith('-')) findings.push(variable(text.split('=')[0]!));
    if (text === '--') {
      at++;
      break;
    }
    if (withValue.has(text)) at++;
  }
  const rest = words.slice(at + rule.operands);
  if (rest.length === 0) return findings;
  if (rule.text) {
    setting.found.push(...setting.nested(rest.map((word) => word.text).join(' '), setting.ground));
    return findings;
  }
  const more = rule.adds ? [{ ...plainWord('*'), glob: true }] : [];
  return [...findings, ...setting.inner([...rest, ...more])];
}

function isSetting({ text }: Word): boolean {
  return /^[A-Za-z_]\w*=/.test(text);
}

function variable(name: string): Finding {
  return { reason: LOADERS.test(name) ? 'loader' : 'variables', detail: name };
}

/** A text given with -c, or fed to it, is judged in its turn; a file is a program that nobody has looked at. */
function shell(name: string, words: readonly Word[], setting: Setting): Finding[] {
  const at = words.findIndex(({ text }) => /^-\w*c\w*$/.test(text));
  const text = at < 0 ? undefined : words.slice(at + 1).find((word) => !/^[-+]\w/.test(word.text));
  const fed = at < 0 ? setting.simple.fed : undefined;
  if (text?.exact) setting.found.push(...setting.nested(text.text, setting.ground));
  if (fed !== undefined) setting.found.push(...setting.nested(fed, setting.ground));
  if (at >= 0) return [{ reason: 'code', detail: `${name} -c` }];
  return fromFile(name, split(words, '-o -O --rcfile --init-file').operands, setting);
}

function fromFile(name: string, [file]: readonly Word[], { simple, ground }: Setting): Finding[] {
  if (!file?.exact || file.text === '-' || /^\/(?:dev|proc)\//.test(file.text) || simple.stdin) {
    return [{ reason: 'code', detail: `${name} ${simple.stdin ? '<' : ''}` }];
  }
  const path = pathOf(file.text, ground);
  const isHere = path !== undefined && isWithin(ground.workspace, path);
  return [{ reason: isHere ? 'script' : 'code', detail: `${name} ${file.text}` }];
}

const TEST_MODULES = /^(?:pytest|unittest|doctest|mypy|ruff|flake8|compileall|py_compile|json\.tool|this)$/;

function interpreter(language: string, words: readonly Word[], setting: Setting): Finding[] {
  const programs = INTERPRETERS[language]!.split(' ').filter((option) => option !== '');
  const options = split(words).options;
  const given = options.find(({ text }) => programs.some((option) => isOption(text, option)));
  if (given) return [{ reason: 'code', detail: `${language} ${given.text}`.slice(0, 60) }];
  if (language === 'node' && words[0]?.text === '--test') return applyRule({ does: 'builds' }, words, setting.ground);
  const at = words.findIndex(({ text }) => text === '-m');
  if (at >= 0 && language === 'python') {
    const module = words[at + 1];
    if (!module?.exact || !TEST_MODULES.test(module.text)) return [{ reason: 'script', detail: `-m ${module ? shown(module) : ''}` }];
    return applyRule(ruleOf(module.text) ?? { does: 'builds' }, [...words.slice(0, at), ...words.slice(at + 2)], setting.ground);
  }
  return fromFile(language, split(words).operands, setting);
}
