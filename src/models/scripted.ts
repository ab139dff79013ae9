/** A model that says what a script tells it to, in order: for tests, examples and evals. */

import { HermesError } from '../kernel/errors.ts';
import type { FinishReason, JsonObject, Reply, Usage } from '../kernel/types.ts';
import { chatModel } from './language-model.ts';
import type { AskOptions, ChatModel, Delta } from './types.ts';

export interface ScriptedAnswer {
  text?: string;
  reasoning?: string;
  /** `arguments` as text is given as it is: broken JSON, say. `id` defaults to call_1, call_2, ... over the whole script. */
  calls?: { name: string; arguments: JsonObject | string; id?: string }[];
  usage?: Usage;
  /** Default tool-calls with calls, else stop. */
  finish?: FinishReason;
  finish_raw?: string;
  /** Thrown after text and reasoning have been streamed. */
  error?: Error;
}
/** A function sees the request that it answers. */
export type ScriptedReply = string | ScriptedAnswer | ((options: AskOptions) => string | ScriptedAnswer | Promise<string | ScriptedAnswer>);

export interface ScriptedModel extends ChatModel {
  /** The requests so far, as they came. */
  readonly calls: AskOptions[];
}

/** Throws `script_exhausted` when it is asked more often than there are replies. `id` defaults to scripted:model. */
export function scriptedModel(replies: readonly ScriptedReply[], options: { id?: string; contextWindow?: number } = {}): ScriptedModel {
  const calls: AskOptions[] = [];
  let callCount = 0;

  async function ask(asked: AskOptions, onDelta?: (delta: Delta) => void): Promise<Reply> {
    asked.abortSignal?.throwIfAborted();
    calls.push(asked);
    const next = replies[calls.length - 1];
    if (next === undefined) throw exhausted('script_exhausted', `the scripted model has ${replies.length} replies`, calls.length);
    const given = typeof next === 'function' ? await next(asked) : next;
    const answer = typeof given === 'string' ? { text: given } : given;
    const reply: Reply = {
      text: answer.text ?? '',
      ...(answer.reasoning !== undefined && { reasoning: answer.reasoning }),
      calls: (answer.calls ?? []).map(({ id, name, arguments: input }) => ({
        id: id ?? `call_${++callCount}`,
        name,
        input: typeof input === 'string' ? input : JSON.stringify(input),
      })),
      ...(answer.usage && { usage: answer.usage }),
      finish: answer.finish ?? (answer.calls?.length ? 'tool-calls' : 'stop'),
      ...(answer.finish_raw !== undefined && { finish_raw: answer.finish_raw }),
    };
    await deliver(reply, asked.abortSignal, onDelta);
    if (answer.error) throw answer.error;
    return reply;
  }

  return { ...chatModel({ id: options.id ?? 'scripted:model', contextWindow: options.contextWindow, ask }), calls };
}

/** Streams a finished reply in pieces of up to 8 characters, a turn of the event loop each, so that an abort comes in between. */
export async function deliver(reply: Reply, signal: AbortSignal | undefined, onDelta: ((delta: Delta) => void) | undefined): Promise<void> {
  if (!onDelta) return;
  for (const field of ['reasoning', 'text'] as const) {
    for (const piece of reply[field]?.match(/.{1,8}/gsu) ?? []) {
      signal?.throwIfAborted();
      onDelta({ [field]: piece });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  signal?.throwIfAborted();
}

export function exhausted(code: string, has: string, count: number): HermesError {
  return new HermesError(code, `${has} and was asked for reply number ${count}`, {
    kind: 'model',
    next: 'Add a reply, or look at why the run took more steps than expected.',
  });
}
