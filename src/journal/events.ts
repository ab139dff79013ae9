/**
 * How facts become stored lines and back; shared by every store. A line is the JSON text of an event
 * in wire order with `hash` last; `hash` is the sha256 of that text without `,"hash":"..."`, and
 * `prev_hash` inside it makes the chain: `jq -c 'del(.hash)'` and sha256sum check a line.
 */

import { cut } from '../kernel/text.ts';
import type { Cost, Fact, RunEvent, Usage } from '../kernel/types.ts';
import { mapJson } from './json.ts';
import type { Append, Head, RunIdentity, RunStatus, Spent } from './store.ts';

// Not imported: as an ES module node:crypto costs 11 ms at start.
const { hash: digest } = process.getBuiltinModule('node:crypto');

/** A unit beside currencies. */
const TOKENS = 'tokens';
/** Longer texts (UTF-8 bytes) live in the content table, once each. */
const INLINE_BYTES = 1024;

/** A text in the content table, as it stands in a line. */
export interface ContentReference {
  $content: string;
  bytes: number;
  /** The text is JSON, and the value stands here: what a tool gave. */
  json?: true;
}

/** An event as it is stored: what is hashed, and the hash. */
export interface Row {
  body: string;
  hash: string;
}

/** Events of one run that wait for their commit, and what they mean for its summary. */
export interface Batch {
  run: RunIdentity;
  /** Where the run ends without these events, and with them. */
  after: Head;
  head: Head;
  rows: Row[];
  /** Long texts of these events. */
  texts: { hash: string; text: string }[];
  /** Inbox letters that they came from. */
  letters: number[];
  /** Answers to approvals among them. */
  answers: Fact[];
  /** Tokens used and money spent, by unit: `tokens` or a currency. A sub-agent's use stands in its own run. */
  spent: Map<string, number>;
  status?: RunStatus;
  request?: string;
  continues?: string;
  ended: boolean;
  step: number;
  /** Times of the first event and of the last. */
  started: string;
  updated: string;
}

export function newBatch({ run, after, step, ts }: Append): Batch {
  return {
    run,
    after,
    head: after,
    rows: [],
    texts: [],
    letters: [],
    answers: [],
    spent: new Map(),
    ended: false,
    step,
    started: ts,
    updated: ts,
  };
}

/** What the events of a run share, as JSON text; made once a run. */
const identityTexts = new WeakMap<RunIdentity, string>();

/** Gives the facts their place after the batch and adds them to it; all or, when data is no JSON, none. */
export function seal({ facts, letters, step, ts }: Append, batch: Batch): RunEvent[] {
  const { run_id, session_id, trace_id, parent_id } = batch.run;
  const identity = parent_id === undefined ? { trace_id, session_id, run_id } : { trace_id, session_id, run_id, parent_id };
  let identityText = identityTexts.get(batch.run);
  if (identityText === undefined) {
    identityText = JSON.stringify(identity).slice(1, -1);
    identityTexts.set(batch.run, identityText);
  }
  const texts = facts.map((fact) => dataText(fact, batch.texts));
  const events = facts.map((fact, index) => {
    const { event_type, data } = fact;
    const prev_hash = batch.head.hash;
    const seq = batch.head.seq + 1;
    const body = `{"seq":${seq},"ts":"${ts}",${identityText},"step":${step},"event_type":"${event_type}","data":${texts[index]},"prev_hash":"${prev_hash}"}`;
    const hash = sha256(body);
    batch.rows.push({ body, hash });
    batch.head = { seq, hash };
    note(fact, batch);
    return { seq, ts, ...identity, step, event_type, data, prev_hash, hash } as RunEvent;
  });
  if (letters) batch.letters.push(...letters);
  batch.step = step;
  batch.updated = ts;
  return events;
}

export function lineOf({ body, hash }: Row): string {
  return `${body.slice(0, -1)},"hash":"${hash}"}`;
}

/** The event of a line; `text` gives the text of a hash. */
export function unseal(line: string, text: (reference: ContentReference) => string): RunEvent {
  const event = JSON.parse(line);
  return line.includes('$content"') ? mapJson(event, (node) => (isReference(node) ? valueAt(node, text(node)) : node), unescapeKey) : event;
}

function valueAt({ bytes, json }: ContentReference, text: string): unknown {
  return json && text !== tombstone(bytes) ? JSON.parse(text) : text;
}

/** What an event's hash must be; undefined when the line is not an event. */
export function hashOfLine(line: string): { seq: number; prev_hash: string; hash: string; expected: string } | undefined {
  try {
    const { hash, masked: _, ...rest } = JSON.parse(line);
    return { seq: rest.seq, prev_hash: rest.prev_hash, hash, expected: sha256(JSON.stringify(rest)) };
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
  return digest('sha256', text, 'hex');
}

/** The data of an event as JSON, long texts and what tools gave by hash. */
function dataText(fact: Fact, texts: Batch['texts']): string {
  const { data } = fact;
  const text = JSON.stringify(data);
  if (text.length * 3 <= INLINE_BYTES && !text.includes('$content"')) return text; // most events: nothing to look for
  const given = fact.event_type === 'tool.end' && fact.data.result.success ? fact.data.result.data : undefined;
  const out = (node: unknown) => {
    if (typeof node === 'string') return takeOut(node, texts);
    return node !== null && node === given ? takeOut(JSON.stringify(node), texts, node) : node;
  };
  const stored = mapJson<unknown>(data, out, escapeKey);
  return stored === data ? text : JSON.stringify(stored);
}

// Ill-formed texts (lone surrogates) stay in the line, where JSON escapes them: as UTF-8 they would change.
// `value`: what the text is the JSON of, when it is no text.
function takeOut(text: string, texts: Batch['texts'], value?: unknown): unknown {
  const inline = value ?? text;
  if (text.length * 3 <= INLINE_BYTES) return inline;
  const bytes = Buffer.byteLength(text);
  if (bytes <= INLINE_BYTES || !text.isWellFormed()) return inline;
  const hash = sha256(text);
  texts.push({ hash, text });
  return { $content: hash, bytes, ...(value === undefined ? {} : { json: true }) } satisfies ContentReference;
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

function note(fact: Fact, batch: Batch): void {
  switch (fact.event_type) {
    case 'run.start':
      batch.status = 'running';
      batch.request = cut(fact.data.input?.content ?? '', 200);
      if (fact.data.continues) batch.continues = fact.data.continues.run_id;
      break;
    case 'approval.ask': // and so it stays over a run.resume, until somebody answers
      batch.status = 'waiting_for_approval';
      break;
    case 'approval.answer':
      batch.status = 'running';
      batch.answers.push(fact);
      break;
    case 'model.end':
    case 'perform.end':
      spend(fact.data, batch);
      break;
    case 'run.end':
      batch.status = fact.data.outcome.status;
      batch.ended = true;
  }
}

function spend({ usage, cost }: { usage?: Usage; cost?: Cost }, { spent }: Batch): void {
  const add = (unit: string, amount: number) => void (amount > 0 && spent.set(unit, (spent.get(unit) ?? 0) + amount));
  if (usage) add(TOKENS, (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0));
  if (cost) add(cost.currency, cost.amount);
}

/** From sums by unit. */
export function spentOf(sums: Iterable<readonly [unit: string, amount: number]>): Spent {
  const all = [...sums];
  return {
    tokens: all.find(([unit]) => unit === TOKENS)?.[1] ?? 0,
    costs: all.filter(([unit]) => unit !== TOKENS).map(([currency, amount]) => ({ amount, currency })),
  };
}
