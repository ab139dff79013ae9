/** Who may do what: levels, and the rules of the configuration. Pure: the same call always gets the same answer. */

import { HermesError } from '../kernel/errors.ts';
import { stableJson } from '../kernel/text.ts';
import type { Call, Json, JsonObject, Level, Permission, State, ToolInfo } from '../kernel/types.ts';

/**
 * Rules are TOOL, TOOL:PATTERN or TOOL:ARGUMENT=PATTERN; * stands for any characters. Deny wins over ask, ask over allow.
 * TOOL@CODE in `allow`, which "always" writes: the tool as long as its code is this.
 * A PATTERN in `deny` and `ask` may match any argument; in `allow` only the tool's subject, so that no other text opens the door.
 */
export interface PermissionRules {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Names of the only tools that may be used at all; default ["*"]. */
  white_list?: readonly string[];
  /** The argument that a tool's calls are about (path, command, address); default: the only one that a call has. */
  subject?(tool: string): string | undefined;
  /** What names the code of a tool from a user's file. */
  code?(tool: string): string | undefined;
}

/** What happens when no rule speaks. */
const BY_LEVEL: Readonly<Record<Level, Permission>> = {
  read: { decision: 'allow', reason: 'reading tools are allowed' },
  write: { decision: 'ask', reason: 'writing tools ask' },
  dangerous: { decision: 'ask', reason: 'tools that act on the outside ask' },
};

/** What names of tools are made of, and *. */
const TOOL_PATTERN = /^[\w*-]+$/;

interface Rule {
  text: string;
  tool: string;
  code?: string;
  argument?: string;
  pattern?: string;
}

type List = 'deny' | 'ask' | 'allow';

/** What somebody else wants besides (`call.ask` of a judge or a hook, the origins of texts) is laid over it by the gate, see taint.ts. */
export function createPermit(rules: PermissionRules): (state: State, call: Call) => Permission {
  const subject = (call: Call) => rules.subject?.(call.name) ?? onlyKey(call.arguments);
  const lists: { decision: List; rules: Rule[]; speaks(rule: Rule, call: Call): boolean }[] = [
    { decision: 'deny', rules: parse('deny', rules.deny), speaks: concerns },
    { decision: 'ask', rules: parse('ask', rules.ask), speaks: concerns },
    {
      decision: 'allow',
      rules: parse('allow', rules.allow),
      speaks: (rule, call) => isCode(rule, call) && permits(rule, call, subject(call)),
    },
  ];
  const isCode = ({ code }: Rule, { name }: Call) => code === undefined || code === rules.code?.(name);
  const listed = whiteListed(rules.white_list);

  return (_, call) => {
    if (!listed(call.name)) return { decision: 'deny', reason: `${call.name} is not in the white list of tools` };
    for (const list of lists) {
      const found = list.rules
        .filter((rule) => matchesPattern(rule.tool, call.name) && list.speaks(rule, call))
        .sort((a, b) => weight(b) - weight(a));
      if (found[0]) return { decision: list.decision, reason: `the rule ${list.decision} "${found[0].text}"` };
    }
    return BY_LEVEL[call.level ?? 'dangerous'];
  };
}

function whiteListed(names: readonly string[] = ['*']): (tool: string) => boolean {
  const bad = names.find((name) => name !== '' && !TOOL_PATTERN.test(name));
  if (bad !== undefined) {
    throw new HermesError('bad_permission', `the white list of tools holds names, such as "notes_*", not rules such as "${bad}"`, {
      kind: 'usage',
      next: 'write the name there, and the rule into [permissions] allow, ask or deny',
    });
  }
  return (tool) => names.some((name) => matchesPattern(name, tool));
}

/**
 * The rule that allows just this call again: its tool with the same subject (a path, a command, an address), of a call without a
 * subject the tool itself. undefined = no rule can say it: a * in the value would match more, a path that climbs matches nothing.
 */
export function exactRule(
  { name, arguments: args }: Pick<Call, 'name' | 'arguments'>,
  subject?: string,
  code?: string,
): string | undefined {
  const tool = code === undefined ? name : `${name}@${code}`;
  const argument = subject ?? onlyKey(args);
  if (Object.keys(args).length === 0) return tool;
  if (argument === undefined || !Object.hasOwn(args, argument)) return undefined;
  const value = args[argument]!;
  const text = typeof value === 'string' ? value : stableJson(value);
  const rule = `${tool}:${argument}=${text}`;
  return text.includes('*') || !text.isWellFormed() || !permits(parse('allow', [rule])[0]!, { name, arguments: args }, undefined)
    ? undefined
    : rule;
}

/** A rule that decides nothing about any of these tools, and why. */
export interface IdleRule {
  list: List | 'white_list';
  rule: string;
  why: 'no_tool' | 'other_code' | 'no_argument' | 'climbs' | 'overruled';
  /** The rule that always speaks before it. */
  by?: string;
}

/** Rules that match no tool, or never can: most often a name that was misspelt. */
export function idleRules(rules: PermissionRules, tools: readonly Pick<ToolInfo, 'name' | 'input_schema'>[]): IdleRule[] {
  const offered = tools.filter(({ name }) => whiteListed(rules.white_list)(name));
  const blanket: { list: List; rule: Rule }[] = [];
  const idle: IdleRule[] = (rules.white_list ?? [])
    .filter((rule) => rule !== '' && !tools.some(({ name }) => matchesPattern(rule, name)))
    .map((rule) => ({ list: 'white_list', rule, why: 'no_tool' }));
  for (const list of ['deny', 'ask', 'allow'] as const) {
    for (const rule of parse(list, rules[list])) {
      const meant = offered.filter(({ name }) => matchesPattern(rule.tool, name));
      const over = blanket.find((one) => one.list !== list && meant.every(({ name }) => matchesPattern(one.rule.tool, name)));
      const about = { list, rule: rule.text };
      const isOther = rule.code !== undefined && list === 'allow' && meant.every(({ name }) => rules.code?.(name) !== rule.code);
      if (meant.length === 0) idle.push({ ...about, why: 'no_tool' });
      else if (isOther) idle.push({ ...about, why: 'other_code' });
      else if (over) idle.push({ ...about, why: 'overruled', by: `${over.list} "${over.rule.text}"` });
      else if (!meant.some((tool) => hasArgument(tool, rule))) idle.push({ ...about, why: 'no_argument' });
      else if (list === 'allow' && climbs(rule.pattern ?? '')) idle.push({ ...about, why: 'climbs' });
      if (rule.pattern === undefined) blanket.push({ list, rule });
    }
  }
  return idle;
}

function hasArgument({ input_schema }: Pick<ToolInfo, 'input_schema'>, { argument, pattern }: Rule): boolean {
  if (pattern === undefined) return true;
  const names = Object.keys(input_schema.properties ?? {});
  return argument === undefined ? names.length > 0 : names.includes(argument);
}

function parse(list: string, texts: readonly string[] = []): Rule[] {
  return texts.map((text) => {
    const rule = ruleOf(text);
    if (rule) return rule;
    throw new HermesError('bad_permission', `permissions.${list}: expected TOOL, TOOL:PATTERN or TOOL:ARGUMENT=PATTERN, got "${text}"`, {
      kind: 'usage',
      next: 'write for example "write_file" or "write_file:path=notes/*"; a TOOL has letters, digits, _ and -, and * for any of them',
    });
  });
}

/** Whether it may match a call of any tool; one that never can was meant otherwise. */
export function isRule(text: string): boolean {
  return ruleOf(text) !== undefined;
}

function ruleOf(text: string): Rule | undefined {
  const [, tool = '', code, argument, pattern] = /^([^:@]*)(?:@([^:]*))?(?::(?:([\p{L}\w-]+)=)?(.*))?$/su.exec(text) ?? [];
  if (!TOOL_PATTERN.test(tool) || pattern === '') return undefined;
  return { text, tool, ...(code === undefined ? {} : { code }), ...(argument ? { argument } : {}), ...(pattern ? { pattern } : {}) };
}

/** A refusal or a question: one text of the named argument, or of any, is enough; so are all arguments as JSON. */
function concerns({ argument, pattern }: Rule, { arguments: args }: Call): boolean {
  if (pattern === undefined) return true;
  const value = argument === undefined ? args : Object.hasOwn(args, argument) ? args[argument]! : [];
  return [stableJson(value), ...texts(value).flatMap(spellings)].some((text) => matchesPattern(pattern, text));
}

/** A text, and the path that it is when it is one: ./a, b/../a and a are the same file. */
function spellings(text: string): string[] {
  return text.includes('/') ? [text, normalPath(text)] : [text];
}

function normalPath(text: string): string {
  const parts: string[] = [];
  for (const part of text.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `${text.startsWith('/') ? '/' : ''}${parts.join('/')}`;
}

/** A permission: the named argument, or the call's subject, matches as a whole, and no path in it climbs (`notes/*` and notes/../.env). */
function permits({ argument, pattern }: Rule, { arguments: args }: Pick<Call, 'name' | 'arguments'>, subject: string | undefined): boolean {
  if (pattern === undefined) return true;
  const name = argument ?? subject;
  if (name === undefined || !Object.hasOwn(args, name)) return false;
  const value = args[name]!;
  const text = typeof value === 'string' ? value : stableJson(value);
  return matchesPattern(pattern, text) && !climbs(text);
}

function climbs(path: string): boolean {
  return /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(path);
}

function onlyKey(args: JsonObject): string | undefined {
  const keys = Object.keys(args);
  return keys.length === 1 ? keys[0] : undefined;
}

/** Of several rules that apply, the most specific is named: the one with the most characters that are no *. */
function weight(rule: Rule): number {
  return rule.text.replaceAll('*', '').length;
}

/** Whether the whole text is like the pattern; * stands for any characters. Linear in the text. */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split(/\*+/);
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}

/** The texts among the values; numbers and such count as JSON writes them. */
function texts(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.values(value).flatMap(texts);
}
