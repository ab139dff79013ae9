/** What of a state matters to guided: the request, what tools have answered, and the exchange before it. Tiny models see no more. */

import { cut, languageOf } from '../../kernel/text.ts';
import type { Message, State, ToolCall, ToolMessage } from '../../kernel/types.ts';

/** Characters of a request that a tiny model is shown. */
const LOOKED_AT = 2_000;

export interface Turn {
  request: string;
  language: 'zh' | 'en';
  /** Results of this turn's calls, oldest first. */
  results: ToolMessage[];
  /** The calls that gave them. */
  calls: ToolCall[];
  /** A guard has spoken since the request: no call came of it. */
  noted: boolean;
  /** Texts that were given with the request. */
  files: string[];
  before?: { request: string; call?: ToolCall; answer: string };
}

export function turnOf(state: State): Turn {
  const at = state.messages.findLastIndex((message) => message.role === 'user');
  const asked = state.messages[at];
  const since = state.messages.slice(at + 1);
  const request = cut(asked?.content ?? '', LOOKED_AT);
  const files =
    asked?.role === 'user' ? (asked.files ?? []).filter((file) => !file.media_type.startsWith('image/')).map((file) => file.data) : [];
  const before = exchangeBefore(state.messages.slice(0, Math.max(0, at)));
  return {
    request,
    language: request === '' ? state.language : languageOf(request),
    results: since.filter((message) => message.role === 'tool'),
    calls: callsOf(since),
    noted: since.some((message) => message.role === 'note'),
    files,
    ...(before ? { before } : {}),
  };
}

function exchangeBefore(messages: readonly Message[]): Turn['before'] {
  const at = messages.findLastIndex((message) => message.role === 'user');
  if (at < 0) return undefined;
  const since = messages.slice(at + 1);
  const answer = since.findLast((message) => message.role === 'assistant' && message.content !== '')?.content ?? '';
  const call = callsOf(since).at(-1);
  return { request: messages[at]!.content, answer, ...(call ? { call } : {}) };
}

function callsOf(messages: readonly Message[]): ToolCall[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? (message.calls ?? []) : []));
}
