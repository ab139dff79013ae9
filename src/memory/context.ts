/** Makes a history smaller without a model, old results first. Pure; what it cuts stays in the log. */

import { messageTokens } from '../kernel/changes.ts';
import { cut } from '../kernel/text.ts';
import type { Fact, Message, State } from '../kernel/types.ts';

/** The newest messages that are kept as they are for as long as possible: about two rounds (a round = a reply with its results). */
const KEPT_ROUNDS = 2;
/** Characters that stay of a shortened message. */
const SHORT = 160;
/** Part of the window that the history may take afterwards; after an overflow of an unknown window, part of what it took. */
const ROOM = { window: 0.6, overflow: 0.5 };
const TEXT = {
  en: {
    shortened: ' […shortened; the full text is in the log]',
    leftOut: (n: number) => `${n} earlier messages were left out to save space; they stand in the log.`,
  },
  zh: {
    shortened: ' […已缩短；全文见日志]',
    leftOut: (n: number) => `为节省空间，省略了较早的 ${n} 条消息；它们在日志中。`,
  },
} as const;

interface Talk {
  messages: readonly Message[];
  /** Index of the first message of this run. */
  own_from: number;
  language: 'zh' | 'en';
}

/**
 * A history that fits, or as near to it as can be; undefined when nothing can go. First old results are shortened, then old replies, then
 * every result however new; then whole rounds go: half by half what came before this run's request, at last the run's own old rounds.
 * Only these last stages touch what a person said, and never the request at hand.
 */
export function shorten(state: State): Fact<'memory.compact'> | undefined {
  const window = state.limits.context_tokens ?? Number.POSITIVE_INFINITY;
  const room = Math.min(window * ROOM.window, state.overflow ? state.tokens * ROOM.overflow : Number.POSITIVE_INFINITY);
  let talk: Talk = state;
  let tokens = state.tokens;
  while (tokens > room) {
    const smaller = STAGES.reduce<Talk | undefined>((found, stage) => found ?? stage(talk), undefined);
    if (!smaller) break;
    tokens -= sum(talk.messages) - sum(smaller.messages);
    talk = smaller;
  }
  if (talk === state) return undefined;
  const same = commonEnd(state.messages, talk.messages);
  const count = state.messages.length - same;
  const messages = talk.messages.slice(0, talk.messages.length - same);
  const { own_from } = talk;
  return {
    event_type: 'memory.compact',
    data: { count, messages, own_from, tokens_before: state.tokens, tokens_after: Math.max(0, tokens) },
  };
}

const STAGES: readonly ((talk: Talk) => Talk | undefined)[] = [
  (talk) => shortenRole(talk, 'tool', keptFrom(talk.messages)),
  (talk) => shortenRole(talk, 'assistant', keptFrom(talk.messages)),
  (talk) => shortenRole(talk, 'tool', talk.messages.length),
  leaveOutTalk,
  leaveOutRounds,
];

function shortenRole(talk: Talk, role: 'tool' | 'assistant', end: number): Talk | undefined {
  const { shortened } = TEXT[talk.language];
  let changed = false;
  const messages = talk.messages.map((message, index) => {
    if (index >= end || message.role !== role || message.content.length <= SHORT + shortened.length) return message;
    changed = true;
    return { ...message, content: cut(message.content, SHORT) + shortened };
  });
  return changed ? { ...talk, messages } : undefined;
}

/** The older half of what came before this run's request. */
function leaveOutTalk(talk: Talk): Talk | undefined {
  const { messages, own_from } = talk;
  const half = messages.findIndex((message, index) => index >= Math.ceil(own_from / 2) && index < own_from && message.role === 'user');
  return leaveOut(talk, 0, half < 0 ? own_from : half);
}

/** What this run did between its request and its newest rounds. */
function leaveOutRounds(talk: Talk): Talk | undefined {
  const request = talk.messages.findIndex((message, index) => index >= talk.own_from && message.role === 'user');
  return request < 0 ? undefined : leaveOut(talk, request + 1, keptFrom(talk.messages));
}

/** The messages from `from` to `to` in one note. `to` begins a round, so that no call is parted from its result. */
function leaveOut(talk: Talk, from: number, to: number): Talk | undefined {
  if (to - from < 2) return undefined;
  const note: Message = { role: 'note', content: TEXT[talk.language].leftOut(to - from) };
  const own_from = to <= talk.own_from ? talk.own_from - (to - from) + 1 : talk.own_from;
  return { ...talk, messages: [...talk.messages.slice(0, from), note, ...talk.messages.slice(to)], own_from };
}

/** Index of the first message that belongs to the newest rounds. */
function keptFrom(messages: readonly Message[]): number {
  let rounds = 0;
  for (let i = messages.length - 1; i >= 0; i--) {
    if (messages[i]!.role === 'assistant' && ++rounds === KEPT_ROUNDS) return i;
  }
  return 0;
}

function commonEnd(a: readonly Message[], b: readonly Message[]): number {
  let same = 0;
  while (same < a.length && same < b.length && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  return same;
}

function sum(messages: readonly Message[]): number {
  return messages.reduce((total, message) => total + messageTokens(message), 0);
}
