/**
 * Arguments of a tool that shows no examples: pieces of the request are given to the arguments that they fit best, by name, type and
 * description. What the model wrote counts as a hint where the request says it, too. Optional arguments are left out unless the
 * request plainly states them.
 */

import type { Json, JsonObject, ToolInfo } from '../../kernel/types.ts';
import { chosen, flag } from './choices.ts';
import { type Slot, slotsOf, WITHIN } from './fit.ts';
import { numberFor } from './fit-number.ts';
import { hanPieces } from './han.ts';
import { offersFor } from './offers.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { overlaps, type Span } from './spans.ts';
import { isAkin, nameWords, requestWords } from './words.ts';
import type { Found, Offer, Work } from './work.ts';

/** From when on a piece is taken. What the model wrote adds to its score. */
const ENOUGH = { required: 0.75, optional: 2.2 };

/** `known`: arguments that have a value already, and where the request has it. */
export function findBySchema(
  tool: ToolInfo,
  written: Readonly<Record<string, string>>,
  request: string,
  known: ReadonlyMap<string, { span?: Span | undefined }>,
): Map<string, Found> {
  const slots = slotsOf(tool.input_schema, tool.examples);
  const toolWords = nameWords(`${tool.name} ${tool.keywords ?? ''}`);
  const hasList = slots.some(({ property }) => property.type === 'array');
  const latin = piecesOf(request, hasList)
    .filter((piece) => !isCountOf(piece, slots, request))
    .map((piece) => withoutVerb(piece, toolWords));
  const pieces = [...latin, ...hanPieces(request, spokenOf(tool), latin)].sort((a, b) => a.start - b.start);
  const work: Work = {
    request,
    words: requestWords(request),
    pieces,
    toolWords,
    written,
    named: new Set(),
  };
  const open = slots.filter(({ name }) => !known.has(name.split(WITHIN)[0]!));
  const found = new Map<string, Found>();
  for (const slot of open) {
    const listed = chosen(slot, work) ?? flag(slot, work);
    if (listed) found.set(slot.name, listed);
  }
  const taken = [...known.values(), ...found.values()].flatMap(({ span }) => span ?? []);
  const offers = open.filter(({ name }) => !found.has(name)).flatMap((slot) => offersFor(slot, slots, work));
  for (const offer of bestForNeeded(offers, taken)) {
    found.set(offer.slot.name, offer);
    if (offer.span) taken.push(offer.span);
  }
  inOrder(open, found, work, taken);
  inRow(open, found);
  for (const slot of open) {
    const usual = found.has(slot.name) || !slot.required ? undefined : usualValue(slot);
    if (usual !== undefined) found.set(slot.name, { value: usual, note: 'its default' });
  }
  return joined(found, tool.input_schema);
}

/** What a tool is spoken of with: its description and what its examples say around their values. */
function spokenOf({ description, keywords, examples }: ToolInfo): string {
  const around = (examples ?? []).map(({ request, arguments: given }) =>
    Object.values(given).reduce((text: string, value) => text.replaceAll(String(value), ' '), request),
  );
  return [description.replace(/(?:例如|比如).*$/s, ''), keywords ?? '', ...around].join(' ');
}

/** "its three sides": how many arguments follow is the value of none of them. */
function isCountOf({ numbers, text, end }: Piece, slots: readonly Slot[], request: string): boolean {
  const [counted] =
    /^\s+\p{L}+/u
      .exec(request.slice(end))?.[0]
      .trim()
      .toLowerCase()
      .match(/\p{L}+/u) ?? [];
  if (counted === undefined || numbers?.length !== 1) return false;
  if (/^\p{L}/u.test(text) && /^(?:numbers|integers|values|points)$/.test(counted)) return true;
  return numbers[0]! > 1 && slots.filter(({ name }) => nameWords(name).some((word) => isAkin(word, counted))).length === numbers[0];
}

/** "Register Ruth Gray": what the tool does is no part of the name behind it, though the sentence begins with a capital. */
function withoutVerb(piece: Piece, toolWords: readonly string[]): Piece {
  const [verb, space] = /^(\p{L}+)(\s+)/u.exec(piece.text)?.slice(1) ?? [];
  if (piece.start > 0 || piece.kind !== 'name' || !verb || !toolWords.some((word) => isAkin(word, verb.toLowerCase()))) return piece;
  const start = verb.length + space!.length;
  return { ...piece, start, text: piece.text.slice(start) };
}

/** What was found for the arguments inside an object becomes that object; without all that it needs there is none. */
function joined(found: ReadonlyMap<string, Found>, schema: JsonObject): Map<string, Found> {
  const whole = new Map<string, Found>();
  for (const [path, one] of found) {
    const [name, inner] = path.split(WITHIN) as [string, string?];
    if (inner === undefined) whole.set(name, one);
    else {
      const { span: _, ...others } = one;
      whole.set(name, { ...others, value: { ...(whole.get(name)?.value as JsonObject | undefined), [inner]: one.value } });
    }
  }
  const properties = (schema.properties ?? {}) as Record<string, JsonObject>;
  for (const [name, { value }] of whole) {
    const needed = properties[name]?.properties && properties[name].required;
    if (Array.isArray(needed) && needed.some((inner) => !Object.hasOwn(value as JsonObject, String(inner)))) whole.delete(name);
  }
  return whole;
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
