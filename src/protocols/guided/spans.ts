/** Pieces of a request: where a value stands in it word by word, and which piece stands where a tool's examples have the argument. */

import { languageOf } from '../../kernel/text.ts';
import type { ToolInfo } from '../../kernel/types.ts';

export interface Span {
  start: number;
  end: number;
  /** The piece as the request has it. */
  text: string;
}

/** Where the request holds these words; letter case, width, spaces and punctuation do not count, whole words do. */
export function findCopy(value: string, request: string): Span | undefined {
  const wanted = lettersOf(value);
  const given = lettersOf(request);
  if (wanted.text === '') return undefined;
  for (let at = given.text.indexOf(wanted.text); at >= 0; at = given.text.indexOf(wanted.text, at + 1)) {
    const start = given.places[at]!;
    const end = given.places[at + wanted.text.length - 1]! + 1;
    if (!splitsWord(request, start) && !splitsWord(request, end)) return spanOf(request, start, end);
  }
  return undefined;
}

export function overlaps(span: Span, others: readonly Span[]): boolean {
  return others.some((other) => span.start < other.end && other.start < span.end);
}

/** Words of a request between which a piece is searched: all pairs are tried. */
const MOST_TOKENS = 80;

/**
 * The piece of the request between words that also stand around the argument in the tool's example requests. The more of
 * those words, the better; of equal ones the longest. What other arguments have taken is not taken again. `surely`: only
 * with such words on both sides.
 */
export function findSpan(tool: ToolInfo, argument: string, request: string, taken: readonly Span[], surely = false): Span | undefined {
  const all = tokensOf(request);
  const tokens = all.filter(({ cue }) => cue !== BREAK).slice(0, MOST_TOKENS);
  const keywords = keywordPlaces(tool, request);
  const cues = cuesOf(tool);
  let best: { span: Span; score: number } | undefined;
  for (const { before, after } of placesOf(tool, argument, languageOf(request))) {
    for (let first = 0; first < tokens.length; first++) {
      const { start } = tokens[first]!;
      if (asks(tokens[first]!) || keywords.some((place) => start >= place.start && start < place.end)) continue;
      const follows = keywords.some((place) => place.end === tokens[first - 1]?.end && !/\p{P}/u.test(request.slice(place.end, start)));
      const left = Math.max(shared(before, cuesBefore(all, start)), follows ? 1 : 0);
      for (let last = first; last < tokens.length; last++) {
        const span = spanOf(request, start, tokens[last]!.end);
        if (asks(tokens[last]!) || keywords.some((place) => span.end > place.start && span.end < place.end)) continue;
        if (overlaps(span, taken) || !saysSomething(span.text, cues) || /[:：](?=\D|$)/.test(span.text)) continue;
        const right = shared(after, cuesAfter(all, span.end));
        const score = left + right;
        if (score < (taken.length > 0 ? EDGE_COUNTS : 1) || (surely && (left === 0 || right === 0)) || score < (best?.score ?? 0)) continue;
        if (score > (best?.score ?? 0) || span.text.length > best!.span.text.length) best = { span, score };
      }
    }
  }
  return best && trimmed(best.span, request);
}

/** "in Paris today" is Paris, "and tell him that it is over" is "it is over". */
export function trimmed(span: Span, request: string): Span {
  const lead = HAN_LEAD.exec(span.text)?.[0].length ?? 0;
  if (lead > 0 && lead < span.text.length) return trimmed(spanOf(request, span.start + lead, span.end), request);
  const tail = HAN_TAIL.exec(span.text)?.[0].length ?? 0;
  if (tail > 0 && tail < span.text.length) return trimmed(spanOf(request, span.start, span.end - tail), request);
  const words = span.text.split(/(?<=\s)/);
  const isLead = (word: string) => LEADS_IN.test(word.trim());
  const isDay = (word: string) => /^(?:today|tomorrow|tonight|now)$/i.test(word.trim());
  let [first, last] = [0, words.length];
  while (first < last - 1 && isLead(words[first]!)) first++;
  while (last > first + 1 && isDay(words[last - 1]!)) last--;
  const start = span.start + words.slice(0, first).join('').length;
  return spanOf(request, start, start + words.slice(first, last).join('').trimEnd().length);
}

const LEADS_IN = /^(?:in|for|at|of|about|on|to|with|and|that|as|tell|say|saying|him|her|them|me)$/i;

/** 查一下成都 is 成都. */
const HAN_LEAD = /^(?:请?(?:请问|麻烦|帮我|给我|告诉我|我想知道|查询|查看|看看)(?:一下)?|请?[查看问找]一?下)+/;

/** 腾讯今天 is 腾讯. */
const HAN_TAIL = /(?:今天|明天|后天|现在|最新|目前)$/;

/** False for a text of nothing but function words and words that point to the tool: "are here", "the folder", 请记住. */
export function saysSomething(text: string, cues: ReadonlySet<string>): boolean {
  let rest = text.replace(HAN_LEAD, ' ').replace(/一下|[请的我吗呢吧几]/g, ' ');
  for (const cue of cues) if (/\p{Script=Han}/u.test(cue)) rest = rest.replaceAll(cue, ' ');
  return rest.split(/[\s\p{P}]+/u).some((word) => word !== '' && !BEFORE_A_PHRASE.test(word) && !cues.has(word.toLowerCase()));
}

/** Words that point to the tool or name an argument: they are no part of a value. */
export function cuesOf(tool: ToolInfo): Set<string> {
  const names = Object.keys(tool.input_schema.properties ?? {});
  return new Set(`${tool.name.replace(/[_-]/g, ' ')} ${tool.keywords ?? ''} ${names.join(' ')}`.toLowerCase().split(/\s+/));
}

/** Where the request has words that point to the tool: a value may follow them, it does not begin with them. */
function keywordPlaces(tool: ToolInfo, request: string): { start: number; end: number }[] {
  const words = new Set((tool.keywords ?? '').toLowerCase().split(/\s+/));
  const lower = request.toLowerCase();
  return [...words].flatMap((word) => {
    if (word === '') return [];
    const pattern = new RegExp(/\p{Script=Han}/u.test(word) ? literally(word) : `(?<![\\p{L}])${literally(word)}(?![\\p{L}])`, 'gu');
    return [...lower.matchAll(pattern)].map(({ index }) => ({ start: index, end: index + word.length }));
  });
}

function literally(word: string): string {
  return word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}

/** The words around the argument in each example of this language. */
function placesOf(tool: ToolInfo, argument: string, language: 'zh' | 'en'): { before: string[]; after: string[] }[] {
  const examples = (tool.examples ?? []).filter((example) => languageOf(example.request) === language);
  return examples.flatMap((example) => {
    const place = findCopy(String(example.arguments[argument] ?? ''), example.request);
    if (!place) return [];
    const tokens = tokensOf(example.request);
    return [{ before: cuesBefore(tokens, place.start), after: cuesAfter(tokens, place.end) }];
  });
}

/** The same piece with the plain words right before it, as far as they belong to it: "password" of "the wifi password". */
export function widen(span: Span, request: string, cues: ReadonlySet<string>): Span {
  if (!/^[\p{Script=Latin} '’-]+$/u.test(span.text)) return span;
  const [, ...words] = [...request.slice(0, span.start).matchAll(/[^\s]+/g)];
  let start = span.start;
  for (const { 0: word, index } of words.reverse()) {
    if (!/^[\p{Script=Latin}'’-]+$/u.test(word) || BEFORE_A_PHRASE.test(word) || cues.has(word.toLowerCase())) break;
    start = index;
  }
  return spanOf(request, start, span.end);
}

const BEFORE_A_PHRASE =
  /^(?:an?|the|my|your|his|her|its|our|their|in|on|at|to|for|of|from|with|about|as|by|that|is|are|was|were|be|and|or|me|you|him|them|it|what|which|who|when|where|how|here|there|this|do|does|did|have|has|will|would|can|could|say|says|saying|tell|called|named)$/i;

/** No value begins or ends with a question. */
function asks({ cue }: Token): boolean {
  return /^(?:怎么样|怎么|什么|哪里|哪儿|多少|如何)$/.test(cue);
}

/** The edge of the text says less than a word; alone it says enough only when other arguments have been found. */
const EDGE_COUNTS = 0.5;

/** How many cues are the same, counted from the value outwards. A word for a day may stand on one side only. */
function shared(example: readonly string[], request: readonly string[]): number {
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < example.length && j < request.length) {
    if (example[i] === request[j]) [count, i, j] = [count + (example[i] === EDGE ? EDGE_COUNTS : 1), i + 1, j + 1];
    else if (example[i] === DAY) i++;
    else if (request[j] === DAY) j++;
    else break;
  }
  return count;
}

/** Words that do the same work count as one: a copula, a preposition, a day, a comma; so does the edge of the text. */
const EDGE = '<edge>';
const DAY = '<day>';
const BREAK = '<break>';
const CUES: readonly (readonly [RegExp, string])[] = [
  [/^(?:is|are|was|equals|是|在|为|叫|=|:|：)$/, '<is>'],
  [/^(?:in|for|at|of|about|on)$/, '<preposition>'],
  [/^(?:今天|明天|后天|昨天|今晚|现在|today|tomorrow|tonight|now)$/, DAY],
  [/^[,，;；.。!！?？、]$/, BREAK],
];
/** Politeness and particles: they stand anywhere. */
const NO_CUE = /^(?:的|一下|[看查找问]下|帮我|给我|告诉我|请问|please)$/;

/** Words on each side of a value that are compared with those of an example. */
const MOST_CUES = 40;

/** Nearest first. */
function cuesBefore(tokens: readonly Token[], place: number): string[] {
  const from = tokens.findLastIndex(({ end }) => end <= place) + 1;
  const cues = tokens.slice(Math.max(0, from - MOST_CUES), from).map(({ cue }) => cue);
  return [...cues.reverse(), EDGE];
}

function cuesAfter(tokens: readonly Token[], place: number): string[] {
  const from = tokens.findIndex(({ start }) => start >= place);
  const cues = from < 0 ? [] : tokens.slice(from, from + MOST_CUES).map(({ cue }) => cue);
  while (cues.at(-1) === BREAK) cues.pop();
  return [...cues, EDGE];
}

interface Token {
  cue: string;
  start: number;
  end: number;
}

const TOKEN =
  /今天|明天|后天|昨天|今晚|现在|一下|[看查找问]下|帮我|给我|告诉我|请问|怎么样|怎么|什么|哪里|哪儿|多少|如何|\p{Script=Han}|[,，;；.。!！?？、:：=]|[\p{L}\p{M}\p{N}](?:[^\s\p{Script=Han}\p{P}=]|[-'’.@_/:](?=[\p{L}\p{N}]))*/gu;

/** Latin words (addresses and file names whole), single Han characters, and punctuation. */
function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: word, index }) => {
    const lower = word.toLowerCase();
    if (NO_CUE.test(lower)) return [];
    const cue = CUES.find(([pattern]) => pattern.test(lower))?.[1] ?? lower.replace(/(?<=[a-z]{3})(?:ing|s)$/, '');
    return [{ cue, start: index, end: index + word.length }];
  });
}

export function spanOf(request: string, start: number, end: number): Span {
  return { start, end, text: request.slice(start, end) };
}

/** Letters and digits only, in one width and case, and where each stands in the text. */
function lettersOf(text: string): { text: string; places: number[] } {
  let letters = '';
  const places: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const plain = text[index]!.normalize('NFKC').toLowerCase();
    if (!/^[\p{L}\p{M}\p{N}]+$/u.test(plain)) continue;
    letters += plain;
    for (let i = 0; i < plain.length; i++) places.push(index);
  }
  return { text: letters, places };
}

/** Whether a cut here would go through a Latin word or a number. */
function splitsWord(text: string, at: number): boolean {
  const isPart = (character: string | undefined) =>
    character !== undefined && /[\p{L}\p{N}]/u.test(character) && !/\p{Script=Han}/u.test(character);
  return isPart(text[at - 1]) && isPart(text[at]);
}
