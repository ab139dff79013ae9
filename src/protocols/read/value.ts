/**
 * A tolerant reader of one JSON-like value: one pass, no recursion, linear time. It mends what can
 * be mended in one way only, notes each repair, and refuses the rest: a text that ends inside a
 * value is `truncated`, one that is no JSON is `unreadable`.
 */

import type { Json, JsonObject } from '../../kernel/types.ts';
import { bareKeyAhead, CLOSERS, COLONS, COMMAS, endMarkAt, keyAhead, OPENERS, QUOTES, skipBlank, skipSpace } from './characters.ts';
import { type Container, type ContainerKind, Containers } from './containers.ts';
import { readScalar } from './scalars.ts';
import { type Place, readString } from './strings.ts';

/** Deeper nesting is refused: nobody means it, and later readers of the value recurse. */
export const MAX_DEPTH = 500;

export type ValueReading =
  | {
      ok: true;
      value: Json;
      /** Where the text goes on after the value. */
      next: number;
      repairs: string[];
    }
  | {
      ok: false;
      code: 'truncated' | 'too_large' | 'unreadable';
      at: number;
      /** How far the text was looked at. */
      reached: number;
      message: string;
      /** A key and its colon, or a quoted element, was read: this was meant as JSON, it is not a {placeholder} in prose. */
      begun: boolean;
    };
/** What the text at the position holds: a value, the members of an object whose brace was lost, or the arguments of `name(`. */
export type Root = 'value' | 'members' | 'call';

class Failure {
  readonly code: 'truncated' | 'too_large' | 'unreadable';
  readonly message: string;
  constructor(code: Failure['code'], message: string) {
    this.code = code;
    this.message = message;
  }
}

/**
 * `cut` is what is known of the reply's end: true = it was cut off (finish reason `length`), false =
 * the model ended it itself, undefined = not known, and the text alone decides.
 */
export function readValue(text: string, at: number, root: Root = 'value', cut?: boolean): ValueReading {
  return new ValueReader(text, at, root, cut).read();
}

class ValueReader {
  private readonly text: string;
  private at: number;
  private readonly cut: boolean | undefined;
  private mayEmbed: boolean;
  private readonly repairs = new Set<string>();
  private readonly containers = new Containers();
  private begun = false;
  private reached = 0;
  /** The last number read: where it ends, as it was written. */
  private number = { end: -1, written: '' };

  constructor(text: string, at: number, root: Root, cut: boolean | undefined, mayEmbed = true) {
    this.text = text;
    this.at = at;
    this.cut = cut;
    this.mayEmbed = mayEmbed;
    if (root !== 'value') this.open(root === 'call' ? 'call' : 'object');
    if (root === 'members') this.repairs.add('missing_open_bracket');
  }

  read(): ValueReading {
    let failure: Failure | undefined;
    while (failure === undefined && (this.containers.root === undefined || this.containers.depth > 0)) failure = this.step();
    if (failure !== undefined)
      return {
        ok: false,
        code: failure.code,
        at: this.at,
        reached: Math.max(this.at, this.reached),
        message: failure.message,
        begun: this.begun,
      };
    return { ok: true, value: this.containers.root ?? null, next: this.at, repairs: [...this.repairs] };
  }

  private step(): Failure | undefined {
    this.skipBlank();
    const container = this.containers.innermost;
    if (this.at >= this.text.length) return this.end(container, false);
    if (container === undefined || container.expect === 'value') return this.readValue(container);
    if (container.expect === 'separator') return this.readSeparator(container);
    const character = this.text[this.at]!;
    if (CLOSERS[character] !== undefined) return this.close(CLOSERS[character]!);
    if (COMMAS.includes(character)) {
      this.repairs.add('extra_comma');
      this.at++;
      return undefined;
    }
    return container.kind === 'object' || container.kind === 'call' ? this.readKey(container) : this.readValue(container);
  }

  // ---- containers -------------------------------------------------------------------------------

  private open(kind: ContainerKind): Failure | undefined {
    if (this.containers.depth >= MAX_DEPTH) return new Failure('too_large', `the value is nested more than ${MAX_DEPTH} levels deep`);
    if (kind === 'tuple') this.repairs.add('python_literal');
    this.containers.open(kind);
    return undefined;
  }

  /** A closing bracket: of this container, of one further out whose inner ones lost theirs, or of nothing. */
  private close(bracket: string): Failure | undefined {
    const closed = this.containers.closedBy(bracket);
    const innermost = this.containers.depth - 1;
    this.at++;
    if (closed < 0) this.repairs.add('extra_bracket');
    else {
      if (closed < innermost) this.repairs.add('missing_bracket');
      // [1, 2}, "b": ... goes on: the bracket was mistyped, it does not close everything.
      const goesOn = closed === 0 && /^\s{0,20}[,，]/.test(this.text.slice(this.at, this.at + 22));
      this.leave(goesOn ? innermost : closed);
    }
    return undefined;
  }

  private leave(index: number): void {
    if (this.containers.leave(index)) this.repairs.add('trailing_comma');
  }

  // ---- members ------------------------------------------------------------------------------------

  private readKey(container: Container): Failure | undefined {
    const start = this.at;
    if (this.text.startsWith('...', start))
      return new Failure('unreadable', `"..." at character ${start} stands for something that was not written`);
    if (endMarkAt(this.text, start) && !this.text.startsWith('<|"|>', start)) return this.end(container, true);
    const quoted = QUOTES[this.text[start]!] !== undefined;
    if (quoted) {
      const reading = readString(this.text, start, this.place('key'));
      if (!reading.ok) return this.stringFailure(reading);
      this.note(reading.repairs);
      [container.key, this.at] = [reading.value, reading.next];
    } else {
      BARE_KEY.lastIndex = start;
      const key = BARE_KEY.exec(this.text)?.[0] ?? '';
      if (key === '') return new Failure('unreadable', `expected a key at character ${start}, found ${shown(this.text, start)}`);
      this.at += key.length;
      container.key = key.trim();
      if (container.kind === 'object') this.repairs.add('unquoted_key');
      // b": 1 lost its first quote only.
      if (/^["']\s{0,9}[:：]/.test(this.text.slice(this.at, this.at + 11))) this.at++;
    }
    container.bareKeys = !quoted;
    this.skipBlank();
    if (this.at >= this.text.length) return new Failure('truncated', `the text ends after the key ${JSON.stringify(container.key)}`);
    const colon = this.text[this.at]!;
    if (!COLONS.includes(colon) && colon !== '=') return new Failure('unreadable', `no colon after the key at character ${start}`);
    if (colon === '：') this.repairs.add('full_width_punctuation');
    this.at += colon === '=' && this.text[this.at + 1] === '>' ? 2 : 1;
    container.expect = 'value';
    this.begun ||= quoted || container.kind === 'call';
    return undefined;
  }

  private readSeparator(container: Container): Failure | undefined {
    const character = this.text[this.at]!;
    if (COMMAS.includes(character)) {
      if (character === '，') this.repairs.add('full_width_punctuation');
      this.at++;
      container.expect = 'next';
      return undefined;
    }
    if (CLOSERS[character] !== undefined) return this.close(CLOSERS[character]!);
    if (endMarkAt(this.text, this.at)) return this.end(container, true);
    const isList = container.kind === 'array' || container.kind === 'tuple';
    const goesOn = isList
      ? QUOTES[character] !== undefined || /[\d{[(-]/.test(character)
      : keyAhead(this.text, this.at) || (this.onNewLine() && bareKeyAhead(this.text, this.at, !container.bareKeys));
    if (goesOn) {
      this.repairs.add('missing_comma');
      container.expect = 'next';
      return undefined;
    }
    if (this.afterBlankLine()) return this.end(container, true);
    return new Failure('unreadable', `expected a comma or a closing bracket at character ${this.at}, found ${shown(this.text, this.at)}`);
  }

  private onNewLine(): boolean {
    return /\n[ \t]*$/.test(this.text.slice(Math.max(0, this.at - 80), this.at));
  }

  private afterBlankLine(): boolean {
    return /\n[ \t\r]*\n[ \t]*$/.test(this.text.slice(Math.max(0, this.at - 80), this.at));
  }

  // ---- values ---------------------------------------------------------------------------------------

  private readValue(container: Container | undefined): Failure | undefined {
    const character = this.text[this.at]!;
    const kind = OPENERS[character];
    if (kind !== undefined) {
      this.at++;
      return this.open(kind);
    }
    if (CLOSERS[character] !== undefined || COMMAS.includes(character))
      return new Failure('unreadable', `a value is missing at character ${this.at}`);
    const token = QUOTE_TOKENS.find((quote) => this.text.startsWith(quote, this.at));
    if (token !== undefined) return this.readBetween(token);
    if (container !== undefined && endMarkAt(this.text, this.at)) return this.end(container, true);
    if (QUOTES[character] !== undefined) return this.readEmbedded() ? undefined : this.readQuoted(container);
    return this.readBare(container);
  }

  /** `"{"city": "Paris"}"`: JSON in a string whose quotes were not escaped. The text between stays as it is. */
  private readEmbedded(): boolean {
    if (!this.mayEmbed || !/^"\s{0,9}[{[]\s{0,9}"/.test(this.text.slice(this.at, this.at + 22))) return false;
    // Tried once only when it fails, and not inside itself: anything more would not be linear.
    this.mayEmbed = false;
    const inner = new ValueReader(this.text, this.at + 1, 'value', true, false).read();
    if (!inner.ok) this.reached = inner.reached;
    const end = inner.ok ? skipSpace(this.text, inner.next) : -1;
    if (end < 0 || this.text[end] !== '"' || !/^\s{0,20}(?:[,}\])]|$)/.test(this.text.slice(end + 1, end + 22))) return false;
    this.mayEmbed = true;
    this.begun = true;
    this.repairs.add('inner_quotes');
    this.containers.put(this.text.slice(this.at + 1, end));
    this.at = end + 1;
    return true;
  }

  private readQuoted(container: Container | undefined): Failure | undefined {
    const place = this.place(container === undefined ? 'root' : container.kind === 'tuple' ? 'array' : container.kind);
    let whole = '';
    for (;;) {
      const reading = readString(this.text, this.at, place);
      if (!reading.ok) return this.stringFailure(reading);
      this.note(reading.repairs);
      whole += reading.value;
      this.at = reading.next;
      const plus = skipSpace(this.text, this.at);
      const again = skipSpace(this.text, plus + 1);
      if (this.text[plus] !== '+' || QUOTES[this.text[again] ?? ''] === undefined) break;
      this.repairs.add('joined_strings');
      this.at = again;
    }
    this.begun = true;
    // Where the spaces of the structure were turned into no-break ones, so were those of the texts.
    this.containers.put(this.repairs.has('no_break_spaces') ? whole.replace(/([:,])\u00a0/g, '$1 ') : whole);
    return undefined;
  }

  /** Gemma's own quotes: what stands between them is taken as it is. */
  private readBetween(token: string): Failure | undefined {
    const start = this.at + token.length;
    const end = this.text.indexOf(token, start);
    if (end < 0) {
      return this.stringFailure({
        code: 'truncated',
        message: `the text ends inside the string that begins at character ${this.at}`,
        reached: this.text.length,
      });
    }
    this.begun = true;
    this.at = end + token.length;
    this.containers.put(this.text.slice(start, end));
    return undefined;
  }

  private readBare(container: Container | undefined): Failure | undefined {
    const reading = readScalar(this.text, this.at, container?.kind === 'call' || container?.kind === 'tuple');
    if (!reading.ok) return new Failure(reading.code, reading.message);
    if (reading.repair !== undefined) this.repairs.add(reading.repair);
    else this.begun ||= container === undefined || Array.isArray(container.value);
    if (typeof reading.value === 'number') this.number = { end: reading.next, written: this.text.slice(this.at, reading.next) };
    this.at = reading.next;
    this.containers.put(reading.value);
    return undefined;
  }

  // ---- the end of the text ----------------------------------------------------------------------------

  /**
   * The text ends, or (`deliberate`) a fence or tag ends the value, with containers still open. Only
   * after a complete value is a lost bracket the one explanation; anything else was cut off.
   */
  private end(container: Container | undefined, deliberate: boolean): Failure | undefined {
    if (container === undefined) return new Failure('truncated', 'the text ends where a value should begin');
    if (container.expect === 'value') {
      return new Failure(deliberate ? 'unreadable' : 'truncated', `no value for the key ${JSON.stringify(container.key)}`);
    }
    if (!deliberate && container.expect === 'next') return new Failure('truncated', 'the text ends after a comma');
    if (!deliberate && container.expect === 'first') return new Failure('truncated', 'the text ends after an opening bracket');
    if (!deliberate && this.cut === true) return new Failure('truncated', 'the reply was cut before the value was closed');
    if (!deliberate && this.cut === undefined && this.number.end === this.text.length && mayBeCut(this.number.written, container.value)) {
      return new Failure('truncated', `the text ends in the number ${this.number.written}`);
    }
    this.repairs.add('missing_bracket');
    this.leave(0);
    return undefined;
  }

  private stringFailure(failed: { code: Failure['code']; message: string; reached: number }): Failure {
    this.reached = failed.reached;
    const isCut = this.cut === true && failed.reached >= this.text.length;
    return new Failure(isCut ? 'truncated' : failed.code, failed.message);
  }

  // ---- small things -------------------------------------------------------------------------------------

  private skipBlank(): void {
    const next = skipBlank(this.text, this.at);
    if (next > this.at && /[/#]/.test(this.text[skipSpace(this.text, this.at)] ?? '')) this.repairs.add('comment');
    if (this.text[this.at] === '\u00a0') this.repairs.add('no_break_spaces');
    this.at = next;
  }

  private place(kind: Place['in']): Place {
    return { in: kind, depth: this.containers.depth, bareKeys: this.containers.innermost?.bareKeys ?? false };
  }

  private note(repairs: readonly string[]): void {
    for (const repair of repairs) this.repairs.add(repair);
  }
}

const QUOTE_TOKENS = ['<|"|>', '<escape>'];
const BARE_KEY = /[^\s:：,，{}[\]"'“”‘’`=()<>]+/y;

function shown(text: string, at: number): string {
  return JSON.stringify(text.slice(at, at + 20));
}

/**
 * A number at the very end of the text may have lost digits. Nothing in the text can prove it; one
 * that is shorter than all its neighbours, or a single digit without neighbours, is not trusted.
 */
function mayBeCut(written: string, container: JsonObject | Json[]): boolean {
  const others = Object.values(container)
    .slice(0, -1)
    .filter((value) => typeof value === 'number');
  const shortest = others.reduce((least, number) => Math.min(least, digits(number)), Number.POSITIVE_INFINITY);
  return digits(written) < (others.length > 0 ? shortest : 2);
}

function digits(number: number | string): number {
  return String(number).replace('-', '').length;
}
