/**
 * One SQLite file with group commit. Changes are queued as jobs; one transaction commits all that
 * wait, each job in a savepoint of its own, so that a job that fails takes no other with it. A lock
 * of another process is never waited for synchronously: the transaction is tried again with
 * back-off, up to a bound. WAL and synchronous FULL: what is committed is on the disk.
 */

import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { HermesError } from '../kernel/errors.ts';
import { explain, isLocked, isOwnFault } from './database-errors.ts';
import { APPLICATION_ID, MIGRATIONS } from './schema.ts';

/** Longest time that what is not durable waits for a commit to ride along with. */
const RIDE_MS = 50;

interface Job {
  /** Runs inside the transaction, perhaps more than once when it is tried again. */
  work: () => void;
  done: () => void;
  failed: (error: unknown) => void;
}

export class Database {
  readonly #file: string;
  readonly #lockedMs: number;
  readonly #connection: DatabaseSync;
  readonly #inode: number;
  readonly #statements = new Map<string, StatementSync>();
  #queue: Job[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  /** When the lock that is being waited for was first met. */
  #lockedSince: number | undefined;
  #closed = false;

  constructor(file: string, connection: DatabaseSync, lockedMs: number) {
    this.#file = file;
    this.#connection = connection;
    this.#lockedMs = lockedMs;
    this.#inode = statSync(file).ino;
  }

  sql(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (!statement) {
      statement = this.#connection.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Queues a change; resolves once it is on the disk. `soon`: with the next commit of this turn of the event loop. */
  write<T>(work: () => T, soon = true): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      const job: Job = {
        work: () => {
          result = work();
        },
        done: () => resolve(result),
        failed: reject,
      };
      if (this.#closed) return reject(new HermesError('store_closed', `${this.#file} has been closed`, { kind: 'store' }));
      this.#queue.push(job);
      this.#schedule(soon);
    });
  }

  /** Commits what waits in this turn of the event loop. */
  hurry(): void {
    this.#schedule(true);
  }

  /** Reads see all that was queued before. */
  async read<T>(work: () => T): Promise<T> {
    await this.flush();
    for (const started = Date.now(); ; await sleep(backOff())) {
      try {
        return work();
      } catch (error) {
        if (!isLocked(error) || Date.now() - started > this.#lockedMs) throw explain(error, this.#file, this.#lockedMs);
      }
    }
  }

  /** Takes deleted texts out of the side file too; done later when another process is in the way. */
  async wipe(): Promise<void> {
    await this.read(() => this.sql('PRAGMA wal_checkpoint(TRUNCATE)').get());
  }

  async flush(): Promise<void> {
    if (this.#queue.length > 0) await this.write(() => undefined);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    const flushed = this.flush();
    this.#closed = true;
    await flushed.finally(() => {
      clearTimeout(this.#timer);
      this.#connection.close();
    });
  }

  #schedule(soon: boolean): void {
    if (this.#lockedSince !== undefined) return; // the next try takes all that waits by then
    if (soon) this.#immediate ??= setImmediate(() => this.#commit());
    else this.#timer ??= setTimeout(() => this.#ride(), RIDE_MS); // stays when a commit comes sooner: it may be early, never late
  }

  #ride(): void {
    this.#timer = undefined;
    if (this.#lockedSince === undefined) this.#commit();
  }

  #commit(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    const jobs = this.#queue;
    this.#queue = [];
    if (jobs.length === 0) return;
    const failures = new Map<Job, unknown>();
    try {
      this.#transaction(jobs, failures);
    } catch (error) {
      if (isLocked(error) && this.#tryAgain(jobs)) return;
      for (const job of jobs) failures.set(job, explain(error, this.#file, this.#lockedMs));
    }
    this.#lockedSince = undefined;
    for (const job of jobs) failures.has(job) ? job.failed(failures.get(job)) : job.done();
  }

  /** All jobs or, when it throws, none. A job that fails by its own fault is undone alone. */
  #transaction(jobs: readonly Job[], failures: Map<Job, unknown>): void {
    const alone = jobs.length === 1;
    this.#checkInPlace();
    this.sql('BEGIN IMMEDIATE').run();
    try {
      for (const job of jobs) {
        if (!alone) this.sql('SAVEPOINT job').run();
        try {
          job.work();
        } catch (error) {
          if (alone || !isOwnFault(error)) throw error;
          failures.set(job, explain(error, this.#file, this.#lockedMs));
          this.sql('ROLLBACK TO job').run();
        }
        if (!alone) this.sql('RELEASE job').run();
      }
      this.sql('COMMIT').run();
    } catch (error) {
      if (this.#connection.isTransaction) this.sql('ROLLBACK').run(); // SQLite may have done so itself
      throw error;
    }
  }

  /** SQLite would go on writing into a file that has been deleted or moved away, and all of it would be lost. */
  #checkInPlace(): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new HermesError('store_moved', `${this.#file} has been deleted or replaced while it was open; nothing more can be saved in it`, {
      kind: 'store',
      next: 'put the file back, or run again with a new one',
    });
  }

  #tryAgain(jobs: Job[]): boolean {
    const now = Date.now();
    this.#lockedSince ??= now;
    if (now - this.#lockedSince > this.#lockedMs) return false;
    this.#queue = [...jobs, ...this.#queue];
    setTimeout(() => this.#commit(), backOff());
    return true;
  }
}

/** Opens or creates the file: folder 0700, files 0600. A file that is not ours or newer is refused and not touched. */
export async function openDatabase(file: string, lockedMs: number): Promise<Database> {
  for (const started = Date.now(); ; await sleep(backOff())) {
    let connection: DatabaseSync | undefined;
    try {
      createPrivately(file);
      connection = new DatabaseSync(file, { timeout: 0 });
      prepare(file, connection);
      return new Database(file, connection, lockedMs);
    } catch (error) {
      connection?.close();
      if (!isLocked(error) || Date.now() - started > lockedMs) throw explain(error, file, lockedMs);
    }
  }
}

function createPrivately(file: string): void {
  if (existsSync(file)) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600)); // SQLite gives its side files the same mode
}

function prepare(file: string, connection: DatabaseSync): void {
  const number = (text: string) => Number(Object.values(connection.prepare(text).get()!)[0]);
  connection.exec('BEGIN'); // one look: another process may be making the tables at this moment
  const version = number('PRAGMA user_version');
  const ours = number('PRAGMA application_id') === APPLICATION_ID;
  const tables = number('SELECT count(*) FROM sqlite_schema');
  connection.exec('COMMIT');
  if (!ours && (version !== 0 || tables > 0)) {
    throw new HermesError('store_foreign', `${file} is a database of another program; a hermes.db was expected`, {
      kind: 'store',
      next: 'name another file, or move this one away and run again',
    });
  }
  if (version > MIGRATIONS.length) {
    throw new HermesError('store_newer', `${file} has schema ${version}; this version of hermes knows up to ${MIGRATIONS.length}`, {
      kind: 'store',
      next: 'update hermes, or name another file',
    });
  }
  connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
  if (version === MIGRATIONS.length) return;
  connection.exec('BEGIN IMMEDIATE');
  for (const migration of MIGRATIONS.slice(number('PRAGMA user_version'))) connection.exec(migration);
  connection.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}; COMMIT`);
}

/** 5 to 25 ms: writers that wait do not meet again in step. */
function backOff(): number {
  return 5 + Math.random() * 20;
}
