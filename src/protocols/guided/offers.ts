/** Which pieces of the request may be the value of an argument, and how well each fits it. */

import type { JsonObject } from '../../kernel/types.ts';
import { mention } from './choices.ts';
import { currenciesIn } from './currencies.ts';
import { inFormat } from './dates.ts';
import { isPlace, kindScore, labelScore, type Slot } from './fit.ts';
import { numberFor } from './fit-number.ts';
import type { Piece } from './pieces.ts';
import { findCopy, spanOf, trimmed } from './spans.ts';
import { isAkin, isPlain, nameWords, requestWords } from './words.ts';
import type { Offer, Work } from './work.ts';

/** One number in the request, one argument that takes a number, and the examples give it. */
const ONLY_ONE = 2.5;
const REQUIRED_FIRST = 0.4;
const BY_MODEL = 1.5;

export function offersFor(slot: Slot, slots: readonly Slot[], work: Work): Offer[] {
  const { type } = slot.property;
  if (slot.property.enum !== undefined || type === 'boolean' || type === 'object') return [];
  const row = slots.indexOf(slot);
  const offers =
    type === 'number' || type === 'integer'
      ? numberOffers(slot, slots, work)
      : type === 'array'
        ? listOffers(slot, work)
        : textOffers(slot, slots, work);
  const first = slot.required ? REQUIRED_FIRST : 0;
  const isOther = ({ span }: Bare) => span && slots.some((other) => other !== slot && isNameOf(span.text, other));
  return offers.map((offer, column) => ({
    ...offer,
    score: offer.score + first - (isOther(offer) ? 2 : 0),
    slot,
    order: Math.abs(row - column) * 100 + row,
  }));
}

/** "adults" names the argument of that name, and is no value of another. */
function isNameOf(text: string, { name }: Slot): boolean {
  const own = nameWords(name);
  return nameWords(text).every((word) => own.some((one) => isAkin(one, word)));
}

type Bare = Omit<Offer, 'slot' | 'order'>;
const BY_NAME = 'the part of the request that fits its name and description';

function numberOffers(slot: Slot, slots: readonly Slot[], work: Work): Bare[] {
  const numbers = work.pieces.filter(({ kind }) => kind === 'number');
  const isOnly = slot.isShown && numbers.length === 1 && slots.filter(isNumber).length === 1;
  return numbers.flatMap((piece) => {
    const fitting = numberFor(slot, piece, work.request);
    if (!fitting) return [];
    const said = work.written[slot.name];
    const own = said !== undefined && Number(said.replace(/[^\d.-]/g, '')) === piece.numbers![0] && numbers.length > 1 ? 0.2 : 0;
    const score = fitting.score + labelScore(slot, piece, work.words, numbers) + own + (isOnly ? ONLY_ONE : 0);
    return [{ value: fitting.value, note: BY_NAME, span: piece, score }];
  });
}

function isNumber({ property: { type } }: Slot): boolean {
  return type === 'number' || type === 'integer';
}

/** What an argument is about, and the form that it has then. */
const FORMS: readonly (readonly [RegExp, RegExp])[] = [
  [/\be-?mail\b|邮箱|邮件地址/i, /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/],
  [/\b(?:url|web address|link)\b|网址|链接/i, /https?:\/\/[^\s"'<>，。；）]*[^\s"'<>，。；）.,;:!?)]/],
  [
    /\b(?:duration|period|time ?frame)\b|时长|期限/i,
    /\d+\s*(?:(?:years?|months?|weeks?|days?|hours?|minutes?)\b|年|个月|周|天|小时|分钟)/i,
  ],
];

function textOffers(slot: Slot, slots: readonly Slot[], work: Work): Bare[] {
  if (slot.examples.length === 0 && /currenc/i.test(slot.about)) return currencyOffers(slot, work);
  const options = isPlace(slot) ? [] : optionsIn(slot);
  const offers: Bare[] = [];
  const said = work.written[slot.name];
  const copy = said === undefined ? undefined : findCopy(said, work.request);
  const own: Piece[] = copy ? [{ ...trimmed(copy, work.request), kind: 'words' }] : [];
  for (const piece of [...own, ...work.pieces.flatMap((one) => cutAtLabels(one, slot, slots, work))]) {
    if (piece.kind === 'list') continue;
    if (piece.kind === 'number' && !slot.labels.some(({ text }) => /^(?:id|code|year|number|version|season)$/.test(text))) continue;
    const isOfTool =
      work.toolWords.includes(piece.text.toLowerCase()) ||
      nameWords(piece.text).every((word) => work.toolWords.some((other) => isAkin(other, word)) || isPlain(word));
    const byModel = copy && copy.start <= piece.start && copy.end >= piece.end ? BY_MODEL : 0;
    const value = piece.kind === 'date' ? inFormat(piece.text, slot.property) : piece.text;
    const score =
      (value === piece.text ? 0 : 0.5) +
      labelScore(slot, piece, work.words, work.pieces) +
      kindScore(slot, piece, work.request) +
      byModel -
      (isOfTool ? 3 : 0) -
      (isCaption(piece, work) ? 2 : 0);
    offers.push({ value, note: BY_NAME, span: piece, score });
  }
  for (const [about, form] of FORMS) {
    const piece = about.test(slot.about) ? form.exec(work.request) : null;
    if (piece)
      offers.push({ value: piece[0], note: BY_NAME, span: spanOf(work.request, piece.index, piece.index + piece[0].length), score: 3.5 });
  }
  for (const option of options) {
    const at = findCopy(option, work.request);
    if (at) offers.push({ value: option, note: 'named in the request', span: at, score: 4 });
    else if (slot.required && mention(option, work) !== undefined) offers.push({ value: option, note: 'named in the request', score: 3 });
  }
  return offers;
}

/** What the amount is in is the one to convert from. */
function currencyOffers({ role }: Slot, { request }: Work): Bare[] {
  return currenciesIn(request).map(({ code, ...span }) => {
    const before = request.slice(0, span.start).trimEnd();
    const isFrom = /(?:\d|\bfrom|million|thousand|[百千万亿])$/i.test(before);
    const isTo = /(?:\b(?:to|into|in|many|much)|[换算兑]成|换|多少)$/i.test(before);
    const score = role === 'none' || isFrom === isTo ? 1.5 : (role === 'from') === isFrom ? 3 : -1;
    return { value: code, note: `the code of ${span.text}`, span, score };
  });
}

/** "the weapon 'Excalibur'": a word right before a quotation says what is quoted. */
function isCaption({ kind, text, end }: Piece, { pieces }: Work): boolean {
  return (
    (kind === 'name' || kind === 'words') &&
    /^\p{Script=Latin}+$/u.test(text) &&
    pieces.some((one) => one.kind === 'quoted' && one.start - end === 2)
  );
}

/** What arguments are called is no part of their values: of "organic bananas brands" only the bananas are the product. */
function cutAtLabels(piece: Piece, slot: Slot, slots: readonly Slot[], work: Work): Piece[] {
  if (piece.kind !== 'words') return [piece];
  const parts = requestWords(piece.text);
  const names = slots.filter((other) => other !== slot).flatMap(({ name }) => nameWords(name).filter((word) => word.length > 3));
  const isLabel = (word: string) =>
    slot.labels.some(({ text }) => text.length > 2 && isAkin(text, word)) || names.some((name) => isAkin(name, word));
  const pieces: Piece[] = [];
  let from: number | undefined;
  const close = (end: number) => {
    if (from !== undefined) pieces.push({ ...piece, start: piece.start + from, end: piece.start + end, text: piece.text.slice(from, end) });
    from = undefined;
  };
  let before = 0;
  for (const { text, start, end } of parts) {
    if (isLabel(text)) close(before);
    else from ??= start;
    before = end;
  }
  close(piece.text.length);
  return pieces.length === 1 && pieces[0]!.text === piece.text
    ? [piece]
    : pieces.filter(({ text }) => text !== '' && !work.toolWords.includes(text));
}

/** What a description gives as possible values: options: 'Darwin', 'Lamarck'. */
function optionsIn({ property }: Slot): string[] {
  const text = String(property.description ?? '');
  const quoted = [...text.matchAll(/['"‘“]([^'"’”]{2,30})['"’”]/g)].map((match) => match[1]!);
  const listed = /(?:e\.g\.?|i\.e\.?|such as|options?(?: are| include)?:|例如|比如)[,:]?\s*([^.()（）。]+)/i.exec(text)?.[1] ?? '';
  const plain = listed.split(/,|、|\bor\b|\band\b|\betc\b/).map((part) => part.trim());
  return [...quoted, ...plain].filter((option) => /^[\p{L}][\p{L}\p{N}&' -]{2,30}$/u.test(option));
}

/** from x=1 to x=3; between 2 and 5; 从 3 到 8. */
const RANGE = /(?:\b(?:from|between)|从)\s*(?:\w\s*=\s*)?(-?\d+(?:\.\d+)?)\s*(?:to|and|-|到|至)\s*(?:\w\s*=\s*)?(-?\d+(?:\.\d+)?)/;

function listOffers(slot: Slot, work: Work): Bare[] {
  const items = (slot.property.items ?? {}) as JsonObject;
  if (items.type === 'number' || items.type === 'integer') {
    const range = /\b(?:range|interval|bounds|limits)\b|区间|范围/.test(slot.about) ? RANGE.exec(work.request) : null;
    if (range) return [{ value: [Number(range[1]), Number(range[2])], note: 'from the one to the other', score: 3 }];
    const listed = work.pieces.filter(({ kind, numbers }) => kind === 'list' && numbers !== undefined);
    return listed.map((piece) => ({
      value: piece.numbers!,
      note: BY_NAME,
      span: piece,
      score: 0.8 + labelScore(slot, piece, work.words, listed),
    }));
  }
  if (items.type !== 'string' && items.type !== undefined) return [];
  const named = optionsIn(slot).flatMap((option) => (findCopy(option, work.request) ? [option] : []));
  if (named.length > 0) return [{ value: named, note: 'named in the request', score: 4 }];
  const texts = work.pieces.filter(({ kind }) => kind === 'quoted' || kind === 'name' || kind === 'words' || kind === 'list');
  return groupsOf(texts, work.request).map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    const span = { start: first.start, end: last.end, text: work.request.slice(first.start, last.end) };
    const value = group.flatMap((one) =>
      one.kind === 'list'
        ? one.text
            .slice(1, -1)
            .split(',')
            .map((part) => part.trim().replace(/^['"]|['"]$/g, ''))
        : [one.text],
    );
    const score =
      labelScore(slot, { ...first, ...span }, work.words, work.pieces) + kindScore(slot, first, work.request) + (value.length > 1 ? 1 : 0);
    return { value, note: BY_NAME, span, score };
  });
}

/** Pieces that only commas and "and" stand between. */
function groupsOf(pieces: readonly Piece[], request: string): Piece[][] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1);
    const between = last ? request.slice(last.end, piece.start) : '';
    if (last && /^['"’”》\s]*(?:,|，|、|&|和|与|,?\s*(?:and|or)(?: also)?)[\s'"‘“《]*(?:the )?['"]?$/.test(between))
      groups.at(-1)!.push(piece);
    else groups.push([piece]);
  }
  return groups;
}
