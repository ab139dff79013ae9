/** Values that a request states in its own way, by declared format. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainArgument, resolveArgument } from '../../src/tools/resolve.ts';

const found = (format: string, request: string, value?: string) => resolveArgument({ type: 'string', format }, value, request)?.value;

test('arithmetic is read from signs and words, English and Chinese', () => {
  const wanted: Record<string, string | undefined> = {
    '(13+27)*4 等于多少？': '(13+27)*4',
    '（１３＋２７）×４＝？': '(13+27)*4',
    'Calculate (145 - 37) / 4.': '(145-37)/4',
    "what's 1,024 divided by 16": '1024/16',
    'How much is 15% of 240?': '15/100*240',
    '240的百分之十五是多少': '240*15/100',
    '123 加 456 等于多少？': '123+456',
    '12.5 乘以 4 减去 3': '12.5*4-3',
    '36 除以 4': '36/4',
    三百二十一加五十六等于几: '321+56',
    两千零五减去十: '2005-10',
    three: undefined,
    '12 x 7': '12*7',
    '2的10次方': '2^10',
    'square root of 144': 'sqrt(144)',
    'what is 7 squared': '7^2',
    '-3 + 5': '-3+5',
    'I have 2022 things': undefined,
    '一箱苹果 24 个，7 箱一共多少个？': undefined,
    '(1+2': '1+2',
    '': undefined,
  };
  for (const [request, expression] of Object.entries(wanted)) assert.equal(found('arithmetic', request), expression, request);
});

test('a time zone is found by city and country, in both languages', () => {
  const wanted: Record<string, string | undefined> = {
    'What time is it in Tokyo right now?': 'Asia/Tokyo',
    'time in los angeles': 'America/Los_Angeles',
    'and in São Paulo?': 'America/Sao_Paulo',
    'San Francisco please': 'America/Los_Angeles',
    'in Kenya': 'Africa/Nairobi',
    '莫斯科现在是几点？': 'Europe/Moscow',
    日本现在几点: 'Asia/Tokyo',
    成都: 'Asia/Shanghai',
    'what is Europe/Paris at': 'Europe/Paris',
    UTC: 'UTC',
    'Wake me up': undefined,
    'What time is it?': undefined,
    现在几点: undefined,
  };
  for (const [request, zone] of Object.entries(wanted)) assert.equal(found('time-zone', request), zone, request);
});

test('addresses are copied whole', () => {
  assert.equal(found('email', '给 wang@test.com 发邮件，主题是会议'), 'wang@test.com');
  assert.equal(found('email', 'Mail a.b+c@mail.example.org, please.'), 'a.b+c@mail.example.org');
  assert.equal(found('uri', '打开 https://example.com/a?b=1。谢谢'), 'https://example.com/a?b=1');
  assert.equal(found('email', 'nobody at home'), undefined);
});

test('a value that fits stays; one that names it in other words is resolved before the request is looked at', () => {
  assert.equal(found('time-zone', 'in Tokyo', 'Europe/Paris'), undefined);
  assert.equal(found('time-zone', 'in Tokyo', 'Paris'), 'Europe/Paris');
  assert.equal(found('time-zone', 'in Tokyo', 'nowhere'), 'Asia/Tokyo');
  assert.equal(found('arithmetic', '1+1', '24 * 7'), undefined);
  assert.equal(found('arithmetic', '1+1', '24 乘以 7'), '24*7');
  assert.equal(found('email', 'to bob@example.com', 'bob'), 'bob@example.com');
  assert.equal(found('email', '', '李雷 <li@example.com>'), 'li@example.com');
  assert.equal(found('email', '', 'li@example.com (li@example.com)'), 'li@example.com');
});

test('of several addresses in one value none is left out: the value stays as it is', () => {
  for (const value of ['a@example.com, b@example.com', 'a@example.com；b@example.com', 'Ann <a@example.com>; Bob <b@example.com>'])
    assert.equal(found('email', 'mail c@example.com', value), undefined, value);
  assert.equal(found('uri', '', 'https://example.com/a and https://example.com/b'), undefined);
});

test('other formats, no format and names of object members are left alone', () => {
  assert.equal(found('date', '2026-01-02'), undefined);
  assert.equal(found('constructor', '1+1'), undefined);
  assert.equal(resolveArgument({ type: 'string' }, undefined, '1+1'), undefined);
  assert.match(resolveArgument({ format: 'time-zone' }, undefined, 'now in Oslo')!.note, /Europe\/Oslo from Oslo/);
});

test('long requests are read in time', () => {
  const started = performance.now();
  for (const piece of ['1+', '(', '１', '加', 'a.b@', 'Paris ', '一']) {
    for (const format of ['arithmetic', 'time-zone', 'email', 'uri']) found(format, piece.repeat(20_000 / piece.length));
  }
  assert.ok(performance.now() - started < 20_000, `${performance.now() - started} ms`);
});

test('arithmetic is explained in its order; what has no order is not', () => {
  const arithmetic = { type: 'string', format: 'arithmetic' };
  for (const [expression, told] of [
    ['3+4*5', 'first 4*5=20, then 3+20=23'],
    ['2^3^2', 'first 3^2=9, then 2^9=512'],
    ['-2^2+1', 'first 2^2=4, then -4+1=-3'],
    ['7-2-1', 'first 7-2=5, then 5-1=4'],
    ['0.1+0.2+0.3', 'first 0.1+0.2=0.3, then 0.3+0.3=0.6'],
    ['(1-4)^2', 'first 1-4=-3 in the parentheses, then (-3)^2=9'],
  ] as const) {
    assert.ok(explainArgument(arithmetic, expression, 'en')?.includes(told), expression);
  }
  for (const none of ['12*7', '5', 'sqrt(16)+1*2', '1/0+2', '1+', '20% * 350']) {
    assert.equal(explainArgument(arithmetic, none, 'zh'), undefined, none);
  }
  assert.equal(explainArgument({ type: 'string' }, '3+4*5', 'en'), undefined);
});
