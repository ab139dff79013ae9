/**
 * The judge of shell commands: what a command text would do, each simple command by itself, and what follows from it.
 * Pure once the grammar is loaded: same text, same answer. What cannot be known before it runs is asked about.
 */

import { homedir } from 'node:os';
import type { Level } from '../kernel/types.ts';
import { judgeCommand } from './command.ts';
import { loadGrammar, type Parse } from './grammar.ts';
import type { Ground } from './places.ts';
import { readScript } from './read.ts';
import { type Finding, REASONS, type ReasonName, type Weight } from './reasons.ts';
import type { Found, Judging } from './setting.ts';

export interface JudgeOptions {
  /** Absolute path of the folder that may be written. */
  workspace: string;
  /** Where the command starts; default: the workspace. */
  folder?: string;
  /** Absolute paths of folders whose code this program runs by itself; default: none. */
  codeFolders?: readonly string[];
  /** Default: the user's. */
  home?: string;
  /** It would run in a sandbox without network: then builds need no question. Default: false. */
  sandboxed?: boolean;
  /** Of the reasons; default en. */
  language?: 'zh' | 'en';
}

/** A simple command, or a redirection to a file, as it was understood. */
export interface ParsedCommand {
  command: string;
  reasons: ReasonName[];
  why: string;
  decision: 'allow' | 'ask' | 'deny';
}
export interface Verdict {
  decision: 'allow' | 'ask' | 'deny';
  /** No rule may let it run without a person. */
  never_auto: boolean;
  /** read = it runs by itself. */
  level: Level;
  reasons: { command: string; why: string }[];
  commands: ParsedCommand[];
}
export interface ShellJudge {
  judge(command: string, options: JudgeOptions): Verdict;
  /** Words of a program and its arguments; a shell with -c or -lc and one text stands for that text. */
  judgeWords(words: readonly string[], options: JudgeOptions): Verdict;
}

/** Longer texts are not read. */
const MOST_CHARACTERS = 65_536;
/** Shells within shells. */
const MOST_NESTED = 5;
/** As a whole, without the text of a command that is very long. */
const SHOWN = 400;

/** Control characters but tab and line end. */
const CONTROL = /[^\P{Cc}\t\n]/u;
/** Format characters, and blanks that look like another or like nothing. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/u;

export async function loadJudge(): Promise<ShellJudge> {
  const parse = await loadGrammar();
  const judge: ShellJudge['judge'] = (command, options) => verdict(findIn(command, parse, groundOf(options)), options);
  return {
    judge,
    judgeWords(words, options) {
      const [shell, flag, text] = words;
      const isShell = words.length === 3 && /^(?:bash|sh|zsh)$/.test(shell!) && /^-l?c$/.test(flag!);
      if (isShell) return judge(text!, options);
      return judge(words.length === 1 ? words[0]! : words.map(quoted).join(' '), options);
    },
  };
}

function groundOf({ workspace, folder = workspace, home = homedir(), codeFolders = [] }: JudgeOptions): Ground {
  return { workspace, folder, home, codeFolders };
}

function quoted(word: string): string {
  return /^[\w./=:,+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function findIn(text: string, parse: Parse, ground: Ground, depth = 0): Found[] {
  const whole = (reason: ReasonName): Found => ({ command: text.slice(0, SHOWN), findings: [{ reason }] });
  if (CONTROL.test(text)) return [whole('control')];
  if (text.length > MOST_CHARACTERS || depth > MOST_NESTED) return [whole('unclear')];
  const root = parse(text);
  if (!root) return [whole('unclear')];
  try {
    const script = readScript(root);
    const nested: Judging = (inner, where) => findIn(inner, parse, where, depth + 1);
    const found = onceEach(script.commands.flatMap((command) => judgeCommand(command, script, ground, nested)));
    if (script.isUnclear) found.push(whole('unclear'));
    if (script.multiplies) found.push(whole('multiplies'));
    if (!script.isPlain) found.push(whole('structure'));
    if (INVISIBLE.test(text)) found.push(whole('invisible'));
    if (text.includes('{{secret:')) found.push(whole('secrets'));
    return found;
  } finally {
    root.tree.delete();
  }
}

/** Redirections after the commands, each once: the grammar puts one around all commands of a list. */
function onceEach(found: readonly Found[]): Found[] {
  const redirects = new Map(found.filter((one) => one.isRedirect).map((one) => [one.command, one]));
  return [...found.filter((one) => !one.isRedirect), ...redirects.values()];
}

function verdict(found: readonly Found[], { sandboxed = false, language = 'en' }: JudgeOptions): Verdict {
  const decide = (weight: Weight) =>
    weight === 'deny' ? 'deny' : weight === 'free' || (weight === 'build' && sandboxed) ? ('allow' as const) : 'ask';
  const worst = (decisions: Verdict['decision'][]) =>
    decisions.includes('deny') ? 'deny' : decisions.includes('ask') ? ('ask' as const) : 'allow';
  const words = ({ reason, detail }: Finding) => REASONS[reason][language] + (detail ? ` (${detail.slice(0, 200)})` : '');
  const commands = found.map(({ command, findings }): ParsedCommand => {
    const ordered = findings.length > 0 ? findings : [{ reason: 'reads' as const }];
    const decision = worst(ordered.map(({ reason }) => decide(REASONS[reason].weight)));
    const told = ordered.filter(({ reason }) => ordered.length === 1 || reason !== 'reads').map(words);
    const why = [...new Set(told)].join(language === 'zh' ? '；' : '; ');
    return { command: command.slice(0, SHOWN), reasons: ordered.map(({ reason }) => reason), why, decision };
  });
  const decision = worst(commands.map((one) => one.decision));
  const names = commands.flatMap(({ reasons }) => reasons);
  const levels = names.map((name) => REASONS[name].level);
  return {
    decision,
    never_auto: names.some((name) => ['never', 'deny'].includes(REASONS[name].weight)),
    level: decision === 'allow' ? 'read' : levels.includes('dangerous') ? 'dangerous' : 'write',
    reasons: commands.filter((one) => one.decision !== 'allow').map(({ command, why }) => ({ command, why })),
    commands,
  };
}
