/** Standard cases on a real model: the embedded default on its rails. What it can do is reported; X1 in Chinese has to be right. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { readCases, standardFolder } from '../../src/evals/read-file.ts';
import { runCases } from '../../src/evals/run.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { embeddedModel } from '../models/embedded.ts';

const CHOSEN = ['calculator-zh', 'read-file-en', 'general-questions-en', 'order-status-zh'];

test('the embedded model on some standard cases', { timeout: 180_000 }, async (context) => {
  const model = await embeddedModel(context);
  if (!model) return;
  const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
  const cases = await readCases(
    [await standardFolder()],
    tools.map(({ info }) => info.name),
  );
  const chosen = cases.filter(({ name }) => CHOSEN.includes(name));
  const results = await runCases(chosen, { contestants: [{ name: model.id, model }], tools });
  await model.close?.();
  const passed = results.filter((one) => one.passed);
  context.diagnostic(`${passed.length} of ${results.length} passed: ${passed.map((one) => one.case).join(', ')}`);
  assert.equal(results.length, CHOSEN.length);
  assert.ok(results.every((one) => one.protocol === 'guided' && one.seconds > 0 && one.steps > 0));
  const calculator = results.find((one) => one.case === 'calculator-zh')!;
  context.diagnostic(`calculator-zh: ${calculator.answers[0]}`);
  assert.deepEqual(calculator.problems, [], 'the number of X1 is right');
});
