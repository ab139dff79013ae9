/** sql_query against real databases: SQLite files, and a PostgreSQL server. What writes, in any disguise, is refused. */

import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import type { Json, JsonObject } from '../../src/kernel/types.ts';
import { wordsOf } from '../../src/sql/words.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared } from '../tools/performing.ts';
import { noPostgres, startPostgres } from './postgres.ts';

const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-sql-')));
after(() => rmSync(workspace, { recursive: true, force: true }));

interface Called {
  data?: JsonObject;
  code?: string;
  message?: string;
  next?: string;
}

let settings: JsonObject = {};
let env: Record<string, string> = {};

async function ask(args: JsonObject): Promise<Called> {
  const options = { tools, workspace, settings: { sql_query: settings }, env };
  const fact = await prepared(options, callOf('sql_query', args));
  assert.equal(fact.event_type, 'call.prepare', JSON.stringify(fact.data));
  const { result, untrusted: _ } = await acted(options, callOf('sql_query', (fact.data as { arguments: JsonObject }).arguments));
  if (result.success) return { data: result.data as JsonObject };
  const { code, message, next } = result.error;
  return { code, message, ...(next === undefined ? {} : { next }) };
}

const rows = async (args: JsonObject): Promise<Json> => {
  const { data, message } = await ask(args);
  return data?.rows ?? message ?? null;
};

function makeShop(path: string): string {
  const file = join(workspace, path);
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode=WAL;
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id), total REAL, 备注 TEXT);
    INSERT INTO customers VALUES (1, '李雷'), (2, 'Bo');
    INSERT INTO orders VALUES (1, 1, 9.5, '加急'), (2, 1, 20, NULL), (3, 2, 9007199254740993, 'x');
    CREATE VIEW big AS SELECT * FROM orders WHERE total > 10;
    CREATE VIRTUAL TABLE texts USING fts5(body); INSERT INTO texts VALUES ('hello world');`);
  database.close();
  return file;
}

describe('SQLite', () => {
  let file = '';
  before(() => {
    mkdirSync(join(workspace, 'data'));
    file = makeShop('data/店.db');
  });

  test('asked by a file of the workspace, in both languages; tables are described', async () => {
    const sql =
      'SELECT c.name, count(*) AS n, sum(o.total) FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.total < 100 GROUP BY c.name';
    assert.deepEqual((await ask({ sql, database: 'data/店.db' })).data, {
      columns: ['name', 'n', 'sum(o.total)'],
      rows: [['李雷', 2, 29.5]],
    });
    assert.deepEqual(await rows({ sql: "SELECT id FROM orders WHERE 备注 = '加急';", database: 'data/店.db' }), [[1]]);
    assert.deepEqual(await rows({ sql: "SELECT body FROM texts WHERE texts MATCH 'hello'", database: 'data/店.db' }), [['hello world']]);
    assert.deepEqual(
      await rows({
        sql: 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i FROM n',
        database: 'data/店.db',
      }),
      [[1], [2], [3]],
    );
    const { tables } = (await ask({ database: 'data/店.db', describe: '*' })).data as { tables: { table: string; columns: string[] }[] };
    assert.deepEqual(tables.find(({ table }) => table === 'orders')?.columns, [
      'id INTEGER primary key',
      'customer_id INTEGER references customers(id)',
      'total REAL',
      '备注 TEXT',
    ]);
    assert.equal(((await ask({ database: 'data/店.db', describe: 'big' })).data!.tables as { kind: string }[])[0]!.kind, 'view');
  });

  test('asked by its name in the configuration, wherever it lies', async () => {
    settings = { databases: { shop: file } };
    assert.deepEqual(await rows({ sql: 'SELECT count(*) FROM customers' }), [[2]]);
    const { code, next } = await ask({ sql: 'SELECT 1', database: 'shpo' });
    assert.deepEqual([code, /did you mean shop\?/.test(next!)], ['unknown_database', true]);
    settings = {};
    assert.equal((await ask({ sql: 'SELECT 1' })).code, 'unknown_database');
  });

  test('no file outside the workspace, no secret one, nothing that is no database', async () => {
    writeFileSync(join(workspace, 'text.txt'), 'plain text, and long enough to be looked at as a database file');
    symlinkSync('/etc/passwd', join(workspace, 'link.db'));
    mkdirSync(join(workspace, '.hermes'));
    makeShop('.hermes/hermes.db');
    const codes = {
      'text.txt': 'not_a_database',
      'link.db': 'outside_workspace',
      '.hermes/hermes.db': 'secret_file',
      'none.db': 'not_found',
    };
    for (const [database, code] of Object.entries(codes))
      assert.equal((await ask({ sql: 'SELECT * FROM x', database })).code, code, database);
    assert.equal((await ask({ sql: 'SELECT 1', database: '../x.db' })).code, 'outside_workspace');
  });

  test('what writes is refused in every disguise, and nothing changes', async () => {
    const before = readFileSync(file);
    const refused = [
      'DELETE FROM orders',
      "INSERT INTO customers VALUES (3, 'x')",
      "WITH x AS (SELECT 1) INSERT INTO customers SELECT 3, 'x' FROM x",
      'UPDATE orders SET total = 0 RETURNING id',
      'DROP TABLE orders',
      'CREATE TEMP TABLE t AS SELECT 1',
      `ATTACH DATABASE '${join(workspace, 'new.db')}' AS other`,
      `VACUUM INTO '${join(workspace, 'copy.db')}'`,
      'PRAGMA query_only = OFF',
      'PRAGMA journal_mode = DELETE',
      'PRAGMA user_version = 7',
      'PRAGMA writable_schema = 1',
      'PRAGMA database_list',
      'BEGIN IMMEDIATE',
      'EXPLAIN DELETE FROM orders',
      "SELECT load_extension('x')",
      "INSERT INTO texts(texts) VALUES ('rebuild')",
    ];
    // One after the other: calls of one key end each other's processes.
    const codes: unknown[] = [];
    for (const sql of refused) codes.push([sql, (await ask({ sql, database: 'data/店.db' })).code]);
    assert.deepEqual(
      codes,
      refused.map((sql) => [sql, 'read_only']),
    );
    assert.equal((await ask({ sql: 'SELECT 1; DELETE FROM orders', database: 'data/店.db' })).code, 'one_statement');
    assert.deepEqual(await rows({ sql: 'SELECT 1; -- that is all\n /* */ ;', database: 'data/店.db' }), [[1]]);
    assert.equal((await ask({ sql: '-- nothing', database: 'data/店.db' })).code, 'bad_sql');
    assert.ok(before.equals(readFileSync(file)));
    assert.ok(!existsSync(join(workspace, 'new.db')) && !existsSync(join(workspace, 'copy.db')));
  });

  test('a question leaves nothing beside the database, and one that a writer left half-done is told as that', async () => {
    makeShop('alone.db');
    assert.deepEqual(await rows({ sql: 'SELECT count(*) FROM customers', database: 'alone.db' }), [[2]]);
    assert.deepEqual(
      readdirSync(workspace).filter((name) => name.startsWith('alone')),
      ['alone.db'],
    );
    const writer = new DatabaseSync(join(workspace, 'busy.db'));
    writer.exec('PRAGMA journal_mode=WAL; CREATE TABLE t (x); INSERT INTO t VALUES (7)');
    assert.deepEqual(await rows({ sql: 'SELECT x FROM t', database: 'busy.db' }), [[7]], 'what is not yet in the file itself');
    symlinkSync(join(workspace, 'busy.db'), join(workspace, 'named.db'));
    settings = { databases: { linked: join(workspace, 'named.db') } };
    assert.deepEqual(await rows({ sql: 'SELECT x FROM t', database: 'linked' }), [[7]], 'by a link as well');
    settings = {};
    writer.close();
    const broken = new DatabaseSync(join(workspace, 'whole.db'));
    broken.exec('CREATE TABLE t (x); PRAGMA cache_size=1; BEGIN');
    for (let row = 0; row < 200; row++) broken.exec('INSERT INTO t VALUES (randomblob(4000))');
    copyFileSync(join(workspace, 'whole.db'), join(workspace, 'torn.db'));
    copyFileSync(join(workspace, 'whole.db-journal'), join(workspace, 'torn.db-journal'));
    broken.close();
    const { code, next } = await ask({ sql: 'SELECT count(*) FROM t', database: 'torn.db' });
    assert.deepEqual([code, /program that writes it/.test(next!)], ['needs_recovery', true]);
  });

  test('errors name what is there', async () => {
    const column = await ask({ sql: 'SELECT nmae FROM customers', database: 'data/店.db' });
    assert.equal(column.code, 'unknown_column');
    assert.match(column.next!, /did you mean name\?; customers has the columns id, name/);
    const table = await ask({ sql: 'SELECT * FROM costumers', database: 'data/店.db' });
    assert.match(table.next!, /did you mean customers\?; the tables are big, customers, orders/);
    const broken = await ask({ sql: 'SELECT FROM orders', database: 'data/店.db' });
    assert.deepEqual([/near "FROM"/.test(broken.message!), /as SQLite writes it/.test(broken.next!)], [true, true]);
    const text = await ask({ sql: 'SELECT id FROM customers WHERE name = 李雷', database: 'data/店.db' });
    assert.match(text.next!, /^a text stands in single quotes: '李雷'; customers has the columns/);
    assert.match((await ask({ database: 'data/店.db', describe: 'order' })).next!, /did you mean orders\?/);
    assert.equal((await ask({ database: 'data/店.db' })).code, 'bad_request');
  });

  test('rows, values, time and memory have limits', async () => {
    const numbers = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i';
    const many = (await ask({ sql: `${numbers} FROM n`, database: 'data/店.db', max_rows: 3 })).data!;
    assert.deepEqual([many.rows, /only the first 3 rows/.test(many.next as string)], [[[1], [2], [3]], true]);
    const wide = (await ask({ sql: `${numbers}, printf('%.*c', 400, 'x') FROM n`, database: 'data/店.db', max_rows: 1000 })).data!;
    assert.match(wide.next as string, /rows fit/);
    assert.deepEqual(
      await rows({ sql: "SELECT total, x'0102', printf('%.*c', 9000, '好') FROM orders WHERE id = 3", database: 'data/店.db' }),
      [[9007199254740992, '[2 bytes]', `${'好'.repeat(500)} [cut: 9000 characters]`]],
    );
    assert.deepEqual(await rows({ sql: 'SELECT 9007199254740993', database: 'data/店.db' }), [['9007199254740993']]);
    settings = { timeout_seconds: 1 };
    const began = performance.now();
    assert.equal((await ask({ sql: `${numbers} FROM n WHERE i < 0`, database: 'data/店.db' })).code, 'too_slow');
    assert.ok(performance.now() - began < 10_000);
    settings = {};
    const { code } = await ask({
      sql: "SELECT group_concat(printf('%.*c', 900000, 'x')) FROM (SELECT 1 FROM orders a, orders b, orders c, orders d, orders e, orders f)",
      database: 'data/店.db',
    });
    assert.equal(code, 'too_large');
  });

  test('a setting that is none is named', async () => {
    const wrong: JsonObject[] = [{ password_env: 'X' }, { url: 'shop.db', pasword_env: 'X' }];
    for (const shop of wrong) {
      settings = { databases: { shop } };
      const { code, message } = await ask({ sql: 'SELECT 1' });
      assert.deepEqual([code, /databases\.shop: expected/.test(message!)], ['bad_setting', true]);
    }
    settings = {};
  });
});

test('words of a statement: texts and comments hold none, whatever they look like', () => {
  const cases: [string, string[] | undefined][] = [
    ['SELECT \'lo_import(1)\', "Name" FROM t -- drop\n', ['select', ',', 'Name', 'from', 't']],
    ["SELECT E'it\\'s; x', $$a;b$$, $x$ $$ $x$", ['select', ',', ',']],
    ['SELECT /* x */ 1', ['select', '1']],
    ["SELECT /* /* */ ' */ pg_read_file(1) --'", undefined],
    ['SELECT U&"pg\\005fread_file"(\'x\')', undefined],
    ['SELECT 1 AS é$x$, pg_sleep(1), 2 AS b$x$', ['select', '1', 'as', 'é$x$', ',', 'pg_sleep', '(', '1', ')', ',', '2', 'as', 'b$x$']],
    ['SELECT 1 AS 😀$x$, pg_sleep(1)', ['select', '1', 'as', '😀$x$', ',', 'pg_sleep', '(', '1', ')']],
    ['--\rDROP TABLE t', ['drop', 'table', 't']],
  ];
  for (const [sql, words] of cases) assert.deepEqual(wordsOf(sql), words, sql);
});

const skip = noPostgres() ?? false;

describe('PostgreSQL', { skip }, () => {
  let server: Awaited<ReturnType<typeof startPostgres>>;
  let admin: import('pg').Client;
  before(async () => {
    server = await startPostgres();
    const { default: pg } = await import('pg');
    admin = new pg.Client({ connectionString: server.url('postgres:secret') });
    await admin.connect();
    await admin.query(`
      CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL);
      CREATE TABLE orders (id bigint PRIMARY KEY, customer_id int REFERENCES customers, total numeric(20, 2), at timestamptz, 备注 text, tags jsonb);
      INSERT INTO customers VALUES (1, '李雷'), (2, 'Bo');
      INSERT INTO orders VALUES (1, 1, 9.50, '2026-03-01 08:00+08', '加急', '{"a": 1}'), (9007199254740993, 2, 12345678901234567.89, NULL, NULL, NULL);
      CREATE SEQUENCE counter;
      CREATE FUNCTION add_customer() RETURNS int LANGUAGE sql AS $$ INSERT INTO customers VALUES (99, 'f') RETURNING id $$;
      CREATE SCHEMA hr; CREATE TABLE hr.people (id int, salary int);
      CREATE ROLE reader LOGIN PASSWORD '读密码'; GRANT SELECT ON customers, orders TO reader;`);
    settings = {
      databases: {
        crm: { url: server.url('postgres'), password_env: 'CRM_PASSWORD' },
        read: { url: server.url('reader'), password_env: 'READER' },
      },
    };
    env = { CRM_PASSWORD: 'secret', READER: '读密码', OTHER: 'x' };
  });
  after(async () => {
    await admin?.end();
    server?.stop();
  });
  const crm = (sql: string) => ask({ sql, database: 'crm' });

  test('rows with exact values; the schema with keys', async () => {
    const { data } = await crm(
      'SELECT o.id, c.name, o.total, o.备注, o.tags, o.at IS NULL AS open FROM orders o JOIN customers c ON c.id = o.customer_id ORDER BY o.id',
    );
    assert.deepEqual(data, {
      columns: ['id', 'name', 'total', '备注', 'tags', 'open'],
      rows: [
        [1, '李雷', '9.50', '加急', '{"a": 1}', false],
        ['9007199254740993', 'Bo', '12345678901234567.89', null, null, true],
      ],
    });
    for (const sql of [
      'TABLE customers',
      'VALUES (1), (2)',
      '(SELECT 1) UNION (SELECT 2)',
      'WITH x AS (SELECT 1) SELECT * FROM x;',
      'SHOW server_version',
      'EXPLAIN SELECT * FROM orders',
    ])
      assert.ok((await crm(sql)).data, sql);
    const { tables } = (await ask({ database: 'crm', describe: '*' })).data as { tables: { table: string; columns: string[] }[] };
    assert.deepEqual(
      tables.map(({ table }) => table),
      ['customers', 'hr.people', 'orders'],
    );
    assert.deepEqual(tables[2]!.columns.slice(0, 3), [
      'id bigint not null, primary key',
      'customer_id integer references customers',
      'total numeric(20,2)',
    ]);
    assert.deepEqual(await rows({ sql: 'SELECT count(*) FROM customers', database: 'read' }), [[2]]);
    assert.equal((await ask({ sql: 'SELECT * FROM hr.people', database: 'read' })).code, 'not_allowed');
  });

  test('what writes or reaches beyond the query is refused in every disguise, also for a superuser, and nothing changes', async () => {
    const marker = join(workspace, 'from-postgres');
    const refused = [
      'DELETE FROM customers',
      "WITH x AS (INSERT INTO customers VALUES (3, 'x') RETURNING *) SELECT * FROM x",
      'SELECT * INTO copied FROM customers',
      'SELECT add_customer()',
      'EXPLAIN ANALYZE DELETE FROM customers',
      'SELECT * FROM customers FOR UPDATE',
      "SELECT nextval('counter')",
      `COPY customers TO '${marker}'`,
      `COPY (SELECT 1) TO PROGRAM 'touch ${marker}'`,
      'SET TRANSACTION READ WRITE',
      'SET default_transaction_read_only = off',
      'RESET ROLE',
      'BEGIN READ WRITE',
      'COMMIT',
      'DO $$ BEGIN DELETE FROM customers; END $$',
      "SELECT pg_read_file('/etc/passwd')",
      'SELECT "pg_read_file"(\'/etc/passwd\')',
      "SELECT pg_catalog.pg_read_file('/etc/passwd')",
      "SELECT/**/pg_ls_dir('/')",
      `SELECT lo_export(1, '${marker}')`,
      "SELECT set_config('transaction_read_only', 'off', true)",
      "SELECT query_to_xml('select 1', true, true, '')",
      'SELECT pg_terminate_backend(1)',
      'NOTIFY x',
      'VACUUM',
      'LISTEN x',
      'CALL add_customer()',
    ];
    const codes: unknown[] = [];
    for (const sql of refused) codes.push([sql, (await crm(sql)).code]);
    assert.deepEqual(
      codes,
      refused.map((sql) => [sql, 'read_only']),
    );
    for (const sql of ['SELECT 1; DELETE FROM customers', 'SELECT 1; COMMIT; DELETE FROM customers'])
      assert.equal((await crm(sql)).code, 'one_statement');
    assert.equal((await crm('SELECT U&"pg\\005fread_file"(\'/etc/passwd\')')).code, 'bad_sql');
    const { rows: left } = await admin.query(
      'SELECT (SELECT count(*)::int FROM customers) AS n, (SELECT is_called FROM counter) AS called',
    );
    assert.deepEqual(left, [{ n: 2, called: false }]);
    assert.ok(!existsSync(marker));
  });

  test('a superuser reads with the rights of a reader: what no list names is refused by the server', async () => {
    await admin.query('CREATE FUNCTION peek(path text) RETURNS text LANGUAGE sql AS $$ SELECT pg_read_file(path) $$');
    assert.equal((await crm("SELECT peek('/etc/passwd')")).code, 'not_allowed');
    assert.deepEqual(await rows({ sql: 'SELECT current_user', database: 'crm' }), [['pg_read_all_data']]);
    for (const sql of [
      'SELECT rolpassword FROM pg_authid',
      'SELECT * FROM pg_catalog."pg_shadow"',
      'TABLE pg_user_mapping',
      'SELECT umoptions FROM pg_user_mappings',
      'SELECT umoptions FROM information_schema._pg_user_mappings',
      'SELECT option_value FROM information_schema.user_mapping_options',
      'SELECT subconninfo FROM pg_subscription',
    ])
      assert.equal((await crm(sql)).code, 'not_allowed', sql);
    assert.ok((await crm('SELECT rolname FROM pg_roles')).data, 'who there is, without passwords');
  });

  test('errors name what is there', async () => {
    const column = await crm('SELECT nmae FROM customers');
    assert.deepEqual([column.code, /did you mean name\?; customers has the columns id, name/.test(column.next!)], ['unknown_column', true]);
    const table = await crm('SELECT * FROM costumers');
    assert.match(table.next!, /did you mean customers\?; the tables are customers, hr\.people, orders/);
    assert.match((await crm('SELECT id FROM customers WHERE name IN ("Ann")')).next!, /^a text stands in single quotes: 'Ann'/);
    assert.deepEqual(await crm('SELECT FROM WHERE').then(({ code, next }) => [code, /as PostgreSQL writes it/.test(next!)]), [
      'bad_sql',
      true,
    ]);
    assert.equal((await crm("SELECT 'x'::int")).code, 'bad_sql');
  });

  test('rows and time have limits, and no query is left behind', async () => {
    const many = (await ask({ sql: 'SELECT generate_series(1, 100000000)', database: 'crm', max_rows: 2 })).data!;
    assert.deepEqual(many.rows, [[1], [2]]);
    settings = { ...settings, timeout_seconds: 1 };
    const slow = await crm('SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b');
    assert.equal(slow.code, 'too_slow');
    const { rows: left } = await admin.query("SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'hermes sql_query'");
    assert.deepEqual(left, [{ n: 0 }]);
  });

  test('a server that is not there, a wrong password, and no password: told without the address', async () => {
    const url = 'postgres://me:geheim@127.0.0.1:1/x';
    settings = {
      databases: {
        gone: url,
        wrong: { url: server.url('reader'), password_env: 'OTHER' },
        none: { url: server.url('reader'), password_env: 'MISSING' },
      },
    };
    const codes = { gone: 'not_reached', wrong: 'not_opened', none: 'no_password' };
    for (const [database, code] of Object.entries(codes)) {
      const result = await ask({ sql: 'SELECT 1', database });
      assert.equal(result.code, code, result.message);
      assert.ok(!JSON.stringify(result).includes('geheim'));
    }
  });
});
