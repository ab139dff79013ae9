/** The tables of hermes.db. A change of schema is a new entry at the end of MIGRATIONS, never an edit of an old one. */

/** Marks a SQLite file as ours ("HRMS"). */
export const APPLICATION_ID = 0x48524d53;

/** Entry n takes a file from `PRAGMA user_version` n to n + 1, inside one transaction. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE runs (
    run_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, trace_id TEXT NOT NULL, parent_id TEXT, folder TEXT, continues TEXT,
    started TEXT NOT NULL, updated TEXT NOT NULL, status TEXT NOT NULL, request TEXT NOT NULL, steps INTEGER NOT NULL,
    seq INTEGER NOT NULL, hash TEXT NOT NULL, -- the head of the chain
    log_seq INTEGER NOT NULL DEFAULT 0, log_bytes INTEGER NOT NULL DEFAULT 0, log_hash TEXT NOT NULL DEFAULT '');
  CREATE INDEX runs_session ON runs (session_id);

  CREATE TABLE events (run_id TEXT NOT NULL, seq INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run_id, seq));

  CREATE TABLE contents (hash TEXT PRIMARY KEY, text TEXT); -- text NULL: forgotten
  CREATE TABLE content_runs (hash TEXT NOT NULL, run_id TEXT NOT NULL, PRIMARY KEY (hash, run_id)) WITHOUT ROWID;

  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, fact TEXT NOT NULL,
    once_key TEXT, -- letters with the same key count once, also after they are taken
    taken INTEGER NOT NULL DEFAULT 0, UNIQUE (run_id, once_key));

  CREATE TABLE leases (name TEXT PRIMARY KEY, owner TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, expires INTEGER NOT NULL);

  CREATE TABLE notes (namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (namespace, key)) WITHOUT ROWID;
  `,
  `
  CREATE TABLE spending (ts TEXT NOT NULL, unit TEXT NOT NULL, amount REAL NOT NULL); -- unit: tokens, or a currency
  CREATE INDEX spending_ts ON spending (ts);
  `,
];
