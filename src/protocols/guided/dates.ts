/** A date that a request states, in the order that an argument asks for. */

import type { JsonObject } from '../../kernel/types.ts';

/** As the description shows it (DD/MM/YYYY), or by the format `date`; the text as it is where it has no year or nothing is asked for. */
export function inFormat(date: string, { description, format }: JsonObject): string {
  const spelled = String(description ?? '').replace(/\b(month|day|year)([-/])(month|day|year)\2(month|day|year)\b/gi, (order) =>
    order.replace(/month/i, 'MM').replace(/day/i, 'DD').replace(/year/i, 'YYYY'),
  );
  const shown = /\b(?:Y{3,4}|MM|DD)([-/.])(?:Y{3,4}|MM|DD)\1(?:Y{3,4}|MM|DD)/i.exec(spelled)?.[0];
  const wanted = shown ?? (format === 'date' ? 'YYYY-MM-DD' : undefined);
  if (wanted === undefined) return date;
  const plain = date
    .replace(/^(\d{4})(?:年|-)(\d{1,2})(?:月|-)(\d{1,2})[日号]?$/, '$1/$2/$3')
    .replace(/(\d)(?:st|nd|rd|th)\b/gi, '$1')
    .replace(/(?<=[a-z.])(?=\d)|,(?=\d)/gi, ' ');
  const time = new Date(`${plain} 12:00`);
  if (Number.isNaN(time.getTime()) || !/\d{4}/.test(plain)) return date;
  const two = (number: number) => String(number).padStart(2, '0');
  return wanted
    .replace(/Y+/i, String(time.getFullYear()))
    .replace(/MM/i, two(time.getMonth() + 1))
    .replace(/DD/i, two(time.getDate()));
}
