/** TypeScript's types as JSON Schema, without a compiler: what is written in the file, and in the local files that it imports from. */

import type { Expression, TSLiteral, TSSignature, TSType, TSTypeName, TSTypeReference } from 'oxc-parser';
import { isObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { follow } from '../schema.ts';
import { isConst, literalValue } from './literal.ts';
import { literalOf, type Module, type Modules, type NamedType, type TypeDeclaration } from './module.ts';
import { merged, oneOf, picked, record, schemaOfConst, schemaOfValue, union, withoutNull } from './schemas.ts';

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

/** What type parameters stand for. */
export type Given = ReadonlyMap<string, JsonObject>;
interface Scope {
  module: Module;
  given: Given;
}
/** A named type that is being read or was; `name` is that of its definition, once it has one. */
interface Named {
  name?: string;
  /** Absent while it is being read. */
  schema?: JsonObject;
  /** Characters of the schema. */
  size: number;
}

/** Levels of types in types. */
const MOST_DEPTH = 40;
/** Characters of one schema, and of one that stands in full at each place where its type is used. */
const MOST_SIZE = 100_000;
const MOST_REPEATED = 300;
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
  ReadonlyMap: 'take a Record',
  Set: 'take an array',
  ReadonlySet: 'take an array',
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
  readonly #named = new Map<string, Named>();
  #depth = 0;

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  /** `given`: what the type parameters of the function stand for. */
  read(node: TSType, module: Module, given: Given = new Map()): JsonObject {
    return this.#read(node, { module, given });
  }

  /** `T | undefined`, also behind a name: as good as optional. */
  mayBeUndefined(node: TSType, module: Module, hops = 0): boolean {
    if (node.type === 'TSUnionType') return node.types.some((one) => this.mayBeUndefined(one, module, hops));
    if (node.type === 'TSParenthesizedType') return this.mayBeUndefined(node.typeAnnotation, module, hops);
    if (node.type !== 'TSTypeReference' || node.typeName.type !== 'Identifier' || hops > 20) return isUndefined(node);
    const found = this.#modules.findType(module, node.typeName.name);
    if (!found || !('type' in found) || !('declarations' in found.type)) return false;
    const [alias] = found.type.declarations;
    return alias?.type === 'TSTypeAliasDeclaration' && this.mayBeUndefined(alias.typeAnnotation, found.module, hops + 1);
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
        return this.#intersection(node.types, scope);
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
        return this.#constant(node, scope);
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
      if (!member.optional && !(type && this.mayBeUndefined(type, scope.module))) required.push(name);
    }
    if (Object.keys(properties).length > 0) schema.properties = properties;
    if (required.length > 0) schema.required = required;
    return schema;
  }

  #intersection(nodes: readonly TSType[], scope: Scope): JsonObject {
    // `string & { __brand: 'UserId' }` is a string whose brand only the compiler sees
    const scalar = nodes
      .filter((one) => one.type !== 'TSTypeLiteral')
      .map((one) => this.behind(this.#read(one, scope)))
      .filter(({ type }) => ['string', 'number', 'boolean'].includes(type as string));
    if (scalar.length === 1) return scalar[0]!;
    const parts = nodes.map((one) => this.#read(one, scope));
    const schemas = parts.filter((part) => Object.keys(part).length > (part.type === 'object' ? 1 : 0)); // `A & {}` is A
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
      if (rest) throw this.#unreadable('is a tuple with something behind its rest', element, scope);
      if (type.type === 'TSRestType') {
        const list = this.behind(this.#read((type as unknown as { typeAnnotation: TSType }).typeAnnotation, scope));
        if (!isObject(list.items) || list.prefixItems) throw this.#unreadable('is a tuple whose rest is no plain list', element, scope);
        rest = list.items as JsonObject;
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
    if (object.additionalProperties !== undefined) return { type: 'string' };
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

  /** What `typeof NAME` means: the type of the constant, its literals only `as const`. */
  #constant(node: Extract<TSType, { type: 'TSTypeQuery' }>, scope: Scope): JsonObject {
    const name = node.exprName.type === 'Identifier' ? node.exprName.name : undefined;
    const found = name === undefined ? undefined : this.#modules.findValue(scope.module, name);
    if (found?.value.type) return this.read(found.value.type, found.module);
    const value = found && literalOf(found.value);
    if (value === undefined) throw this.#unreadable(`is typeof ${name ?? 'something'}, which is no literal of this file`, node, scope);
    return typeof value !== 'object' || isConst(found!.value.node as Expression) ? schemaOfConst(value) : schemaOfValue(value);
  }

  // ---- names -----------------------------------------------------------------------------------------

  #reference(node: TSTypeReference, scope: Scope): JsonObject {
    const { typeName } = node;
    const given = node.typeArguments?.params ?? [];
    const name = dotted(typeName);
    const known = scope.given.get(name);
    if (known) return known;
    const found = this.#modules.findType(scope.module, name);
    if (!found && typeName.type !== 'Identifier') throw this.#unreadable(`is ${name}, which a parser cannot read`, node, scope);
    if (this.#modules.findValue(scope.module, name)?.value.node.type === 'ClassDeclaration')
      throw this.#unreadable(`is the class ${name}: JSON has plain objects only; take its fields as an interface`, node, scope);
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
      return this.#byName(found.type, found.module, name, args, node, scope);
    }
    return this.#builtIn(name, given, node, scope);
  }

  /** Inlined; a type that is met again inside itself, or is large and used again, becomes a definition. */
  #byName(type: NamedType, module: Module, name: string, args: readonly JsonObject[], node: { start: number }, scope: Scope): JsonObject {
    const key = `${module.file} ${name} ${JSON.stringify(args)}`;
    const mine = this.#named.get(key) ?? { size: 0 };
    if (this.#named.has(key)) {
      if (mine.schema === undefined || mine.size > MOST_REPEATED) mine.name ??= this.#freeName(name);
    } else {
      this.#named.set(key, mine);
      mine.schema = 'written' in type ? this.read(type.written, type.module) : this.#declared(type.declarations, module, args);
      mine.size = JSON.stringify(mine.schema).length;
      if (mine.size > MOST_SIZE) throw this.#unreadable(`is larger than ${MOST_SIZE} characters of JSON Schema`, node, scope);
    }
    if (mine.name === undefined) return mine.schema!;
    if (mine.schema) this.definitions[mine.name] = mine.schema;
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
      const given = new Map<string, JsonObject>();
      const scope: Scope = { module, given };
      for (const [i, one] of (declaration.typeParameters?.params ?? []).entries())
        given.set(one.name.name, args[i] ?? (one.default ? this.#read(one.default, scope) : {}));
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
    return this.#byName(found.type, found.module, name!, [], node, scope);
  }

  #builtIn(name: string, given: readonly TSType[], node: { start: number }, scope: Scope): JsonObject {
    const [first, second] = given;
    const read = (type: TSType | undefined) => (type ? this.#read(type, scope) : {});
    const object = () => {
      const schema = this.behind(read(first));
      if (schema.type === 'object' && schema.allOf === undefined) return schema;
      throw this.#unreadable(`is ${name} of what is no plain object (a union?)`, node, scope);
    };
    const listed = (schema: JsonObject) => {
      if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum;
      throw this.#unreadable(`is ${name} of what is no list of literals`, node, scope);
    };
    switch (name) {
      case 'int':
      case 'integer': // in comments
        return { type: 'integer' };
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
        const names = listed(this.behind(read(second)));
        return picked(object(), (key) => names.includes(key) === (name === 'Pick'));
      }
      case 'Record':
        return record(this.behind(read(first)), read(second));
      case 'Exclude':
      case 'Extract': {
        const whole = this.behind(read(first));
        if (name === 'Exclude' && second && isUndefined(second)) return whole;
        const other = this.behind(read(second));
        if (name === 'Exclude' && other.type === 'null') return withoutNull(whole);
        const others = listed(other);
        return oneOf(listed({ enum: listed(whole).filter((value) => others.includes(value) === (name === 'Extract')) }));
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

/** `a.b.c` as it is written. */
function dotted(name: TSTypeName): string {
  if (name.type === 'TSQualifiedName') return `${dotted(name.left)}.${name.right.name}`;
  return name.type === 'Identifier' ? name.name : 'this';
}

export function keyName(key: Expression | { type: string; name?: string; value?: unknown }): string | undefined {
  if (key.type === 'Identifier') return (key as { name: string }).name;
  return key.type === 'Literal' ? String((key as { value: unknown }).value) : undefined;
}
