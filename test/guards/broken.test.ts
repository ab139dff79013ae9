/** A rule that throws stops the run as an error that names it, and lets nothing through. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentOptions } from '../../src/agent/types.ts';
import { plainTool, told } from './story.ts';

function broken(): never {
  throw new TypeError('not what was expected');
}

test('a guard, a before-think and a before-finish rule that throw', async () => {
  const ran: unknown[] = [];
  const send = plainTool('send', (args) => ran.push(args), { level: 'dangerous' });
  const kinds: AgentOptions['rules'][] = [{ guards: [broken] }, { beforeThink: [broken] }, { beforeFinish: [broken] }];
  for (const rules of kinds) {
    const { outcome, events } = await told('Send', rules?.beforeFinish ? ['done'] : [['send']], { tools: [send], rules: rules! });
    assert.equal(outcome.status, 'error');
    assert.equal(outcome.error?.code, 'guard_failed');
    assert.match(outcome.error?.message ?? '', /the rule broken failed: not what was expected/);
    assert.equal(events.filter((event) => event.event_type === 'run.abort').length, 1);
  }
  assert.deepEqual(ran, []);
});

test('a guard that throws once calls are open: each gets its result', async () => {
  const rules = { guards: [(state: { calls: readonly unknown[] }) => (state.calls.length > 0 ? broken() : undefined)] };
  const { outcome, refused } = await told('Read', [[['read'], ['read', { n: 1 }]]], { tools: [plainTool('read', ['x'])], rules });
  assert.equal(outcome.error?.code, 'guard_failed');
  assert.deepEqual(refused, ['read:cancelled', 'read:cancelled']);
});
