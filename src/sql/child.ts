/** A process that asks one question: reads it from standard input, writes the answer to standard output. */

import { text } from 'node:stream/consumers';
import { errorData } from '../kernel/errors.ts';
import type { Answered, Database, DatabaseRequest } from './types.ts';

async function ask(database: Database, request: DatabaseRequest): Promise<Answered> {
  try {
    if (database.kind === 'sqlite') return (await import('./sqlite.ts')).askSqlite(database.file, request);
    return await (await import('./postgres.ts')).askPostgres(database.url, database.password, request);
  } catch (error) {
    const { code, message, next } = errorData(error, 'database_error');
    return { error: { code, message, ...(next === undefined ? {} : { next }) } };
  }
}

const { database, request } = JSON.parse(await text(process.stdin)) as { database: Database; request: DatabaseRequest };
process.stdout.write(JSON.stringify(await ask(database, request)));
