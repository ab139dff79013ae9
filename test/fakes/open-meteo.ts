/** Speaks as Open-Meteo documents it: /v1/search (places) and /v1/forecast, for a few places and with the weather of a test. */

import type { IncomingMessage, ServerResponse } from 'node:http';

/** The first day that it forecasts, where the place is. */
export const TODAY = '2026-03-14';
export const PLACES = [
  place('Shanghai', '上海', 'China', '中国', 'Shanghai', 31.22222, 121.45806, 'Asia/Shanghai', 24_874_500, 'Шанхай'),
  place('Tokyo', '東京', 'Japan', '日本', 'Tokyo', 35.6895, 139.69171, 'Asia/Tokyo', 9_733_276, 'Токио'),
  place('Beijing', '北京', 'China', '中国', 'Beijing', 39.9075, 116.39723, 'Asia/Shanghai', 18_960_744, 'Пекин'),
  place('Suzhou', '苏州', 'China', '中国', 'Jiangsu', 31.30408, 120.59538, 'Asia/Shanghai', 5_345_961),
  place('Paris', '巴黎', 'France', '法国', 'Île-de-France', 48.85341, 2.3488, 'Europe/Paris', 2_138_551),
  place('Paris', '帕里斯', 'United States', '美国', 'Texas', 33.66094, -95.55551, 'America/Chicago', 24_782),
  place('Springfield', '斯普林菲尔德', 'United States', '美国', 'Missouri', 37.21533, -93.29824, 'America/Chicago', 166_810),
  place('Springfield', '斯普林菲尔德', 'United States', '美国', 'Massachusetts', 42.10148, -72.58981, 'America/New_York', 154_341),
  place('Springfield', '斯普林菲尔德', 'United States', '美国', 'Illinois', 39.80172, -89.64371, 'America/Chicago', 116_565),
  place('Reykjavík', '雷克雅未克', 'Iceland', '冰岛', 'Capital Region', 64.13548, -21.89541, 'Atlantic/Reykjavik', 118_918),
];

function place(
  en: string,
  zh: string,
  country: string,
  国家: string,
  admin1: string,
  latitude: number,
  longitude: number,
  timezone: string,
  population: number,
  ru = en,
) {
  return {
    names: { en, zh, ja: zh, ru },
    countries: { en: country, zh: 国家, ja: 国家, ru: country },
    admin1,
    latitude,
    longitude,
    timezone,
    population,
  };
}

export interface Weather {
  weather_code: number;
  high: number;
  low: number;
  probability: number | null;
  rain: number;
}

/** `weather` tells the days by their number from today, for any place. */
export function openMeteo(weather: (day: number) => Weather, asked: URL[] = []) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const url = new URL(request.url!, 'http://here');
    asked.push(url);
    const answer =
      url.pathname === '/v1/search'
        ? found(url.searchParams)
        : url.pathname === '/v1/forecast'
          ? forecast(url.searchParams, weather)
          : undefined;
    const body = answer ?? { error: true, reason: `no such path ${url.pathname}` };
    response
      .writeHead(answer && !('error' in answer) ? 200 : 400, { 'content-type': 'application/json; charset=utf-8' })
      .end(JSON.stringify(body));
  };
}

function found(query: URLSearchParams): object {
  const wanted = fold(query.get('name') ?? '');
  const language = (query.get('language') ?? 'en') as 'en' | 'zh';
  const results = PLACES.filter(({ names }) => wanted.length > 1 && Object.values(names).some((name) => fold(name) === wanted)).map(
    ({ names, countries, ...rest }, at) => ({
      id: 1_000_000 + at,
      name: names[language] ?? names.en,
      elevation: 4,
      feature_code: 'PPLA',
      country_code: 'XX',
      country: countries[language] ?? countries.en,
      ...rest,
    }),
  );
  return { ...(results.length > 0 ? { results } : {}), generationtime_ms: 0.6 };
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function forecast(query: URLSearchParams, weather: (day: number) => Weather): object {
  const days = Number(query.get('forecast_days') ?? 7);
  if (days > 16) return { error: true, reason: `Forecast days is invalid. Allowed range 0 to 16. Given ${days}.` };
  const isImperial = query.get('temperature_unit') === 'fahrenheit';
  const degrees = (celsius: number) => (isImperial ? (celsius * 9) / 5 + 32 : celsius);
  const all = Array.from({ length: days }, (_, day) => ({
    ...weather(day),
    date: new Date(Date.parse(TODAY) + day * 86_400_000).toISOString().slice(0, 10),
  }));
  const daily = {
    time: all.map(({ date }) => date),
    weather_code: all.map(({ weather_code }) => weather_code),
    temperature_2m_max: all.map(({ high }) => degrees(high)),
    temperature_2m_min: all.map(({ low }) => degrees(low)),
    apparent_temperature_max: all.map(({ high }) => degrees(high - 2)),
    apparent_temperature_min: all.map(({ low }) => degrees(low - 3)),
    precipitation_probability_max: all.map(({ probability }) => probability),
    precipitation_sum: all.map(({ rain }) => rain),
    wind_speed_10m_max: all.map(() => 12.34),
  };
  const { high, weather_code } = all[0]!;
  const current = {
    time: `${TODAY}T09:30`,
    interval: 900,
    temperature_2m: degrees(high - 1),
    apparent_temperature: degrees(high - 4),
    relative_humidity_2m: 81,
    weather_code,
    wind_speed_10m: 9.7,
  };
  return {
    latitude: Number(query.get('latitude')),
    longitude: Number(query.get('longitude')),
    timezone: query.get('timezone'),
    current,
    daily,
  };
}
