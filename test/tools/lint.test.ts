/** What authors are told of tools that work. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject, ToolInfo } from '../../src/kernel/types.ts';
import { lintTools, tokensOf } from '../../src/tools/lint.ts';

function info(name: string, description: string, more: Partial<ToolInfo> = {}): ToolInfo {
  const input_schema: JsonObject = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  return { name, description, level: 'read', hash: '', input_schema, examples: [{ request: 'a', arguments: {} }], ...more };
}
const codes = (...infos: ToolInfo[]) => lintTools(infos).map(({ tool, code }) => `${tool} ${code}`);

test('a good tool gets no advice, in either language', () => {
  assert.deepEqual(codes(info('weather', 'Weather of a city, e.g. 21.5 degrees. Use it when asked about rain.')), []);
  assert.deepEqual(codes(info('weather', '查询城市天气。用户询问天气时使用。')), []);
});

test('too long, without a when, undeclared required, no examples', () => {
  assert.deepEqual(codes(info('a', 'One. Two! Use it for three.')), ['a long_description']);
  assert.deepEqual(codes(info('a', 'Weather of a city.')), ['a no_when']);
  const schema: JsonObject = { type: 'object', properties: {}, required: ['city'] };
  assert.deepEqual(codes(info('a', 'Use it for rain.', { input_schema: schema, examples: [] })), [
    'a undeclared_required',
    'a no_examples',
  ]);
});

test('two that say nearly the same are told apart from two of one family', () => {
  const [one, two] = [
    info('get_weather', 'Gets the weather of a city. Use it for rain.'),
    info('city_weather', 'Gets the weather of a city. Use it for rain.'),
  ];
  assert.deepEqual(codes(one, two), ['get_weather similar', 'city_weather similar']);
  const circle = [
    info('circle_area', 'Use it to calculate the area of a circle.'),
    info('math_circle_area', 'Use it to calculate the area of any circle.'),
  ];
  assert.equal(codes(...circle).length, 2);
  const [read, write] = [
    info('read_file', 'Reads a text file. Use it to see it.'),
    info('write_file', 'Writes a text file. Use it to save what was asked for.'),
  ];
  assert.deepEqual(codes(read, write), []);
});

test('tokens grow with what the model reads, not with examples and keywords', () => {
  const short = info('a', 'Use it.');
  assert.ok(tokensOf(info('a', 'Use it for all kinds of things that take many words.')) > tokensOf(short));
  assert.equal(tokensOf({ ...short, keywords: 'many words', examples: [] }), tokensOf(short));
});
