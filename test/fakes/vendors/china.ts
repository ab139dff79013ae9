/** DeepSeek, Moonshot, DashScope, Zhipu, MiniMax, Ark, SiliconFlow as their documents describe them. */

import type { JsonObject } from '../../../src/kernel/types.ts';
import { chatEngine } from '../chat.ts';
import { callIdOpenAI, detailed, openaiUsage } from '../chat-rules.ts';
import type { Refusal, Vendor } from '../types.ts';

const thinkingType = (body: JsonObject) => (body.thinking as JsonObject | undefined)?.type;
const without = (name: string) => `${name} documents none`;
const errorObject = ({ message, code, status }: Refusal) => ({
  error: { message, type: status === 429 ? 'rate_limit_error' : 'invalid_request_error', param: null, code: code ?? null },
});

export const deepseek: Vendor = {
  provider: 'deepseek',
  model: 'deepseek-v4-pro',
  imageModel: 'deepseek-v4-flash-vision-exp',
  base: '',
  key: 'authorization',
  cache: 'automatic',
  showsThinking: true,
  shape: errorObject,
  overflow: { status: 400, message: "This model's maximum context length is 131072 tokens. However, you requested 140210 tokens." },
  rate: { status: 429, message: 'Rate limit reached, please slow down.', headers: { 'retry-after': '1' } },
  quota: { status: 402, message: 'Insufficient Balance', expect: 'balance_exhausted' },
  refusedNow: { field: 'reasoning_effort', message: "Unsupported parameter: 'reasoning_effort' is not supported with this model." },
  engine: () =>
    chatEngine({
      fields: ['max_tokens', 'temperature', 'top_p', 'thinking', 'reasoning_effort', 'tool_choice', 'response_format', 'stop'],
      thinks: (body) => thinkingType(body) !== 'disabled',
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'every', field: 'reasoning_content' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      thinkingToolChoice: ['auto', 'none'],
      formats: ['json_object'],
      images: 'any',
      callId: (n) => `call_00_${String(n).padStart(20, 'x')}`,
      wrong: ({ reasoning_effort }) =>
        reasoning_effort === undefined || ['low', 'high', 'max'].includes(String(reasoning_effort))
          ? undefined
          : `reasoning_effort: unknown variant ${reasoning_effort}, expected low, high or max`,
      usage: (counted) =>
        openaiUsage(counted, { prompt_cache_hit_tokens: counted.cached, prompt_cache_miss_tokens: counted.input - counted.cached }),
      stream: { comment: 'keep-alive', usage: 'finish' },
      blankLines: true,
    }),
};

export const moonshot: Vendor = {
  provider: 'moonshot',
  model: 'kimi-k2.6',
  base: '/v1',
  key: 'authorization',
  cache: 'automatic',
  showsThinking: true,
  shape: errorObject,
  overflow: { status: 400, message: 'Invalid request: Your request exceeded model token limit: 262144' },
  rate: {
    status: 429,
    code: 'engine_overloaded',
    message: 'The engine is currently overloaded, please try again later',
    headers: { 'retry-after': '1' },
  },
  quota: { status: 403, message: "You've reached your usage limit for this billing cycle.", expect: 'quota_exhausted' },
  refusedNow: { field: 'stream_options', message: 'Invalid request: stream_options is not supported' },
  engine: () =>
    chatEngine({
      fields: [
        ...['max_tokens', 'max_completion_tokens', 'temperature', 'thinking', 'tool_choice', 'response_format', 'prompt_cache_key', 'stop'],
      ],
      thinks: (body) => thinkingType(body) !== 'disabled',
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'calls', field: 'reasoning_content' },
      toolChoice: ['auto', 'none', 'named'],
      thinkingToolChoice: ['auto', 'none'],
      formats: ['json_object', 'json_schema'],
      images: 'data',
      callId: (n) => `call_${String(n).padStart(24, 'k')}`,
      wrong: kimiWrong,
      usage: (counted) => openaiUsage(counted, { cached_tokens: counted.cached }),
      stream: { index: 'missing', usage: 'choice' },
    }),
};

/** Fixed sampling, and schemas of the dialect that Moonshot calls MFJS. */
function kimiWrong({ temperature, response_format }: JsonObject): string | undefined {
  if (temperature !== undefined && temperature !== 1) return 'invalid temperature: only 1 is allowed for this model';
  const schema = ((response_format as JsonObject | undefined)?.json_schema as JsonObject | undefined)?.schema as JsonObject | undefined;
  if (!schema) return undefined;
  if (schema.type !== 'object') return 'response_format: the root of the schema must be an object';
  const text = JSON.stringify(schema);
  if (text.includes('"$schema"')) return 'response_format: $schema is not supported';
  const clash = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && (('anyOf' in value && 'type' in value) || Object.values(value).some(clash));
  return clash(schema) ? 'response_format: type must not stand beside anyOf' : undefined;
}

export const dashscope: Vendor = {
  provider: 'dashscope',
  model: 'qwen3.8-max',
  base: '/compatible-mode/v1',
  key: 'authorization',
  cache: 'markers',
  showsThinking: true,
  shape: errorObject,
  overflow: { status: 400, code: 'invalid_parameter_error', message: 'Range of input length should be [1, 258048]' },
  rate: {
    status: 429,
    code: 'Throttling.RateQuota',
    message: 'Requests rate limit exceeded, please try again later.',
    headers: { 'retry-after': '1' },
  },
  quota: {
    status: 429,
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan.',
    expect: 'quota_exhausted',
  },
  engine: () =>
    chatEngine({
      fields: [
        ...['max_tokens', 'temperature', 'top_p', 'top_k', 'presence_penalty', 'seed', 'stop', 'tool_choice', 'parallel_tool_calls'],
        ...['response_format', 'enable_thinking', 'thinking_budget', 'preserve_thinking', 'reasoning_effort'],
      ],
      thinks: ({ enable_thinking, reasoning_effort }) => enable_thinking === true || (reasoning_effort ?? 'none') !== 'none',
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      thinkingToolChoice: ['auto', 'none'],
      formats: ['json_object', 'json_schema'],
      images: 'any',
      markers: true,
      callId: callIdOpenAI,
      wrong: ({ reasoning_effort, thinking_budget, response_format }, thinks) => {
        if (reasoning_effort !== undefined && thinking_budget !== undefined) return 'reasoning_effort cannot be set with thinking_budget';
        const isObject = (response_format as JsonObject | undefined)?.type === 'json_object';
        return thinks && isObject ? 'Json mode response is not supported when enable_thinking is true' : undefined;
      },
      usage: (counted) =>
        openaiUsage(counted, { prompt_tokens_details: { cached_tokens: counted.cached, cache_creation_input_tokens: counted.written } }),
      stream: { laterIds: 'blank' },
    }),
};

export const zhipu: Vendor = {
  provider: 'zhipu',
  model: 'glm-5.3',
  imageModel: 'glm-5v-turbo',
  base: '/api/paas/v4',
  key: 'authorization',
  cache: 'automatic',
  showsThinking: true,
  shape: ({ code = '1210', message }) => ({ error: { code, message } }),
  overflow: { status: 400, code: '1261', message: 'Prompt 超长' },
  rate: { status: 429, code: '1302', message: '您的账户已达到速率限制，请您控制请求频率', headers: { 'retry-after': '1' } },
  quota: {
    status: 429,
    code: '1308',
    message: '已达到 5 小时的使用上限。您的限额将在 2099-01-01 23:00:00 重置。',
    expect: 'quota_exhausted',
  },
  engine: () =>
    chatEngine({
      fields: [
        'max_tokens',
        'temperature',
        'top_p',
        'thinking',
        'reasoning_effort',
        'tool_choice',
        'response_format',
        'stop',
        'tool_stream',
      ],
      thinks: () => true,
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto'],
      formats: ['json_object', 'json_schema'],
      images: 'any',
      callId: (n) => `call_${String(n).padStart(19, '7')}`,
      wrong: (body) => {
        if (thinkingType(body) === 'disabled') return 'thinking cannot be disabled for this model';
        const effort = body.reasoning_effort;
        return effort === undefined || ['low', 'high', 'max'].includes(String(effort)) ? undefined : `reasoning_effort: ${effort}`;
      },
      usage: detailed,
      stream: { wholeCalls: true, usage: 'finish' },
    }),
};

export const minimax: Vendor = {
  provider: 'minimax',
  model: 'MiniMax-M3',
  base: '/v1',
  key: 'authorization',
  showsThinking: true,
  shape: ({ message, code = 2013 }) => ({ base_resp: { status_code: code, status_msg: message } }),
  overflow: { status: 400, message: 'invalid params, context window exceeds limit' },
  rate: { status: 429, code: 1002, message: 'rate limit', headers: { 'retry-after': '1' } },
  quota: { status: 200, code: 1008, message: 'insufficient balance', expect: 'balance_exhausted' },
  engine: () =>
    chatEngine({
      fields: ['max_tokens', 'temperature', 'top_p', 'reasoning_split', 'thinking'],
      thinks: (body) => thinkingType(body) !== 'disabled',
      thinking: { kind: 'details', field: 'reasoning_content', format: 'MiniMax-response-v1', signed: false, unless: 'reasoning_split' },
      replay: { on: 'calls', field: 'reasoning_details' },
      messageFields: ['reasoning_content'],
      toolChoice: [],
      formats: [],
      markers: true,
      callId: (n) => `call_function_${String(n).padStart(12, 'm')}_1`,
      wrong: ({ temperature }) =>
        temperature !== undefined && (Number(temperature) <= 0 || Number(temperature) > 1)
          ? 'invalid params, temperature must be in (0, 1]'
          : undefined,
      usage: openaiUsage,
      stream: { usage: 'finish' },
    }),
  cannot: { 'cached prefix': 'no field for cached tokens is documented', image: without('MiniMax') },
};

export const ark: Vendor = {
  provider: 'ark',
  model: 'doubao-seed-2-0-pro-260215',
  base: '/api/v3',
  key: 'authorization',
  showsThinking: true,
  shape: ({ message, code = 'InvalidParameter' }) => ({ error: { code, message, param: '', type: 'BadRequest' } }),
  rate: {
    status: 429,
    code: 'RateLimitExceeded',
    message: 'The requests per minute (RPM) limit has been exceeded.',
    headers: { 'retry-after': '1' },
  },
  quota: {
    status: 403,
    code: 'AccountOverdueError',
    message: 'The request failed because your account has an overdue balance.',
    expect: 'balance_exhausted',
  },
  engine: () =>
    chatEngine({
      fields: [
        'max_tokens',
        'max_completion_tokens',
        'temperature',
        'top_p',
        'thinking',
        'reasoning_effort',
        'response_format',
        'tool_choice',
        'stop',
      ],
      thinks: (body) => thinkingType(body) !== 'disabled',
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto'],
      formats: ['json_schema'],
      images: 'any',
      callId: (n) => `call_${String(n).padStart(24, 'a')}`,
      wrong: (body) => {
        const effort = body.reasoning_effort;
        if (thinkingType(body) === 'adaptive') return 'thinking.type: adaptive is not a valid value';
        return effort === undefined || ['minimal', 'low', 'medium', 'high'].includes(String(effort))
          ? undefined
          : `reasoning_effort: ${effort}`;
      },
      usage: openaiUsage,
    }),
  cannot: { overflow: 'no text for an overflow is documented', 'cached prefix': without('Ark') },
};

export const siliconflow: Vendor = {
  provider: 'siliconflow',
  model: 'Qwen/Qwen3-8B',
  imageModel: 'Qwen/Qwen3-VL-32B-Instruct',
  base: '/v1',
  key: 'authorization',
  showsThinking: true,
  shape: ({ message, code = 20015 }) => ({ code, message, data: null }),
  rate: {
    status: 429,
    code: 50603,
    message: 'Request was rejected due to rate limiting. Details: TPM limit reached.',
    headers: { 'retry-after': '1' },
  },
  quota: { status: 403, code: 30001, message: 'Sorry, your account balance is insufficient', expect: 'balance_exhausted' },
  engine: () =>
    chatEngine({
      fields: [
        'max_tokens',
        'temperature',
        'top_p',
        'top_k',
        'frequency_penalty',
        'stop',
        'enable_thinking',
        'thinking_budget',
        'response_format',
        'tool_choice',
      ],
      thinks: ({ enable_thinking }) => enable_thinking === true,
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto'],
      formats: ['json_object'],
      images: 'any',
      callId: (n) => String(n).padStart(32, '0'),
      wrong: ({ max_tokens, thinking_budget }) => {
        if (Number(max_tokens ?? 1) > 16384) return 'max_tokens must be at most 16384';
        const budget = Number(thinking_budget ?? 128);
        return budget < 128 || budget > 32768 ? 'thinking_budget must be from 128 to 32768' : undefined;
      },
      usage: openaiUsage,
      stream: { lateName: true, laterIds: 'blank', emptyRoles: true },
    }),
  cannot: { overflow: 'no text for an overflow is documented', 'cached prefix': without('SiliconFlow') },
};
