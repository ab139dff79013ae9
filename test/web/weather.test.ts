/** weather against a server that speaks as Open-Meteo: places in any script, days, units, and the phrases that have to reach it. */

import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject, UserMessage } from '../../src/kernel/types.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { selectTools } from '../../src/tools/select.ts';
import weather from '../../tools/weather.ts';
import { openMeteo, type Weather } from '../fakes/open-meteo.ts';
import { callOf, prepared, stateWith } from '../tools/performing.ts';
import { call, sendJson, serve } from './rig.ts';

const DAYS: Weather[] = [
  { weather_code: 2, high: 14, low: 8, probability: 10, rain: 0 },
  { weather_code: 61, high: 12, low: 7, probability: 85, rain: 4.26 },
  { weather_code: 73, high: 0, low: -6, probability: 90, rain: 5 },
  { weather_code: 0, high: 20, low: 9, probability: null, rain: 0 },
];

async function service(t: TestContext) {
  const asked: URL[] = [];
  const host = await serve(
    t,
    openMeteo((day) => DAYS[day % DAYS.length]!, asked),
  );
  const own = { geocoding_url: `http://${host}`, forecast_url: `http://${host}/` };
  return { asked, host, told: (args: JsonObject, more: JsonObject = {}) => call(weather, args, { own: { ...own, ...more } }) };
}

test('today with what it is like now, and another day with whether it rains', async (t) => {
  const { told, asked } = await service(t);
  const { data, untrusted } = await told({ city: '上海' });
  assert.deepEqual(data, {
    city: '上海, Shanghai, 中国',
    date: '2026-03-14',
    high: 14,
    low: 8,
    feels_like_high: 12,
    feels_like_low: 5,
    precipitation_mm: 0,
    wind: 12.3,
    condition: '多云',
    rain_probability: 10,
    will_rain: false,
    now: { time: '09:30', temperature: 13, feels_like: 10, humidity: 81, wind: 9.7, condition: '多云' },
    units: '°C, km/h',
  });
  assert.deepEqual([untrusted, weather.info.outward], [true, true]);
  const query = asked[1]!.searchParams;
  assert.deepEqual([query.get('latitude'), query.get('longitude'), query.get('timezone')], ['31.22222', '121.45806', 'Asia/Shanghai']);
  const tomorrow = (await told({ city: 'Shanghai', date: 'tomorrow' })).data!;
  assert.deepEqual(
    [tomorrow.city, tomorrow.date, tomorrow.condition, tomorrow.will_rain, tomorrow.now],
    ['Shanghai, China', '2026-03-15', 'light rain', true, undefined],
  );
});

test('what comes is untrusted unless the user trusts the host', async (t) => {
  const { told, host } = await service(t);
  assert.equal((await told({ city: 'Tokyo' }, { trusted_hosts: [host] })).untrusted, undefined);
});

test('cities in any script, with region and country, and as Chinese addresses write them', async (t) => {
  const { told, asked } = await service(t);
  const cities = {
    上海: '上海',
    Shanghai: 'Shanghai',
    Шанхай: 'Шанхай',
    東京: '東京',
    reykjavik: 'Reykjavík',
    上海市: '上海',
    江苏省苏州市: '苏州',
    '  tokyo ': 'Tokyo',
  };
  for (const [city, name] of Object.entries(cities)) {
    const { data, message } = await told({ city });
    assert.equal(String(data?.city).split(',')[0], name, message);
  }
  assert.equal(asked[0]!.searchParams.get('language'), 'zh');
  assert.equal((await told({ city: 'Paris' })).data!.city, 'Paris, Île-de-France, France');
  assert.equal((await told({ city: 'Paris, Texas' })).data!.city, 'Paris, Texas, United States');
  assert.equal((await told({ city: 'Springfield, illinois' })).data!.city, 'Springfield, Illinois, United States');
});

test('a name of several places gives candidates, an unknown one says how to write it', async (t) => {
  const { told } = await service(t);
  const several = await told({ city: 'Springfield' });
  assert.equal(several.code, 'ambiguous_place');
  assert.match(several.message!, /Springfield, Missouri, United States; Springfield, Massachusetts, .*; Springfield, Illinois/);
  assert.match(several.next!, /ask the user which one.*"Springfield, Missouri, United States"/);
  for (const city of ['Nowhereville', 'X', ',', '火星']) assert.equal((await told({ city })).code, 'no_such_place', city);
  assert.match((await told({ city: 'Paris, Norway' })).message!, /known are Paris, Île-de-France, France; Paris, Texas/);
});

test("days as people name them, in the city's time; others are told the days there are", async (t) => {
  const { told } = await service(t);
  const days = {
    今天: '2026-03-14',
    today: '2026-03-14',
    now: '2026-03-14',
    明天: '2026-03-15',
    后天: '2026-03-16',
    大后天: '2026-03-17',
    'day after tomorrow': '2026-03-16',
    '2026-03-20': '2026-03-20',
    '2026-3-20': '2026-03-20',
    '3月20日': '2026-03-20',
    '3/20': '2026-03-20',
    Sunday: '2026-03-15',
    周日: '2026-03-15',
    下周三: '2026-03-18',
    星期天: '2026-03-15',
    今天下午: '2026-03-14',
    三天后: '2026-03-17',
    'March 20': '2026-03-20',
  };
  for (const [date, iso] of Object.entries(days)) assert.equal((await told({ city: 'Tokyo', date })).data?.date, iso, date);
  for (const date of ['昨天', '2026-03-01', '2027-01-01', 'someday', '2026-02-30', '下周']) {
    const { code, message } = await told({ city: 'Tokyo', date });
    assert.deepEqual([code, /known are 2026-03-14 to 2026-03-29/.test(message!)], ['no_such_day', true], date);
  }
});

test('snow is no rain, a missing figure stays missing; units by argument and by setting', async (t) => {
  const { told } = await service(t);
  const snow = (await told({ city: 'Tokyo', date: '后天' })).data!;
  assert.deepEqual([snow.will_rain, snow.condition], [false, '中雪']);
  const clear = (await told({ city: 'Tokyo', date: '大后天' })).data!;
  assert.deepEqual([clear.will_rain, 'rain_probability' in clear], [false, false]);
  const imperial = (await told({ city: 'Tokyo', units: 'Imperial' })).data!;
  assert.deepEqual([imperial.high, imperial.units], [57.2, '°F, mph']);
  assert.equal((await told({ city: 'Tokyo' }, { units: 'imperial' })).data!.high, 57.2);
  assert.match((await told({ city: 'Tokyo' }, { units: 'kelvin' })).message!, /units: expected "metric" or "imperial", got "kelvin"/);
  assert.match((await told({ city: 'Tokyo' }, { forecast_url: 'here' })).message!, /forecast_url: expected an address/);
});

test('a service that fails says so; it is never taken for weather', async (t) => {
  const answers: [unknown, number, string][] = [
    [{ error: true, reason: 'Daily API request limit exceeded.' }, 429, 'too_many_requests'],
    [{ error: true, reason: 'Latitude must be in range' }, 400, 'bad_status'],
    [{ results: [{ name: 'Tokyo', latitude: 35, longitude: 139 }] }, 200, 'bad_answer'],
    [{ results: 'none' }, 200, 'no_such_place'],
  ];
  for (const [answer, status, code] of answers) {
    const host = await serve(t, (_request, response) => sendJson(response, answer, status));
    const own = { geocoding_url: `http://${host}`, forecast_url: `http://${host}` };
    const error = await call(weather, { city: 'Tokyo' }, { own });
    assert.equal(error.code, code, error.message);
  }
});

test('the city that the talk has named is taken where the call leaves it out', async () => {
  const messages: UserMessage[] = [
    { role: 'user', content: '我在上海。' },
    { role: 'user', content: '帮我查一下明天的天气，如果下雨就提醒我带伞。' },
  ];
  const fact = await prepared({ tools: [weather] }, callOf('weather', { date: '明天' }), stateWith({ messages }));
  assert.deepEqual((fact.data as { arguments: JsonObject }).arguments, { date: '明天', city: '上海' });
});

test('everyday phrases reach weather among all built-in tools, and other requests do not', async () => {
  const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
  const infos = tools.map(({ info }) => info);
  const first = (request: string) => selectTools(request, infos)[0]!.tool.name;
  const phrases = [
    '今天出门要带伞吗',
    '北京这会儿冷吗',
    '明天上海的体感温度',
    '帮我查一下明天的天气，如果下雨就提醒我带伞',
    'Do I need an umbrella in London?',
    'Is it cold in Oslo right now?',
    "What's the weather in Paris tomorrow?",
    '周末会下雨吗',
  ];
  for (const phrase of phrases) assert.equal(first(phrase), 'weather', phrase);
  const others: Record<string, string> = {
    'What is (13+27)*4?': 'calculator',
    'What time is it in Tokyo?': 'current_time',
    '现在纽约几点？': 'current_time',
    查一下我的笔记里门禁密码是多少: 'notes_get',
    'Remember that my shoe size is 43': 'notes_set',
    'What does https://example.com/news say?': 'web_fetch',
    '总结一下 https://example.com/a 这个网页': 'web_fetch',
    'Search the web for the best ramen': 'web_search',
    '给 li@example.com 发邮件，主题：午饭，正文：十二点见': 'send_email',
    'Read the file notes/plan.md': 'read_file',
  };
  for (const [request, name] of Object.entries(others)) assert.equal(first(request), name, request);
});
