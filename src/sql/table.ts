/** Rows as JSON that a model can read: large values cut, bytes named, numbers exact. */

import { cut } from '../kernel/text.ts';
import type { Cell, Table } from './types.ts';

/** Characters of one value, and of all. */
const MOST_CELL = 500;
const MOST_ALL = 40_000;

/** `rows` may hold one more than `maxRows`: then there are more. */
export function tableOf(columns: string[], rows: Iterable<readonly unknown[]>, maxRows: number): Table {
  const shown: Cell[][] = [];
  let size = 0;
  for (const row of rows) {
    const cells = row.map(cellOf);
    size += cells.reduce<number>((sum, cell) => sum + (typeof cell === 'string' ? cell.length : 8), 0);
    if (shown.length === maxRows)
      return { columns, rows: shown, next: `only the first ${maxRows} rows are shown; aggregate, filter, or use LIMIT and OFFSET` };
    if (size > MOST_ALL && shown.length > 0)
      return { columns, rows: shown, next: `only the first ${shown.length} rows fit; name fewer columns, or use LIMIT and OFFSET` };
    shown.push(cells);
  }
  return { columns, rows: shown };
}

function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) return `[${value.length} bytes]`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MOST_CELL ? text : `${cut(text, MOST_CELL)} [cut: ${text.length} characters]`;
}
