/** Final answers: made-up results and claimed actions are sent back once, then delivered as not verified; the outcome lists what is claimed. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent } from '../../src/agent/agent.ts';
import { replayRun } from '../../src/agent/replay.ts';
import { createMemoryStore } from '../../src/journal/memory.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { plainTool, told } from './story.ts';

const weather = plainTool('weather', [{ condition: '小雨', high: 14 }], {
  description: 'Gives the weather of a city.',
  keywords: '天气 气温',
});
const mail = plainTool('send_email', ['sent'], { description: 'Sends an e-mail.', level: 'dangerous' });
const notes = plainTool('notes_set', ['saved'], { description: 'Saves a note.', level: 'write' });

test('上海明天晴24℃ without a weather call: sent back with the name of the tool, then right', async () => {
  const { outcome, trips, messages } = await told(
    '上海明天天气怎么样？',
    ['上海明天晴，24℃。', ['weather', { city: '上海' }], '上海明天小雨，14℃。'],
    { tools: [weather, mail] },
  );
  assert.deepEqual(trips, ['made_up:nudge']);
  assert.match(messages[0]!, /24℃.*weather/);
  assert.equal(outcome.answer, '上海明天小雨，14℃。');
  assert.equal(outcome.unverified, undefined);
});

test('a model that insists: delivered, marked as not verified', async () => {
  const { outcome, trips } = await told('上海明天天气怎么样？', ['上海明天晴，24℃。', '上海明天晴，24℃。'], { tools: [weather] });
  assert.deepEqual(trips, ['made_up:nudge']);
  assert.equal(outcome.status, 'success');
  assert.equal(outcome.answer, '上海明天晴，24℃。');
  assert.match(outcome.unverified ?? '', /24℃.*weather/);
  const english = await told('What is the weather in Oslo?', ['It is 24 degrees.', 'I do not know.'], { tools: [weather] });
  assert.deepEqual([english.trips, english.outcome.unverified], [['made_up:nudge'], undefined]);
});

test('known otherwise: from the user, the instructions, an earlier result, or no tool that could know', async () => {
  const quiet = async (request: string, answer: string, options = {}) =>
    assert.deepEqual((await told(request, [answer], { tools: [weather], ...options })).trips, [], answer);
  await quiet('外面 24℃，明天天气也一样，穿什么？', '24℃ 穿薄外套就好。');
  await quiet('上海明天天气怎么样？', '上海明天晴，24℃。', { instructions: '明天上海：晴，24℃。' });
  await quiet('上海明天天气怎么样？', '上海明天晴，24℃。', { tools: [mail] });
  await quiet('上海明天天气怎么样？', '上海明天晴，24℃。', { guards: { madeUp: false } });
  await quiet('上海明天天气怎么样？', '我没有查到天气，请问是哪一天？');
});

test('I have sent the mail, and it was not: sent back, done, and borne out in the outcome', async () => {
  const { outcome, trips, messages } = await told(
    'Send Ann an e-mail that I am late.',
    ["I've sent the e-mail to Ann.", ['send_email', { to: 'Ann' }], "I've sent the e-mail to Ann, and saved a note."],
    { tools: [mail, notes] },
  );
  assert.deepEqual(trips, ['claims:nudge']);
  assert.match(messages[0]!, /I've sent the e-mail to Ann/);
  const [sent, saved] = outcome.claims ?? [];
  assert.deepEqual(sent, { text: "I've sent the e-mail to Ann", tool: 'send_email' });
  assert.equal(saved?.tool, undefined, 'the note was never saved');
  assert.match(outcome.unverified ?? '', /saved a note/);
});

test('已发送邮件: a call that failed or was denied bears nothing out', async () => {
  const denied = await told('给张三发邮件', [['send_email', { to: '张三' }], '已发送邮件给张三。', '邮件没有发送。'], {
    tools: [mail],
    permissions: { deny: ['send_email'] },
  });
  assert.deepEqual(denied.trips, ['claims:nudge']);
  assert.equal(denied.outcome.unverified, undefined);
  assert.equal(denied.outcome.claims, undefined);
  const insisting = await told('给张三发邮件', ['已发送邮件给张三。', '邮件已发送成功。'], { tools: [mail] });
  assert.deepEqual(insisting.outcome.claims, [{ text: '邮件已发送成功。' }]);
  assert.match(insisting.outcome.unverified ?? '', /没有成功的调用/);
});

test('no claims: offers, questions, denials, drafts, what others did, how something is done', async () => {
  const said: [request: string, answer: string][] = [
    ['给张三发邮件', '要我现在发送吗？'],
    ['给张三发邮件', '邮件还未发送，请先确认内容。'],
    ['Mail Bob', 'I can send it once you agree.'],
    ['Mail Bob', "I'll send it after you have checked it."],
    ['帮我写一封邮件，告诉老板我已发送报告', '老板您好：\n我已发送报告，请查收。'],
    ['订单 A1 怎么了？', '订单已取消。'],
    ['My colleague sent you the file, right?', 'You have sent it, as you said; I have no record of it.'],
    ['How do I delete a branch?', 'Run git branch -d NAME; after that the branch is deleted.'],
  ];
  for (const [request, answer] of said) {
    const { trips, outcome } = await told(request, [answer, answer], { tools: [mail, notes] });
    assert.deepEqual([trips, outcome.claims, outcome.unverified], [[], undefined, undefined], answer);
  }
});

test('without a step left the answer is not sent back, but marked', async () => {
  const { outcome, trips } = await told('Mail Bob', ["I've sent the mail to Bob."], { tools: [mail], limits: { maxSteps: 1 } });
  assert.deepEqual([trips, outcome.status], [[], 'success']);
  assert.match(outcome.unverified ?? '', /sent the mail/);
});

test('a run is replayed by the numbers that it began with', async () => {
  const store = createMemoryStore();
  const look = plainTool('look', ['same']);
  const replies = [
    ...Array.from({ length: 3 }, () => ({ calls: [{ name: 'look', arguments: {} }] })),
    "I've sent the mail.",
    'It was not sent.',
  ];
  for (const guards of [undefined, { loopCalls: 5, claims: false }]) {
    const agent = new Agent({ model: scriptedModel(replies), tools: [look], store, ...(guards ? { guards } : {}) });
    const { runId, answer } = await agent.run('Mail Bob');
    assert.equal(answer, guards ? "I've sent the mail." : 'It was not sent.');
    const replay = await replayRun(store, runId, [look]);
    assert.ok(replay.ok, JSON.stringify(replay));
  }
});

test('what the person has told, and what is to be made up, is not taken for the word of a tool', async () => {
  const weather = plainTool('get_weather', [{ sky: 'clear' }], { description: 'Gives the weather' });
  const calendar = plainTool('calendar', [[]], { description: 'Reads the calendar' });
  const told10 = await told('I have a meeting at 10:00 tomorrow. When is my meeting?', ['You told me: at 10:00.'], { tools: [calendar] });
  assert.deepEqual([told10.trips, told10.outcome.unverified], [[], undefined]);
  const other = await told('I have a meeting at 10:00 tomorrow. When is my meeting?', ['It is at 11:30.', 'It is at 11:30.'], {
    tools: [calendar],
  });
  assert.deepEqual(other.trips, ['made_up:nudge']);
  const story = await told('写一个关于天气的小故事', ['从前，天气晴朗，气温24℃，小明出门了。'], { tools: [weather] });
  assert.deepEqual([story.trips, story.outcome.unverified], [[], undefined]);
});
