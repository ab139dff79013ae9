/**
 * How facts become stored lines and back; shared by every store. A line is the JSON text of an event
 * in wire order with `hash` last; `hash` is the sha256 of that text without `,"hash":"..."`, and
 * `prev_hash` inside it makes the chain: `jq -c 'del(.hash)'` and sha256sum check a line.
 */

import { hash } from 'node:crypto';
import { cut } from '../kernel/text.ts';
import type { Fact, RunEvent } from '../kernel/types.ts';
import type { Append, Head, RunStatus } from './store.ts';

/** Longer texts (UTF-8 bytes) live in the content table, once each. */
const INLINE_BYTES = 1024;

/** A text in the content table, as it stands in a line. */
export interface ContentReference {
  $content: string;
  bytes: number;
}

/** Events ready to be stored. */
export interface Sealed {
  events: RunEvent[];
  lines: string[];
  /** Long texts of these events, by hash. */
  texts: Map<string, string>;
  /** The end of the chain with these events. */
  head: Head;
  /** What the events change in the summary of their run. */
  changes: { status?: RunStatus; request?: string; continues?: string };
}

export function seal({ run, facts, step, ts, after }: Append): Sealed {
  const { folder: _, run_id, session_id, trace_id, parent_id } = run;
  const identity = { ts, trace_id, session_id, run_id, ...(parent_id === undefined ? {} : { parent_id }), step };
  const sealed: Sealed = { events: [], lines: [], texts: new Map(), head: after, changes: {} };
  for (const fact of facts) {
    const data = takeOut(fact.data, sealed.texts);
    const event = { seq: sealed.head.seq + 1, ...identity, event_type: fact.event_type, data, prev_hash: sealed.head.hash };
    const text = JSON.stringify(event);
    const digest = sha256(text);
    sealed.head = { seq: event.seq, hash: digest };
    sealed.lines.push(`${text.slice(0, -1)},"hash":"${digest}"}`);
    sealed.events.push(Object.assign(event, { data: fact.data, hash: digest }) as RunEvent);
    note(fact, sealed.changes);
  }
  return sealed;
}

/** The event of a line; `text` gives the text of a hash. */
export function unseal(line: string, text: (reference: ContentReference) => string): RunEvent {
  const event = JSON.parse(line);
  return line.includes('$content"') ? mapJson(event, (node) => (isReference(node) ? text(node) : node), unescapeKey) : event;
}

/** What an event's hash must be; undefined when the line is not an event. */
export function hashOfLine(line: string): { seq: number; prev_hash: string; hash: string; expected: string } | undefined {
  try {
    const { hash: given, masked: _, ...rest } = JSON.parse(line);
    return { seq: rest.seq, prev_hash: rest.prev_hash, hash: given, expected: sha256(JSON.stringify(rest)) };
  } catch {
    return undefined;
  }
}

/** The texts that a line refers to. */
export function referencesOf(line: string): ContentReference[] {
  const found: ContentReference[] = [];
  if (line.includes('"$content"')) {
    mapJson(JSON.parse(line), (node) => {
      if (isReference(node)) found.push(node);
      return node;
    });
  }
  return found;
}

/** What stands for a forgotten text. */
export function tombstone(bytes: number): string {
  return `[forgotten: ${bytes} bytes]`;
}

/** Letters with the same key count once. */
export function onceKey(fact: Fact): string | null {
  return fact.event_type === 'approval.answer' ? `approval/${fact.data.approval_id}` : null;
}

export function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * A copy of plain JSON with nodes changed, itself when nothing is. `change` sees strings, arrays and
 * objects from the outside in; what it has changed is not entered.
 */
export function mapJson<T>(value: T, change: (node: unknown) => unknown, rename: (key: string) => string = (key) => key): T {
  if (typeof value === 'string') return change(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  const changed = change(value);
  if (changed !== value) return changed as T;
  if (Array.isArray(value)) {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const item = mapJson(value[i], change, rename);
      if (item !== value[i]) {
        copy ??= value.slice();
        copy[i] = item;
      }
    }
    return (copy ?? value) as T;
  }
  const source = value as Record<string, unknown>;
  const keys = Object.keys(source);
  let entries: [string, unknown][] | undefined;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const item = mapJson(source[key], change, rename);
    const name = rename(key);
    if (!entries && (item !== source[key] || name !== key)) entries = keys.slice(0, i).map((earlier) => [earlier, source[earlier]]);
    entries?.push([name, item]);
  }
  return (entries ? Object.fromEntries(entries) : value) as T; // fromEntries: a `__proto__` key stays a key
}

// Ill-formed texts (lone surrogates) stay in the line, where JSON escapes them: as UTF-8 they would change.
function takeOut(data: unknown, texts: Map<string, string>): unknown {
  const change = (node: unknown) => {
    if (typeof node !== 'string' || node.length * 3 <= INLINE_BYTES) return node;
    const bytes = Buffer.byteLength(node);
    if (bytes <= INLINE_BYTES || !node.isWellFormed()) return node;
    const digest = sha256(node);
    texts.set(digest, node);
    return { $content: digest, bytes };
  };
  return mapJson(data, change, escapeKey);
}

// Somebody's own `$content` key must not read as a reference: it is written with one `$` more.
function escapeKey(key: string): string {
  return key.charCodeAt(0) === 36 && /^\$+content$/.test(key) ? `$${key}` : key;
}
function unescapeKey(key: string): string {
  return /^\$\$+content$/.test(key) ? key.slice(1) : key;
}

function isReference(node: unknown): node is ContentReference {
  return typeof node === 'object' && node !== null && '$content' in node;
}

function note(fact: Fact, changes: Sealed['changes']): void {
  switch (fact.event_type) {
    case 'run.start':
      changes.status = 'running';
      changes.request = cut(fact.data.input?.content ?? '', 200);
      if (fact.data.continues) changes.continues = fact.data.continues.run_id;
      break;
    case 'run.resume':
      changes.status = 'running';
      break;
    case 'approval.ask':
      changes.status = 'waiting_for_approval';
      break;
    case 'approval.answer':
      changes.status = 'running';
      break;
    case 'run.end':
      changes.status = fact.data.outcome.status;
  }
}
