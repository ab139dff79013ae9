/** A source file as it is parsed: its declarations, types, exports, imports and comments; and the local files that it takes types from. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Class, Comment, Expression, Function as FunctionNode, ParseResult, Program, Statement, TSType } from 'oxc-parser';
import type { Json } from '../../kernel/types.ts';
import { type NamedTag, readDoc, readNamedTag, typeScriptOf } from './doc.ts';
import { literalValue } from './literal.ts';

export type Parse = (name: string, text: string, options?: { lang?: 'js' | 'ts' }) => ParseResult;
export type TypeDeclaration = Extract<Statement, { type: 'TSInterfaceDeclaration' | 'TSTypeAliasDeclaration' }>;

/** A type of a file: its declarations (interfaces may have several), or a `@typedef`. */
export type NamedType = { declarations: TypeDeclaration[] } | { written: TSType; module: Module };
export interface Imported {
  source: string;
  /** `*` = the whole module. */
  name: string;
}
/** Where a function, class or constant is written. */
export interface Value {
  node: Expression | FunctionNode | Class;
  /** Where its doc comment ends, and where the type of its variable is, if it has one. */
  start: number;
  type?: TSType;
  /** It has overloads; `start` is that of the first. */
  overloaded?: true;
}

export class Module {
  readonly file: string;
  readonly text: string;
  readonly program: Program;
  readonly types = new Map<string, NamedType>();
  readonly imports = new Map<string, Imported>();
  /** Functions and constants by their name in the file. */
  readonly values = new Map<string, Value>();
  /** Exported name -> what it is; a text is a name in the file, or of another file. */
  readonly exports = new Map<string, Value | string | Imported>();
  /** Sources of `export * from`. */
  readonly stars: string[] = [];
  readonly #comments: readonly Comment[];
  /** Of a type that stands in a comment: the line of that comment. */
  readonly #line: number | undefined;

  constructor(file: string, text: string, parsed: ParseResult, line?: number) {
    this.file = file;
    this.text = text;
    this.program = parsed.program;
    this.#comments = parsed.comments;
    this.#line = line;
    for (const statement of parsed.program.body) this.#take(statement, statement.start);
  }

  lineOf(offset: number): number {
    return this.#line ?? this.text.slice(0, offset).split('\n').length;
  }

  /** The doc comment that ends right before this place, without its slashes. */
  docBefore(start: number): string | undefined {
    let at = start;
    for (let index = this.#comments.findLastIndex(({ end }) => end <= start); index >= 0; index--) {
      const { type, value, ...comment } = this.#comments[index]!;
      if (this.text.slice(comment.end, at).trim() !== '') return undefined;
      if (type === 'Block' && value.startsWith('*')) return value;
      at = comment.start; // a word to a linter between the two
    }
    return undefined;
  }

  /** What is said of a member: the comment before it, or behind it on its line. */
  commentOn(start: number, end: number): string | undefined {
    const before = this.docBefore(start);
    if (before !== undefined) return readDoc(before).text;
    const line = this.text.slice(end).split('\n', 1)[0]!;
    const behind = this.#comments.find((one) => one.start >= end && one.end <= end + line.length);
    const isAlone = behind && /^[\s;,]*$/.test(this.text.slice(end, behind.start) + line.slice(behind.end - end));
    return isAlone ? behind.value.replace(/^\*/, '').trim() : undefined;
  }

  /** `@typedef`s of the comments, for files without type syntax. */
  readTypedefs(parse: Parse): void {
    for (const comment of this.#comments) {
      const { tags } = readDoc(comment.value);
      for (const [at, tag] of tags.entries()) {
        const definition = tag.name === 'typedef' ? readNamedTag(tag.text) : undefined;
        if (!definition) continue;
        const end = tags.findIndex(({ name }, index) => index > at && name === 'typedef');
        const own = tags.slice(at + 1, end < 0 ? undefined : end).filter(({ name }) => /^prop(?:erty)?$/.test(name));
        const members = own.map(({ text }) => readNamedTag(text)).filter((one) => one !== undefined);
        const type = members.length === 0 ? typeScriptOf(definition.type ?? 'object') : objectOf(members, definition.type);
        const written = this.typeIn(type, this.lineOf(comment.start), parse);
        if (written) this.types.set(definition.name, written);
      }
    }
  }

  /** A type that stands in a comment; undefined when it cannot be parsed. */
  typeIn(type: string, line: number, parse: Parse): { written: TSType; module: Module } | undefined {
    const text = `type _ = ${type};`;
    const parsed = parse('comment.ts', text);
    const [alias] = parsed.program.body;
    if (parsed.errors.length > 0 || alias?.type !== 'TSTypeAliasDeclaration') return undefined;
    const module = new Module(this.file, text, parsed, line);
    for (const [name, type_] of this.types) module.types.set(name, type_);
    for (const [name, imported] of this.imports) module.imports.set(name, imported);
    return { written: alias.typeAnnotation, module };
  }

  #take(statement: Statement, start: number): void {
    switch (statement.type) {
      case 'ImportDeclaration':
        for (const one of statement.specifiers) {
          const name = one.type === 'ImportSpecifier' ? nameOf(one.imported) : one.type === 'ImportDefaultSpecifier' ? 'default' : '*';
          this.imports.set(one.local.name, { source: statement.source.value, name });
        }
        return;
      case 'ExportAllDeclaration':
        this.stars.push(statement.source.value);
        return;
      case 'ExportDefaultDeclaration':
        this.#takeDefault(statement.declaration, start);
        return;
      case 'ExportNamedDeclaration':
        if (statement.declaration) {
          this.#take(statement.declaration, start);
          for (const name of declaredNames(statement.declaration)) this.exports.set(name, name);
        }
        for (const { local, exported } of statement.specifiers) {
          const name = nameOf(local);
          this.exports.set(nameOf(exported), statement.source ? { source: statement.source.value, name } : name);
        }
        return;
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration': {
        const known = this.types.get(statement.id.name);
        const before = known && 'declarations' in known ? known.declarations : [];
        this.types.set(statement.id.name, { declarations: [...before, statement] });
        return;
      }
      case 'FunctionDeclaration':
      case 'TSDeclareFunction':
      case 'ClassDeclaration':
        if (statement.id) this.values.set(statement.id.name, withOverloads({ node: statement, start }, this.values.get(statement.id.name)));
        return;
      case 'VariableDeclaration':
        for (const { id, init } of statement.declarations) {
          if (id.type !== 'Identifier' || !init) continue;
          const type = id.typeAnnotation?.typeAnnotation;
          this.values.set(id.name, { node: init, start, ...(type ? { type } : {}) });
        }
    }
  }

  #takeDefault(declaration: Extract<Statement, { type: 'ExportDefaultDeclaration' }>['declaration'], start: number): void {
    if (declaration.type === 'Identifier') this.exports.set('default', declaration.name);
    else if (declaration.type === 'TSInterfaceDeclaration') {
      this.#take(declaration, start);
      this.exports.set('default', declaration.id.name);
    } else {
      const before = this.exports.get('default') as Value | undefined;
      this.exports.set('default', withOverloads({ node: declaration as Value['node'], start }, before));
    }
  }
}

function withOverloads(value: Value, before: Value | undefined): Value {
  return before?.node.type === 'TSDeclareFunction' ? { ...value, start: before.start, overloaded: true } : value;
}

/** The literal that a constant is. */
export function literalOf({ node }: Value): Json | undefined {
  return 'body' in node ? undefined : literalValue(node as Expression);
}

function nameOf(node: { type: string; name?: string; value?: unknown }): string {
  return node.name ?? String(node.value);
}

function declaredNames(declaration: Statement): string[] {
  if (declaration.type === 'VariableDeclaration')
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
  return 'id' in declaration && declaration.id?.type === 'Identifier' ? [declaration.id.name] : [];
}

/** The object type, or list of objects, that `@property` lines describe; `geo.lat` is a member of `geo`. */
function objectOf(members: readonly NamedTag[], type = 'object'): string {
  const own = members.filter(({ name }) => !name.includes('.'));
  const text = own.map(({ name, type: written = 'unknown', optional, description }) => {
    const doc = description ? `/** ${description.replaceAll('*/', '')} */ ` : '';
    const inner = members
      .filter((one) => one.name.startsWith(`${name}.`))
      .map((one) => ({ ...one, name: one.name.slice(name.length + 1) }));
    const plain = inner.length > 0 ? objectOf(inner, written) : typeScriptOf(written);
    return `${doc}${JSON.stringify(name)}${optional ? '?' : ''}: ${plain}`;
  });
  return `{ ${text.join('; ')} }${/\[\]$|^Array\b/i.test(type.trim()) ? '[]' : ''}`;
}

/** Reads each file once. `files` are all that were looked at, for the cache. */
export class Modules {
  readonly files = new Map<string, string>();
  /** A file that is imported from is not there: what was read may change though no file does. */
  isIncomplete = false;
  readonly #parse: Parse;
  readonly #known = new Map<string, Module>();

  constructor(parse: Parse) {
    this.#parse = parse;
  }

  read(file: string): Module {
    const known = this.#known.get(file);
    if (known) return known;
    const text = readFileSync(file, 'utf8');
    this.files.set(file, text);
    const module = new Module(file, text, this.#parse(file, text));
    if (!/\.[cm]?ts$/.test(file)) module.readTypedefs(this.#parse);
    this.#known.set(file, module);
    return module;
  }

  /** The file that a relative import means; undefined for packages and for what is not there. */
  local(from: Module, source: string): Module | undefined {
    if (!source.startsWith('.')) return undefined;
    const path = resolve(dirname(from.file), source);
    const tried = [path, path.replace(/\.([cm]?)js$/, '.$1ts'), `${path}.ts`, `${path}.d.ts`, `${path}.js`, `${path}/index.ts`];
    const file = tried.find((one) => existsSync(one) && statSync(one).isFile());
    this.isIncomplete ||= file === undefined;
    return file === undefined ? undefined : this.read(file);
  }

  typeIn(module: Module, type: string, line: number): { written: TSType; module: Module } | undefined {
    return module.typeIn(type, line, this.#parse);
  }

  parse(text: string): ParseResult {
    return this.#parse('example.ts', text);
  }

  /** A type by its name in a file, also where it is imported from. */
  findType(module: Module, name: string, hops = 0): { type: NamedType; module: Module } | { imported: Imported } | undefined {
    const type = module.types.get(name);
    if (type) return { type, module };
    const [space, member] = name.split('.');
    const whole = member === undefined ? undefined : module.imports.get(space!);
    const imported = whole?.name === '*' ? { ...whole, name: member! } : module.imports.get(name); // import type * as space
    if (!imported || hops > 20) return undefined;
    const from = this.local(module, imported.source);
    return from ? (this.findExportedType(from, imported.name, hops) ?? { imported }) : { imported };
  }

  findExportedType(module: Module, name: string, hops = 0): ReturnType<Modules['findType']> {
    const exported = module.exports.get(name);
    if (typeof exported === 'string') return this.findType(module, exported, hops + 1);
    if (exported && 'source' in exported) {
      const from = this.local(module, exported.source);
      return from ? this.findExportedType(from, exported.name, hops + 1) : { imported: exported };
    }
    for (const star of hops > 20 ? [] : module.stars) {
      const from = this.local(module, star);
      const found = from && this.findExportedType(from, name, hops + 1);
      if (found) return found;
    }
    return module.types.has(name) ? this.findType(module, name, hops) : undefined;
  }

  /** A function or constant by its name in a file, also where it is imported from. */
  findValue(module: Module, name: string, hops = 0): { value: Value; module: Module } | undefined {
    const value = module.values.get(name);
    if (value) return { value, module };
    const imported = module.imports.get(name);
    const from = imported && hops < 20 ? this.local(module, imported.source) : undefined;
    return from && this.findExport(from, imported!.name, hops + 1);
  }

  findExport(module: Module, name: string, hops = 0): { value: Value; module: Module } | undefined {
    const exported = module.exports.get(name);
    if (hops > 20) return undefined;
    if (exported === undefined) {
      for (const star of name === 'default' ? [] : module.stars) {
        const from = this.local(module, star);
        const found = from && this.findExport(from, name, hops + 1);
        if (found) return found;
      }
      return undefined;
    }
    if (typeof exported === 'string') return this.findValue(module, exported, hops + 1);
    if ('node' in exported) return { value: exported, module };
    const from = this.local(module, exported.source);
    return from && this.findExport(from, exported.name, hops + 1);
  }
}
