/** Pre-selection of tools by words, without a model. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ToolInfo } from '../../src/kernel/types.ts';
import { selectTools } from '../../src/tools/select.ts';
import { tools } from '../protocols/talk.ts';

const best = (request: string, among = tools) => selectTools(request, among)[0]?.tool.name;

test('finds the tool in English and in Chinese', () => {
  const wanted: Record<string, string> = {
    'What is 88 + 47 * 2?': 'calculator',
    'how much is that in total': 'calculator',
    '36 和 12 一共多少': 'calculator',
    'Tell me the time in Berlin': 'current_time',
    莫斯科现在几点: 'current_time',
    'Is it raining in Oslo?': 'weather',
    上海明天会下雨吗: 'weather',
    'Please remember my locker code': 'notes_set',
    帮我记住车牌号: 'notes_set',
    'look up the code': 'notes_get',
    查笔记: 'notes_get',
  };
  for (const [request, tool] of Object.entries(wanted)) assert.equal(best(request), tool, request);
});

test('a request that points to no tool scores 0 everywhere', () => {
  for (const request of ['', '你好', 'Who wrote Hamlet?', '😀', 'What is the capital of France?']) {
    assert.deepEqual(
      selectTools(request, tools).map(({ score, matches }) => score + matches),
      [0, 0, 0, 0, 0],
      request,
    );
  }
});

test('function words and single characters inside other words point nowhere', () => {
  assert.equal(selectTools('is it in the', tools)[0]!.score, 0);
  assert.equal(selectTools('打算盘', tools)[0]!.tool.name, 'calculator', '算 is a keyword by itself');
  assert.equal(selectTools('气', tools)[0]!.score, 0, '气 is only part of 天气');
});

test('shapes count: an address, a file name, a sum meet those of the examples', () => {
  const shaped = (name: string, request: string): ToolInfo => ({
    name,
    description: '',
    input_schema: { type: 'object' },
    level: 'read',
    hash: name,
    examples: [{ request, arguments: {} }],
  });
  const among = [
    shaped('mail', 'to bob@example.com'),
    shaped('file', 'show plan.md'),
    shaped('sum', '2 + 3'),
    shaped('page', 'fetch https://example.com/a'),
  ];
  assert.equal(best('carla@acme.org 你好', among), 'mail');
  assert.equal(best('看 notes/报告.txt', among), 'file');
  assert.equal(best('（１３＋２７）×４', among), 'sum');
  assert.equal(best('https://hermes.test 上有什么', among), 'page');
});

test('all tools come back, best first, with how many words point to each', () => {
  const ranked = selectTools('What is the weather now, do I need an umbrella?', tools);
  assert.equal(ranked.length, tools.length);
  assert.ok(ranked[0]!.matches >= 2);
  assert.deepEqual(
    ranked.map(({ score }) => score),
    ranked.map(({ score }) => score).toSorted((a, b) => b - a),
  );
  assert.deepEqual(selectTools('x', []), []);
});
