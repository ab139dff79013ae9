/** Keeps account of a reply while it is read: what was said, what was thought, which calls it holds. */

import { withoutTokens } from './marks.ts';
import type { CallProblem, Item, ReadCall } from './shapes.ts';

export class Account {
  private readonly text: string;
  private readonly items: Item[] = [];
  private readonly thought: string[] = [];
  private said: string[] = [];
  /** The text before this position is accounted for. */
  private kept = 0;
  private thinkingEnded = false;
  /** Something of the text was no part of what was said. */
  private taken = false;

  constructor(text: string) {
    this.text = text;
  }

  /** Nothing but space stands between what is accounted for and this position. */
  isNext(position: number): boolean {
    return this.text.slice(this.kept, position).trim() === '';
  }

  /** The text from `from` to `to` holds these items and is no part of what was said. */
  take(from: number, to: number, items: readonly Item[]): void {
    const before = this.text.slice(this.kept, from);
    if (items.length === 0 || !/^[\s;,]*$/.test(before)) this.said.push(before);
    this.items.push(...items);
    this.taken ||= to > from;
    this.kept = to;
  }

  think(from: number, to: number, thought: string): void {
    this.thought.push(thought);
    this.take(from, to, []);
  }

  /** Thinking that had begun before the reply ends: nothing before it was said, no call in it counts. */
  endThinking(from: number, to: number): void {
    const before = this.said.join('') + this.text.slice(this.kept, from);
    if (this.thinkingEnded) this.said = [before];
    else {
      this.thought.push(before);
      this.said = [];
      this.items.length = 0;
    }
    this.thinkingEnded = true;
    this.kept = to;
  }

  close(): { text: string; reasoning?: string; calls: ReadCall[]; problems: CallProblem[] } {
    this.take(this.text.length, this.text.length, []);
    const calls = this.items.flatMap((item) => ('call' in item ? [item.call] : []));
    const problems = this.items.flatMap((item) => ('problem' in item ? [item.problem] : []));
    const reasoning = this.thought.join('\n').trim();
    return { text: withoutTokens(this.said.join(''), this.taken), ...(reasoning === '' ? {} : { reasoning }), calls, problems };
  }
}
