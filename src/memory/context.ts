/** Makes a history smaller without a model: whole old rounds are shortened, results first. Pure; what it cuts stays in the log. */

import { cut, estimateTokens } from '../kernel/text.ts';
import type { Fact, Message, State } from '../kernel/types.ts';

/** The newest messages that are kept as they are: about two rounds (a round = a reply with its results). */
const KEPT_ROUNDS = 2;
/** Characters of an old result that stay, then of any message that is still too large. */
const SHORT = 160;
const NOTE = { en: ' […shortened; the full text is in the log]', zh: ' […已缩短；全文见日志]' } as const;

/**
 * The history with less in it, or undefined when nothing more can go. Each call goes one stage further:
 * old results, then old replies, then every result however new. User messages are never cut.
 */
export function shorten(state: State): Fact<'memory.compact'> | undefined {
  const before = state.messages;
  const old = keptFrom(before);
  const shortened = stage(before, old, state.language) ?? stage(before, before.length, state.language);
  if (!shortened) return undefined;
  const count = lastChanged(before, shortened) + 1;
  const saved = sum(before) - sum(shortened);
  return {
    event_type: 'memory.compact',
    data: { count, messages: shortened.slice(0, count), tokens_before: state.tokens, tokens_after: Math.max(0, state.tokens - saved) },
  };
}

/** Index of the first message that belongs to the newest rounds. */
function keptFrom(messages: readonly Message[]): number {
  let rounds = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    if (messages[i]!.role === 'assistant' && ++rounds === KEPT_ROUNDS) return i;
  }
  return 0;
}

function stage(messages: readonly Message[], end: number, language: 'zh' | 'en'): Message[] | undefined {
  const results = shortenRole(messages, end, 'tool', language);
  return results ?? shortenRole(messages, end, 'assistant', language);
}

function shortenRole(messages: readonly Message[], end: number, role: 'tool' | 'assistant', language: 'zh' | 'en'): Message[] | undefined {
  let changed = false;
  const shorter = messages.map((message, index) => {
    if (index >= end || message.role !== role || message.content.length <= SHORT + NOTE[language].length) return message;
    changed = true;
    return { ...message, content: cut(message.content, SHORT) + NOTE[language] };
  });
  return changed ? shorter : undefined;
}

function lastChanged(before: readonly Message[], after: readonly Message[]): number {
  for (let i = after.length - 1; i >= 0; i--) if (before[i] !== after[i]) return i;
  return -1;
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((total, message) => total + estimateTokens(message.content), 0);
}
