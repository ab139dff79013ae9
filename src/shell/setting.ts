/** What is known around the words of a command while it is judged. */

import type { Ground } from './places.ts';
import type { Script, Simple } from './read.ts';
import type { Finding } from './reasons.ts';
import type { Word } from './words.ts';

/** What one command, or one text, was found to do. */
export interface Found {
  command: string;
  findings: Finding[];
  isRedirect?: true;
}

/** Judges a text within a text: sh -c '...'. */
export type Judging = (text: string, ground: Ground) => Found[];

export interface Setting {
  simple: Simple;
  script: Script;
  /** Changed by cd. */
  ground: Ground;
  nested: Judging;
  /** A command among the words of this one: find -exec. */
  inner(words: readonly Word[]): Finding[];
  /** Commands in a text inside this one are added here. */
  found: Found[];
}
