/** Whole runs on react, and highlights on every protocol, through the library's front door. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, tool } from '../../src/index.ts';
import { path, scriptedModel } from '../../src/testing.ts';
import remember from '../../tools/remember.ts';

const look = tool({
  name: 'look_up',
  description: 'Looks up the weather of a city. Use it for every question about weather.',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  level: 'read',
  execute: ({ city }) => ({ city, temperature: 21 }),
});

test('react: a broken input comes back as its result, the next one runs, the answer streams without thoughts and highlights', async () => {
  const model = scriptedModel([
    'Thought: 查天气\nAction: look_up\nAction Input: {"city": \nObservation: 晴',
    'Thought: 再来\nAction: look_up\nAction Input: {"city": "杭州"}\nObservation: {"temperature": 99}\nFinal Answer: 99 度',
    'Thought: 知道了\nFinal Answer: 杭州 21 度。\nHighlights: 用户住在杭州',
  ]);
  const agent = new Agent({ model, tools: [look], protocol: 'react' });
  let shown = '';
  const run = agent.start('杭州天气怎么样？');
  for await (const text of run.text) shown += text;
  const outcome = await run.outcome;
  assert.deepEqual([outcome.status, outcome.answer, outcome.highlights], ['success', '杭州 21 度。', ['用户住在杭州']]);
  assert.equal(shown, '杭州 21 度。');
  assert.deepEqual(
    outcome.toolCalls.map(({ name, success }) => [name, success]),
    [
      ['look_up', false],
      ['look_up', true],
    ],
  );
  const last = JSON.stringify(model.calls[2]!.prompt);
  assert.match(last, /Observation: look_up 的结果/);
  assert.doesNotMatch(last, /99/, 'what the model invented is gone');
});

test('react: a reply without action or answer is sent back once', async () => {
  const agent = (...replies: string[]) =>
    new Agent({ model: scriptedModel(replies), tools: [look], protocol: 'react', guards: { madeUp: false } });
  const mended = await agent('Thought: hm.', 'Final Answer: 21').run('How warm is it?');
  assert.deepEqual([mended.answer, mended.steps], ['21', 2]);
  const lost = await agent('Thought: hm.', 'Thought: it is 21 degrees.').run('How warm is it?');
  assert.deepEqual([lost.answer, lost.steps, lost.status], ['it is 21 degrees.', 2, 'success'], 'its text serves as the answer');
});

test('react: a typed answer, mended once', async () => {
  const output = {
    type: 'object',
    properties: { city: { type: 'string' }, temperature: { type: 'number' } },
    required: ['city', 'temperature'],
  } as const;
  const agent = new Agent({
    model: scriptedModel([
      'Action: look_up\nAction Input: {"city": "杭州"}',
      'Final Answer: 21 度',
      'Final Answer:\n```json\n{"city": "杭州", "temperature": 21}\n```\nHighlights: none',
    ]),
    tools: [look],
    protocol: 'react',
  });
  const outcome = await agent.run('杭州天气怎么样？', { output });
  assert.deepEqual([outcome.output, outcome.steps, outcome.highlights], [{ city: '杭州', temperature: 21 }, 3, []]);
});

test('highlights of all steps stand in the outcome once, on native, json and react alike', async () => {
  const fact = '用户对花生过敏。';
  const calls = [{ name: 'remember', arguments: { facts: [fact] } }];
  const native = new Agent({ model: scriptedModel([{ calls }, { calls }, '好的。']), tools: [look, remember], protocol: 'native' });
  const outcome = await native.run('我对花生过敏');
  assert.deepEqual([outcome.answer, outcome.highlights, path(outcome)], ['好的。', [fact], ['remember', 'remember']]);
  const json = JSON.stringify({ action: 'finish', answer: '好的。', highlights: [fact, fact] });
  for (const [protocol, text] of [
    ['json', json],
    ['react', `Final Answer: 好的。\nHighlights: ${fact}`],
  ] as const) {
    const model = scriptedModel([text]);
    const agent = new Agent({ model, tools: [look, remember], protocol });
    assert.deepEqual((await agent.run('我对花生过敏')).highlights, [fact], protocol);
    assert.doesNotMatch(JSON.stringify(model.calls[0]!.prompt), /"remember/, 'the tool is not shown');
  }
});
