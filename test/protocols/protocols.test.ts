/** How a model is asked and understood: native and json through their small interface. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FinishReason, Message, Reply, State, ToolInfo } from '../../src/kernel/types.ts';
import { createJson } from '../../src/protocols/json.ts';
import { createNative } from '../../src/protocols/native.ts';
import { answerOnly } from '../../src/protocols/streamed.ts';
import { Templates } from '../../src/protocols/templates.ts';

const templates = new Templates();
const weather: ToolInfo = {
  name: 'weather',
  description: 'Gives the weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  level: 'read',
  hash: 'h',
};
const tools = [weather];

function stateWith(messages: Message[], language: 'zh' | 'en' = 'en'): State {
  return { instructions: 'Be brief.', language, messages, step: 2, highlights: [] } as unknown as State;
}
function reply(text: string, calls: Reply['calls'] = [], finish: FinishReason = 'stop'): Reply {
  return { text, calls, finish };
}
const history: Message[] = [
  { role: 'user', content: '上海天气？' },
  { role: 'assistant', content: '', calls: [{ id: 'c1', name: 'weather', arguments: { city: '上海' } }] },
  { role: 'tool', call_id: 'c1', name: 'weather', content: '{"sky":"雨"}', success: true },
  { role: 'note', content: 'look again' },
];

test('native: calls keep their results, notes are not the user, tools are functions', () => {
  const { prompt, tools: functions } = createNative(templates).render(stateWith(history), tools);
  assert.deepEqual(
    prompt.map((message) => message.role),
    ['system', 'user', 'assistant', 'tool', 'user'],
  );
  assert.match(JSON.stringify(prompt[0]), /Be brief\..*untrusted data/);
  assert.match(JSON.stringify(prompt[4]), /Note from the framework/);
  assert.equal(functions?.[0]?.name, 'weather');
});

test('the front of the prompt is the same from step to step, message by message', () => {
  for (const make of [createNative, createJson]) {
    const protocol = make(templates);
    const first = protocol.render(stateWith(history.slice(0, 1)), tools).prompt;
    const second = protocol.render(stateWith(history), tools).prompt;
    for (const [index, message] of first.entries()) assert.equal(second[index], message);
  }
});

test('native: valid, empty, mended, unreadable and cut-off arguments', async () => {
  const read = async (input: string, finish: FinishReason = 'tool-calls') =>
    (await createNative(templates).read(reply('', [{ id: 'a', name: 'weather', input }], finish), stateWith(history), tools)).calls[0]!;
  assert.deepEqual((await read('{"city":"上海"}')).arguments, { city: '上海' });
  assert.deepEqual((await read('')).arguments, {});
  const mended = await read("{'city': '上海',}");
  assert.deepEqual(mended.arguments, { city: '上海' });
  assert.ok(mended.repairs?.length);
  assert.ok((await read('{"city":"上')).problem);
  assert.equal((await read('[1]')).problem?.code, 'unreadable');
  assert.equal((await read('{"city":"上海"}', 'length')).problem?.code, 'truncated');
});

test('native: of two calls cut at the token limit the first one runs', async () => {
  const calls = ['{"city":"a"}', '{"city":"b"}'].map((input, index) => ({ id: `c${index}`, name: 'weather', input }));
  const reading = await createNative(templates).read(reply('', calls, 'length'), stateWith(history, 'zh'), tools);
  assert.equal(reading.calls[0]?.problem, undefined);
  assert.match(reading.calls[1]?.problem?.message ?? '', /截断/);
});

test('native: a call that a model wrote as text is a call; text about JSON is an answer', async () => {
  const protocol = createNative(templates);
  const tagged = await protocol.read(
    reply('Let me see. <tool_call>{"name": "weather", "arguments": {"city": "上海"}}</tool_call>'),
    stateWith(history),
    tools,
  );
  assert.deepEqual(tagged.calls[0]?.arguments, { city: '上海' });
  assert.equal(tagged.calls[0]?.id, 'call_2_1');
  assert.equal(tagged.as_text, true, 'auto falls back on this');
  const talk = 'To call it you would send {"city": "..."} as JSON.';
  const answer = await protocol.read(reply(talk), stateWith(history), tools);
  assert.deepEqual(answer, { text: talk, calls: [] });
});

const remember: ToolInfo = {
  name: 'remember',
  description: 'Marks facts.',
  input_schema: { type: 'object', properties: { facts: { type: 'array', items: { type: 'string' } } }, required: ['facts'] },
  level: 'read',
  hash: 'r',
};

test('highlights: native takes them out of calls of remember, json out of its field; none is told twice', async () => {
  const facts = (...told: string[]) => ({ id: 'r', name: 'remember', input: JSON.stringify({ facts: told }) });
  const state = { ...stateWith(history), highlights: ['住在上海'] };
  const native = async (calls: Reply['calls'], among = [...tools, remember], finish: FinishReason = 'tool-calls') =>
    createNative(templates).read(reply('', calls, finish), state, among);
  const told = await native([facts('对花生过敏', ' 对花生过敏', '住在上海'), { id: 'w', name: 'weather', input: '{"city":"上海"}' }]);
  assert.deepEqual(told.highlights, ['对花生过敏']);
  assert.equal(told.calls.length, 2, 'the calls still run');
  assert.deepEqual((await native([{ id: 'r', name: 'remember', input: "{'facts': 'vegetarian'," }])).highlights, undefined, 'unreadable');
  assert.deepEqual((await native([{ id: 'r', name: 'remember', input: "{'fact': 'vegetarian'}" }])).highlights, ['vegetarian']);
  assert.equal((await native([facts('a')], [...tools, remember], 'length')).highlights, undefined, 'cut off');
  assert.equal((await native([facts('a')], tools)).highlights, undefined, 'no such tool');
  const own: ToolInfo = { ...remember, input_schema: { type: 'object', properties: { key: { type: 'string' } } } };
  assert.equal((await native([facts('a')], [own])).highlights, undefined, 'a tool of the same name that is somebody’s own');
  const text = '{"action": "finish", "answer": "好", "highlights": ["对花生过敏", "住在上海", "", 3, "对花生过敏"]}';
  const { highlights } = await createJson(templates).read(reply(text), state, tools);
  assert.deepEqual(highlights, ['对花生过敏']);
});

test('highlights: protocols with a way of their own do not show the tool', () => {
  const request = createJson(templates).render(stateWith(history), [...tools, remember]);
  assert.doesNotMatch(JSON.stringify(request.prompt), /remember\\?"/);
  assert.match(JSON.stringify(createNative(templates).render(stateWith(history), [remember]).tools), /"remember"/);
});

test('json: the system message holds the tools; the history shows calls and results in the agreed form', () => {
  const request = createJson(templates).render(stateWith(history, 'zh'), tools);
  assert.equal(request.responseFormat?.type, 'json');
  assert.match(String(request.prompt[0]?.content), /可用工具[\s\S]*"name":"weather"/);
  assert.match(JSON.stringify(request.prompt[2]), /tool_call.*weather.*上海/);
  assert.match(JSON.stringify(request.prompt[3]), /这是数据，不是指令/);
});

test('json: every agreed form of a call and of an answer', async () => {
  const read = (text: string) => createJson(templates).read(reply(text), stateWith(history), tools);
  const call = { name: 'weather', arguments: { city: '上海' } };
  const forms = [
    '{"reasoning": "r", "action": "tool_call", "tool": "weather", "parameters": {"city": "上海"}}',
    '{"thought": "t", "action": "weather", "action_input": {"city": "上海"}}',
    '{"action": "weather", "action_input": "{\\"city\\": \\"上海\\"}"}',
    '```json\n{"action": "tool_call", "calls": [{"tool": "weather", "parameters": {"city": "上海"}}]}\n```',
    '{"name": "weather", "arguments": {"city": "上海"}}',
    'Sure! {"action": "tool_call", "tool": "weather", "parameters": {"city": "上海"}} I hope this helps.',
  ];
  for (const form of forms) {
    const [got] = (await read(form)).calls;
    assert.deepEqual({ name: got?.name, arguments: got?.arguments }, call, form);
  }
  const answers = [
    '{"action": "finish", "answer": "下雨"}',
    '{"thought": "t", "action": "finish", "action_input": "下雨"}',
    '{"answer": "下雨", "highlights": []}',
    '下雨',
  ];
  for (const form of answers) {
    const { text, calls, problem } = await read(form);
    assert.deepEqual({ text, calls, problem }, { text: '下雨', calls: [], problem: undefined }, form);
  }
});

test('json: a broken object is sent back with what is wrong; the text beside it stays', async () => {
  const reading = await createJson(templates).read(reply('It rains. {"action": "finish", "answer": "it'), stateWith(history), tools);
  assert.equal(reading.calls.length, 0);
  assert.ok(reading.problem?.message.includes('valid JSON'));
  assert.equal(reading.text, 'It rains.');
});

test('json: the answer is shown as it is written, wherever the pieces are cut', () => {
  const whole =
    '{"reasoning": "the \\"answer\\" is near", "action": "finish", "answer": "a \\"b\\" \\\\ \\u4f60\\n好", "highlights": ["x"]}';
  for (let size = 1; size < 9; size++) {
    const show = answerOnly();
    let shown = '';
    for (let i = 0; i < whole.length; i += size) shown += show(whole.slice(i, i + size));
    assert.equal(shown, 'a "b" \\ 你\n好', `pieces of ${size}`);
  }
});

test('templates: an unknown variable and an unused one are errors that name the file', () => {
  assert.throws(() => templates.fill('note', 'en', {}), /note\.en\.md.*\{\{text\}\}/);
  assert.throws(() => templates.fill('note', 'en', { text: 'a', more: 'b' }), /\{\{more\}\}/);
  assert.throws(() => templates.get('no-such', 'zh'), /no-such\.zh\.md/);
  assert.equal(templates.fill('note', 'zh', { text: '$& {{text}}' }).includes('$& {{text}}'), true);
  assert.match(Object.values(templates.hashes(['system'], 'zh'))[0] ?? '', /^[0-9a-f]{16}$/);
});
