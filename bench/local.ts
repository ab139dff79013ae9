/**
 * What the embedded model does alone and on rails: `npm run -s bench:local [-- FILE...]`. Each FILE holds one request a line
 * with the tool and arguments that are right (../shared/data/tool-requests, its SOURCE.txt); tools.jsonl lies beside it.
 */

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { groundAnswer } from '../src/guards/grounding.ts';
import type { Fact, JsonObject, Reply, State, ToolInfo } from '../src/kernel/types.ts';
import { EMBEDDED_DEFAULT, modelsDirectory } from '../src/models/catalogue.ts';
import { createLocalModel } from '../src/models/local.ts';
import { pullModel } from '../src/models/pull.ts';
import type { ChatModel } from '../src/models/types.ts';
import { createGuided } from '../src/protocols/guided/guided.ts';
import { createJson } from '../src/protocols/json.ts';
import { Templates } from '../src/protocols/templates.ts';
import type { Protocol, Reading } from '../src/protocols/types.ts';
import { resolveArgument } from '../src/tools/resolve.ts';
import { selectTools } from '../src/tools/select.ts';
import { timeRuns } from './local/run.ts';
import { add, begin } from './states.ts';

interface Case {
  id: string;
  request: string;
  tool: string;
  expect: JsonObject;
  result?: string;
  answer_contains_one_of?: string[];
}
interface Score {
  tool: number;
  full: number;
  answers: number;
  seconds: number;
}
type Ask = (protocol: Protocol, state: State) => Promise<Reading>;

const DEFAULT_FILE = resolve(import.meta.dirname, '../../shared/data/tool-requests/held.jsonl');
/** The choice of the tool and its arguments, and the final answers, as shares; what was measured before this was built. */
const GOALS = { guided_fully_right: 20 / 30, guided_final_answers: 0.9 };

/** A whole run's time over that of a plain script with the same prompts: at most. */
const MOST_OVER_PLAIN = 1.3;

const options = process.argv.slice(2);
const asJson = options.includes('--json');
const verbose = options.includes('-v');
const files = options.filter((option) => !option.startsWith('-')).map((file) => resolve(file));

async function main(paths: string[]): Promise<number> {
  const missing = paths.flatMap((path) => [path, join(dirname(path), 'tools.jsonl')]).find((path) => !existsSync(path));
  if (missing) {
    process.stderr.write(`${missing} is not there; usage: npm run -s bench:local -- FILE...\n`);
    return 2;
  }
  const file = await pullModel(EMBEDDED_DEFAULT, { directory: modelsDirectory() });
  const model = createLocalModel({ name: EMBEDDED_DEFAULT.name, file, contextTokens: 4096 });
  let isShort = false;
  for (const path of paths) isShort = (await benchFile(path, model)) || isShort;
  await model.close?.();
  return timeWholeRuns(file) || isShort ? 1 : 0;
}

async function benchFile(path: string, model: ChatModel): Promise<boolean> {
  const cases = readLines<Case>(path);
  const tools = readTools(join(dirname(path), 'tools.jsonl'), cases);
  const arms: Record<string, Score> = {
    bare: await runArm('bare', cases, tools, () => createJson(new Templates()), asking(model, tools)),
    rails: await runArm('rails', cases, tools, guided, silent(tools)),
    guided: await runArm('guided', cases, tools, guided, asking(model, tools)),
  };
  const answered = cases.filter((one) => one.result !== undefined).length;
  const figures = judge(arms, cases.length, answered);
  if (asJson) process.stdout.write(`${JSON.stringify({ file: path, cases: cases.length, answered, arms, figures })}\n`);
  else print(path, arms, cases.length, answered, figures);
  return figures.some(({ ok }) => !ok);
}

function timeWholeRuns(file: string): boolean {
  const { hermes, plain } = timeRuns(file, modelsDirectory());
  const value = round(hermes / plain);
  const ok = value <= MOST_OVER_PLAIN;
  const figure = { name: 'run_over_plain', value, goal: MOST_OVER_PLAIN, ok };
  if (asJson) process.stdout.write(`${JSON.stringify({ runs: { hermes, plain }, figures: [figure] })}\n`);
  else {
    process.stdout.write(`a whole run ${round(hermes)} s, the plain script ${round(plain)} s\n`);
    process.stdout.write(`${figure.name} ${value} goal ${MOST_OVER_PLAIN} ${ok ? 'ok' : 'short'}\n`);
  }
  return !ok;
}

function guided(): Protocol {
  return createGuided({ select: selectTools, resolve: resolveArgument });
}

function asking(model: ChatModel, tools: readonly ToolInfo[]): Ask {
  return async (protocol, state) => {
    const reply = await model.ask({ maxOutputTokens: 160, ...protocol.render(state, tools), temperature: 0 });
    return protocol.read(reply, state, tools);
  };
}

/** The rails alone: as if the model had said nothing. */
function silent(tools: readonly ToolInfo[]): Ask {
  const nothing: Reply = { text: '', calls: [], finish: 'stop' };
  return async (protocol, state) => protocol.read(nothing, state, tools);
}

async function runArm(name: string, cases: readonly Case[], tools: readonly ToolInfo[], make: () => Protocol, ask: Ask): Promise<Score> {
  const score: Score = { tool: 0, full: 0, answers: 0, seconds: 0 };
  const started = performance.now();
  for (const one of cases) {
    const { called, args, text } = await decide(one, make(), ask);
    const isRight = called === one.tool;
    const isFull = isRight && fits(one, args, text);
    score.tool += Number(isRight);
    score.full += Number(isFull);
    let answer = '';
    if (one.result !== undefined) {
      answer = await finalAnswer({ ...one, args: isRight ? args : {} }, tools, make(), ask, name === 'bare');
      score.answers += Number((one.answer_contains_one_of ?? []).some((wanted) => contains(answer, wanted)));
    }
    if (verbose)
      process.stderr.write(
        `${name} ${isFull ? '  ' : isRight ? '! ' : '!!'} ${one.id} ${one.request} -> ${called} ${JSON.stringify(args)} ${text} | ${answer}\n`,
      );
    else process.stderr.write(isFull ? '.' : 'x');
  }
  if (!verbose) process.stderr.write(` ${name}\n`);
  score.seconds = Math.round((performance.now() - started) / 100) / 10;
  return score;
}

async function decide(one: Case, protocol: Protocol, ask: Ask): Promise<{ called: string; args: JsonObject; text: string }> {
  let state = begin(one.request, protocol.name);
  let reading = await ask(protocol, state);
  if (reading.problem) {
    state = add(state, said(reading), {
      event_type: 'guard.trip',
      data: { guard: 'mend', verdict: 'nudge', message: reading.problem.message },
    });
    reading = await ask(protocol, state);
  }
  const [call] = reading.calls;
  return call ? { called: call.name, args: call.arguments, text: '' } : { called: 'finish', args: {}, text: reading.text };
}

/** The answer to the right call's result. */
async function finalAnswer(
  one: Case & { args: JsonObject },
  tools: readonly ToolInfo[],
  protocol: Protocol,
  ask: Ask,
  isBare: boolean,
): Promise<string> {
  const call = { id: 'call_1', name: one.tool, arguments: one.args };
  const state = add(
    begin(one.request, protocol.name),
    { event_type: 'model.end', data: { model: 'local', text: '', calls: [call], finish: 'stop', ms: 0 } },
    {
      event_type: 'tool.end',
      data: { call_id: 'call_1', name: one.tool, result: { success: true, data: null }, shaped: one.result ?? '', ms: 0 },
    },
  );
  const reading = await ask(protocol, state);
  if (reading.calls.length > 0) return '';
  const answered = add(state, said(reading));
  const verdict = isBare ? undefined : groundAnswer(() => tools)(answered);
  return (verdict?.do === 'record' ? add(answered, ...verdict.facts) : answered).answer ?? '';
}

function said(reading: Reading): Fact {
  return { event_type: 'model.end', data: { model: 'local', text: reading.text, calls: [], finish: 'stop', ms: 0 } };
}

// ---- what is right ------------------------------------------------------------------------------------------

function fits({ tool, expect, request }: Case, args: JsonObject, text: string): boolean {
  if (tool === 'finish')
    return text !== '' && (expect.answer_any === true || list(expect.answer_contains_one_of).some((word) => contains(text, word)));
  return Object.entries(expect).every(([check, wanted]) => {
    const argument = check.replace(/_(?:equals|one_of|contains)$/, '');
    const value = String(args[argument] ?? '');
    if (check === 'expression_equals') return Math.abs(evaluate(value) - Number(wanted)) < 1e-9;
    if (check === 'city_one_of') return list(wanted).some((city) => same(value.replace(/市$|[,，].*$/, ''), city));
    if (check.endsWith('_one_of')) return list(wanted).some((word) => same(value, word));
    if (argument === 'key' || argument === 'value') {
      return contains(value, String(wanted)) && value.length <= request.length * (argument === 'key' ? 0.5 : 0.75);
    }
    return check === 'to' ? same(value, String(wanted)) : list(wanted).every((word) => contains(value, word));
  });
}

/** The value of an expression of digits and signs only; NaN for anything else. */
function evaluate(expression: string): number {
  const plain = expression
    .replace(/(\d(?:[\d.]*))\s*%/g, '($1/100)')
    .replaceAll('^', '**')
    .replaceAll('sqrt', 'Math.sqrt');
  if (!/^(?:[\d\s.+\-*/()]|Math\.sqrt)+$/.test(plain)) return Number.NaN;
  try {
    return Number(new Function(`return (${plain})`)());
  } catch {
    return Number.NaN; // no expression at all
  }
}

function list(value: JsonObject[string] | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : value === null || value === undefined ? [] : [String(value)];
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase());
}

// ---- material and figures -------------------------------------------------------------------------------------

function readLines<T>(path: string): T[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as T);
}

/**
 * The tools of the material in the form of ours; its `finish` is what guided calls a direct answer. Every argument is
 * required but those that some case expects to be null: there it may be left out.
 */
function readTools(path: string, cases: readonly Case[]): ToolInfo[] {
  interface Line {
    name: string;
    description: string;
    description_zh: string;
    params: Record<string, JsonObject>;
    keywords: string;
    examples: { request: string; arguments: JsonObject; result?: string; answer?: string }[];
  }
  const optional = (tool: string, name: string) => cases.some((one) => one.tool === tool && one.expect[`${name}_contains`] === null);
  const lines = readLines<Line>(path).filter(({ name }) => name !== 'finish');
  return lines.map(({ name, description, description_zh, params, keywords, examples }) => ({
    name,
    description: `${description} ${description_zh}`,
    level: 'read',
    hash: name,
    keywords,
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, { type: 'string', ...value }])),
      required: Object.keys(params).filter((key) => !optional(name, key)),
    },
    examples: examples.map(({ result, ...example }) => ({ ...example, ...(result === undefined ? {} : { result: JSON.parse(result) }) })),
  }));
}

interface Figure {
  name: string;
  value: number;
  goal: number;
  ok: boolean;
}

function judge({ bare, rails, guided }: Record<string, Score>, cases: number, answered: number): Figure[] {
  const figure = (name: string, value: number, goal: number): Figure => ({
    name,
    value: round(value),
    goal: round(goal),
    ok: value >= goal,
  });
  const figures = [
    figure('guided_fully_right', guided!.full / cases, GOALS.guided_fully_right),
    figure('guided_over_bare', (guided!.full - bare!.full) / cases, 1 / cases),
    figure('guided_over_rails', (guided!.full - rails!.full) / cases, 1 / cases),
  ];
  if (answered > 0) figures.push(figure('guided_final_answers', guided!.answers / answered, GOALS.guided_final_answers));
  return figures;
}

function print(path: string, arms: Record<string, Score>, cases: number, answered: number, figures: readonly Figure[]): void {
  const row = (...cells: (string | number)[]) =>
    `${cells.map((cell, index) => (index === 0 ? String(cell).padEnd(10) : String(cell).padStart(14))).join('')}\n`;
  process.stdout.write(`${path}: ${cases} requests, ${answered} with a result to answer from; temperature 0\n`);
  process.stdout.write(row('', 'tool right', 'fully right', 'answers', 'seconds'));
  for (const [name, { tool, full, answers, seconds }] of Object.entries(arms))
    process.stdout.write(row(name, tool, full, answers, seconds));
  for (const { name, value, goal, ok } of figures) process.stdout.write(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}\n`);
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

process.exitCode = await main(files.length > 0 ? files : [DEFAULT_FILE]);
