/** The one door to every model: the AI SDK's interface, and `ask`, the short way that our own loop takes. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Reply } from '../kernel/types.ts';
import type { Abilities } from './profile.ts';

/** A piece of the answer as it is written: text, or thinking. */
export interface Delta {
  text?: string;
  reasoning?: string;
}

/**
 * A request. It is never changed by a model, nor by the caller once handed over. A prompt message is known by
 * identity: a caller that hands over the same message objects again has each of them serialised once only.
 */
export type AskOptions = LanguageModelV4CallOptions;

/**
 * Asks once, without any retry. With `onDelta` the answer is streamed; without it one plain request is made.
 * Throws a HermesError of kind 'model', or the signal's reason when `options.abortSignal` was aborted.
 * `onDelta` must not throw.
 *
 * `Reply.extra` has the form of the AI SDK's provider metadata ({ provider: { ... } }). Whoever renders the
 * history hands it back as the `providerOptions` of that assistant message, unchanged, to the same model only.
 */
export type Ask = (options: AskOptions, onDelta?: (delta: Delta) => void) => Promise<Reply>;

export interface ChatModel extends LanguageModelV4 {
  /** provider:model */
  readonly id: string;
  /** Tokens that prompt and answer may hold together; absent = not known. */
  readonly contextWindow?: number;
  readonly abilities?: Abilities;
  /** Remembers what a run has found out about it, for later ones; absent where nothing is kept. */
  learn?(abilities: Abilities): void;
  ask: Ask;
  /** Said by a model whose `ask` ends as soon as its signal is aborted; any other is left behind then. */
  readonly endsOnAbort?: boolean;
  /** Gives back sockets, processes, memory. The model is not used afterwards. */
  close?(): Promise<void>;
}
