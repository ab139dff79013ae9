/** What finding arguments by schema hands around: the request cut into words and pieces, what was found, and what is offered for whom. */

import type { Json } from '../../kernel/types.ts';
import type { Slot } from './fit.ts';
import type { Piece } from './pieces.ts';
import type { Span } from './spans.ts';
import type { Word } from './words.ts';

export interface Found {
  value: Json;
  note: string;
  span?: Span;
}
export interface Offer extends Found {
  slot: Slot;
  score: number;
  /** Where slot and piece stand in their rows: of equal offers, the first goes to the first. */
  order: number;
}

export interface Work {
  request: string;
  words: Word[];
  pieces: Piece[];
  toolWords: string[];
  written: Readonly<Record<string, string>>;
  /** Where words stand that have named a choice: they name no other. */
  named: Set<number>;
}
