/** TypeScript's types as JSON Schema, without a compiler: what is written in the file, and in the local files that it imports from. */

import type { Expression, TSLiteral, TSSignature, TSType, TSTypeName, TSTypeReference } from 'oxc-parser';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { follow, isObject } from '../schema.ts';
import { bareExpression, literalValue } from './literal.ts';
import type { Module, Modules, NamedType, TypeDeclaration } from './module.ts';
import { merged, oneOf, picked, record, schemaOfValue, union, valuesOf, withoutNull } from './schemas.ts';

/** A type that no JSON Schema can be made of; `what` completes "the parameter x: ...". */
export class Unreadable extends Error {
  readonly file: string;
  readonly line: number;

  constructor(what: string, module: Module, start: number) {
    super(what);
    this.file = module.file;
    this.line = module.lineOf(start);
  }
}

interface Scope {
  module: Module;
  /** What the type parameters of the generic type stand for. */
  given: ReadonlyMap<string, JsonObject>;
}
/** A named type that is being read; `name` is set once it is met again inside itself. */
interface Open {
  name?: string;
}

/** Levels of types in types. */
const MOST_DEPTH = 40;
const KEYWORDS: Readonly<Record<string, JsonObject>> = {
  TSStringKeyword: { type: 'string' },
  TSNumberKeyword: { type: 'number' },
  TSBooleanKeyword: { type: 'boolean' },
  TSNullKeyword: { type: 'null' },
  TSAnyKeyword: {},
  TSUnknownKeyword: {},
  TSObjectKeyword: { type: 'object' },
};
/** Types of the language whose values JSON does not have, and what to take instead. */
const NOT_IN_JSON: Readonly<Record<string, string>> = {
  Date: 'take a string (ISO 8601) and make the Date of it',
  Map: 'take a Record',
  Set: 'take an array',
  RegExp: 'take a string and make the RegExp of it',
  URL: 'take a string and make the URL of it',
  Buffer: 'take a string (base64)',
  Uint8Array: 'take a string (base64)',
  Function: 'take what decides as a value',
};

export class TypeReader {
  /** Recursive types, for the root of the schema. */
  readonly definitions: JsonObject = {};
  readonly #modules: Modules;
  readonly #open = new Map<string, Open>();
  #depth = 0;

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  read(node: TSType, module: Module): JsonObject {
    return this.#read(node, { module, given: new Map() });
  }

  /** The schema itself behind a reference to a recursive type. */
  behind(schema: JsonObject): JsonObject {
    const { $ref, ...rest } = schema;
    if (typeof $ref !== 'string') return schema;
    return { ...(follow({ $defs: this.definitions }, $ref) as JsonObject | undefined), ...rest };
  }

  #read(node: TSType, scope: Scope): JsonObject {
    if (++this.#depth > MOST_DEPTH) throw this.#unreadable(`is nested deeper than ${MOST_DEPTH} levels`, node, scope);
    try {
      return this.#schemaOf(node, scope);
    } finally {
      this.#depth--;
    }
  }

  #schemaOf(node: TSType, scope: Scope): JsonObject {
    const keyword = KEYWORDS[node.type];
    if (keyword) return { ...keyword };
    switch (node.type) {
      case 'TSParenthesizedType':
        return this.#read(node.typeAnnotation, scope);
      case 'TSLiteralType':
        return this.#literal(node.literal, scope);
      case 'TSUnionType':
        return union(node.types.filter((one) => !isUndefined(one)).map((one) => this.#read(one, scope)));
      case 'TSIntersectionType':
        return this.#intersection(node.types.map((one) => this.#read(one, scope)));
      case 'TSArrayType':
        return { type: 'array', items: this.#read(node.elementType, scope) };
      case 'TSTupleType':
        return this.#tuple(node.elementTypes as TSType[], scope);
      case 'TSTypeLiteral':
        return this.#object(node.members, scope);
      case 'TSTypeReference':
        return this.#reference(node, scope);
      case 'TSTypeOperator':
        if (node.operator === 'readonly') return this.#read(node.typeAnnotation, scope);
        if (node.operator === 'keyof') return this.#keysOf(node.typeAnnotation, scope);
        break;
      case 'TSIndexedAccessType':
        return this.#member(node.objectType, node.indexType, scope);
      case 'TSTypeQuery':
        return schemaOfValue(this.#constant(node, scope));
      case 'TSImportType':
        return this.#importType(node, scope);
    }
    throw this.#unreadable(`is ${NAMES[node.type] ?? `of a kind (${node.type}) that is not read`}`, node, scope);
  }

  #unreadable(what: string, node: { start: number }, { module }: Scope): Unreadable {
    return new Unreadable(`its type ${what}`, module, node.start);
  }

  #literal(literal: TSLiteral, scope: Scope): JsonObject {
    const value = literalValue(literal);
    if (value === undefined || value === null || typeof value === 'object')
      throw this.#unreadable('is a template or bigint literal', literal, scope);
    return { type: typeof value, enum: [value] };
  }

  // ---- objects ---------------------------------------------------------------------------------------

  #object(members: readonly TSSignature[], scope: Scope): JsonObject {
    const properties: JsonObject = {};
    const required: string[] = [];
    const schema: JsonObject = { type: 'object' };
    for (const member of members) {
      if (member.type === 'TSIndexSignature') {
        schema.additionalProperties = this.#read(member.typeAnnotation.typeAnnotation, scope);
        continue;
      }
      if (member.type !== 'TSPropertySignature') throw this.#unreadable('has a method: JSON has no functions', member, scope);
      const name = keyName(member.key as Expression);
      if (name === undefined || member.computed) throw this.#unreadable('has a computed name', member, scope);
      const type = member.typeAnnotation?.typeAnnotation;
      const said = scope.module.commentOn(member.start, member.end);
      properties[name] = { ...(type ? this.#read(type, scope) : {}), ...(said ? { description: said } : {}) };
      if (!member.optional && !(type && mayBeUndefined(type))) required.push(name);
    }
    if (Object.keys(properties).length > 0) schema.properties = properties;
    if (required.length > 0) schema.required = required;
    return schema;
  }

  #intersection(parts: JsonObject[]): JsonObject {
    const schemas = parts.filter((part) => Object.keys(part).length > (part.type === 'object' ? 1 : 0)); // `string & {}` is string
    if (schemas.length === 1) return schemas[0]!;
    const real = schemas.map((schema) => this.behind(schema));
    return real.every((schema) => schema.type === 'object') ? merged(real) : { allOf: schemas };
  }

  #tuple(elements: readonly TSType[], scope: Scope): JsonObject {
    const prefixItems: Json[] = [];
    let least = 0;
    let rest: JsonObject | undefined;
    for (const element of elements) {
      let type = element as TSType | { type: string };
      let isOptional = false;
      let label: string | undefined;
      if (type.type === 'TSNamedTupleMember') {
        const named = type as Extract<TSType, { type: 'TSNamedTupleMember' }>;
        label = named.label.name;
        isOptional = named.optional;
        type = named.elementType as TSType;
      }
      if (type.type === 'TSOptionalType') {
        isOptional = true;
        type = (type as unknown as { typeAnnotation: TSType }).typeAnnotation;
      }
      if (type.type === 'TSRestType') {
        const list = this.#read((type as unknown as { typeAnnotation: TSType }).typeAnnotation, scope);
        rest = isObject(list.items) ? (list.items as JsonObject) : {};
        continue;
      }
      prefixItems.push({ ...this.#read(type as TSType, scope), ...(label === undefined ? {} : { description: label }) });
      if (!isOptional) least++;
    }
    const most: JsonObject = rest ? { items: rest } : { maxItems: prefixItems.length };
    return { type: 'array', ...(prefixItems.length > 0 ? { prefixItems } : {}), minItems: least, ...most };
  }

  #keysOf(type: TSType, scope: Scope): JsonObject {
    if (type.type === 'TSParenthesizedType') return this.#keysOf(type.typeAnnotation, scope);
    const object = this.behind(this.#read(type, scope));
    if (!isObject(object.properties)) throw this.#unreadable('is keyof something that has no named properties', type, scope);
    return oneOf(Object.keys(object.properties));
  }

  /** `City['name']`, `(typeof LEVELS)[number]` */
  #member(type: TSType, index: TSType, scope: Scope): JsonObject {
    const object = this.behind(this.#read(type, scope));
    if (index.type === 'TSNumberKeyword') {
      if (isObject(object.items)) return object.items as JsonObject;
      if (Array.isArray(object.prefixItems)) return union(object.prefixItems as JsonObject[]);
    }
    const names = this.behind(this.#read(index, scope)).enum;
    const properties = object.properties as JsonObject | undefined;
    if (properties && Array.isArray(names) && names.every((name) => Object.hasOwn(properties, String(name))))
      return union(names.map((name) => properties[String(name)] as JsonObject));
    throw this.#unreadable('names a member that is not there', index, scope);
  }

  /** The literal that `typeof NAME` means. */
  #constant(node: Extract<TSType, { type: 'TSTypeQuery' }>, scope: Scope): Json {
    const name = node.exprName.type === 'Identifier' ? node.exprName.name : undefined;
    const found = name === undefined ? undefined : this.#modules.findValue(scope.module, name);
    const value = found && 'body' in found.value.node ? undefined : found && literalValue(bareExpression(found.value.node as Expression));
    if (value === undefined) throw this.#unreadable(`is typeof ${name ?? 'something'}, which is no literal of this file`, node, scope);
    return value;
  }

  // ---- names -----------------------------------------------------------------------------------------

  #reference(node: TSTypeReference, scope: Scope): JsonObject {
    const { typeName } = node;
    const given = node.typeArguments?.params ?? [];
    if (typeName.type !== 'Identifier') throw this.#unreadable(`is ${dotted(typeName)}, which a parser cannot read`, node, scope);
    const { name } = typeName;
    const known = scope.given.get(name);
    if (known) return known;
    const found = this.#modules.findType(scope.module, name);
    if (found && 'imported' in found) {
      const { source } = found.imported;
      throw this.#unreadable(
        source.startsWith('.') ? `is ${name}, which ${source} does not hold` : `is ${name} of the package ${source}, which is not read`,
        node,
        scope,
      );
    }
    if (found) {
      const args = given.map((one) => this.#read(one, scope));
      return this.#named(found.type, found.module, name, args);
    }
    return this.#builtIn(name, given, node, scope);
  }

  /** Inlined; a type that is met again inside itself becomes a definition. */
  #named(type: NamedType, module: Module, name: string, args: readonly JsonObject[]): JsonObject {
    const key = `${module.file} ${name} ${JSON.stringify(args)}`;
    const open = this.#open.get(key);
    if (open) {
      open.name ??= this.#freeName(name);
      return { $ref: `#/$defs/${open.name}` };
    }
    const mine: Open = {};
    this.#open.set(key, mine);
    const schema = 'written' in type ? this.read(type.written, type.module) : this.#declared(type.declarations, module, args);
    this.#open.delete(key);
    if (mine.name === undefined) return schema;
    this.definitions[mine.name] = schema;
    return { $ref: `#/$defs/${mine.name}` };
  }

  #freeName(name: string): string {
    let free = name;
    for (let n = 2; Object.hasOwn(this.definitions, free); n++) free = `${name}${n}`;
    this.definitions[free] = {}; // taken
    return free;
  }

  #declared(declarations: readonly TypeDeclaration[], module: Module, args: readonly JsonObject[]): JsonObject {
    const parts = declarations.flatMap((declaration): JsonObject[] => {
      const parameters = declaration.typeParameters?.params ?? [];
      const scope: Scope = { module, given: new Map() };
      const given = parameters.map((one, i): [string, JsonObject] => {
        const schema = args[i] ?? (one.default ? this.#read(one.default, scope) : {});
        return [one.name.name, schema];
      });
      scope.given = new Map(given);
      if (declaration.type === 'TSTypeAliasDeclaration') return [this.#read(declaration.typeAnnotation, scope)];
      const bases = declaration.extends.map(({ expression, typeArguments, start }) => {
        if (expression.type !== 'Identifier') throw this.#unreadable('extends something that a parser cannot read', { start }, scope);
        return this.#reference({ typeName: expression, typeArguments, start } as unknown as TSTypeReference, scope);
      });
      return [...bases.map((base) => this.behind(base)), this.#object(declaration.body.body, scope)];
    });
    return parts.length === 1 ? parts[0]! : merged(parts);
  }

  #importType(node: Extract<TSType, { type: 'TSImportType' }>, scope: Scope): JsonObject {
    const { value: source } = node.source;
    const from = this.#modules.local(scope.module, source);
    const name = node.qualifier?.type === 'Identifier' ? node.qualifier.name : undefined;
    const found = from && name ? this.#modules.findExportedType(from, name) : undefined;
    if (!found || 'imported' in found) throw this.#unreadable(`is ${name ?? 'a type'} of ${source}, which is not read`, node, scope);
    return this.#named(found.type, found.module, name!, []);
  }

  #builtIn(name: string, given: readonly TSType[], node: { start: number }, scope: Scope): JsonObject {
    const [first, second] = given;
    const read = (type: TSType | undefined) => (type ? this.#read(type, scope) : {});
    const object = () => this.behind(read(first));
    switch (name) {
      case 'Array':
      case 'ReadonlyArray':
        return { type: 'array', items: read(first) };
      case 'Readonly':
      case 'NonNullable':
        return name === 'Readonly' ? read(first) : withoutNull(read(first));
      case 'Partial':
      case 'Required': {
        const { required: _, ...rest } = object();
        const names = isObject(rest.properties) ? Object.keys(rest.properties) : [];
        return name === 'Required' && names.length > 0 ? { ...rest, required: names } : rest;
      }
      case 'Pick':
      case 'Omit': {
        const names = valuesOf(this.behind(read(second)));
        return picked(object(), (key) => names.includes(key) === (name === 'Pick'));
      }
      case 'Record':
        return record(this.behind(read(first)), read(second));
      case 'Exclude':
      case 'Extract': {
        const others = valuesOf(this.behind(read(second)));
        return oneOf(valuesOf(object()).filter((value) => others.includes(value) === (name === 'Extract')));
      }
    }
    const instead = NOT_IN_JSON[name];
    throw this.#unreadable(
      instead ? `is ${name}, which JSON does not have: ${instead}` : `is ${name}, which is not declared here`,
      node,
      scope,
    );
  }
}

const NAMES: Readonly<Record<string, string>> = {
  TSConditionalType: 'a conditional type',
  TSMappedType: 'a mapped type',
  TSTemplateLiteralType: 'a template literal type',
  TSFunctionType: 'a function, which JSON does not have',
  TSBigIntKeyword: 'bigint, which JSON does not have: take a number or a string',
  TSSymbolKeyword: 'symbol, which JSON does not have',
  TSNeverKeyword: 'never',
  TSVoidKeyword: 'void',
  TSUndefinedKeyword: 'undefined',
};

function isUndefined(node: TSType): boolean {
  return node.type === 'TSUndefinedKeyword' || node.type === 'TSVoidKeyword';
}

/** `T | undefined`: as good as optional. */
export function mayBeUndefined(node: TSType): boolean {
  return node.type === 'TSUnionType' ? node.types.some(isUndefined) : isUndefined(node);
}

/** `a.b.c` as it is written. */
function dotted(name: TSTypeName): string {
  if (name.type === 'TSQualifiedName') return `${dotted(name.left)}.${name.right.name}`;
  return name.type === 'Identifier' ? name.name : 'this';
}

export function keyName(key: Expression | { type: string; name?: string; value?: unknown }): string | undefined {
  if (key.type === 'Identifier') return (key as { name: string }).name;
  return key.type === 'Literal' ? String((key as { value: unknown }).value) : undefined;
}
