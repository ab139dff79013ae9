/**
 * Durable steps a second through the journal against bare node:sqlite, in one process run: the same
 * events, bytes, pragmas and transactions; bare = JSON.stringify and one insert an event, no hashes,
 * no heads, no conflicts. A step is a tool call as a run makes it: eight events, one barrier. The
 * contenders take turns after every commit, so that they meet the same disk; the figure is the ratio
 * of all their work. Goal: at least 0.7, one by one and with 50 runs at once. The table also shows
 * bare inserts of texts made beforehand.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { createJournal, type RunJournal } from '../src/journal/journal.ts';
import { openSqliteStore } from '../src/journal/sqlite.ts';
import type { EventStore } from '../src/journal/store.ts';
import type { Fact } from '../src/kernel/types.ts';

const GOAL = 0.7;
const SECONDS = 12;
/** Rounds that do not count. */
const WARM_UP = 20;

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
/** The clock is not what is measured. */
const clock = { now: () => '2026-03-01T10:00:00.000Z' };

const START: Fact = {
  event_type: 'run.start',
  data: {
    input: { role: 'user', content: '(13+27)*4 等于多少？' },
    instructions: 'You are a helpful assistant.',
    model: 'scripted:bench',
    protocol: 'native',
    tools: { calculator: 'a'.repeat(64) },
    limits: { max_steps: 10, max_seconds: 300 },
    language: 'zh',
  },
};

/** What one step of a run commits; the last fact is the barrier. */
function stepFacts(step: number): Fact[] {
  const call_id = `call_${step}`;
  const call = { id: call_id, name: 'calculator', arguments: { expression: `(13+27)*${step}` } };
  return [
    { event_type: 'step.start', data: { step } },
    { event_type: 'context.built', data: { messages: step, tokens: step * 100, tools: 1 } },
    { event_type: 'model.start', data: { model: 'scripted:bench', protocol: 'native' } },
    {
      event_type: 'model.end',
      data: { model: 'scripted:bench', text: '', calls: [call], finish: 'tool-calls', usage: { input_tokens: 100 }, ms: 12 },
    },
    { event_type: 'call.prepare', data: { call_id, name: call.name, arguments: call.arguments, level: 'write', hash: 'b'.repeat(64) } },
    { event_type: 'call.permit', data: { call_id, decision: 'allow', reason: 'allowed for this run', by: 'rule' } },
    { event_type: 'tool.end', data: { call_id, name: call.name, result: { success: true, data: 160 }, shaped: '160', ms: 1 } },
    { event_type: 'tool.start', data: { call_id, name: call.name, key: `key-${step}` } },
  ];
}

interface Contender {
  /** One durable step of every run. */
  round(step: number): void | Promise<void>;
}

async function ours(store: EventStore, name: string, count: number): Promise<Contender> {
  const journals: RunJournal[] = [];
  for (let i = 0; i < count; i++) {
    const run = { run_id: `${name}_${String(i).padStart(12, '0')}`, session_id: 'session_0123456789', trace_id: 'trace_0123456789abcdef' };
    const journal = createJournal({ run, clock, store });
    await journal.append([START], 0, true);
    journals.push(journal);
  }
  return {
    async round(step) {
      const facts = stepFacts(step);
      await Promise.all(
        journals.map((journal) => {
          for (const fact of facts.slice(0, -1)) journal.append([fact], step, false);
          return journal.append(facts.slice(-1), step, true);
        }),
      );
    },
  };
}

/** The events of a step as texts into a table, one transaction a round. */
function bare(file: string, texts: () => string[], count: number): Contender {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
  database.exec('CREATE TABLE events (run_id TEXT NOT NULL, seq INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (run_id, seq))');
  const insert = database.prepare('INSERT INTO events (run_id, seq, line) VALUES (?, ?, ?)');
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  return {
    round(step) {
      begin.run();
      for (let run = 0; run < count; run++) {
        const run_id = `bare_${String(run).padStart(12, '0')}`;
        let seq = step * 8;
        for (const text of texts()) insert.run(run_id, seq++, text);
      }
      commit.run();
    },
  };
}

const NAMES = ['journal', 'bare', 'ready'] as const;
type Speeds = Record<(typeof NAMES)[number], number>;

/** Steps a second of each, in turns. */
async function compare(folder: string, name: string, count: number): Promise<Speeds> {
  const store = await openSqliteStore({ file: join(folder, `${name}.db`) });
  await (await ours(store, 'sample', 1)).round(1);
  const events = await store.read('sample_000000000000', 2);
  const lines = events.map((event) => JSON.stringify(event));
  const contenders: Record<keyof Speeds, Contender> = {
    journal: await ours(store, 'ours', count),
    bare: bare(join(folder, `${name}-bare.db`), () => events.map((event) => JSON.stringify(event)), count),
    ready: bare(join(folder, `${name}-ready.db`), () => lines, count),
  };
  const milliseconds: Speeds = { journal: 0, bare: 0, ready: 0 };
  const begun = performance.now();
  let rounds = 0;
  for (; performance.now() - begun < SECONDS * 1000; rounds++) {
    for (const who of NAMES) {
      const at = performance.now();
      await contenders[who].round(rounds);
      if (rounds >= WARM_UP) milliseconds[who] += performance.now() - at;
    }
  }
  await store.close();
  const perSecond = (spent: number) => Math.round(((rounds - WARM_UP) * count * 1000) / spent);
  return { journal: perSecond(milliseconds.journal), bare: perSecond(milliseconds.bare), ready: perSecond(milliseconds.ready) };
}

const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-store-'));
const figures: { name: string; value: number; goal: string; ok: boolean; steps_per_second: Speeds }[] = [];
try {
  for (const [name, count] of [
    ['store_one_by_one', 1],
    ['store_grouped_50', 50],
  ] as const) {
    process.stderr.write(`${name}: ${SECONDS} s\n`);
    const speeds = await compare(folder, name, count);
    const value = Math.round((speeds.journal / speeds.bare) * 100) / 100;
    figures.push({ name, value, goal: `>=${GOAL}`, ok: value >= GOAL, steps_per_second: speeds });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (options.json) console.log(JSON.stringify(figures));
else {
  console.log('durable steps a second   journal   bare node:sqlite   texts made beforehand');
  for (const { name, steps_per_second: speeds } of figures) {
    console.log(
      name.padEnd(25) + [String(speeds.journal).padStart(7), String(speeds.bare).padStart(18), String(speeds.ready).padStart(23)].join(''),
    );
  }
  for (const { name, value, goal, ok } of figures) console.log(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}`);
}
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;
