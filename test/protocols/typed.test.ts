/** Typed answers and the exact form of a reply: what native and json ask for, and what they read. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { Json, JsonObject, Reply, State, ToolInfo } from '../../src/kernel/types.ts';
import { createJson } from '../../src/protocols/json.ts';
import { createNative } from '../../src/protocols/native.ts';
import { answerOnly, jsonOnly } from '../../src/protocols/streamed.ts';
import { strictSchema } from '../../src/protocols/strict.ts';
import { Templates } from '../../src/protocols/templates.ts';
import { compileValidator } from '../../src/tools/validate.ts';
import { asked, calculator, tools } from './talk.ts';

const templates = new Templates();
const Weather: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Chinese name', minLength: 1 },
    sky: { type: 'string', enum: ['晴', '雨'] },
    wind: { type: 'number' },
  },
  required: ['city', 'sky'],
};
const GOOD = '{"city": "上海", "sky": "雨"}';
const state = asked('上海天气？', { output: Weather });
const plain = asked('上海天气？');
const reply = (text: string, finish: Reply['finish'] = 'stop'): Reply => ({ text, calls: [], finish });
const native = async (text: string, finish?: Reply['finish'], of: State = state) =>
  createNative(templates).read(reply(text, finish), of, tools);
const json = async (text: string, of: State = state) => createJson(templates).read(reply(text), of, tools);

test('native asks in words and by schema, beside its tools; without a schema nothing changes', () => {
  const protocol = createNative(templates);
  const request = protocol.render(state, tools);
  assert.match(String(request.prompt[0]!.content), /最终回答由程序读取[\s\S]*"Chinese name"/, 'the whole schema, descriptions included');
  assert.equal(request.tools?.length, tools.length);
  assert.deepEqual(request.responseFormat, {
    type: 'json',
    schema: {
      type: 'object',
      properties: { city: { type: 'string' }, sky: { type: 'string', enum: ['晴', '雨'] }, wind: { type: ['number', 'null'] } },
      required: ['city', 'sky', 'wind'],
      additionalProperties: false,
    },
  });
  assert.equal(protocol.render(state, tools).responseFormat, request.responseFormat, 'the same from step to step');
  const before = createNative(templates).render(plain, tools);
  assert.equal(before.responseFormat, undefined);
  assert.doesNotMatch(String(before.prompt[0]!.content), /Schema/);
});

test('native: the JSON of an answer comes out of fences, prose and thinking; calls stay calls', async () => {
  for (const text of [
    GOOD,
    `\`\`\`json\n${GOOD}\n\`\`\``,
    `Here: ${GOOD} Bye.`,
    `<think>{"city": 1}</think>\n${GOOD}`,
    "{'city': '上海', 'sky': '雨',}",
  ]) {
    const reading = await native(text);
    assert.deepEqual([JSON.parse(reading.text), reading.calls], [JSON.parse(GOOD), []], text);
  }
  assert.equal((await native(` ${GOOD}\n`)).text, GOOD, 'valid JSON stays as it was written');
  assert.equal((await native('下雨 [1]')).text, '下雨 [1]', 'no object: the text stays');
  assert.equal((await native('{"city": "上海", "sky": "', 'length')).text, '{"city": "上海", "sky": "', 'cut off: never completed');
  const called = await native('<tool_call>{"name": "weather", "arguments": {"city": "上海"}}</tool_call>');
  assert.deepEqual([called.calls.length, called.as_text], [1, true]);
  const answer: JsonObject = { type: 'object', properties: { name: {}, arguments: {} }, required: ['name', 'arguments'] };
  const lookalike = '{"name": "weather", "arguments": {"city": "上海"}}';
  assert.deepEqual((await native(lookalike, 'stop', asked('x', { output: answer }))).calls, [], 'it has all that the schema wants');
  assert.equal((await native(lookalike, 'stop', plain)).calls.length, 1);
});

test('json: the answer as JSON, as text of JSON, or without the form around it', async () => {
  const forms = [
    `{"action": "finish", "answer": ${GOOD}}`,
    `{"reasoning": "r", "reply": {"action": "finish", "answer": ${GOOD}, "highlights": ["住在上海"]}}`,
    JSON.stringify({ action: 'finish', answer: GOOD }),
    JSON.stringify({ action: 'finish', answer: `\`\`\`json\n${GOOD}\n\`\`\`` }),
    `{"thought": "t", "action": "finish", "action_input": ${GOOD}}`,
    GOOD,
    `\`\`\`json\n${GOOD}\n\`\`\``,
  ];
  for (const form of forms) {
    const { text, calls, problem } = await json(form);
    assert.deepEqual([JSON.parse(text), calls, problem], [JSON.parse(GOOD), [], undefined], form);
  }
  assert.deepEqual((await json(forms[1]!)).highlights, ['住在上海']);
  assert.equal((await json('{"action": "finish", "answer": "下雨"}')).text, '下雨');
  const own: JsonObject = {
    type: 'object',
    properties: { answer: { type: 'string' }, sure: { type: 'boolean' } },
    required: ['answer', 'sure'],
  };
  const text = '{"answer": "雨", "sure": true}';
  assert.equal(
    (await json(text, asked('x', { output: own }))).text,
    '{"answer":"雨","sure":true}',
    'a schema with a field of the same name',
  );
});

test('json: calls in the exact form; parameters as a string of JSON, too', async () => {
  for (const parameters of ['{"city": "上海"}', '"{\\"city\\": \\"上海\\"}"']) {
    const reading = await json(
      `{"reasoning": "查", "reply": {"action": "tool_call", "tool": "weather", "parameters": ${parameters}}}`,
      plain,
    );
    assert.deepEqual(
      reading.calls.map(({ name, arguments: args, problem }) => [name, args, problem]),
      [['weather', { city: '上海' }, undefined]],
    );
    assert.equal(reading.text, '查');
  }
  const reply: ToolInfo = { ...calculator, name: 'reply' };
  const own = createJson(templates).read({ text: '{"action": "reply", "action_input": {"to": "Bob"}}', calls: [], finish: 'stop' }, plain, [
    reply,
  ]);
  assert.equal((own as { calls: unknown[] }).calls.length, 1, 'a tool whose name sounds like an end');
  const none = await json('{"reply": {"action": "tool_call", "tool": "current_time", "parameters": ""}}', plain);
  assert.deepEqual(none.calls[0]?.arguments, {});
});

test('json: the exact form is one branch for an answer and one a tool, the same from step to step', async () => {
  const protocol = createJson(templates);
  const format = protocol.render(plain, tools).responseFormat;
  assert.equal(format?.type, 'json');
  const schema = (format as { schema: JsonObject }).schema;
  assert.equal((protocol.render(plain, tools).responseFormat as { schema: JsonObject }).schema, schema);
  assertPlain(schema);
  assert.equal(schema.type, 'object');
  const validate = await compileValidator(schema, 'reply');
  const fits = (reply: JsonObject) => validate({ reasoning: 'r', reply }, 10).length === 0;
  assert.ok(fits({ action: 'finish', answer: '雨', highlights: [] }));
  assert.ok(fits({ action: 'tool_call', tool: 'weather', parameters: { city: '上海' } }));
  assert.ok(fits({ action: 'tool_call', tool: 'current_time', parameters: { time_zone: null } }), 'optional arguments may be null');
  assert.ok(!fits({ action: 'tool_call', tool: 'weather', parameters: { expression: '1' } }), 'arguments of another tool');
  assert.ok(!fits({ action: 'tool_call', tool: 'nothing', parameters: {} }));
  const typed = (createJson(templates).render(state, tools).responseFormat as { schema: JsonObject }).schema;
  const validateTyped = await compileValidator(typed, 'reply');
  const finish = (answer: Json) => validateTyped({ reasoning: '', reply: { action: 'finish', answer, highlights: [] } }, 10).length === 0;
  assert.ok(finish({ city: '上海', sky: '雨', wind: null }));
  assert.ok(!finish('雨'));
  const alone = (createJson(templates).render(plain, []).responseFormat as { schema: JsonObject }).schema;
  assert.doesNotMatch(JSON.stringify(alone), /tool_call|anyOf/);
});

test('many tools: the schema stays in bounds and still names every one', () => {
  const many = Array.from({ length: 300 }, (_, at): ToolInfo => ({ ...calculator, name: `tool_${at}` }));
  const text = JSON.stringify(createJson(templates).render(plain, many).responseFormat);
  assert.ok(text.length < 40_000, `${text.length} characters`);
  for (const { name } of many) assert.ok(text.includes(`"${name}"`), name);
});

const ALLOWED = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'anyOf'];
/** What strict structured outputs take: every object closed, with all its properties required. */
function assertPlain(schema: JsonObject, depth = 0): void {
  for (const key of Object.keys(schema)) assert.ok(ALLOWED.includes(key), key);
  assert.ok(depth <= 10, 'ten levels at most');
  assert.ok('type' in schema !== 'anyOf' in schema, JSON.stringify(schema));
  if (schema.type === 'object') {
    const properties = schema.properties as Record<string, JsonObject>;
    assert.deepEqual(schema.required, Object.keys(properties));
    assert.equal(schema.additionalProperties, false);
    for (const property of Object.values(properties)) assertPlain(property, depth + 1);
  }
  if (schema.type === 'array') assertPlain(schema.items as JsonObject, depth + 1);
  for (const branch of (schema.anyOf ?? []) as JsonObject[]) assertPlain(branch, depth);
}

test('schemas of every kind become plain ones', () => {
  const node: JsonObject = { type: 'object', properties: { next: { $ref: '#/$defs/node' }, all: { type: 'array', items: { $ref: '#' } } } };
  const cases: JsonObject[] = [
    {},
    { type: 'object' },
    { type: 'object', additionalProperties: { type: 'number' } },
    { type: 'object', properties: { map: { type: 'object', additionalProperties: true }, any: {}, list: { type: 'array' } } },
    { anyOf: [{ type: 'string' }, { type: 'object', properties: { a: { const: 1 } } }] },
    { anyOf: [{ $ref: '#' }, { anyOf: [{ $ref: '#' }, { type: 'null' }] }] },
    { allOf: [{ $ref: '#' }, { $ref: '#' }, { properties: { b: { type: 'integer' } }, required: ['b'] }] },
    { type: ['object', 'null', 'string'], properties: { a: { type: ['string', 'null'], enum: ['x', null] } } },
    { $ref: '#/$defs/node', $defs: { node } },
    { type: 'object', properties: { tuple: { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, not: { not: {} } } },
    { type: 'object', properties: { when: { type: 'string', format: 'date', pattern: '^x' }, pick: { enum: [{ a: 1 }, 2] } } },
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`p${at}`, { type: 'object' }])) },
  ];
  for (const schema of cases) assertPlain(strictSchema(schema));
  assert.deepEqual(
    strictSchema({ allOf: [{ properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'boolean' } } }] }),
    {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: ['boolean', 'null'] } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
  );
});

const bfcl = resolve(import.meta.dirname, '../../../shared/data/bfcl/multiple.jsonl');
test('every function of a public benchmark has a plain schema', { skip: existsSync(bfcl) ? false : `${bfcl} is not there` }, () => {
  const lines = readFileSync(bfcl, 'utf8').trim().split('\n');
  let count = 0;
  for (const line of lines) {
    for (const { parameters } of (JSON.parse(line) as { function: { parameters: JsonObject }[] }).function) {
      assertPlain(strictSchema(parameters));
      count++;
    }
  }
  assert.ok(count > 100);
});

test('streamed: a typed answer is shown as it is written, however the pieces are cut; the arguments of a call are not', () => {
  const answer = '{"city": "上\\"海}", "list": [1, {"a": []}]}';
  const whole = `{"reasoning": "the \\"answer\\": {", "reply": {"action": "finish", "answer": ${answer}, "highlights": ["x"]}}`;
  const call = '{"reasoning": "r", "action": "tool_call", "tool": "quiz", "parameters": {"answer": "42"}}';
  const shown = (show: (piece: string) => string, text: string, size: number) => {
    let all = '';
    for (let at = 0; at < text.length; at += size) all += show(text.slice(at, at + size));
    return all;
  };
  for (let size = 1; size < 12; size++) {
    assert.equal(shown(answerOnly(), whole, size), answer);
    assert.equal(shown(answerOnly(), call, size), '');
    assert.equal(shown(answerOnly(), '{"action": "finish", "tool": null, "parameters": null, "answer": "雨"}', size), '雨');
    assert.equal(shown(answerOnly(), '{"answer": -12.5, "highlights": []}', size), '-12.5');
    assert.equal(shown(answerOnly(), '{"answer": null, "action": "tool_call"}', size), '');
    assert.equal(shown(jsonOnly(), `Sure:\n\`\`\`json\n${answer}\n\`\`\` and {"more": 1}`, size), answer);
  }
});
