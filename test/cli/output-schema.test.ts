/** `hermes run --output-schema FILE` as people and programs use it: real processes, a real model server on loopback. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelServer } from './server.ts';
import { hermes, newFolders, noTerminal, onScreen } from './start.ts';

const folder = await newFolders('目录 ');
const CALCULATE = { calls: [{ name: 'calculator', arguments: { expression: '(13+27)*4' } }] };
const SCHEMA = { type: 'object', properties: { 结果: { type: 'number' } }, required: ['结果'], additionalProperties: false };

async function withSchema(schema: string | object): Promise<string> {
  const cwd = await folder();
  await writeFile(join(cwd, 'schema.json'), typeof schema === 'string' ? schema : `\uFEFF${JSON.stringify(schema)}`);
  return cwd;
}
const ARGS = ['run', '(13+27)*4 等于多少？', '--output-schema', 'schema.json'];

test('in a pipe standard output is the value, in one line; with --json it is the field output', async () => {
  const cwd = await withSchema(SCHEMA);
  const { env, requests } = await modelServer([CALCULATE, { text: '答案：\n```json\n{ "结果": 160 }\n```' }]);
  const { out, err, status } = await hermes(ARGS, { cwd, env });
  assert.equal(out, '{"结果":160}\n');
  assert.equal(status, 0, err);
  assert.equal(requests.length, 2);

  const again = await modelServer([{ text: '{"结果": 160}' }]);
  const { out: json } = await hermes([...ARGS, '--json'], { cwd, env: again.env });
  const { answer, output } = JSON.parse(json);
  assert.deepEqual([answer, output], ['{"结果":160}', { 结果: 160 }]);

  const fork = await modelServer([{ text: '[160]' }]);
  await writeFile(join(cwd, 'list.json'), JSON.stringify({ type: 'array', items: { type: 'number' } }));
  const forked = await hermes(['runs', 'fork', 'last', 'as a list', '--output-schema', 'list.json'], { cwd, env: fork.env });
  assert.equal(forked.out, '[160]\n', forked.err);
});

test('in a terminal the value is indented', { skip: noTerminal }, async () => {
  const cwd = await withSchema(SCHEMA);
  const { env } = await modelServer([{ text: '{"结果": 160}' }]);
  const screen = onScreen(ARGS, { cwd, env });
  await screen.seen(/\{\r?\n {2}"结果": 160\r?\n\}/);
  assert.equal(await screen.ended, 0);
});

test('an answer that never fits: exit 1, a named error, nothing on standard output, the answer where people see it', async () => {
  const cwd = await withSchema(SCHEMA);
  const { env, requests } = await modelServer([{ text: '一百六十' }, { text: '还是一百六十' }]);
  const { out, err, status } = await hermes(ARGS, { cwd, env });
  assert.equal(out, '');
  assert.equal(status, 1);
  assert.match(err, /还是一百六十\n/);
  assert.match(err, /最终回答不符合输出的 schema：answer: expected JSON/);
  assert.equal(requests.length, 2);
  assert.match(JSON.stringify(requests[1]?.messages.at(-1)), /最终回答不符合要求的 schema/);

  const json = await hermes([...ARGS, '--json'], { cwd, env });
  const outcome = JSON.parse(json.out);
  assert.deepEqual([outcome.status, outcome.error.code, outcome.answer], ['error', 'output_invalid', '还是一百六十']);
  assert.equal('output' in outcome, false);
});

test('a file that is no schema is one clear error, in both languages, before anything is asked', async () => {
  const { env, requests } = await modelServer([{ text: '{}' }]);
  const wrong: [string | object, RegExp][] = [
    ['{"type": "object",\n', /schema\.json is not JSON: .*(?:line 2|end of JSON input|position)/],
    [{ type: 'objekt' }, /schema\.json: schema\.type: expected one of/],
    [{ city: '杭州' }, /schema\.json: schema: expected a JSON Schema, got an object with the keys city/],
    ['"text"', /schema\.json: schema: expected a Standard Schema .* or a JSON Schema object, got "text"/],
    [{ type: 'object', properties: { a: { minimum: 'x' } } }, /the schema of the output is wrong: .*minimum/],
  ];
  for (const [schema, message] of wrong) {
    const cwd = await withSchema(schema);
    const { out, err, status } = await hermes([...ARGS, '--lang', 'en'], { cwd, env });
    assert.equal(status, 2, err);
    assert.equal(out, '');
    assert.match(err, message);
    assert.match(err, /Next: give a JSON Schema such as/);
  }
  const cwd = await folder();
  const missing = await hermes([...ARGS, '--lang', 'zh'], { cwd, env });
  assert.equal(missing.status, 2);
  assert.match(missing.err, /错误：无法读取 schema 文件（.*schema\.json/);
  assert.equal(requests.length, 0);
});
