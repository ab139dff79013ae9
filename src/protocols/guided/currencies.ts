/** Currencies as people name them, in both languages, and the codes that tools take. */

import { type Span, spanOf } from './spans.ts';

const NAMES: Readonly<Record<string, string>> = {
  CAD: 'canadian dollars?|加元|加拿大元',
  AUD: 'australian dollars?|澳元',
  HKD: 'hong kong dollars?|港币|港元',
  SGD: 'singapore dollars?|新加坡元|新元',
  NZD: 'new zealand dollars?|新西兰元',
  TWD: '(?:new )?taiwan dollars?|新台币|台币',
  USD: '(?:u\\.?s\\.? |american )?dollars?|美元|美金',
  EUR: 'euros?|欧元',
  GBP: '(?:british )?pounds?(?: sterling)?|英镑',
  JPY: '(?:japanese )?yen|日元',
  CNY: '(?:chinese )?(?:yuan|renminbi)|rmb|人民币',
  KRW: '(?:south )?(?:korean )?won|韩元',
  INR: '(?:indian )?rupees?|卢比',
  CHF: 'swiss francs?|瑞士法郎',
  RUB: '(?:russian )?roubles?|(?:russian )?rubles?|卢布',
  THB: '(?:thai )?baht|泰铢',
  MXN: '(?:mexican )?pesos?|比索',
  BRL: '(?:brazilian )?(?:real|reais)|雷亚尔',
  SEK: 'swedish kron(?:a|or)|瑞典克朗',
};
const NAMED = new RegExp(
  Object.entries(NAMES)
    .map(([code, names]) => `(?<${code}>(?<!\\p{Script=Latin})(?:${code}|${names})(?!\\p{Script=Latin}))`)
    .join('|'),
  'giu',
);

/** Where the request names a currency, and its code. */
export function currenciesIn(request: string): (Span & { code: string })[] {
  return [...request.matchAll(NAMED)].map(({ 0: text, index, groups = {} }) => ({
    ...spanOf(request, index, index + text.length),
    code: Object.keys(groups).find((code) => groups[code] !== undefined)!,
  }));
}
