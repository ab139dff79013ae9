/** Shortening a history: results first, the newest rounds last, whole rounds at the very end, never a call without its result. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageTokens } from '../../src/kernel/changes.ts';
import type { Message, State } from '../../src/kernel/types.ts';
import { shorten } from '../../src/memory/context.ts';
import { assertPaired } from '../kernel/world.ts';

function round(n: number, text: string, result: string): Message[] {
  const call = { id: `c${n}`, name: 'read', arguments: {} };
  return [
    { role: 'assistant', content: text, calls: [call] },
    { role: 'tool', call_id: call.id, name: 'read', content: result, success: true },
  ];
}
const long = '字'.repeat(1500);
const tokensOf = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + messageTokens(message), 0);

function shortened(messages: Message[], window: number, own_from = 0): State | undefined {
  const limits = { max_steps: 10, max_seconds: 1, context_tokens: window };
  const state = { messages, own_from, tokens: tokensOf(messages), language: 'zh', limits, calls: [], overflow: false } as unknown as State;
  const fact = shorten(state);
  if (!fact) return undefined;
  const { count, messages: head, tokens_after } = fact.data;
  const after = { ...state, tokens: tokens_after, own_from: fact.data.own_from, messages: [...head, ...messages.slice(count)] };
  assert.equal(tokens_after, tokensOf(after.messages));
  assertPaired(after);
  return after;
}
const lengths = (state: State | undefined) => state?.messages.map((message) => message.content.length);
const short = 160 + ' […已缩短；全文见日志]'.length;

test('the less room, the more goes: old results, old replies, every result, the talk before, the own old rounds', () => {
  const request: Message = { role: 'user', content: long };
  const own = [request, ...round(1, long, long), ...round(2, 'b', long), ...round(3, 'c', long)];
  assert.equal(shortened(own, 100_000), undefined);
  assert.deepEqual(lengths(shortened(own, 7500)), [1500, 1500, short, 1, 1500, 1, 1500]);
  assert.deepEqual(lengths(shortened(own, 6000)), [1500, short, short, 1, 1500, 1, 1500]);
  assert.deepEqual(lengths(shortened(own, 3000)), [1500, short, short, 1, short, 1, short]);
  const least = shortened(own, 100)!;
  assert.equal(least.messages[0], request);
  assert.deepEqual(
    least.messages.map((message) => message.role),
    ['user', 'note', 'assistant', 'tool', 'assistant', 'tool'],
  );
});

test('a long talk loses its oldest half first, and never the request at hand', () => {
  const turn = (n: number): Message[] => [
    { role: 'user', content: `问题 ${n} ${'长'.repeat(300)}` },
    { role: 'assistant', content: `回答 ${n}` },
  ];
  const talk = Array.from({ length: 20 }, (_, n) => turn(n)).flat();
  const request: Message = { role: 'user', content: '现在的问题' };
  const half = shortened([...talk, request], 5000, talk.length)!;
  assert.equal(half.messages[0]?.role, 'note');
  assert.match(half.messages[0]?.content ?? '', /20 条消息/);
  assert.equal(half.messages[half.own_from], request);
  const least = shortened([...talk, request], 50, talk.length)!;
  assert.deepEqual(
    least.messages.map((message) => message.role),
    ['note', 'user'],
  );
  assert.equal(least.messages[least.own_from], request);
});
