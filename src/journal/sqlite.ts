/** The event store in one SQLite file: the default on one machine, shared by its processes. */

import { type Database, openDatabase } from './database.ts';
import { type Batch, type ContentReference, lineOf, newBatch, type Row, seal, tombstone, unseal } from './events.ts';
import { isGone } from './process.ts';
import { conflict, contentMissing, prunable } from './rules.ts';
import { contents, inbox, lease, log, notes, post, sessions, spent } from './sqlite-tables.ts';
import { type EventStore, follow, type RunHead, type RunIdentity, type StoreOptions } from './store.ts';

export interface SqliteOptions extends StoreOptions {
  file: string;
  /** Milliseconds for which a lock of another process is waited for; default 10,000. */
  lockedMs?: number;
}
/** Most events that one INSERT holds, and the statement for each number. */
const ROWS = 16;
const INSERTS = Array.from(
  { length: ROWS + 1 },
  (_, n) => `INSERT INTO events (run_id, seq, body, hash) VALUES ${Array(n).fill('(?, ?, ?, ?)')}`,
);
/** Three days: a day of any time zone, and clocks that differ. */
const KEEP_SPENDING_MS = 3 * 86_400_000;
type Value = string | number | null;

/** Opens or creates. A file that is locked for long, damaged, newer or not ours is an error and is not touched. */
export async function openSqliteStore({ file, lockedMs = 10_000, hide = (value) => value }: SqliteOptions): Promise<EventStore> {
  const database = await openDatabase(file, lockedMs);
  const store: EventStore = {
    ...runs(database),
    subscribe: (run_id, from, signal) => follow(store, run_id, from, signal),
    inbox: inbox(database, hide),
    lease: lease(database),
    sessions: sessions(database),
    notes: notes(database, hide),
    spent: spent(database),
    contents: contents(database),
    log: log(database),
    async prune(before) {
      const pruned = await database.write(() => prune(database, before));
      await database.wipe();
      return pruned;
    },
    flush: () => database.flush(),
    close: () => database.close(),
  };
  return store;
}

/** The last batch of a writer. While it is open, appends that follow join it; they are then kept or refused as one. */
interface Waiting {
  batch: Batch;
  open: boolean;
  saved: Promise<void>;
}

function runs(database: Database): Pick<EventStore, 'append' | 'read' | 'lines' | 'head' | 'list' | 'watch'> {
  const watchers = new Set<(run_id: string, ended: boolean) => void>();
  // Weak and never deleted from: a Map with as many deletions as entries keeps dead batches from the young collector.
  const latest = new WeakMap<RunIdentity, Waiting>();

  async function commit(waiting: Waiting, soon: boolean): Promise<void> {
    await database.write(() => {
      waiting.open = false;
      keep(database, waiting.batch);
    }, soon);
    for (const watcher of watchers) watcher(waiting.batch.run.run_id, waiting.batch.ended);
  }

  return {
    append(append) {
      const { run, after, durable } = append;
      let waiting = latest.get(run);
      if (waiting?.open && waiting.batch.head.seq === after.seq && waiting.batch.head.hash === after.hash) {
        const events = seal(append, waiting.batch);
        if (durable) database.hurry();
        return { events, saved: waiting.saved };
      }
      waiting = { batch: newBatch(append), open: true, saved: Promise.resolve() };
      const events = seal(append, waiting.batch);
      waiting.saved = commit(waiting, durable);
      latest.set(run, waiting);
      return { events, saved: waiting.saved };
    },
    read: (run_id, from = 1) =>
      database.read(() => lines(database, run_id, from).map((line) => unseal(line, (reference) => textOf(database, run_id, reference)))),
    lines: (run_id, from = 1) => database.read(() => lines(database, run_id, from)),
    head: (run_id) => database.read(() => headOf(database, run_id)),
    list: (options) => database.read(() => list(database, options)),
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}

/** Inside the transaction: the summary, the events, their texts. Fails when the run does not end where the writer believes. */
function keep(database: Database, batch: Batch): void {
  const { run_id } = batch.run;
  if (!placeHead(database, batch)) throw conflict(run_id, batch.after.seq, headOf(database, run_id)?.seq);
  insertRows(database, run_id, batch.after.seq, batch.rows);
  for (const { hash, text } of batch.texts) {
    const upsert = 'INSERT INTO contents (hash, text) VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text WHERE text IS NULL';
    database.sql(upsert).run(hash, text);
    database.sql('INSERT OR IGNORE INTO content_runs (hash, run_id) VALUES (?, ?)').run(hash, run_id);
  }
  for (const [unit, amount] of batch.spent)
    database.sql('INSERT INTO spending (ts, unit, amount) VALUES (?, ?, ?)').run(batch.updated, unit, amount);
  for (const id of batch.letters) database.sql('UPDATE inbox SET taken = 1 WHERE id = ?').run(id);
  for (const fact of batch.answers) post(database, run_id, fact, 1);
}

/** Several rows a statement: a third cheaper than one by one. */
function insertRows(database: Database, run_id: string, after: number, rows: readonly Row[]): void {
  for (let from = 0; from < rows.length; from += ROWS) {
    const count = Math.min(ROWS, rows.length - from);
    const values: Value[] = [];
    for (let i = from; i < from + count; i++) values.push(run_id, after + i + 1, rows[i]!.body, rows[i]!.hash);
    database.sql(INSERTS[count]!).run(...values);
  }
}

/** Compares and moves the head of the run's chain; false when it is somewhere else. */
function placeHead(database: Database, { run, after, head, step, started, updated, ...batch }: Batch): boolean {
  const { run_id, session_id, trace_id, parent_id = null, folder = null } = run;
  const { status = null, request = '', continues = null } = batch;
  if (after.seq > 0) {
    const move =
      'UPDATE runs SET seq = ?, hash = ?, updated = ?, status = coalesce(?, status), steps = ? WHERE run_id = ? AND seq = ? AND hash = ?';
    return database.sql(move).run(head.seq, head.hash, updated, status, step, run_id, after.seq, after.hash).changes === 1;
  }
  const insert = database.sql(
    `INSERT INTO runs (run_id, session_id, trace_id, parent_id, folder, continues, started, updated, status, request, steps, seq, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, coalesce(?, 'running'), ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  );
  const values = [run_id, session_id, trace_id, parent_id, folder, continues, started, updated, status, request, step, head.seq, head.hash];
  return insert.run(...values).changes === 1;
}

function lines(database: Database, run_id: string, from: number): string[] {
  const rows = database.sql('SELECT body, hash FROM events WHERE run_id = ? AND seq >= ? ORDER BY seq').all(run_id, from);
  return (rows as unknown as Row[]).map(lineOf);
}

function textOf(database: Database, run_id: string, { $content, bytes }: ContentReference): string {
  const row = database.sql('SELECT text FROM contents WHERE hash = ?').get($content);
  if (!row) throw contentMissing(run_id, $content);
  return row.text === null ? tombstone(bytes) : String(row.text);
}

function headOf(database: Database, run_id: string): RunHead | undefined {
  return heads(database, 'WHERE run_id = ?', run_id)[0];
}

function list(database: Database, { limit, session_id, status }: Parameters<EventStore['list']>[0]): RunHead[] {
  const where = 'WHERE (?2 IS NULL OR session_id = ?2) AND (?3 IS NULL OR status = ?3) ORDER BY runs.rowid DESC LIMIT ?4';
  const shared = status === 'running' || status === 'interrupted'; // told apart only by who holds the lease
  const found = heads(database, where, session_id ?? null, shared ? 'running' : (status ?? null), shared ? -1 : limit);
  return found.filter((head) => status === undefined || head.status === status).slice(0, limit);
}

function heads(database: Database, where: string, ...values: Value[]): RunHead[] {
  const rows = database
    .sql(
      `SELECT run_id, session_id, trace_id, parent_id, folder, continues, started, updated, status, request, steps, seq, hash, host, pid
       FROM runs LEFT JOIN leases ON name = run_id AND expires > ?1 ${where}`,
    )
    .all(Date.now(), ...values);
  return rows.map(({ host, pid, ...row }) => {
    const held = host !== null && !isGone({ host: String(host), pid: Number(pid) });
    const known = Object.entries(row).filter(([, value]) => value !== null);
    return { ...Object.fromEntries(known), status: row.status === 'running' && !held ? 'interrupted' : row.status } as RunHead;
  });
}

function prune(database: Database, before: string): RunHead[] {
  const pruned = prunable(heads(database, ''), before);
  for (const { run_id } of pruned) {
    for (const table of ['runs', 'events', 'inbox', 'content_runs']) database.sql(`DELETE FROM ${table} WHERE run_id = ?`).run(run_id);
  }
  database.sql('DELETE FROM contents WHERE hash NOT IN (SELECT hash FROM content_runs)').run();
  database.sql('DELETE FROM leases WHERE expires < ?').run(Date.now()); // of processes that crashed
  // A day's sum outlives its runs: pruning does not open a budget.
  const old = new Date(Date.now() - KEEP_SPENDING_MS).toISOString();
  database.sql('DELETE FROM spending WHERE ts < ?').run(before < old ? before : old);
  return pruned;
}
