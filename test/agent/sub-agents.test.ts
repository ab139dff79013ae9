/** Questions of sub-agents, however deep, reach the person whom the first agent asks. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { type ApprovalQuestion, openSqliteStore } from '../../src/index.ts';
import { family } from './family.ts';

test("the question of a sub-agent's sub-agent reaches the person, who may say yes, no or words", async () => {
  const asked: ApprovalQuestion[] = [];
  const answer = (yes: boolean) => async (question: ApprovalQuestion) => {
    asked.push(question);
    return yes;
  };
  const agreed = family({ onApproval: answer(true) });
  assert.equal((await agreed.eldest.run('go')).status, 'success');
  assert.deepEqual(agreed.sent, ['你好']);
  const refused = family({ onApproval: answer(false) });
  await refused.eldest.run('go');
  assert.deepEqual(refused.sent, []);
  assert.deepEqual(
    asked.map(({ calls }) => calls.map(({ name, arguments: args }) => [name, args.message])),
    Array(2).fill([['send', '你好']]),
  );
  const words: string[] = [];
  const doing = { calls: [{ name: 'ask_user', arguments: { question: 'To whom?' } }] };
  const onApproval = async ({ calls }: ApprovalQuestion) => {
    words.push(String(calls[0]?.arguments.question));
    return { decision: 'approve' as const, note: 'to Li' };
  };
  await family({ doing, onApproval }).eldest.run('go');
  assert.deepEqual(words, ['To whom?']);
});

test('other tools and another agent asked at the same time do not mix up whom they ask', async () => {
  const [first, second]: [string[], string[]] = [[], []];
  const one = family({ onApproval: async ({ runId }) => first.push(runId) > 0 });
  const two = family({ onApproval: async ({ runId }) => second.push(runId) < 0 });
  await Promise.all([one.eldest.run('go'), two.eldest.run('go')]);
  assert.deepEqual([first.length, second.length, one.sent.length, two.sent.length], [1, 1, 1, 0]);
});

test('killed while the youngest asked: the resumed eldest asks again, and it is done once', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-一家-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'family.ts'), folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((done) => child.once('close', done));
  t.after(() => child.kill('SIGKILL'));
  for await (const piece of child.stdout) {
    assert.equal(String(piece), 'send\n');
    break;
  }
  child.kill('SIGKILL');
  await ended;
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  t.after(() => store.close());
  const asked: string[] = [];
  const onApproval = async ({ calls }: ApprovalQuestion) => asked.push(calls[0]!.name) > 0;
  const { eldest, sent } = family({ onApproval, store, isNew: false });
  const runs = await store.list({ limit: 10 });
  assert.equal(runs.length, 3);
  const outcome = await eldest.resume(runs.find(({ parent_id }) => !parent_id)!.run_id);
  assert.deepEqual([outcome.status, asked, sent], ['success', ['send'], ['你好']]);
});
