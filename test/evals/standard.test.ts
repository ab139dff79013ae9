/** The standard cases with their scripts, in every protocol that a script can be written for. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { readCases, standardFolder } from '../../src/evals/read-file.ts';
import { runCases } from '../../src/evals/run.ts';
import { SCRIPTED_PROTOCOLS } from '../../src/evals/script.ts';
import { scanTools } from '../../src/tools/scan.ts';

const { tools: shipped } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
const cases = await readCases(
  [await standardFolder()],
  shipped.map(({ info }) => info.name),
);

test('there are more than 30 standard cases, half of them Chinese', () => {
  assert.ok(cases.length >= 32, String(cases.length));
  const chinese = cases.filter(({ turns }) => /\p{Script=Han}/u.test(turns[0]!.request)).length;
  assert.ok(Math.abs(2 * chinese - cases.length) <= 1, String(chinese));
});

for (const protocol of SCRIPTED_PROTOCOLS) {
  test(`all standard cases pass with their scripts (${protocol})`, async () => {
    const results = await runCases(cases, { contestants: [{ name: 'script', protocol }], tools: shipped, parallel: 4 });
    const failed = results.filter(({ passed }) => !passed).map((one) => `${one.case}: ${one.problems.join('; ')}`);
    assert.deepEqual(failed, []);
    assert.equal(results.length, cases.length);
    assert.deepEqual([...new Set(results.map((one) => one.protocol))], [protocol]);
  });
}
