/** OpenAI, Anthropic, Gemini as their documents describe them. */

import type { JsonObject } from '../../../src/kernel/types.ts';
import { chatEngine } from '../chat.ts';
import { callIdOpenAI, detailed, openaiUsage } from '../chat-rules.ts';
import { messagesEngine } from '../messages.ts';
import { responsesEngine } from '../responses.ts';
import type { Vendor } from '../types.ts';
import { inAnHour } from './in-an-hour.ts';

const schemaOf = ({ response_format }: JsonObject) => (response_format as JsonObject | undefined)?.json_schema as JsonObject | undefined;

export const openai: Vendor = {
  provider: 'openai',
  title: 'openai (chat)',
  model: 'gpt-5.2',
  base: '/v1',
  key: 'authorization',
  cache: 'automatic',
  showsThinking: false,
  overflow: {
    status: 400,
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  rate: {
    status: 429,
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached for gpt-5.2 on requests per min (RPM).',
    headers: { 'retry-after-ms': '900', 'retry-after': '1' },
  },
  quota: {
    status: 429,
    code: 'insufficient_quota',
    message: 'You exceeded your current quota, please check your plan and billing details.',
    expect: 'quota_exhausted',
  },
  refusedNow: { field: 'reasoning_effort', message: "Unsupported parameter: 'reasoning_effort' is not supported with this model." },
  engine: () =>
    chatEngine({
      fields: [
        ...['max_completion_tokens', 'temperature', 'top_p', 'reasoning_effort', 'tool_choice', 'parallel_tool_calls', 'response_format'],
        ...['prompt_cache_key', 'verbosity', 'store', 'seed'],
      ],
      thinks: ({ reasoning_effort }) => reasoning_effort !== undefined && reasoning_effort !== 'none',
      replay: { on: 'never' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      strictTools: true,
      formats: ['json_schema', 'json_object'],
      developer: true,
      images: 'any',
      callId: callIdOpenAI,
      wrong: openaiWrong,
      usage: detailed,
    }),
};

export const openaiResponses: Vendor = {
  ...openai,
  title: 'openai (Responses)',
  model: 'gpt-5.6',
  showsThinking: true,
  refusedNow: { field: 'reasoning', message: "Unsupported parameter: 'reasoning.effort' is not supported with this model." },
  engine: responsesEngine,
};

function openaiWrong(body: JsonObject): string | undefined {
  const { reasoning_effort: effort, temperature, top_p } = body;
  if (effort !== undefined && !['none', 'low', 'medium', 'high', 'xhigh'].includes(String(effort)))
    return `Unsupported value: 'reasoning_effort' ${effort}`;
  const sampled = temperature !== undefined ? 'temperature' : top_p !== undefined ? 'top_p' : undefined;
  // Without a word these models do not think.
  if (sampled && (effort ?? 'none') !== 'none') return `Unsupported parameter: '${sampled}' is not supported with this model.`;
  return strictProblem(schemaOf(body));
}

/** With `strict` every object names all its properties as required and allows no others. */
function strictProblem(format: JsonObject | undefined): string | undefined {
  const schema = format?.schema as JsonObject | undefined;
  if (!schema) return undefined;
  if (/"(propertyNames|allOf|\$schema)":/.test(JSON.stringify(schema)))
    return 'Invalid schema for response_format: keyword is not permitted';
  if (format?.strict !== true) return undefined;
  const open = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const { type, properties, required, additionalProperties } = value as Record<string, object>;
    const names = Object.keys(properties ?? {});
    const isOpen =
      (type as unknown) === 'object' &&
      (additionalProperties !== (false as unknown) || names.length !== ((required ?? []) as string[]).length);
    return isOpen || Object.values(value).some(open);
  };
  return open(schema)
    ? "Invalid schema for response_format: 'additionalProperties' is required to be false and all properties required"
    : undefined;
}

export const anthropic: Vendor = {
  provider: 'anthropic',
  model: 'claude-sonnet-5-5',
  base: '/v1',
  key: 'x-api-key',
  cache: 'markers',
  showsThinking: true,
  shape: ({ status, message }) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : status === 401 ? 'authentication_error' : 'invalid_request_error', message },
    request_id: 'req_1',
  }),
  overflow: { status: 400, message: 'prompt is too long: 1045000 tokens > 1000000 maximum' },
  rate: { status: 429, message: "This request would exceed your organization's rate limit.", headers: { 'retry-after': '1' } },
  quota: inAnHour,
  refusedNow: { field: 'output_config', message: 'This model does not support the effort parameter.' },
  engine: messagesEngine,
};

const violation = (quotaId: string, delay: string) => [
  { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] },
  { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: delay },
];
const google = (status: number, name: string, message: string, details: unknown[] = []) => [
  { error: { code: status, message, status: name, details } },
];

export const gemini: Vendor = {
  provider: 'gemini',
  model: 'gemini-3-pro',
  base: '/v1beta/openai',
  key: 'authorization',
  showsThinking: false,
  shape: ({ status, message }) => google(status, status === 401 ? 'UNAUTHENTICATED' : 'INVALID_ARGUMENT', message),
  overflow: { status: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).' },
  rate: {
    status: 429,
    message: 'rate',
    body: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota. Please retry in 1s.',
      violation('GenerateRequestsPerMinutePerProjectPerModel-FreeTier', '1s'),
    ),
  },
  quota: {
    status: 429,
    message: 'quota',
    body: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota.',
      violation('GenerateRequestsPerDayPerProjectPerModel-FreeTier', '34s'),
    ),
    expect: 'quota_exhausted',
  },
  engine: () =>
    chatEngine({
      fields: [
        'max_tokens',
        'max_completion_tokens',
        'temperature',
        'top_p',
        'stop',
        'n',
        'reasoning_effort',
        'extra_body',
        'tool_choice',
        'response_format',
      ],
      thinks: () => true,
      replay: { on: 'never' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      formats: ['json_schema', 'json_object'],
      images: 'any',
      callId: (n) => `function-call-${String(n).padStart(19, '4')}`,
      signs: true,
      wrong: ({ reasoning_effort: effort }) =>
        effort === undefined || ['none', 'minimal', 'low', 'medium', 'high'].includes(String(effort))
          ? undefined
          : `reasoning_effort: ${effort}`,
      usage: openaiUsage,
      stream: { index: 'missing', wholeCalls: true, loneSignature: true, usage: 'finish' },
      toolFinish: 'stop',
    }),
  cannot: { 'cached prefix': 'none is documented for the compatible endpoint' },
};
