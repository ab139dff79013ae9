/** What a model is tried with: six requests for three small tools, half of them Chinese, with the call that is right. */

import type { JsonObject } from '../kernel/types.ts';
import { type Tool, tool } from '../tools/define.ts';

export interface TrialCase {
  request: string;
  tool: string;
  /** Whether the arguments are right. */
  fits(args: JsonObject): boolean;
  /** What the final answer has to hold: it can be known from the tool only. */
  says: RegExp;
}

const calculator = tool({
  name: 'calculator',
  description: 'Evaluates an arithmetic expression and gives its value. Use it for every calculation.',
  level: 'read',
  idempotent: true,
  input: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'an expression such as (13 + 27) * 4', format: 'arithmetic' } },
    required: ['expression'],
  },
  keywords: 'calculate compute math sum plus minus times divided 计算 算 加 减 乘 除 等于 多少',
  examples: [
    { request: 'What is 12 * 7?', arguments: { expression: '12 * 7' }, result: { result: 84 }, answer: '12 * 7 is 84.' },
    { request: '帮我算一下 (8+5)×3', arguments: { expression: '(8+5)*3' }, result: { result: 39 }, answer: '结果是 39。' },
  ],
  execute: ({ expression }) => ({ result: /23/.test(expression) ? 391 : 80 }),
});

const weather = tool({
  name: 'weather',
  description: 'Gives the weather of today for a city.',
  level: 'read',
  idempotent: true,
  input: { type: 'object', properties: { city: { type: 'string', description: 'name of the city, as it was said' } }, required: ['city'] },
  keywords: 'weather forecast rain sunny temperature hot cold 天气 下雨 气温 温度 冷 热',
  examples: [
    {
      request: "What's the weather like in Madrid?",
      arguments: { city: 'Madrid' },
      result: { temp_c: 31 },
      answer: 'It is 31 degrees in Madrid.',
    },
    { request: '广州今天天气怎么样？', arguments: { city: '广州' }, result: { temp_c: 26 }, answer: '广州今天 26 度。' },
  ],
  execute: ({ city }) => ({ city, temp_c: /oslo/i.test(city) ? 7 : 19 }),
});

const currentTime = tool({
  name: 'current_time',
  description: 'Gives the current time in a time zone.',
  level: 'read',
  idempotent: true,
  input: {
    type: 'object',
    properties: { time_zone: { type: 'string', description: 'IANA time zone such as Europe/London', format: 'time-zone' } },
    required: ['time_zone'],
  },
  keywords: 'time clock hour now current 时间 几点 现在',
  examples: [
    {
      request: 'What time is it in London?',
      arguments: { time_zone: 'Europe/London' },
      result: { time: '09:05' },
      answer: 'It is 09:05 in London.',
    },
    { request: '现在纽约几点？', arguments: { time_zone: 'America/New_York' }, result: { time: '21:17' }, answer: '纽约现在是 21:17。' },
  ],
  execute: ({ time_zone }) => ({ time_zone, time: /tokyo|japan/i.test(time_zone) ? '18:24' : '17:36' }),
});

export const TRIAL_TOOLS: readonly Tool[] = [calculator, weather, currentTime];

export const TRIAL_CASES: readonly TrialCase[] = [
  { request: 'What is 23 * 17?', tool: 'calculator', fits: written('expression', /^\(?23[*×]17\)?$/), says: /391/ },
  { request: '成都今天天气怎么样？', tool: 'weather', fits: written('city', /^(成都市?|Chengdu)$/i), says: /19/ },
  {
    request: 'What time is it in Tokyo right now?',
    tool: 'current_time',
    fits: written('time_zone', /^(Asia\/Tokyo|Japan)$/i),
    says: /18:24|6:24/,
  },
  { request: '帮我算一下 (12+8)×4', tool: 'calculator', fits: written('expression', /^(\(12\+8\)[*×]4|4[*×]\(12\+8\))$/), says: /80/ },
  { request: "What's the weather like in Oslo?", tool: 'weather', fits: written('city', /^Oslo(,.*)?$/i), says: /\b7\b/ },
  {
    request: '现在北京几点？',
    tool: 'current_time',
    fits: written('time_zone', /^(Asia\/(Shanghai|Chongqing|Beijing)|PRC)$/i),
    says: /17:36|5:36|5点36/,
  },
];

function written(name: string, pattern: RegExp): TrialCase['fits'] {
  return (args) => pattern.test(String(args[name] ?? '').replaceAll(' ', ''));
}

/** A red square, 32 x 32. */
export const RED_SQUARE = {
  name: 'square.png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAACAAAAAgCAIAAAD8GO2jAAAAJ0lEQVR42u3NsQkAAAjAsP7/tF7hIASyp6lTCQQCgUAgEAgEgi/BAjLD/C5w/SM9AAAAAElFTkSuQmCC',
};
