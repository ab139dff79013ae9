/**
 * A missing argument that the conversation itself states. Only for arguments that the tool names for it, only from what the user wrote,
 * and only when it is said in one way: what is ambiguous is left to the model, which asks. A bare number never becomes an identifier.
 */

import type { Json, JsonObject, Message } from '../kernel/types.ts';
import { resolveArgument } from './resolve.ts';

/** Characters of a message that are looked at. */
const LOOKED_AT = 4_000;
const FORMATS: Readonly<Record<string, RegExp>> = {
  email: /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  uri: /https?:\/\/[^\s"'<>，。；）]+[^\s"'<>，。；）.,;:!?)]/g,
};

/** The newest message of the user that states it decides. */
export function factFor(property: JsonObject, messages: readonly Message[]): { value: Json; note: string } | undefined {
  for (const message of messages.toReversed()) {
    if (message.role !== 'user') continue;
    const found = statedIn(property, message.content.slice(0, LOOKED_AT));
    if (found.length > 1) return undefined;
    if (found[0] !== undefined) return { value: found[0], note: `${JSON.stringify(found[0])}, as the user wrote` };
  }
  return undefined;
}

/** All different values that a text states for the property. */
function statedIn(property: JsonObject, text: string): Json[] {
  if (Array.isArray(property.enum)) return property.enum.filter((one) => typeof one === 'string' && holdsWord(text, one));
  if (typeof property.pattern === 'string') return matches(text, property.pattern);
  const format = typeof property.format === 'string' ? property.format : '';
  const addresses = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  if (addresses) return [...new Set(text.match(addresses))];
  const resolved = resolveArgument(property, undefined, text);
  return resolved ? [resolved.value] : [];
}

/** The word stands alone; Chinese has no spaces. */
function holdsWord(text: string, word: string): boolean {
  const [all, one] = [text.normalize('NFKC').toLowerCase(), word.normalize('NFKC').toLowerCase()];
  for (let at = all.indexOf(one); at >= 0; at = all.indexOf(one, at + 1)) {
    const isLatin = (character: string | undefined) => character !== undefined && /[\p{Script=Latin}\d_]/u.test(character);
    const isInside = (isLatin(one[0]) && isLatin(all[at - 1])) || (isLatin(one.at(-1)) && isLatin(all[at + one.length]));
    if (!isInside) return true;
  }
  return false;
}

/** Words of the text that a declared pattern describes as a whole: an order number. Digits alone may be anything. */
function matches(text: string, pattern: string): string[] {
  const words = text.match(/[\p{Script=Latin}\d][\p{Script=Latin}\d_-]{0,63}/gu) ?? [];
  const whole = new RegExp(`^(?:${pattern})$`, 'u');
  return [...new Set(words.filter((word) => !/^\d+$/.test(word) && whole.test(word)))];
}
