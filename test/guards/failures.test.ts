/** Repeated failures: which tools close, what the model is told, and what opens them again. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tool } from '../../src/tools/define.ts';
import { plainTool, type Said, told } from './story.ts';

const broken = plainTool('web_search', [new Error('503')], { description: 'Searches the web for pages.' });
const other = plainTool('news_search', ['news'], { description: 'Searches the web for news.' });
const far = plainTool('calculator', ['4'], { description: 'Evaluates an arithmetic expression.' });
const query = (q: string, name = 'web_search'): Said => [name, { q }];

test('two failures in a row close a tool; similar ones are named; going on ends the run', async () => {
  const tools = [broken, other, far];
  const { outcome, trips, refused, messages } = await told(
    'Search',
    ['a', 'b', 'c', 'd', 'e'].map((q) => query(q)),
    { tools },
  );
  assert.deepEqual(trips, ['tool_failures:refuse', 'tool_failures:refuse', 'tool_failures:stop']);
  assert.deepEqual(refused.slice(0, 2), ['web_search:tool_failures', 'web_search:tool_failures']);
  assert.match(messages[0]!, /web_search has failed 2 times.*Similar tools: news_search/);
  assert.doesNotMatch(messages[0]!, /calculator/);
  assert.equal(outcome.status, 'stopped_by_guard');
  const well = await told('搜一下', [query('a'), query('b'), query('c'), query('c', 'news_search'), '好了'], { tools });
  assert.equal(well.outcome.status, 'success');
  assert.match(well.messages[0]!, /连续失败 2 次.*news_search/);
});

test('success resets, per tool', async () => {
  const shaky = plainTool('shaky', [new Error('x'), 'ok', new Error('x'), 'ok', new Error('x'), 'ok']);
  const calls = [1, 2, 3, 4, 5, 6].map((n): Said => ['shaky', { n }]);
  assert.deepEqual((await told('Try', [...calls, 'done'], { tools: [shaky] })).trips, []);
  const two = [query('a'), ['other', { q: 'a' }], query('b'), ['other', { q: 'b' }], query('c')] as Said[];
  const { refused } = await told('Try', [...two, 'done'], { tools: [broken, plainTool('other', [new Error('y')])] });
  assert.deepEqual(refused, ['web_search:tool_failures']);
});

test('a closed tool opens for arguments not tried yet once another call has succeeded', async () => {
  const files: Record<string, string> = { 'docs/a.md': 'text' };
  const read = plainTool('read', ({ path }) => files[String(path)] ?? new Error(`no file ${path}`));
  const list = plainTool('list', [Object.keys(files)]);
  const said: Said[] = [['read', { path: 'a.md' }], ['read', { path: 'A.md' }], ['list'], ['read', { path: 'docs/a.md' }], 'done'];
  const { outcome, trips } = await told('Read a.md', said, { tools: [read, list] });
  assert.deepEqual(trips, []);
  assert.equal(outcome.toolCalls.at(-1)?.success, true);
  const same = await told('Read a.md', [...said.slice(0, 3), ['read', { path: 'A.md' }], 'done'], { tools: [read, list] });
  assert.deepEqual(same.refused, ['read:tool_failures']);
});

test('calls that were denied, and calls that were never made, are no failures of the tool', async () => {
  const send = plainTool('send', ['sent'], { level: 'dangerous' });
  const said = [1, 2, 3].map((n): Said => ['send', { n }]);
  const { trips } = await told('Send', [...said, 'done'], { tools: [send], permissions: {}, onApproval: async () => false });
  assert.deepEqual(trips, []);
});

test('wrong arguments: two repairs, then the tool is closed', async () => {
  const strict = tool({
    name: 'order',
    description: 'Looks up an order by its number.',
    input: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    level: 'read',
    execute: () => 'found',
  });
  const wrong = ['a', 'b', 'c', 'd'].map((number): Said => ['order', { number }]);
  const { refused } = await told('Order', [...wrong, 'sorry'], { tools: [strict] });
  assert.deepEqual(refused, ['order:invalid_arguments', 'order:invalid_arguments', 'order:invalid_arguments', 'order:tool_failures']);
  const mended = await told('Order', [...wrong.slice(0, 2), ['order', { number: 7 }], 'found'], { tools: [strict] });
  assert.deepEqual(mended.trips, []);
});

test('the numbers: closed later, or never', async () => {
  const said = [...['a', 'b', 'c', 'd'].map((q) => query(q)), 'sorry'];
  const later = await told('Search', said, { tools: [broken], guards: { toolFailures: 3 } });
  assert.equal(later.refused.length, 1);
  assert.deepEqual((await told('Search', said, { tools: [broken], guards: { toolFailures: 0 } })).refused, []);
});
