/** `hermes models test` from inside: only what the model itself did counts. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tryModel } from '../../src/agent/trial.ts';
import { HermesError } from '../../src/kernel/errors.ts';
import { scriptedModel } from '../../src/models/scripted.ts';

const fails = (code: string) => ({ error: new HermesError(code, `it says ${code}.`, { kind: 'model', next: 'wait' }) });
const before = ['你好', '杭州是一座城市。', '{"name":"Anna","age":31}', 'Red.'];
const limited = (error: HermesError) => error.code === 'rate_limited' && error.next === 'wait';

test('a limit or a lost connection in the middle ends the trial: it says nothing about the model', async () => {
  await assert.rejects(tryModel(scriptedModel([...before, fails('rate_limited')])), limited);
});

test('a refusal of tools is what the model cannot do', async () => {
  const { protocols } = await tryModel(scriptedModel([...before, fails('tools_not_supported')]), { protocols: ['native'] });
  assert.deepEqual([protocols[0]?.right, protocols[0]?.error?.code], [0, 'tools_not_supported']);
});
