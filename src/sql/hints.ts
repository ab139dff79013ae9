/** What would help after a wrong name: the names that are there, and the nearest. */

import { nearest } from '../kernel/errors.ts';
import type { DatabaseError, TableInfo } from './types.ts';

const MOST_NAMES = 60;

/** `wrong`: the name that the database does not know, with or without its table. */
export function unknownColumn(message: string, wrong: string, sql: string, tables: readonly TableInfo[]): DatabaseError {
  const named = tables.filter(({ table }) => mentions(sql, table) || mentions(sql, bare(table)));
  const names = named.flatMap(({ columns = [] }) => columns.map(nameOf));
  const listed = named.map(({ table, columns = [] }) => `${table} has the columns ${list(columns.map(nameOf))}`);
  return {
    code: 'unknown_column',
    message,
    next: [guess(bare(wrong), names), textHint(bare(wrong), sql), ...listed].filter(Boolean).join('; ') || 'describe the table first',
  };
}

/** `WHERE name = Li` asks for a column Li, and in Postgres `"Li"` does so as well. */
function textHint(name: string, sql: string): string {
  const before = sql.toLowerCase().split(name.toLowerCase()).slice(0, -1);
  return before.some((text) => /(?:[=<>]|\blike|\bin\s*\()\s*"?$/.test(text)) ? `a text stands in single quotes: '${name}'` : '';
}

export function unknownTable(message: string, wrong: string, tables: readonly TableInfo[]): DatabaseError {
  const names = tables.map(({ table }) => table);
  const next = names.length === 0 ? 'the database holds no tables' : `the tables are ${list(names)}`;
  return { code: 'unknown_table', message, next: [guess(bare(wrong), [...names, ...names.map(bare)]), next].filter(Boolean).join('; ') };
}

export function mendIt(dialect: string): string {
  return `mend the statement, as ${dialect} writes it; describe: "*" lists tables and columns`;
}

function guess(wrong: string, names: readonly string[]): string {
  const near = nearest(wrong, names);
  return near === undefined ? '' : `did you mean ${near}?`;
}

function list(names: readonly string[]): string {
  return names.slice(0, MOST_NAMES).join(', ') + (names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '');
}

/** Without its type. */
function nameOf(column: string): string {
  return column.split(' ')[0]!;
}

function bare(name: string): string {
  return name.split('.').at(-1)!.replaceAll('"', '');
}

function mentions(sql: string, name: string): boolean {
  return sql.toLowerCase().includes(name.toLowerCase());
}
