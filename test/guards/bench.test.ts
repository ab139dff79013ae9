/** A sample of bench:guards: clean runs are not disturbed, faulty ones are caught. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bfclCases } from '../../bench/guards/bfcl.ts';
import { cleanCases } from '../../bench/guards/clean.ts';
import { faultyCases } from '../../bench/guards/faulty.ts';
import { heldClean, heldFaulty } from '../../bench/guards/held.ts';
import { runCase } from '../../bench/guards/run.ts';

const everyThird = <T>(all: readonly T[]) => all.filter((_, index) => index % 3 === 0);

test('clean runs', async () => {
  for (const one of [...everyThird([...cleanCases(), ...heldClean()]), ...bfclCases(5)]) {
    const { disturbed, answer } = await runCase(one);
    assert.deepEqual(disturbed, [], `${one.name}: ${answer}`);
  }
});

test('faulty runs', async () => {
  const cases = everyThird([...faultyCases(), ...heldFaulty()]);
  const done = [];
  for (const one of cases) done.push(await runCase(one));
  const missed = done.filter(({ caught }) => !caught);
  assert.ok(missed.length * 10 <= cases.length, missed.map(({ answer }) => answer).join('\n'));
});
