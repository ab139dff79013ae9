/** The store of the project at hand, for the commands that look back; they never make one. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../agent/config.ts';
import { openSqliteStore } from '../journal/sqlite.ts';
import type { EventStore, RunHead } from '../journal/store.ts';
import { type Cli, usageError } from './context.ts';
import { lookFor } from './load.ts';
import type { BaseOptions } from './options.ts';

/** Ids are looked for by their beginning among so many of the newest runs. */
const LOOKED_THROUGH = 10_000;

export interface Kept {
  config: Config;
  store: EventStore;
  logs: string;
}

/**
 * Runs `use` with the store, which is closed afterwards. Where there is none, `absent` speaks; without it that is an error which
 * says where the store was looked for.
 */
export async function withStore<T>(cli: Cli, options: BaseOptions, use: (kept: Kept) => Promise<T>, absent?: () => T): Promise<T> {
  const config = await lookFor(options);
  const file = join(config.root, '.hermes', 'hermes.db');
  if (!existsSync(file)) {
    if (absent) return absent();
    throw usageError(cli.t('runs.none', { file }), cli.t('runs.none.next'));
  }
  const store = await openSqliteStore({ file });
  try {
    return await use({ config, store, logs: join(config.root, '.hermes', 'logs') });
  } finally {
    await store.close();
  }
}

/** A run by its id, by the beginning of it, or `last`. */
export async function findRun(cli: Cli, store: EventStore, id: string): Promise<RunHead> {
  if (id === 'last') {
    const [newest] = await store.list({ limit: 1 });
    if (newest) return newest;
  }
  const exact = await store.head(id);
  if (exact) return exact;
  const found = id === '' ? [] : (await store.list({ limit: LOOKED_THROUGH })).filter((run) => run.run_id.startsWith(id));
  if (found.length === 1) return found[0]!;
  const key = found.length === 0 ? 'runs.unknown' : 'runs.ambiguous';
  throw usageError(
    cli.t(key, {
      id,
      found: found
        .slice(0, 5)
        .map((run) => run.run_id)
        .join(', '),
    }),
    cli.t('runs.unknown.next'),
  );
}
