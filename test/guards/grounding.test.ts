/** Answers after tool results: what passes, what is replaced, and by what. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groundAnswer } from '../../src/guards/grounding.ts';
import type { State, ToolInfo } from '../../src/kernel/types.ts';
import { explainArgument } from '../../src/tools/resolve.ts';
import notesSet from '../../tools/notes_set.ts';
import { answered, asked, calculator, called, then, tools } from '../protocols/talk.ts';

const listing: ToolInfo = {
  name: 'list_files',
  description: 'Lists files.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  level: 'read',
  hash: 'l',
  examples: [
    { request: 'Which files are there?', arguments: {}, result: { entries: ['a.md', 'b.md'] }, answer: 'There are a.md and b.md.' },
  ],
};
const rule = groundAnswer(() => [...tools, listing]);

/** The answer that takes the place of the model's; undefined when the model's stays. */
function replacement(state: State): string | undefined {
  const command = rule(state);
  if (command === undefined) return undefined;
  assert.equal(command.do, 'record');
  const [fact] = command.do === 'record' ? command.facts : [];
  assert.ok(fact?.event_type === 'guard.trip' && fact.data.verdict === 'replace' && fact.data.guard === 'grounding');
  assert.equal(then(state, fact).answer, fact.data.answer, 'the kernel takes it as the answer');
  assert.equal(rule(then(state, fact)), undefined, 'at most once a run');
  return fact.data.answer;
}

const sum = (answer: string, request = '(13+27)*4 等于多少？') =>
  replacement(answered(called(asked(request), 'calculator', { expression: '(13+27)*4' }, '{"result":160}'), answer));
const time = (answer: string, request: string) =>
  replacement(
    answered(called(asked(request), 'current_time', { time_zone: 'Europe/Paris' }, '{"time_zone":"Europe/Paris","time":"09:47"}'), answer),
  );
const rain = (answer: string) =>
  replacement(
    answered(
      called(asked('Is it raining in Oslo?'), 'weather', { city: 'Oslo' }, '{"city":"Oslo","temp_c":7,"condition":"light rain"}'),
      answer,
    ),
  );

test('an answer that has to fit a schema is not judged as a sentence', () => {
  const state = answered(called(asked('(13+27)*4?'), 'calculator', { expression: '(13+27)*4' }, '{"result":160}'), '{"sum": 161}');
  assert.notEqual(rule(state), undefined);
  assert.equal(rule({ ...state, output_schema: { type: 'object' } }), undefined);
});

test('an answer with a value of the result and no other number stays', () => {
  for (const answer of ['结果是 160。', '160', '(13+27)*4 = 160', '答案：160.0']) assert.equal(sum(answer), undefined, answer);
  assert.equal(time('It is 9:47 in Paris.', 'What time is it in Paris?'), undefined);
  assert.equal(rain('Yes, light rain in Oslo.'), undefined);
});

test('an answer without a value of the result, or with a foreign number, is replaced after the example', () => {
  for (const answer of ['结果是多少', '结果是 150。', '160 或 161', '', '(13+27)*4 等于多少？160'])
    assert.equal(sum(answer), '结果是 160。', answer);
  assert.equal(sum('42', 'What is (13+27)*4?'), '(13+27)*4 is 160.');
  assert.equal(rain('It is lovely in Oslo.'), 'It is light rain in Oslo, 7 degrees.');
  assert.equal(rain('It is sunny in Madrid, 7 degrees.'), 'It is light rain in Oslo, 7 degrees.', 'the example told again');
  assert.equal(rain('It is not raining, 7 degrees.'), 'It is light rain in Oslo, 7 degrees.', 'the result denied');
  assert.equal(time('It is 9:05 in Paris.', 'What time is it in Paris?'), 'It is 09:47 in Paris.');
  assert.equal(time('现在是几点', '现在巴黎几点？'), '巴黎现在是 09:47。');
  assert.equal(time('09:47 in Paris', '现在巴黎几点？'), '巴黎现在是 09:47。', 'another language');
});

test('what goes on after the answer is complete is cut', () => {
  assert.equal(sum('结果是 160。 160 160'), '结果是 160。');
});

test('where no example fits, the values are printed, in the language of the run', () => {
  assert.equal(time('?', '请告诉我巴黎的钟点'), '结果：09:47');
  const files = (request: string) =>
    replacement(answered(called(asked(request), 'list_files', {}, '{"entries":["x.txt","y/"],"count":2}'), 'none'));
  assert.equal(files('list them'), 'entries: x.txt, y/, count: 2');
  assert.equal(files('列出文件'), 'entries：x.txt, y/，count：2');
  assert.equal(replacement(answered(called(asked('go'), 'unknown', {}, 'plain words of a tool'), 'no')), 'Result: plain words of a tool');
  assert.equal(replacement(answered(called(asked('go'), 'unknown', {}, '{}'), 'done')), undefined, 'nothing to hold');
});

test('a long text has to be told in part, a short one whole', () => {
  const search = (answer: string) => {
    const content = '{"results":[{"snippet":"Argentina beat France on penalties to win the 2022 World Cup."}]}';
    return replacement(answered(called(asked('who won the 2022 world cup'), 'web_search', { query: 'x' }, content), answer));
  };
  assert.equal(search('Argentina beat France.'), undefined);
  assert.ok(search('Brazil won.'));
  const note = (answer: string) =>
    replacement(answered(called(asked('read a'), 'read', { path: 'a' }, '{"content":"buy milk and eggs"}'), answer));
  assert.equal(note('It says: buy milk and eggs'), undefined);
  assert.equal(note('It says: buy eggs and milk and eggs'), 'Result: buy milk and eggs');
});

test('what a failed tool said is the answer', () => {
  const failed = (request: string, content: string) => replacement(answered(called(asked(request), 'calculator', {}, content, false), '4'));
  assert.equal(failed('1/0?', '{"success":false,"error":{"code":"x","message":"no finite value"}}'), 'That did not work: no finite value');
  assert.equal(failed('算一下', 'nothing was run'), '没有成功：nothing was run');
});

test('other protocols, answers without a tool and runs without an answer are left alone', () => {
  assert.equal(rule(answered(asked('What is the capital of France?'), 'Paris, 42')), undefined);
  assert.equal(rule(answered(called(asked('1+1', { protocol: 'json' }), 'calculator', {}, '{"result":2}'), 'three')), undefined);
  assert.equal(rule(called(asked('1+1'), 'calculator', {}, '{"result":2}')), undefined);
  const before = answered(called(asked('1+1'), 'calculator', { expression: '1+1' }, '{"result":2}'), '2');
  assert.equal(rule(answered(asked('thanks', { before }), 'You are welcome 100 times')), undefined, 'results of earlier turns');
});

test('values are data: signs of patterns and brackets in them change nothing', () => {
  const example = { request: 'a', arguments: {}, result: { result: 'x|(y)$&' }, answer: 'It is x|(y)$&.' };
  const odd = groundAnswer(() => [{ ...calculator, examples: [example] }]);
  const command = odd(answered(called(asked('b'), 'calculator', {}, '{"result":"$1 [z"}'), 'no'));
  assert.ok(command?.do === 'record' && command.facts[0]?.event_type === 'guard.trip');
  assert.equal((command.facts[0].data as { answer?: string }).answer, 'It is $1 [z.');
});

test('where the request asks how it is calculated, the answer tells each step', () => {
  const sums: ToolInfo = {
    ...calculator,
    input_schema: { type: 'object', properties: { expression: { type: 'string', format: 'arithmetic' } } },
  };
  const explained = groundAnswer(() => [sums], explainArgument);
  const answerOf = (request: string, answer: string) => {
    const state = answered(called(asked(request), 'calculator', { expression: '(13+27)*4' }, '{"result":160}'), answer);
    const command = explained(state);
    const fact = command?.do === 'record' ? command.facts[0] : undefined;
    return fact?.event_type === 'guard.trip' && fact.data.verdict === 'replace' ? fact.data.answer : undefined;
  };
  const request = '计算 (13+27) * 4 的结果，并用一句话说明运算顺序。';
  assert.equal(answerOf(request, '运算顺序：(13+27) * 4 = 160.'), '结果是 160：先算括号里的 13+27=40，再算 40*4=160。');
  assert.equal(
    answerOf('What is (13+27)*4? Explain the order of operations.', 'It is 160.'),
    'The result is 160: first 13+27=40 in the parentheses, then 40*4=160.',
  );
  assert.equal(answerOf(request, '结果是 160：先算 13+27 得 40，再乘以 4 得 160。'), undefined, 'the model’s own explanation stays');
  assert.equal(answerOf('(13+27)*4 等于多少？', '结果是 160。'), undefined, 'nobody asked');
});

test('a code is told whole', () => {
  const shipped = groundAnswer(() => [notesSet.info]);
  const noted = (answer: string, value = '京A12345', request = '记一下：我的车牌是京A12345') => {
    const command = shipped(answered(called(asked(request), 'notes_set', { key: '车牌', value }, '{"saved":"车牌"}'), answer));
    const fact = command?.do === 'record' ? command.facts[0] : undefined;
    return fact?.event_type === 'guard.trip' && fact.data.verdict === 'replace' ? fact.data.answer : undefined;
  };
  assert.equal(noted('已记住车牌是 12345。'), '已记住我的车牌是京A12345。');
  assert.equal(noted('已记住车牌是 京A12345。'), undefined);
  assert.equal(noted('已记住车牌是 A12345。'), undefined);
  assert.equal(noted('已记住车牌是 8841。', '8841', '记一下：车牌是 8841'), undefined);
  const call = { key: 'call the bank', value: 'call the bank' };
  const state = called(asked('Remember: call the bank'), 'notes_set', call, '{"saved":"call the bank"}');
  const command = shipped(answered(state, 'Saved: your call the bank is call the bank.'));
  assert.match(JSON.stringify(command), /"answer":"Saved: call the bank\."/);
});
