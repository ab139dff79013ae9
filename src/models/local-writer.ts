/** The text of a local model's tokens, while it is written. */

import type { LlamaModel, Token } from 'node-llama-cpp';
import type { Delta } from './types.ts';

/**
 * Turns tokens into text as it becomes certain: a character that is spread over several tokens waits for the
 * last of them, and text that may be the beginning of a stop sequence waits until it is one or not.
 */
export function createWriter(model: LlamaModel, stops: readonly string[], onDelta?: (delta: Delta) => void) {
  let before: Token[] = [];
  let waiting: Token[] = [];
  let text = '';
  let sent = 0;
  const send = (until: number) => {
    if (until > sent) onDelta?.({ text: text.slice(sent, until) });
    sent = Math.max(sent, until);
  };
  const take = () => {
    text += model.detokenize(waiting, false, before);
    before = waiting;
    waiting = [];
  };
  return {
    /** True when a stop sequence is complete: the text ends before it. */
    write(token: Token): boolean {
      waiting.push(token);
      if (waiting.length < 4 && model.detokenize(waiting, false, before).endsWith('\uFFFD')) return false;
      take();
      const at = stops.map((stop) => text.indexOf(stop, Math.max(0, sent - stop.length))).filter((index) => index >= 0);
      if (at.length > 0) {
        text = text.slice(0, Math.min(...at));
        return true;
      }
      send(text.length - heldBack(text, stops));
      return false;
    },
    text: () => text,
    end(): string {
      if (waiting.length > 0) take();
      send(text.length);
      return text;
    },
  };
}

/** How many characters at the end of the text begin a stop sequence. */
function heldBack(text: string, stops: readonly string[]): number {
  let held = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > held; length--) {
      if (text.endsWith(stop.slice(0, length))) held = length;
    }
  }
  return held;
}
