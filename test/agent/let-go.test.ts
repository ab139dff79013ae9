/** A run that is over is let go of by the next small collection: what only a full one frees is paid for by every small one before it. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

const script = `
  import { Agent, tool } from 'hermes-agent';
  import { scriptedModel } from 'hermes-agent/testing';
  const add = tool({ name: 'add', description: 'Adds.', level: 'read', input: { type: 'object', properties: { a: { type: 'number' } } }, execute: async ({ a }) => a });
  const script = [...Array.from({ length: 9 }, (_, a) => ({ calls: [{ name: 'add', arguments: { a } }] })), 'done'];
  const once = async () => { const { status } = await new Agent({ model: scriptedModel(script), tools: [add] }).run('go'); if (status !== 'success') throw new Error(status); };
  const settled = async () => { for (let i = 0; i < 4; i++) { await new Promise(setImmediate); gc({ type: 'minor' }); } return process.memoryUsage().heapUsed; };
  for (let i = 0; i < 100; i++) await once();
  gc(); const before = await settled();
  for (let i = 0; i < 200; i++) await once();
  console.log((await settled()) - before);`;

test('200 runs of 10 steps leave less than 4 MB behind before any full collection', () => {
  const grown = Number(execFileSync(process.execPath, ['--conditions=hermes-source', '--expose-gc', '--input-type=module', '-e', script]));
  assert.ok(grown < 4_000_000, `${grown} bytes`);
});
