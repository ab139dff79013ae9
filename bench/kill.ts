/**
 * kill -9 at many points of a talk with side effects: `npm run -s bench:kill [-- --points 100] [--json]`. A real process is
 * killed, by event and by time, and started again; what it had committed must be there, what it had done must not be done again.
 * On Linux it also looks for processes that outlive the talk. See kill/plan.ts for the talk and kill/check.ts for the checks.
 */

import { parseArgs } from 'node:util';
import { type FaultList, faultsOf, type PointResult } from './kill/point.ts';
import { killEverywhere } from './kill/points.ts';

const { values: options } = parseArgs({
  options: { points: { type: 'string', default: '100' }, json: { type: 'boolean', default: false } },
});
const count = Number(options.points);
if (!Number.isInteger(count) || count < 1) {
  process.stderr.write(`--points: expected a whole number from 1, got ${options.points}\n`);
  process.exit(2);
}

let finished = 0;
const results = await killEverywhere(count, (result) => {
  finished += 1;
  if (finished % 10 === 0 || finished === count) process.stderr.write(`${finished} of ${count} points\n`);
  for (const fault of faultsOf(result)) process.stderr.write(`${JSON.stringify(result.kills)}: ${fault}\n`);
});

const sum = (of: (result: PointResult) => number) => results.reduce((total, result) => total + of(result), 0);
/** How many faults there were; how many talks had none. */
const faults = (list: FaultList) => sum((result) => result[list].length);
const without = (list: FaultList) => results.filter((result) => result[list].length === 0).length;
const figures = [
  figure('committed_events_lost', faults('lost'), 0),
  figure('side_effects_repeated', faults('repeated'), 0),
  figure('side_effects_before_their_start', faults('unannounced'), 0),
  figure('calls_without_one_result', faults('unpaired'), 0),
  figure('processes_left', faults('left'), 0),
  figure('runs_finished_or_in_doubt', without('unfinished'), count),
  figure('logs_verified', without('unverified'), count),
  figure('talks_replayed', without('unreplayed'), count),
];
const kills = sum((result) => result.kills.length);
const doubts = sum((result) => result.doubts);
const orphans = sum((result) => result.orphans);
if (options.json) console.log(JSON.stringify({ figures, points: count, kills, calls_in_doubt: doubts, orphans }));
else {
  console.log(`${count} talks, ${kills} kills: ${doubts} calls in doubt, ${orphans} processes that outlived their program`);
  for (const { name, value, goal, ok } of figures) console.log(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}`);
}
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;

function figure(name: string, value: number, goal: number) {
  return { name, value, goal, ok: value === goal };
}
