/** Shortening a history: results first, the newest rounds last, never a user's words, never a call without its result. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message, State } from '../../src/kernel/types.ts';
import { shorten } from '../../src/memory/context.ts';

function round(n: number, text: string, result: string): Message[] {
  const call = { id: `c${n}`, name: 'read', arguments: {} };
  return [
    { role: 'assistant', content: text, calls: [call] },
    { role: 'tool', call_id: call.id, name: 'read', content: result, success: true },
  ];
}
const long = '字'.repeat(1000);
const stateOf = (messages: Message[]): State => ({ messages, tokens: 10_000, language: 'zh' }) as unknown as State;

function applied(state: State): State | undefined {
  const fact = shorten(state);
  if (!fact) return undefined;
  const { count, messages, tokens_after } = fact.data;
  assert.ok(tokens_after < state.tokens);
  return { ...state, tokens: tokens_after, messages: [...messages, ...state.messages.slice(count)] };
}

test('old results go first, then old replies, then every result; then nothing more', () => {
  const request: Message = { role: 'user', content: long };
  let state: State | undefined = stateOf([request, ...round(1, long, long), ...round(2, 'b', long), ...round(3, 'c', long)]);
  const lengths: number[][] = [];
  for (let last = state; state; state = applied(state)) {
    lengths.push(state.messages.map((message) => message.content.length));
    last = state;
    assert.equal(last.messages[0]?.content, long);
    assert.equal(last.messages.length, 7);
  }
  const short = 160 + ' […已缩短；全文见日志]'.length;
  assert.deepEqual(lengths, [
    [1000, 1000, 1000, 1, 1000, 1, 1000],
    [1000, 1000, short, 1, 1000, 1, 1000],
    [1000, short, short, 1, 1000, 1, 1000],
    [1000, short, short, 1, short, 1, short],
  ]);
});

test('a short history stays as it is', () => {
  assert.equal(shorten(stateOf([{ role: 'user', content: long }, ...round(1, 'a', 'b')])), undefined);
});
