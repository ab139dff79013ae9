/**
 * Which tools fit a request: BM25 over what tools say of themselves, for English and Chinese. No model is asked. `selectTools` goes by
 * their own words; `preselect` also by meanings, so that words of another language, or others for the same, find a tool.
 */

import type { JsonObject, ToolInfo } from '../kernel/types.ts';
import { meaningsOf } from './glossary.ts';
import { isOneHan, rootOf, saysNothing, wordsOf, wordsOfName } from './words.ts';

export interface Ranked {
  tool: ToolInfo;
  /** 0 = nothing of the request points to this tool; scores of one call can be compared with each other only. */
  score: number;
  /** How many words of the request point to this tool. */
  matches: number;
}

/** Characters of a request, and of a description, that are looked at. */
const LOOKED_AT = 10_000;
/** How often a word of each field counts: names and keywords are chosen to be searched, descriptions are prose. */
const WEIGHTS = { name: 2, keywords: 2, examples: 0.5, description: 0.5, argument: 0.3, aboutArgument: 0.1 };
/** Of words within quotes and title marks: they are handed on, and say little of what is to be done. */
const QUOTED = 0.3;
/** Too common to be looked for, but what they ask for is telling: a person, a day, a place. */
const QUESTION_WORDS = /\b(?:who|when|where)\b/g;
const IN_QUOTES = /《[^《》]*》|“[^“”]*”|"[^"]*"|「[^「」]*」/g;

// ---- by their own words ------------------------------------------------------------------------------------

/** All tools, best first; tools of equal score keep their order. */
export function selectTools(request: string, tools: readonly ToolInfo[]): Ranked[] {
  return byWords(new Map(wordsOf(request.slice(0, LOOKED_AT)).map((word) => [word, 1])), tools);
}

const byWords = createRanking(countWords, { saturation: 1.2, lengthPenalty: 0.4 });

function countWords(tool: ToolInfo): { counts: Map<string, number>; length: number } {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    const isChosen = text === tool.keywords;
    for (const word of wordsOf(text)) {
      if (!isChosen && saysNothing(word)) continue;
      if (isOneHan(word) && !text.split(' ').includes(word)) continue;
      const counted = saysNothing(word) ? weight / 2 : weight;
      counts.set(word, (counts.get(word) ?? 0) + counted);
      length += counted;
    }
  };
  for (const [text, weight] of fieldsOf(tool)) add(text, weight);
  return { counts, length };
}

function fieldsOf(tool: ToolInfo): [text: string, weight: number][] {
  return [
    [wordsOfName(tool.name), WEIGHTS.name],
    [tool.keywords ?? '', WEIGHTS.keywords],
    [withoutWhenNot(tool.description.slice(0, LOOKED_AT)), WEIGHTS.description],
    ...(tool.examples ?? []).map(({ request }): [string, number] => [request, WEIGHTS.examples]),
  ];
}

/** How much two tools say the same, from 0 to 1: the cosine of their words that tell something. Two that are alike are easily confused. */
export function likeness(one: ToolInfo, other: ToolInfo): number {
  const words = (tool: ToolInfo) => new Map([...countWords(tool).counts].filter(([word]) => /^\p{L}/u.test(word)));
  const length = (counts: Map<string, number>) => Math.sqrt([...counts.values()].reduce((sum, count) => sum + count ** 2, 0));
  const [a, b] = [words(one), words(other)];
  const shared = [...a].reduce((sum, [word, count]) => sum + count * (b.get(word) ?? 0), 0);
  return shared === 0 ? 0 : shared / (length(a) * length(b));
}

/** A description without its sentences that say what the tool is not for: their words would point to it. */
export function withoutWhenNot(description: string): string {
  return description.replace(/(?=not |do not|不)(?<=^|[.;。；]\s*)(?:not (?:for|when|to)\b|do not use|不)[^.;。；]*[.;。；]?/gi, '');
}

// ---- by meanings, too --------------------------------------------------------------------------------------

/** The `count` tools that fit best, whatever language they and the request are in. Arguments count as well. */
export function preselect(request: string, tools: readonly ToolInfo[], count: number): ToolInfo[] {
  const looked = request.slice(0, LOOKED_AT);
  const asked = new Map<string | number, number>();
  const ask = (text: string, weight: number) => {
    for (const [term, telling] of termsOf(text, text.toLowerCase().match(QUESTION_WORDS) ?? []))
      asked.set(term, Math.max(asked.get(term) ?? 0, weight * telling));
  };
  ask(looked.replace(IN_QUOTES, ' '), 1);
  for (const [quoted] of looked.matchAll(IN_QUOTES)) ask(quoted, QUOTED);
  return byMeanings(asked, tools)
    .slice(0, count)
    .map(({ tool }) => tool);
}

const byMeanings = createRanking(countTerms, { saturation: 1, lengthPenalty: 0.7 });

function countTerms(tool: ToolInfo): Counted {
  const counts = new Map<string | number, number>();
  let length = 0;
  for (const [text, weight] of [...fieldsOf(tool), ...argumentsOf(tool)]) {
    for (const [term, telling] of termsOf(text)) {
      counts.set(term, (counts.get(term) ?? 0) + weight * telling);
      if (typeof term === 'string') length += weight * telling;
    }
  }
  return { counts, length };
}

function argumentsOf({ input_schema: { properties = {} } }: ToolInfo): [text: string, weight: number][] {
  return Object.entries(properties as JsonObject).flatMap(([name, schema]): [string, number][] => {
    const { description, enum: values } = (typeof schema === 'object' ? schema : {}) as JsonObject;
    const texts = [description, ...(Array.isArray(values) ? values : [])].filter((text) => typeof text === 'string');
    return [
      [wordsOfName(name), WEIGHTS.argument],
      [texts.join(' . ').slice(0, LOOKED_AT), WEIGHTS.aboutArgument],
    ];
  });
}

/** Roots of words, and meanings by their numbers, each with how much it tells. */
function termsOf(text: string, more: readonly string[] = []): Map<string | number, number> {
  const terms = new Map<string | number, number>();
  const words = wordsOf(text).map(rootOf);
  for (const word of words) if (!saysNothing(word) && !isOneHan(word)) terms.set(word, (terms.get(word) ?? 0) + 1);
  for (const meanings of meaningsOf(text, [...words, ...more])) {
    for (const meaning of meanings) terms.set(meaning, (terms.get(meaning) ?? 0) + 1 / Math.sqrt(meanings.length));
  }
  return terms;
}

// ---- ranking -----------------------------------------------------------------------------------------------

interface Counted {
  counts: ReadonlyMap<string | number, number>;
  length: number;
}

/** BM25. `saturation`: how soon repeated terms stop counting; `lengthPenalty`: how much longer texts are held back. */
function createRanking(count: (tool: ToolInfo) => Counted, { saturation, lengthPenalty }: { saturation: number; lengthPenalty: number }) {
  const counted = new WeakMap<ToolInfo, Counted>();
  /** A run asks about the same list again and again. */
  const indexes = new WeakMap<readonly ToolInfo[], Index>();
  const countedOf = (tool: ToolInfo) => counted.get(tool) ?? remembered(counted, tool, count(tool));
  return (asked: ReadonlyMap<string | number, number>, tools: readonly ToolInfo[]): Ranked[] => {
    const { texts, averageLength, found } = indexes.get(tools) ?? remembered(indexes, tools, indexOf(tools.map(countedOf)));
    const scored = tools.map((tool, index): Ranked => {
      const { counts, length } = texts[index]!;
      const norm = saturation * (1 - lengthPenalty + (lengthPenalty * length) / averageLength);
      let score = 0;
      let matches = 0;
      for (const [term, weight] of asked) {
        const times = counts.get(term);
        if (times === undefined) continue;
        matches++;
        const rarity = Math.log(1 + (tools.length - found.get(term)! + 0.5) / (found.get(term)! + 0.5));
        score += (weight * rarity * times * (saturation + 1)) / (times + norm);
      }
      return { tool, score, matches };
    });
    return scored.sort((a, b) => b.score - a.score);
  };
}

interface Index {
  texts: Counted[];
  averageLength: number;
  /** In how many tools a term is found. */
  found: Map<string | number, number>;
}

function indexOf(texts: Counted[]): Index {
  const found = new Map<string | number, number>();
  for (const { counts } of texts) for (const term of counts.keys()) found.set(term, (found.get(term) ?? 0) + 1);
  const averageLength = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length) || 1;
  return { texts, averageLength, found };
}

function remembered<Key extends object, Value>(cache: WeakMap<Key, Value>, key: Key, value: Value): Value {
  cache.set(key, value);
  return value;
}
