/** The judge: every kind of expectation can fail, and says in one line why. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from '../../src/evals/judge.ts';
import type { Expected, Happened } from '../../src/evals/types.ts';

const calm: Expected = { tools: 'any', ending: ['answer'], answer: {}, limits: {} };
function happened(outcome: Partial<Happened['outcome']>, more: Partial<Happened> = {}): Happened {
  const base = { status: 'success' as const, answer: 'The result is 160.', highlights: [], steps: 2, usage: {}, toolCalls: [] };
  return { outcome: { ...base, ...outcome }, asked: [], files: {}, seconds: 1, ...more };
}
const expecting = (expected: Partial<Expected>, ...args: Parameters<typeof happened>) => judge({ ...calm, ...expected }, happened(...args));

test('what is as expected gives no problem', () => {
  const answer = { contains: ['RESULT', ['zzz', '160']], not_contains: ['error'], matches: ['^the .*160'], number: 160 };
  const limits = { steps: 2, tokens: 10, seconds: 2 };
  assert.deepEqual(
    expecting({ answer, limits, highlights: ['花生'] }, { highlights: ['用户对花生过敏'], usage: { inputTokens: 7, outputTokens: 3 } }),
    [],
  );
});

test('endings: an answer, a refusal, a question, a status', () => {
  for (const answer of ['抱歉，我不能这样做。', 'I cannot do that.', "I won't.", '没有成功：路径在工作区之外'])
    assert.deepEqual(expecting({ ending: ['refusal'] }, { answer }), [], answer);
  for (const answer of ['请告诉我订单号。', 'Which order do you mean?'])
    assert.deepEqual(expecting({ ending: ['question'] }, { answer }), [], answer);
  assert.deepEqual(expecting({ ending: ['max_steps'] }, { status: 'max_steps', answer: '' }), []);
  assert.match(expecting({ ending: ['refusal', 'question'] }, {})[0] ?? '', /^outcome: expected refusal or question, got "The result/);
  assert.match(expecting({}, { status: 'timeout' })[0] ?? '', /expected answer, got timeout/);
  assert.match(expecting({}, { answer: ' ' })[0] ?? '', /expected answer/);
});

test('a run that failed is one problem, not ten', () => {
  const error = { code: 'wrong_key', message: 'the key was refused' };
  assert.deepEqual(expecting({ tools: ['weather'], answer: { number: 1 } }, { status: 'error', error, answer: '' }), [
    'outcome: expected answer, got error (wrong_key: the key was refused)',
  ]);
});

test('each check can fail, and names what was expected and what came', () => {
  const fails: [RegExp, Partial<Expected>, ...Parameters<typeof happened>][] = [
    [/^answer: expected "seven" in it, got "The result/, { answer: { contains: ['seven'] } }, {}],
    [/^answer: expected \["a9","b9"\] in it/, { answer: { contains: [['a9', 'b9']] } }, {}],
    [/^answer: expected no "160" in it/, { answer: { not_contains: ['160'] } }, {}],
    [/^answer: expected \/\^160\/, got/, { answer: { matches: ['^160'] } }, {}],
    [/^answer: expected the number 161, got/, { answer: { number: 161 } }, {}],
    [/^highlights: expected one with "tea", got \[\]/, { highlights: ['tea'] }, {}],
    [/^output\.pieces: expected 37, got 36/, { output: { pieces: 37 } }, { output: { pieces: 36 } }],
    [/^asks: expected notify, got none/, { asks: ['notify'] }, {}],
    [/^asks: expected none, got notify/, { asks: [] }, {}, { asked: ['notify'] }],
    [/^a\.md: expected "\/x\/", got nothing/, { files: { 'a.md': '/x/' } }, {}],
    [/^steps: at most 1, got 2/, { limits: { steps: 1 } }, {}],
    [/^tokens: at most 5, got 10/, { limits: { tokens: 5 } }, { usage: { inputTokens: 7, outputTokens: 3 } }],
    [/^seconds: at most 0.5, got 1/, { limits: { seconds: 0.5 } }, {}],
  ];
  for (const [pattern, expected, ...args] of fails) {
    const problems = expecting(expected, ...args);
    assert.equal(problems.length, 1, JSON.stringify(problems));
    assert.match(problems[0]!, pattern);
  }
});

test('tokens that no provider has told are not judged', () => {
  assert.deepEqual(expecting({ limits: { tokens: 1 } }, { usage: {} }), []);
});
