/**
 * How well a piece of a request fits an argument of which only name, type and description are known. Labels are what the argument is
 * called (radius, 体重) and measured in (kg, 公斤); the nearer a label stands, the better. Scores can be compared with each other only.
 */

import type { JsonObject, ToolExample } from '../../kernel/types.ts';
import { type HanSlot, hanScore } from './han.ts';
import type { Kind, Piece } from './pieces.ts';
import { isAkin, isPlain, nameWords, type Word } from './words.ts';

export interface Slot extends HanSlot {
  name: string;
  property: JsonObject;
  required: boolean;
  labels: Label[];
  /** Words of name and description, for what kind of thing it is. */
  hints: Set<string>;
  /** The tool's examples give it. */
  isShown: boolean;
  /** Another argument takes the state or the country: a place is said in two. */
  splitsPlaces: boolean;
}
interface Label {
  /** One word; of Han, its characters. */
  text: string;
  weight: number;
  /** It stands behind its number: 12 feet, 30 公斤. */
  isUnit?: boolean;
}

/** Words that many arguments share: alone they say little. */
const VAGUE =
  /^(?:name|number|num|value|values|type|id|level|count|amount|total|list|array|data|info|information|detail|details|specific|given|optional|default|string|integer|float|boolean|format|e|g|etc|first|second|use|used|method|time|unit|units|system|result|results)$/;

const UNITS: readonly string[][] = [
  ['m', 'meter', 'meters', 'metre', 'metres', 'm/s', '米'],
  ['cm', 'centimeter', 'centimeters', '厘米'],
  ['km', 'kms', 'kilometer', 'kilometers', '公里'],
  ['kg', 'kilogram', 'kilograms', '公斤', '千克'],
  ['g', 'gram', 'grams', '克'],
  ['lb', 'lbs', 'pound', 'pounds', '磅'],
  ['ft', 'foot', 'feet', '英尺'],
  ['in', 'inch', 'inches'],
  ['mile', 'miles', 'mi'],
  ['s', 'sec', 'second', 'seconds', '秒'],
  ['min', 'minute', 'minutes', '分钟'],
  ['h', 'hour', 'hours', '小时'],
  ['day', 'days', '天'],
  ['year', 'years', '年'],
  ['hz', 'hertz'],
  ['k', 'kelvin'],
  ['c', 'celsius', '度', '摄氏度'],
  ['f', 'fahrenheit', '华氏度'],
  ['l', 'liter', 'liters', '升'],
  ['people', 'person', 'persons', 'guests', 'adults', '人', '人数', '个人'],
  ['元', '块', '金额'],
  ['bpm', 'tempo'],
  ['mpg', 'gallon'],
];

interface Argument {
  name: string;
  property: JsonObject;
  required: boolean;
}

/** Between an object and an argument inside it; a dot may stand in the name of an argument. */
export const WITHIN = '\0';

/** Those inside an object stand for it, as OBJECT WITHIN NAME; where the object does not say which of them it needs, it needs all. */
function argumentsOf(schema: JsonObject, nesting = 1): Argument[] {
  const needed = Array.isArray(schema.required) ? schema.required : undefined;
  return Object.entries((schema.properties ?? {}) as Record<string, JsonObject>).flatMap(([name, property]) => {
    const required = needed === undefined ? nesting === 0 : needed.includes(name);
    if (property.type !== 'object' || nesting === 0) return [{ name, property, required }];
    return argumentsOf(property, 0).map((inner) => ({
      ...inner,
      name: `${name}${WITHIN}${inner.name}`,
      required: required && inner.required,
    }));
  });
}

/** A label that several arguments share tells them apart no more. */
export function slotsOf(schema: JsonObject, examples: readonly ToolExample[] = []): Slot[] {
  const slots = argumentsOf(schema).map(({ name, property, required }): Slot => {
    const own = nameWords(name);
    const description = String(property.description ?? '').toLowerCase();
    const before = description.replace(/\b(?:default|defaults|e\.g|for example|such as|options?|format)\b.*$|(?:例如|比如|默认).*$/s, '');
    const prose = before.match(/[\p{Script=Latin}%$]+(?:\/s)?/gu) ?? [];
    const han = hanLabels(before);
    const labels: Label[] = [
      ...own
        .filter((text) => text.length === 1 || !isPlain(text))
        .map((text) => ({ text, weight: VAGUE.test(text) && own.length > 1 ? 0.45 : 1 })),
      ...han.map((text) => ({ text, weight: 1 })),
      ...prose.filter((text) => !isPlain(text) && !own.includes(text)).map((text) => ({ text, weight: VAGUE.test(text) ? 0.15 : 0.4 })),
    ];
    for (const group of UNITS)
      if (labels.some(({ text }) => group.includes(text))) for (const text of group) labels.push({ text, weight: 0.75, isUnit: true });
    return {
      name,
      property,
      required,
      labels,
      hints: new Set([...own, ...prose, ...han]),
      about: `${name} ${before}`,
      examples: examples.flatMap(({ arguments: given }) => (typeof given[name] === 'string' ? [given[name]] : [])),
      isShown: examples.some(({ arguments: given }) => given[name] !== undefined),
      role: roleOf(own, before),
      splitsPlaces: false,
    };
  });
  const places = slots.filter((slot) => slot.role === 'none' && isPlace(slot));

  return slots.map((slot) => ({
    ...slot,
    splitsPlaces: places.length > 1,
    labels: slot.labels.map(({ text, weight, isUnit = false }) => {
      const isShared = slots.some((other) => other !== slot && other.labels.some((one) => one.text === text && one.weight >= weight));
      return { text, isUnit, weight: isShared && text !== slot.name.toLowerCase() ? weight * 0.4 : weight };
    }),
  }));
}

/** 墙的长度 is called 长度 and 长, 城市名 is called 城市. */
function hanLabels(description: string): string[] {
  const parts = (description.match(/\p{Script=Han}+/gu) ?? [])
    .map((part) => part.split('的').at(-1)!)
    .filter((part) => /^.{1,4}$/u.test(part));
  return [...new Set(parts.flatMap((part) => [part, part.replace(/(?<=.)(?:度|名|号|数|金额)$/u, '')]))];
}

function roleOf(words: readonly string[], description: string): Slot['role'] {
  const name = words.join(' ');
  if (/\b(?:from|origin|start|starting|source|departure|base|begin|check ?in)\b/.test(name)) return 'from';
  if (/\b(?:to|destination|end|ending|target|arrival|dest|finish|check ?out)\b/.test(name)) return 'to';
  return /出发|起点|上车|原来|原先/.test(description) ? 'from' : /到达|终点|下车|换成|目标|目的/.test(description) ? 'to' : 'none';
}

/** Words between a label and its value that only join them. */
const JOINS = /^(?:is|are|of|as|=|:|：|the|a|an|was|be|equals|named|called|'|"|“|‘|\[|\(|为|是|的|在|到|\$)$/;
/** Before a number these join, too; before a text they begin another part of the sentence. */
const PREPOSITIONS = /^(?:at|about|to|with|by|for|in|on|from|near|around)$/;

/** The nearest label before the piece, else behind it; other values between them block the view. */
export function labelScore(slot: Slot, piece: Piece, words: readonly Word[], pieces: readonly Piece[]): number {
  const scores = slot.labels.map((label) => {
    let best = 0;
    for (const place of placesOf(label.text, words)) {
      if (place.start >= piece.start && place.end <= piece.end) {
        if (piece.kind === 'name' && label.weight >= 0.4) best = Math.max(best, 1.5 * label.weight);
        continue;
      }
      const isBefore = place.end <= piece.start;
      if (isBefore && label.isUnit && piece.numbers) continue;
      const [from, to] = isBefore ? [place.end, piece.start] : [piece.end, place.start];
      if (from > to) continue;
      const blocked = pieces.some(
        (one) => one !== piece && one.kind === piece.kind && one.kind !== 'words' && one.start >= from && one.end <= to,
      );
      if (blocked) continue;
      let gap = 0;
      for (const { text, start, end } of words) {
        if (start < from || end > to || JOINS.test(text)) continue;
        if (PREPOSITIONS.test(text)) gap += piece.numbers ? 0 : 2.5;
        else
          gap += /^[,，;；]$/.test(text)
            ? piece.kind === 'name'
              ? 0.5
              : 1.5
            : /^(?:and|or|和)$/.test(text)
              ? 1.5
              : /^[.?!。]$/.test(text)
                ? 6
                : 1;
      }
      best = Math.max(best, label.weight * (isBefore ? 3 - 0.5 * gap : 2.7 - 0.9 * gap));
    }
    return best;
  });
  scores.sort((a, b) => b - a);
  return (scores[0] ?? 0) + 0.3 * (scores[1] ?? 0);
}

interface Place {
  start: number;
  end: number;
}
/** A request is asked about the same labels again and again. */
const places = new WeakMap<readonly Word[], Map<string, Place[]>>();

function placesOf(label: string, words: readonly Word[]): Place[] {
  const known = places.get(words) ?? new Map<string, Place[]>();
  places.set(words, known);
  const found = known.get(label) ?? findPlaces(label, words);
  known.set(label, found);
  return found;
}

function findPlaces(label: string, words: readonly Word[]): Place[] {
  if (label.length === 1 && /\p{Script=Latin}/u.test(label)) {
    return words.filter(({ text }, at) => text === label && (label !== 'a' || /^(?:=|is)$/.test(words[at + 1]?.text ?? '')));
  }
  if (!/\p{Script=Han}/u.test(label))
    return words.filter(({ text }) => !isPlain(text) && (isAkin(text, label) || (label.length >= 4 && text.startsWith(label))));
  const characters = [...label];
  return words.flatMap((_, at) => {
    const found = characters.every((character, i) => words[at + i]?.text === character);
    return found ? [{ start: words[at]!.start, end: words[at + characters.length - 1]!.end }] : [];
  });
}

const PLACE = /^(?:location|city|country|state|place|address|region|area|county|district|town|airport|station|court|城市|地点|地址)$/;
const PERSON = /^(?:actor|author|artist|player|person|director|singer|composer|athlete|scientist|celebrity|leader|歌手|作者|收件人)$/;
const CALLED =
  /^(?:company|brand|team|museum|game|book|event|movie|film|title|song|stock|store|invention|theory|topic|restaurant|hotel|name|school|item|work|text|message|query|sentence|content|artwork|album)$/;
const DATED = /^(?:date|day|when|month|deadline|birthday|日期|哪一天)$/;
const CODED = /^(?:id|code|docket|number|identifier|serial|isbn|单号|运单号|手机号)$/;

export function isPlace({ name }: Pick<Slot, 'name'>): boolean {
  return nameWords(name).some((word) => PLACE.test(word));
}

const BASE: Readonly<Record<Kind, number>> = {
  number: 0,
  list: 0,
  quoted: 1,
  date: 0,
  code: 0.5,
  formula: 0.5,
  name: 0.8,
  words: 0.3,
  place: 0,
  title: 0.2,
};

/** What a text is, by its form and the word before it, against what the argument is called. */
export function kindScore(slot: Slot, piece: Piece, request: string): number {
  const { hints, role, name, splitsPlaces } = slot;
  const { kind, start, text } = piece;
  const own = nameWords(name);
  const has = (pattern: RegExp) => (own.some((word) => pattern.test(word)) ? 1 : [...hints].some((word) => pattern.test(word)) ? 0.6 : 0);
  const before = request.slice(0, start).trimEnd().toLowerCase();
  const follows = (pattern: RegExp) => pattern.test(before);
  const place = has(PLACE);
  const isDated = own.some((word) => DATED.test(word)) || /日期|哪天|哪一天|月份|时间/.test(slot.about);
  let score = BASE[kind];
  if (kind === 'words' && /\p{Script=Han}/u.test(text)) return isDated ? -3 : BASE.words + hanScore(slot, piece, request);
  if (kind === 'date') {
    score = isDated || own.includes('time') ? 3 : -3;
    const [isHour, wantsHour] = [/\d:\d|点|\d\s*[ap]\.?m/i.test(text), own.includes('time') || /时间|几点/.test(slot.about)];
    if (score > 0 && isHour !== wantsHour) score -= 0.7;
  } else if (isDated) score -= 2;
  if (kind === 'place') score = place > 0 && !splitsPlaces ? 0.9 + 0.8 * place : -3;
  if (kind === 'name') score += 0.8 * place + Math.max((text.includes(' ') ? 1.6 : 1.2) * has(PERSON), place > 0 ? 0 : 0.9 * has(CALLED));
  if (place > 0 && follows(/\b(?:in|near|at|around|from|to|for|within)(?: the)?$/))
    score += (follows(/\bat(?: the)?$/) ? 0.8 : 1.2) * place;
  if (splitsPlaces && kind === 'name') {
    const isLarge = own.some((word) => /^(?:country|state)$/.test(word));
    if (/^, \p{Lu}/u.test(request.slice(piece.end))) score += isLarge ? -1 : 1;
    else if (/\p{Lu}[\p{L} ]*,$/u.test(request.slice(0, start).trimEnd())) score += isLarge ? 1 : -1;
  }
  if (place > 0 && kind === 'words') score -= 0.8; // English places have capitals
  if (has(/^(?:company|brand|team|organization|league|club)$/) > 0 && follows(/\b(?:of|for|by)(?: the)?$/)) score += 0.6;
  if (kind === 'number' && own.includes('year')) score += /^(?:1\d|20)\d\d$/.test(text) ? 2.5 : -2;
  if (role !== 'none') {
    const isFrom = follows(/\b(?:from|between)(?: the)?$/);
    const isTo = follows(/\b(?:to|into|and)(?: the)?$/);
    const [mine, others] = role === 'from' ? [isFrom, isTo] : [isTo, isFrom];
    score += mine ? 2.5 : others ? -2.2 : 0;
  }
  if (has(PERSON) > 0 && follows(/\b(?:by|starring|of|player|author|actor|artist)$/)) score += 1;
  if (kind !== 'date' && follows(/\d[\s°]*$/)) score -= 1; // a unit
  if (kind === 'title') score += 0.9 * has(CALLED);
  if (kind === 'quoted') score += 1.2 * has(CALLED);
  if (kind === 'code') score += 2.2 * has(CODED);
  if (kind === 'formula') score += 3 * has(/^(?:function|expression|equation|formula|polynomial)$/);
  return score;
}
