/**
 * Arguments that can be trusted: each value is copied from the request or comes from a resolver. Tiny models copy values
 * out of the examples they were shown; what is found nowhere in the request is replaced by a span of it, or left out.
 */

import { languageOf } from '../../kernel/text.ts';
import type { DecidedBy, Json, JsonObject, ToolInfo } from '../../kernel/types.ts';
import { findBySchema } from './by-schema.ts';
import { type Kind, piecesOf } from './pieces.ts';
import { findSaying, takesSaying } from './sayings.ts';
import { cuesOf, findCopy, findSpan, overlaps, type Span, saysSomething, widen } from './spans.ts';

/** The value that the property's `format` wants, as the text states it; undefined when it states none. */
export type Resolve = (property: JsonObject, value: Json | undefined, request: string) => { value: Json; note: string } | undefined;

export interface Filled {
  arguments: JsonObject;
  /** One line for each value that is not the model's. */
  repairs: string[];
  /** Required arguments that the request does not state. */
  missing: string[];
}
interface Value {
  value: Json;
  by: DecidedBy;
  note?: string;
  /** Where the request has it. */
  span?: Span | undefined;
}

/** `written` holds what the model wrote, by argument; empty when it wrote nothing that can be used. */
export function fillArguments(tool: ToolInfo, written: Readonly<Record<string, string>>, request: string, resolve: Resolve): Filled {
  const parts = fillFrom(tool, written, request, resolve);
  const said = sayingFor(tool, request);
  if (said === undefined) return parts;
  const whole = fillFrom(tool, written, request, resolve, said);
  if (whole.missing.length === 0) return whole;
  const noted = namedBy(tool, whole, said) ?? parts;
  return sameValues(noted.arguments, parts.arguments) ? parts : noted;
}

interface Said {
  name: string;
  span: Span;
}

function sayingFor(tool: ToolInfo, request: string): Said | undefined {
  if ((tool.examples ?? []).length === 0) return undefined;
  const [name] =
    Object.entries(objectOf(tool.input_schema.properties)).find(([one, property]) => takesSaying(one, objectOf(property))) ?? [];
  const span = name === undefined ? undefined : findSaying(request);
  return span && name !== undefined ? { name, span } : undefined;
}

/**
 * What is kept under a short name: of "the wifi password is x" the name stands before the verb and the value behind it; what has no name
 * is kept under its first words.
 */
function namedBy(
  tool: ToolInfo,
  { missing, arguments: others, repairs }: Filled,
  { name: content, span: { text } }: Said,
): Filled | undefined {
  const [name, ...more] = missing;
  const description = String(objectOf(objectOf(tool.input_schema.properties)[name ?? '']).description ?? '');
  if (name === undefined || more.length > 0 || !/\b(?:short name|title)\b|名称|标题/i.test(description)) return undefined;
  const [, called, value] = /^(?:my |the |我的)?(\S.{0,39}?)\s*(?:是|为|=|\b(?:is|are|was|were)\b)\s*(\S.*)$/isu.exec(text) ?? [];
  const first = called ?? /^(?:[\p{L}\p{N}'’-]+ ?){1,6}/u.exec(text)?.[0].trim().slice(0, LONGEST_NAME);
  if (!first) return undefined;
  const note = called === undefined ? 'the first words of what is kept' : 'what the request says of it';
  return { arguments: { ...others, [name]: first, [content]: value ?? text }, missing: [], repairs: [...repairs, `${name}: ${note}`] };
}

function sameValues(one: JsonObject, other: JsonObject): boolean {
  return Object.entries(one).every(([name, value]) => other[name] === value);
}

/** Characters. */
const LONGEST_NAME = 40;

function fillFrom(tool: ToolInfo, written: Readonly<Record<string, string>>, request: string, resolve: Resolve, said?: Said): Filled {
  const properties = Object.entries(objectOf(tool.input_schema.properties)).map(([name, property]) => [name, objectOf(property)] as const);
  const required = Array.isArray(tool.input_schema.required) ? tool.input_schema.required : [];
  const values = new Map<string, Value>();
  const taken = () => [...values.values()].flatMap(({ span }) => span ?? []);
  const take = (name: string, value: Value | undefined) => {
    if (value && !values.has(name) && !(value.span && overlaps(value.span, taken()))) values.set(name, value);
  };
  const bySchema = (isWanted: (property: JsonObject) => boolean) => {
    for (const [name, { value, note, span }] of findBySchema(tool, written, request, values)) {
      const property = properties.find(([other]) => other === name)?.[1];
      if (property && isWanted(property)) take(name, { ...(isOwn(value, written[name]) ? model(value) : rail(value, note)), span });
    }
  };
  for (const [name, property] of properties)
    if (typeof property.format === 'string') take(name, statedValue(tool, property, written[name], request, resolve));
  if ((tool.examples ?? []).length > 0) {
    bySchema((property) => property.type !== undefined && property.type !== 'string');
    for (const [name] of properties) take(name, formedLike(tool, name, request, taken()));
    if (said) take(said.name, { ...rail(said.span.text, 'what the request says'), span: said.span });
    if (languageOf(request) === 'zh') bySchema((property) => property.format === undefined);
    for (const [name, property] of properties) take(name, statedValue(tool, property, written[name], request, resolve));
    // What is left of the request goes to the arguments that are still open: the required ones, and those the model thought of.
    for (const [name, property] of properties) {
      if (values.has(name) || !(required.includes(name) || written[name] !== undefined)) continue;
      take(name, fallbackValue(tool, name, property, request, taken(), !required.includes(name)));
    }
  }
  bySchema((property) => (tool.examples ?? []).length === 0 || property.format === undefined);
  // Without a word of it in the request, a choice is the model's.
  for (const [name, property] of properties) {
    const value =
      values.has(name) || !required.includes(name) || !Array.isArray(property.enum)
        ? undefined
        : choice(property.enum, written[name], request);
    if (value) values.set(name, value);
  }
  const filled: Filled = { arguments: {}, repairs: [], missing: [] };
  for (const [name] of properties) {
    const value = values.get(name);
    if (value) filled.arguments[name] = value.value;
    else if (required.includes(name)) filled.missing.push(name);
    if (value?.by === 'rail') filled.repairs.push(`${name}: ${value.note}`);
    else if (!value && written[name] !== undefined)
      filled.repairs.push(`${name}: ${JSON.stringify(written[name])} is not in the request, left out`);
  }
  return filled;
}

/** What the request states, found by a resolver or by the model. */
function statedValue(
  tool: ToolInfo,
  property: JsonObject,
  written: string | undefined,
  request: string,
  resolve: Resolve,
): Value | undefined {
  if (Array.isArray(property.enum)) return choice(property.enum, written, request);
  const type = property.type ?? 'string';
  if (type === 'number' || type === 'integer') return copiedNumber(property, written, request);
  if (type !== 'string') return undefined;
  if (typeof property.format === 'string') return formatted(property, written, request, resolve);
  const cues = cuesOf(tool);
  const copy = written !== undefined && saysSomething(written, cues) ? findCopy(written, request) : undefined;
  const span = copy && widen(copy, request, cues);
  return span && { ...model(span.text), span };
}

/** The resolver before the model: it makes no slips. What the model wrote counts when all of its parts are in the request. */
function formatted(property: JsonObject, written: string | undefined, request: string, resolve: Resolve): Value | undefined {
  const resolved = resolve(property, undefined, request);
  if (resolved) {
    const isOwn = bare(String(resolved.value)) === bare(written ?? '');
    return { ...(isOwn ? model(resolved.value) : rail(resolved.value, resolved.note)), span: findCopy(String(resolved.value), request) };
  }
  if (written === undefined) return undefined;
  const own = String(resolve(property, undefined, written)?.value ?? written);
  return isMadeOf(own, request) ? model(own) : undefined;
}

function fallbackValue(
  tool: ToolInfo,
  name: string,
  property: JsonObject,
  request: string,
  taken: readonly Span[],
  surely: boolean,
): Value | undefined {
  const type = property.type ?? 'string';
  if (type !== 'string' || property.format !== undefined || property.enum !== undefined) return undefined;
  const span = findSpan(tool, name, request, taken, surely);
  if (!span || !isFormedLike(tool, name, span.text)) return undefined;
  return { ...rail(span.text, 'the part of the request that stands where the examples have it'), span };
}

/** Where all examples have a dot, a slash or an @, as files and addresses do, the value has one, too; one character is part of a word. */
function isFormedLike(tool: ToolInfo, name: string, text: string): boolean {
  const given = (tool.examples ?? []).flatMap((example) => (typeof example.arguments[name] === 'string' ? [example.arguments[name]] : []));
  if (/^\p{Script=Han}$/u.test(text) && !given.some((one) => one.length === 1)) return false;
  const sign = /[./\\@]/;
  return given.length === 0 || !given.every((one) => sign.test(one)) || sign.test(text);
}

function model(value: Json): Value {
  return { value, by: 'model' };
}

function rail(value: Json, note: string): Value {
  return { value, by: 'rail', note };
}

/** What the request names comes before what the model writes: tiny models take choices out of the examples. */
function choice(values: readonly Json[], written: string | undefined, request: string): Value | undefined {
  const mentioned = values.filter((value) => typeof value === 'string' && findCopy(value, request));
  const own = written === undefined ? undefined : values.find((value) => typeof value === 'string' && bare(value) === bare(written));
  if (own !== undefined && (mentioned.length === 0 || mentioned.includes(own))) return model(own);
  return mentioned[0] === undefined ? undefined : rail(mentioned[0], 'named in the request');
}

/** The model's number, where it stands in the request but once. */
function copiedNumber({ type }: JsonObject, written: string | undefined, request: string): Value | undefined {
  if (written === undefined || (type !== 'number' && type !== 'integer')) return undefined;
  if (numbersOf(request).filter((number) => number === written.trim()).length !== 1) return undefined;
  return { ...model(Number(written)), span: findCopy(written, request) };
}

/** The one piece of the request that has the form that the examples have it in: a quotation, a code, a date. */
function formedLike(tool: ToolInfo, name: string, request: string, taken: readonly Span[]): Value | undefined {
  const kinds = (tool.examples ?? []).flatMap((example) => {
    const given = example.arguments[name];
    if (typeof given !== 'string') return [];
    return piecesOf(example.request).find((piece) => piece.text === given)?.kind ?? 'words';
  });
  const [kind] = kinds;
  if (!kind || !FORMED.includes(kind) || kinds.some((other) => other !== kind)) return undefined;
  const pieces = piecesOf(request).filter((piece) => piece.kind === kind && !overlaps(piece, taken));
  return pieces.length === 1
    ? { ...rail(pieces[0]!.text, 'the part of the request that has the form of the examples'), span: pieces[0] }
    : undefined;
}

const FORMED: readonly Kind[] = ['quoted', 'code', 'date', 'formula'];

function isOwn(value: Json, written: string | undefined): boolean {
  return written !== undefined && bare(typeof value === 'string' ? value : JSON.stringify(value)) === bare(written);
}

function numbersOf(text: string): string[] {
  return text.normalize('NFKC').match(/-?\d+(?:\.\d+)?/g) ?? [];
}

/** Every word and number of the text stands in the request, in whatever order. */
function isMadeOf(text: string, request: string): boolean {
  const parts = text.normalize('NFKC').match(/\d+(?:\.\d+)?|[\p{L}\p{M}]+/gu) ?? [];
  return parts.length > 0 && parts.every((part) => findCopy(part, request));
}

function bare(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s"'“”‘’]/g, '');
}

function objectOf(value: Json | undefined): JsonObject {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {};
}
