/** Each provider's profile and client against the fake endpoint that behaves as its vendor documents, in 14 scenarios. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { conforming, type Result, runScenario, scenarioNames, titleOf } from '../../bench/providers/run.ts';
import { dashscope, deepseek } from '../fakes/vendors/china.ts';
import { vendors } from '../fakes/vendors.ts';

/** As the issue has it; every fake beyond is welcome. */
const wanted = 14;

// Side by side: most of the time is spent on waits that the scenarios ask for.
describe('conformance', { concurrency: true }, () => {
  for (const vendor of vendors) {
    it(titleOf(vendor), async () => {
      const results: Result[] = [];
      for (const scenario of scenarioNames) results.push(await runScenario(vendor, scenario));
      assert.equal(results.length, 14);
      const failed = results.filter(({ result }) => result === 'fail').map(({ scenario, why }) => `${scenario}: ${why}`);
      assert.deepEqual(failed, []);
      assert.deepEqual(conforming(results), [titleOf(vendor)]);
    });
  }

  it(`there are fakes for at least ${wanted} providers, each named once`, () => {
    const titles = new Set(vendors.map(titleOf));
    assert.equal(titles.size, vendors.length);
    assert.ok(new Set(vendors.map(({ provider }) => provider)).size >= wanted);
  });

  it('with the habits of another provider a scenario fails, and says why', async () => {
    const lost = await runScenario({ ...deepseek, provider: 'xai', base: '/v1' }, 'one tool');
    assert.equal(lost.result, 'fail');
    assert.match(lost.why ?? '', /refused \(400\): .*reasoning_content/);
    const unmarked = await runScenario({ ...dashscope, provider: 'xai', base: '/v1' }, 'cached prefix');
    assert.deepEqual([unmarked.result, unmarked.why], ['fail', 'cached share 0 % from step 3']);
  });
});
