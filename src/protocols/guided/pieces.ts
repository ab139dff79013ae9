/** What of a request may be a value, by its form alone: numbers, lists, quotations, dates, codes, names, and runs of plain words. */

import type { Span } from './spans.ts';
import { isPlain, requestWords } from './words.ts';

export type Kind = 'number' | 'list' | 'quoted' | 'date' | 'code' | 'formula' | 'name' | 'words' | 'place' | 'title';
export interface Piece extends Span {
  kind: Kind;
  /** Of a number, or of each in a list. */
  numbers?: number[];
  /** The sign or word that scales or prices it: %, $, million, 万. */
  sign?: string;
}

/** `numbersInLists`: "1, 2 and 3" is one list; otherwise three numbers. */
export function piecesOf(request: string, numbersInLists = true): Piece[] {
  const pieces: Piece[] = [];
  const add = (found: Piece[]) => {
    for (const one of found) if (!pieces.some((other) => one.start < other.end && other.start < one.end)) pieces.push(one);
  };
  add(byPattern(request, 'quoted', QUOTED, 1));
  if (/\p{Script=Han}/u.test(request)) add(byPattern(request, 'quoted', FOREIGN));
  add(byPattern(request, 'date', DATE));
  if (numbersInLists) add(lists(request));
  add(byPattern(request, 'formula', FORMULA));
  add(byPattern(request, 'code', CODE));
  const named = names(request).filter((one) => !pieces.some((other) => one.start < other.end && other.start < one.end));
  // Numbers stand in names ("S&P 500"), and are numbers all the same.
  add(numbers(request));
  pieces.push(...named, ...runs(request, [...pieces, ...named]));
  pieces.push(...joined(request, pieces));
  return pieces.sort((a, b) => a.start - b.start);
}

const QUOTED =
  /《([^》]+)》|“([^”]+)”|「([^」]+)」|"([^"]+)"|(?<![\p{L}\p{N}])'((?:[^']|'(?=\p{L}))+)'(?!\p{L})|(?<![\p{L}\p{N}])‘((?:[^’]|’(?=\p{L}))+)’/gu;
/** In a Chinese request, words of another language are taken as they are. */
const FOREIGN = /(?<![\p{L}\p{N}])\p{Script=Latin}+(?: [\p{Script=Latin}'’]+)+[.!?]?/gu;
const MONTH = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\\.?';
const DATE = new RegExp(
  [
    '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}',
    '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{4}',
    `\\b${MONTH}\\s*\\d{1,2}(?:st|nd|rd|th)?(?:(?:,\\s*|\\s+)\\d{4})?\\b`,
    `\\b\\d{1,2}(?:st|nd|rd|th)?\\s+(?:of\\s+)?${MONTH}(?:,\\s*|\\s+)\\d{4}\\b`,
    `\\b${MONTH}\\s+\\d{4}\\b`,
    '\\b(?:today|tomorrow|yesterday|tonight)\\b',
    '\\b(?:next|this|last|coming)\\s+(?:week(?:end)?|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b',
    '\\b\\d{1,2}:\\d{2}(?:\\s*[ap]\\.?m\\b)?|\\b\\d{1,2}\\s*[ap]\\.?m\\b',
    `(?:\\d{4}年)?(?:${'\\d{1,2}|[一二三四五六七八九十]{1,2}'})月(?:份|(?:\\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?(?!\\d)`,
    '大?[今明后昨前]天|[今明昨]晚|[今明去后]年|国庆节?|元旦|春节|中秋节?|端午节?|清明节|劳动节',
    '[上本这下]{0,2}(?:个)?(?:周|星期|礼拜)[一二三四五六日天末]|[上本这下]个?(?:星期|周|月)(?![一-龥]*[一二三四五六日天末])',
    '(?:凌晨|早上|上午|中午|下午|傍晚|晚上)?\\s*(?:\\d{1,2}|[一二两三四五六七八九十]{1,3})点(?:半|一刻|\\d{1,2}分)?(?!五?[度元])',
  ].join('|'),
  'giu',
);
const FORMULA = /(?<![\p{L}\d])\d*[a-z](?:\^|\*\*)\d+(?:\s*[-+*/]\s*(?:\d*[a-z](?:(?:\^|\*\*)\d+)?|\d+)(?![\p{L}\d]))*/giu;
/** Letters and digits in one word, or a number with a path: rs6034464, 2022/AL2562, 13812345678, 京A12345. */
const CODE =
  /[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z][A-Z\d]{5,6}(?![A-Za-z\d])|(?<![\p{Script=Latin}\p{N}_])(?=[\w/-]*\d)(?=[\w/-]*[A-Za-z_])(?!\d+(?:\.\d+)?[A-Za-z]{1,3}\b)(?!\d+(?:st|nd|rd|th|[-/]))[A-Za-z\d][\w/-]*[A-Za-z\d](?![\p{Script=Latin}\p{N}])|\b\d{4}\/[A-Z]+\d+\b|\b\d{4}[-/]\d{2,4}\b|(?<!\d)\d{9,}(?!\d)/gu;

function byPattern(request: string, kind: Kind, pattern: RegExp, grouped = 0): Piece[] {
  return [...request.matchAll(pattern)].map((match) => {
    const text = grouped ? match.slice(1).find((group) => group !== undefined)! : match[0];
    const start = match.index + match[0].indexOf(text);
    return { kind, text, start, end: start + text.length };
  });
}

const SCALES: Record<string, number> = {
  hundred: 100,
  thousand: 1e3,
  k: 1e3,
  million: 1e6,
  m: 1e6,
  billion: 1e9,
  b: 1e9,
  bn: 1e9,
  trillion: 1e12,
  百: 100,
  千: 1e3,
  万: 1e4,
  亿: 1e8,
};
const COUNTED =
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'.split(
    ' ',
  );
const HAN_DIGITS = '零一二三四五六七八九十';
const NUMBER = new RegExp(
  `(?<![\\p{Script=Latin}\\d_.^])(?:(?<![\\p{L}\\d)]|[\\d)] |(?<!\\p{L})\\p{L} )[-−])?([$€£¥])?(\\d{1,3}(?:,\\d{3})+|\\d+)(\\.\\d+)?(e[-+]?\\d+)?(?!\\d)(?:\\s*(%|％|percent\\b|hundred\\b|thousand\\b|million\\b|billion\\b|trillion\\b|[百千万亿])|(?<=[$€£¥][\\d.,]+)([kmb]|bn)\\b)?` +
    `|(?<!\\b(?:between|the|other|both|these) )\\b(${COUNTED.join('|')})\\b(?:\\s*(hundred|thousand|million|billion))?|百分之([${HAN_DIGITS}百]+)|(?<![两${HAN_DIGITS}])([两${HAN_DIGITS}]+[百千万亿][两${HAN_DIGITS}百千万亿]*|[两${HAN_DIGITS}]+(?=[个人位块元张份次年天月号米斤公遍杯只条间层岁倍居室晚瓶盒本]))`,
  'giu',
);

function numbers(request: string): Piece[] {
  return [...request.replace(/[０-９]/g, (digit) => digit.normalize('NFKC')).matchAll(NUMBER)].map((match) => {
    const [text, money, whole, fraction = '', power = '', scale, short, counted, times, percent, han] = match;
    const sign = (scale ?? short ?? times)?.toLowerCase();
    let value = whole !== undefined ? Number(`${whole.replaceAll(',', '')}${fraction}${power}`) : 0;
    if (counted) value = COUNTED.indexOf(counted.toLowerCase()) + 1;
    if (percent ?? han) value = hanNumber((percent ?? han)!);
    if (/^[-−]/.test(text)) value = -value;
    const piece: Piece = { kind: 'number', text, start: match.index, end: match.index + text.length, numbers: [value] };
    if (sign !== undefined && sign in SCALES) return { ...piece, numbers: [value * SCALES[sign]!], sign };
    return sign || money || percent ? { ...piece, sign: percent ? '%' : (sign?.replace(/percent|％/, '%') ?? money!) } : piece;
  });
}

/** 三十五, 一千二百, 八万五千; 两千五 stops at its last scale. */
function hanNumber(text: string): number {
  let [whole, section, digit] = [0, 0, 0];
  for (const character of text.replaceAll('两', '二')) {
    const scale = character === '十' ? 10 : SCALES[character];
    if (scale === undefined) digit = HAN_DIGITS.indexOf(character);
    else if (scale >= 1e4) [whole, section, digit] = [(whole + section + digit) * scale, 0, 0];
    else [section, digit] = [section + (digit || 1) * scale, 0];
  }
  return whole + section + digit;
}

/** [1, 2, 3], (1.5, -2), "1, 2 and 3", ['a', 'b']. */
function lists(request: string): Piece[] {
  const bracketed = [...request.matchAll(/\[[^[\]]*\]|\((?:\s*-?\d+(?:\.\d+)?\s*,)+\s*-?\d+(?:\.\d+)?\s*\)/g)];
  const loose = [
    ...request.matchAll(/(?<![\d.$-])-?\d+(?:\.\d+)?(?:(?:,\s*and|\s+and|,|，|、)\s*-?\d+(?:\.\d+)?(?![\d%.]*\d|\p{L}))+/gu),
  ].filter(({ 0: text }) => (text.match(/,(?!\d{3}(?!\d))|，|、|,\s/g) ?? []).length > 0);
  return [...bracketed, ...loose].map(({ 0: text, index }) => {
    const inside = text.match(/-?\d+(?:\.\d+)?/g) ?? [];
    const isNumeric = !/[\p{L}]/u.test(text.replace(/\band\b/g, ''));
    return { kind: 'list', text, start: index, end: index + text.length, ...(isNumeric ? { numbers: inside.map(Number) } : {}) };
  });
}

/** Runs of capitalised words, small words between them included; the first word of a sentence only where it asks for nothing. */
function names(request: string): Piece[] {
  const word = "\\p{Lu}[\\p{L}\\p{M}\\p{N}'’.&+-]*";
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])${word}(?:(?:\\s+(?:of|the|de|la|and the|vs)\\s+|\\s*&\\s*|\\s+)(?:${word}|(?!(?:19|20)\\d\\d\\b)\\d+(?![\\d.%]|\\s*\\p{Ll})))*`,
    'gu',
  );
  return [...request.matchAll(pattern)].flatMap(({ 0: found, index }) => {
    let start = index;
    let text = oneSentence(found)
      .replace(/['’]s?$/, '')
      .replace(/(?<!\b\p{Lu}|\bInc|\bSt|\bDr|\bMr|\bJr|\bCo|\bLtd)\.+$/u, '');
    while (
      isPlain(
        text
          .split(/\s/)[0]!
          .toLowerCase()
          .replace(/['’].*$/, ''),
      )
    ) {
      const rest = text.replace(/^\S+\s*/, '');
      if (rest === '') return [];
      start += text.length - rest.length;
      text = rest;
    }
    return [{ kind: 'name' as const, text, start, end: start + text.length }];
  });
}

/** "in Texas. Show me": the next sentence is no part of the name. */
function oneSentence(found: string): string {
  const [end] = [...found.matchAll(/\.\s+(\S+)/g)].filter(([, next]) => isPlain(next!.toLowerCase()));
  return end === undefined ? found : found.slice(0, end.index);
}

/** Plain words between those that only hold the sentence together. */
function runs(request: string, others: readonly Piece[]): Piece[] {
  const found: Piece[] = [];
  let open: Piece | undefined;
  for (const { text, start, end } of requestWords(request)) {
    const isPart = /\p{Script=Latin}/u.test(text) && !isPlain(text) && !others.some((one) => start < one.end && one.start < end);
    if (!isPart) open = undefined;
    else if (open && /^[\s-]*$/.test(request.slice(open.end, start))) {
      open.end = end;
      open.text = request.slice(open.start, end);
    } else {
      open = { kind: 'words', text: request.slice(start, end), start, end };
      found.push(open);
    }
  }
  return found;
}

/** Characters: " of the ". */
const LONGEST_JOIN = 8;

/** "theory of relativity"; "Denver, Colorado". */
function joined(request: string, pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((one) =>
    pieces.flatMap((other) => {
      const gap = other.start - one.end;
      if (gap <= 0 || gap > LONGEST_JOIN) return [];
      const between = request.slice(one.end, other.start);
      const isPlace = one.kind === 'name' && other.kind === 'name' && between === ', ';
      const isTitle = one.kind === 'words' && (other.kind === 'words' || other.kind === 'name') && /^ of (?:the )?$/.test(between);
      if (!isPlace && !isTitle) return [];
      const text = request.slice(one.start, other.end);
      return [{ kind: isPlace ? ('place' as const) : ('title' as const), text, start: one.start, end: other.end }];
    }),
  );
}
