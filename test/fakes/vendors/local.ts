/** Servers on one's own machine that speak chat completions: Ollama's compatible side, LM Studio, llama.cpp, vLLM. */

import type { JsonObject } from '../../../src/kernel/types.ts';
import { chatEngine } from '../chat.ts';
import { openaiUsage } from '../chat-rules.ts';
import { ollamaEngine } from '../ollama.ts';
import type { Scenario, Vendor } from '../types.ts';

const sampling = ['max_tokens', 'temperature', 'top_p', 'seed', 'stop', 'presence_penalty', 'frequency_penalty'];
const none: Partial<Record<Scenario, string>> = {
  'rate limit': 'a server of one’s own has none',
  'daily quota': 'a server of one’s own has none',
  'cached prefix': 'no field for cached tokens is documented',
};

const byTemplate = ({ chat_template_kwargs }: JsonObject) => (chat_template_kwargs as JsonObject | undefined)?.enable_thinking !== false;

export const ollama: Vendor = {
  provider: 'ollama',
  model: 'qwen3:8b',
  base: '',
  showsThinking: true,
  silentOverflow: true,
  shape: ({ message }) => ({ error: message }),
  refusedNow: { field: 'think', message: '"qwen3:8b" does not support thinking' },
  engine: ollamaEngine,
  cannot: none,
};

export const ollamaCompatible: Vendor = {
  provider: 'ollama-compatible',
  model: 'qwen3:8b',
  base: '/v1',
  showsThinking: true,
  engine: () =>
    chatEngine({
      fields: [...sampling, 'reasoning_effort', 'response_format'],
      thinks: ({ reasoning_effort }) => reasoning_effort !== 'none',
      thinking: { kind: 'field', field: 'reasoning' },
      replay: { on: 'optional', field: 'reasoning' },
      toolChoice: [],
      formats: ['json_schema', 'json_object'],
      images: 'data',
      callId: (n) => `call_${String(n).padStart(8, 'o')}`,
      usage: openaiUsage,
      stream: { index: 'zero', wholeCalls: true },
    }),
  cannot: { ...none, overflow: 'it cuts long prompts without a word: use `ollama`' },
};

export const lmstudio: Vendor = {
  provider: 'lmstudio',
  model: 'qwen3-8b',
  base: '/v1',
  showsThinking: true,
  shape: ({ message }) => ({ error: message }),
  overflow: { status: 400, message: 'The number of tokens to keep from the initial prompt is greater than the context length.' },
  engine: () =>
    chatEngine({
      fields: [...sampling, 'top_k', 'tool_choice', 'response_format', 'chat_template_kwargs'],
      thinks: byTemplate,
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto', 'none', 'required'],
      formats: ['json_schema'],
      images: 'data',
      callId: (n) => String(n).padStart(9, '3'),
      usage: openaiUsage,
    }),
  cannot: none,
};

export const llamacpp: Vendor = {
  provider: 'llamacpp',
  model: 'qwen3-8b',
  base: '/v1',
  showsThinking: true,
  overflow: {
    status: 400,
    message: 'the request exceeds the available context size, try increasing it',
    body: {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
  },
  engine: () =>
    chatEngine({
      fields: 'any',
      thinks: byTemplate,
      thinking: { kind: 'field', field: 'reasoning_content' },
      replay: { on: 'optional', field: 'reasoning_content' },
      toolChoice: ['auto', 'none', 'required'],
      formats: ['json_schema', 'json_object'],
      images: 'data',
      callId: (n) => `${n}`.padStart(32, 'L'),
      usage: openaiUsage,
      stream: { usage: 'finish' },
    }),
  cannot: none,
};

export const vllm: Vendor = {
  provider: 'vllm',
  model: 'Qwen/Qwen3-8B',
  base: '/v1',
  showsThinking: true,
  shape: ({ message, status }) => ({ error: { message, type: 'BadRequestError', param: null, code: status } }),
  overflow: { status: 400, message: "This model's maximum context length is 40960 tokens. However, your request has 52000 input tokens." },
  engine: () =>
    chatEngine({
      fields: [
        ...sampling,
        'top_k',
        'max_completion_tokens',
        'tool_choice',
        'parallel_tool_calls',
        'response_format',
        'chat_template_kwargs',
      ],
      thinks: byTemplate,
      thinking: { kind: 'field', field: 'reasoning' },
      replay: { on: 'optional', field: 'reasoning' },
      toolChoice: ['auto', 'none', 'required', 'named'],
      strictTools: true,
      formats: ['json_schema', 'json_object'],
      images: 'any',
      callId: (n) => `chatcmpl-tool-${String(n).padStart(32, 'f')}`,
      usage: openaiUsage,
      stream: { lateName: true },
    }),
  cannot: none,
};
