/** OpenRouter, Groq, xAI, Mistral as their documents describe them. */

import type { JsonObject } from '../../../src/kernel/types.ts';
import { chatEngine } from '../chat.ts';
import { detailed, openaiUsage } from '../chat-rules.ts';
import type { Refusal, Vendor } from '../types.ts';
import { inAnHour } from './in-an-hour.ts';

export const openrouter: Vendor = {
  provider: 'openrouter',
  model: 'anthropic/claude-sonnet-5',
  base: '/api/v1',
  key: 'authorization',
  cache: 'markers',
  showsThinking: true,
  shape: ({ status, message }) => ({ error: { code: status, message }, user_id: 'user_1' }),
  overflow: {
    status: 400,
    message: "This endpoint's maximum context length is 200000 tokens. However, you requested about 240000 tokens.",
  },
  rate: { status: 429, message: 'Provider returned error: rate limited upstream', headers: { 'retry-after': '1' } },
  quota: {
    status: 429,
    message: 'free-models-per-day',
    body: {
      error: {
        code: 429,
        message: 'Rate limit exceeded: free-models-per-day.',
        metadata: { headers: { 'X-RateLimit-Reset': '4102444800000' } },
      },
    },
    expect: 'quota_exhausted',
  },
  engine: () =>
    chatEngine({
      fields: [
        ...['max_tokens', 'temperature', 'top_p', 'top_k', 'stop', 'tool_choice', 'parallel_tool_calls', 'response_format', 'reasoning'],
        ...['provider', 'usage', 'transforms', 'models', 'route', 'session_id'],
      ],
      thinks: ({ reasoning }) => {
        const { enabled, effort, max_tokens } = (reasoning ?? {}) as JsonObject;
        return enabled === true || (effort ?? 'none') !== 'none' || max_tokens !== undefined;
      },
      thinking: { kind: 'details', field: 'reasoning', format: 'anthropic-claude-v1', signed: true },
      replay: { on: 'calls', field: 'reasoning_details' },
      messageFields: ['reasoning'],
      toolChoice: ['auto', 'none', 'required', 'named'],
      strictTools: true,
      formats: ['json_schema'],
      images: 'any',
      markers: true,
      callId: (n) => `toolu_${String(n).padStart(24, '0')}`,
      usage: (counted) =>
        openaiUsage(counted, {
          prompt_tokens_details: { cached_tokens: counted.cached, cache_write_tokens: counted.written },
          cost: 0.00042,
        }),
      stream: { comment: 'OPENROUTER PROCESSING', laterIds: 'repeated' },
    }),
};

export const groq: Vendor = {
  provider: 'groq',
  model: 'openai/gpt-oss-120b',
  imageModel: 'meta-llama/llama-4-maverick-17b-128e-instruct',
  base: '/openai/v1',
  key: 'authorization',
  cache: 'automatic',
  showsThinking: true,
  overflow: { status: 400, code: 'context_length_exceeded', message: 'Please reduce the length of the messages or completion.' },
  rate: {
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached on tokens per minute (TPM): Limit 8000. Please try again in 1s.',
    headers: { 'retry-after': '1' },
  },
  quota: {
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached on tokens per day (TPD): Limit 200000. Please try again in 7m12s.',
    headers: { 'retry-after': '432' },
    expect: 'quota_exhausted',
  },
  engine: () =>
    chatEngine({
      fields: [
        ...['max_tokens', 'max_completion_tokens', 'temperature', 'top_p', 'seed', 'stop', 'tool_choice', 'parallel_tool_calls'],
        ...['response_format', 'reasoning_effort', 'reasoning_format'],
      ],
      thinks: ({ model }) => String(model).includes('gpt-oss'),
      thinking: { kind: 'field', field: 'reasoning' },
      replay: { on: 'optional', field: 'reasoning' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      strictTools: true,
      formats: ['json_schema', 'json_object'],
      images: 'any',
      callId: (n) => `fc_${String(n).padStart(24, 'g')}`,
      wrong: ({ reasoning_effort: effort, response_format, tools, stream }) => {
        if (effort !== undefined && !['low', 'medium', 'high'].includes(String(effort))) return `reasoning_effort: ${effort}`;
        const isSchema = (response_format as JsonObject | undefined)?.type === 'json_schema';
        if (isSchema && tools !== undefined) return 'json mode cannot be combined with tool/function calling (response_format)';
        return isSchema && stream === true ? 'response_format json_schema does not support streaming' : undefined;
      },
      usage: detailed,
      stream: { wholeCalls: true, usage: 'x_groq' },
    }),
};

export const xai: Vendor = {
  provider: 'xai',
  model: 'grok-4.3',
  base: '/v1',
  key: 'authorization',
  showsThinking: true,
  shape: ({ message }: Refusal) => ({ code: 'Client specified an invalid argument', error: message }),
  overflow: { status: 400, message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
  rate: { status: 429, message: 'Too many requests', headers: { 'retry-after': '1' } },
  quota: inAnHour,
  engine: () =>
    chatEngine({
      fields: [
        ...[
          'max_tokens',
          'max_completion_tokens',
          'temperature',
          'top_p',
          'seed',
          'presence_penalty',
          'tool_choice',
          'parallel_tool_calls',
        ],
        ...['response_format', 'reasoning_effort'],
      ],
      thinks: () => true,
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      formats: ['json_schema', 'json_object'],
      images: 'any',
      callId: (n) => `call_${String(n).padStart(8, '0')}`,
      wrong: ({ reasoning_effort: effort }) =>
        effort === undefined || ['none', 'low', 'medium', 'high'].includes(String(effort)) ? undefined : `reasoning_effort: ${effort}`,
      usage: (counted) => ({
        ...openaiUsage(counted),
        completion_tokens: counted.output - counted.reasoning,
        cost_in_usd_ticks: 4_200_000,
      }),
      stream: { wholeCalls: true },
      toolFinish: '',
    }),
  cannot: { 'cached prefix': 'none is documented' },
};

export const mistral: Vendor = {
  provider: 'mistral',
  model: 'mistral-large-4',
  base: '/v1',
  key: 'authorization',
  cache: 'automatic',
  showsThinking: true,
  shape: ({ message, code = null }) => ({ object: 'error', message, type: 'invalid_request_error', param: null, code }),
  overflow: {
    status: 400,
    code: 3051,
    message: 'Prompt contains 140000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
  },
  rate: { status: 429, code: 1300, message: 'Requests rate limit exceeded', headers: { 'retry-after': '1' } },
  quota: inAnHour,
  engine: () =>
    chatEngine({
      fields: [
        ...['max_tokens', 'temperature', 'top_p', 'random_seed', 'stop', 'presence_penalty', 'frequency_penalty', 'tool_choice'],
        ...['parallel_tool_calls', 'response_format', 'reasoning_effort'],
      ],
      thinks: ({ reasoning_effort }) => reasoning_effort !== undefined && reasoning_effort !== 'none',
      thinking: { kind: 'parts' },
      replay: { on: 'calls', field: 'content' },
      toolChoice: ['auto', 'none', 'any', 'named'],
      strictTools: true,
      formats: ['json_schema', 'json_object'],
      images: 'any',
      callId: (n) => String(n).padStart(9, 'Mx'),
      wrong: ({ reasoning_effort: effort, messages }) => {
        if (effort !== undefined && !['none', 'low', 'medium', 'high'].includes(String(effort))) return `reasoning_effort: ${effort}`;
        const roles = (messages as JsonObject[]).map(({ role }) => role);
        return roles.some((role, at) => role === 'user' && roles[at - 1] === 'tool')
          ? "Unexpected role 'user' after role 'tool'"
          : undefined;
      },
      usage: ({ cached, ...counted }) => openaiUsage({ cached, ...counted }, { num_cached_tokens: cached }),
      stream: { wholeCalls: true, usage: 'finish' },
    }),
};
