/** Case files as people write them: what is understood, and how every fault is named. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readCases } from '../../src/evals/read-file.ts';
import type { HermesError } from '../../src/kernel/errors.ts';

const folder = await mkdtemp(join(tmpdir(), 'hermes-cases-'));
after(() => rm(folder, { recursive: true, force: true }));

async function read(toml: string, name = 'own.toml') {
  const file = join(folder, name);
  await writeFile(file, toml);
  return readCases([file], ['calculator']);
}
async function faults(toml: string): Promise<string> {
  const error = await read(toml).then(
    () => assert.fail('it was accepted'),
    (thrown: HermesError) => thrown,
  );
  assert.equal(error.kind, 'usage');
  assert.ok(error.next);
  return error.message;
}

test('short forms: one request, texts for lists of one, types for a schema, a text for an answer', async () => {
  const [found] = await read(`
    [tool.weather]
    description = "Gives the weather."
    input = { city = "string: 城市", days = "integer?" }
    result = { sky = "晴" }
    [[case]]
    name = "一个用例" # a comment
    request = "天气？"
    tools = ["weather"]
    answer.contains = "晴"
    script = [{ tool = "weather", arguments = { city = "上海" } }, "晴。"]
  `);
  assert.equal(found!.name, '一个用例');
  const [turn] = found!.turns;
  assert.deepEqual([turn!.tools, turn!.ending, turn!.answer], [['weather'], ['answer'], { contains: ['晴'] }]);
  assert.deepEqual(turn!.script, [{ calls: [{ tool: 'weather', arguments: { city: '上海' } }] }, { text: '晴。' }]);
  assert.deepEqual(found!.tools.weather!.input, {
    type: 'object',
    properties: { city: { type: 'string', description: '城市' }, days: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
  });
});

test('a case lays its own results over the tools of the file', async () => {
  const [own, other] = await read(`
    [tool.stock]
    description = "Gives the stock."
    result = 37
    [[case]]
    name = "a"
    tool.stock = { fails = "down" }
    request = "?"
    tools = "any"
    [[case]]
    name = "b"
    request = "?"
    tools = "any"
  `);
  assert.deepEqual(
    [own!.tools.stock!.description, own!.tools.stock!.fails, own!.tools.stock!.result],
    ['Gives the stock.', 'down', undefined],
  );
  assert.equal(other!.tools.stock!.result, 37);
});

test('every fault is told at once, with file, case, key, what was expected and the nearest key', async () => {
  const message = await faults(`
    [tool.weather]
    descripton = "x"
    input = { city = "text" }
    level = "mild"
    [[case]]
    name = "first"
    request = "?"
    tols = ["weather"]
    outcome = "anser"
    limits = { steps = 0, second = 3 }
    [[case]]
    name = "second"
    request = "?"
    tools = ["wether", { name = "weather", argument = {} }]
    answer = { matches = "(" }
    files = { "../x" = "y" }
    script = [{ tol = "weather" }]
    [[case]]
    request = "?"
    tools = "none"
    [[case]]
    name = "talk"
    tools = "none"
    [[case.turn]]
    request = "?"
    [[case]]
    name = "first"
    request = "?"
    tools = "none"
  `);
  for (const line of [
    'own.toml: case "first": tool.weather.descripton: there is no such key; did you mean description?',
    'own.toml: case "first": tool.weather.description: missing; expected a text that says when to use it',
    'own.toml: case "first": tool.weather.input.city: expected a type (string,',
    'own.toml: case "first": tool.weather.level: expected "read", "write" or "dangerous", got "mild"',
    'own.toml: case "first": tols: there is no such key; did you mean tools?',
    'own.toml: case "first": tools: missing; expected "none", "any" or a list of steps',
    'own.toml: case "first": outcome: expected answer, refusal',
    'own.toml: case "first": limits.steps: expected a whole number from 1, got 0',
    'own.toml: case "first": limits.second: there is no such key; did you mean seconds?',
    'own.toml: case "second": tools[0]: there is no tool "wether"; did you mean weather?',
    'own.toml: case "second": tools[1].argument: there is no such key; did you mean arguments?',
    'own.toml: case "second": answer.matches: expected a regular expression',
    'own.toml: case "second": files: expected a table: path inside the workspace',
    'own.toml: case "second": script[0].tol: there is no such key; did you mean tool?',
    'own.toml: case number 3: name: missing',
    'own.toml: case "talk": tools: belongs into one of its [[case.turn]]',
    'own.toml: case "talk": turn[0].tools: missing',
    'own.toml: case "first": the name is taken by a case of own.toml',
  ]) {
    assert.ok(message.includes(line), `${line}\nis missing in\n${message}`);
  }
});

test('files that are none, that break off, that hold nothing', async () => {
  assert.match(await faults('[[case]\nname = 1'), /own\.toml:1:\d+ cannot be read/);
  assert.match(await faults(''), /own\.toml: case: missing; expected at least one \[\[case\]\]/);
  await assert.rejects(readCases([join(folder, 'absent.toml')], []), { code: 'case_file_unreadable', kind: 'usage' });
  const empty = join(folder, 'empty');
  await mkdir(empty);
  await assert.rejects(readCases([empty], []), { code: 'case_file_unreadable', message: /no \*\.toml file/ });
});
