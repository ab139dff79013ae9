/** The tools that the plain functions of a file are: name, description, schema and level from their signatures and doc comments. */

import type { Expression } from 'oxc-parser';
import type { Json, JsonObject, Level, ToolExample } from '../../kernel/types.ts';
import { type Doc, joined, readDoc, withoutType } from './doc.ts';
import { effectOf } from './effects.ts';
import { bareExpression, literalValue } from './literal.ts';
import type { Module, Modules, Value } from './module.ts';
import { type Callable, type Problem, readArguments, readOutput } from './parameters.ts';
import type { Parameter } from './plan.ts';

/** Plain data: it is kept in the cache. */
export interface PlainFunction {
  /** Where it stands in its file: `default`, `default.0`, or the name of the export. */
  key: string;
  name: string;
  description: string;
  input_schema: JsonObject;
  output?: JsonObject;
  level: Level;
  examples: ToolExample[];
  keywords?: string;
  untrusted?: true;
  private?: true;
  outward?: true;
  plan: Parameter[];
  line: number;
}
export interface Findings {
  functions: PlainFunction[];
  /** What makes a function unusable. */
  problems: Problem[];
  /** What its author should know; the function works. */
  hints: Problem[];
}

const LEVELS: readonly string[] = ['read', 'write', 'dangerous'];
const FLAGS = ['untrusted', 'private', 'outward'] as const;

/** `keys`: the exports that are functions when the file is loaded. Named ones without a doc comment are helpers, no tools. */
export function readFunctions(file: string, keys: readonly string[], modules: Modules): Findings {
  const module = modules.read(file);
  const findings: Findings = { functions: [], problems: [], hints: [] };
  for (const key of keys) {
    const found = find(module, key, modules);
    const line = found ? found.module.lineOf(found.value.start) : 1;
    const isNamed = !key.startsWith('default');
    const comment = found && docOf(found.module, found.value.start);
    if (isNamed && (comment === undefined || found?.value.node.type === 'ClassDeclaration')) continue;
    const problem = found ? unusable(found.value) : NOT_THERE;
    if (!found || problem || !isCallable(found.value.node)) {
      findings.problems.push({ file, line, message: `${key} is ${problem}` });
      continue;
    }
    readFunction({ key, node: found.value.node, start: found.value.start, line }, readDoc(comment ?? ''), found.module, modules, findings);
  }
  if (keys.length > 0 && findings.functions.length + findings.problems.length === 0) {
    const message = 'none of its functions has a doc comment, which is what makes an exported function a tool: /** when to use it */';
    findings.problems.push({ file, line: 1, message });
  }
  return findings;
}

const NOT_THERE = 'a function whose declaration is not in the file as it stands; write it as export default function NAME(...)';

function unusable({ node, overloaded }: Value): string | undefined {
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression')
    return 'a class; export a function, or a list of functions, that uses it';
  if (overloaded) return 'a function with overloads, and a tool has one signature; write it without them, or as several functions';
  return isCallable(node) ? undefined : NOT_THERE;
}

/** The comment before a function, unless it only defines a type. */
function docOf(module: Module, start: number): string | undefined {
  const comment = module.docBefore(start);
  const doc = comment === undefined ? undefined : readDoc(comment);
  return doc && doc.text === '' && doc.tags.some(({ name }) => /^(?:typedef|callback|type|file|module)$/.test(name)) ? undefined : comment;
}

interface Target {
  key: string;
  node: Callable;
  start: number;
  line: number;
}

function readFunction({ key, node, start, line }: Target, doc: Doc, module: Module, modules: Modules, findings: Findings): void {
  const name = tagText(doc, 'name') ?? nameOf(node, key, module, modules);
  const { schema, plan, problems, strangers } = readArguments(node, doc, module, modules);
  const { file } = module;
  const tell = (list: Problem[], message: string) => list.push({ file, line, message: `${name}: ${message}` });
  for (const problem of problems) findings.problems.push({ ...problem, message: `${name}: ${problem.message}` });
  if (!/^[a-z][\w-]{0,63}$/i.test(name)) {
    tell(findings.problems, 'the name of a tool has 1 to 64 letters, digits, - or _, a letter first; give it one with @name');
    return;
  }
  const said = tagText(doc, 'level')?.split(/\s/)[0];
  if (said !== undefined && !LEVELS.includes(said)) {
    tell(findings.problems, `@level is read, write or dangerous, not ${said}`);
    return;
  }
  if (node.generator) tell(findings.problems, 'a generator gives no result; return the data');
  if (problems.length > 0 || node.generator) return;
  const effect = plan.some(({ from }) => from === 'context') ? undefined : effectOf(module, modules);
  const usesContext = plan.some(({ from }) => from === 'context');
  const level = (said as Level | undefined) ?? (effect || usesContext ? 'write' : 'read');
  if (said === undefined && level === 'write') {
    const why = effect ? `it uses ${effect.name} (line ${effect.line})` : 'it takes the ToolContext';
    tell(
      findings.hints,
      `asked about before each call (level write), because ${why}; say @level read if it only looks, @level dangerous if it acts on the outside`,
    );
  }
  for (const one of strangers) tell(findings.hints, `@param ${one} is no parameter`);
  const described = descriptionOf(doc);
  if (described === '')
    tell(findings.hints, 'no doc comment: a model knows nothing but its name; write /** when to use it, what it gives */ above it');
  const examples = examplesOf(doc, plan, modules);
  const left = examples.unread.map((text) => `Example: ${text}`);
  const output = readOutput(node, module, modules);
  const keywords = tagText(doc, 'keywords');
  findings.functions.push({
    key,
    name,
    description: [described || `${wordsOf(name)}.`, ...left].join('\n'),
    input_schema: schema,
    ...(output ? { output } : {}),
    level,
    examples: examples.read,
    ...(keywords ? { keywords } : {}),
    ...Object.fromEntries(FLAGS.filter((flag) => doc.tags.some((tag) => tag.name === flag)).map((flag) => [flag, true])),
    ...(effect?.network ? { untrusted: true, outward: true } : {}),
    plan,
    line: module.lineOf(start),
  });
}

function tagText(doc: Doc, name: string): string | undefined {
  const text = doc.tags.find((tag) => tag.name === name)?.text.trim();
  return text ? joined(text) : undefined;
}

// ---- finding -------------------------------------------------------------------------------------------

function find(module: Module, key: string, modules: Modules): { value: Value; module: Module } | undefined {
  const [name, index] = key.split('.') as [string, string | undefined];
  const found = modules.findExport(module, name);
  if (!found || index === undefined) return found && bare(found, modules);
  const list = 'body' in found.value.node ? undefined : bareExpression(found.value.node as Expression);
  const item = list?.type === 'ArrayExpression' ? list.elements[Number(index)] : undefined;
  if (!item || item.type === 'SpreadElement') return undefined;
  return bare({ value: { node: item, start: item.start }, module: found.module }, modules);
}

/** The function itself behind names and `satisfies`. */
function bare({ value, module }: { value: Value; module: Module }, modules: Modules): { value: Value; module: Module } | undefined {
  const node = isCallable(value.node) ? value.node : bareExpression(value.node as Expression);
  if (node.type === 'Identifier') return modules.findValue(module, node.name);
  return { value: { ...value, node }, module };
}

function isCallable(node: { type: string }): node is Callable {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(node.type);
}

/** Its own name, of an arrow function that of its constant, else that of its file. */
function nameOf(node: Callable, key: string, module: Module, modules: Modules): string {
  if ('id' in node && node.id) return node.id.name;
  const constant = [...module.values].find(
    ([, { node: value }]) => value === node || (isCallable(value) === false && bareExpression(value as Expression) === node),
  );
  if (constant) return constant[0];
  if (!key.startsWith('default')) return key;
  const [file] = modules.files.keys();
  return file!.replace(/^.*[\\/]/, '').replace(/\.\w+$/, '');
}

// ---- what is said ----------------------------------------------------------------------------------------

/** The text, what it gives and how it fails: what a model has to know before it calls. */
function descriptionOf(doc: Doc): string {
  const isChinese = /\p{Script=Han}/u.test(doc.text);
  const returns = withoutType(tagText(doc, 'returns') ?? tagText(doc, 'return') ?? '').replace(/^[-–—]\s*/, '');
  const throws = doc.tags
    .filter(({ name }) => name === 'throws' || name === 'exception')
    .map(({ text }) => joined(text).replace(/^\{([^}]*)\}\s*/, (_, type: string) => (/^\w*Error$/.test(type) ? '' : `${type}: `)))
    .filter((text) => text !== '');
  const bare = (text: string) => text.replace(/[.。;；]+$/, '');
  const parts = [bare(doc.text)];
  if (returns) parts.push(`${isChinese ? '返回：' : 'gives: '}${bare(returns)}`);
  if (throws.length > 0) parts.push(`${isChinese ? '失败情形：' : 'fails: '}${throws.map(bare).join(', ')}`);
  const said = parts.filter((part) => part !== '');
  if (said.length === 0) return '';
  return said.length === 1 ? doc.text || said[0]! : `${said.join(isChinese ? '；' : '; ')}${isChinese ? '。' : '.'}`;
}

/**
 * `@example What is 2 plus 3? add(2, 3) // 5`: a request in words, then the call, as code or as a JSON object of arguments. What is
 * not of this form stays a part of the description.
 */
function examplesOf(doc: Doc, plan: readonly Parameter[], modules: Modules): { read: ToolExample[]; unread: string[] } {
  const read: ToolExample[] = [];
  const unread: string[] = [];
  for (const { name, text } of doc.tags) {
    if (name !== 'example' || text.trim() === '') continue;
    const plain = text.replace(/^```\w*$/gm, '').trim();
    const example = exampleIn(plain, plan, modules);
    if (example) read.push(example);
    else unread.push(joined(plain));
  }
  return { read, unread };
}

function exampleIn(text: string, plan: readonly Parameter[], modules: Modules): ToolExample | undefined {
  const [, before, call, after = ''] =
    /^([\s\S]*?)(?:^|[\s:：>→？?。])((?:await\s+)?[\w$]+\([\s\S]*?\)|\{[\s\S]*\})\s*;?\s*(?:(?:\/\/|=>|→|->)\s*(.*))?$/u.exec(text) ?? [];
  if (call === undefined) return undefined;
  const start = text.indexOf(call, before!.length);
  const request = text
    .slice(0, start)
    .replace(/^\s*\/\/\s?/gm, '')
    .replace(/\s*(?:->|→|=>|[:：>])?\s*$/, '')
    .trim();
  const args = argumentsIn(call, plan, modules);
  if (!args || request === '') return undefined;
  const result = resultIn(after.trim(), modules);
  return { request: joined(request), arguments: args, ...(result === undefined ? {} : { result }) };
}

function argumentsIn(call: string, plan: readonly Parameter[], modules: Modules): JsonObject | undefined {
  const node = expressionIn(call.replace(/^await\s+/, ''), modules);
  if (node?.type === 'ObjectExpression') return literalValue(node) as JsonObject | undefined;
  if (node?.type !== 'CallExpression') return undefined;
  const values = node.arguments.map((one) => (one.type === 'SpreadElement' ? undefined : literalValue(one)));
  const args: JsonObject = {};
  for (const [index, value] of values.entries()) {
    const parameter = plan[index] ?? plan.at(-1);
    if (value === undefined || !parameter || parameter.from === 'context') return undefined;
    if (parameter.from === 'arguments') return value as JsonObject;
    if (parameter.from === 'rest') return { ...args, [parameter.name]: values.slice(index) as Json[] };
    args[parameter.name] = value;
  }
  return args;
}

function resultIn(text: string, modules: Modules): Json | undefined {
  if (text === '') return undefined;
  const node = expressionIn(text.replace(/^(?:=>|→|->|returns)\s*/, ''), modules);
  return (node && literalValue(node)) ?? text;
}

function expressionIn(text: string, modules: Modules): Expression | undefined {
  const { program, errors } = modules.parse(`(${text})`);
  const [statement] = program.body;
  if (errors.length > 0 || statement?.type !== 'ExpressionStatement') return undefined;
  return bareExpression(statement.expression as Expression);
}

/** `wordCount` and `word_count` as words. */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
    .replace(/^./, (first) => first.toUpperCase());
}
