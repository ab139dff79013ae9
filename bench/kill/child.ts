/**
 * The program that is killed: `node child.ts FOLDER [stay] [next]`. Goes on with the talk that FOLDER holds, or begins it, as a
 * program that is started again after a crash would. Says what happens on standard output, one JSON text a line, written at once:
 * what has been said was true before the kill. `stay`: it waits at its end until it is killed or its standard input ends. `next`: an
 * interrupted turn is left as it is; the talk goes on with the next one.
 */

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent, RunOutcome } from '../../src/index.ts';
import { openLog } from '../../src/journal/log.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { planAgent, READING, REQUESTS } from './plan.ts';

export type Said =
  /** `opening` the store; `ready`: the log has caught up; `over`: every turn has its outcome; `closed`. */
  | { said: 'opening' | 'ready' | 'over' | 'closed' }
  /** `barrier`: it and all that came before is on the disk. */
  | { said: 'event'; run_id: string; seq: number; hash: string; type: string; barrier: boolean }
  /** A tool that does not only look has begun: a barrier, too. */
  | { said: 'began'; tool: string; key: string }
  | { said: 'outcome'; run_id: string; status: string; in_doubt: string[] }
  | { said: 'problem'; message: string };

const [folder = '', ...words] = process.argv.slice(2);
const SESSION = '谈话';

function say(said: Said): void {
  writeSync(1, `${JSON.stringify(said)}\n`);
}

function sayEvent(event: RunEvent): void {
  if (event.seq === undefined) return; // a delta
  const { run_id, seq, hash = '', event_type: type } = event;
  const acts = event.event_type === 'tool.start' && !READING.has(event.data.name);
  const barrier = acts || ['approval.ask', 'approval.answer', 'run.end'].includes(type);
  say({ said: 'event', run_id, seq, hash, type, barrier });
}

function sayOutcome({ runId, status, inDoubt = [] }: RunOutcome): void {
  say({ said: 'outcome', run_id: runId, status, in_doubt: inDoubt });
}

say({ said: 'opening' });
const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
const log = openLog({ store, directory: join(folder, 'logs'), report: ({ message }) => say({ said: 'problem', message }) });
await log.catchUp();
say({ said: 'ready' });

const agent = planAgent({ store, folder, began: (tool, key) => say({ said: 'began', tool, key }) });
const isTurn = (run: { parent_id?: string }) => run.parent_id === undefined;
const OPEN = words.includes('next') ? [] : ['interrupted', 'waiting_for_approval'];
for (const run of (await store.list({ limit: 100 })).filter(isTurn)) {
  if (OPEN.includes(run.status)) sayOutcome(await agent.resume(run.run_id, { onEvent: sayEvent }));
}
const session = agent.session(SESSION);
const done = (await store.list({ limit: 100, session_id: SESSION })).filter(isTurn).length;
for (const request of REQUESTS.slice(done)) sayOutcome(await session.run(request, { onEvent: sayEvent }));
say({ said: 'over' });
await agent.close();
await store.flush();
await log.close();
await store.close();
say({ said: 'closed' });
if (words.includes('stay')) process.stdin.resume();
