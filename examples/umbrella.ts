/**
 * X2: the umbrella. Two built-in tools: today's date from one, tomorrow's weather from the other, of the city that the talk has named. The
 * weather comes from a small server here that speaks as Open-Meteo does; without `toolSettings` it comes from Open-Meteo.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, builtInTools } from 'hermes-agent';
import { path, scriptedModel } from 'hermes-agent/testing';

const shanghai = { name: '上海', country: '中国', latitude: 31.22, longitude: 121.46, timezone: 'Asia/Shanghai', population: 24_874_500 };
const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000).toLocaleDateString('sv', { timeZone: shanghai.timezone });
const daily = {
  time: [dayAfter(0), dayAfter(1)],
  weather_code: [2, 61],
  temperature_2m_max: [16, 14],
  temperature_2m_min: [10, 9],
  apparent_temperature_max: [15, 12],
  apparent_temperature_min: [8, 7],
  precipitation_probability_max: [10, 85],
  precipitation_sum: [0, 6.2],
  wind_speed_10m_max: [12, 18],
};
const server = createServer((request, response) => {
  const answer = request.url?.startsWith('/v1/search') ? { results: [shanghai] } : { daily };
  response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
}).listen(0, '127.0.0.1');
await new Promise((done) => server.once('listening', done));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const model = scriptedModel([
  '好的，记住了：你在上海。',
  { calls: [{ name: 'current_time', arguments: {} }] },
  { calls: [{ name: 'weather', arguments: { date: '明天' } }] }, // without a city: it is taken from the talk
  `今天是 ${dayAfter(0)}。明天上海有小雨，9 到 14 度，记得带伞。`,
]);

const agent = new Agent({
  model,
  tools: await builtInTools('current_time', 'weather'),
  toolSettings: { weather: { geocoding_url: url, forecast_url: url } },
  timezone: shanghai.timezone,
});
const talk = agent.session('umbrella');
await talk.run('我在上海。');
const outcome = await talk.run('帮我查一下明天的天气，如果下雨就提醒我带伞，顺便把今天的日期告诉我。', {
  onEvent(event) {
    if (event.event_type === 'tool.end') console.log(event.data.name, JSON.stringify(event.data.result));
  },
});
console.log(path(outcome).join(' -> '));
console.log(outcome.answer);
await agent.close();
server.close();
