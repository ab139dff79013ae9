/** The cap on calls that act on the outside. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainTool, type Said, told } from './story.ts';

const post = plainTool('post', ['ok'], { level: 'dangerous' });
const read = plainTool('read', ({ n }) => `page ${n}`);
const calls = (name: string, count: number): Said[] => Array.from({ length: count }, (_, n) => [name, { n }] as Said);

test('calls beyond the cap are not made, also when a rule allows them; reading ones are free', async () => {
  const guards = { outwardCalls: 3 };
  const { outcome, refused, messages } = await told('Post', [...calls('post', 5), ...calls('read', 3), 'done'], {
    tools: [post, read],
    guards,
    limits: { maxSteps: 20 },
  });
  assert.deepEqual(refused, ['post:outward_calls', 'post:outward_calls']);
  assert.equal(outcome.toolCalls.filter(({ success }) => success).length, 6);
  assert.match(messages[0]!, /may make 3 calls/);
  const together = calls('post', 5) as [string][];
  const atOnce = await told('Post', [together, 'done'], { tools: [post], guards });
  assert.equal(atOnce.outcome.toolCalls.filter(({ success }) => success).length, 3);
});

test('the usual cap is 20, and 0 is none', async () => {
  const many = [calls('post', 25) as [string][], 'done'];
  assert.equal((await told('发布', many, { tools: [post] })).refused.length, 5);
  assert.equal((await told('发布', many, { tools: [post], guards: { outwardCalls: 0 } })).refused.length, 0);
});
