/** Results that were too long to be shown whole, as a tool reads them back: from the store, or from memory for as long as there is room. */

import type { KeptResult, State } from '../../kernel/types.ts';
import type { KeptResults, ResultFacts } from '../define.ts';
import { neutralised } from '../neutral.ts';

/** Characters of kept results in the memory of one toolbox; the oldest go first. */
const MOST_CHARACTERS = 32_000_000;

/** The store's side: the whole text of a result; null = it was forgotten, undefined = it is not there. */
export type ReadBack = (kept: KeptResult) => Promise<string | null | undefined>;

export class KeptTexts {
  readonly #readBack: ReadBack | undefined;
  readonly #texts = new Map<string, string>();
  #characters = 0;

  /** With a store nothing is held in memory. */
  constructor(readBack: ReadBack | undefined) {
    this.#readBack = readBack;
  }

  put(runId: string, handle: string, text: string): void {
    if (this.#readBack || text.length > MOST_CHARACTERS) return;
    this.#texts.set(keyOf(runId, handle), text);
    this.#characters += text.length;
    for (const [key, oldest] of this.#texts) {
      if (this.#characters <= MOST_CHARACTERS) break;
      this.#texts.delete(key);
      this.#characters -= oldest.length;
    }
  }

  /** As one call sees them. What it reads is as untrusted and private as it was: `tell` hears of it. */
  forCall({ kept, sources }: Pick<State, 'kept' | 'sources'>, tell: (facts: ResultFacts) => void): KeptResults {
    return {
      handles: async () => kept.map(({ handle }) => handle),
      read: async (handle) => {
        const found = kept.find((one) => one.handle === handle);
        if (!found) return undefined;
        const { run_id, call_id, name, untrusted, private: isPrivate } = found;
        const from = sources.find((source) => source.call_id === call_id && source.name === name)?.from ?? name;
        if (untrusted || isPrivate) tell({ ...(untrusted && { untrusted }), ...(isPrivate && { private: isPrivate }), from });
        const text = this.#readBack ? await this.#readBack(found) : this.#texts.get(keyOf(run_id, handle));
        return { name, text: untrusted && text ? plain(text) : (text ?? undefined) };
      },
    };
  }
}

/** Before it is read in parts: what is hidden between two of them would be no longer. Longer texts are made plain part by part. */
function plain(text: string): string {
  return text.length <= 2_000_000 ? neutralised(text) : text;
}

function keyOf(runId: string, handle: string): string {
  return `${runId}/${handle}`;
}
