/**
 * Reads the calls that a model wrote into its text, in whatever dialect it was trained on, and gives
 * back the text around them. Text that only talks about calls is no call. A call that was cut off or
 * cannot be read becomes a problem and leaves the other calls alone. Linear time; never throws.
 */

import type { JsonObject } from '../kernel/types.ts';
import { Account } from './read/account.ts';
import { keyAhead, skipSpace } from './read/characters.ts';
import { budgetFor, endOfThinking, isMemberValue, isSpent, valueAt } from './read/find.ts';
import { readBareCalls, readItem } from './read/items.ts';
import { AFTER_CALL, type Mark, nextMark, resumeAt } from './read/marks.ts';
import { isMention } from './read/mention.ts';
import { OBSERVATION, readAction } from './read/react.ts';
import { type CallProblem, callsIn, type Item, plainName, type ReadCall, withArguments } from './read/shapes.ts';
import { type Body, failure, matchAt, matchLength, type Source, withRepairs } from './read/source.ts';

export interface CallsReading {
  /** What the model said outside thinking and calls. */
  text: string;
  /** Thinking that stood in the text; absent when there was none. */
  reasoning?: string;
  calls: ReadCall[];
  problems: CallProblem[];
}
export interface CallsOptions {
  /** Known names. With them, JSON without a tag is a call only when it names one of them. */
  tools?: readonly string[];
  /** Input schemas by tool: they tell text from numbers where a dialect carries text only. */
  schemas?: Readonly<Record<string, JsonObject>>;
  /** See ReadOptions of read-json.ts. */
  cut?: boolean;
}

/** Characters; a longer reply is not searched. */
const MAX_LENGTH = 1_200_000;

export function readCalls(text: string, options: CallsOptions = {}): CallsReading {
  if (text.length > MAX_LENGTH) {
    return {
      text,
      calls: [],
      problems: [{ code: 'too_large', message: `the reply has ${text.length} characters, more than ${MAX_LENGTH}` }],
    };
  }
  return new CallReader(text, options).read();
}

class CallReader {
  private readonly source: Source;
  private readonly account: Account;
  /** Where the search goes on. */
  private at = 0;
  /** A JSON value without a tag could not be read: what follows may be its inside, so only tags count. */
  private onlyTags = false;

  constructor(text: string, options: CallsOptions) {
    this.source = { text, budget: budgetFor(text, options.cut), tools: options.tools, schemas: options.schemas ?? {} };
    this.account = new Account(text);
  }

  read(): CallsReading {
    const { text, budget } = this.source;
    const start = skipSpace(text, 0);
    if (keyAhead(text, start)) this.readPlain(start);
    // A long text full of brackets uses up its budget once; calls in tags are then still looked for.
    while (!isSpent(budget)) {
      budget.places--;
      const mark = nextMark(text, this.at, this.onlyTags || budget.attempts <= 0 || budget.places <= 0);
      if (mark === undefined) break;
      this.at = mark.to;
      this.readMark(mark);
    }
    if (isSpent(budget)) {
      this.take(this.at, this.at, [{ problem: { code: 'too_large', message: 'the reply begins too many calls that do not end' } }]);
    }
    return this.account.close();
  }

  private readMark(mark: Mark): void {
    if (mark.kind === 'thinking') this.readThinking(mark);
    else if (mark.kind === 'thinkingEnd') this.endThinking(mark);
    else if (mark.kind === 'result') this.dropResult(mark);
    else if (mark.kind === 'calls') this.readMarked(mark, mark.to);
    else if (mark.kind === 'tagged') this.readMarked(mark, mark.from);
    else if (mark.kind === 'harmony') this.readHarmony(mark);
    else if (mark.kind === 'action') this.readReact(mark);
    else if (mark.kind === 'fence') this.readFence(mark);
    else if (mark.kind === 'list') this.readPlainList(mark.from);
    else if (mark.kind === 'bracket' || mark.kind === 'member') this.readPlain(mark.to - 1);
    else this.readCode(mark);
  }

  // ---- what is not said: thinking, results --------------------------------------------------------

  private readThinking(mark: Mark): void {
    const { text } = this.source;
    this.at = endOfThinking(text, mark.to, mark.written);
    this.account.think(mark.from, this.at, text.slice(mark.to, this.at).replace(/<[^<>]*>$|\[\/THINK\]$/i, ''));
  }

  private endThinking(mark: Mark): void {
    this.account.endThinking(mark.from, mark.to);
    this.onlyTags = false;
  }

  private dropResult(mark: Mark): void {
    this.take(mark.from, this.behind(/<\/tool_response>|<\/function_results?>|<[|｜]tool▁outputs?▁end[|｜]>/g, mark.to), []);
  }

  // ---- calls behind a tag -----------------------------------------------------------------------------

  private readMarked(mark: Mark, start: number): void {
    const { text } = this.source;
    if (isMention(text, mark.from, mark.from)) {
      this.at = readItem(this.source, start, true)?.next ?? mark.to;
      return;
    }
    const items: Item[] = [];
    let next = start;
    let body = readItem(this.source, start, true) ?? this.behindJunk(mark);
    for (; body !== undefined && !body.failed; body = readItem(this.source, next)) {
      items.push(...body.items);
      next = body.next + matchLength(/\s*[}\]]*/y, text, body.next);
    }
    if (body !== undefined) {
      this.fail(mark.from, { ...body, items: [...items, ...body.items] });
    } else if (items.length > 0) {
      this.at = next;
      if (!isMention(text, mark.from, next)) this.take(mark.from, next + matchLength(AFTER_CALL, text, next), items);
    } else if (nextMark(text, mark.to, true)?.from === skipSpace(text, mark.to)) {
      // <tool_calls><tool_call>: a tag around other tags.
      this.take(mark.from, mark.to, []);
    } else if (skipSpace(text, mark.to) >= text.length && !/end/i.test(mark.written)) {
      this.take(mark.from, text.length, [{ problem: { code: 'truncated', message: `the text ends after ${mark.written}` } }]);
    }
  }

  /** Mistral models put a word or two between their token and the calls. */
  private behindJunk(mark: Mark): Body | undefined {
    if (!mark.written.startsWith('[')) return undefined;
    const junk = matchAt(/[^\n[{]{1,40}(?=[[{])/y, this.source.text, mark.to);
    return junk === undefined ? undefined : readItem(this.source, mark.to + junk.length);
  }

  /** Notes the problem and goes on behind the broken call, never inside it. */
  private fail(from: number, body: Body): void {
    this.take(from, resumeAt(this.source.text, body.next), body.items);
  }

  /** OpenAI's channels: a recipient makes a call, `analysis` is thinking, the rest is said. */
  private readHarmony(mark: Mark): void {
    const { text, tools } = this.source;
    const [header] = /^[^\n]{0,200}?<\|message\|>/.exec(text.slice(mark.from, mark.from + 300)) ?? [];
    if (header === undefined) return;
    const start = mark.from + header.length;
    const recipient = /to=([\w.:-]+)/.exec(header)?.[1];
    if (recipient !== undefined) {
      this.readMessage(mark.from, start, plainName(recipient, tools, true));
    } else if (/<\|channel\|>\s*analysis/.test(header)) {
      const end = this.behind(/(?=<\|(?:end|start|channel|return|call)\|>)/g, start);
      this.account.think(mark.from, end, text.slice(start, end));
      this.at = end;
    } else this.take(mark.from, start, []);
  }

  /** The arguments of a call in Harmony: JSON, or nothing before its end. */
  private readMessage(from: number, start: number, name: string): void {
    const { text, budget } = this.source;
    const at = skipSpace(text, start);
    const reading = valueAt(text, at, budget);
    if (reading?.ok) this.take(from, reading.next, [withRepairs(withArguments(name, reading.value), reading.repairs)]);
    else if (reading !== undefined) this.fail(from, failure(reading.at, { code: reading.code, message: reading.message, name }));
    else if (text.startsWith('<|call|>', at)) this.take(from, at, [withArguments(name, {})]);
    else {
      const code = at >= text.length ? 'truncated' : 'unreadable';
      this.fail(from, failure(at, { code, message: `the call of ${name} holds no JSON`, name }));
    }
  }

  private readReact(mark: Mark): void {
    const body = readAction(this.source, mark.to);
    if (body === undefined || isMention(this.source.text, mark.from, mark.from)) return;
    if (body.failed) {
      this.fail(mark.from, body);
      return;
    }
    const end = body.next + matchLength(/\s*```/y, this.source.text, body.next);
    this.take(mark.from, matchLength(OBSERVATION, this.source.text, end) > 0 ? this.source.text.length : end, body.items);
  }

  // ---- calls without a tag ------------------------------------------------------------------------------

  /** A fence that holds nothing but calls is a call; code in it is not searched. */
  private readFence(mark: Mark): void {
    const { text } = this.source;
    const language = mark.written.replace(/[`\s]/g, '').toLowerCase();
    const start = skipSpace(text, mark.to);
    const isCode = /^(?:|python|py|tool_\w+)$/.test(language) && matchAt(/[\p{L}_][\p{L}\p{N}_.]*\(/uy, text, start) !== undefined;
    const isTried = this.source.budget.attempts > 0 && !this.onlyTags;
    const body = !isTried ? undefined : isCode ? readBareCalls(this.source, start) : this.plainCalls(start);
    const end = body === undefined ? -1 : skipSpace(text, body.next);
    const isWhole = body !== undefined && !body.failed && (end >= text.length || text.startsWith('```', end));
    const isKnown =
      !isCode ||
      this.areKnown(body) ||
      (this.source.tools === undefined && `${text.slice(0, mark.from)}${text.slice(end + 3)}`.trim() === '');
    if (isWhole && isKnown && !isMention(text, mark.from, end)) this.take(mark.from, end + 3, body.items);
    else if (!/^(?:|json\w*|xml|html|text|txt|plaintext|python|py|tool\w*)$/.test(language)) this.at = this.behind(/\n[ \t]*```/g, mark.to);
  }

  /** One or more JSON values that are all calls. */
  private plainCalls(start: number): Body | undefined {
    const body: Body = { items: [], next: start, failed: false };
    for (;;) {
      const at = body.next + matchLength(/[\s,;]*/y, this.source.text, body.next);
      const reading = /[{[]/.test(this.source.text[at] ?? '') ? valueAt(this.source.text, at, this.source.budget) : undefined;
      const items = reading?.ok ? callsIn(reading.value, false, this.source.tools) : undefined;
      if (reading === undefined || !reading.ok || items === undefined) return body.items.length === 0 ? undefined : body;
      body.items.push(...items.map((item) => withRepairs(item, reading.repairs)));
      body.next = reading.next;
    }
  }

  private readPlain(from: number): void {
    const { text, tools, budget } = this.source;
    const reading = valueAt(text, from, budget);
    if (reading === undefined) return;
    const isNext = this.account.isNext(from);
    if (!reading.ok) {
      // One call of a list cannot be read: those before it can.
      if (/^\[\s{0,20}\{/.test(text.slice(from, from + 22)) && reading.begun) return;
      this.onlyTags = reading.begun || reading.code === 'too_large';
      this.at = Math.max(this.at, from + 1);
      const looksLikeCall = /"(?:name|tool|tool_name|function|action)"\s{0,9}:\s{0,9}"([^"\\]{1,80})"/.exec(text.slice(from, from + 400));
      if (!reading.begun || looksLikeCall === null || isMention(text, from, from)) return;
      this.take(from, resumeAt(text, reading.at), [{ problem: { code: reading.code, message: reading.message, name: looksLikeCall[1]! } }]);
      return;
    }
    this.at = reading.next;
    if (isMemberValue(text, from)) return;
    const items = callsIn(reading.value, false, tools);
    const isSaid = items?.every((item) => 'call' in item) === true || (isNext && text.slice(reading.next).trim() === '');
    if (items !== undefined && isSaid && !isMention(text, from, reading.next))
      this.take(
        from,
        reading.next,
        items.map((item) => withRepairs(item, reading.repairs)),
      );
  }

  /** `[a(x=1), b(y=2)]` on lines of its own. */
  private readPlainList(from: number): void {
    const { text } = this.source;
    const body = readItem(this.source, from);
    const isAlone =
      /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, from - 80), from)) &&
      body !== undefined &&
      /^\s*(?:$|\n|<|`)/.test(text.slice(body.next));
    if (body !== undefined && isAlone && (this.source.tools === undefined || this.areKnown(body)) && !isMention(text, from, body.next)) {
      this.take(from, body.next, body.items);
    }
  }

  /** `name(key=value)` on a line of its own, of a tool that is known. */
  private readCode(mark: Mark): void {
    const { text, tools } = this.source;
    const name = mark.written.trim().slice(0, -1);
    if (tools?.includes(name) !== true) return;
    const body = readBareCalls(this.source, mark.from);
    const isAlone = body !== undefined && /^[ \t]*(?:$|\n)/.test(text.slice(body.next));
    if (body !== undefined && isAlone && this.areKnown(body) && !isMention(text, mark.from, body.next))
      this.take(mark.from, body.next, body.items);
  }

  private areKnown(body: Body | undefined): boolean {
    return (
      body?.items.every((item) => this.source.tools?.includes('call' in item ? item.call.name : (item.problem.name ?? '')) === true) ===
      true
    );
  }

  // ---- small things -----------------------------------------------------------------------------------------

  private take(from: number, to: number, items: readonly Item[]): void {
    this.at = Math.min(to, this.source.text.length);
    this.account.take(from, this.at, items);
  }

  /** Behind the next match, or the end of the text. */
  private behind(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    return pattern.test(this.source.text) ? pattern.lastIndex : this.source.text.length;
  }
}
