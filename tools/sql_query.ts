/** Asks a database: SQLite files of the workspace, and the databases that [tools.sql_query] names. It cannot change anything. */

import { resolve } from 'node:path';
import { HermesError, nearest } from '../src/kernel/errors.ts';
import { isObject } from '../src/kernel/json.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import { askDatabase } from '../src/sql/query.ts';
import type { Database } from '../src/sql/types.ts';
import { type RunContext, tool } from '../src/tools/define.ts';
import { badSetting } from '../src/tools/needs.ts';
import { readablePath } from '../src/tools/workspace.ts';

const SECONDS = 15;
const MOST_SECONDS = 120;
const ROWS = 50;

export default tool({
  name: 'sql_query',
  description:
    'Reads a SQLite or Postgres database with one SELECT, or describes its tables, and gives columns and rows; it cannot write. Use it to ' +
    'count, sum, join and look up in data that lies in a database; describe first when the columns are not known, and not for text files.',
  level: 'read',
  settingNames: ['databases', 'timeout_seconds'],
  private: true,
  untrusted: true,
  idempotent: true,
  timeoutMs: (MOST_SECONDS + 10) * 1000,
  input: {
    type: 'object',
    properties: {
      sql: { type: 'string', description: 'one reading statement; leave it out to describe', minLength: 1, maxLength: 20_000 },
      database: {
        type: 'string',
        description: 'name from the configuration, or a SQLite file in the workspace; default: the only one',
        minLength: 1,
      },
      describe: { type: 'string', description: 'instead of sql: the table whose columns to list, or * for all tables', minLength: 1 },
      max_rows: { type: 'integer', description: 'rows', minimum: 1, maximum: 1000, default: ROWS },
    },
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { columns: { type: 'array' }, rows: { type: 'array' }, tables: { type: 'array' }, next: { type: 'string' } },
  },
  aliases: {
    query: 'sql',
    statement: 'sql',
    db: 'database',
    file: 'database',
    table: 'describe',
    limit: 'max_rows',
    语句: 'sql',
    数据库: 'database',
  },
  keywords: 'sql query database table select sqlite postgres rows count sum report data 数据库 查询 表 统计 多少 行 字段 报表',
  examples: [
    {
      request: 'How many orders did each customer place?',
      arguments: { sql: 'SELECT customer, count(*) AS orders FROM orders GROUP BY customer ORDER BY orders DESC', database: 'shop.db' },
      result: {
        columns: ['customer', 'orders'],
        rows: [
          ['Li', 4],
          ['Bo', 1],
        ],
      },
      answer: 'Li placed 4 orders, Bo 1.',
    },
    {
      request: 'data/销售.db 里有哪些表？',
      arguments: { database: 'data/销售.db', describe: '*' },
      result: { tables: [{ table: '订单', kind: 'table', columns: ['编号 INTEGER primary key', '金额 REAL'] }] },
      answer: '有一张表“订单”，字段是编号和金额。',
    },
    {
      request: '三月的销售额是多少？',
      arguments: { sql: "SELECT sum(金额) AS 合计 FROM 订单 WHERE 日期 LIKE '2026-03-%'", database: 'data/销售.db' },
      result: { columns: ['合计'], rows: [[12800.5]] },
      answer: '三月的销售额是 12800.5。',
    },
  ],
  async execute({ sql, database, describe, max_rows }, { context, exec }) {
    if ((sql === undefined) === (describe === undefined)) {
      throw new HermesError('bad_request', 'give either sql or describe', { kind: 'tool', next: 'describe: "*" lists the tables' });
    }
    const { databases, seconds } = readSettings(context.settings);
    const target = await targetOf(databases, database, context);
    const asked = sql === undefined ? (describe === '*' ? {} : { table: describe! }) : { sql };
    return askDatabase(target, { ...asked, maxRows: max_rows, timeoutMs: seconds * 1000 }, exec);
  },
});

// ---- settings: [tools.sql_query] -------------------------------------------------------------------------

interface Named {
  url: string;
  passwordEnv?: string;
}

function readSettings({ databases = {}, timeout_seconds: seconds = SECONDS }: JsonObject): {
  databases: Map<string, Named>;
  seconds: number;
} {
  const wrong = (name: string, expected: string) => badSetting('sql_query', name, expected); // an address may hold a password
  if (typeof seconds !== 'number' || !(seconds >= 1 && seconds <= MOST_SECONDS)) throw wrong('timeout_seconds', `1 to ${MOST_SECONDS}`);
  if (!isObject(databases)) throw wrong('databases', 'a table, such as { shop = "data/shop.db" }');
  const named = Object.entries(databases).map(([name, value]): [string, Named] => {
    const { url, password_env: passwordEnv, ...others } = typeof value === 'string' ? { url: value } : isObject(value) ? value : {};
    const isPassword = passwordEnv === undefined || typeof passwordEnv === 'string';
    if (typeof url !== 'string' || url === '' || !isPassword || Object.keys(others).length > 0) {
      throw wrong(`databases.${name}`, 'a SQLite file, a postgres:// address, or { url = "postgres://...", password_env = "VARIABLE" }');
    }
    return [name, { url, ...(typeof passwordEnv === 'string' ? { passwordEnv } : {}) }];
  });
  return { databases: new Map(named), seconds };
}

// ---- which database --------------------------------------------------------------------------------------

/** What the configuration names may lie anywhere; a file that the model names lies in the workspace. */
async function targetOf(databases: ReadonlyMap<string, Named>, wanted: string | undefined, context: RunContext): Promise<Database> {
  const name = wanted ?? (databases.size === 1 ? [...databases.keys()][0]! : undefined);
  if (name === undefined) throw unnamed(databases, 'which database is meant is not said');
  const found = databases.get(name);
  if (!found && !/[./\\]/.test(name)) throw unnamed(databases, `there is no database ${name}`, nearest(name, databases.keys()));
  if (!found) return { kind: 'sqlite', file: await readablePath(context.workspace, name) };
  if (!/^postgres(?:ql)?:/.test(found.url)) return { kind: 'sqlite', file: resolve(context.workspace, found.url.replace(/^sqlite:/, '')) };
  const password = found.passwordEnv === undefined ? undefined : context.env[found.passwordEnv];
  if (found.passwordEnv !== undefined && password === undefined) {
    throw new HermesError('no_password', `${name} takes its password from ${found.passwordEnv}, which is not set`, {
      kind: 'tool',
      next: `tell the user to set ${found.passwordEnv} in the environment or .env`,
    });
  }
  return { kind: 'postgres', url: found.url, ...(password === undefined ? {} : { password }) };
}

function unnamed(databases: ReadonlyMap<string, Named>, message: string, near?: string): HermesError {
  const names = [...databases.keys()].join(', ');
  const known =
    names === ''
      ? 'name a SQLite file of the workspace, such as data/shop.db'
      : `the databases are ${names}, besides SQLite files of the workspace`;
  return new HermesError('unknown_database', message, { kind: 'tool', next: `${near ? `did you mean ${near}? ` : ''}${known}` });
}
