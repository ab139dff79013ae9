/** A disk that takes no more, at every point of a run: a clear error, nothing half-written, and the run goes on later. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { openLog } from '../../src/journal/log.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import type { EventStore } from '../../src/journal/store.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import { diskAgent } from './disk-agent.ts';
import type { Ended } from './disk-child.ts';

/** Less than a page of the database and its frame in the side file: each page that is written is once the first that no longer fits. */
const STEP = 4096;

const noLimits = spawnSync('prlimit', ['--version']).status !== 0 && 'prlimit (util-linux) limits the files of a process';

/** How the runs of the child ended, smallest disk first. */
async function endings(context: TestContext, top: string): Promise<Ended[]> {
  const parameters = [join(import.meta.dirname, 'disk-child.ts'), top, String(STEP)];
  const child = spawn(process.execPath, parameters, { stdio: ['ignore', 'pipe', 'inherit'] });
  context.after(() => child.kill('SIGKILL'));
  const ended: Ended[] = [];
  createInterface(child.stdout).on('line', (line) => ended.push(JSON.parse(line)));
  const [status] = await once(child, 'close');
  assert.equal(status, 0, 'the program never crashes');
  return ended;
}

/** Every key that acted, in order. Each had its tool.start in the store before. */
async function effects(store: EventStore, folder: string): Promise<string[]> {
  const file = join(folder, 'effects');
  const keys = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  const starts: string[] = [];
  for (const { run_id } of await store.list({ limit: 9 })) {
    for (const { event_type, data } of await store.read(run_id)) if (event_type === 'tool.start') starts.push(data.key);
  }
  for (const key of keys) assert.ok(starts.includes(key), `${key} acted unannounced`);
  return keys;
}

function assertClear({ bytes, status, error, thrown }: Ended): void {
  const told = thrown ?? error;
  const what = `${bytes}: ${JSON.stringify(told)}`;
  if (thrown) assert.deepEqual([thrown.where, thrown.kind], ['opening', 'store'], what);
  else assert.equal(status, told ? 'error' : 'success', what);
  if (!told) return;
  assert.match(told.code, /^store_(io|full)$/, what);
  assert.match(told.message, /hermes\.db/);
  assert.match(told.next ?? '', /hermes runs resume/);
}

test('the Nth page that the store writes does not fit, for every N', { skip: noLimits }, async (context) => {
  const top = mkdtempSync(join(tmpdir(), 'hermes-disk-'));
  context.after(() => rmSync(top, { recursive: true, force: true }));
  const all = await endings(context, top);
  const failed = all.filter(({ status }) => status === 'error').length;
  assert.ok(failed > 20, `${failed} runs failed in the middle`);
  for (const ended of all) {
    assertClear(ended);
    const folder = join(top, String(ended.bytes));
    const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
    const log = openLog({ store, directory: join(folder, 'logs'), report: (problem) => assert.fail(problem.message) });
    await log.catchUp();
    const runs = await store.list({ limit: 9 });
    for (const { run_id } of runs) assert.deepEqual((await verifyRun(store, run_id, join(folder, 'logs'))).problems, [], `${ended.bytes}`);
    const before = await effects(store, folder);
    const run = runs[0];
    assert.equal(run?.status === 'success', ended.status === 'success', `${ended.bytes}: ${run?.status}`);
    if (!run) assert.deepEqual(before, [], 'nothing was done unsaved');
    if (run?.status !== 'success') {
      const agent = diskAgent(store, folder);
      const { status } = await (run ? agent.resume(run.run_id) : agent.run('整理'));
      assert.equal(status, 'success', `${ended.bytes} goes on`);
    }
    const keys = await effects(store, folder);
    assert.equal(new Set(keys).size, keys.length, 'nothing was done twice');
    await log.close();
    await store.close();
  }
});
