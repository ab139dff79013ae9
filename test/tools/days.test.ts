/** Days as people name them. 2026-03-11 is a Wednesday. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dateOf, findDay } from '../../src/tools/days.ts';

const TODAY = '2026-03-11';

test('words to dates, English and Chinese, simplified and traditional', () => {
  const wanted: Record<string, string | undefined> = {
    today: '2026-03-11',
    'tomorrow morning': '2026-03-12',
    'the day after tomorrow': '2026-03-13',
    'this evening': '2026-03-11',
    'in 3 days': '2026-03-14',
    'two days from now': '2026-03-13',
    'Day before yesterday': '2026-03-09',
    前天: '2026-03-09',
    后天: '2026-03-13',
    後天: '2026-03-13',
    大后天: '2026-03-14',
    后天上午: '2026-03-13',
    明天的晚上: '2026-03-12',
    今天下午: '2026-03-11',
    三天后: '2026-03-14',
    '10 天以后': '2026-03-21',
    兩天後: '2026-03-13',
    Sunday: '2026-03-15',
    wed: '2026-03-11',
    'this Monday': '2026-03-09',
    'next Friday': '2026-03-20',
    'on Friday night': '2026-03-13',
    周三: '2026-03-11',
    周一: '2026-03-16',
    下周一: '2026-03-16',
    下周三: '2026-03-18',
    下個禮拜五: '2026-03-20',
    这周五: '2026-03-13',
    本周日: '2026-03-15',
    上周五: '2026-03-06',
    下下周二: '2026-03-24',
    星期天晚上: '2026-03-15',
    周末: '2026-03-14',
    'next weekend': '2026-03-21',
    '2026-3-20': '2026-03-20',
    '2026年3月20号': '2026-03-20',
    '3月20日': '2026-03-20',
    '3/20': '2026-03-20',
    'March 20': '2026-03-20',
    '20th of March': '2026-03-20',
    'Mar 20, 2027': '2027-03-20',
    '１２月２５日': '2025-12-25',
  };
  for (const [words, date] of Object.entries(wanted)) assert.equal(dateOf(words, TODAY), date, words);
});

test('a day without a year is the nearest one, also over New Year', () => {
  assert.deepEqual(
    ['1月2日', '01-02', 'January 2', '12月30日'].map((words) => dateOf(words, '2026-12-29')),
    ['2027-01-02', '2027-01-02', '2027-01-02', '2026-12-30'],
  );
  assert.equal(dateOf('2月29日', '2027-12-01'), '2028-02-29');
  assert.equal(dateOf('weekend', '2026-03-15'), '2026-03-15');
});

test('what names no one day is none: other words that begin like a weekday, spans, days that are not', () => {
  for (const words of [
    'monthly',
    'sunny',
    'wedding',
    'fried',
    'satellite',
    'someday',
    '下周',
    '2026-02-30',
    '4月31日',
    '13/13',
    '',
    '天',
    'may',
    '3 days',
  ])
    assert.equal(dateOf(words, TODAY), undefined, words);
});

test('found in a text, as it stands there; of several the first', () => {
  const wanted: Record<string, string | undefined> = {
    '上海后天会下雨吗？': '后天',
    上海大後天會下雨嗎: '大後天',
    'Will it rain the day after tomorrow in Oslo?': 'the day after tomorrow',
    '三天后去爬山，冷不冷': '三天后',
    'weather in Rome next Friday or Sunday': 'next Friday',
    下周三和周五: '下周三',
    'Is March 20 warm?': 'March 20',
    'in 3 days': 'in 3 days',
    '1/2 of it, 3 days of rain': undefined,
    'sat down, may I know now or later': 'now',
    'How sunny is it?': undefined,
  };
  for (const [text, words] of Object.entries(wanted)) assert.equal(findDay(text), words, text);
});
