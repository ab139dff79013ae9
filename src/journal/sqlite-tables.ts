/** The tables beside runs and events: inbox, leases, sessions, notes, texts, positions of the log. */

import type { Fact, Json } from '../kernel/types.ts';
import type { Database } from './database.ts';
import { onceKey, spentOf } from './events.ts';
import { isGone, thisHost } from './process.ts';
import { leaseLost, unknownRun } from './rules.ts';
import type { EventStore, LogPosition, StoreOptions } from './store.ts';

type Hide = NonNullable<StoreOptions['hide']>;

/** False when a letter of the same once-key is or was there. */
export function post(database: Database, run_id: string, fact: Fact, taken: 0 | 1): boolean {
  const text = JSON.stringify(fact);
  const insert = database.sql('INSERT INTO inbox (run_id, fact, once_key, taken) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING');
  return insert.run(run_id, text, onceKey(fact), taken).changes === 1;
}

export function inbox(database: Database, hide: Hide): EventStore['inbox'] {
  return {
    put: (run_id, fact) =>
      database.write(() => {
        if (!database.sql('SELECT 1 FROM runs WHERE run_id = ?').get(run_id)) throw unknownRun(run_id);
        return post(database, run_id, hide(fact), 0);
      }),
    take: (run_id, owner) =>
      database.read(() => {
        if (!database.sql('SELECT 1 FROM leases WHERE name = ? AND owner = ?').get(run_id, owner)) throw leaseLost(run_id);
        const rows = database.sql('SELECT id, fact FROM inbox WHERE run_id = ? AND taken = 0 ORDER BY id').all(run_id);
        return rows.map(({ id, fact }) => ({ id: Number(id), fact: JSON.parse(String(fact)) as Fact }));
      }),
  };
}

export function lease(database: Database): EventStore['lease'] {
  const host = thisHost();
  return {
    acquire: (name, owner, milliseconds) =>
      database.write(() => {
        const held = database.sql('SELECT owner, host, pid, expires FROM leases WHERE name = ?').get(name);
        const living = held && Number(held.expires) > Date.now() && !isGone({ host: String(held.host), pid: Number(held.pid) });
        if (living && held.owner !== owner) return false;
        const replace = database.sql('INSERT OR REPLACE INTO leases (name, owner, host, pid, expires) VALUES (?, ?, ?, ?, ?)');
        return replace.run(name, owner, host, process.pid, Date.now() + milliseconds).changes === 1;
      }),
    renew: (name, owner, milliseconds) =>
      database.write(() => {
        const update = database.sql('UPDATE leases SET expires = ? WHERE name = ? AND owner = ?');
        return update.run(Date.now() + milliseconds, name, owner).changes === 1;
      }),
    release: (name, owner) =>
      database.write(() => {
        database.sql('DELETE FROM leases WHERE name = ? AND owner = ?').run(name, owner);
      }),
  };
}

export function sessions(database: Database): EventStore['sessions'] {
  const last = (column: string, where: string, value: string) =>
    database.read(() => {
      const row = database
        .sql(`SELECT ${column} FROM runs WHERE ${where} = ? AND parent_id IS NULL ORDER BY rowid DESC LIMIT 1`)
        .get(value);
      return row && String(row[column]);
    });
  return {
    lastRun: (session_id) => last('run_id', 'session_id', session_id),
    lastIn: (folder) => last('session_id', 'folder', folder),
  };
}

export function notes(database: Database, hide: Hide): EventStore['notes'] {
  return {
    get: (namespace, key) =>
      database.read(() => {
        const row = database.sql('SELECT value FROM notes WHERE namespace = ? AND key = ?').get(namespace, hide(key));
        return row && (JSON.parse(String(row.value)) as Json);
      }),
    set: (namespace, key, value) =>
      database.write(() => {
        const replace = database.sql('INSERT OR REPLACE INTO notes (namespace, key, value) VALUES (?, ?, ?)');
        replace.run(namespace, hide(key), JSON.stringify(hide(value)));
      }),
    list: (namespace) =>
      database.read(() => {
        const rows = database.sql('SELECT key, value FROM notes WHERE namespace = ? ORDER BY key').all(namespace);
        return rows.map(({ key, value }) => ({ key: String(key), value: JSON.parse(String(value)) as Json }));
      }),
    delete: (namespace, key) =>
      database.write(() => database.sql('DELETE FROM notes WHERE namespace = ? AND key = ?').run(namespace, hide(key)).changes === 1),
  };
}

export function spent(database: Database): EventStore['spent'] {
  return (since) =>
    database.read(() => {
      const rows = database.sql('SELECT unit, sum(amount) AS amount FROM spending WHERE ts >= ? GROUP BY unit').all(since);
      return spentOf(rows.map(({ unit, amount }) => [String(unit), Number(amount)] as const));
    });
}

export function contents(database: Database): EventStore['contents'] {
  return {
    get: (hash) =>
      database.read(() => {
        const row = database.sql('SELECT text FROM contents WHERE hash = ?').get(hash);
        return row && (row.text === null ? null : String(row.text));
      }),
    async forget(hash) {
      const forget = () => database.sql('UPDATE contents SET text = NULL WHERE hash = ? AND text IS NOT NULL').run(hash).changes === 1;
      const forgotten = await database.write(forget);
      await database.wipe();
      return forgotten;
    },
  };
}

export function log(database: Database): EventStore['log'] {
  return {
    position: (run_id) =>
      database.read(() => {
        const row = database.sql('SELECT log_seq AS seq, log_bytes AS bytes, log_hash AS hash FROM runs WHERE run_id = ?').get(run_id);
        if (!row) throw unknownRun(run_id);
        return { ...row } as unknown as LogPosition;
      }),
    move: (run_id, { seq, bytes, hash }) =>
      database.write(() => {
        database.sql('UPDATE runs SET log_seq = ?, log_bytes = ?, log_hash = ? WHERE run_id = ?').run(seq, bytes, hash, run_id);
      }),
    behind: () =>
      database.read(() =>
        database
          .sql('SELECT run_id FROM runs WHERE log_seq < seq')
          .all()
          .map((row) => String(row.run_id)),
      ),
  };
}
