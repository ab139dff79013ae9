/** Any model of the AI SDK behind our door: `ask` drains its stream into one Reply. */

import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import type { Reply, Usage } from '../kernel/types.ts';
import { modelError, statusError } from './http-errors.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

export function asChatModel(model: LanguageModelV4, id = `${model.provider}:${model.modelId}`): ChatModel {
  const { specificationVersion, provider, modelId } = model;
  return {
    id,
    specificationVersion,
    provider,
    modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate: (options) => model.doGenerate(options),
    doStream: (options) => model.doStream(options),
    ask: (options, onDelta) => drain(model, id, options, onDelta),
  };
}

async function drain(model: LanguageModelV4, id: string, options: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
  const signal = options.abortSignal;
  // A stream that ends without a `finish` part was cut.
  const reply: Reply = { text: '', calls: [], finish: 'interrupted' };
  try {
    const reader = (await model.doStream(options)).stream.getReader();
    // A model that ignores the signal does not hold up the run: its stream ends for us.
    const onAbort = () => void reader.cancel(signal?.reason);
    signal?.addEventListener('abort', onAbort);
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) take(reply, next.value, onDelta);
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
    signal?.throwIfAborted();
    return reply;
  } catch (error) {
    signal?.throwIfAborted();
    throw await foreignError(model, id, error);
  }
}

/** Parts that a Reply has no place for (files, sources, `custom` and whatever comes later) are passed over. */
function take(reply: Reply, part: LanguageModelV4StreamPart, onDelta: ((delta: Delta) => void) | undefined): void {
  switch (part.type) {
    case 'text-delta':
      reply.text += part.delta;
      onDelta?.({ text: part.delta });
      break;
    case 'reasoning-delta':
      reply.reasoning = (reply.reasoning ?? '') + part.delta;
      onDelta?.({ reasoning: part.delta });
      break;
    case 'tool-call':
      // What the provider runs itself is not ours to run.
      if (!part.providerExecuted) reply.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input || '{}' });
      break;
    case 'finish':
      reply.finish = part.finishReason.unified;
      if (part.finishReason.raw !== undefined) reply.finish_raw = part.finishReason.raw;
      reply.usage = ownUsage(part.usage);
      break;
    case 'error':
      throw part.error;
  }
}

function ownUsage(usage: LanguageModelV4Usage): Usage {
  const { inputTokens: input, outputTokens: output } = usage;
  const all: Partial<Record<keyof Usage, number | undefined>> = {
    input_tokens: input.total,
    output_tokens: output.total,
    cached_tokens: input.cacheRead,
    cache_write_tokens: input.cacheWrite,
    reasoning_tokens: output.reasoning,
  };
  return Object.fromEntries(Object.entries(all).filter(([, tokens]) => tokens !== undefined));
}

/** The SDK's errors in our words: a status decides as it does for our own client. */
async function foreignError(model: LanguageModelV4, id: string, error: unknown): Promise<HermesError> {
  if (error instanceof HermesError) return error;
  const { APICallError } = await import('@ai-sdk/provider');
  const message = error instanceof Error ? error.message : String(error);
  if (!APICallError.isInstance(error))
    return modelError('model_failed', `${id} failed: ${message}`, 'Check the settings of that model.', { cause: error });
  const place = {
    endpoint: `${model.provider} at ${URL.canParse(error.url) ? new URL(error.url).origin : error.url}`,
    model: model.modelId,
  };
  if (error.statusCode !== undefined && error.statusCode !== 200)
    return statusError(place, error.statusCode, error.responseHeaders ?? {}, error.responseBody || message);
  const options = { retryable: error.isRetryable, cause: error };
  return modelError(
    'network_error',
    `${place.endpoint} cannot be asked: ${message}`,
    'Check the network connection and the proxy variables.',
    options,
  );
}
