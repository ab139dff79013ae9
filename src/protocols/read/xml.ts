/** Calls whose arguments stand in tags: Qwen XML, GLM, Anthropic's and DeepSeek's `invoke`. */

import { isObject } from '../../kernel/json.ts';
import type { Json, JsonObject } from '../../kernel/types.ts';
import { readJson } from '../read-json.ts';
import { LITERALS, skipSpace } from './characters.ts';
import { valueAt } from './find.ts';
import { isCallName, plainName, withArguments } from './shapes.ts';
import { type Body, failure, type Source } from './source.ts';

/** `<function=NAME>`, `<function name="NAME">`, `<invoke name="NAME">`, with the prefixes that some families put before. */
export const TAGGED_CALL = /<(?:[｜|]DSML[｜|]|[a-z]{1,12}:)?(?:function|invoke|tool)(?:=|\s+name=)["']?([^"'<>\s]{1,128})["']?\s*\/?>/iy;
const PARAMETER =
  /<(?:[｜|]DSML[｜|]|[a-z]{1,12}:)?(?:parameter|param|arg)(=|\s+name=)["']?([^"'<>\s]{1,128})["']?([^<>]{0,40})>|<arg_key>([\s\S]{1,128}?)<\/arg_key>\s*<arg_value>/iy;
const BOUNDARY =
  /<(?:\/|(?=[^<>]{0,20}(?:parameter|param|arg)(=|\s+name=)))(?:[｜|]DSML[｜|]|[a-z]{1,12}:)?(?:parameter|param|arg|arg_value|function|invoke|tool_call)\b[^<>]{0,160}>/gi;
const CLOSING_PARAMETER = /^<\/(?:[｜|]DSML[｜|]|\w{1,12}:)?(?:parameter|param|arg|arg_value)>/i;
const CLOSING_CALL = /<\/(?:[｜|]DSML[｜|]|[a-z]{1,12}:)?(?:function|invoke|tool)\s*>|(?=<\/tool_call>)/iy;
const STRAY = /(?:\s|<\/(?:[｜|]DSML[｜|]|[a-z]{1,12}:)?(?:parameter|param|arg|arg_value)>)+/iy;

/** Reads from the call's own tag, or, with `name`, from the first key behind a bare name (GLM). */
export function readTagged(source: Source, at: number, name?: string): Body {
  const { text } = source;
  TAGGED_CALL.lastIndex = at;
  const open = name === undefined ? TAGGED_CALL.exec(text) : null;
  const called = name ?? plainName(open?.[1] ?? '', source.tools);
  if (!isCallName(called, source.tools))
    return failure(at + 1, { code: 'unreadable', message: `${JSON.stringify(called)} is no name of a tool` });
  let next = at + (open?.[0].length ?? 0);
  if (open?.[0].endsWith('/>')) return { items: [withArguments(called, {})], next, failed: false };
  const held: JsonObject = {};
  const repairs = new Set<string>();
  let unclosed: Parameter | undefined;
  let closedOne = false;
  for (;;) {
    STRAY.lastIndex = next;
    const stray = STRAY.exec(text)?.[0] ?? '';
    if (stray.trim() !== '') repairs.add('extra_tag');
    next += stray.length;
    const parameter = readParameter(source, called, next);
    if (parameter === undefined) break;
    Object.defineProperty(held, parameter.key, { value: parameter.value, enumerable: true, configurable: true, writable: true });
    if (!parameter.closed) {
      repairs.add('missing_tag');
      unclosed = parameter;
    } else closedOne = true;
    next = parameter.next;
  }
  CLOSING_CALL.lastIndex = next;
  const closing = CLOSING_CALL.exec(text);
  if (closing !== null) return { items: [withArguments(called, held, [...repairs])], next: next + closing[0].length, failed: false };
  if (Object.keys(held).length === 0 && next < text.length) return readJsonArguments(source, called, next);
  // A model that closes no parameter, each on its own line, has finished the last one when that line is finished.
  const isHabit = !closedOne && /^[ \t]*\S[^\n]*\n\s*$/.test(unclosed?.raw ?? '');
  const mayBeCut = source.budget.cut === true || Object.keys(held).length === 0 || (unclosed?.next === next && !isHabit);
  if (next < text.length)
    return failure(next, { code: 'unreadable', message: `the call of ${called} holds something that is no parameter`, name: called });
  if (mayBeCut) return failure(next, { code: 'truncated', message: `the call of ${called} ends in the middle`, name: called });
  repairs.add('missing_tag');
  return { items: [withArguments(called, held, [...repairs])], next, failed: false };
}

interface Parameter {
  key: string;
  value: Json;
  raw: string;
  next: number;
  closed: boolean;
}

function readParameter(source: Source, name: string, at: number): Parameter | undefined {
  const { text } = source;
  PARAMETER.lastIndex = at;
  const open = PARAMETER.exec(text);
  if (open === null) return undefined;
  const key = (open[2] ?? open[4] ?? '').trim();
  const start = at + open[0].length;
  const end = endOfParameter(text, start, open[1]);
  const raw = text.slice(start, end.at);
  const written = end.closed ? raw.replace(/^\r?\n/, '').replace(/\r?\n$/, '') : raw.trim();
  const type = /string="true"/i.test(open[3] ?? '') ? 'string' : typeOf(source.schemas[name], key);
  return { key, value: type === 'string' ? written : typed(written, type), raw, next: end.next, closed: end.closed };
}

/**
 * The closing tag that a next parameter or the end of the call follows: the value itself may hold
 * tags. Without one, the next parameter of the same style (`=` or ` name=`) ends it.
 */
function endOfParameter(text: string, start: number, style: string | undefined): { at: number; next: number; closed: boolean } {
  BOUNDARY.lastIndex = start;
  for (let match = BOUNDARY.exec(text); match !== null; match = BOUNDARY.exec(text)) {
    const [tag] = match;
    const behind = match.index + tag.length;
    const closes = CLOSING_PARAMETER.test(tag);
    if (
      closes &&
      /^\s{0,200}(?:<\/?(?:[｜|]DSML[｜|]|\w{1,12}:)?(?:parameter|param|arg|function|invoke|tool)|$)/i.test(
        text.slice(behind, behind + 240),
      )
    ) {
      return { at: match.index, next: behind, closed: true };
    }
    const opens = match[1]?.trim();
    if (!closes && (opens === undefined || opens === style?.trim())) return { at: match.index, next: match.index, closed: false };
  }
  return { at: text.length, next: text.length, closed: false };
}

/** `<function=get_weather>{"city": "Paris"}</function>` */
function readJsonArguments(source: Source, name: string, at: number): Body {
  const reading = valueAt(source.text, skipSpace(source.text, at), source.budget);
  if (reading === undefined) return failure(at, { code: 'unreadable', message: `the call of ${name} holds no arguments`, name });
  if (!reading.ok) return failure(reading.at, { code: reading.code, message: reading.message, name });
  CLOSING_CALL.lastIndex = skipSpace(source.text, reading.next);
  const closing = CLOSING_CALL.exec(source.text);
  const next = closing === null ? reading.next : closing.index + closing[0].length;
  return { items: [withArguments(name, reading.value, reading.repairs)], next, failed: false };
}

// ---- values: tags carry text only ---------------------------------------------------------------------

function typeOf(schema: JsonObject | undefined, key: string): string | undefined {
  const properties = schema?.properties;
  const property = isObject(properties) ? properties[key] : undefined;
  return isObject(property) && typeof property.type === 'string' ? property.type : undefined;
}

/** Numbers that read back as written, literals, lists and objects; everything else is text. */
function typed(written: string, type: string | undefined): Json {
  const text = written.trim();
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && String(Number(text)) === text) return Number(text);
  const literal = LITERALS.get(text.toLowerCase());
  if (literal !== undefined && text !== 'nan') return literal;
  if (/^[[{]/.test(text) || type === 'object' || type === 'array') {
    const reading = readJson(text);
    if (reading.ok && reading.value !== null && typeof reading.value === 'object' && !reading.repairs.includes('surrounding_text'))
      return reading.value;
  }
  return written;
}
