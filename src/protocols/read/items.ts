/**
 * Reads one call after a tag that announces calls: JSON, `name(key=value)`, XML parameters, or a
 * name with its arguments behind a separator. Each family's tags differ; these bodies are shared.
 */

import { endMarkAt, OPENERS, skipSpace } from './characters.ts';
import { isSpent, spend, valueAt } from './find.ts';
import { callsIn, hasArguments, isCallName, plainName, withArguments } from './shapes.ts';
import { type Body, failure, matchAt, matchLength, type Source, withRepairs } from './source.ts';
import { readValue } from './value.ts';
import { readTagged, TAGGED_CALL } from './xml.ts';

/** Tokens between a tag and its call that say nothing. */
const NOISE = /(?:\s+|```[\w+-]*|call:|<[|｜]plugin[|｜]>|[,;](?=\s*[{<[\w]))+/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$.:/-]{0,127}/uy;
/** Between a name and its arguments: Mistral, DeepSeek, Kimi, Hunyuan; ids between are dropped. */
const SEPARATOR =
  /\s*(?:\[CALL_ID\][\w-]*)?(?:\[ARGS\]|<[|｜]tool[▁_]sep[|｜]>|<tool_sep>|<[|｜]tool_call_argument_begin[|｜]>)?\s*(?:```[\w+-]*\s*)?/y;
const CALL_LIST = /\[\s*(?=[\p{L}_][\p{L}\p{N}_.]*\()/uy;

/**
 * The calls that begin at `at`; undefined when nothing there begins one. Only as the `first` thing
 * behind a tag may a bare name be a call without arguments.
 */
export function readItem(source: Source, at: number, first = false): Body | undefined {
  const from = at + matchLength(NOISE, source.text, at);
  source.budget.places--;
  if (from >= source.text.length || isSpent(source.budget)) return undefined;
  if (matchLength(CALL_LIST, source.text, from) > 0) return readCallList(source, from + matchLength(CALL_LIST, source.text, from));
  TAGGED_CALL.lastIndex = from;
  if (TAGGED_CALL.test(source.text)) return readTagged(source, from);
  return endMarkAt(source.text, from) ? undefined : (readJsonItem(source, from) ?? readNamed(source, from, first));
}

function readJsonItem(source: Source, at: number): Body | undefined {
  const reading = valueAt(source.text, at, source.budget);
  if (reading === undefined) return undefined;
  if (!reading.ok) {
    // One call of a list cannot be read: those before it can.
    const inList = /^\[\s{0,20}\{/.test(source.text.slice(at, at + 22)) ? readItem(source, at + 1) : undefined;
    if (inList?.failed === false) return inList;
    const name = /"(?:name|tool)"\s*:\s*"([^"\\]{1,80})"/.exec(source.text.slice(at, at + 400))?.[1];
    return failure(reading.at, { code: reading.code, message: reading.message, ...(name === undefined ? {} : { name }) });
  }
  const items = callsIn(reading.value, true, source.tools);
  // {"name": "f" and no more: what was to follow cannot be told.
  if (reading.repairs.includes('missing_bracket') && reading.next >= source.text.length && !hasArguments(reading.value)) {
    return failure(reading.next, { code: 'truncated', message: 'the text ends behind the name of the tool' });
  }
  if (items === undefined) return failure(reading.next, { code: 'unreadable', message: 'the JSON after the tag names no tool' });
  return { items: items.map((item) => withRepairs(item, reading.repairs)), next: reading.next, failed: false };
}

/** A name, then its arguments. DeepSeek V3 writes `function<sep>name` before them. */
function readNamed(source: Source, at: number, first: boolean): Body | undefined {
  const { text } = source;
  const kind = matchLength(/function<[|｜]tool[▁_]sep[|｜]>(?=[\p{L}_])/uy, text, at);
  const written = matchAt(NAME, text, at + kind);
  if (written === undefined) return undefined;
  const end = at + kind + written.length;
  const between = matchAt(SEPARATOR, text, end) ?? '';
  const name = plainName(written, source.tools, between.includes('argument_begin'));
  if (!isCallName(name, source.tools)) return undefined;
  if (text[end] === '(') return readCallArguments(source, name, end + 1);
  if (/^\s*<arg_key>/.test(text.slice(end, end + 40))) return readTagged(source, end, name);
  const from = end + between.length;
  if (OPENERS[text[from] ?? ''] !== 'object') {
    // <tool_call>refresh</tool_call>: a name alone, closed on purpose.
    const isAlone = first && /^\s*<\/tool_call>/.test(text.slice(end, end + 40));
    return isAlone ? { items: [withArguments(name, {})], next: end, failed: false } : undefined;
  }
  // `word {` is prose; `name{`, `name[ARGS]{` and a line of its own are not.
  const reading = /^[ \t]+$/.test(between) ? undefined : valueAt(text, from, source.budget);
  if (reading === undefined) return undefined;
  if (!reading.ok) return failure(reading.at, { code: reading.code, message: reading.message, name });
  return { items: [withArguments(name, reading.value, reading.repairs)], next: reading.next, failed: false };
}

// ---- name(key=value) ------------------------------------------------------------------------------

function readCallArguments(source: Source, written: string, at: number): Body {
  const name = plainName(written.replace(/\.call$/, ''), source.tools);
  const reading = readValue(source.text, at, 'call', source.budget.cut);
  spend(source.budget, at, reading);
  if (!reading.ok) return failure(reading.at, { code: reading.code, message: `the arguments of ${name}: ${reading.message}`, name });
  return {
    items: [
      withArguments(
        name,
        reading.value,
        reading.repairs.filter((repair) => repair !== 'python_literal'),
      ),
    ],
    next: reading.next,
    failed: false,
  };
}

/** Characters behind a call that cannot be read in which the next one of its list is looked for. */
const RESUME_WITHIN = 2000;

/** `[a(x=1), b(y=2)]`, from behind its bracket; a call that cannot be read does not take the others with it. */
function readCallList(source: Source, start: number): Body {
  const { text } = source;
  const body: Body = { items: [], next: start, failed: false };
  for (;;) {
    const at = body.next + matchLength(/[\s,;]*/y, text, body.next);
    const name = matchAt(/[\p{L}_][\p{L}\p{N}_.]*(?=\()/uy, text, at);
    if (name === undefined) {
      body.next = text[at] === ']' ? at + 1 : at;
      return body;
    }
    const call = readCallArguments(source, name, at + name.length + 1);
    body.items.push(...call.items);
    body.next = call.next;
    if (!call.failed) continue;
    const behind = /\)\s{0,9},\s{0,9}(?=[\p{L}_][\p{L}\p{N}_.]{0,80}\()/u.exec(text.slice(call.next, call.next + RESUME_WITHIN));
    if (behind === null) return { ...body, failed: true };
    body.next += behind.index + behind[0].length;
  }
}

/** `a(x=1)` and nothing else up to the end of the line or tag: the bare form of Olmo and of code fences. */
export function readBareCalls(source: Source, at: number): Body | undefined {
  const body: Body = { items: [], next: at, failed: false };
  for (;;) {
    const from = skipSpace(source.text, body.next);
    const wrapped = matchLength(/print\((?=[\p{L}_][\p{L}\p{N}_.]*\()/uy, source.text, from);
    const list = matchLength(CALL_LIST, source.text, from);
    const name = matchAt(/[\p{L}_][\p{L}\p{N}_.]*(?=\()/uy, source.text, from + wrapped);
    if (list === 0 && name === undefined) return body.items.length === 0 ? undefined : body;
    const call = list > 0 ? readCallList(source, from + list) : readCallArguments(source, name!, from + wrapped + name!.length + 1);
    body.items.push(...call.items);
    body.next = call.next + (wrapped > 0 && source.text[call.next] === ')' ? 1 : 0);
    if (call.failed) return { ...body, failed: true };
  }
}
