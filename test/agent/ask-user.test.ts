/** ask_user: a question sleeps like an approval, is answered in words, once, from anywhere, and nobody there is no dead end. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { Agent } from '../../src/agent/agent.ts';
import type { AgentOptions, Approver } from '../../src/agent/types.ts';
import { openSqliteStore } from '../../src/journal/sqlite.ts';
import { type ScriptedReply, scriptedModel } from '../../src/models/scripted.ts';
import { tool } from '../../src/tools/define.ts';
import { scanTools } from '../../src/tools/scan.ts';

const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../../tools'), trusted: true }]);
const askUser = tools.find(({ info }) => info.name === 'ask_user')!;
const folder = mkdtempSync(join(tmpdir(), 'hermes-ask-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let saved: string[] = [];
const save = tool({
  name: 'save',
  description: 'Saves a text. Use it when asked to.',
  input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  level: 'write',
  execute({ text }) {
    saved.push(text as string);
    return 'saved';
  },
});

const WHICH = { question: '发给哪位王老师？', options: ['王芳', '王强'] };
const asks = (...more: { name: string; arguments: Record<string, string> }[]): ScriptedReply => ({
  calls: [{ name: 'ask_user', arguments: WHICH }, ...more],
});

function agentWith(script: readonly ScriptedReply[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(script);
  return { agent: new Agent({ model, tools: [askUser, save], ...options }), model };
}

test('the run waits; the words that are given become the result', async () => {
  const { agent } = agentWith([asks(), '收件人是王芳老师。']);
  const run = agent.start('把报告发给王老师');
  const asleep = await run.outcome;
  assert.equal(asleep.status, 'waiting_for_approval');
  const [question] = asleep.approvals!;
  assert.deepEqual([question!.calls[0]!.wants, question!.calls[0]!.arguments], ['answer', WHICH]);
  const outcome = await run.answer(question!.approvalId, '王芳');
  assert.deepEqual([outcome.status, outcome.answer, outcome.toolCalls[0]!.success], ['success', '收件人是王芳老师。', true]);
  await assert.rejects(run.answer(question!.approvalId, '王强'), { code: 'unknown_approval' });
});

test('an answer is no permission: what acts has a question of its own, and takes no words', async () => {
  saved = [];
  const { agent } = agentWith([asks({ name: 'save', arguments: { text: 'x' } }), 'done']);
  const run = agent.start('save it');
  const { approvals } = await run.outcome;
  const [permission, question] = approvals!;
  assert.deepEqual([approvals!.length, permission!.calls[0]!.name, question!.calls[0]!.name], [2, 'save', 'ask_user']);
  await assert.rejects(run.answer(permission!.approvalId, 'yes'), { code: 'not_a_question' });
  const half = await run.answer(question!.approvalId, 'yes');
  assert.deepEqual([half.status, saved], ['waiting_for_approval', []]);
  const outcome = await run.deny(permission!.approvalId);
  assert.deepEqual([outcome.status, saved], ['success', []]);
});

test('nobody there, a yes without words, a no: the model goes on with an assumption', async () => {
  const approvers: [Approver, string][] = [
    [async () => ({ decision: 'deny', by: 'nobody' }), 'nobody_to_ask'],
    [async () => true, 'not_answered'],
    [async () => ({ decision: 'approve', note: '  ' }), 'not_answered'],
    [async () => false, 'not_answered'],
  ];
  for (const [onApproval, code] of approvers) {
    const { agent, model } = agentWith([asks(), '我假设是王芳。'], { onApproval });
    const outcome = await agent.run('把报告发给王老师');
    assert.deepEqual([outcome.status, outcome.toolCalls[0]!.errorCode], ['success', code]);
    assert.match(JSON.stringify(model.calls.at(-1)), /请按最可能的假设继续/);
  }
});

test('it survives a restart: another process answers through the store, and the second answer is told', async () => {
  const file = join(folder, 'hermes.db');
  const first = await openSqliteStore({ file });
  const begun = agentWith([asks()], { store: first });
  const asleep = await begun.agent.run('把报告发给王老师');
  await begun.agent.close();
  await first.close();

  const store = await openSqliteStore({ file });
  const data = { approval_id: asleep.approvals![0]!.approvalId, decision: 'approve', by: 'somebody', note: '王强' } as const;
  assert.ok(await store.inbox.put(asleep.runId, { event_type: 'approval.answer', data }));
  assert.ok(!(await store.inbox.put(asleep.runId, { event_type: 'approval.answer', data })));
  const { agent, model } = agentWith(['收件人是王强老师。'], { store });
  const outcome = await agent.resume(asleep.runId);
  assert.deepEqual([outcome.status, outcome.answer], ['success', '收件人是王强老师。']);
  assert.match(JSON.stringify(model.calls[0]), /王强\\?"\}/);
  await agent.close();
  await store.close();
  assert.ok(readdirSync(folder).includes('hermes.db'));
});

test("a tool of one's own asks in the same way", async () => {
  const { agent } = agentWith([{ calls: [{ name: 'rename', arguments: { to: 'b' } }] }, 'renamed'], {
    tools: [
      tool({
        name: 'rename',
        description: 'Renames. Use it when asked to.',
        input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
        level: 'read',
        judge: () => ({ level: 'read', ask: 'a name is needed', wants: 'answer' }),
        execute: ({ to }, { answer }) => `${to}: ${answer}`,
      }),
    ],
    onApproval: async () => ({ decision: 'approve', note: '新名字' }),
  });
  const outcome = await agent.run('rename');
  assert.equal(outcome.toolCalls[0]!.success, true);
});
