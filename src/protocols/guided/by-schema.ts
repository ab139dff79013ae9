/**
 * Arguments of a tool that shows no examples: pieces of the request are given to the arguments that they fit best, by name, type and
 * description. What the model wrote counts as a hint where the request says it, too. Optional arguments are left out unless the
 * request plainly states them.
 */

import type { Json, JsonObject, ToolInfo } from '../../kernel/types.ts';
import { isPlace, kindScore, labelScore, numberFor, type Slot, slotsOf } from './fit.ts';
import { hanPieces } from './han.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { findCopy, overlaps, type Span, trimmed } from './spans.ts';
import { isAkin, isPlain, nameWords, requestWords, type Word } from './words.ts';

interface Found {
  value: Json;
  note: string;
  /** Words of the request point to the argument, not only the form of the piece. */
  sure?: boolean;
  span?: Span;
}
interface Offer extends Found {
  slot: Slot;
  score: number;
  /** Where slot and piece stand in their rows: of equal offers, the first goes to the first. */
  order: number;
}

/** From when on a piece is taken. What the model wrote adds to its score. */
const ENOUGH = { required: 0.75, optional: 2.2 };
const SURE = 2.2;
/** One number in the request, one argument that takes a number, and the examples give it. */
const ONLY_ONE = 2.5;
const REQUIRED_FIRST = 0.4;
const BY_MODEL = 1.5;

/** `known`: arguments that have a value already, and where the request has it. */
export function findBySchema(
  tool: ToolInfo,
  written: Readonly<Record<string, string>>,
  request: string,
  known: ReadonlyMap<string, { span?: Span | undefined }>,
): Map<string, Found> {
  const slots = slotsOf(tool.input_schema, tool.examples);
  const latin = piecesOf(
    request,
    slots.some(({ property }) => property.type === 'array'),
  );
  const pieces = [...latin, ...hanPieces(request, spokenOf(tool), latin)].sort((a, b) => a.start - b.start);
  const work: Work = {
    request,
    words: requestWords(request),
    pieces,
    toolWords: nameWords(`${tool.name} ${tool.keywords ?? ''}`),
    written,
  };
  const open = slots.filter(({ name }) => !known.has(name));
  const found = new Map<string, Found>();
  for (const slot of open) {
    const listed = chosen(slot, work) ?? flag(slot, work);
    if (listed) found.set(slot.name, listed);
  }
  const taken = [...known.values(), ...found.values()].flatMap(({ span }) => span ?? []);
  const offers = open.filter(({ name }) => !found.has(name)).flatMap((slot) => offersFor(slot, slots, work));
  for (const offer of bestForNeeded(offers, taken)) {
    found.set(offer.slot.name, { ...offer, sure: offer.score >= SURE });
    if (offer.span) taken.push(offer.span);
  }
  inRow(open, found);
  inOrder(open, found, work, taken);
  for (const slot of open) {
    const usual = found.has(slot.name) || !slot.required ? undefined : usualValue(slot);
    if (usual !== undefined) found.set(slot.name, { value: usual, note: 'its default' });
  }
  return found;
}

/** What a tool is spoken of with: its description and what its examples say around their values. */
function spokenOf({ description, keywords, examples }: ToolInfo): string {
  const around = (examples ?? []).map(({ request, arguments: given }) =>
    Object.values(given).reduce((text: string, value) => text.replaceAll(String(value), ' '), request),
  );
  return [description.replace(/(?:例如|比如).*$/s, ''), keywords ?? '', ...around].join(' ');
}

/** An optional argument gives way where a needed one would stay without a value. */
function bestForNeeded(offers: readonly Offer[], taken: readonly Span[]): Offer[] {
  const all = bestOf(offers, taken);
  const needed = bestOf(
    offers.filter(({ slot }) => slot.required),
    taken,
  );
  if (needed.length <= all.filter(({ slot }) => slot.required).length) return all;
  const others = offers.filter(({ slot }) => !slot.required);
  return [...needed, ...bestOf(others, [...taken, ...needed.flatMap(({ span }) => span ?? [])])];
}

/** The best offer first, each piece once; then two arguments change their pieces where both together fit better so. */
function bestOf(offers: readonly Offer[], taken: readonly Span[]): Offer[] {
  const accepted: Offer[] = [];
  for (const offer of offers.toSorted((a, b) => b.score - a.score || a.order - b.order)) {
    const isTaken = offer.span && overlaps(offer.span, [...taken, ...accepted.flatMap(({ span }) => span ?? [])]);
    if (isTaken || accepted.some(({ slot }) => slot === offer.slot)) continue;
    if (offer.score >= (offer.slot.required ? ENOUGH.required : ENOUGH.optional)) accepted.push(offer);
  }
  for (const [i, one] of accepted.entries()) {
    for (const [j, other] of accepted.entries()) {
      const [mine, its] = [accepted[i]!, accepted[j]!];
      if (j <= i || !mine.span || !its.span) continue;
      const swapped = [offerOf(offers, one.slot, its.span), offerOf(offers, other.slot, mine.span)] as const;
      if (!swapped[0] || !swapped[1] || swapped[0].score + swapped[1].score <= mine.score + its.score) continue;
      [accepted[i], accepted[j]] = [swapped[0], swapped[1]];
    }
  }
  return accepted;
}

function offerOf(offers: readonly Offer[], slot: Slot, span: Span): Offer | undefined {
  return offers.find((offer) => offer.slot === slot && offer.span?.start === span.start && offer.span.end === span.end);
}

interface Work {
  request: string;
  words: Word[];
  pieces: Piece[];
  toolWords: string[];
  written: Readonly<Record<string, string>>;
}

// ---- choices and flags --------------------------------------------------------------------------------------

/** Members of an enum that the request names; of a list, all of them in their order. */
function chosen({ property }: Slot, work: Work): Found | undefined {
  const isList = property.type === 'array';
  const listed = isList ? ((property.items ?? {}) as JsonObject).enum : property.enum;
  if (!Array.isArray(listed)) return undefined;
  const texts = listed.filter((value) => typeof value === 'string');
  const placed = (find: (value: string) => number | undefined) =>
    texts.flatMap((value) => ({ value, at: find(value) ?? -1 })).filter(({ at }) => at >= 0);
  const exact = placed((value) => findCopy(value, work.request)?.start);
  const named = (exact.length > 0 ? exact : placed((value) => mention(value, work))).sort((a, b) => a.at - b.at);
  if (named.length === 0) return undefined;
  const note = 'named in the request';
  if (isList) return { value: named.map(({ value }) => value), note };
  return { value: named.sort((a, b) => b.value.length - a.value.length)[0]!.value, note };
}

/** Where all words of the text stand in the request, in whatever form. */
function mention(text: string, { words }: Work): number | undefined {
  const parts = nameWords(text).filter((word) => word.length > 2);
  const places = parts.map((part) => words.find((word) => isAkin(word.text, part)));
  return parts.length > 0 && places.every((place) => place !== undefined) ? places[0]!.start : undefined;
}

const SAYS_YES =
  /^(?:include|included|is|has|have|show|get|return|returns|want|with|only|if|need|needs|use|allow|enable|flag|set|status|option|info|of|the|all|be|should|do|to)$/;
const SAYS_NO = /(?:\b(?:without|no|not|don't|excluding|exclude|except|skip)\s+(?:\w+\s+){0,2}|不要?|无需|不用)$/i;

/** A flag whose words the request has is meant; one that it needs and does not hear of is off. */
function flag({ name, property, required }: Slot, { words, request, toolWords }: Work): Found | undefined {
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

// ---- offers -------------------------------------------------------------------------------------------------

function offersFor(slot: Slot, slots: readonly Slot[], work: Work): Offer[] {
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

function textOffers(slot: Slot, slots: readonly Slot[], work: Work): Bare[] {
  const options = isPlace(slot) ? [] : optionsIn(slot);
  const offers: Bare[] = [];
  const said = work.written[slot.name];
  const copy = said === undefined ? undefined : findCopy(said, work.request);
  const own: Piece[] = copy ? [{ ...trimmed(copy, work.request), kind: 'words' }] : [];
  for (const piece of [...own, ...work.pieces.flatMap((one) => cutAtLabels(one, slot, slots, work))]) {
    if (piece.kind === 'list') continue;
    if (piece.kind === 'number' && !slot.labels.some(({ text }) => /^(?:id|code|year|number|version|season)$/.test(text))) continue;
    const isOfTool = nameWords(piece.text).every((word) => work.toolWords.some((other) => isAkin(other, word)) || isPlain(word));
    const byModel = copy && copy.start <= piece.start && copy.end >= piece.end ? BY_MODEL : 0;
    const score = labelScore(slot, piece, work.words, work.pieces) + kindScore(slot, piece, work.request) + byModel - (isOfTool ? 3 : 0);
    offers.push({ value: inFormat(piece, slot), note: BY_NAME, span: piece, score });
  }
  for (const option of options) {
    const at = findCopy(option, work.request);
    if (at) offers.push({ value: option, note: 'named in the request', span: at, score: 4 });
    else if (slot.required && mention(option, work) !== undefined) offers.push({ value: option, note: 'named in the request', score: 3 });
  }
  return offers;
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

/** A date in the order that the description asks for. */
function inFormat(piece: Piece, { property }: Slot): string {
  const description = String(property.description ?? '').replace(
    /\b(month|day|year)([-/])(month|day|year)\2(month|day|year)\b/gi,
    (order) => order.replace(/month/i, 'MM').replace(/day/i, 'DD').replace(/year/i, 'YYYY'),
  );
  const wanted = /\b(?:Y{3,4}|MM|DD)([-/.])(?:Y{3,4}|MM|DD)\1(?:Y{3,4}|MM|DD)/i.exec(description)?.[0];
  if (piece.kind !== 'date' || !wanted) return piece.text;
  const text = piece.text.replace(/(\d)(?:st|nd|rd|th)\b/gi, '$1').replace(/[/.](?=\d)/g, '/');
  const time = new Date(`${text.replace(/^(\d{4})-(\d{1,2})-(\d{1,2})$/, '$1/$2/$3')} 12:00`);
  if (Number.isNaN(time.getTime()) || !/\d{4}/.test(text)) return piece.text;
  const two = (number: number) => String(number).padStart(2, '0');
  return wanted
    .replace(/Y+/i, String(time.getFullYear()))
    .replace(/MM/i, two(time.getMonth() + 1))
    .replace(/DD/i, two(time.getDate()));
}

function listOffers(slot: Slot, work: Work): Bare[] {
  const items = (slot.property.items ?? {}) as JsonObject;
  if (items.type === 'number' || items.type === 'integer') {
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
    if (last && /^['"’”》\s]*(?:,|，|、|&|和|与|and|or|,\s*(?:and|or))[\s'"‘“《]*(?:the )?['"]?$/.test(between)) groups.at(-1)!.push(piece);
    else groups.push([piece]);
  }
  return groups;
}

// ---- what is left -------------------------------------------------------------------------------------------

/** side1, side2 and side3 are said in their order, whatever stands near each. */
function inRow(open: readonly Slot[], found: Map<string, Found>): void {
  const rows = Map.groupBy(open, ({ name }) =>
    nameWords(name)
      .filter((word) => !/^(?:\d+|first|second|third)$/.test(word))
      .join(' '),
  );
  for (const [row, slots] of rows) {
    const values = slots.flatMap(({ name }) => found.get(name) ?? []);
    if (row === '' || slots.length < 2 || values.length < slots.length || values.some(({ span }) => !span)) continue;
    values.sort((a, b) => a.span!.start - b.span!.start);
    for (const [index, { name }] of slots.entries()) found.set(name, values[index]!);
  }
}

/** As many numbers as arguments that need one: in the order in which they are said. The same for lists of numbers. */
function inOrder(open: readonly Slot[], found: Map<string, Found>, { pieces, request }: Work, taken: Span[]): void {
  for (const kind of ['number', 'list'] as const) {
    const wanting = open.filter(({ name, property, required }) => {
      const type = kind === 'list' ? (property.type === 'array' ? ((property.items ?? {}) as JsonObject).type : undefined) : property.type;
      return required && !found.has(name) && (type === 'number' || type === 'integer');
    });
    const left = pieces.filter((piece) => piece.kind === kind && piece.numbers !== undefined && !overlaps(piece, taken));
    if (wanting.length === 0 || left.length !== wanting.length) continue;
    for (const [index, slot] of wanting.entries()) {
      const piece = left[index]!;
      const value = kind === 'list' ? piece.numbers! : numberFor(slot, piece, request)?.value;
      if (value === undefined) continue;
      found.set(slot.name, { value, note: 'in the order of the request', span: piece });
      taken.push(piece);
    }
  }
}

/** What the schema or the description gives as default. */
function usualValue({ property }: Slot): Json | undefined {
  if (property.default !== undefined) return property.default;
  const said = /\bdefaults?(?: value)?(?: is| to|:)?\s+['"]?([\w.-]+)['"]?/i
    .exec(String(property.description ?? ''))?.[1]
    ?.replace(/\.$/, '');
  if (said === undefined) return undefined;
  if (property.type === 'number' || property.type === 'integer') return Number.isFinite(Number(said)) ? Number(said) : undefined;
  return property.type === 'string' && (!Array.isArray(property.enum) || property.enum.includes(said)) ? said : undefined;
}
