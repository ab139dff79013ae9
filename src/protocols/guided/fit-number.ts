/** Which of a request's numbers an argument may be: a year, a share, a price, the end of a range, how long or how many. */

import type { Slot } from './fit.ts';
import type { Piece } from './pieces.ts';
import { nameWords } from './words.ts';

/** "from 3 to 5", "under 200", 不超过 200: which end of a range a number is. */
function boundScore(own: readonly string[], about: string, { start, end }: Piece, request: string): number {
  const isLow = own.some((word) => /^(?:min|minimum|lowest|lower|from|start)$/.test(word)) || /下限|最低|最少/.test(about);
  const isHigh = own.some((word) => /^(?:max|maximum|highest|upper|to|end)$/.test(word)) || /上限|最高|最多/.test(about);
  if (isLow === isHigh) return 0;
  const [before, after] = [request.slice(0, start).trimEnd(), request.slice(end)];
  const isFirst =
    /^\s*(?:to|and|-|–|~|到|至)\s*(?:\p{L}\s*=\s*)?[$€£¥-]?\d/u.test(after) ||
    /\b(?:over|above|at least|more than|minimum(?: of)?|from)$|(?:至少|超过|不低于|不少于)$/i.test(before) ||
    /^\S{0,2}以上/.test(after);
  const isLast =
    /\d\s*(?:to|and|-|–|~|到|至)(?:\s*\p{L}\s*=)?$/u.test(before) ||
    /\b(?:under|below|up to|at most|less than|within|maximum(?: of)?)$|(?:不超过|最多|不高于|低于)$/i.test(before) ||
    /^\S{0,2}以[内下]/.test(after);
  if (isFirst === isLast && !(isLast && /不超过$/.test(before))) return 0;
  const isMine = isLow ? isFirst && !isLast : isLast;
  return isMine ? 2 : -2;
}

const MONEY =
  /^(?:usd|dollar|dollars|price|budget|cost|investment|invested|principal|principle|deposit|income|payment|salary|money|amount|revenue|assets|equity|dividend|dividends|loan|debt|profit)$/;
/** How long something takes. */
const LASTS = /\b(?:in )?(?:years|months|weeks|days|hours|minutes|seconds)\b/i;
/** Arguments that say how many. */
const COUNT = /^(?:count|num|number|limit|top|size|quantity|results|people|guests|tickets|days|years)$/;

/** What a number may be: a year, a share, whole. Undefined: it cannot be this argument. */
export function numberFor(slot: Slot, piece: Piece, request: string): { value: number; score: number } | undefined {
  const own = nameWords(slot.name);
  const [given] = piece.numbers!;
  const description = String(slot.property.description ?? '');
  let value = given!;
  if (
    piece.sign === '%' &&
    slot.property.type === 'number' &&
    (!/percent|百分|%/i.test(description) || /\bdecimal\b|小数/i.test(description))
  )
    value = Number((value / 100).toPrecision(12));
  if (piece.sign && description.includes(piece.sign) && /[百千万亿]/.test(piece.sign)) value = Number(piece.text.replace(/[^\d.]/g, ''));
  if (slot.property.type === 'integer' && !Number.isInteger(value)) return undefined;
  const looksLikeYear = Number.isInteger(value) && value >= 1000 && value <= 2100 && piece.sign === undefined && /^\d{4}$/.test(piece.text);
  let score = 0;
  if (own.includes('year')) score += looksLikeYear ? 2.5 : -3;
  else if (own.includes('years')) score += looksLikeYear ? -3 : 0;
  else if (looksLikeYear) score -= 0.5;
  score += boundScore(own, slot.about, piece, request);
  const has = (pattern: RegExp) => [...slot.hints].some((word) => pattern.test(word));
  if (piece.sign === '%') score += has(/^(?:percent|percentage|rate|yield|interest|ratio|discount|利率|百分数)$/) ? 1.5 : -1;
  if (/^[$€£¥]$/.test(piece.sign ?? '')) score += has(MONEY) ? 1.2 : LASTS.test(slot.about) ? -4 : -1;
  const [lasting] = LASTS.exec(request.slice(piece.end)) ?? [];
  if (lasting !== undefined && /^\s*-?\s*$/.test(request.slice(piece.end).split(lasting)[0]!)) score += LASTS.test(slot.about) ? 1 : 0;
  if (own.some((word) => COUNT.test(word)) && Number.isInteger(value) && piece.sign === undefined && !looksLikeYear) score += 1;
  const counts =
    own.some((word) => /^(?:count|num|number|limit|top|quantity)$/.test(word)) && /^ \p{Ll}{3,}/u.test(request.slice(piece.end));
  if (counts && !looksLikeYear) score += 1.2;
  return { value, score };
}
