/** The prefix cache of a fake endpoint: which part of a prompt it has seen before. */

import type { Block } from './types.ts';

/** About as many bytes make a token. */
export const bytesPerToken = 4;
/** Tokens by which a cached prefix grows. */
const unit = 64;
/** A marker finds an earlier one at most so many blocks before it. */
const lookBack = 20;

export interface PrefixCache {
  /** Tokens of the prompt that are known, and that are kept from now on; then remembers the prompt. */
  take(blocks: readonly Block[]): { total: number; cached: number; written: number };
}

export function automaticCache(): PrefixCache {
  const seen: string[] = [];
  return {
    take(blocks) {
      const text = blocks.map((block) => block.text).join('\n');
      const known = Math.max(0, ...seen.map((earlier) => commonLength(earlier, text)));
      seen.push(text);
      const cached = Math.floor(tokens(text.slice(0, known)) / unit) * unit;
      return { total: tokens(text), cached, written: 0 };
    },
  };
}

/** Keeps what stands before a marker, and finds it again from a later marker. */
export function markedCache(): PrefixCache {
  const kept = new Set<string>();
  return {
    take(blocks) {
      const ends = blocks.map((_, end) =>
        blocks
          .slice(0, end + 1)
          .map((block) => block.text)
          .join('\n'),
      );
      const marks = blocks.flatMap((block, at) => (block.marked ? [at] : []));
      let known = -1;
      for (const mark of marks) {
        for (let at = mark; at >= 0 && at > mark - lookBack; at--) if (kept.has(ends[at]!)) known = Math.max(known, at);
      }
      for (const mark of marks) kept.add(ends[mark]!);
      const cached = known < 0 ? 0 : tokens(ends[known]!);
      const last = marks.at(-1);
      return { total: tokens(ends.at(-1) ?? ''), cached, written: last === undefined ? 0 : Math.max(0, tokens(ends[last]!) - cached) };
    },
  };
}

export function tokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken);
}

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}
