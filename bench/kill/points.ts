/** Where to kill: points spread evenly over the talk, in turns by event and by time, and several of them at once. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Kill, live } from './life.ts';
import { killAt, type PointResult } from './point.ts';

/** Talks at the same time. They mostly wait. */
const PARALLEL = 2;

/** `done` hears of each point as it ends. */
export async function killEverywhere(count: number, done: (result: PointResult) => void = () => {}): Promise<PointResult[]> {
  const whole = await measure();
  const results: PointResult[] = [];
  const left = [...Array(count).keys()];
  const work = async () => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const result = await killAt(killsOf(index, count, whole), { watch: index % 4 < 2 });
      results.push(result);
      done(result);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return results;
}

/** How much a talk says that nobody kills, and how long it takes. */
async function measure(): Promise<{ lines: number; ms: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-kill-'));
  try {
    const { said, status, errors, ms } = await live(folder, 'whole');
    if (status !== 0) throw new Error(`the talk that nobody kills ended with ${status}: ${errors}`);
    return { lines: said.length, ms };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Even points by event, odd ones by time; at every fifth the program that goes on is killed, too. */
function killsOf(index: number, count: number, whole: { lines: number; ms: number }): Kill[] {
  const share = index / count;
  const byEvent = { lines: 1 + Math.round(share * whole.lines), ms: Math.random() * 4 };
  const byTime = { lines: 1, ms: share * whole.ms };
  const again = { lines: 2 + Math.round(Math.random() * whole.lines * (1 - share)), ms: Math.random() * 4 };
  return [index % 2 === 0 ? byEvent : byTime, ...(index % 5 === 4 ? [again] : [])];
}
