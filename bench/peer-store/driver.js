/** This project behind the common interface of the peers' bench: plain defaults, every event kept in a SQLite store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '../../dist/src/index.js';
import { peerOf } from '../peer/driver.js';

const folder = mkdtempSync(join(tmpdir(), 'hermes-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

export default async function create(options) {
  return peerOf(options, { store: await openSqliteStore({ file: join(folder, `${Math.random()}.db`) }) });
}
