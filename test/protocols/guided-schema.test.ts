/** Tools without examples on rails: their arguments are found in the request by name, type and description. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, ToolInfo } from '../../src/kernel/types.ts';
import { fillArguments } from '../../src/protocols/guided/arguments.ts';

const text = (description: string, more: JsonObject = {}): JsonObject => ({ type: 'string', description, ...more });
const number = (description: string): JsonObject => ({ type: 'number', description });
const whole = (description: string): JsonObject => ({ type: 'integer', description });

function filled(
  name: string,
  properties: Record<string, JsonObject>,
  required: string[],
  request: string,
  written: Record<string, string> = {},
) {
  const tool: ToolInfo = { name, description: '', level: 'read', hash: name, input_schema: { type: 'object', properties, required } };
  return fillArguments(tool, written, request, () => undefined);
}

test('numbers go to the argument whose name or unit stands beside them, else in their order', () => {
  const cone = { radius: number('Radius of the base.'), height: number('Height in centimeters.') };
  assert.deepEqual(filled('cone_volume', cone, ['radius', 'height'], 'Volume of a cone 12 cm tall with a radius of 4?').arguments, {
    radius: 4,
    height: 12,
  });
  const pair = { first: whole('One number.'), second: whole('Another number.') };
  assert.deepEqual(filled('lowest_multiple', pair, ['first', 'second'], 'Lowest common multiple of 21 and 6').arguments, {
    first: 21,
    second: 6,
  });
  const loan = { amount: number('Sum that is borrowed.'), rate: number('Interest rate.'), years: whole('Term.') };
  assert.deepEqual(filled('loan', loan, ['amount', 'rate', 'years'], 'I borrow $2.5 million at 4% for ten years').arguments, {
    amount: 2_500_000,
    rate: 0.04,
    years: 10,
  });
});

test('a year is no count, and a count is no year', () => {
  const films = { year: whole('Year of release.'), count: whole('How many to list.') };
  assert.deepEqual(filled('list_films', films, ['year', 'count'], 'Name 3 films of 1994').arguments, { year: 1994, count: 3 });
});

test('places stand behind from and to, dates take the form that the description asks for', () => {
  const trip = { start: text('Where it begins.'), end: text('Where it ends.'), date: text('Day of travel, in the format DD-MM-YYYY.') };
  assert.deepEqual(filled('bus', trip, ['start', 'end', 'date'], 'A bus to Porto from Lisbon on May 3rd, 2024 please').arguments, {
    start: 'Lisbon',
    end: 'Porto',
    date: '03-05-2024',
  });
});

test('choices, flags and lists come from the words of the request; a flag that nobody speaks of is off', () => {
  const report = {
    level: text('How much.', { enum: ['short', 'full'] }),
    include_charts: { type: 'boolean', description: 'With charts.' },
    archived: { type: 'boolean', description: 'Also old ones.' },
    values: { type: 'array', items: { type: 'number' }, description: 'The data.' },
  } satisfies Record<string, JsonObject>;
  const request = 'Make a full report of the values 3, 8 and 2.5 without charts';
  assert.deepEqual(filled('report', report, ['level', 'include_charts', 'archived', 'values'], request).arguments, {
    level: 'full',
    include_charts: false,
    archived: false,
    values: [3, 8, 2.5],
  });
});

test('what is nowhere in the request is asked for, and what is optional and not stated is left out', () => {
  const flight = { passenger: text('Full name of the passenger.'), seat: text('Seat, such as 12A.') };
  const found = filled('check_in', flight, ['passenger'], 'Check me in please', { passenger: 'John Smith' });
  assert.deepEqual([found.arguments, found.missing], [{}, ['passenger']]);
  assert.deepEqual(filled('check_in', flight, ['passenger'], 'Check in Maria Lopez').arguments, { passenger: 'Maria Lopez' });
});

test('a default stands in for a required value that is not stated', () => {
  const search = { query: text('What to look for.'), limit: whole('Most results. Default is 5') };
  assert.deepEqual(filled('catalogue', search, ['query', 'limit'], "Look for 'blue whales'").arguments, { query: 'blue whales', limit: 5 });
});

test('Chinese requests: labels and units stand beside numbers, quotations and codes keep their form', () => {
  const body = { weight: number('体重，公斤'), height: number('身高，厘米') };
  assert.deepEqual(filled('bmi', body, ['weight', 'height'], '身高172厘米，体重65公斤').arguments, { weight: 65, height: 172 });
  const parcel = { number: text('运单号') };
  assert.deepEqual(filled('parcel', parcel, ['number'], '快递ZX88120034到哪了').arguments, { number: 'ZX88120034' });
});

test('Chinese texts are cut out of the sentence by the words around them', () => {
  const ride = { start: text('上车的地方'), end: text('下车的地方'), date: text('日期') };
  assert.deepEqual(filled('ride', ride, ['start', 'end'], '帮我看看后天从天津去呼和浩特怎么走').arguments, {
    start: '天津',
    end: '呼和浩特',
    date: '后天',
  });
  const dishes = { ingredients: { type: 'array', items: { type: 'string' }, description: '食材' } satisfies JsonObject };
  assert.deepEqual(filled('dishes', dishes, ['ingredients'], '家里有白菜、粉丝和虾米，能做什么').arguments, {
    ingredients: ['白菜', '粉丝', '虾米'],
  });
  const song = { song: text('歌名'), singer: text('歌手') };
  assert.deepEqual(filled('song', song, ['song'], '我想听蔡琴的《恰似你的温柔》').arguments, { song: '恰似你的温柔', singer: '蔡琴' });
  const money = { amount: number('金额'), from: text('原来的货币'), to: text('换成的货币') };
  assert.deepEqual(filled('money', money, ['amount', 'from', 'to'], '一千二百块人民币能换多少泰铢').arguments, {
    amount: 1200,
    from: '人民币',
    to: '泰铢',
  });
});

test('a Chinese request that does not say it is asked, and no word of it becomes a value', () => {
  const ride = { start: text('出发的城市'), end: text('到达的城市') };
  for (const request of ['帮我查一下', '有没有票', '什么时候能到', '明天呢']) {
    assert.deepEqual(filled('ride', ride, ['start', 'end'], request).arguments, {}, request);
  }
  assert.deepEqual(filled('ride', ride, ['start', 'end'], '想去桂林').missing, ['start']);
});

test('arguments inside an object are found like others, and the ends of a range by the words around them', () => {
  const price = { type: 'object', properties: { min: number('Lowest price.'), max: number('Highest price.') } } satisfies JsonObject;
  const flat = { price, max_rooms: whole('Most rooms.') };
  for (const [request, value] of [
    ['Flats from $900 to $1.2k', { min: 900, max: 1200 }],
    ['Flats between 700 and 850 euros', { min: 700, max: 850 }],
  ] as const) {
    assert.deepEqual(filled('flats', flat, ['price'], request).arguments, { price: value }, request);
  }
  const person = { type: 'object', properties: { name: text('Full name.'), age: whole('Age.') }, required: ['name'] } satisfies JsonObject;
  assert.deepEqual(filled('register', { person }, ['person'], 'Register Ruth Gray, age 41').arguments, {
    person: { name: 'Ruth Gray', age: 41 },
  });
  assert.deepEqual(filled('register', { person }, ['person'], 'Register someone of age 41').missing, ['person'], 'no half of an object');
  const rent = { rent: whole('租金上限，元'), rooms: whole('几个卧室') };
  assert.deepEqual(filled('rent', rent, ['rent'], '租金不超过四千五百元').arguments, { rent: 4500 });
});

test('a dot in the name of an argument is a part of it', () => {
  const user = { 'user.name': text('Name of the user.'), 'user.age': whole('Age in years.') };
  const request = 'Create the user "Ruth Gray" with an age of 34';
  assert.deepEqual(filled('create_user', user, ['user.name', 'user.age'], request).arguments, { 'user.name': 'Ruth Gray', 'user.age': 34 });
});

test('a pasted page costs no minute', () => {
  const page = '我们今天在北京的办公室讨论了新的项目计划，从上海来的同事介绍了三个方案，其中第二个方案需要一百二十万元的预算。'.repeat(200);
  const message = { to: text('收件人'), text: text('内容'), count: whole('how many') };
  for (const request of [`告诉李雷：${page}`, '发'.repeat(20_000), '一'.repeat(20_000)]) {
    const tool: ToolInfo = {
      name: 'send_message',
      description: '发消息给联系人',
      level: 'read',
      hash: '',
      input_schema: { type: 'object', properties: message, required: ['to', 'text'] },
      examples: [{ request: '告诉李雷明天开会', arguments: { to: '李雷', text: '明天开会' } }],
    };
    const before = process.cpuUsage();
    fillArguments(tool, { to: '李雷' }, request, () => undefined);
    const { user, system } = process.cpuUsage(before);
    assert.ok((user + system) / 1e6 < 15, `${request.slice(0, 10)}: ${(user + system) / 1e6} s`); // 1 where nothing else runs; it was 100
  }
});

test('numbers: scales of money, signs, and how many there are', () => {
  const revenue = { before: whole('Revenue before.'), after: whole('Revenue after.') };
  assert.deepEqual(filled('growth', revenue, ['before', 'after'], 'Revenues of $3M, then $4.5M').arguments, {
    before: 3_000_000,
    after: 4_500_000,
  });
  const line = { a: whole('First.'), b: whole('Second.'), c: whole('Third.') };
  assert.deepEqual(filled('solve', line, ['a', 'b', 'c'], 'Solve it for 5, -7 and -2').arguments, { a: 5, b: -7, c: -2 });
  const sides = { side1: whole('First side.'), side2: whole('Second side.') };
  assert.deepEqual(filled('right_angle', sides, ['side1', 'side2'], 'Its two sides are 6 units and 2 units').arguments, {
    side1: 6,
    side2: 2,
  });
});

test('one word names one choice; currencies are given by their codes; a date has the form of its format', () => {
  const shop = {
    lessons: { type: 'array', items: { type: 'string', enum: ['Flute Lessons', 'Piano Lessons'] } },
    instruments: { type: 'array', items: { type: 'string', enum: ['Flutes', 'Pianos'] } },
  } satisfies Record<string, JsonObject>;
  assert.deepEqual(filled('shop', shop, [], 'A shop that sells flutes and has piano lessons').arguments, {
    lessons: ['Piano Lessons'],
    instruments: ['Flutes'],
  });
  const money = {
    amount: number('How much.'),
    from_currency: text('Currency to convert from.'),
    to_currency: text('Currency to convert to.'),
  };
  const required = Object.keys(money);
  for (const request of ['Convert 80 pounds to Canadian dollars', 'How many Canadian dollars are 80 British pounds?']) {
    assert.deepEqual(
      filled('convert', money, required, request).arguments,
      { amount: 80, from_currency: 'GBP', to_currency: 'CAD' },
      request,
    );
  }
  const day = { day: text('The day.', { format: 'date' }) };
  for (const request of ['On July 4th, 2026', 'on 4 July 2026', '2026年7月4日的'])
    assert.deepEqual(filled('day', day, ['day'], request).arguments, { day: '2026-07-04' }, request);
});

test('a whole saying is the value of an argument that takes one', () => {
  const tool: ToolInfo = {
    name: 'add_task',
    description: '',
    level: 'read',
    hash: 't',
    input_schema: { type: 'object', properties: { task: text('要做的事') }, required: ['task'] },
    keywords: '任务 task',
    examples: [{ request: '加个任务：买牛奶', arguments: { task: '买牛奶' } }],
  };
  for (const [request, task] of [
    ['任务：明天上午十点给王老师回电话', '明天上午十点给王老师回电话'],
    ['Task: call the bank back at 10:30.', 'call the bank back at 10:30'],
    ['记个任务，内容是“去 A 座 3 楼取合同”', '去 A 座 3 楼取合同'],
  ] as const) {
    assert.deepEqual(fillArguments(tool, {}, request, () => undefined).arguments, { task }, request);
  }
});

test('forms that an argument is about, and what belongs together', () => {
  const mail = { recipient: text('E-mail address of the recipient.'), subject: text('The subject.') };
  assert.deepEqual(filled('mail', mail, ['recipient'], "Mail Ann Lee at ann@lee.org with the subject 'Lunch'").arguments, {
    recipient: 'ann@lee.org',
    subject: 'Lunch',
  });
  const place = { city: text('The city.'), country: text('The country.') };
  assert.deepEqual(filled('clock', place, ['city', 'country'], 'What is the time in Lyon, France?').arguments, {
    city: 'Lyon',
    country: 'France',
  });
  const wall = { length: whole('Length in feet.'), height: whole('Height in feet.') };
  assert.deepEqual(filled('wall', wall, ['length', 'height'], 'Paint a wall of 40 feet by 9 feet').arguments, { length: 40, height: 9 });
  const stay = { hotel: text('Name of the hotel.'), check_in_date: text('First day.'), check_out_date: text('Last day.') };
  assert.deepEqual(
    filled('stay', stay, ['hotel', 'check_in_date', 'check_out_date'], 'The Ritz from May 3rd to May 5th. Show me prices').arguments,
    {
      hotel: 'Ritz',
      check_in_date: 'May 3rd',
      check_out_date: 'May 5th',
    },
  );
  const area = { limits: { type: 'array', items: { type: 'number' }, description: 'Bounds of the interval.' } } satisfies JsonObject;
  assert.deepEqual(filled('area', area, ['limits'], 'The area from x=-1 to x=2').arguments, { limits: [-1, 2] });
});
