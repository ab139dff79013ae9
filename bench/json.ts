/**
 * How well the readers of broken output read: `node bench/json.ts [FILE...] [--json]`. Without files
 * the three judged ones of ../shared/data/broken-json. A row says by its fields what it is: `expected`
 * = a value, `expected_args` = arguments, `expected_calls` = calls, `calls` = calls as Ollama's tests
 * list them, `expect_error` and `truncated` = must be refused. Groups whose name ends in `-tests` are
 * shown and not judged: they hold other libraries' choices.
 *
 * A row is right, refused (an error, no value) or wrong (another value than expected, said to be
 * good). Rows are read from their text alone. Truncated rows are read a second time with the finish
 * reason `length` that a cut reply has in a run, and `truncated_refused` counts that reading: from
 * the text alone a cut right behind a complete value cannot be told from forgotten brackets
 * (`"genre": "Horror"` and nothing more is in both groups); how many there are is printed.
 */

import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import type { Json, JsonObject } from '../src/kernel/types.ts';
import { readCalls } from '../src/protocols/read-calls.ts';
import { readArguments, readJson } from '../src/protocols/read-json.ts';
import { hostileInputs } from './json-hostile.ts';

const FOLDER = resolve(import.meta.dirname, '../../shared/data/broken-json');
const FILES = ['synth.jsonl', 'hand.jsonl', 'ollama.jsonl'];
const MAX_BLOCK_MS = 200;

interface Row {
  input: string;
  group?: string;
  id?: string;
  name?: string;
  file?: string;
  expected?: Json;
  expected_args?: JsonObject;
  expected_calls?: { name: string; arguments: JsonObject }[];
  calls?: { Function: { Name: string; Arguments: JsonObject } }[] | null;
  expect_error?: boolean;
  truncated?: boolean;
  /** Types of parameters that a dialect writes as text. */
  schema?: Record<string, string>;
}
type Kind = 'synth' | 'hand' | 'ollama' | 'tests';
type Result = 'right' | 'refused' | 'wrong';
interface Judged {
  row: Row;
  kind: Kind;
  group: string;
  result: Result;
  /** Of a truncated row: refused when the finish reason is known. */
  refused?: boolean;
  read: Json;
}

// ---- reading one row -----------------------------------------------------------------------------

function kindOf(row: Row): Kind {
  if (row.group?.endsWith('-tests')) return 'tests';
  if ('calls' in row) return 'ollama';
  return 'expected' in row ? 'synth' : 'hand';
}

/** What was read, as the row's field would say it; undefined = refused. */
function readRow(row: Row, tools: readonly string[] | undefined, cut?: boolean): Json | undefined {
  const options = cut === undefined ? {} : { cut };
  if (row.expected_calls !== undefined || 'calls' in row) {
    const names = (row.expected_calls ?? []).map((call) => call.name);
    const properties = Object.fromEntries(Object.entries(row.schema ?? {}).map(([key, type]) => [key, { type }]));
    const schemas = row.schema === undefined ? {} : Object.fromEntries(names.map((name) => [name, { properties }]));
    const reading = readCalls(row.input, { ...options, schemas, ...(tools === undefined ? {} : { tools }) });
    return reading.calls.map((call) => ({ name: call.name, arguments: call.arguments }));
  }
  const reading = kindOf(row) === 'hand' ? readArguments(row.input, options) : readJson(row.input, options);
  return reading.ok ? reading.value : undefined;
}

function wanted(row: Row): Json | undefined {
  if ('calls' in row) return (row.calls ?? []).map((call) => ({ name: call.Function.Name, arguments: call.Function.Arguments }));
  if (row.expected_calls !== undefined) return row.expected_calls;
  return row.truncated || row.expect_error ? undefined : (row.expected_args ?? row.expected);
}

function judge(row: Row, tools: readonly string[] | undefined): Judged {
  const read = readRow(row, tools);
  const want = wanted(row);
  const kind = kindOf(row);
  const isNothing = read === undefined || (Array.isArray(read) && read.length === 0);
  const isRight = same(read, want);
  const result: Result = isRight ? 'right' : isNothing ? 'refused' : 'wrong';
  const cutRead = row.truncated ? readRow(row, tools, true) : undefined;
  const refused = row.truncated ? { refused: same(cutRead, want) } : {};
  return { row, kind, group: row.group ?? row.file ?? kind, result, ...refused, read: read ?? null };
}

/** -0 and 0, and keys in another order, are the same JSON. */
function same(a: Json | undefined, b: Json | undefined): boolean {
  return isDeepStrictEqual(a === undefined ? a : JSON.parse(JSON.stringify(a)), b === undefined ? b : JSON.parse(JSON.stringify(b)));
}

/** Ollama's cases do not carry their tools; the names that the tests of a file expect stand for them. */
function toolsOf(rows: readonly Row[]): Map<string, string[]> {
  const tools = new Map<string, string[]>();
  for (const row of rows) {
    if (!('calls' in row)) continue;
    const names = tools.get(row.file ?? '') ?? [];
    tools.set(row.file ?? '', [...names, ...(row.calls ?? []).map((call) => call.Function.Name)]);
  }
  return tools;
}

function judgeFile(file: string): Judged[] {
  const rows = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);
  process.stderr.write(`${basename(file)}: ${rows.length} rows\n`);
  const tools = toolsOf(rows);
  return rows.map((row) => judge(row, 'calls' in row ? tools.get(row.file ?? '') : undefined));
}

// ---- figures ----------------------------------------------------------------------------------------

interface Figure {
  name: string;
  value: number;
  goal: string;
  ok: boolean;
}
const count = (rows: readonly Judged[], result: Result): number => rows.filter((row) => row.result === result).length;
const share = (part: number, whole: number): number => Math.round((part / whole) * 10000) / 100;

function atLeast(name: string, value: number, goal: number): Figure {
  return { name, value, goal: `>=${goal}`, ok: value >= goal };
}
function atMost(name: string, value: number, goal: number): Figure {
  return { name, value, goal: `<=${goal}`, ok: value <= goal };
}

function figuresOf(judged: readonly Judged[]): Figure[] {
  const of = (kind: Kind): Judged[] => judged.filter((row) => row.kind === kind);
  const [synth, hand, ollama] = [of('synth'), of('hand'), of('ollama')];
  const cut = judged.filter((row) => row.refused !== undefined && row.kind !== 'tests');
  const figures: Figure[] = [];
  if (synth.length > 0) {
    figures.push(atLeast('synth_right_percent', share(count(synth, 'right'), synth.length), 99));
    figures.push(atMost('synth_silently_wrong_percent', share(count(synth, 'wrong'), synth.length), 0.3));
  }
  if (cut.length > 0) figures.push(atLeast('truncated_refused_percent', share(cut.filter((row) => row.refused).length, cut.length), 100));
  // 82 of 86, and as many of another number.
  if (hand.length > 0) figures.push(atLeast('hand_right', count(hand, 'right'), Math.ceil((82 / 86) * hand.length)));
  if (ollama.length > 0) figures.push(atLeast('ollama_right_percent', share(count(ollama, 'right'), ollama.length), 90));
  return figures;
}

/** Longest time that one call holds the event loop, best of three: other programs' load is not ours. */
function blockFigures(): Figure[] {
  return hostileInputs().map(({ name, text }) => {
    process.stderr.write(`${name}\n`);
    const times = [1, 2, 3].map(() => {
      const readers = [() => readJson(text), () => readArguments(text), () => readCalls(text)];
      return Math.max(
        ...readers.map((read) => {
          const start = performance.now();
          read();
          return performance.now() - start;
        }),
      );
    });
    return atMost(`block_ms_${name}`, Math.round(Math.min(...times) * 10) / 10, MAX_BLOCK_MS);
  });
}

// ---- output -------------------------------------------------------------------------------------------

/** Misses of the judged data that are a choice, not a fault. */
const CHOICES: Readonly<Record<string, string>> = {
  'json object followed by tool call': 'the second object is a complete call of a known tool; Ollama gives up at the first',
  'json object followed by tool call split': 'the second object is a complete call of a known tool; Ollama gives up at the first',
  malformed_tool_call_missing_sep: 'name and arguments stand there whole, only the separator between them is missing',
  consecutive_tool_calls: 'two complete calls; the test they come from lists none because it checks something else',
};

function printTable(judged: readonly Judged[]): void {
  const groups = Map.groupBy(judged, (row) => `${row.kind} ${row.group}`);
  console.log(`${'group'.padEnd(34)}   rows  right refused  wrong`);
  for (const [group, rows] of groups) {
    const cells = [rows.length, count(rows, 'right'), count(rows, 'refused'), count(rows, 'wrong')];
    console.log(group.padEnd(34) + cells.map((cell) => String(cell).padStart(7)).join(''));
  }
  for (const { row, kind, group, result, read } of judged) {
    if (result === 'right' || kind === 'tests') continue;
    const name = row.id ?? row.name ?? '';
    console.log(`${result} ${group} ${name}: ${JSON.stringify(row.input.slice(-80))} -> ${JSON.stringify(read).slice(0, 120)}`);
    if (CHOICES[name] !== undefined) console.log(`  by choice: ${CHOICES[name]}`);
  }
  const cut = judged.filter((row) => row.refused !== undefined && row.kind !== 'tests');
  const alone = cut.filter((row) => row.result !== 'wrong').length;
  if (cut.length > 0) console.log(`truncated rows refused from the text alone: ${alone} of ${cut.length}`);
}

const { values: options, positionals } = parseArgs({ options: { json: { type: 'boolean', default: false } }, allowPositionals: true });
const files = positionals.length > 0 ? positionals : FILES.map((file) => join(FOLDER, file));
const missing = files.filter((file) => !existsSync(file));
if (missing.length > 0) {
  console.error(
    `bench:json: no such file: ${missing.join(', ')}. Name files with the fields of broken-json: npm run -s bench:json -- FILE...`,
  );
  process.exitCode = 2;
} else {
  const judged = files.flatMap(judgeFile);
  const figures = [...figuresOf(judged), ...blockFigures()];
  if (options.json) console.log(JSON.stringify(figures));
  else {
    printTable(judged);
    for (const { name, value, goal, ok } of figures) console.log(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}`);
  }
  process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
}
