/** The weather of a city on a day, from Open-Meteo or a server of one's own that speaks as it does. */

import { HermesError } from '../src/kernel/errors.ts';
import { languageOf } from '../src/kernel/text.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import { dateOf } from '../src/tools/days.ts';
import { tool } from '../src/tools/define.ts';
import { badSetting } from '../src/tools/needs.ts';
import { type Day, findPlace, forecast, type Units } from '../src/web/open-meteo.ts';
import { conditionOf } from '../src/web/weather-words.ts';

/** From here on it is said that it will rain. */
const RAIN = { percent: 50, mm: 1 };

export default tool({
  name: 'weather',
  description:
    'Gives the weather of a city today or on one of the next 15 days: condition, temperature, how it feels, and whether it will rain. Use it ' +
    'for every question about weather, umbrellas, clothes, cold or heat; not for past days or climate, and ask when no city is known.',
  level: 'read',
  settingNames: ['units', 'geocoding_url', 'forecast_url', 'allow_hosts', 'trusted_hosts'],
  outward: true,
  idempotent: true,
  timeoutMs: 20_000,
  input: {
    type: 'object',
    properties: {
      city: {
        type: 'string',
        description: 'name in any script, such as 上海 or Paris, Texas',
        format: 'place',
        minLength: 1,
        maxLength: 100,
      },
      date: {
        type: 'string',
        description: "today, 后天, next Friday or YYYY-MM-DD, in the city's own time; default: today",
        format: 'day',
      },
      units: { type: 'string', description: 'default: metric', enum: ['metric', 'imperial'] },
    },
    required: ['city'],
    additionalProperties: false,
  },
  fromConversation: ['city'],
  output: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      date: { type: 'string' },
      condition: { type: 'string' },
      high: { type: 'number' },
      low: { type: 'number' },
      feels_like_high: { type: 'number' },
      feels_like_low: { type: 'number' },
      rain_probability: { type: 'number', description: 'percent' },
      will_rain: { type: 'boolean' },
      now: { type: 'object', description: 'as it is at this moment; only for today' },
    },
  },
  aliases: {
    location: 'city',
    place: 'city',
    town: 'city',
    day: 'date',
    when: 'date',
    unit: 'units',
    城市: 'city',
    地点: 'city',
    日期: 'date',
  },
  keywords:
    'weather forecast rain raining rainy umbrella temperature cold hot warm feels like wind snow sunny jacket coat ' +
    '天气 预报 下雨 雨 带伞 伞 气温 温度 体感 冷 热 暖和 刮风 下雪 出门 穿什么',
  examples: [
    {
      request: "What's the weather in Oslo?",
      arguments: { city: 'Oslo' },
      result: { city: 'Oslo', date: '2026-03-02', condition: 'light snow', high: 1, low: -5, now: { temperature: -2, feels_like: -7 } },
      answer: 'Oslo has light snow, -5 to 1 degrees; now it is -2 and feels like -7.',
    },
    {
      request: '今天伦敦天气怎么样，要带伞吗？',
      arguments: { city: '伦敦', date: '今天' },
      result: { city: '伦敦', date: '2026-03-02', condition: '小雨', high: 11, low: 6, rain_probability: 80, will_rain: true },
      answer: '伦敦今天小雨，6 到 11 度，要带伞。',
    },
    {
      request: 'Will it rain in Madrid tomorrow?',
      arguments: { city: 'Madrid', date: 'tomorrow' },
      result: { city: 'Madrid', date: '2026-03-03', condition: 'clear sky', high: 17, low: 5, rain_probability: 0, will_rain: false },
      answer: 'No, it will be clear in Madrid tomorrow.',
    },
    {
      request: '广州这会儿热吗？',
      arguments: { city: '广州' },
      result: { city: '广州', date: '2026-03-02', condition: '多云', high: 27, low: 20, now: { temperature: 26, feels_like: 28 } },
      answer: '广州现在 26 度，体感 28 度，比较热。',
    },
  ],
  async execute({ city, date = 'today', units }, { fetch, context }) {
    const { settings } = context;
    const place = await findPlace(city, addressOf(settings, 'geocoding_url', 'https://geocoding-api.open-meteo.com'), fetch);
    const wanted = unitsOf(units ?? settings.units ?? 'metric');
    const { days, now } = await forecast(place, wanted, addressOf(settings, 'forecast_url', 'https://api.open-meteo.com'), fetch);
    const day = dayMeant(date, days);
    const language = languageOf(`${city} ${date}`);
    const isToday = day.date === days[0]!.date;
    const { code, rain_probability, ...measured } = day;
    return {
      city: [place.name, ...place.within].join(', '),
      ...measured,
      condition: conditionOf(code, language),
      ...(rain_probability === null ? {} : { rain_probability }),
      will_rain: willRain(day),
      ...(isToday && now ? { now: { ...now, code: undefined, condition: conditionOf(now.code, language) } } : {}),
      units: wanted === 'metric' ? '°C, km/h' : '°F, mph',
    };
  },
});

function dayMeant(words: string, days: readonly Day[]): Day {
  const [first, last] = [days[0]!.date, days.at(-1)!.date];
  const date = dateOf(words, first);
  const day = days.find((one) => one.date === date);
  if (day) return day;
  const what = date === undefined ? `"${words.slice(0, 40)}" is no day` : `${date} is not forecast`;
  throw new HermesError('no_such_day', `${what}; known are ${first} to ${last}`, {
    kind: 'tool',
    next: 'write today, tomorrow or YYYY-MM-DD',
  });
}

function willRain({ rain_probability, precipitation_mm, code }: Day): boolean {
  const isSnow = [71, 73, 75, 77, 85, 86].includes(code);
  return !isSnow && ((rain_probability ?? 0) >= RAIN.percent || precipitation_mm >= RAIN.mm);
}

// ---- settings: [tools.weather] ---------------------------------------------------------------------------

function addressOf(settings: JsonObject, name: string, usual: string): string {
  const address = settings[name] ?? usual;
  if (typeof address === 'string' && URL.canParse(address)) return address.replace(/\/+$/, '');
  throw badSetting('weather', name, 'an address', address);
}

function unitsOf(units: unknown): Units {
  if (units === 'metric' || units === 'imperial') return units;
  throw badSetting('weather', 'units', '"metric" or "imperial"', units);
}
