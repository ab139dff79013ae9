/** The parameters of a function as the arguments of a tool: their schema, and the plan of the call. */

import type { AssignmentPattern, Expression, Function as FunctionNode, ObjectPattern, ParamPattern, TSType } from 'oxc-parser';
import { isObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { type Doc, type NamedTag, readNamedTag, typeScriptOf } from './doc.ts';
import { literalValue } from './literal.ts';
import { literalOf, type Module, type Modules } from './module.ts';
import type { Parameter } from './plan.ts';
import { schemaOfValue } from './schemas.ts';
import { type Given, keyName, TypeReader, Unreadable } from './types.ts';

export type Callable = FunctionNode | Extract<Expression, { type: 'ArrowFunctionExpression' | 'FunctionExpression' }>;
export interface Problem {
  file: string;
  line: number;
  /** Completes the sentence that begins with the tool's name. */
  message: string;
}
export interface Arguments {
  schema: JsonObject;
  plan: Parameter[];
  problems: Problem[];
  /** Names of `@param`s that are no parameter. */
  strangers: string[];
}
interface Argument {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
  parameter: Parameter;
}
interface Work {
  module: Module;
  modules: Modules;
  reader: TypeReader;
  /** What the type parameters of the function may be at most. */
  given: Given;
  said: Map<string, NamedTag>;
  used: Set<string>;
  /** Names that the comment has for what is destructured: the `@param` at the same place. */
  patterns: Map<ParamPattern, string>;
  /** How many parameters are arguments. */
  count: number;
}

const WAY_OUT =
  'write a type that is plain or declared in a file beside it, or give the schema yourself: export default tool({ input, ... })';

export function readArguments(node: Callable, doc: Doc, module: Module, modules: Modules): Arguments {
  const tags = doc.tags.filter((tag) => /^(?:param|arg|argument)$/.test(tag.name)).map((tag) => readNamedTag(tag.text));
  const said = new Map(tags.flatMap((tag) => (tag ? [[tag.name, tag] as const] : [])));
  const params = (node.params as ParamPattern[]).filter((one) => !(one.type === 'Identifier' && one.name === 'this'));
  const reader = new TypeReader(modules);
  const { given, problems } = constraints(node, module, reader);
  const work: Work = { module, modules, reader, given, said, used: new Set(), patterns: new Map(), count: 0 };
  const names = [...new Set([...said.keys()].map((name) => name.split('.')[0]!))];
  for (const [index, one] of params.entries())
    if (names[index] && withDefault(one).target.type === 'ObjectPattern') work.patterns.set(one, names[index]);
  const contexts = params.map((one) => isContext(one, work));
  work.count = contexts.filter((one) => !one).length;
  const plan: Parameter[] = [];
  const found: Argument[] = [];
  let whole: JsonObject | undefined;
  for (const [index, one] of params.entries()) {
    if (contexts[index]) {
      plan.push({ from: 'context' });
      continue;
    }
    try {
      const argument = readParameter(one, work);
      if (argument.parameter.from === 'arguments') whole = argument.schema;
      else found.push(argument);
      plan.push(argument.parameter);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      const { file, line, message } = error;
      problems.push({ file, line, message: `the parameter ${nameOf(one, work)}: ${message}; ${WAY_OUT}` });
    }
  }
  const { definitions } = reader;
  const schema: JsonObject = whole ?? objectOf(found);
  if (Object.keys(definitions).length > 0) schema.$defs = definitions;
  const strangers = [...said.keys()].filter((name) => !work.used.has(name) && !name.includes('.'));
  return { schema, plan, problems, strangers };
}

/** JSON Schema of what it gives; absent when it gives nothing, or nothing that can be read. */
export function readOutput(node: Callable, module: Module, modules: Modules): JsonObject | undefined {
  let type = node.returnType?.typeAnnotation;
  if (type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'Promise')
    type = type.typeArguments?.params[0];
  if (!type) return undefined;
  try {
    const reader = new TypeReader(modules);
    const schema = reader.read(type, module, constraints(node, module, reader).given);
    return { ...schema, ...(Object.keys(reader.definitions).length > 0 ? { $defs: reader.definitions } : {}) };
  } catch (error) {
    if (error instanceof Unreadable) return undefined; // it only informs
    throw error;
  }
}

/** `<T extends string>`: any text. */
function constraints(node: Callable, module: Module, reader: TypeReader): { given: Given; problems: Problem[] } {
  const given = new Map<string, JsonObject>();
  const problems: Problem[] = [];
  for (const { name, constraint } of node.typeParameters?.params ?? []) {
    try {
      given.set(name.name, constraint ? reader.read(constraint, module, given) : {});
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      given.set(name.name, {});
      problems.push({ file: error.file, line: error.line, message: `the type parameter ${name.name}: ${error.message}; ${WAY_OUT}` });
    }
  }
  return { given, problems };
}

function objectOf(found: readonly Argument[]): JsonObject {
  const required = found.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const properties = Object.fromEntries(found.map(({ name, schema }) => [name, schema]));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

// ---- one parameter -----------------------------------------------------------------------------------

function readParameter(written: ParamPattern, work: Work): Argument {
  const { target, value } = withDefault(written);
  const name = nameOf(written, work);
  if (target.type === 'ObjectPattern') return readObject(target, value, name, work);
  if (target.type === 'RestElement') {
    const list = typeOf(target.argument as Typed, name, work, written) ?? typeOf(target as Typed, name, work, written);
    if (!list) throw missingType(written, work);
    return { name, schema: described(list.schema, name, work), isRequired: false, parameter: { from: 'rest', name } };
  }
  const type = typeOf(target as Typed, name, work, written);
  const usual = value && usualOf(value, work);
  const read = type?.schema ?? ofDefault(usual);
  if (!read) throw missingType(written, work);
  const schema = withTags(read, name, work, written);
  const tag = work.said.get(name);
  const isOptional = value !== undefined || (target as Typed).optional === true || tag?.optional === true || type?.mayBeUndefined === true;
  const whole = work.reader.behind(schema);
  if (work.count === 1 && whole.type === 'object' && isObject(whole.properties))
    return { name, schema: whole, isRequired: true, parameter: { from: 'arguments' } };
  return {
    name,
    schema: { ...described(schema, name, work), ...defaultOf(usual ?? tagDefault(tag)) },
    isRequired: !isOptional,
    parameter: { from: 'argument', name },
  };
}

/** With what the comment says of members: `@param {string} options.city`, `@param {number} items[].count`. */
function withTags(schema: JsonObject, name: string, work: Work, at: { start: number }): JsonObject {
  const tags = [...work.said.values()].filter((tag) => tag.name.startsWith(`${name}.`) && !tag.name.slice(name.length + 1).includes('.'));
  if (tags.length === 0 || schema.$ref !== undefined) return schema;
  const types = [schema.type].flat();
  if (types.includes('array')) return { ...schema, items: withTags((schema.items ?? {}) as JsonObject, name, work, at) };
  if (types.includes('object') && isObject(schema.properties)) return withMembersSaid(schema, tags, name, work, at);
  if (!types.includes('object') || schema.additionalProperties !== undefined) return schema;
  const members = tags.map((tag): Argument => {
    const key = tag.name.slice(name.length + 1);
    const member = { ...withTags(typeOfTag(tag, work, at) ?? {}, tag.name, work, at), ...saidBy(tag) };
    return { name: key, schema: member, isRequired: !tag.optional, parameter: { from: 'argument', name: key } };
  });
  return { ...schema, ...objectOf(members) };
}

function withMembersSaid(schema: JsonObject, tags: readonly NamedTag[], name: string, work: Work, at: { start: number }): JsonObject {
  const properties = { ...(schema.properties as Record<string, JsonObject>) };
  for (const tag of tags) {
    const key = tag.name.slice(name.length + 1);
    const known = Object.hasOwn(properties, key) ? properties[key]! : undefined;
    if (known) properties[key] = { ...saidBy(tag), ...wholeNumber(withTags(known, tag.name, work, at), tag) };
  }
  return { ...schema, properties };
}

function saidBy(tag: NamedTag): JsonObject {
  return { ...(tag.description ? { description: tag.description } : {}), ...defaultOf(tagDefault(tag)) };
}

/** `@param {integer} name` in a file with types. */
function wholeNumber(schema: JsonObject, tag: NamedTag | undefined): JsonObject {
  return schema.type === 'number' && /^(?:int|integer)$/i.test(tag?.type ?? '') ? { ...schema, type: 'integer' } : schema;
}

/** `{ city, days = 1 }: Options`: its members are the arguments, or one of them when there are other parameters. */
function readObject(pattern: ObjectPattern, value: Expression | undefined, name: string, work: Work): Argument {
  const type = typeOf(pattern as Typed, name, work, pattern);
  const base = type ? withTags(work.reader.behind(type.schema), name, work, pattern) : ({ type: 'object' } as JsonObject);
  const isPlain = base.type === 'object';
  const schema = isPlain ? withMembers(pattern, base, type !== undefined, name, work) : base;
  if (work.count === 1 && isPlain) return { name, schema, isRequired: true, parameter: { from: 'arguments' } };
  return { name, schema: described(schema, name, work), isRequired: value === undefined, parameter: { from: 'argument', name } };
}

/** The schema of the object with what the pattern and its comments say of its members. */
function withMembers(pattern: ObjectPattern, base: JsonObject, isTyped: boolean, name: string, work: Work): JsonObject {
  const properties: JsonObject = { ...(base.properties as JsonObject | undefined) };
  const required = new Set((base.required ?? []) as string[]);
  for (const member of pattern.properties) {
    if (member.type === 'RestElement') continue;
    const key = keyName(member.key as Expression);
    if (key === undefined || member.computed) throw new Unreadable('it has a member with a computed name', work.module, member.start);
    const { value } = withDefault(member.value as ParamPattern);
    const usual = value && usualOf(value, work);
    const tag = tagOf(key, name, work);
    const known = properties[key] as JsonObject | undefined;
    const schema = known ?? (isTyped ? undefined : typeOfTag(tag, work, member)) ?? ofDefault(usual);
    if (!schema) throw new Unreadable(`its member ${key} has no type`, work.module, member.start);
    const said: JsonObject = schema.description === undefined && tag?.description ? { description: tag.description } : {};
    properties[key] = { ...wholeNumber(schema, tag), ...said, ...defaultOf(usual ?? tagDefault(tag)) };
    if (value !== undefined || tag?.optional) required.delete(key);
    else if (!known) required.add(key);
  }
  for (const [key, property] of Object.entries(properties)) {
    const tag = tagOf(key, name, work);
    if (tag?.description && isObject(property) && property.description === undefined)
      properties[key] = { ...(property as JsonObject), description: tag.description };
  }
  const { required: _, ...rest } = base;
  return { ...rest, properties, ...(required.size > 0 ? { required: [...required] } : {}) };
}

/** `@param city` and `@param options.city` both mean the member. */
function tagOf(key: string, name: string, work: Work): NamedTag | undefined {
  const names = [key, `${name}.${key}`, ...[...work.said.keys()].filter((one) => one.split('.').slice(1).join('.') === key)];
  const found = names.find((one) => work.said.has(one));
  if (found === undefined) return undefined;
  work.used.add(found);
  return work.said.get(found);
}

interface Typed {
  start: number;
  optional?: boolean;
  typeAnnotation?: { typeAnnotation: TSType } | null;
}

/** What is written behind the name, else in the `@param`. */
function typeOf(
  target: Typed,
  name: string,
  work: Work,
  at: { start: number },
): { schema: JsonObject; mayBeUndefined?: boolean } | undefined {
  const node = target.typeAnnotation?.typeAnnotation;
  const tag = work.said.get(name);
  if (!node) {
    const schema = typeOfTag(tag, work, at);
    return schema && { schema };
  }
  const schema = wholeNumber(work.reader.read(node, work.module, work.given), tag);
  return { schema, mayBeUndefined: work.reader.mayBeUndefined(node, work.module) };
}

function typeOfTag(tag: NamedTag | undefined, { module, modules, reader }: Work, at: { start: number }): JsonObject | undefined {
  if (tag?.type === undefined) return undefined;
  if (/^integer=?$/i.test(tag.type)) return { type: 'integer' };
  const written = modules.typeIn(module, typeScriptOf(tag.type), module.lineOf(at.start));
  if (!written) throw new Unreadable(`the type in its @param cannot be read: {${tag.type}}`, module, at.start);
  return reader.read(written.written, written.module);
}

function withDefault(written: ParamPattern): { target: Exclude<ParamPattern, AssignmentPattern>; value?: Expression } {
  if (written.type !== 'AssignmentPattern') return { target: written as Exclude<ParamPattern, AssignmentPattern> };
  return { target: written.left as Exclude<ParamPattern, AssignmentPattern>, value: written.right };
}

/** As people know it: its own name, or of a pattern the name in the comment. */
function nameOf(written: ParamPattern, work: Work): string {
  const { target } = withDefault(written);
  const named = target.type === 'RestElement' ? target.argument : target;
  const own = named.type === 'Identifier' ? named.name : undefined;
  const name = own ?? work.patterns.get(written) ?? 'options';
  work.used.add(name);
  return name;
}

function described(schema: JsonObject, name: string, { said }: Work): JsonObject {
  const description = said.get(name)?.description;
  return description ? { ...schema, description } : schema;
}

function defaultOf(value: Json | undefined): JsonObject {
  return value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0) ? {} : { default: value };
}

/** `[days=1]` */
function tagDefault(tag: NamedTag | undefined): Json | undefined {
  if (tag?.default === undefined) return undefined;
  try {
    return JSON.parse(tag.default.replace(/^'(.*)'$/, '"$1"')) as Json;
  } catch {
    return undefined; // an expression: only the function knows
  }
}

/** A default that is a literal, or the name of one. */
function usualOf(value: Expression, { module, modules }: Work): Json | undefined {
  const found = value.type === 'Identifier' ? modules.findValue(module, value.name) : undefined;
  return found ? literalOf(found.value) : literalValue(value);
}

/** The type that a literal default stands for; null and what is empty stand for none. */
function ofDefault(value: Json | undefined): JsonObject | undefined {
  const isEmpty = value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return isEmpty ? undefined : schemaOfValue(value);
}

function missingType(written: ParamPattern, { module }: Work): Unreadable {
  const way = /\.[cm]?ts$/.test(module.file) ? 'no type' : 'no type (write @param {type} name)';
  return new Unreadable(`it has ${way}`, module, written.start);
}

/** A parameter of the type ToolContext of this package: what `execute` of tool({...}) gets. */
function isContext(written: ParamPattern, { module, said }: Work): boolean {
  const { target } = withDefault(written);
  const type = (target as Typed).typeAnnotation?.typeAnnotation;
  if (!type) return target.type === 'Identifier' && /^import\(['"]hermes-agent['"]\)\.ToolContext$/.test(said.get(target.name)?.type ?? '');
  if (type.type !== 'TSTypeReference' || type.typeName.type !== 'Identifier') return false;
  const imported = module.imports.get(type.typeName.name);
  return imported?.source === 'hermes-agent' && imported.name === 'ToolContext';
}
