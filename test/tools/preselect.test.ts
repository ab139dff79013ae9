/** Pre-selection by meanings: a tool is found in the other language, and in other words than its own. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, ToolInfo } from '../../src/kernel/types.ts';
import { preselect } from '../../src/tools/select.ts';

function info(name: string, description: string, properties: JsonObject = {}): ToolInfo {
  return { name, description, level: 'read', input_schema: { type: 'object', properties }, hash: name };
}

const TOOLS = [
  info('getFlightStatus', 'Tells whether a flight is on time.'),
  info('library.find_book', 'Finds a novel by its title or author.'),
  info('hotel_reservation', 'Reserves a room for a number of nights.'),
  info('movie_showtimes', 'Lists which theaters show a film.'),
  info('criminal_record', 'Retrieves the convictions of a person.'),
  info('calculate_compound_interest', 'Computes what a deposit grows to.', { principal: { type: 'number' }, rate: { type: 'number' } }),
  info('记账', '把一笔花销记到账本里。'),
  info('lookup', 'Looks it up.', { zodiac_sign: { type: 'string', description: 'such as Leo' } }),
  ...Array.from({ length: 24 }, (_, index) => info(`other_${index}`, `Does the ${index}th of quite other tasks.`)),
];
const best = (request: string, tools = TOOLS) => preselect(request, tools, 1)[0]!.name;

test('Chinese requests find tools described in English, and the other way round', () => {
  const wanted: Record<string, string> = {
    我的航班晚点了没有: 'getFlightStatus',
    '订一间房，住三晚': 'hotel_reservation',
    '这片子在哪家影院放映？': 'movie_showtimes',
    一万块存五年连本带利多少: 'calculate_compound_interest',
    'note down an expense of 20 dollars': '记账',
  };
  for (const [request, tool] of Object.entries(wanted)) assert.equal(best(request), tool, request);
});

test('other words for the same find a tool, and other forms of a word', () => {
  const wanted: Record<string, string> = {
    'Which cinema is playing Dune?': 'movie_showtimes',
    'Is my plane late?': 'getFlightStatus',
    'Was he ever convicted?': 'criminal_record',
    'What is my horoscope, I am a Leo': 'lookup',
  };
  for (const [request, tool] of Object.entries(wanted)) assert.equal(best(request), tool, request);
});

test('a verb with its particle between its characters is the same verb; of words within others only the longer counts', () => {
  const tools = [
    info('court', 'Conviction records'),
    info('city', 'City facts'),
    info('university', 'University courses'),
    ...TOOLS.slice(8),
  ];
  assert.equal(best('他被判过刑吗', tools), 'court');
  assert.equal(best('哪所大学好', [info('size', 'Big dimension size'), ...tools]), 'university');
});

test('what stands within title marks or quotes says little of the task', () => {
  assert.equal(best('图书馆有没有《航班》这本小说'), 'library.find_book');
  assert.equal(best('Is there a novel called "Flight to the Cinema"?'), 'library.find_book');
});

test('a request that says nothing keeps the order; none is lost or doubled', () => {
  assert.deepEqual(preselect('嗯', TOOLS, 40), TOOLS);
  const some = preselect('flight hotel 书', TOOLS, 12);
  assert.deepEqual([some.length, new Set(some).size], [12, 12]);
  assert.deepEqual(preselect('x', [], 5), []);
});

test('the same tools in another list, and the same list again, give the same', () => {
  const [first, again] = [preselect('订机票', TOOLS, 5), preselect('订机票', TOOLS, 5)];
  assert.deepEqual(first, again);
  assert.deepEqual(preselect('订机票', [...TOOLS], 5), first);
});

test('a request of a megabyte takes no longer than its first part, whatever it is made of', () => {
  for (const unit of ['x ', '啊', '中/', 'a/', 'a.', 'a@', '《', '" ', '不', "'"]) {
    const began = performance.now();
    assert.equal(best(`flight 航班 ${unit.repeat(1_000_000 / unit.length)}`), 'getFlightStatus', unit);
    assert.ok(performance.now() - began < 1500, `${unit}: seconds mean that each start of a run was tried to its end`);
  }
});
