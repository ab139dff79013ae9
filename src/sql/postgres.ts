/** PostgreSQL: one reading statement, in a read-only transaction that is rolled back, with a reader's rights. */

import type { Client } from 'pg';
import { HermesError, packageMissing } from '../kernel/errors.ts';
import { mendIt, unknownColumn, unknownTable } from './hints.ts';
import { readOnly } from './sqlite.ts';
import { tableOf } from './table.ts';
import type { Answered, DatabaseError, DatabaseRequest, Schema, Table, TableInfo } from './types.ts';
import { wordsOf } from './words.ts';

/** What a statement may begin with. */
const READING = ['select', 'with', 'values', 'table', 'show', 'explain', '('];
/** Their effect lies outside of the transaction: files and processes of the server, other connections, settings, statements in a text. */
const OUTSIDE =
  /^(?:pg_read_(?:binary_)?file|pg_ls_\w+|pg_stat_file|pg_file_\w+|pg_logdir_ls|lo_\w+|loread|lowrite|dblink\w*|postgres_fdw_\w+|pg_(?:terminate|cancel)_backend|pg_reload_conf|pg_rotate_logfile\w*|pg_promote|pg_switch_wal|pg_(?:create|drop|start|stop|backup|wal)_\w+|pg_log_\w+|pg_notify|pg_(?:try_)?advisory_\w+|pg_(?:logical|replication|sync|copy)_\w+|pg_stat_\w*reset\w*|pg_import_system_collations|pg_sleep\w*|set_config|setval|nextval|(?:query|cursor|table|schema|database)_to_xml\w*|ts_stat|ts_rewrite|xpath_table|crosstab\w*|connectby)$/;
/** The server's own tables of passwords, which a reader of all data may read, too. */
const PASSWORDS = /^(?:pg_authid|pg_shadow|_?pg_user_mappings?|user_mapping_options|pg_subscription)$/;
/** Of types: those that are numbers or truth values; every other value comes as its text. */
const NUMBERS = [20, 21, 23, 26, 700, 701];
const BOOLEAN = 16;
const MOST_DESCRIBED = 40;

export async function askPostgres(url: string, password: string | undefined, request: DatabaseRequest): Promise<Answered> {
  const words = request.sql === undefined ? [] : checked(request.sql);
  const { default: pg } = await import('pg').catch((cause) => {
    throw packageMissing('Postgres databases need', ['pg'], cause);
  });
  const client = new pg.Client({
    connectionString: withPassword(url, password),
    connectionTimeoutMillis: request.timeoutMs,
    query_timeout: request.timeoutMs + 1000,
    application_name: 'hermes sql_query',
    types: { getTypeParser: (type: number) => (text: string) => fromText(type, text) } as never,
  });
  client.on('error', () => undefined); // the query that waits for the connection rejects with it
  try {
    await client.connect();
    await beginReading(client, request.timeoutMs);
    if (request.sql === undefined) return { data: await schemaOf(client, request.table) };
    return { data: await answer(client, request.sql, words, request.maxRows) };
  } catch (error) {
    return { error: await told(error as Error & { code?: string }, client, request.sql ?? '') };
  } finally {
    await client.end().catch(() => undefined); // it may have broken before
  }
}

/** In an address it wins over the environment and files of the user, and every sign of it is kept. */
function withPassword(address: string, password: string | undefined): string {
  if (password === undefined) return address;
  const url = new URL(address);
  url.password = encodeURIComponent(password);
  return url.href;
}

function fromText(type: number, text: string): unknown {
  if (type === BOOLEAN) return text === 't';
  const number = Number(text);
  const isExact = NUMBERS.includes(type) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  return isExact && !Number.isNaN(number) ? number : text;
}

/** Read-only by its first query, after which nothing can make it another; a superuser's rights are laid down for those of a reader. */
async function beginReading(client: Client, timeoutMs: number): Promise<void> {
  await client.query('BEGIN TRANSACTION READ ONLY');
  const { rows } = await client.query(
    `SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true), set_config('standard_conforming_strings', 'on', true),
       r.rolsuper AS super, current_setting('server_version_num')::int AS version FROM pg_roles r WHERE r.rolname = current_user`,
    [String(timeoutMs)],
  );
  if (rows[0]?.super && rows[0].version >= 140_000) await client.query('SET LOCAL ROLE pg_read_all_data');
}

/** Throws for what is not one reading statement. The transaction would refuse most of it, too; this tells why, and covers the rest. */
function checked(sql: string): string[] {
  const words = wordsOf(sql);
  if (!words)
    throw new HermesError('bad_sql', 'comments within comments and escaped names are not read here', { next: 'write it without them' });
  const [first = ''] = words;
  if (first === '') throw new HermesError('bad_sql', 'there is no statement', { next: 'write one SELECT' });
  const end = words.indexOf(';');
  if (end >= 0 && words.slice(end).some((word) => word !== ';')) {
    throw new HermesError('one_statement', 'only one statement is run at a time; nothing was run', {
      next: 'send the statements one by one',
    });
  }
  if (!READING.includes(first)) throw readOnly(`${first.toUpperCase()} is no reading statement`);
  const outside = words.find((word) => OUTSIDE.test(word));
  if (outside !== undefined) throw readOnly(`${outside} acts outside of the query`);
  const secret = words.find((word) => PASSWORDS.test(word));
  if (secret !== undefined)
    throw new HermesError('not_allowed', `${secret} holds passwords and is not read`, { next: 'pg_roles has the rest' });
  return words;
}

/** A cursor takes SELECT only (no INSERT in WITH, no INTO), and gives no more rows than are asked for. */
async function answer(client: Client, sql: string, [first = '']: readonly string[], maxRows: number): Promise<Table> {
  const statement = sql.replace(/[\s;]+$/, '');
  const isCursor = first !== 'show' && first !== 'explain';
  if (isCursor) await extended(client, `DECLARE hermes NO SCROLL CURSOR FOR\n${statement}`);
  const result = await extended(client, isCursor ? `FETCH ${maxRows + 1} FROM hermes` : statement);
  const columns = result.fields.map(({ name }) => name);
  return tableOf(columns, result.rows as unknown as unknown[][], maxRows);
}

/** The protocol in which a text is one statement. */
function extended(client: Client, text: string) {
  return client.query({ text, rowMode: 'array', queryMode: 'extended' } as never) as unknown as Promise<{
    fields: { name: string }[];
    rows: unknown[];
  }>;
}

// ---- schema ------------------------------------------------------------------------------------------------

const TABLES = `
  SELECT CASE WHEN n.nspname = 'public' THEN c.relname ELSE n.nspname || '.' || c.relname END AS name, c.relkind IN ('v', 'm') AS is_view,
    (SELECT coalesce(array_to_string(array_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), nullif(concat_ws(', ',
        CASE WHEN a.attnotnull THEN 'not null' END,
        CASE WHEN EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'p' AND a.attnum = ANY (k.conkey)) THEN 'primary key' END,
        (SELECT 'references ' || k.confrelid::regclass FROM pg_constraint k
          WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conkey = ARRAY[a.attnum] LIMIT 1)), '')) ORDER BY a.attnum), E'\\n'), '')
      FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY 1 LIMIT 500`;

async function tablesOf(client: Client): Promise<TableInfo[]> {
  const { rows } = await client.query<{ name: string; is_view: boolean; columns: string }>(TABLES);
  return rows.map(({ name, is_view, columns }) => ({ table: name, kind: is_view ? 'view' : 'table', columns: columns.split('\n') }));
}

async function schemaOf(client: Client, wanted?: string): Promise<Schema> {
  const all = await tablesOf(client);
  const plain = wanted?.toLowerCase().replace(/^public\./, '');
  const shown = plain === undefined ? all : all.filter(({ table }) => table.toLowerCase() === plain);
  if (wanted !== undefined && shown.length === 0) {
    const { next } = unknownTable('', wanted, all);
    throw new HermesError('unknown_table', `there is no table ${wanted}`, next === undefined ? {} : { next });
  }
  const tables = shown.map(({ columns, ...one }, index) => (index < MOST_DESCRIBED && columns ? { ...one, columns } : one));
  return { tables, ...(shown.length > MOST_DESCRIBED ? { next: 'describe a table by its name for its columns' } : {}) };
}

// ---- errors ------------------------------------------------------------------------------------------------

async function told(error: Error & { code?: string; hint?: string }, client: Client, sql: string): Promise<DatabaseError> {
  if (error instanceof HermesError) return error.toData();
  const { message, code = '', hint } = error;
  if (code === '42703' || code === '42P01') {
    const [, wrong = ''] = /^\w+ (\S+) does not exist/.exec(message) ?? [];
    await client.query('ROLLBACK');
    const tables = await tablesOf(client);
    return code === '42703' ? unknownColumn(message, wrong, sql, tables) : unknownTable(message, wrong, tables);
  }
  if (code === '57014')
    return { code: 'too_slow', message: 'the query took too long and was ended', next: 'filter earlier, aggregate, or ask for less' };
  if (code === '25006' || /must not contain|cannot open|INTO is not allowed/.test(message))
    return { ...readOnly().toData(), message: `${message}; nothing was changed` };
  if (code === '42501')
    return { code: 'not_allowed', message: `${message}; nothing was changed`, next: 'ask for what this role may read, or tell the user' };
  if (code.startsWith('42') || code.startsWith('22')) return { code: 'bad_sql', message, next: hint ?? mendIt('PostgreSQL') };
  if (code.startsWith('28') || code === '3D000') {
    const next = 'tell the user to check database, role and password in [tools.sql_query] databases';
    return { code: 'not_opened', message: `the database refuses the connection: ${message}`, next };
  }
  if (/ECONN|ENOTFOUND|ETIMEDOUT|timeout/i.test(`${code} ${message}`))
    return {
      code: 'not_reached',
      message: `the database does not answer (${code || message})`,
      next: 'tell the user to check that it runs, and its address in [tools.sql_query] databases',
    };
  return { code: 'database_error', message, next: hint ?? 'try another statement, or tell the user' };
}
