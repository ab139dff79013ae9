/** The shell tool before it runs: level, question, refusal and view of one command. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prepare, run, skip, workspace } from './world.ts';

type Prepared = { level: string; ask?: string; preview?: string; code?: string; message?: string };
const judged = async (...given: Parameters<typeof prepare>) => (await prepare(...given)).data as unknown as Prepared;

test('what reads or builds has the level read; what changes asks; what a rule must not open asks in any case', { skip }, async (t) => {
  const folder = await workspace(t);
  const levels = await Promise.all(['git status', 'npm test', 'touch a', 'curl http://a.b'].map((command) => judged(folder, command)));
  assert.deepEqual(
    levels.map(({ level, ask }) => [level, ask]),
    [
      ['read', undefined],
      ['read', undefined],
      ['write', undefined],
      ['dangerous', undefined],
    ],
  );
  assert.match((await judged(folder, 'rm -rf build')).ask ?? '', /a person has to look.*destroys/);
  assert.match((await judged(folder, 'git status && touch a')).ask ?? '', /a rule for one does not cover the others/);
  assert.match((await judged(folder, 'git status > a')).ask ?? '', /a rule for one does not cover the others/);
});

test('a refused command is told with its reason; the view names each command', { skip }, async (t) => {
  const folder = await workspace(t);
  const refused = await judged(folder, ':(){ :|:& };:');
  assert.deepEqual([refused.code, /starts itself/.test(refused.message ?? '')], ['refused_command', true]);
  const { preview } = await judged(folder, 'cat 说明.md | tee 副本.md');
  assert.equal(preview, '1. [free] cat 说明.md\n   only reads\n2. [asks] tee 副本.md\n   changes files in the workspace (副本.md)');
});

test('with a way out, builds ask: they could carry out what they read', { skip }, async (t) => {
  const { level, preview } = await judged(await workspace(t), 'npm test', { settings: { allow_hosts: ['example.com'] } });
  assert.equal(level, 'dangerous');
  assert.match(preview ?? '', /can reach: example\.com/);
});

test('without a sandbox by choice, every call asks and says so; the environment is clean all the same', async (t) => {
  const folder = await workspace(t);
  const settings = { sandbox: false };
  const { level, ask } = await judged(folder, 'ls', { settings });
  assert.deepEqual([level, /NO SANDBOX/.test(ask ?? '')], ['dangerous', true]);
  process.env.TEST_SECRET = 'geheim';
  t.after(() => delete process.env.TEST_SECRET);
  const { stdout } = await run(folder, 'env', { settings });
  assert.doesNotMatch(stdout, /TEST_SECRET/);
});

test('cwd stays in the workspace; a wrong setting names itself', async (t) => {
  const folder = await workspace(t);
  const settings = { sandbox: false };
  assert.match((await judged(folder, 'ls', { settings, arguments: { cwd: '..' } })).message ?? '', /out of the workspace/);
  assert.match(
    (await judged(folder, 'ls', { settings: { sandbox: 'no' } })).message ?? '',
    /\[tools\.shell\] sandbox: expected true or false/,
  );
});
