/** Guided: what a tiny model is shown, how its reply is read, what rails do for it; then with the real one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { groundAnswer } from '../../src/guards/grounding.ts';
import type { JsonObject, Reply, State, ToolInfo } from '../../src/kernel/types.ts';
import { createGuided } from '../../src/protocols/guided/guided.ts';
import { createJson } from '../../src/protocols/json.ts';
import { Templates } from '../../src/protocols/templates.ts';
import type { Reading } from '../../src/protocols/types.ts';
import { resolveArgument } from '../../src/tools/resolve.ts';
import { selectTools } from '../../src/tools/select.ts';
import notesSet from '../../tools/notes_set.ts';
import sendEmail from '../../tools/send_email.ts';
import { embeddedModel } from '../models/embedded.ts';
import { answered, asked, called, notesGet, then, tools } from './talk.ts';

const protocol = () => createGuided({ select: selectTools, resolve: resolveArgument });
const reply = (text: string, finish: Reply['finish'] = 'stop'): Reply => ({ text, calls: [], finish });

/** The prompt as lines of `role: text`. */
function shown(options: LanguageModelV4CallOptions): string[] {
  return options.prompt.map(({ role, content }) => {
    const text =
      typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('');
    return `${role}: ${text}`;
  });
}

function read(request: string, text: string, among: readonly ToolInfo[] = tools): Reading {
  return protocol().read(reply(text), asked(request), among);
}

/** Name, arguments and who decided; the repairs apart. */
function call(request: string, text: string, among: readonly ToolInfo[] = tools) {
  const [first, ...others] = read(request, text, among).calls;
  assert.ok(first, `a call for ${request}`);
  assert.equal(others.length, 0);
  return { name: first.name, arguments: first.arguments, by: first.decided_by };
}

test('the model sees examples of three tools as a dialogue, the best one last, in the language of the request last of all', () => {
  const options = protocol().render(asked('(13+27)*4 等于多少？'), tools);
  const lines = shown(options);
  assert.equal(lines[0], 'system: ', 'no instructions, not even the model’s own');
  assert.equal(lines.at(-1), 'user: (13+27)*4 等于多少？');
  assert.deepEqual(lines.slice(-5, -1), [
    'user: What is 12 * 7?',
    'assistant: calculator\nexpression: 12 * 7',
    'user: 帮我算一下 (8+5)×3',
    'assistant: calculator\nexpression: (8+5)*3',
  ]);
  assert.equal(new Set(lines.filter((line) => line.startsWith('assistant')).map((line) => line.split('\n')[0])).size, 3);
  assert.equal(options.temperature, 0);
  assert.ok(options.maxOutputTokens! <= 200);
});

test('the shipped tool remember is left to other protocols', () => {
  const remember: ToolInfo = {
    ...notesGet,
    name: 'remember',
    input_schema: { type: 'object', properties: { facts: { type: 'array' } }, required: ['facts'] },
    keywords: 'remember 记住',
    examples: [],
  };
  const state = asked('Remember that my locker code is 5519.');
  assert.deepEqual(protocol().render(state, [remember, ...tools]), protocol().render(state, tools));
  assert.equal(call('帮我记住门禁密码是 5519', 'remember\nfacts: 5519', [remember, ...tools]).name, 'notes_set');
});

test('the line protocol is read; what the model copied is its own decision', () => {
  const right = { name: 'weather', arguments: { city: 'Oslo' }, by: 'model' };
  for (const text of ['weather\ncity: Oslo', ' Weather:\ncity: oslo\nwind: 3\n', '`weather`\nCity is unknown\ncity： Oslo\ncity: Madrid']) {
    assert.deepEqual(call('Is it raining in Oslo?', text), right, text);
  }
  const reading = read('Is it raining in Oslo?', 'weather\ncity: Oslo');
  assert.equal(reading.decided_by, 'model');
  assert.equal(reading.calls[0]!.repairs, undefined);
});

test('values out of the examples never pass: they are resolved, or found in the request, or left out', () => {
  const paris = { name: 'current_time', arguments: { time_zone: 'Europe/Paris' }, by: 'model' };
  assert.deepEqual(call('现在巴黎几点？', 'current_time\ntime_zone: America/New_York'), paris);
  assert.deepEqual(call('What time is it?', 'current_time\ntime_zone: Europe/London').arguments, {});
  assert.deepEqual(call('北京今天天气怎么样？', 'weather\ncity: 广州').arguments, { city: '北京' });
  assert.deepEqual(call('Remember that my locker code is 5519.', 'notes_set\nkey: shoe size\nvalue: 43').arguments, {
    key: 'locker code',
    value: '5519',
  });
  const reading = read('现在巴黎几点？', 'current_time\ntime_zone: America/New_York');
  assert.deepEqual(reading.calls[0]!.repairs, ['time_zone: Europe/Paris from 巴黎'], 'the log says that a rail did it');
});

test('a copy has the spelling of the request and its whole phrase', () => {
  assert.deepEqual(call('Save a note: wifi password is sunflower42', 'notes_set\nkey: Password\nvalue: SUNFLOWER42').arguments, {
    key: 'wifi password',
    value: 'sunflower42',
  });
  assert.deepEqual(call('Is it raining in Oslo?', 'weather\ncity: os').arguments, { city: 'Oslo' }, 'half a word is no copy');
});

test('a note is kept whole: under what it is said of, else under its first words', () => {
  const shipped = [notesSet.info];
  const slip = 'notes_set\nkey: 明天下午\nvalue: 三点去接孩子';
  assert.deepEqual(call('记一下：明天下午三点去接孩子', slip, shipped).arguments, {
    key: '明天下午三点去接孩子',
    value: '明天下午三点去接孩子',
  });
  assert.deepEqual(call('记一下：我的车牌是京A12345', 'notes_set\nkey: 车牌\nvalue: 12345', shipped).arguments, {
    key: '车牌',
    value: '京A12345',
  });
  assert.deepEqual(call('Remember that my locker code is BX-5519', 'notes_set\nkey: locker code\nvalue: 5519', shipped).arguments, {
    key: 'locker code',
    value: 'BX-5519',
  });
  assert.deepEqual(
    call('Remember: call the plumber on Monday, before nine', 'notes_set\nkey: plumber\nvalue: call the', shipped).arguments,
    {
      key: 'call the plumber on Monday',
      value: 'call the plumber on Monday, before nine',
    },
  );
  assert.deepEqual(call('记下来：牙医预约在周四下午两点', 'notes_set\nkey: 周四下午两点\nvalue: 8841', shipped).arguments, {
    key: '牙医预约在周四下午两点',
    value: '牙医预约在周四下午两点',
  });
  const mail = '发邮件给 zhao@demo.cn，主题是请假，正文写我明天请假一天';
  assert.deepEqual(call(mail, 'send_email\nto: zhao@demo.cn\nsubject: 报告\nbody: 报告已完成', [sendEmail.info]).arguments, {
    to: 'zhao@demo.cn',
    subject: '请假',
    body: '我明天请假一天',
  });
});

test('arithmetic is the resolver’s where the request says it, else the model’s if all its numbers are in the request', () => {
  assert.deepEqual(call('What is 15% of 240?', 'calculator\nexpression: (15+20)*1.5').arguments, { expression: '15/100*240' });
  assert.deepEqual(call('一箱 24 个，7 箱一共多少个？', 'calculator\nexpression: 24 * 7 = 192'), {
    name: 'calculator',
    arguments: { expression: '24*7' },
    by: 'model',
  });
  assert.equal(read('how much is that in total', 'calculator\nexpression: 12 * 7').calls.length, 0);
});

test('a reply in no known form leaves the choice to the rails', () => {
  for (const text of ['', '(13+27)*4 = 160', '{"tool": "calculator"}', 'launch_missiles\ntarget: moon', 'weather\ncity: Madrid']) {
    const right = { name: 'calculator', arguments: { expression: '(13+27)*4' }, by: 'rail' };
    assert.deepEqual(call('计算 (13+27)*4', text), right, text);
  }
});

test('a tool whose arguments the request does not state gives way to one whose it does', () => {
  assert.equal(
    call('look up what I noted to remember as locker code in my notes', 'notes_set\nkey: locker code\nvalue: 43').name,
    'notes_get',
  );
});

test('where something required is missing, the person is asked for it, by a rail', () => {
  const reading = read('what is the weather, do I need an umbrella?', 'weather\ncity: Madrid');
  assert.deepEqual([reading.calls, reading.decided_by, reading.problem], [[], 'rail', undefined]);
  assert.match(reading.text, /city/);
  assert.match(read('天气怎么样，下雨吗', 'weather\ncity: 广州').text, /还需要：city/);
});

test('one word that points to a tool which then finds no arguments: the request is answered without it', () => {
  const state = asked('Sunny?');
  const reading = protocol().read(reply('weather\ncity: Madrid'), state, tools);
  assert.equal(reading.problem?.code, 'no_tool_fits');
  const mended = then(state, { event_type: 'guard.trip', data: { guard: 'mend', verdict: 'nudge', message: reading.problem!.message } });
  assert.ok(!shown(protocol().render(mended, tools)).some((line) => line.includes('weather')));
  assert.equal(protocol().read(reply('Yes, very.'), mended, tools).text, 'Yes, very.');
});

test('numbers, choices and flags are taken from the request by their declared kind', () => {
  const alarm: ToolInfo = {
    name: 'alarm',
    description: 'Sets an alarm.',
    input_schema: {
      type: 'object',
      properties: {
        minutes: { type: 'integer' },
        tone: { type: 'string', enum: ['bell', 'horn'] },
        loud: { type: 'boolean' },
        tags: { type: 'array' },
      },
      required: ['minutes'],
    },
    level: 'read',
    hash: 'a',
    keywords: 'alarm wake',
    examples: [{ request: 'Set an alarm in 5 minutes', arguments: { minutes: 5 } }],
  };
  assert.deepEqual(call('alarm in 20 minutes with a horn', 'alarm\nminutes: 20\ntone: horn\nloud: true\ntags: x', [alarm]).arguments, {
    minutes: 20,
    tone: 'horn',
  });
  assert.deepEqual(call('wake me: alarm in 20 minutes', 'alarm\nminutes: 5', [alarm]).arguments, { minutes: 20 });
  assert.deepEqual(call('alarm, 20 minutes, HORN', 'alarm\nminutes: 20\ntone: siren', [alarm]).arguments, { minutes: 20, tone: 'horn' });
});

test('a tool without examples, keywords or arguments is shown and called all the same', () => {
  const plain: ToolInfo = {
    name: 'moonPhase',
    description: 'Phase of the moon',
    input_schema: { type: 'object' },
    level: 'read',
    hash: 'm',
  };
  assert.ok(shown(protocol().render(asked('moon phase please'), [plain])).includes('assistant: moonPhase'));
  assert.deepEqual(call('moon phase please', 'moonPhase', [plain]), { name: 'moonPhase', arguments: {}, by: 'model' });
});

test('chat goes without tools: no tool is shown, the answer is the text', () => {
  const lines = shown(protocol().render(asked('What is the capital of France?'), tools));
  assert.ok(!lines.some((line) => /calculator|weather/.test(line)));
  assert.deepEqual(read('What is the capital of France?', 'The capital of France is Paris.'), {
    text: 'The capital of France is Paris.',
    calls: [],
  });
  assert.equal(read('hello', 'calculator\nexpression: 1', []).calls.length, 0, 'and without any tools too');
  const cutOff = protocol().read(reply('It is blue. The reason is that', 'length'), asked('Why is the sky blue?'), tools);
  assert.equal(cutOff.text, 'It is blue.');
});

test('a greeting is answered as the examples do; a reply that goes in circles is not given out', () => {
  assert.deepEqual(read('你好！', '你好你好你好'), { text: '你好！有什么可以帮你？', calls: [], decided_by: 'rail' });
  for (const text of ['中国的首都是哪里？', '是的！是的！是的！是的！', 'The capital', '首\uFFFD都']) {
    const reading = read('中国的首都是哪里？', text);
    assert.equal(reading.decided_by, 'rail', text);
    assert.match(reading.text, /--model/);
  }
  assert.equal(read('法国的首都是哪里？', '法国的首都是巴黎。').text, '法国的首都是巴黎。');
});

test('after a result the model is shown the question, the result and an example, and its first line is the answer', () => {
  const state = called(asked('(13+27)*4 等于多少？'), 'calculator', { expression: '(13+27)*4' }, '{"result":160}');
  const lines = shown(protocol().render(state, tools));
  assert.equal(lines.at(-1), 'user: 问题：(13+27)*4 等于多少？\n结果：{"result":160}');
  assert.equal(lines.at(-2), 'assistant: 结果是 39。');
  const reading = protocol().read(reply('结果是 160。\n问题：还有吗'), state, tools);
  assert.deepEqual(reading, { text: '结果是 160。', calls: [] });
  assert.deepEqual(protocol().read(reply('calculator\nexpression: 1+1'), state, tools).calls, [], 'one answer follows, no other call');
});

test('a follow-up that names no tool goes on with the one before, on its own words', () => {
  const before = answered(called(asked('北京今天天气怎么样？'), 'weather', { city: '北京' }, '{"temp_c":22}'), '北京 22 度。');
  const state = asked('上海呢？', { before });
  const lines = shown(protocol().render(state, tools));
  assert.deepEqual(lines.slice(-3), ['user: 北京今天天气怎么样？', 'assistant: weather\ncity: 北京', 'user: 上海呢？']);
  assert.deepEqual(protocol().read(reply('weather\ncity: 上海'), state, tools).calls[0]?.arguments, { city: '上海' });
  const chat = shown(protocol().render(asked('Why?', { before: answered(asked('Who are you?'), 'I am Hermes.') }), tools));
  assert.deepEqual(chat.slice(-3), ['user: Who are you?', 'assistant: I am Hermes.', 'user: Why?']);
});

test('nothing is shown while it is written: a rail may still replace it', () => {
  const guided = protocol();
  for (const state of [asked('What is 1 + 2?'), called(asked('What is 1 + 2?'), 'calculator', {}, '{"result":3}'), asked('Who are you?')]) {
    guided.render(state, tools);
    assert.equal(guided.visible!()('I am'), '');
  }
});

const Rain: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' }, temp_c: { type: 'number' }, sky: { type: 'string' } },
  required: ['city', 'temp_c'],
};

test('a typed answer is asked for by its fields and schema, after the call; nothing of it streams', () => {
  const state = asked('上海今天天气怎么样？', { output: Rain });
  assert.equal(protocol().render(state, tools).responseFormat, undefined, 'the call first');
  const done = called(state, 'weather', { city: '上海' }, '{"city":"上海","temp_c":19}');
  const options = protocol().render(done, tools);
  assert.match(shown(options).at(-1)!, /问题：上海今天天气怎么样？\n结果：\{"city":"上海","temp_c":19\}\n.*city, temp_c, sky/);
  assert.deepEqual(options.responseFormat, protocol().render(done, tools).responseFormat);
  assert.match(JSON.stringify(options.responseFormat), /"required":\["city","temp_c","sky"\]/);
  assert.equal(options.stopSequences, undefined, 'an empty line inside JSON is no end');
});

test('a typed answer: values come from the result by name, the model fills the rest, numbers are never invented', () => {
  const cases: [result: string, written: string, text: string | undefined, by: string | undefined][] = [
    ['{"city":"上海","temp_c":19,"sky":"雨"}', 'nonsense', '{"city":"上海","temp_c":19,"sky":"雨"}', 'rail'],
    ['{"City":"上海","data":{"temp-c":"19"}}', '{"city":"北京","temp_c":5}', '{"city":"上海","temp_c":19}', 'rail'],
    ['{"temperature":19,"note":"雨"}', '{"city":"x","temp_c":42}', '{"city":"上海","temp_c":19}', 'rail'],
    ['{"temperature":19,"low":12}', '{"temp_c":19,"sky":"下雨"}', '{"city":"上海","temp_c":19,"sky":"下雨"}', undefined],
    ['{"temperature":19,"low":12}', '{"temp_c":42}', undefined, 'rail'],
    ['19 degrees', '{"city":"上海","temp_c":19}', '{"city":"上海","temp_c":19}', undefined],
  ];
  for (const [result, written, text, by] of cases) {
    const state = called(asked('上海今天天气怎么样？', { output: Rain }), 'weather', { city: '上海' }, result);
    const reading = protocol().read(reply(written), state, tools);
    assert.deepEqual([reading.text, reading.decided_by], [text ?? result, by], result);
  }
});

test('a typed answer without a tool: the model’s own, with numbers of the request only', () => {
  const output: JsonObject = {
    type: 'object',
    properties: { feeling: { enum: ['好', '坏'] }, count: { type: 'integer' } },
    required: ['feeling'],
  };
  const direct = (text: string) => protocol().read(reply(text), asked('你好，今天第 3 次见面', { output }), []).text;
  assert.equal(direct('{"feeling": "好", "count": 3}'), '{"feeling":"好","count":3}');
  assert.equal(direct('{"feeling": "好", "count": 4}'), '{"feeling":"好"}');
  assert.match(direct('{"feeling": "很好"}'), /内置的小模型/, 'a required choice that is none');
});

test('requests of any size and kind are rendered and read', () => {
  for (const request of [
    '',
    ' ',
    '😀',
    'calculate '.repeat(50_000),
    '天气'.repeat(5_000),
    'remember (((([[[\\',
    'e-mail c++ .* [a-z]+ $&',
  ]) {
    const state = asked(request);
    const guided = createGuided({ select: selectTools, resolve: resolveArgument });
    assert.ok(JSON.stringify(guided.render(state, tools)).length < 10_000);
    guided.read(reply('notes_set\nkey: a\nvalue: b'), state, [{ ...notesGet, keywords: 'e-mail c++ ( [' }, ...tools]);
  }
});

test('the embedded model with guided', async (context) => {
  const model = await embeddedModel(context);
  if (!model) return;
  const guided = protocol();
  const ask = async (state: State) => guided.read(await model.ask(guided.render(state, tools)), state, tools);
  const ground = groundAnswer(() => tools);

  for (const [request, name, args, content, wanted] of [
    ['(13+27)*4 等于多少？', 'calculator', { expression: '(13+27)*4' }, '{"result":160}', /160/],
    ['What is (13+27)*4?', 'calculator', { expression: '(13+27)*4' }, '{"result":160}', /160/],
    ['What time is it in Tokyo?', 'current_time', { time_zone: 'Asia/Tokyo' }, '{"time_zone":"Asia/Tokyo","time":"18:24"}', /18:24/],
    ['上海今天天气怎么样？', 'weather', { city: '上海' }, '{"city":"上海","temp_c":19,"condition":"小雨"}', /19|小雨/],
  ] as const) {
    await context.test(request, async () => {
      const state = asked(request);
      const reading = await ask(state);
      assert.deepEqual(
        reading.calls.map((one) => [one.name, one.arguments]),
        [[name, args]],
      );
      const result = called(state, name, args, content);
      const said = answered(result, (await ask(result)).text);
      const verdict = ground(said);
      const final = verdict?.do === 'record' ? then(said, ...verdict.facts) : said;
      assert.match(final.answer ?? '', wanted);
    });
  }
  await context.test('a typed answer, held by a grammar', async () => {
    const state = called(asked('上海今天天气怎么样？', { output: Rain }), 'weather', { city: '上海' }, '{"temperature":19,"low":12}');
    const options = guided.render(state, tools);
    const written = JSON.parse((await model.ask(options)).text) as JsonObject;
    assert.deepEqual(Object.keys(written), ['city', 'temp_c', 'sky']);
  });
  await context.test('the json protocol’s own reply, held by a grammar', async () => {
    const json = createJson(new Templates());
    const { text } = await model.ask({ ...json.render(asked('上海今天天气怎么样？', { output: Rain }), tools), maxOutputTokens: 400 });
    assert.match(text, /^\s*\{\s*"reasoning"\s*:/);
  });
  await context.test('answers directly', async () => {
    assert.match((await ask(asked('What is the capital of France?'))).text, /Paris/);
    assert.match((await ask(asked('你好'))).text, /你好/);
  });
  await model.close?.();
});
