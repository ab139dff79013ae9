/** Open-Meteo: a place by its name in any script, and its weather, as https://open-meteo.com/en/docs describes them. No key is needed. */

import { HermesError } from '../kernel/errors.ts';
import type { WebResponse } from '../network/fetch.ts';
import type { Fetch } from './search.ts';
import { statusError } from './status.ts';

export interface Place {
  name: string;
  /** Region and country, as far as they are known. */
  within: string[];
  latitude: number;
  longitude: number;
  /** IANA name. */
  timezone: string;
}
export interface Day {
  date: string;
  /** WMO code. */
  code: number;
  high: number;
  low: number;
  feels_like_high: number;
  feels_like_low: number;
  /** Percent; null where it is not forecast. */
  rain_probability: number | null;
  precipitation_mm: number;
  wind: number;
}
export interface Now {
  time: string;
  temperature: number;
  feels_like: number;
  humidity: number;
  code: number;
  wind: number;
}
export type Units = 'metric' | 'imperial';

/** Days that the service forecasts at most. */
const FORECAST_DAYS = 16;
const TIME_LIMIT = 8_000;
/** A place is meant without a question when it has so many times the people of the next one of its name. */
const CLEARLY_LARGER = 4;
const CANDIDATES = 5;

interface Found {
  name: string;
  latitude: number;
  longitude: number;
  timezone?: string;
  country?: string;
  country_code?: string;
  admin1?: string;
  admin2?: string;
  population?: number;
  feature_code?: string;
}

// ---- places ----------------------------------------------------------------------------------------------

/** `asked`: "Paris", "Paris, Texas", 上海市. Throws no_such_place or ambiguous_place, with candidates. */
export async function findPlace(asked: string, base: string, fetch: Fetch): Promise<Place> {
  const [name = '', ...within] = asked
    .trim()
    .split(/\s*[,，]\s*/)
    .filter(Boolean);
  for (const form of formsOf(name)) {
    const found = await lookUp(form, base, fetch);
    if (found.length === 0) continue;
    const fitting = found.filter((one) => within.every((part) => isWithin(one, part)));
    if (fitting.length === 0) throw unknown(asked, found);
    return placeOf(theOneMeant(form, fitting));
  }
  throw unknown(asked, []);
}

/** 江苏省苏州市 is known as 苏州. */
function formsOf(name: string): string[] {
  const bare = (text: string) => (/^\p{Script=Han}{2,}[市县区省]$/u.test(text) ? text.slice(0, -1) : text);
  const tail = name.replace(/^\p{Script=Han}+?(?:省|自治区|市)(?=\p{Script=Han}{2})/u, '');
  return [...new Set([name, bare(name), tail, bare(tail)])];
}

async function lookUp(name: string, base: string, fetch: Fetch): Promise<Found[]> {
  const query = new URLSearchParams({ name, count: '20', language: languageOf(name), format: 'json' });
  const answer = (await answerOf(await fetch(`${base}/v1/search?${query}`, { timeoutMs: TIME_LIMIT }))) as { results?: Found[] };
  const found = Array.isArray(answer.results) ? answer.results.filter(isFound) : [];
  const settled = found.filter(({ feature_code }) => feature_code?.startsWith('PPL'));
  return settled.length > 0 ? settled : found;
}

function isFound(one: Found): boolean {
  return typeof one?.name === 'string' && typeof one.latitude === 'number' && typeof one.longitude === 'number';
}

/** The language of the names that come back; Han alone may be Japanese, too, and is found all the same. */
function languageOf(name: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(name)) return 'ja';
  const scripts = {
    zh: /\p{Script=Han}/u,
    ru: /\p{Script=Cyrillic}/u,
    ko: /\p{Script=Hangul}/u,
    ar: /\p{Script=Arabic}/u,
    el: /\p{Script=Greek}/u,
  };
  return Object.entries(scripts).find(([, script]) => script.test(name))?.[0] ?? 'en';
}

function theOneMeant(name: string, found: readonly Found[]): Found {
  const same = found.filter((one) => fold(one.name) === fold(name));
  const [first, ...others] = (same.length > 0 ? same : found.slice(0, 1)).toSorted((a, b) => (b.population ?? 0) - (a.population ?? 0));
  const rivals = others.filter((one) => (one.population ?? 0) * CLEARLY_LARGER > (first!.population ?? 0) && isElsewhere(one, first!));
  if (rivals.length === 0) return first!;
  const names = [first!, ...rivals].slice(0, CANDIDATES).map(fullName);
  throw new HermesError('ambiguous_place', `there are several places of the name ${name}: ${names.join('; ')}`, {
    kind: 'tool',
    next: `ask the user which one, or call again with one of these as the city, such as "${names[0]}"`,
  });
}

function isElsewhere(one: Found, other: Found): boolean {
  return Math.abs(one.latitude - other.latitude) + Math.abs(one.longitude - other.longitude) > 0.5;
}

function isWithin(one: Found, part: string): boolean {
  return [one.admin1, one.admin2, one.country, one.country_code].some((name) => name !== undefined && fold(name) === fold(part));
}

function unknown(asked: string, found: readonly Found[]): HermesError {
  const candidates = found.slice(0, CANDIDATES).map(fullName).join('; ');
  const message = `no place of the name "${asked.slice(0, 100)}" is known${candidates ? `; known are ${candidates}` : ''}`;
  const next = 'write the name of a city alone, as in 上海 or Shanghai, or with its region: Paris, Texas';
  return new HermesError('no_such_place', message, { kind: 'tool', next });
}

function placeOf(one: Found): Place {
  const { name, latitude, longitude, timezone = 'auto' } = one;
  return { name, within: withinOf(one), latitude, longitude, timezone };
}

function fullName(one: Found): string {
  return [one.name, ...withinOf(one)].join(', ');
}

function withinOf({ name, admin1, country }: Found): string[] {
  return [admin1, country].filter((part): part is string => part !== undefined && part !== name);
}

function fold(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}|市$/gu, '')
    .toLowerCase();
}

// ---- weather ---------------------------------------------------------------------------------------------

const DAILY = `weather_code,temperature_2m_max,temperature_2m_min,apparent_temperature_max,apparent_temperature_min,
  precipitation_probability_max,precipitation_sum,wind_speed_10m_max`.replace(/\s/g, '');
const CURRENT = 'temperature_2m,apparent_temperature,relative_humidity_2m,weather_code,wind_speed_10m';

/** From today on, where the place is; the first day is its today. */
export async function forecast(place: Place, units: Units, base: string, fetch: Fetch): Promise<{ days: Day[]; now: Now | undefined }> {
  const { latitude, longitude, timezone } = place;
  const query = new URLSearchParams({ latitude: String(latitude), longitude: String(longitude), timezone, daily: DAILY, current: CURRENT });
  query.set('forecast_days', String(FORECAST_DAYS));
  if (units === 'imperial') {
    query.set('temperature_unit', 'fahrenheit');
    query.set('wind_speed_unit', 'mph');
  }
  const answer = (await answerOf(await fetch(`${base}/v1/forecast?${query}`, { timeoutMs: TIME_LIMIT }))) as Forecast;
  const { daily, current } = answer;
  if (!Array.isArray(daily?.time)) throw new HermesError('bad_answer', 'the weather service answers without any day', { kind: 'tool' });
  return { days: daily.time.map((date, at) => dayOf(date, daily, at)), now: current && nowOf(current) };
}

interface Forecast {
  daily?: { time?: string[] } & Record<string, (number | null)[] | string[] | undefined>;
  current?: Record<string, number | string | null>;
}

function dayOf(date: string, daily: NonNullable<Forecast['daily']>, at: number): Day {
  const value = (name: string) => (daily[name]?.[at] ?? null) as number | null;
  const round = (name: string) => rounded(value(name));
  return {
    date,
    code: value('weather_code') ?? -1,
    high: round('temperature_2m_max'),
    low: round('temperature_2m_min'),
    feels_like_high: round('apparent_temperature_max'),
    feels_like_low: round('apparent_temperature_min'),
    rain_probability: value('precipitation_probability_max'),
    precipitation_mm: round('precipitation_sum'),
    wind: round('wind_speed_10m_max'),
  };
}

function nowOf(current: NonNullable<Forecast['current']>): Now {
  const value = (name: string) => rounded(current[name] as number | null);
  return {
    time: String(current.time ?? '').slice(11, 16),
    temperature: value('temperature_2m'),
    feels_like: value('apparent_temperature'),
    humidity: value('relative_humidity_2m'),
    code: Number(current.weather_code ?? -1),
    wind: value('wind_speed_10m'),
  };
}

/** One digit; a value that is missing becomes null in JSON. */
function rounded(value: number | null | undefined): number {
  return typeof value === 'number' ? Math.round(value * 10) / 10 : Number.NaN;
}

async function answerOf(response: WebResponse): Promise<unknown> {
  if (response.ok) return response.json();
  throw statusError(response, response.text());
}
