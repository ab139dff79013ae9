/** What "the earliest" and its like ask for: by which field of a list, and which end of it. */

import type { Item, List } from './lists.ts';

export interface Wish {
  /** As the user said it. */
  words: string;
  /** What may be meant, in turn: 最近 is the nearest where there are distances, and the newest where there are dates. */
  by: readonly Want[];
}
interface Want {
  kind: Kind;
  end: 'least' | 'most';
  /** Of `named`: what the field is called. */
  noun?: string;
}
type Kind = 'moment' | 'price' | 'duration' | 'distance' | 'rating' | 'named';

export interface Judged {
  list: List;
  field: string;
  items: readonly Item[];
  /** The right ones: several when they are equal. */
  best: readonly Item[];
  /** Best first. */
  ordered: readonly Item[];
}

const want = (kind: Kind, end: Want['end']): Want => ({ kind, end });
const WISHES: readonly (readonly [RegExp, readonly Want[]])[] = [
  [
    /\b(?:earliest|soonest|first (?:train|flight|bus|ferry|departure|appointment|slot))\b|最早|最先|首班|头班|第一班/iu,
    [want('moment', 'least')],
  ],
  [
    /\b(?:latest|newest|most recent|last (?:train|flight|bus|ferry|departure))\b|最晚|最迟|末班|最后一班|最新|最近(?:一|的一)[次笔条封个期篇]/iu,
    [want('moment', 'most')],
  ],
  [
    /\b(?:cheapest|least expensive|lowest(?:[- ]priced| price| fare| cost))\b|最便宜|最低价|(?:价格?|票价|费用|单价)最低|最实惠|最省钱/iu,
    [want('price', 'least')],
  ],
  [/\b(?:most expensive|priciest|dearest|highest(?:[- ]priced| price| fare))\b|最贵|(?:价格?|票价)最高/iu, [want('price', 'most')]],
  [
    /\b(?:fastest|quickest|shortest (?:trip|journey|duration|ride|flight|time|travel))\b|最快|(?:用时|耗时|历时|时间|时长)最短/iu,
    [want('duration', 'least')],
  ],
  [
    /\b(?:slowest|longest (?:trip|journey|duration|ride|flight|time|travel))\b|最慢|(?:用时|耗时|历时|时间|时长)最长/iu,
    [want('duration', 'most')],
  ],
  [/\b(?:nearest|closest)\b|距离最近|离[^，。？?]{1,12}最近/iu, [want('distance', 'least')]],
  [/最近的/u, [want('distance', 'least'), want('moment', 'most')]],
  [/\b(?:farthest|furthest)\b|最远/iu, [want('distance', 'most')]],
  [/\b(?:(?:best|highest|top)[- ]rated|highest (?:rating|score))\b|(?:评分|评价|口碑|得分)最[高好]/iu, [want('rating', 'most')]],
];
/** With the name of the field: "the largest population", 人口最多, 温度最低. */
const NAMED: readonly (readonly [RegExp, Want['end']])[] = [
  [/\b(?:highest|largest|biggest|greatest|most)\s+(?<noun>[a-z]{4,20})\b|(?<zh>\p{Script=Han}{2})最[高大多]/iu, 'most'],
  [/\b(?:lowest|smallest|fewest|least)\s+(?<noun>[a-z]{4,20})\b|(?<zh>\p{Script=Han}{2})最[低小少]/iu, 'least'],
];
/** Conditions, order, refusals: then the end of the list need not be what is wanted. */
const CONDITION =
  /\b(?:after|before|between|under|below|over|above|at least|at most|less than|more than|within|without|except|excluding|but not|other than|second|third|next|direct|non-?stop|morning|afternoon|evening|night|noon|available|with|that has|which has|if|unless|compare|why|is it|is that|isn't|arriv\w*|each|every|top \d+|\d+ (?:cheapest|earliest|nearest|fastest|best))\b|以后|之后|以前|之前|以上|以下|以内|之内|不超过|超过|至少|至多|低于|高于|少于|多于|大于|小于|除了|不要|不含|直达|上午|下午|晚上|早上|早晨|中午|凌晨|傍晚|第[二三四五]|其次|有票|余票|可订|如果|比较|为什么|是不是|是否|哪几|前[二两三四五六七八九十\d]|到达|抵达|最[早晚]到|每|[两三四五六七八九十\d][个趟班家款]最|而且|并且又|又.{0,6}又/iu;

/** The one wish of a request; undefined = none, more than one, or with a condition. */
export function wishOf(request: string): Wish | undefined {
  const text = request.normalize('NFKC');
  const found = WISHES.flatMap(([pattern, by]) => {
    const words = pattern.exec(text)?.[0];
    return words === undefined ? [] : [{ words, by }];
  });
  const [first, second] = found.filter(({ by }, index) => !(by.length > 1 && index > 0)); // 离我最近的 is one wish
  if (second || CONDITION.test(text)) return undefined;
  return first ?? namedWish(text);
}

function namedWish(text: string): Wish | undefined {
  const found = NAMED.flatMap(([pattern, end]): Wish[] => {
    const match = pattern.exec(text);
    const noun = match?.groups?.noun ?? match?.groups?.zh;
    return noun === undefined ? [] : [{ words: match![0], by: [{ kind: 'named', end, noun: noun.toLowerCase() }] }];
  });
  return found.length === 1 ? found[0] : undefined;
}

// ---- the field -------------------------------------------------------------------------------------------

/** Names of fields, the surest first; what the second pattern names is something else. */
const FIELDS: Readonly<
  Record<Exclude<Kind, 'named'>, { names: readonly RegExp[]; not?: RegExp; read: (value: unknown) => number | undefined }>
> = {
  moment: {
    names: [
      /depart|leav|^dep$|^dep_|出发|发车|开车|起飞|始发/i,
      /start|begin|开始|起始/i,
      /time|date|when|_at$|^at$|created|published|updated|posted|时间|日期|时刻|发布|创建/i,
    ],
    not: /arriv|reach|^arr|end|until|duration|travel|elapsed|到达|抵达|结束|终|时长|耗时|历时|用时|zone/i,
    read: momentOf,
  },
  price: { names: [/price|fare|cost|价/i, /amount|fee|total|费|金额/i], read: numberOf },
  duration: { names: [/duration|travel_?time|elapsed|takes|时长|耗时|历时|用时/i, /minutes|hours|分钟|小时/i], read: durationOf },
  distance: { names: [/distance|距离/i, /km$|kilomet|met(?:er|re)s|miles|公里|千米/i], read: distanceOf },
  rating: { names: [/rating|评分/i, /score|stars|星级|得分|分数/i], read: numberOf },
};
/** What cannot be had is no choice. */
const STOCK = /avail|stock|seats?|left|remain|bookable|sold|status|open|余票|库存|剩余|有票|可订|状态|座/i;
const GONE = /^(?:0|false|no|none|无|没有|售罄|sold ?out|unavailable|closed|cancell?ed|候补|停运|取消)$/i;

/** The list by that wish; undefined = it is not clear. */
export function judge(list: List, { by }: Wish, request: string): Judged | undefined {
  const asked = request.normalize('NFKC').toLowerCase();
  if (list.items.some((item) => item.names.some((name) => asked.includes(name)))) return undefined;
  const judged = by.flatMap((one) => judgeBy(list, one, asked) ?? []);
  return judged.length === 1 ? judged[0] : undefined;
}

function judgeBy(list: List, { kind, end, noun }: Want, asked: string): Judged | undefined {
  const items = meant(list.items, asked);
  const fields = fieldsOf(items, kind, noun);
  const orders = fields.map(({ field, read }) => {
    const value = (item: Item) => read(item.values.get(field))!;
    const ordered = [...items].sort((a, b) => (end === 'least' ? value(a) - value(b) : value(b) - value(a)));
    return { list, field, items, ordered, best: ordered.filter((item) => value(item) === value(ordered[0]!)) };
  });
  const [first] = orders;
  if (first && kind === 'moment' && isMixed(items.map((item) => momentOf(item.values.get(first.field))!))) return undefined;
  const agree = orders.every(({ best }) => best.length === first!.best.length && best.every((item) => first!.best.includes(item)));
  if (!first || !agree || first.best.length === items.length || first.best.some(isGone)) return undefined;
  return first;
}

/** Those of a kind that the request names: "the earliest high-speed train" of all trains. */
function meant(items: readonly Item[], asked: string): readonly Item[] {
  for (const field of items[0]!.values.keys()) {
    const values = new Set(items.map((item) => String(item.values.get(field) ?? '').toLowerCase()));
    if (values.size < 2 || values.size === items.length) continue;
    const named = [...values].filter((value) => value.length >= 2 && asked.includes(value));
    if (named.length === 1) return items.filter((item) => String(item.values.get(field)).toLowerCase() === named[0]);
  }
  return items;
}

function fieldsOf(
  items: readonly Item[],
  kind: Kind,
  noun: string | undefined,
): { field: string; read: (value: unknown) => number | undefined }[] {
  const all = [...items[0]!.values.keys()];
  const having = (names: (field: string) => boolean, read: (value: unknown) => number | undefined) =>
    all
      .filter((field) => names(field) && items.every((item) => read(item.values.get(field)) !== undefined))
      .map((field) => ({ field, read }));
  if (kind === 'named') return having((field) => field.toLowerCase().replace(/[_-]/g, ' ').includes(noun!), numberOf);
  const { names, not, read } = FIELDS[kind];
  for (const pattern of names) {
    const found = having((field) => pattern.test(field) && !not?.test(field), read);
    if (found.length > 0) return kind === 'moment' && isDayApart(items, found) ? [] : found;
  }
  return [];
}

/** Times of day of several days: which is earlier stands in another field. */
function isDayApart(items: readonly Item[], found: readonly { field: string }[]): boolean {
  if (!found.every(({ field }) => items.every((item) => /^\d{1,2}:\d/.test(String(item.values.get(field)))))) return false;
  return [...items[0]!.values.keys()].some(
    (field) => /date|day|日期|天/i.test(field) && new Set(items.map((item) => item.values.get(field))).size > 1,
  );
}

/** Minutes of a day beside milliseconds of an age. */
function isMixed(moments: readonly number[]): boolean {
  return moments.some((moment) => moment < 10_000) && moments.some((moment) => moment >= 10_000);
}

function isGone({ values }: Item): boolean {
  return [...values].some(([field, value]) => STOCK.test(field) && GONE.test(String(value).trim()));
}

// ---- values ----------------------------------------------------------------------------------------------

/** 553, "¥553.5", "1,024 元". One number, no range. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > 30) return undefined;
  const numbers = value.replace(/,(?=\d{3}\b)/g, '').match(/\d+(?:\.\d+)?/g);
  return numbers?.length === 1 && !/[-–~]\s*\d/.test(value) ? Number(numbers[0]) : undefined;
}

/** A date with or without time, or a time of day, as milliseconds or minutes; one form in one list by what the values look like. */
function momentOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined;
  const time = /^\s*(\d{1,2})[:：](\d{2})(?:[:：]\d{2})?\s*([ap])?\.?m?\.?\s*$/i.exec(value);
  if (time) return ((Number(time[1]) % (time[3] ? 12 : 24)) + (time[3]?.toLowerCase() === 'p' ? 12 : 0)) * 60 + Number(time[2]);
  const date =
    /^\s*(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?(?:[T\s]+(\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?)\s*(Z|[+-]\d{2}:?\d{2})?)?\s*$/.exec(value);
  if (!date) return undefined;
  const [, year, month, day, clock = '00:00', zone = 'Z'] = date;
  const read = Date.parse(`${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}T${clock.padStart(5, '0')}${zone}`);
  return Number.isNaN(read) ? undefined : read;
}

/** "4h 28m", "4小时28分", "04:28" or a bare number, in minutes or whatever unit the list has. */
function durationOf(value: unknown): number | undefined {
  if (typeof value !== 'string') return numberOf(value);
  const parts =
    /^\s*(?:(\d+)\s*(?:d|days?|天)\s*)?(?:(\d+)\s*(?:h|hours?|hrs?|小时|时)\s*)?(?:(\d+)\s*(?:m|min|mins|minutes?|分钟?)?)?\s*$/i.exec(
      value,
    );
  if (parts && (parts[1] ?? parts[2])) return Number(parts[1] ?? 0) * 1440 + Number(parts[2] ?? 0) * 60 + Number(parts[3] ?? 0);
  const clock = /^\s*(\d{1,3}):(\d{2})\s*$/.exec(value);
  return clock ? Number(clock[1]) * 60 + Number(clock[2]) : numberOf(value);
}

/** In metres; a bare number in the unit of the list. */
function distanceOf(value: unknown): number | undefined {
  const number = numberOf(value);
  if (number === undefined || typeof value === 'number') return number;
  if (/km|公里|千米/i.test(String(value))) return number * 1000;
  return /mi(?:les?)?\b|英里/i.test(String(value)) ? number * 1609 : number;
}
