/** SQLite: opened for reading, and asked through an authorizer that lets through nothing but reading. */

import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { constants, DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { HermesError } from '../kernel/errors.ts';
import { mendIt, unknownColumn, unknownTable } from './hints.ts';
import { tableOf } from './table.ts';
import type { Answered, DatabaseError, DatabaseRequest, Schema, TableInfo } from './types.ts';

const { SQLITE_OK, SQLITE_DENY, SQLITE_PRAGMA, SQLITE_READ, SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE } = constants;
const READING = [SQLITE_READ, SQLITE_SELECT, SQLITE_FUNCTION, SQLITE_RECURSIVE];
/** Those that only tell, when no value is given to them, or the name of a table. */
const TELLING =
  /^(?:table_x?info|table_list|index_list|index_x?info|foreign_key_list|data_version|user_version|schema_version|encoding|compile_options|function_list|collation_list)$/;
const OF_A_NAME = /_(?:x?info|list)$/;
/** Versions of its file format, at bytes 18 and 19. */
const WAL = 2;
/** Bytes of one value or row, also on the way to a result. */
const MOST_BYTES = 20_000_000;
/** Tables whose columns are listed with them. */
const MOST_DESCRIBED = 40;

export function askSqlite(file: string, request: DatabaseRequest): Answered {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(placeOf(file), { readOnly: true, allowExtension: false, timeout: Math.min(request.timeoutMs, 5000) });
    database.limits.length = MOST_BYTES;
    database.exec('PRAGMA query_only=ON; PRAGMA trusted_schema=OFF');
    const refused: string[] = [];
    database.setAuthorizer((action, name, value) => {
      const isTelling = action === SQLITE_PRAGMA && TELLING.test(name ?? '') && (value === null || OF_A_NAME.test(name ?? ''));
      if (isTelling || READING.includes(action)) return SQLITE_OK;
      refused.push(name ?? '');
      return SQLITE_DENY;
    });
    if (request.sql === undefined) return { data: schemaOf(database, request.table) };
    return answer(database, request.sql, request.maxRows, refused);
  } catch (error) {
    return { error: told(error as Error, database, request.sql ?? '') };
  } finally {
    database?.close();
  }
}

/**
 * A database in WAL mode that nobody has open (it has no -wal file) is read as it lies: opened as usual, it would get that file and
 * another beside it, and in a folder that may not be written it could not be read at all.
 */
function placeOf(given: string): string | URL {
  const file = realpathSync(given); // beside it, and not beside a link to it, lie its other files
  const header = Buffer.alloc(20);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, header, 0, header.length, 0);
  } finally {
    closeSync(opened);
  }
  const isWal = header[18] === WAL && header[19] === WAL;
  return isWal && !existsSync(`${file}-wal`) ? new URL(`${pathToFileURL(file)}?immutable=1`) : file;
}

function answer(database: DatabaseSync, sql: string, maxRows: number, refused: readonly string[]): Answered {
  let statement: StatementSync;
  try {
    statement = database.prepare(sql);
  } catch (error) {
    if (refused.length > 0 || /authoriz/.test((error as Error).message)) throw readOnly();
    throw error;
  }
  const rest = sql.slice(statement.sourceSQL.length).replace(/--[^\n]*|\/\*[\s\S]*?\*\/|[\s;]/g, '');
  if (rest !== '') {
    throw new HermesError('one_statement', 'only one statement is run at a time; nothing was run', {
      next: 'send the statements one by one',
    });
  }
  statement.setReturnArrays(true);
  statement.setReadBigInts(true);
  const columns = statement.columns().map(({ name }) => name);
  return { data: tableOf(columns, statement.iterate() as unknown as Iterable<unknown[]>, maxRows) };
}

export function readOnly(why = 'this database is only read'): HermesError {
  return new HermesError('read_only', `${why}; the statement was refused and nothing was changed`, { next: 'ask with one SELECT' });
}

function schemaOf(database: DatabaseSync, wanted?: string): Schema {
  const all = tablesOf(database);
  const shown = wanted === undefined ? all : all.filter(({ table }) => table.toLowerCase() === wanted.toLowerCase());
  if (wanted !== undefined && shown.length === 0) {
    const { next } = unknownTable('', wanted, all);
    throw new HermesError('unknown_table', `there is no table ${wanted}`, next === undefined ? {} : { next });
  }
  const tables = shown.map((one, index) => (index < MOST_DESCRIBED ? { ...one, columns: columnsOf(database, one.table) } : one));
  return { tables, ...(shown.length > MOST_DESCRIBED ? { next: 'describe a table by its name for its columns' } : {}) };
}

function tablesOf(database: DatabaseSync): TableInfo[] {
  const rows = database.prepare(
    "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
  );
  return rows.all().map(({ name, type }) => ({ table: String(name), kind: type === 'view' ? 'view' : 'table' }));
}

function columnsOf(database: DatabaseSync, table: string): string[] {
  const keys = database.prepare('SELECT "from", "table", "to" FROM pragma_foreign_key_list(?)').all(table);
  const rows = database.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all(table);
  return rows.map(({ name, type, notnull, pk }) => {
    const to = keys.find((key) => key.from === name);
    const facts = [
      ...(notnull ? ['not null'] : []),
      ...(pk ? ['primary key'] : []),
      ...(to ? [`references ${to.table}${to.to === null ? '' : `(${to.to})`}`] : []),
    ];
    return [name, type, facts.join(', ')].filter((part) => part !== '').join(' ');
  });
}

function told(error: Error & { errcode?: number }, database: DatabaseSync | undefined, sql: string): DatabaseError {
  if (error instanceof HermesError) return error.toData();
  const { message } = error;
  if (!database)
    return { code: 'not_opened', message: `the database cannot be opened: ${message}`, next: 'check the file, or tell the user' };
  const tables = () => tablesOf(database).map((one) => ({ ...one, columns: columnsOf(database, one.table) }));
  const [, column] = /^no such column: "?([^"\s]+)/.exec(message) ?? [];
  const [, table] = /^no such table: (\S+)/.exec(message) ?? [];
  if (column !== undefined) return unknownColumn(message, column, sql, tables());
  if (table !== undefined) return unknownTable(message, table, tables());
  if (/is locked|busy/.test(message))
    return { code: 'locked', message: 'somebody is writing to the database', next: 'try again in a moment' };
  if (/not a database/.test(message))
    return { code: 'not_a_database', message: 'the file is no SQLite database', next: 'read_file reads files of text' };
  if (/out of memory|string or blob too big/.test(message))
    return { code: 'too_large', message: 'the statement needs too much memory', next: 'ask for less' };
  if (/readonly/.test(message))
    return {
      code: 'needs_recovery',
      message: 'a program ended while it was writing to the database, which is not whole as it lies',
      next: 'tell the user to open it once with the program that writes it',
    };
  if (/not authorized|authorization/.test(message)) return readOnly().toData();
  if (/contains no statements/.test(message)) return { code: 'bad_sql', message: 'there is no statement', next: 'write one SELECT' };
  return { code: 'bad_sql', message, next: mendIt('SQLite') };
}
