/**
 * A process for the tests of the store: `node child.ts TASK FILE [ARGUMENT]`. Says what is done on
 * standard output, one line each; an error as one line of JSON, then exit 1.
 */

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJournal } from '../../src/journal/journal.ts';
import { holdLease } from '../../src/journal/lease.ts';
import { openLog } from '../../src/journal/log.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { GENESIS } from '../../src/journal/store.ts';
import { HermesError } from '../../src/kernel/errors.ts';
import { ended, identity, note, started, toolEnded } from './facts.ts';

const [task = '', file = '', argument = ''] = process.argv.slice(2);
const clock = { now: () => new Date().toISOString() };
const say = (...words: unknown[]) => process.stdout.write(`${words.join(' ')}\n`);

const TASKS: Record<string, () => Promise<void>> = {
  /** Runs one after another, three at once, with the log; `RUN SEQ` for each event that is on the disk. Until killed. */
  async write() {
    const store = await openSqliteStore({ file });
    openLog({ store, directory: argument, report: (problem) => say('problem', problem.message) });
    await Promise.all(['a', 'b', 'c'].map((name) => writeRuns(store, `${name}-${process.pid}`)));
  },
  /** Opens and closes at once. */
  async open() {
    await (await openSqliteStore({ file })).close();
  },
  /** Holds the lease of the run named by the argument until killed. */
  async hold() {
    const store = await openSqliteStore({ file });
    say((await holdLease(store, argument)) ? 'held' : 'refused');
    await sleep(60_000);
  },
  /** Twenty times: takes the lease of run `shared`, goes on from its head, appends one event, lets go. */
  async compete() {
    const store = await openSqliteStore({ file });
    for (let done = 0; done < 20; ) {
      const lease = await holdLease(store, 'shared');
      if (lease) {
        await createJournal({ run: identity('shared'), clock, store, head: (await store.head('shared'))! }).append(
          [note(argument)],
          1,
          true,
        );
        await lease.release();
        done += 1;
      } else await sleep(2);
    }
    await store.close();
  },
  /** Without leases: tries to be the one who appends the next event; counts wins. */
  async race() {
    const store = await openSqliteStore({ file });
    let won = 0;
    for (let tries = 0; tries < 40; tries++) {
      const journal = createJournal({ run: identity('raced'), clock, store, head: (await store.head('raced'))! });
      try {
        await journal.append([note(argument)], 1, true);
        won += 1;
      } catch (error) {
        if (!(error instanceof HermesError && error.code === 'sequence_conflict')) throw error;
      }
    }
    say(won);
    await store.close();
  },
  /** Holds SQLite's write lock for so many milliseconds. */
  async lock() {
    const database = new DatabaseSync(file);
    database.exec('BEGIN IMMEDIATE');
    say('locked');
    await sleep(Number(argument));
  },
  /** Opens as an ordinary user where this process is root. */
  async openAsOther() {
    if (process.getuid?.() === 0) process.seteuid?.(65534);
    const store = await openSqliteStore({ file });
    const { saved } = store.append({
      run: identity('r1'),
      facts: [started()],
      step: 0,
      ts: clock.now(),
      after: { seq: 0, hash: GENESIS },
      durable: true,
    });
    await saved;
  },
  /** Appends durably until the disk is full. */
  async fill() {
    const store = await openSqliteStore({ file });
    const journal = createJournal({ run: identity('r1'), clock, store });
    await journal.append([started()], 0, true);
    for (let step = 1; step < 1000; step++) {
      journal.append([note('rides along')], step, false);
      const [event] = await journal.append([toolEnded(`${step} `.repeat(2000))], step, true);
      say(event?.seq);
    }
  },
};

async function writeRuns(store: Awaited<ReturnType<typeof openSqliteStore>>, name: string): Promise<void> {
  for (let count = 0; ; count++) {
    const run_id = `${name}-${count}`;
    const journal = createJournal({ run: identity(run_id), clock, store });
    await journal.append([started()], 0, false);
    for (let step = 1; step <= 5; step++) {
      journal.append([note(`\u2028 ${'记'.repeat(step * 200)}`)], step, false);
      const events = await journal.append([toolEnded('x'.repeat(step * 500))], step, true);
      say(run_id, events.at(-1)?.seq);
    }
    const [last] = await journal.append([ended()], 6, true);
    say(run_id, last?.seq);
  }
}

try {
  await TASKS[task]!();
} catch (error) {
  say(JSON.stringify(error instanceof HermesError ? { ...error.toData(), kind: error.kind } : { code: 'other', message: String(error) }));
  process.exit(1);
}
