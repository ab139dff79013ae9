/** Signatures of runs, and what verify finds of every way to change a kept run. */

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { logPath, openLog, removeLogs } from '../../src/journal/log.ts';
import { createMemoryStore } from '../../src/journal/memory.ts';
import { checkSignature, readPublicKey, readSigningKey, signaturePath, signEnds, signRun } from '../../src/journal/sign.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import type { EventStore } from '../../src/journal/store.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import { append, ended, identity, note, started, temporaryFolder } from './facts.ts';

function keys(folder: string, name = 'sign'): { secret: string; open: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const [secret, open] = [join(folder, `${name}.pem`), join(folder, `${name}.pub`)];
  writeFileSync(secret, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(open, publicKey.export({ type: 'spki', format: 'pem' }));
  return { secret, open };
}

/** Runs r1 and r2 in store and log, r1 signed as it ended. */
async function signed(context: TestContext, store: EventStore = createMemoryStore()) {
  const folder = temporaryFolder(context);
  const { secret, open } = keys(folder);
  const directory = join(folder, 'logs');
  const report = ({ message }: { message: string }) => assert.fail(message);
  const log = openLog({ store, directory, report });
  const signer = signEnds({ store, directory, report }, await readSigningKey(secret));
  await append(store, identity('r2'), [started('other'), note('2'), note('3'), note('4')]);
  const after = await append(store, identity('r1'), [started(), note('2'), note('3'), ended()]);
  await log.close();
  await signer.close();
  const check = async (file = open) => {
    const head = (await store.head('r1'))!;
    return (await checkSignature(store, head, directory, await readPublicKey(file))).map(({ code }) => code);
  };
  const verify = async () => (await verifyRun(store, 'r1', directory)).problems.map(({ code, seq }) => `${code} ${seq ?? ''}`.trim());
  return { folder, directory, secret, open, store, check, verify, after, path: logPath(directory, (await store.head('r1'))!) };
}

test('the end of a run is signed beside its log; the signature holds for this run, this end and this key', async (context) => {
  const run = await signed(context);
  assert.deepEqual(await run.check(), []);
  const file = signaturePath(run.directory, (await run.store.head('r1'))!);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const text = readFileSync(file, 'utf8');
  assert.deepEqual(
    { ...JSON.parse(text), key: 0, signature: 0 },
    { run_id: 'r1', seq: 4, hash: run.after.hash, algorithm: 'Ed25519', key: 0, signature: 0 },
  );
  assert.deepEqual(await run.check(keys(run.folder, 'other').open), ['signature_wrong']);
  await append(run.store, identity('r1'), [note('5')], { after: run.after });
  assert.deepEqual(await run.check(), ['signature_behind']);
  assert.equal(await signRun(run.store, 'r1', run.directory, await readSigningKey(run.secret)), true);
  assert.deepEqual(await run.check(), []);
  writeFileSync(file, text.replace('"seq":4', '"seq":3'));
  assert.deepEqual(await run.check(), ['signature_wrong']);
  for (const broken of ['', '{}', 'null', '[]']) {
    writeFileSync(file, broken);
    assert.deepEqual(await run.check(), ['signature_wrong'], broken);
  }
  await removeLogs(run.directory, [(await run.store.head('r1'))!]);
  assert.deepEqual(await run.check(), ['signature_missing']);
  assert.equal(await signRun(run.store, 'r9', run.directory, await readSigningKey(run.secret)), false);
});

test('what is no Ed25519 key is named, with the command that makes one', async (context) => {
  const folder = temporaryFolder(context);
  const { secret, open } = keys(folder);
  const rsa = join(folder, 'rsa.pem');
  writeFileSync(rsa, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }));
  for (const file of [open, rsa, join(folder, 'none')])
    await assert.rejects(readSigningKey(file), {
      code: 'bad_signing_key',
      kind: 'usage',
      message: new RegExp(`^${file} (holds no private|cannot be read \\(ENOENT)`),
    });
  for (const file of [secret, rsa, join(folder, 'none')]) await assert.rejects(readPublicKey(file), { code: 'bad_signing_key' });
});

test('every way to change the log file is found: changed, removed, reordered, cut, added, torn, replaced', async (context) => {
  const swap = (lines: string[], a: number, b: number) => lines.with(a, lines[b]!).with(b, lines[a]!);
  const ways: [string, (lines: string[], directory: string) => string[], RegExp][] = [
    ['one letter', (lines) => lines.with(1, lines[1]!.replace('"2"', '"7"')), /log_changed 2/],
    ['the hash', (lines) => lines.with(1, lines[1]!.replace(/"hash":"../, '"hash":"zz')), /log_changed 2/],
    ['white space', (lines) => lines.with(1, lines[1]!.replace('{', '{ ')), /log_changed 2/],
    ['removed', (lines) => lines.toSpliced(1, 1), /log_line_missing 2/],
    ['first removed', (lines) => lines.toSpliced(0, 1), /log_line_missing 1/],
    ['reordered', (lines) => swap(lines, 1, 2), /log_line_missing 2.*log_foreign 2/],
    ['twice', (lines) => lines.toSpliced(1, 0, lines[1]!), /log_foreign 2/],
    ['cut', (lines) => lines.slice(0, 2), /log_cut 2/],
    ['cut in a line', (lines) => [...lines.slice(0, 3), lines[3]!.slice(0, 20)], /log_torn 4.*log_cut 3/],
    ['emptied', () => [], /log_cut 0/],
    ['a line of another run', (lines, directory) => lines.with(1, otherRun(directory)[1]!), /log_changed 2/],
    ['the file of another run', (_, directory) => otherRun(directory), /log_changed 1/],
  ];
  const otherRun = (directory: string) =>
    readFileSync(join(directory, '2026-03-01', 'r2.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
  for (const [name, change, found] of ways) {
    const run = await signed(context);
    assert.deepEqual(await run.verify(), []);
    const lines = readFileSync(run.path, 'utf8').trimEnd().split('\n');
    const changed = change(lines, run.directory);
    const end = name === 'cut in a line' || changed.length === 0 ? '' : '\n';
    writeFileSync(run.path, changed.join('\n') + end);
    assert.match((await run.verify()).join(' '), found, name);
  }
  const gone = await signed(context);
  rmSync(gone.path);
  assert.deepEqual(await gone.verify(), ['log_missing']);
});

test('a chain made anew, in store and log alike, is found by the signature alone', async (context) => {
  const folder = temporaryFolder(context);
  const file = join(folder, 'hermes.db');
  const store = await openSqliteStore({ file });
  const run = await signed(context, store);
  await store.close();
  assert.deepEqual(await run.verify().catch(() => 'closed'), 'closed');
  // Somebody who may write everywhere: the same run with another second event, and the log as its program would write it.
  const forged = join(folder, 'forged.db');
  const other = await openSqliteStore({ file: forged });
  const forgedLogs = join(folder, 'forged-logs');
  const log = openLog({ store: other, directory: forgedLogs, report: ({ message }) => assert.fail(message) });
  await append(other, identity('r1'), [started(), note('forged'), note('3'), ended()]);
  await log.close();
  const head = (await other.head('r1'))!;
  copyFileSync(signaturePath(run.directory, head), signaturePath(forgedLogs, head));
  assert.deepEqual((await verifyRun(other, 'r1', forgedLogs)).problems, [], 'by itself it holds together');
  const key = await readPublicKey(run.open);
  assert.deepEqual(
    (await checkSignature(other, head, forgedLogs, key)).map(({ code }) => code),
    ['signature_wrong'],
  );
  await other.close();
});

test('a run that was cut everywhere ends before its signature', async (context) => {
  const file = join(temporaryFolder(context), 'hermes.db');
  const store = await openSqliteStore({ file });
  const run = await signed(context, store);
  await store.flush();
  const database = new DatabaseSync(file);
  const before = (await store.lines('r1', 3))[0]!;
  database.exec("DELETE FROM events WHERE run_id = 'r1' AND seq = 4");
  database.prepare("UPDATE runs SET seq = 3, hash = ? WHERE run_id = 'r1'").run(JSON.parse(before).hash);
  database.close();
  assert.deepEqual((await verifyRun(store, 'r1')).problems, [], 'the store alone does not know');
  assert.deepEqual(await run.check(), ['signature_wrong']);
  await store.close();
});
