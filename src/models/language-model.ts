/** Makes a full LanguageModelV4 out of the one function that a model of ours writes: `ask`. */

import type {
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Reply, Usage } from '../kernel/types.ts';
import type { Abilities } from './profile.ts';
import type { Ask, AskOptions, ChatModel } from './types.ts';

/** What a model has to bring; `id` is provider:model. */
export interface ChatModelParts {
  id: string;
  contextWindow?: number;
  abilities?: Abilities;
  endsOnAbort?: boolean;
  ask: Ask;
  close?(): Promise<void>;
}

export function chatModel(parts: ChatModelParts): ChatModel {
  const colon = parts.id.indexOf(':');
  return {
    ...parts,
    specificationVersion: 'v4',
    provider: colon < 0 ? parts.id : parts.id.slice(0, colon),
    modelId: colon < 0 ? parts.id : parts.id.slice(colon + 1),
    supportedUrls: {},
    doGenerate: async (options) => generateResult(await parts.ask(options)),
    doStream: async (options) => ({ stream: await streamParts(parts.ask, options) }),
  };
}

function generateResult(reply: Reply): LanguageModelV4GenerateResult {
  const content: LanguageModelV4Content[] = [];
  if (reply.reasoning) content.push({ type: 'reasoning', text: reply.reasoning });
  if (reply.text) content.push({ type: 'text', text: reply.text });
  for (const call of reply.calls) content.push({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.input });
  return { content, ...ending(reply), warnings: [] };
}

/**
 * Resolves at the first piece of the answer, so that a request that fails before it rejects, as the interface
 * wants; a later failure is an `error` part. Cancelling the stream aborts the request.
 */
async function streamParts(ask: Ask, options: AskOptions): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const cancelled = new AbortController();
  const abortSignal = options.abortSignal ? AbortSignal.any([options.abortSignal, cancelled.signal]) : cancelled.signal;
  const started = Promise.withResolvers<void>();
  let open: { kind: 'text' | 'reasoning'; id: string } | undefined;
  let blocks = 0;
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      const put = (part: LanguageModelV4StreamPart) => cancelled.signal.aborted || controller.enqueue(part);
      const close = () => open && put({ type: `${open.kind}-end`, id: open.id });
      const write = (kind: 'text' | 'reasoning', delta: string) => {
        if (open?.kind !== kind) {
          close();
          open = { kind, id: String(blocks++) };
          put({ type: `${kind}-start`, id: open.id });
        }
        put({ type: `${kind}-delta`, id: open.id, delta });
        started.resolve();
      };
      put({ type: 'stream-start', warnings: [] });
      const asked = ask({ ...options, abortSignal }, (delta) => {
        if (delta.reasoning) write('reasoning', delta.reasoning);
        if (delta.text) write('text', delta.text);
      });
      // Not awaited: the stream is handed over while the answer is still being written.
      asked
        .then((reply) => {
          close();
          for (const call of reply.calls) for (const part of callParts(call)) put(part);
          put({ type: 'finish', ...ending(reply) });
        })
        .catch((error: unknown) => {
          started.reject(error);
          put({ type: 'error', error });
        })
        .finally(() => {
          started.resolve();
          if (!cancelled.signal.aborted) controller.close();
        });
    },
    cancel: (reason) => cancelled.abort(reason),
  });
  await started.promise;
  return stream;
}

function callParts(call: Reply['calls'][number]): LanguageModelV4StreamPart[] {
  return [
    { type: 'tool-input-start', id: call.id, toolName: call.name },
    { type: 'tool-input-delta', id: call.id, delta: call.input },
    { type: 'tool-input-end', id: call.id },
    { type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.input },
  ];
}

function ending(reply: Reply): Pick<LanguageModelV4GenerateResult, 'finishReason' | 'usage' | 'providerMetadata'> {
  return {
    finishReason: { unified: reply.finish, raw: reply.finish_raw },
    usage: sdkUsage(reply.usage ?? {}),
    ...(reply.extra && { providerMetadata: reply.extra as Record<string, NonNullable<Reply['extra']>> }),
  };
}

function sdkUsage(usage: Usage): LanguageModelV4Usage {
  const {
    input_tokens: input,
    output_tokens: output,
    cached_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    reasoning_tokens: reasoning,
  } = usage;
  return {
    inputTokens: { total: input, noCache: input === undefined ? undefined : input - (cacheRead ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: output === undefined ? undefined : output - (reasoning ?? 0), reasoning },
  };
}
