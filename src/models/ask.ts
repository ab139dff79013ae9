/** Any model of the AI SDK behind our door: `ask` drains its stream into one Reply, errors come in our words. */

import type { LanguageModelV4, LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4Headers } from '@ai-sdk/provider';
import { HermesError } from '../kernel/errors.ts';
import type { Reply, Usage } from '../kernel/types.ts';
import { modelError, type Place, providerFault, statusError } from './http-errors.ts';
import { PartRecorder, withStoredParts } from './reply-parts.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

export interface SdkModelOptions extends Partial<Pick<ChatModel, 'id' | 'contextWindow' | 'abilities' | 'endsOnAbort' | 'close'>> {
  /** Names the other side in errors; default the address that an error of the SDK names. */
  place?: Place;
  /** The request as this model takes it, and the model that is asked; messages in it are copies where they differ. */
  prepare?(options: AskOptions): { options: AskOptions; model: LanguageModelV4 };
  /** Whether asking once more makes sense after this refusal, with what `prepare` gives then. It has to say no in the end. */
  adapt?(error: HermesError, sent: AskOptions, asked: AskOptions): boolean;
  /** The same error with more help, where there is some. */
  explain?(error: HermesError): Promise<HermesError>;
  /** Where the SDK's figures need reading; default: as they are. */
  usage?(usage: LanguageModelV4Usage): Usage | undefined;
}

/**
 * Parts of an answer that carry provider metadata are kept in `Reply.extra`, and put back one by one when that
 * assistant message comes again.
 */
export function asChatModel(model: LanguageModelV4, settings: SdkModelOptions = {}): ChatModel {
  const { specificationVersion, provider, modelId } = model;
  const { id = `${provider}:${modelId}`, contextWindow, abilities, endsOnAbort, close } = settings;
  const stored = new WeakMap<AskOptions['prompt'][number], AskOptions['prompt'][number]>();
  const restored = (message: AskOptions['prompt'][number]) => {
    let known = stored.get(message);
    if (!known) {
      known = withStoredParts(message);
      stored.set(message, known);
    }
    return known;
  };
  const ready = (options: AskOptions) => {
    const complete = { ...options, prompt: options.prompt.map(restored) };
    return settings.prepare?.(complete) ?? { options: complete, model };
  };
  const generate: LanguageModelV4['doGenerate'] = (options) => {
    const request = ready(options);
    return request.model.doGenerate(request.options);
  };
  const stream: LanguageModelV4['doStream'] = (options) => {
    const request = ready(options);
    return request.model.doStream(request.options);
  };

  async function ask(options: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
    for (;;) {
      const request = ready(options);
      try {
        return await drain(request.model, settings, id, request.options, onDelta);
      } catch (error) {
        options.abortSignal?.throwIfAborted();
        const ours = await ownError(model, settings.place, id, error);
        if (!settings.adapt?.(ours, request.options, options)) throw (await settings.explain?.(ours)) ?? ours;
      }
    }
  }

  return {
    id,
    specificationVersion,
    provider,
    modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    contextWindow,
    abilities,
    endsOnAbort,
    close,
    doGenerate: generate,
    doStream: stream,
    ask,
  };
}

/** Asked for as a stream in any case: silence shows in it, where a plain answer is waited for without a sign. */
async function drain(
  model: LanguageModelV4,
  { usage = ownUsage, place }: SdkModelOptions,
  id: string,
  options: AskOptions,
  onDelta?: (delta: Delta) => void,
): Promise<Reply> {
  const signal = options.abortSignal;
  // A stream that ends without a `finish` part was cut.
  const reply: Reply = { text: '', calls: [], finish: 'interrupted' };
  const parts = new PartRecorder();
  const reader = (await model.doStream(options)).stream.getReader();
  // A model that ignores the signal does not hold up the run: its stream ends for us.
  const stop = () => void reader.cancel(signal?.reason).catch(() => undefined); // a stream that has failed has ended, too
  signal?.addEventListener('abort', stop);
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) take(reply, parts, next.value, usage, onDelta);
  } catch (error) {
    const cut = wireFault(error);
    if (cut === undefined || (reply.text === '' && !reply.reasoning && reply.calls.length === 0)) throw error;
    // What was read before the wire failed is not lost.
    Object.assign(reply, { finish: 'interrupted', finish_raw: cut });
  } finally {
    signal?.removeEventListener('abort', stop);
    stop();
  }
  signal?.throwIfAborted();
  if (reply.finish === 'error') throw providerFault(place ?? { endpoint: id, model: model.modelId }, reply.finish_raw);
  const extra = parts.extra();
  return extra ? { ...reply, extra } : reply;
}

/** Parts that a Reply has no place for (files, sources, `custom` and whatever comes later) are passed over. */
function take(
  reply: Reply,
  parts: PartRecorder,
  part: LanguageModelV4StreamPart,
  readUsage: (usage: LanguageModelV4Usage) => Usage | undefined,
  onDelta: ((delta: Delta) => void) | undefined,
): void {
  switch (part.type) {
    case 'text-start':
    case 'reasoning-start':
      parts.add(part.type === 'text-start' ? 'text' : 'reasoning', part.id, 0, part.providerMetadata);
      break;
    case 'text-delta':
      parts.add('text', part.id, part.delta.length, part.providerMetadata);
      reply.text += part.delta;
      if (part.delta) onDelta?.({ text: part.delta });
      break;
    case 'reasoning-delta': {
      const reasoning = parts.add('reasoning', part.id, part.delta.length, part.providerMetadata) + part.delta;
      if (!reasoning) break; // it only carried a signature
      reply.reasoning = (reply.reasoning ?? '') + reasoning;
      onDelta?.({ reasoning });
      break;
    }
    case 'text-end':
    case 'reasoning-end':
      parts.close(part.type === 'text-end' ? 'text' : 'reasoning', part.id, part.providerMetadata);
      break;
    case 'tool-call':
      if (part.providerExecuted) break; // what the provider runs itself is not ours to run
      parts.call(part.providerMetadata);
      reply.calls.push({ id: part.toolCallId, name: part.toolName, input: part.input || '{}' });
      break;
    case 'finish': {
      const usage = readUsage(part.usage);
      reply.finish = part.finishReason.unified;
      if (part.finishReason.raw !== undefined) reply.finish_raw = part.finishReason.raw;
      if (usage) reply.usage = usage;
      break;
    }
    case 'error':
      throw part.error;
  }
}

export function ownUsage(usage: LanguageModelV4Usage): Usage {
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

// ---- errors ---------------------------------------------------------------------------------------------------

const wireFaults = new Set(['connection_lost', 'stream_silent', 'response_too_large']);

function wireFault(error: unknown): string | undefined {
  const ours = hidden(error);
  return ours && wireFaults.has(ours.code) ? ours.code : undefined;
}

/** An error of our own transport, however deep the SDK has wrapped it. */
function hidden(error: unknown): HermesError | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof HermesError) return at;
  return undefined;
}

/** What the SDK throws, and what it puts into a stream. */
interface SdkFailure {
  message?: unknown;
  statusCode?: number;
  responseHeaders?: SharedV4Headers;
  responseBody?: string;
  data?: unknown;
  type?: unknown;
}

/** The SDK's errors in our words: a status decides as it does for our own client. */
async function ownError(model: LanguageModelV4, known: Place | undefined, id: string, error: unknown): Promise<HermesError> {
  const ours = hidden(error);
  if (ours) return ours;
  const { APICallError } = await import('@ai-sdk/provider');
  const message = messageOf(error);
  const place = known ?? { endpoint: endpointOf(model, error), model: model.modelId };
  if (APICallError.isInstance(error)) {
    const { statusCode, responseHeaders = {}, responseBody } = error;
    if (statusCode !== undefined && statusCode !== 200)
      return statusError(place, statusCode, responseHeaders, failedResponse(error.data) ?? (responseBody || message));
    const what = statusCode === 200 ? 'sent an answer that cannot be read' : 'cannot be asked';
    const next = statusCode === 200 ? 'Check base_url, and try again.' : 'Check the network connection and the proxy variables.';
    return modelError(statusCode === 200 ? 'bad_reply' : 'network_error', `${place.endpoint} ${what}: ${message}`, next, {
      retryable: error.isRetryable,
      cause: error,
    });
  }
  if (isStreamError(error)) {
    const text = failedResponse(error.data) ?? JSON.stringify(error.data ?? { message });
    return statusError(place, error.statusCode ?? 0, {}, text);
  }
  if (error instanceof Error && error.name === 'AI_LoadAPIKeyError')
    return modelError('key_missing', `${id} needs a key: ${message}`, 'Set that variable, or name one with api_key_env in [model].');
  return modelError('model_failed', `${id} failed: ${message}`, 'Check the settings of that model.', { cause: error });
}

/** OpenAI reports a failure within the response that failed, which holds the whole request, too. */
function failedResponse(data: unknown): string | undefined {
  const error = (data as { response?: { error?: unknown } } | null | undefined)?.response?.error;
  return error ? JSON.stringify({ error }) : undefined;
}

/** A provider's own error object inside a stream, as the SDK hands it on: plain, not an Error. */
function isStreamError(error: unknown): error is SdkFailure {
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'message' in error;
}

function messageOf(error: unknown): string {
  if (error instanceof Error || isStreamError(error)) return String((error as SdkFailure).message);
  return String(error);
}

function endpointOf(model: LanguageModelV4, error: unknown): string {
  const url = (error as { url?: unknown } | null)?.url;
  const known = typeof url === 'string' && URL.canParse(url);
  return known ? `${model.provider} at ${new URL(url).origin}` : model.provider;
}
