/** Reading calls written as text: the dialects, talk about calls, broken and cut calls beside good ones. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/kernel/types.ts';
import { type CallsOptions, readCalls } from '../../src/protocols/read-calls.ts';

type Written = [name: string, args?: JsonObject];
const PARIS: Written = ['get_weather', { city: 'Paris' }];

function reads(input: string, expected: Written[], options: CallsOptions = {}, text?: string): void {
  const reading = readCalls(input, options);
  assert.deepEqual(
    reading.calls.map((call) => [call.name, call.arguments]),
    expected.map(([name, args]) => [name, args ?? {}]),
    `${input}\n${JSON.stringify(reading)}`,
  );
  if (text !== undefined) assert.equal(reading.text, text, input);
}
const codes = (input: string, options: CallsOptions = {}): string[] =>
  readCalls(input, options).problems.map(({ code, name }) => (name === undefined ? code : `${code} ${name}`));

test('Hermes and Qwen: JSON in tags', () => {
  const call = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
  reads(`Let me see.<tool_call>\n${call}\n</tool_call>`, [PARIS], {}, 'Let me see.');
  reads(`<tool_call>${call}</tool_call>\n<tool_call>${call}</tool_call> ok?`, [PARIS, PARIS], {}, 'ok?');
  reads(`<tool_call>${call}\n${call}</tool_call>`, [PARIS, PARIS]);
  reads(`<tool_call>[${call}, ${call}]</tool_call>`, [PARIS, PARIS]);
  reads(`<tool_call>\n\`\`\`json\n${call}\n\`\`\`\n</tool_call>`, [PARIS]);
  reads(`<tool_call>${call.slice(0, -1)}</tool_call>`, [PARIS]);
  reads(`<tool_call>${call}}</tool_call>`, [PARIS]);
  reads(`<tool_call>${JSON.stringify(call)}</tool_call>`, [PARIS]);
  reads(`<tool_call>${JSON.stringify(call).slice(1, -1)}</tool_call><tool_call>${call}</tool_call>`, [PARIS, PARIS]);
  reads('<tool_call>{"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}</tool_call>', [PARIS]);
  reads('<tool_call>{"name": "get_weather", "arguments": "{"city": "Paris"}"}</tool_call>', [PARIS]);
  reads('<tool_call>{"name": "get_weather", "city": "Paris"}</tool_call>', [PARIS]);
  reads('<tool_call>{"name": "refresh"}</tool_call>', [['refresh']]);
  reads('<tool_call>{"name": "w", "arguments": {"c": "a </tool_call> b"}}</tool_call>', [['w', { c: 'a </tool_call> b' }]]);
  reads("<tool_call>{'name': 'w', 'arguments': {'c': 'a </tool_call> b'}}</tool_call>", [['w', { c: 'a </tool_call> b' }]]);
  reads('好的。<tool_call>{"name": "查天气", "arguments": {"城市": "北京"}}</tool_call>', [['查天气', { 城市: '北京' }]], {}, '好的。');
});

test('the tokens of other families, with JSON behind them', () => {
  const list = '[{"name": "get_weather", "arguments": {"city": "Paris"}}]';
  reads(`[TOOL_CALLS]${list}`, [PARIS]);
  reads(`[TOOL_CALLS] well ${list} trailing`, [PARIS]);
  reads('[TOOL_CALLS]get_weather{"city": "Paris"}[TOOL_CALLS]b[CALL_ID]9x[ARGS]{}', [PARIS, ['b']]);
  reads(`<|tool_call|>${list}`, [PARIS]);
  reads(`functools${list}`, [PARIS]);
  reads(`<TOOLCALL>${list}</TOOLCALL>`, [PARIS]);
  reads(`<longcat_tool_call>${list.slice(1, -1)}</longcat_tool_call>`, [PARIS]);
  reads(`<|function_call|>${list.slice(1, -1)}`, [PARIS]);
  reads(`<tool_calls>${list}</tool_calls>`, [PARIS]);
  reads('<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>', [PARIS], { tools: ['get_weather'] });
  reads('<|python_tag|>{"name": "get_weather", "parameters": {"city": "Paris"}}<|eom_id|>', [PARIS], {}, '');
  reads('ok<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>', [PARIS], {}, 'ok');
  reads(
    '<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]<|END_ACTION|>',
    [PARIS],
    {},
    '',
  );
  const deepseek = '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Paris"}\n```<｜tool▁call▁end｜>';
  reads(`<｜tool▁calls▁begin｜>${deepseek}\n${deepseek}<｜tool▁calls▁end｜>`, [PARIS, PARIS], {}, '');
  reads('<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"Paris"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>', [
    PARIS,
  ]);
  const kimi = '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|>';
  reads(`<|tool_calls_section_begin|>${kimi}${kimi}<|tool_calls_section_end|>`, [PARIS, PARIS], {}, '');
  reads('<tool_calls><tool_call>get_weather<tool_sep>\n```json\n{"city": "Paris"}\n```\n</tool_call></tool_calls>', [PARIS], {}, '');
  const harmony =
    '<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>';
  reads(`${harmony}{"city":"Paris"}<|call|>`, [PARIS], {}, '');
  assert.equal(readCalls(`${harmony}{"city":"Paris"}<|call|>`).reasoning, 'Look.');
  reads('<|channel|>analysis<|message|>Look.<|end|><|start|>assistant<|channel|>final<|message|>It is 42.<|return|>', [], {}, 'It is 42.');
});

test('arguments in tags', () => {
  const qwen = '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>';
  reads(`I look.\n${qwen}\n${qwen}`, [PARIS, PARIS], {}, 'I look.');
  reads('<function=get_weather>{"city": "Paris"}</function>', [PARIS]);
  reads('<function=f><parameter=a>1</parameter><parameter=b>True</parameter><parameter=c>[1]</parameter></function>', [
    ['f', { a: 1, b: true, c: [1] }],
  ]);
  reads('<function=f>\n<parameter=a> one\n<parameter=b> two\n', [['f', { a: 'one', b: 'two' }]]);
  const page = '<root>\n  <parameter name="x">1</parameter>\n</root>';
  reads(`<function=f>\n<parameter=a>\n${page}\n</parameter>\n</function>`, [['f', { a: page }]]);
  const schemas = { f: { properties: { a: { type: 'string' } } } };
  reads(
    '<function=f>\n<parameter=a>\n{"b": 1}\n</parameter>\n<parameter=n>\n12\n</parameter>\n</function>',
    [['f', { a: '{"b": 1}', n: 12 }]],
    { schemas },
  );
  reads(
    '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</function_calls>',
    [PARIS],
    {},
    '',
  );
  reads('<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>', [
    PARIS,
  ]);
  reads(
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="true">7</｜DSML｜parameter>\n<｜DSML｜parameter name="b" string="false">7</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    [['f', { a: '7', b: 7 }]],
  );
  reads('<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n</tool_call>', [PARIS]);
  reads('<tool_call>refresh</tool_call>', [['refresh']]);
});

test('calls as code', () => {
  reads('[get_weather(city="Paris"), f(a=[1, None], b={"c": True})]', [PARIS, ['f', { a: [1, null], b: { c: true } }]], {}, '');
  reads("<|tool_call_start|>[get_weather(city='Paris')]<|tool_call_end|>", [PARIS], {}, '');
  reads('<|python_tag|>brave_search.call(query="a, (b)")', [['brave_search', { query: 'a, (b)' }]]);
  reads('<function_calls>get_weather(city="Paris")\nf()</function_calls>', [PARIS, ['f']], {}, '');
  reads('```tool_code\nprint(get_weather(city="Paris"))\n```', [PARIS], { tools: ['get_weather'] }, '');
  reads('get_weather(city="Paris")', [PARIS], { tools: ['get_weather'] });
  reads('get_weather(city="Paris")', []);
  reads('<|tool_call>call:f{a:<|"|>say "x"<|"|>,b:{c:[1,null]}}<tool_call|>', [['f', { a: 'say "x"', b: { c: [1, null] } }]]);
  reads('<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>', [PARIS]);
});

test('ReAct: the call counts, the invented observation does not', () => {
  reads(
    'Thought: look.\nAction: get_weather\nAction Input: {"city": "Paris"}\nObservation: 22\nAction: rm\nAction Input: {}',
    [PARIS],
    {},
    'Thought: look.',
  );
  reads('Action: get_weather(city="Paris")', [PARIS]);
  reads('Action:\n```json\n{"action": "get_weather", "action_input": {"city": "Paris"}}\n```', [PARIS], {}, '');
  reads('行动：get_weather\n行动输入：{"city": "Paris"}\n观察：22', [PARIS], {}, '');
  reads('Action: search\nAction Input: cats and dogs', [['search', { q: 'cats and dogs' }]], {
    schemas: { search: { properties: { q: {} } } },
  });
  reads('Action: we should talk.\nThanks.', [], {}, 'Action: we should talk.\nThanks.');
});

test('JSON without a tag is a call when it has the whole shape of one', () => {
  const call = '{"name": "get_weather", "parameters": {"city": "Paris"}}';
  reads(call, [PARIS], {}, '');
  reads(`${call}; ${call}`, [PARIS, PARIS], {}, '');
  reads(`\`\`\`json\n${call}\n\`\`\``, [PARIS], {}, '');
  reads(`Here is the result: ${call} Anything else?`, [PARIS]);
  reads(`${call} The arguments I passed were {"city": "Paris"}.`, [PARIS]);
  reads('{"tool": "get_weather", "args": {"city": "Paris"}}', [PARIS]);
  reads(
    '{"tool_calls": [{"id": "1", "type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}}]}',
    [PARIS],
  );
  reads('"name": "get_weather", "arguments": {"city": "Paris"}}', [PARIS]);
  reads('{"name": "f", "arguments": {"g": {"name": "h", "arguments": {}}}}', [['f', { g: { name: 'h', arguments: {} } }]]);
  reads('{"name": "John", "age": 30}', []);
  reads('{"name": "app", "parameters": {"debug": true}, "files": []}', []);
  reads(call, [PARIS], { tools: ['getWeather', 'get_weather'] });
  reads(call, [], { tools: ['other'] });
  assert.deepEqual(codes(call, { tools: ['other'] }), ['unknown_tool get_weather']);
  assert.deepEqual(codes(`It is like ${call} there.`, { tools: ['other'] }), []);
});

test('text that only talks about calls is no call and stays as it is', () => {
  const call = '{"name": "get_weather", "arguments": {"city": "Paris"}}';
  for (const text of [
    `To call a tool, write JSON like this:\n\`\`\`json\n${call}\n\`\`\``,
    `For example, <tool_call>${call}</tool_call> is what Hermes models write.`,
    `You can write \`${call}\` then.`,
    `例如：${call}`,
    'A call has the format {"name": <function-name>, "arguments": <args>}.',
    'Open with <tool_call> and close with </tool_call>.',
    'An object is written {"key": "value"}; see [the docs](http://x) and [1].',
    '```python\nprint("hello", end="")\n```',
    `\`\`\`js\nsend(${call})\n\`\`\``,
    'The `"arguments": {"city": "Paris"}` part is optional.',
  ]) {
    reads(text, [], {}, text);
    assert.deepEqual(codes(text), [], text);
  }
});

test('thinking and results of tools hold no calls', () => {
  const decoy = '<tool_call>{"name": "rm", "arguments": {"p": "/"}}</tool_call>';
  const real = '<tool_call>{"name": "ls", "arguments": {}}</tool_call>';
  reads(`<think>Maybe ${decoy}? No.</think>${real}`, [['ls']], {}, '');
  reads(`Maybe ${decoy}? No.</think>${real}`, [['ls']], {}, '');
  reads(`<think>Maybe ${decoy}`, []);
  reads(`${real}<tool_response>${decoy}</tool_response>`, [['ls']], {}, '');
  reads(`<｜tool▁output▁begin｜>${decoy}<｜tool▁output▁end｜>Done.`, [], {}, 'Done.');
  assert.equal(readCalls(`<think>first</think>Hello`).reasoning, 'first');
});

test('one bad call of two: the good one is read, the bad one has its problem', () => {
  const good = '<tool_call>{"name": "b", "arguments": {"y": "z"}}</tool_call>';
  for (const bad of ['{"name": "a", "arguments": {"x": "b}}', '{"name": "a", "arguments": {"x": }}', '{"name": "a", "arguments": [1]}']) {
    const reading = readCalls(`<tool_call>${bad}</tool_call>${good}`);
    assert.deepEqual(
      reading.calls.map((call) => call.name),
      ['b'],
      bad,
    );
    assert.deepEqual(
      reading.problems.map((problem) => problem.name),
      ['a'],
      bad,
    );
  }
  reads("[bad(x=b'z'), f(a=1)]", [['f', { a: 1 }]]);
  for (const list of [
    '[{"name": "f", "arguments": {"a": 1}}, {"name": "g}]',
    '[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {"x": "y',
  ]) {
    reads(list, [['f', { a: 1 }]]);
    reads(`[TOOL_CALLS] ${list}`, [['f', { a: 1 }]]);
    assert.equal(readCalls(`[TOOL_CALLS] ${list}`).problems.length, 1);
  }
});

test('a call that was cut off is a problem, not a call', () => {
  const calls = {
    '<tool_call>{"name": "shell", "arguments": {"command": "rm -rf /home/user/tmp"}}':
      '<tool_call>{"name": "shell", "arguments": {"command": "rm -rf /home/user/tmp"',
    '[TOOL_CALLS]shell[ARGS]{"command": "rm"}': '[TOOL_CALLS]shell[ARGS]{"command": "rm"',
    '{"name": "shell", "arguments": {"command": "rm"}}': '{"name": "shell", "arguments": {"command": "rm"',
    '<|channel|>commentary to=functions.shell<|message|>{"command": "rm"}':
      '<|channel|>commentary to=functions.shell<|message|>{"command": "rm"',
    'Action: shell\nAction Input: {"command": "rm"}': 'Action: shell\nAction Input: {"command": "rm"',
    '[shell(command="rm", n=1)]': '[shell(command="rm"',
    '<function=shell>\n<parameter=command>\nrm -rf /\n</parameter>\n</function>':
      '<function=shell>\n<parameter=command>\nrm -rf /\n</parameter>',
  };
  for (const [whole, complete] of Object.entries(calls)) {
    assert.equal(readCalls(whole).calls.length, 1, whole);
    for (let end = whole.indexOf('shell') + 5; end < complete.length; end++) {
      const text = whole.slice(0, end);
      assert.deepEqual(readCalls(text).calls, [], text);
    }
    assert.deepEqual(readCalls(complete, { cut: true }).calls, [], complete);
  }
  assert.deepEqual(codes('<tool_call>{"name": "shell", "arguments": {"command": "rm'), ['truncated shell']);
  assert.deepEqual(codes('<tool_call><function=shell>'), ['truncated shell']);
  assert.deepEqual(codes('<tool_call>'), ['truncated']);
  const both = '<tool_call>{"name": "a", "arguments": {}}</tool_call><tool_call>{"name": "b", "arguments": {"x": "y';
  reads(both, [['a']], { cut: true });
});

test('a long text full of brackets does not hide a call in a tag', () => {
  const brackets = 'f{x} and {"a": 1} or \\frac{1}{2}; '.repeat(5_000);
  const reading = readCalls(`${brackets}<tool_call>{"name": "f", "arguments": {}}</tool_call>`);
  assert.deepEqual(reading.calls.length, 1);
  assert.deepEqual(reading.problems, []);
  assert.equal(reading.text, brackets.trim());
});

test('property: reading calls never throws, and text without marks stays as it is', () => {
  const pieces = fc.constantFrom(
    '<tool_call>',
    '</tool_call>',
    '{"name": "f", "arguments": {',
    '"a": 1',
    '}',
    '}}',
    '[',
    ']',
    '<think>',
    '</think>',
    '[TOOL_CALLS]',
    '<function=f>',
    '<parameter=a>',
    '</parameter>',
    'f(a=',
    ')',
    '"',
    "'",
    '```json\n',
    '```',
    'Action: f\n',
    'Action Input: ',
    '<|channel|>',
    '<|message|>',
    '<｜tool▁sep｜>',
    ' ',
    '\n',
    'x',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join('')),
      ),
      (text) => {
        const reading = readCalls(text, { tools: ['f'] });
        for (const call of reading.calls) assert.equal(typeof call.arguments, 'object');
        for (const problem of reading.problems) assert.match(problem.message, /\w/);
      },
    ),
    { numRuns: 3000 },
  );
  fc.assert(
    fc.property(
      fc.string().map((text) => text.replace(/[<>[\]{}`()|:：]/g, '')),
      (text) => readCalls(text).text === text.trim(),
    ),
  );
});
