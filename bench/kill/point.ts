/** One kill point: a talk that dies at a given moment, perhaps again while it is gone on with, then goes on to its end. */

import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { changed, inDoubt, type Kept, lost, readKept, repeated, unannounced, unfinished, unpaired, unreplayed } from './check.ts';
import { endSurvivors, type Kill, type Life, live, survivors } from './life.ts';

/** What a talk may have faults of. */
const FAULTS = ['lost', 'repeated', 'unannounced', 'unfinished', 'unverified', 'unpaired', 'unreplayed', 'left'] as const;
export type FaultList = (typeof FAULTS)[number];

/** Faults in words; a point without any has empty lists. */
export interface PointResult extends Record<FaultList, string[]> {
  kills: readonly Kill[];
  /** Calls that were in doubt after the deaths. */
  doubts: number;
  /** Processes of dead programs that lived on until the talk was gone on with. */
  orphans: number;
}

export function faultsOf(result: PointResult): string[] {
  return FAULTS.flatMap((list) => result[list]);
}

/** `kills`: one for each life that dies. `watch`: another process reads in the store meanwhile. */
export async function killAt(kills: readonly Kill[], options: { watch?: boolean } = {}): Promise<PointResult> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-kill-'));
  const mark = folder.slice(folder.lastIndexOf('-') + 1);
  const none = Object.fromEntries(FAULTS.map((list) => [list, []])) as unknown as Record<FaultList, string[]>;
  const result: PointResult = { kills, doubts: 0, orphans: 0, ...none };
  const deaths: Kept[] = [];
  try {
    for (const kill of kills) {
      const life = await live(folder, mark, { kill, ...options });
      if (!life.killed) throw new Error(`the program ended by itself with ${life.status}: ${life.errors}`);
      result.orphans += survivors(mark).length;
      const kept = await readCopy(folder);
      deaths.push(kept);
      result.lost.push(...lost(life, kept));
      result.unannounced.push(...unannounced(kept));
      result.unverified.push(...afterDeath(kept));
      result.doubts += inDoubt(kept).size;
    }
    const life = await live(folder, mark);
    const kept = await readKept(folder);
    result.left.push(...survivors(mark).map(({ pid, command }) => `process ${pid} lives on: ${command}`));
    result.lost.push(...lost(life, kept), ...deaths.flatMap((death) => changed(death, kept)));
    result.unannounced.push(...unannounced(kept));
    result.repeated.push(...repeated(deaths, kept));
    result.unfinished.push(...badEnd(life), ...unfinished(deaths, kept));
    result.unverified.push(...[...kept.runs.values()].flatMap(({ problems }) => problems));
    result.unpaired.push(...unpaired(kept));
    result.unreplayed.push(...(await unreplayed(folder)));
    return result;
  } finally {
    endSurvivors(mark);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A look at a copy: recovery is left to the next life. */
async function readCopy(folder: string): Promise<Kept> {
  const copy = mkdtempSync(join(tmpdir(), 'hermes-kill-copy-'));
  try {
    for (const name of ['hermes.db', 'hermes.db-wal', 'logs', 'effects']) {
      if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name), { recursive: true });
    }
    return await readKept(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Right after a death all must be whole but for a torn last line of a log. */
function afterDeath({ runs }: Kept): string[] {
  return [...runs.values()].flatMap(({ problems }) => problems).filter((problem) => !problem.startsWith('log_torn'));
}

function badEnd({ said, status, errors }: Life): string[] {
  const faults = said.flatMap((line) => {
    if (line.said === 'problem') return [`log: ${line.message}`];
    return line.said === 'outcome' && line.status !== 'success' ? [`${line.run_id} ended as ${line.status}`] : [];
  });
  return status === 0 && errors === '' ? faults : [...faults, `the last life ended with ${status}: ${errors}`];
}
