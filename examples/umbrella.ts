/** X2: the umbrella. The city comes from the talk, the date from one tool, the weather from another. */

import { Agent, tool } from 'hermes-agent';
import { path, scriptedModel } from 'hermes-agent/testing';

const time = tool({
  name: 'current_time',
  description: 'Gives the current date and time. Use it before anything that depends on the date.',
  input: { type: 'object', properties: {} },
  level: 'read',
  execute: () => ({ time: '2026-03-14T09:30:00+08:00', weekday: 'Saturday' }),
});

const weather = tool({
  name: 'weather',
  description: 'Gives the weather of a city on a day, with the temperature as it feels. Use it for umbrellas and clothes, too.',
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, date: { type: 'string', description: 'YYYY-MM-DD' } },
    required: ['city', 'date'],
  },
  level: 'read',
  execute: ({ city, date }) => ({ city, date, condition: '小雨', high: 14, low: 9, feels_like: 7 }),
});

const model = scriptedModel([
  '好的，记住了：你在上海。',
  { calls: [{ name: 'current_time', arguments: {} }] },
  { calls: [{ name: 'weather', arguments: { city: '上海', date: '2026-03-15' } }] },
  '今天是 2026 年 3 月 14 日。明天上海有小雨，9 到 14 度，记得带伞。',
]);

const agent = new Agent({ model, tools: [time, weather] });
const talk = agent.session('umbrella');
await talk.run('我在上海。');
const outcome = await talk.run('帮我查一下明天的天气，如果下雨就提醒我带伞，顺便把今天的日期告诉我。');
console.log(path(outcome).join(' -> '));
console.log(outcome.answer);
await agent.close();
