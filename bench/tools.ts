/**
 * Tools in the hands of a model, with all aids, without each of them, and without any:
 * `npm run -s bench:tools [-- MODEL] [--arms on,off] [--sets simple,multiple,chinese,fresh] [--cases N] [--held] [--replies FILE] [--json] [-v]`.
 * MODEL is provider:model, in the protocol that `auto` takes; default the embedded one. --held: other cases of the public sets, on which
 * nothing was tuned. --replies keeps what was replied to each request, so that a change of the rails is measured without asking again.
 * Temperature 0.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openModel } from '../src/agent/models.ts';
import { chooseProtocol } from '../src/agent/parts.ts';
import { HermesError } from '../src/kernel/errors.ts';
import type { Reply } from '../src/kernel/types.ts';
import { EMBEDDED_DEFAULT, modelsDirectory } from '../src/models/catalogue.ts';
import { pullModel } from '../src/models/pull.ts';
import type { ChatModel } from '../src/models/types.ts';
import { needBfcl } from './bfcl.ts';
import { ARMS, protocolOf } from './tools/arms.ts';
import { ownCases, publicCases, type SetName, type ToolCase } from './tools/cases.ts';
import { type AskModel, type Grade, gradeCase } from './tools/run.ts';

const { createHash } = process.getBuiltinModule('node:crypto');

interface Score {
  set: string;
  arm: string;
  cases: number;
  called: number;
  valid: number;
  tool: number;
  full: number;
  seconds: number;
}
/** Of the calls that all aids let through, and of the simple cases. */
const GOALS = { valid: 0.99, simple_full: 0.45 };

const SETS: readonly SetName[] = ['simple', 'multiple', 'chinese', 'fresh'];

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    arms: { type: 'string' },
    sets: { type: 'string', default: SETS.join() },
    cases: { type: 'string' },
    held: { type: 'boolean' },
    replies: { type: 'string' },
    json: { type: 'boolean' },
    verbose: { type: 'boolean', short: 'v' },
  },
});

async function main(): Promise<number> {
  needBfcl('bench:tools');
  const model = await opened(positionals[0]);
  const protocol = chooseProtocol('auto', model);
  const arms = (options.arms?.split(',') ?? Object.keys(ARMS)).filter((arm) => protocol === 'guided' || isForAll(arm));
  const unknown = arms.find((arm) => !Object.hasOwn(ARMS, arm));
  if (unknown !== undefined) {
    console.error(`bench:tools: there is no arm ${unknown}; known are ${Object.keys(ARMS).join(', ')}`);
    return 2;
  }
  const ask = remembering(model);
  const scores: Score[] = [];
  for (const [set, cases] of Object.entries(sets())) for (const arm of arms) scores.push(await runArm(set, arm, cases, protocol, ask));
  await model.close?.();
  return report(model, protocol, scores);
}

/** Rails are for tiny models; the others have no lines and copy nothing. */
function isForAll(arm: string): boolean {
  return ['on', 'no_selection', 'no_examples', 'no_when_not', 'no_adapter', 'no_repair', 'off'].includes(arm);
}

async function opened(name: string | undefined): Promise<ChatModel> {
  if (name === undefined) await pullModel(EMBEDDED_DEFAULT, { directory: modelsDirectory() });
  try {
    return (await openModel(name ?? `local:${EMBEDDED_DEFAULT.name}`, {})).model;
  } catch (error) {
    if (!(error instanceof HermesError)) throw error;
    console.error(`bench:tools: ${error.message}${error.next ? `; ${error.next}` : ''}`);
    return process.exit(2);
  }
}

function sets(): Record<string, ToolCase[]> {
  const part = options.held ? 'held' : 'tuned';
  const of = (set: SetName) => (set === 'chinese' || set === 'fresh' ? ownCases(set) : publicCases(set, part));
  const names = options.sets.split(',').filter((name) => SETS.includes(name as SetName)) as SetName[];
  return Object.fromEntries(names.map((name) => [name, of(name).slice(0, Number(options.cases ?? Number.POSITIVE_INFINITY))]));
}

/** The same request has the same reply at temperature 0: arms that ask the same share it. */
function remembering(model: ChatModel): AskModel {
  const file = options.replies;
  const kept = file && existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const replies = new Map(kept.map((line) => JSON.parse(line) as [string, Reply]));
  return async (request) => {
    const key = createHash('sha256').update(JSON.stringify(request)).digest('hex');
    const known = replies.get(key);
    if (known) return known;
    const reply = await model.ask(request);
    replies.set(key, reply);
    if (file) appendFileSync(file, `${JSON.stringify([key, reply])}\n`);
    return reply;
  };
}

async function runArm(set: string, arm: string, cases: readonly ToolCase[], name: string, ask: AskModel): Promise<Score> {
  const aids = ARMS[arm]!;
  const began = performance.now();
  const grades: Grade[] = [];
  for (const one of cases) {
    const grade = await gradeCase(one, protocolOf(name, aids), aids, ask);
    grades.push(grade);
    const mark = grade.full ? '.' : grade.tool ? 'a' : 'x';
    if (options.verbose) process.stderr.write(`${arm} ${mark} ${one.id} ${one.request}\n      ${grade.told.replaceAll('\n', ' | ')}\n`);
    else process.stderr.write(mark);
  }
  if (!options.verbose) process.stderr.write(` ${set} ${arm}\n`);
  const count = (key: 'called' | 'valid' | 'tool' | 'full') => grades.filter((grade) => grade[key]).length;
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return {
    set,
    arm,
    cases: cases.length,
    called: count('called'),
    valid: count('valid'),
    tool: count('tool'),
    full: count('full'),
    seconds,
  };
}

interface Figure {
  name: string;
  value: number;
  goal: number;
  ok: boolean;
}

function figuresOf(scores: readonly Score[]): Figure[] {
  const figures: Figure[] = [];
  const figure = (name: string, value: number, goal: number) =>
    figures.push({ name, value: Math.round(value * 1000) / 1000, goal, ok: value >= goal });
  for (const on of scores.filter(({ arm }) => arm === 'on')) {
    const off = scores.find(({ set, arm }) => set === on.set && arm === 'off');
    figure(`${on.set}_valid_of_called`, on.valid / Math.max(1, on.called), GOALS.valid);
    if (on.set === 'simple') figure('simple_fully_right', on.full / on.cases, GOALS.simple_full);
    if (off) figure(`${on.set}_on_over_off`, (on.full - off.full) / on.cases, 1 / on.cases);
  }
  return figures;
}

function report(model: ChatModel, protocol: string, scores: readonly Score[]): number {
  const figures = figuresOf(scores);
  if (options.json) console.log(JSON.stringify({ model: model.id, protocol, held: options.held === true, scores, figures }));
  else {
    console.log(`${model.id}, protocol ${protocol}${options.held ? ', cases that nothing was tuned on' : ''}; temperature 0`);
    const row = (cells: readonly (string | number)[]) =>
      cells.map((cell, i) => (i < 2 ? String(cell).padEnd(14) : String(cell).padStart(9))).join('');
    console.log(row(['set', 'arm', 'cases', 'called', 'valid', 'tool', 'full', 'seconds']));
    for (const one of scores) console.log(row([one.set, one.arm, one.cases, one.called, one.valid, one.tool, one.full, one.seconds]));
    for (const { name, value, goal, ok } of figures) console.log(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}`);
  }
  return figures.every(({ ok }) => ok) ? 0 : 1;
}

process.exitCode = await main();
