/** kill -9 at ten points of a talk with side effects, real processes; `npm run bench:kill` does the same at a hundred. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultsOf, killAt } from '../../bench/kill/point.ts';
import { killEverywhere } from '../../bench/kill/points.ts';

test('kill -9 anywhere: nothing committed is lost, nothing done is done again, the talk comes to its end', async () => {
  const results = await killEverywhere(8);
  assert.deepEqual(
    results.flatMap((result) => faultsOf(result).map((fault) => [result.kills, fault])),
    [],
  );
});

test('kill -9 in the middle of calls: doubt is told, safe calls are made again, their processes end before the run goes on', {
  skip: process.platform !== 'linux' && 'processes of a dead program are found through /proc',
}, async () => {
  const [once, twice] = await Promise.all([
    killAt([{ tool: 'serve', ms: 150 }]),
    killAt([
      { tool: 'build', ms: 0 },
      { tool: 'index', ms: 0 },
    ]),
  ]);
  assert.deepEqual([faultsOf(once), faultsOf(twice)], [[], []]);
  assert.ok(once.orphans > 0 && once.doubts > 0, JSON.stringify(once));
  assert.ok(twice.doubts > 2, JSON.stringify(twice));
});
