/** Choices and flags: what an enum lists and a boolean is called, found in the words of the request. */

import type { Json, JsonObject } from '../../kernel/types.ts';
import type { Slot } from './fit.ts';
import { findCopy } from './spans.ts';
import { isAkin, nameWords } from './words.ts';
import type { Found, Work } from './work.ts';

/** The member of an enum that the request names; of a list, all of them in their order. */
export function chosen({ property }: Slot, work: Work): Found | undefined {
  const note = 'named in the request';
  if (property.type === 'array') {
    const named = listed(((property.items ?? {}) as JsonObject).enum, work);
    return named.length === 0 ? undefined : { value: named, note };
  }
  const texts = textsOf(property.enum);
  const exact = texts.filter((value) => findCopy(value, work.request));
  const [longest] = (exact.length > 0 ? exact : texts.filter((value) => mention(value, work))).sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : { value: longest, note };
}

/** Those that the request says as they are, then the longest: in "violin lessons" the violin names the lessons, and no violin. */
function listed(members: Json | undefined, work: Work): string[] {
  const found: { value: string; at: number }[] = [];
  const isExact = (value: string) => findCopy(value, work.request) !== undefined;
  for (const value of textsOf(members).sort((a, b) => Number(isExact(b)) - Number(isExact(a)) || b.length - a.length)) {
    const places = mention(value, work, work.named);
    if (!places) continue;
    for (const at of places) work.named.add(at);
    found.push({ value, at: places[0]! });
  }
  return found.sort((a, b) => a.at - b.at).map(({ value }) => value);
}

function textsOf(members: Json | undefined): string[] {
  return Array.isArray(members) ? members.filter((value) => typeof value === 'string') : [];
}

/** Where the text stands in the request, or all of its words do in whatever form, but for those `others`. */
export function mention(text: string, { words, request }: Work, others: ReadonlySet<number> = new Set()): number[] | undefined {
  const copy = findCopy(text, request);
  if (copy && !others.has(copy.start))
    return words.filter(({ start, end }) => start < copy.end && copy.start < end).map(({ start }) => start);
  const parts = nameWords(text).filter((word) => word.length > 2);
  const places = parts.flatMap((part) => words.find(({ text, start }) => isAkin(text, part) && !others.has(start))?.start ?? []);
  return parts.length > 0 && places.length === parts.length ? places : undefined;
}

const SAYS_YES =
  /^(?:include|included|is|has|have|show|get|return|returns|want|with|only|if|need|needs|use|allow|enable|flag|set|status|option|info|of|the|all|be|should|do|to)$/;
const SAYS_NO = /(?:\b(?:without|no|not|don't|excluding|exclude|except|skip)\s+(?:\w+\s+){0,2}|不要?|无需|不用)$/i;

/** A flag whose words the request has is meant; one that it needs and does not hear of is off. */
export function flag({ name, property, required }: Slot, { words, request, toolWords }: Work): Found | undefined {
  if (property.type !== 'boolean') return undefined;
  const own = nameWords(name).filter((word) => !SAYS_YES.test(word));
  const telling = own.length > 1 ? own.filter((word) => !toolWords.some((other) => isAkin(other, word))) : own;
  const places = telling.map((part) => words.find(({ text }) => isAkin(text, part)));
  if (telling.length > 0 && places.every((place) => place !== undefined)) {
    return { value: !SAYS_NO.test(request.slice(0, places[0]!.start)), note: 'the request speaks of it' };
  }
  if (!required || property.default !== undefined) return undefined;
  return { value: false, note: 'the request does not speak of it' };
}
