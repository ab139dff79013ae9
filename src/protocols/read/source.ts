/** What the readers of calls share: the text with what is known of it, and what one reading gives. */

import type { JsonObject } from '../../kernel/types.ts';
import type { Budget } from './find.ts';
import type { Item } from './shapes.ts';

export interface Source {
  text: string;
  budget: Budget;
  tools: readonly string[] | undefined;
  schemas: Readonly<Record<string, JsonObject>>;
}
/** `next` is where the text goes on; after a failure, as far as it was read. */
export interface Body {
  items: Item[];
  next: number;
  failed: boolean;
}

export function failure(next: number, problem: { code: string; message: string; name?: string }): Body {
  return { items: [{ problem }], next, failed: true };
}

export function withRepairs(item: Item, repairs: readonly string[]): Item {
  return 'call' in item ? { call: { ...item.call, repairs: [...repairs, ...item.call.repairs] } } : item;
}

export function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

export function matchLength(pattern: RegExp, text: string, at: number): number {
  return matchAt(pattern, text, at)?.length ?? 0;
}
