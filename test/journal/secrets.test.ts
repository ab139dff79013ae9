/** Known secrets and patterns. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createJournal } from '../../src/journal/journal.ts';
import { logPath, openLog } from '../../src/journal/log.ts';
import { createSecrets, maskPatterns } from '../../src/journal/secrets.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import { ended, identity, note, started, temporaryFolder, toolEnded } from './facts.ts';

test('known values become placeholders in strings and keys, and come back for a tool', () => {
  const secrets = createSecrets({ KEY: 'abc-123', LONGER: 'abc-123-def', 密码: 'p"a\\s+s$(w)', LOCAL: 'ollama', NONE: '' });
  const value = { 'abc-123': ['x abc-123-def y', 1, null], nested: { text: 'p"a\\s+s$(w)', same: { a: 'ollama' } } };
  const hidden = secrets.hide(value);
  assert.deepEqual(hidden, {
    '{{secret:KEY}}': ['x {{secret:LONGER}} y', 1, null],
    nested: { text: '{{secret:密码}}', same: { a: 'ollama' } },
  });
  assert.equal(hidden.nested.same, value.nested.same, 'what holds no secret is not copied');
  assert.deepEqual(secrets.restore(hidden), value);
  assert.equal(secrets.restore('{{secret:OTHER}} {{secret:toString}}'), '{{secret:OTHER}} {{secret:toString}}');
  assert.equal(secrets.hide(JSON.stringify({ a: 'p"a\\s+s$(w)' })), '{"a":"{{secret:密码}}"}', 'inside JSON text');
  assert.equal(secrets.hide(JSON.stringify(JSON.stringify('p"a\\s+s$(w)'))), String.raw`"\"{{secret:密码}}\""`, 'JSON in JSON');
  assert.equal(secrets.hide('https://x/?k=p%22a%5Cs%2Bs%24(w)'), 'https://x/?k={{secret:密码}}', 'inside an address');
  const none = createSecrets({ A: 'none' });
  assert.equal(none.hide(value), value);
});

test('patterns of secrets are masked, other text is not touched', () => {
  const pem = '-----BEGIN RSA PRIVATE KEY-----\\nMIIE"x\\n-----END RSA PRIVATE KEY-----';
  const secret = [
    `sk-proj-${'a1B2'.repeat(6)}`,
    `AKIA${'ABCD1234'.repeat(2)}`,
    `ghp_${'a'.repeat(36)}`,
    `xoxb-123456789012-abcdef`,
    `AIza${'b'.repeat(35)}`,
    `hf_${'c'.repeat(34)}`,
    `eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSMeKKF2QT4`,
    pem,
  ];
  for (const text of secret) assert.equal(maskPatterns(`前 ${text} 后`), '前 [masked] 后');
  assert.equal(maskPatterns('Authorization: Bearer abcdefghijklmnop'), 'Authorization: Bearer [masked]');
  assert.equal(maskPatterns('postgres://me:hunter22@db/x'), 'postgres://me:[masked]@db/x');
  assert.equal(maskPatterns(`a%20ghp_${'a'.repeat(36)}`), 'a%20[masked]');
  assert.equal(maskPatterns('https://x/?page=2&api_key=abcdef123#z'), 'https://x/?page=2&api_key=[masked]#z');
  const plain = [
    'https://x/?monkey=abcdefgh&keyword=abcdefgh',
    'task-force-one-two-three-four',
    'the Bearer of news',
    'https://a.b:8080/c@d',
    'run_0123456789abcdef',
    'a'.repeat(64),
    '风险-评估',
  ];
  for (const text of plain) assert.equal(maskPatterns(text), text);
  assert.doesNotThrow(() => JSON.parse(maskPatterns(JSON.stringify({ a: `"Bearer abcdefghijklmnop"`, b: pem }))));
  const begun = performance.now();
  maskPatterns(`${'-----BEGIN PRIVATE KEY-----'.repeat(2000)}${'a://b:'.repeat(20_000)}${'eyJ'.repeat(20_000)}`);
  assert.ok(performance.now() - begun < 5000, 'bounded on hostile text');
});

test('neither a known secret nor a pattern is in the bytes of the log; a known one not in the database either', async (context) => {
  const folder = temporaryFolder(context);
  const file = join(folder, 'hermes.db');
  const secrets = createSecrets({ KEY: 'abc-123-def' });
  const store = await openSqliteStore({ file, hide: secrets.hide });
  const log = openLog({ store, directory: folder, report: (problem) => assert.fail(problem.message) });
  const run = identity('r1');
  const journal = createJournal({ run, clock: { now: () => '2026-03-01T10:00:00.000Z' }, store, secrets });
  const token = `sk-proj-${'a1B2'.repeat(6)}`;
  await journal.append([started('my abc-123-def'), toolEnded(`${'long '.repeat(300)}abc-123-def`), note(`a ${token}`)], 1, true);
  await store.inbox.put('r1', note('steer abc-123-def'));
  await store.notes.set('n', 'abc-123-def', ['abc-123-def']);
  assert.deepEqual(await store.notes.get('n', 'abc-123-def'), ['{{secret:KEY}}']);
  await journal.append([ended()], 1, true);
  await log.close();
  for (const path of [file, `${file}-wal`, logPath(folder, (await store.head('r1'))!)]) {
    assert.equal(readFileSync(path).includes('abc-123-def'), false, path);
  }
  const lines = readFileSync(logPath(folder, (await store.head('r1'))!), 'utf8')
    .trim()
    .split('\n');
  assert.equal(lines.length, 4);
  assert.deepEqual([JSON.parse(lines[2]!).data.message, JSON.parse(lines[2]!).masked], ['a [masked]', true]);
  assert.equal((await store.read('r1'))[2]?.event_type === 'run.note', true);
  assert.match(JSON.stringify((await store.read('r1'))[2]), new RegExp(token), 'the stored data is not altered by a guess');
  assert.deepEqual(await verifyRun(store, 'r1', folder), { ok: true, events: 4, problems: [] });
  await store.close();
});
