/** Paths and single values: what fits, what does not, and how it is told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsNumber, mismatch } from '../../src/evals/match.ts';
import { matchPath } from '../../src/evals/path.ts';
import type { PathPattern } from '../../src/evals/types.ts';
import type { JsonObject } from '../../src/kernel/types.ts';

/** `weather`, failed `weather!`, refused for its form `weather?`. */
function calls(...names: (string | [name: string, args: JsonObject])[]) {
  return names.map((one) => {
    const [text, args] = typeof one === 'string' ? [one, {}] : one;
    const failure = { '!': 'timeout', '?': 'invalid_arguments' }[text.slice(-1)];
    const name = text.replace(/[!?]$/, '');
    return { name, arguments: args, success: failure === undefined, ms: 1, ...(failure ? { errorCode: failure } : {}) };
  });
}

test('a path is read like a regular expression over calls', () => {
  const fits: [PathPattern, ReturnType<typeof calls>][] = [
    ['none', calls()],
    ['any', calls('a', 'b!')],
    [['a', 'b'], calls('a', 'b')],
    [['a?', 'b'], calls('b')],
    [['a', 'a?', 'a?'], calls('a', 'a')],
    [['a!', 'a'], calls('a!', 'a')],
    [['a!?'], calls()],
    [[{ any_order: ['a', 'b', 'c'] }, 'd'], calls('c', 'a', 'b', 'd')],
    [[{ one_of: ['a', ['b', 'c']] }, 'd'], calls('b', 'c', 'd')],
    [[{ optional: { name: 'a', arguments: { x: 1 } } }, 'b'], calls(['a', { x: 1 }], 'b')],
    [[{ any_order: [{ one_of: ['a', 'b'] }, 'b?'] }], calls('b', 'a')],
    [['a'], calls('remember', 'a', 'remember')],
    ['none', calls('remember')],
  ];
  for (const [pattern, made] of fits) assert.equal(matchPath(made, pattern), undefined, JSON.stringify(pattern));
  const misfits: [PathPattern, ReturnType<typeof calls>][] = [
    ['none', calls('a')],
    ['none', calls('a?')],
    [[], calls('a')],
    [['a', 'b'], calls('b', 'a')],
    [['a'], calls('a', 'a')],
    [['a'], calls('a!')],
    [['a!'], calls('a')],
    [['a', 'b'], calls('a')],
    [[{ any_order: ['a', 'b'] }], calls('a', 'a')],
    [[{ one_of: ['a', ['b', 'c']] }], calls('b')],
  ];
  for (const [pattern, made] of misfits) assert.match(matchPath(made, pattern) ?? '', /^path: expected /, JSON.stringify(pattern));
});

test('a call refused for its form is no step, unless the path names it', () => {
  assert.equal(matchPath(calls('b?', 'a', 'a?'), ['a']), undefined);
  assert.equal(matchPath(calls('a?', 'a'), ['a!', 'a']), undefined);
  assert.match(matchPath(calls('a!', 'a'), ['a']) ?? '', /expected a, got a! -> a/, 'one that ran and failed is a step');
});

test('arguments: those that are named, or exactly all; what does not fit is told', () => {
  const made = calls(['weather', { city: '上海', days: 3, unit: 'C' }]);
  assert.equal(matchPath(made, [{ name: 'weather', arguments: { city: '/上海|Shanghai/', days: 3 } }]), undefined);
  assert.equal(matchPath(made, [{ name: 'weather', exactly: { city: '上海', days: 3, unit: 'C' } }]), undefined);
  assert.equal(
    matchPath(made, [{ name: 'weather', arguments: { city: '北京' } }]),
    'path: expected weather, got weather (weather.city: expected "北京", got "上海")',
  );
  assert.match(
    matchPath(made, [{ name: 'weather', exactly: { city: '上海', days: 3 } }]) ?? '',
    /weather\.unit: expected nothing, got "C"/,
  );
});

test('values: texts, patterns, near numbers, alternatives, tables by their named keys, lists in order', () => {
  const fits: [unknown, unknown][] = [
    ['a', 'a'],
    ['/^a+$/i', 'AAA'],
    ['/etc/passwd', '/etc/passwd'],
    ['/4/', 42],
    [{ near: 0.3, within: 0 }, 0.1 + 0.2],
    [{ one_of: ['x', 2] }, 2],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 }],
    [
      [1, '/b/'],
      [1, 'abc'],
    ],
    [true, true],
  ];
  for (const [expected, actual] of fits)
    assert.equal(mismatch(expected as never, actual as never, 'x'), undefined, JSON.stringify(expected));
  const misfits: [unknown, unknown][] = [
    ['a', 'A'],
    ['/^a$/', 'b'],
    [1, '1'],
    [{ near: 5, within: 1 }, 7],
    [{ one_of: ['x'] }, 'y'],
    [{ a: 1 }, {}],
    [[1], [1, 2]],
    ['a', undefined],
    [{ a: 1 }, 'a'],
  ];
  for (const [expected, actual] of misfits)
    assert.match(mismatch(expected as never, actual as never, 'x') ?? '', /^x/, JSON.stringify(expected));
});

test('a number is found in any usual way to write it', () => {
  for (const text of ['The result is 1,234.5.', '结果是１２３４．５。', '= 1234.50', '共1234.5元'])
    assert.ok(holdsNumber(text, 1234.5, 0), text);
  assert.ok(holdsNumber('−5 到 6 度', -5, 0));
  assert.ok(holdsNumber('6-12 days', 12, 0));
  assert.ok(!holdsNumber('1604', 160, 0));
  assert.ok(!holdsNumber('no number', 0, 0));
  assert.ok(holdsNumber('about 3.14', Math.PI, 0.01));
});
