/**
 * `node disk-child.ts FOLDER STEP`: one run in each folder FOLDER/BYTES while no file of this process may grow beyond BYTES, for
 * 0, STEP, 2 * STEP ... until three in a row have succeeded. Says for each how it ended, one line of JSON.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openLog } from '../../src/journal/log.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { errorData, HermesError } from '../../src/kernel/errors.ts';
import type { ErrorData } from '../../src/kernel/types.ts';
import { diskAgent } from './disk-agent.ts';

/** How a run ended: its outcome, or what opening the store, running or closing has thrown. */
export interface Ended {
  bytes: number;
  status?: string;
  error?: ErrorData;
  thrown?: { where: 'opening' | 'running' | 'closing'; kind: string } & ErrorData;
}

async function attempt(folder: string): Promise<Omit<Ended, 'bytes'>> {
  let where: 'opening' | 'running' | 'closing' = 'opening';
  try {
    const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
    const log = openLog({ store, directory: join(folder, 'logs'), report: () => {} });
    where = 'running';
    const { status, error } = await diskAgent(store, folder).run('整理');
    where = 'closing';
    await log.close();
    await store.close();
    return error ? { status, error } : { status };
  } catch (error) {
    return { thrown: { where, kind: error instanceof HermesError ? error.kind : 'other', ...errorData(error) } };
  }
}

function limitFiles(bytes: number | 'unlimited'): void {
  const { status, stderr } = spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`prlimit: ${stderr}`);
}

const [top = '', step = ''] = process.argv.slice(2);
for (let bytes = 0, successes = 0; successes < 3; bytes += Number(step)) {
  const folder = join(top, String(bytes));
  mkdirSync(folder);
  limitFiles(bytes);
  const ended = await attempt(folder);
  limitFiles('unlimited');
  writeSync(1, `${JSON.stringify({ bytes, ...ended })}\n`);
  successes = ended.status === 'success' ? successes + 1 : 0;
}
