/** States for tests of protocols and guards: folded by the kernel from what was said and done. */

import { apply, start } from '../../src/kernel/kernel.ts';
import { languageOf } from '../../src/kernel/text.ts';
import type { Fact, JsonObject, RunEvent, State, ToolInfo } from '../../src/kernel/types.ts';

let seq = 0;
function event(fact: Fact): RunEvent {
  seq++;
  return { ...fact, seq, ts: new Date(seq).toISOString(), trace_id: 't', session_id: 's', run_id: 'r', step: 1 };
}

/** A run that has been asked something; `before` is the run that it goes on from. */
export function asked(content: string, options: { protocol?: string; before?: State; output?: JsonObject } = {}): State {
  const data: RunEvent<'run.start'>['data'] = {
    input: { role: 'user', content },
    instructions: 'You are Hermes.',
    model: 'local:tiny',
    protocol: options.protocol ?? 'guided',
    tools: {},
    limits: { max_steps: 10, max_seconds: 300 },
    language: languageOf(content),
    ...(options.output ? { output_schema: options.output } : {}),
  };
  return start(event({ event_type: 'run.start', data }) as RunEvent<'run.start'>, options.before);
}

export function then(state: State, ...facts: Fact[]): State {
  return facts.reduce((now, fact) => apply(now, event(fact)), state);
}

/** The model called a tool and the tool gave this. */
export function called(state: State, name: string, args: JsonObject, content: string, success = true): State {
  const result = success ? { success, data: null } : { success, error: { code: 'failed', message: content } };
  return then(
    state,
    {
      event_type: 'model.end',
      data: { model: 'local:tiny', text: '', calls: [{ id: 'c1', name, arguments: args }], finish: 'stop', ms: 0 },
    },
    { event_type: 'tool.end', data: { call_id: 'c1', name, result, shaped: content, ms: 0 } },
  );
}

/** The model's text: the final answer under judgement. */
export function answered(state: State, text: string): State {
  return then(state, { event_type: 'model.end', data: { model: 'local:tiny', text, calls: [], finish: 'stop', ms: 0 } });
}

function info(tool: Omit<ToolInfo, 'level' | 'hash'>): ToolInfo {
  return { ...tool, level: 'read', hash: tool.name };
}

export const calculator = info({
  name: 'calculator',
  description: 'Evaluates an arithmetic expression.',
  input_schema: { type: 'object', properties: { expression: { type: 'string', format: 'arithmetic' } }, required: ['expression'] },
  keywords: 'calculate compute math sum how much 计算 算 等于 一共 多少',
  examples: [
    { request: 'What is 12 * 7?', arguments: { expression: '12 * 7' }, result: { result: 84 }, answer: '12 * 7 is 84.' },
    { request: '帮我算一下 (8+5)×3', arguments: { expression: '(8+5)*3' }, result: { result: 39 }, answer: '结果是 39。' },
  ],
});
export const clock = info({
  name: 'current_time',
  description: 'Gives the current time in a time zone.',
  input_schema: { type: 'object', properties: { time_zone: { type: 'string', format: 'time-zone' } } },
  keywords: 'time clock now 时间 几点 现在',
  examples: [
    {
      request: 'What time is it in London?',
      arguments: { time_zone: 'Europe/London' },
      result: { time_zone: 'Europe/London', time: '09:05' },
      answer: 'It is 09:05 in London.',
    },
    {
      request: '现在纽约几点？',
      arguments: { time_zone: 'America/New_York' },
      result: { time_zone: 'America/New_York', time: '21:17' },
      answer: '纽约现在是 21:17。',
    },
  ],
});
export const weather = info({
  name: 'weather',
  description: 'Gets the weather for a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  keywords: 'weather rain sunny umbrella 天气 下雨',
  examples: [
    {
      request: "What's the weather like in Madrid?",
      arguments: { city: 'Madrid' },
      result: { city: 'Madrid', temp_c: 31, condition: 'sunny' },
      answer: 'It is sunny in Madrid, 31 degrees.',
    },
    {
      request: '广州今天天气怎么样？',
      arguments: { city: '广州' },
      result: { city: '广州', temp_c: 26, condition: '阴' },
      answer: '广州今天阴，26 度。',
    },
  ],
});
export const notesSet = info({
  name: 'notes_set',
  description: 'Saves a note under a key.',
  input_schema: {
    type: 'object',
    properties: { key: { type: 'string' }, value: { type: 'string' } },
    required: ['key', 'value'],
  },
  keywords: 'remember save note 记住 记下',
  examples: [
    {
      request: 'Remember that my shoe size is 43',
      arguments: { key: 'shoe size', value: '43' },
      result: { saved: 'shoe size' },
      answer: 'Saved: your shoe size is 43.',
    },
    {
      request: '记一下：门禁密码是 8841',
      arguments: { key: '门禁密码', value: '8841' },
      result: { saved: '门禁密码' },
      answer: '已记住门禁密码是 8841。',
    },
  ],
});
export const notesGet = info({
  name: 'notes_get',
  description: 'Reads a saved note.',
  input_schema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
  keywords: 'my notes noted look up 笔记 查',
  examples: [
    {
      request: 'Look up my shoe size in my notes',
      arguments: { key: 'shoe size' },
      result: { key: 'shoe size', value: '43' },
      answer: 'Your shoe size is 43.',
    },
  ],
});
export const tools: readonly ToolInfo[] = [calculator, clock, weather, notesSet, notesGet];
