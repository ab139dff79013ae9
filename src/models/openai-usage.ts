/** Tokens and cost out of the many forms in which vendors say them. A figure that is not there stays absent. */

import type { Cost, Usage } from '../kernel/types.ts';

export interface WireUsage {
  [field: string]: number | Record<string, number> | null | undefined;
}

export function readUsage(wire: WireUsage): Usage {
  const part = (name: string, field: string) => (wire[name] as Record<string, number> | null | undefined)?.[field];
  const usage: Usage = {};
  const put = (key: keyof Usage, ...values: unknown[]) => {
    const value = values.find((each): each is number => typeof each === 'number');
    if (value !== undefined) usage[key] = value;
  };
  put('input_tokens', wire.prompt_tokens);
  put('output_tokens', wire.completion_tokens);
  put(
    'cached_tokens',
    part('prompt_tokens_details', 'cached_tokens'),
    part('prompt_token_details', 'cached_tokens'),
    wire.prompt_cache_hit_tokens,
    wire.cached_tokens,
    wire.num_cached_tokens,
  );
  put(
    'cache_write_tokens',
    part('prompt_tokens_details', 'cache_write_tokens'),
    part('prompt_tokens_details', 'cache_creation_input_tokens'),
    wire.cache_creation_input_tokens,
  );
  put('reasoning_tokens', part('completion_tokens_details', 'reasoning_tokens'));
  addThinking(usage, wire.total_tokens);
  return usage;
}

/** xAI and Gemini leave thinking out of completion_tokens, and in the total: what the total has more is output, too. */
function addThinking(usage: Usage, total: unknown): void {
  const { input_tokens: input, output_tokens: output, reasoning_tokens: reasoning } = usage;
  if (typeof total !== 'number' || input === undefined || output === undefined) return;
  const more = total - input - output;
  if (more <= 0 || (reasoning !== undefined && reasoning !== more)) return;
  usage.output_tokens = output + more;
  usage.reasoning_tokens = more;
}

/** What the endpoint itself says: OpenRouter in dollars, xAI in ticks of 1e-10 of one. */
export function readCost({ cost, cost_in_usd_ticks: ticks }: WireUsage): Cost | undefined {
  const amount = typeof cost === 'number' ? cost : typeof ticks === 'number' ? ticks * 1e-10 : undefined;
  return amount === undefined ? undefined : { amount, currency: 'USD' };
}
