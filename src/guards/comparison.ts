/**
 * Comparison requests: the user asks for the earliest, the cheapest, the nearest of a list that a tool gave. Where it is clear by which
 * field the list is to be judged, an answer that names another item, or hands the whole list on, goes back to the model once. It speaks
 * only when it is sure: a condition beside the wish ("after ten", "with a pool"), two wishes, two fields or two lists make it silent.
 */

import type { Rule, State } from '../kernel/types.ts';
import { type Item, listsIn } from './lists.ts';
import { numbersOf } from './numbers.ts';
import { clausesOf, ownSentences } from './sentences.ts';
import { type Judged, judge, type Wish, wishOf } from './wishes.ts';

const COMPARISON = 'comparison';
/** Characters that are looked at. */
const LOOKED_AT = { request: 1_000, answer: 20_000 };
/** Candidates that the model is told. */
const TOLD = 3;

/** A before-finish rule. */
export const comparisonRule: Rule = function comparison(state) {
  const numbers = numbersOf(state);
  const { answer, answer_by, output_schema, protocol, trips, step, limits } = state;
  if (!answer || answer_by === 'rail' || output_schema || protocol === 'guided' || !numbers.comparison) return undefined;
  if ((trips[COMPARISON] ?? 0) >= numbers.answer_returns || step >= limits.max_steps) return undefined;
  const message = wrongChoice(state, answer.slice(0, LOOKED_AT.answer));
  return message === undefined
    ? undefined
    : { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: COMPARISON, verdict: 'nudge', message } }] };
};

/** What the model is told; undefined = the answer may be right. */
function wrongChoice(state: State, answer: string): string | undefined {
  const at = state.messages.findLastIndex((message) => message.role === 'user');
  const lists = listsIn(state.messages.slice(at + 1));
  if (lists.length === 0) return undefined;
  const request = (state.messages[at]?.content ?? '').slice(0, LOOKED_AT.request);
  const wish = wishOf(request);
  if (!wish) return undefined;
  const judged = lists.flatMap((list) => judge(list, wish, request) ?? []);
  const [found] = judged;
  if (!found || judged.length > 1) return undefined;
  if (isRight(found, answer)) return undefined;
  return told(found, wish, state);
}

// ---- the answer ------------------------------------------------------------------------------------------

/** Words by which a text chooses. */
const CHOOSES =
  /earliest|soonest|\bfirst\b|\blast\b|latest|newest|recent|cheapest|lowest|least|expensive|highest|fastest|quickest|shortest|slowest|longest|nearest|closest|farthest|furthest|\bbest\b|\bmost\b|largest|biggest|smallest|fewest|recommend|suggest|choose|chosen|pick|\bgo with\b|最|首选|推荐|建议|选择|选/iu;

function isRight({ items, best }: Judged, answer: string): boolean {
  const named = namedIn(items, answer);
  if (named.length === 0) return true; // in other words, or not at all: who knows
  const isBest = (item: Item) => best.includes(item);
  if (!named.some(isBest)) return false;
  if (named.length <= best.length) return true;
  const chosen = ownSentences(answer)
    .flatMap(clausesOf)
    .filter((clause) => CHOOSES.test(clause))
    .flatMap((clause) => namedIn(items, clause));
  if (chosen.length > 0) return chosen.some(isBest);
  return named.length < items.length || items.length < 3 || isBest(firstNamed(named, answer));
}

function namedIn(items: readonly Item[], text: string): Item[] {
  return items.filter((item) => item.names.some((name) => placeOf(name, text) >= 0));
}

/** A list that begins with the right one is one in order. */
function firstNamed(named: readonly Item[], answer: string): Item {
  const place = (item: Item) => Math.min(...item.names.map((name) => placeOf(name, answer)).filter((at) => at >= 0));
  return [...named].sort((a, b) => place(a) - place(b))[0]!;
}

/** As a whole word, in any letter case. */
function placeOf(name: string, text: string): number {
  const plain = text.normalize('NFKC').toLowerCase();
  for (let at = plain.indexOf(name); at >= 0; at = plain.indexOf(name, at + 1)) {
    if (!joins(plain[at - 1], name[0]) && !joins(plain[at + name.length], name.at(-1))) return at;
  }
  return -1;
}

function joins(outside: string | undefined, inside: string | undefined): boolean {
  const isWord = (sign: string | undefined) => sign !== undefined && /[\p{L}\p{N}]/u.test(sign) && !/\p{Script=Han}/u.test(sign);
  return isWord(outside) && isWord(inside);
}

// ---- the message -----------------------------------------------------------------------------------------

/** Words of strangers do not become words of the framework: of their items only places and values are told. */
function told({ ordered, field, list }: Judged, { words }: Wish, { language }: State): string {
  const text = TEXT[language];
  const name = (item: Item) => (list.untrusted ? text.item(item.index + 1) : item.label);
  const value = (item: Item) => String(item.shown(field)).slice(0, 40);
  const candidates = ordered
    .slice(0, TOLD)
    .map((item) => `${name(item)} (${list.untrusted ? value(item).replace(/[^\d\s.,:¥$€£/-]/g, '') : value(item)})`);
  return text.nudge(words, list.untrusted ? '' : field, list.tool, candidates.join(text.comma));
}

const TEXT = {
  en: {
    item: (place: number) => `item ${place} of the list`,
    comma: ', ',
    nudge: (words: string, field: string, tool: string, candidates: string) =>
      `The user asked for "${words}", and your answer does not name that one. In the result of ${tool}, in order${field && ` by ${field}`}: ${candidates}. Decide once more on these data and answer with the one that fits; if you chose another for a reason, say the reason.`,
  },
  zh: {
    item: (place: number) => `列表第 ${place} 项`,
    comma: '、',
    nudge: (words: string, field: string, tool: string, candidates: string) =>
      `用户要的是“${words}”，而你的回答没有指出那一个。${tool} 的结果${field && `按 ${field} `}排序为：${candidates}。请依据这些数据再判断一次，给出符合要求的那一个；如果有理由选别的，就说明理由。`,
  },
} as const;
