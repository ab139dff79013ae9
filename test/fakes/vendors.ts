/** Every provider that has a fake endpoint, in the order of the table. */

import type { Vendor } from './types.ts';
import * as china from './vendors/china.ts';
import * as international from './vendors/international.ts';
import * as local from './vendors/local.ts';
import * as makers from './vendors/makers.ts';

const { openai, openaiResponses, anthropic, gemini } = makers;
const { openrouter, groq, xai, mistral } = international;
const { deepseek, moonshot, dashscope, zhipu, minimax, ark, siliconflow } = china;
const { ollama, ollamaCompatible, lmstudio, llamacpp, vllm } = local;

export const vendors: readonly Vendor[] = [
  ...[
    openai,
    openaiResponses,
    anthropic,
    gemini,
    deepseek,
    moonshot,
    dashscope,
    zhipu,
    minimax,
    ark,
    siliconflow,
    openrouter,
    groq,
    xai,
    mistral,
  ],
  ...[ollama, ollamaCompatible, lmstudio, llamacpp, vllm],
];
