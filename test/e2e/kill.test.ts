/** kill -9 at ten points of a talk with side effects, real processes; `npm run bench:kill` does the same at a hundred. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readKept, unannounced, unpaired } from '../../bench/kill/check.ts';
import { endSurvivors, live, survivors } from '../../bench/kill/life.ts';
import { faultsOf, killAt } from '../../bench/kill/point.ts';
import { killEverywhere } from '../../bench/kill/points.ts';

test('kill -9 anywhere: nothing committed is lost, nothing done is done again, the talk comes to its end', async () => {
  const results = await killEverywhere(8);
  assert.deepEqual(
    results.flatMap((result) => faultsOf(result).map((fault) => [result.kills, fault])),
    [],
  );
});

const skip = process.platform !== 'linux' && 'processes of a dead program are found through /proc';

test('kill -9 in the middle of calls: doubt is told, safe calls are made again, their processes end before the run goes on', {
  skip,
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

test('after kill -9 a person just says the next thing: the doubt is told, the history is valid, nothing is left over', {
  skip,
}, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-kill-'));
  context.after(() => {
    endSurvivors(folder);
    rmSync(folder, { recursive: true, force: true });
  });
  await live(folder, folder, { kill: { tool: 'serve', ms: 150 } });
  assert.ok(survivors(folder).length > 0, 'a process has outlived its program');
  const { status, errors } = await live(folder, folder, { next: true });
  assert.deepEqual([status, errors, survivors(folder)], [0, '', []]);
  const kept = await readKept(folder);
  const [second, first] = [...kept.runs.values()].filter(({ head }) => head.parent_id === undefined);
  assert.deepEqual([first?.head.status, second?.head.status], ['interrupted', 'success']);
  assert.deepEqual(
    [...kept.runs.values()].flatMap(({ problems }) => problems),
    [],
  );
  assert.deepEqual(unannounced(kept), []);
  assert.deepEqual(unpaired({ ...kept, runs: new Map([['second', second!]]) }), []);
  const told = second!.state.messages.find((message) => message.role === 'tool' && message.name === 'serve');
  assert.ok(told?.role === 'tool' && !told.success && /未知/.test(told.content), told?.content);
});
