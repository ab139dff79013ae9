/** What must hold of a talk that was killed and gone on with, however often. Each check gives the faults it finds, in words. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replayRun } from '../../src/agent/replay.ts';
import { readHistory } from '../../src/journal/history.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import type { RunHead } from '../../src/journal/store.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import type { RunEvent, State } from '../../src/kernel/types.ts';
import type { Life } from './life.ts';
import { IDEMPOTENT, READING, REQUESTS } from './plan.ts';

export interface KeptRun {
  head: RunHead;
  events: RunEvent[];
  state: State;
  /** What verify finds in store, chain and log file. */
  problems: string[];
}
/** All that is on the disk at one moment, read by another process than the one that wrote it. */
export interface Kept {
  runs: Map<string, KeptRun>;
  /** Key -> how often its side effect has happened, and by which tool. */
  effects: Map<string, { tool: string; count: number }>;
}

export async function readKept(folder: string): Promise<Kept> {
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  const runs = new Map<string, KeptRun>();
  for (const head of await store.list({ limit: 100 })) {
    const { events, state } = await readHistory(store, head.run_id);
    const { problems } = await verifyRun(store, head.run_id, join(folder, 'logs'));
    runs.set(head.run_id, { head, events, state, problems: problems.map(({ code, message }) => `${code}: ${message}`) });
  }
  await store.close();
  return { runs, effects: readEffects(join(folder, 'effects')) };
}

function readEffects(file: string): Kept['effects'] {
  const effects: Kept['effects'] = new Map();
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  for (const line of lines) {
    const [tool = '', key = ''] = line.split(' ');
    effects.set(key, { tool, count: (effects.get(key)?.count ?? 0) + 1 });
  }
  return effects;
}

/**
 * Committed events that are gone. What the dead program had said: all before its last barrier, whatever run it belongs to, since
 * a barrier commits all that waits; and the start of each tool that had begun. What another process had read: all of it.
 */
export function lost({ said, seen }: Life, kept: Kept): string[] {
  const lastBarrier = said.findLastIndex((line) => line.said === 'began' || (line.said === 'event' && line.barrier));
  const starts = startedKeys(kept);
  const faults: string[] = [];
  const expect = (run_id: string, seq: number, hash: string, who: string) => {
    if (kept.runs.get(run_id)?.events[seq - 1]?.hash !== hash) faults.push(`event ${seq} of ${run_id} is gone; ${who}`);
  };
  for (const line of said.slice(0, lastBarrier + 1)) {
    if (line.said === 'event') expect(line.run_id, line.seq, line.hash, `${line.type} had been reported before a barrier`);
    if (line.said === 'began' && !starts.has(line.key)) faults.push(`${line.tool} had begun, and the start of ${line.key} is not there`);
  }
  for (const [run_id, { seq, hash }] of seen) expect(run_id, seq, hash, 'another process had read it');
  return faults;
}

/** Events that were there after a death and are not what they were later on. */
export function changed(before: Kept, after: Kept): string[] {
  return [...before.runs].flatMap(([run_id, { events }]) => {
    const now = after.runs.get(run_id)?.events ?? [];
    return events.filter(({ seq, hash }) => now[seq - 1]?.hash !== hash).map(({ seq }) => `event ${seq} of ${run_id} has changed`);
  });
}

/** Side effects that happened although the start of their call is not on the disk. */
export function unannounced(kept: Kept): string[] {
  const starts = startedKeys(kept);
  return [...kept.effects].filter(([key]) => !starts.has(key)).map(([key, { tool }]) => `${tool} acted without the start of ${key}`);
}

/** A key acts once; that of a tool declared safe to repeat once more for each death that left its call in doubt. */
export function repeated(deaths: readonly Kept[], kept: Kept): string[] {
  return [...kept.effects].flatMap(([key, { tool, count }]) => {
    const doubts = deaths.filter((death) => inDoubt(death).has(key)).length;
    const allowed = IDEMPOTENT.has(tool) ? 1 + doubts : 1;
    return count > allowed ? [`${tool} acted ${count} times with ${key}, in doubt ${doubts} times`] : [];
  });
}

/** Keys of calls with a start and no end, and their tools. */
export function inDoubt({ runs }: Kept): Map<string, string> {
  const doubtful = new Map<string, string>();
  for (const { events } of runs.values()) {
    const keys = new Map<string, string>();
    for (const { event_type, data } of events) {
      if (event_type === 'tool.start') {
        keys.set(data.call_id, data.key);
        doubtful.set(data.key, data.name);
      } else if (event_type === 'tool.end') doubtful.delete(keys.get(data.call_id) ?? '');
    }
  }
  return doubtful;
}

/** The talk is at its end: each turn and each sub-agent has succeeded; a call in doubt was made again where that is safe, else it is named. */
export function unfinished(deaths: readonly Kept[], kept: Kept): string[] {
  const faults: string[] = [];
  const turns = [...kept.runs.values()].filter(({ head }) => head.parent_id === undefined);
  if (turns.length !== REQUESTS.length) faults.push(`there are ${turns.length} turns`);
  for (const { head } of kept.runs.values()) if (head.status !== 'success') faults.push(`${head.run_id} is ${head.status}`);
  for (const [key, tool] of deaths.flatMap((death) => [...inDoubt(death)])) {
    const isSafe = IDEMPOTENT.has(tool) || READING.has(tool);
    faults.push(...(isSafe ? notMadeAgain(key, kept) : untold(key, tool, kept)));
  }
  return faults;
}

/** The doubt must stand in the log, in what the model reads, and in the outcome. */
function untold(key: string, tool: string, kept: Kept): string[] {
  const { call_id, run, result } = endOf(key, kept);
  const { state } = run ?? {};
  const told = state?.messages.some((message) => message.role === 'tool' && message.call_id === call_id && !message.success);
  const named = state?.outcome?.in_doubt?.includes(tool);
  if (result?.success === false && result.error.code === 'in_doubt' && told && named) return [];
  return [`${key} was in doubt: result ${JSON.stringify(result)}, model told: ${told}, outcome says so: ${named}`];
}

function notMadeAgain(key: string, kept: Kept): string[] {
  const { result } = endOf(key, kept);
  return result?.success ? [] : [`${key} was not made again: ${JSON.stringify(result)}`];
}

function endOf(key: string, { runs }: Kept) {
  const [run_id = '', call_id = ''] = key.split('.');
  const run = runs.get(run_id);
  const end = run?.events.find(({ event_type, data }) => event_type === 'tool.end' && data.call_id === call_id);
  return { call_id, run, result: end?.event_type === 'tool.end' ? end.data.result : undefined };
}

/** Every call has one key and exactly one end in the log, and one result right after its message, in call order (K3). A success has acted. */
export function unpaired(kept: Kept): string[] {
  return [...kept.runs.values()].flatMap(({ head, events, state }) => [
    ...wrongEnds(events).map((fault) => `${head.run_id}: ${fault}`),
    ...wrongResults(state).map((fault) => `${head.run_id}: ${fault}`),
    ...idleSuccesses(events, kept),
  ]);
}

function wrongEnds(events: readonly RunEvent[]): string[] {
  const ends = new Map<string, number>();
  const keys = new Map<string, Set<string>>();
  for (const { event_type, data } of events) {
    if (event_type === 'model.end') for (const { id } of data.calls) ends.set(id, 0);
    if (event_type === 'tool.start') keys.set(data.call_id, (keys.get(data.call_id) ?? new Set()).add(data.key));
    if (event_type === 'tool.end' || event_type === 'call.reject') ends.set(data.call_id, (ends.get(data.call_id) ?? 0) + 1);
  }
  return [
    ...[...ends].filter(([, count]) => count !== 1).map(([id, count]) => `call ${id} has ${count} ends`),
    ...[...keys].filter(([, { size }]) => size > 1).map(([id, tried]) => `call ${id} was tried with the keys ${[...tried].join()}`),
  ];
}

function wrongResults({ messages }: State): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return [];
    const calls = (message.calls ?? []).map(({ id }) => id);
    const results = messages.slice(index + 1, index + 1 + calls.length).map((one) => (one.role === 'tool' ? one.call_id : one.role));
    const next = messages[index + 1 + calls.length]?.role;
    return results.join() === calls.join() && next !== 'tool' ? [] : [`calls ${calls.join()} are followed by ${results.join()}, ${next}`];
  });
}

function idleSuccesses(events: readonly RunEvent[], { effects }: Kept): string[] {
  const keys = new Map(events.flatMap(({ event_type, data }) => (event_type === 'tool.start' ? [[data.call_id, data.key] as const] : [])));
  return events.flatMap(({ event_type, data }) => {
    if (event_type !== 'tool.end' || !data.result.success || READING.has(data.name)) return [];
    const key = keys.get(data.call_id) ?? '';
    return effects.has(key) ? [] : [`${data.name} succeeded with ${key} and its effect is not there`];
  });
}

/** Replay makes every decision of each run again, over its deaths too, and must come to the recorded events. */
export async function unreplayed(folder: string): Promise<string[]> {
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  const faults: string[] = [];
  for (const { run_id } of await store.list({ limit: 100 })) {
    const { ok, events, difference } = await replayRun(store, run_id, []);
    if (!ok) faults.push(`${run_id}: replay differs after ${events} events: ${JSON.stringify(difference)}`);
  }
  await store.close();
  return faults;
}

function startedKeys({ runs }: Kept): Set<string> {
  const all = [...runs.values()].flatMap(({ events }) => events);
  return new Set(all.flatMap(({ event_type, data }) => (event_type === 'tool.start' ? [data.key] : [])));
}
