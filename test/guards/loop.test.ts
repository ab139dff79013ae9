/** Loops: what is told, refused, stopped, and what is no loop. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainTool, type Said, told } from './story.ts';

const search = plainTool('search', ['nothing found']);
const again = (said: Said, times: number): Said[] => Array.from({ length: times }, () => said);

test('the same call with the same result: told at the second, not made at the third, and insisting ends the run', async () => {
  const { outcome, trips, refused, messages } = await told('Find it', again(['search', { q: 'x', n: 1 }], 6), { tools: [search] });
  assert.deepEqual(trips, ['loop:nudge', 'loop:refuse', 'loop:stop']);
  assert.deepEqual(refused, ['search:loop', 'search:cancelled']);
  assert.equal(outcome.status, 'stopped_by_guard');
  assert.equal(outcome.stoppedBy, 'loop');
  assert.equal(outcome.toolCalls.filter(({ success }) => success).length, 2);
  assert.match(messages[1]!, /search.*2 times/);
  assert.match(outcome.report ?? '', /insisted/);
});

test('a model that takes the hint ends well, in Chinese too', async () => {
  const { outcome, trips, messages } = await told('找一下', [...again(['search', { q: '甲' }], 3), '没有找到。'], { tools: [search] });
  assert.deepEqual(trips, ['loop:nudge', 'loop:refuse']);
  assert.equal(outcome.status, 'success');
  assert.match(messages[0]!, /换一种办法/);
});

test('keys reordered, letter case, spaces, punctuation, width and the next page are trifles when the result is the same', async () => {
  const variants: Record<string, Said[]> = {
    keys: [
      ['search', { a: 1, b: 2 }],
      ['search', { b: 2, a: 1 }],
      ['search', { a: 1, b: 2 }],
    ],
    spelling: [
      ['search', { q: 'Tea House' }],
      ['search', { q: 'tea  house?' }],
      ['search', { q: '"tea house"' }],
    ],
    chinese: [
      ['search', { q: '茶馆 上海' }],
      ['search', { q: '茶馆，上海。' }],
      ['search', { q: '茶馆上海？' }],
    ],
    pages: [
      ['search', { q: 'tea', page: 1 }],
      ['search', { q: 'tea', page: 2 }],
      ['search', { q: 'tea', page: '3' }],
    ],
  };
  for (const [name, said] of Object.entries(variants))
    assert.deepEqual((await told('Find it', [...said, 'no'], { tools: [search] })).trips, ['loop:nudge', 'loop:refuse'], name);
});

test('insisting in another spelling is insisting', async () => {
  const said = ['a b', 'a  b', 'A b', 'a b?', '"a b"'].map((q): Said => ['search', { q }]);
  assert.deepEqual((await told('Find it', said, { tools: [search] })).trips, ['loop:nudge', 'loop:refuse', 'loop:stop']);
});

test('ABAB is a loop, also when one of them writes the same again and again', async () => {
  const both = [search, plainTool('look', ['same'])];
  const reading = await told('Go', [...again(['search'], 1), ['look'], ['search'], ['look'], ['search'], ['look'], 'end'], { tools: both });
  assert.deepEqual(reading.trips, ['loop:nudge', 'loop:nudge', 'loop:refuse', 'loop:refuse']);
  const write = plainTool('write', ['saved'], { level: 'write' });
  const writing = await told('Go', [['write'], ['look'], ['write'], ['look'], ['write'], ['look'], ['write'], ['look']], {
    tools: [write, both[1]!],
  });
  assert.ok(writing.trips.includes('loop:refuse'), String(writing.trips));
  assert.equal(writing.outcome.toolCalls.filter(({ name, success }) => name === 'write' && success).length, 2);
});

test('no loop: results that change, other arguments, arithmetic that only looks alike, two in one reply, a look after a change', async () => {
  const poll = plainTool('poll', ['10 %', '40 %', '40 % ', '90 %', 'done']);
  assert.deepEqual((await told('Wait', [...again(['poll'], 5), 'done'], { tools: [poll] })).trips, []);
  const lamp = plainTool('lamp', ['ok'], { level: 'write' });
  const rooms = ['A', 'a', 'b', 'c'].map((room): Said => ['lamp', { room }]);
  assert.deepEqual((await told('Lamps', [...rooms, 'done'], { tools: [lamp] })).trips, []);
  const calculator = plainTool('calculator', ['4']);
  const sums = ['2+2', '2*2', '8/2'].map((expression): Said => ['calculator', { expression }]);
  assert.deepEqual((await told('Sums', [...sums, '4'], { tools: [calculator] })).trips, []);
  const twice: Said[] = [
    [
      ['search', { q: 'x' }],
      ['search', { q: 'x' }],
      ['search', { q: 'x' }],
    ],
    'done',
  ];
  assert.deepEqual((await told('Find', twice, { tools: [search] })).trips, []);
  const read = plainTool('read', ['text']);
  const edit = plainTool('edit', ['saved'], { level: 'write' });
  const edits: Said[] = [
    ['read'],
    ['edit', { line: 1 }],
    ['read'],
    ['edit', { line: 2 }],
    ['read'],
    ['edit', { line: 3 }],
    ['read'],
    'done',
  ];
  assert.deepEqual((await told('Edit', edits, { tools: [read, edit] })).trips, []);
});

test('the numbers: more patience, or none at all', async () => {
  const said = [...again(['search'], 6), 'end'];
  const patient = await told('Find it', said, { tools: [search], guards: { loopCalls: 5 } });
  assert.deepEqual(patient.trips, ['loop:nudge', 'loop:refuse', 'loop:stop']);
  assert.equal(patient.outcome.toolCalls.filter(({ success }) => success).length, 4);
  assert.deepEqual((await told('Find it', said, { tools: [search], guards: { loopCalls: 0 } })).trips, []);
  await assert.rejects(async () => told('x', [], { guards: { loopCall: 1 } as never }), /guards\.loopCall.*/);
  await assert.rejects(async () => told('x', [], { guards: { loopCalls: -1 } }), /guards\.loopCalls: expected a whole number/);
});
