/**
 * Which tools fit a request: BM25 over name, description, keywords and example requests, for English and Chinese.
 * No model is asked.
 */

import type { ToolInfo } from '../kernel/types.ts';
import { englishFor } from './glossary.ts';

export interface Ranked {
  tool: ToolInfo;
  /** 0 = nothing of the request points to this tool; scores of one call can be compared with each other only. */
  score: number;
  /** How many words of the request point to this tool. */
  matches: number;
}

/** BM25: how soon repeated words stop counting, and how much longer texts are held back. */
const SATURATION = 1.2;
const LENGTH_PENALTY = 0.4;
/** Characters of a request that are looked at. */
const LOOKED_AT = 10_000;
/** How often a word of each field counts: names and keywords are chosen to be searched, descriptions are prose. */
const WEIGHTS = { name: 2, keywords: 2, examples: 0.5, description: 0.5 };

/** All tools, best first; tools of equal score keep their order. */
export function selectTools(request: string, tools: readonly ToolInfo[]): Ranked[] {
  return rank(new Set(wordsOf(request.slice(0, LOOKED_AT))), tools);
}

/** The `count` tools that fit best. Unlike `selectTools`, Chinese words also find tools that are described in English only. */
export function preselect(request: string, tools: readonly ToolInfo[], count: number): ToolInfo[] {
  const looked = request.slice(0, LOOKED_AT);
  const words = new Set([...wordsOf(looked), ...wordsOf(englishFor(looked).join(' | '))]);
  return rank(words, tools)
    .slice(0, count)
    .map(({ tool }) => tool);
}

function rank(words: ReadonlySet<string>, tools: readonly ToolInfo[]): Ranked[] {
  const { texts, averageLength, found } = indexOf(tools);
  const scored = tools.map((tool, index): Ranked => {
    const { counts, length } = texts[index]!;
    const norm = SATURATION * (1 - LENGTH_PENALTY + (LENGTH_PENALTY * length) / averageLength);
    let score = 0;
    let matches = 0;
    for (const word of words) {
      const count = counts.get(word);
      if (count === undefined) continue;
      matches++;
      const rarity = Math.log(1 + (tools.length - found.get(word)! + 0.5) / (found.get(word)! + 0.5));
      score += (rarity * count * (SATURATION + 1)) / (count + norm);
    }
    return { tool, score, matches };
  });
  return scored.sort((a, b) => b.score - a.score);
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
  return description.replace(/(?<=^|[.;。；]\s*)(?:not (?:for|when|to)\b|do not use|不)[^.;。；]*[.;。；]?/gi, '');
}

interface Index {
  texts: { counts: Map<string, number>; length: number }[];
  averageLength: number;
  /** In how many tools a word is found. */
  found: Map<string, number>;
}
/** A run asks about the same list again and again. */
const indexes = new WeakMap<readonly ToolInfo[], Index>();

function indexOf(tools: readonly ToolInfo[]): Index {
  const known = indexes.get(tools);
  if (known) return known;
  const texts = tools.map(countWords);
  const found = new Map<string, number>();
  for (const { counts } of texts) for (const word of counts.keys()) found.set(word, (found.get(word) ?? 0) + 1);
  const averageLength = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length) || 1;
  const index = { texts, averageLength, found };
  indexes.set(tools, index);
  return index;
}

function countWords(tool: ToolInfo): Index['texts'][number] {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    const chosen = text === tool.keywords;
    for (const word of wordsOf(text)) {
      if (!chosen && saysNothing(word)) continue;
      if (isOneHan(word) && !text.split(' ').includes(word)) continue;
      const counted = saysNothing(word) ? weight / 2 : weight;
      counts.set(word, (counts.get(word) ?? 0) + counted);
      length += counted;
    }
  };
  add(tool.name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' '), WEIGHTS.name);
  add(tool.keywords ?? '', WEIGHTS.keywords);
  add(withoutWhenNot(tool.description), WEIGHTS.description);

  for (const example of tool.examples ?? []) add(example.request, WEIGHTS.examples);
  return { counts, length };
}

/** Forms that say more than their letters: an address, a file name, arithmetic, numbers. They meet the same forms in a tool's examples. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/\S+/gi, '<url>'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '<address>'],
  [/(?:[\w\p{Script=Han}.-]+\/)*[\w\p{Script=Han}-]+\.[a-z]{1,4}\b|(?:[\w.-]+\/)+[\w.-]*/giu, '<file>'],
  [/[\d)）]\s*[-+*/×÷^＋－＊／%]\s*(?=[\d(（])/g, '<operator>'],
];
/** Words of these say nothing alone; in pairs ("how much", "who are") they may. */
const NEVER_TELLING = new Set(
  `a an the is are was were be been am do does did can could will would of to in on at by for with from and or if it its this that these
  those i you he she we they your our his her me us them what which who how when where why please so just not no as much
  many about tell use any some all every other more than then there here also only give gives get need want like know`.split(/\s+/),
);

/** Latin words without their endings and in pairs, Han characters one by one and in pairs, and the shapes. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let rest = text.normalize('NFKC');
  for (const [shape, name] of SHAPES) {
    rest = rest.replace(shape, (whole) => {
      words.push(name);
      return name === '<operator>' ? whole : ' ';
    });
  }
  const numbers = rest.match(/\d+(?:[.,]\d+)*/g)?.length ?? 0;
  if (numbers > 0) words.push('<number>');
  if (numbers > 1) words.push('<numbers>');
  let before = '';
  for (const [run] of rest.toLowerCase().matchAll(/\p{Script=Han}+|[\p{L}\p{M}]+(?:'[a-z]+)?|[^\s'’]/gu)) {
    if (/\p{Script=Han}/u.test(run)) words.push(...hanWords(run));
    if (!/^[\p{L}\p{M}']+$/u.test(run) || /\p{Script=Han}/u.test(run)) {
      before = '';
      continue;
    }
    const word = stem(run);
    if (!NEVER_TELLING.has(run)) words.push(word);
    if (before) words.push(`${before} ${word}`);
    before = word;
  }
  return words;
}

function hanWords(run: string): string[] {
  const characters = [...run];
  return [...characters, ...characters.slice(1).map((character, index) => characters[index]! + character)];
}

/** A pair of words of which neither says anything, or of Han characters of which one does not. */
function saysNothing(word: string): boolean {
  return (
    word.split(' ').every((part) => NEVER_TELLING.has(part)) || /^\p{Script=Han}*[一的了是我你帮给请吗呢么下]\p{Script=Han}*$/u.test(word)
  );
}

/** In a text one character is part of some word; only where it stands alone it is a word that was chosen. */
function isOneHan(word: string): boolean {
  return /^\p{Script=Han}$/u.test(word);
}

/** So that "raining" meets "rain", "notes" meets "note" and "o'clock" meets "clock". */
function stem(word: string): string {
  const plain = word.replace(/^[a-z]'(?=[a-z]{3})/, '').replace(/'[a-z]+$/, '');
  if (plain.length <= 3) return plain;
  return plain
    .replace(/(?:ies)$/, 'y')
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, '')
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
    .replace(/(?<=[a-z]{3})e$/, '');
}
