/** Hooks in whole runs with a store: what each may do, that it stands in the log, that a replay needs no hook, and what one that fails does. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { replayRun } from '../../src/agent/replay.ts';
import { Agent, type Hooks, openSqliteStore, tool } from '../../src/index.ts';
import type { JsonObject, RunEvent } from '../../src/kernel/types.ts';
import { type ScriptedModel, scriptedModel } from '../../src/testing.ts';

const ran: JsonObject[] = [];
const save = tool({
  name: 'save',
  description: 'Saves.',
  level: 'write',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'], additionalProperties: false },
  execute(args) {
    ran.push(args as JsonObject);
    return `saved ${(args as JsonObject).path}`;
  },
});
const call = (...paths: string[]) => ({ calls: paths.map((path) => ({ name: 'save', arguments: { path } })) });

/** A run with these hooks; its replay without any must come to the same. */
async function run(
  hooks: Hooks,
  script: Parameters<typeof scriptedModel>[0],
  more: { allow?: string[]; deny?: string[] } = { allow: ['save'] },
) {
  ran.length = 0;
  const folder = await mkdtemp(join(tmpdir(), 'hermes-'));
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  const model: ScriptedModel = scriptedModel(script);
  const agent = new Agent({ model, tools: [save], store, hooks, permissions: more, language: 'en' });
  const events: RunEvent[] = [];
  try {
    const outcome = await agent.run('save it', { onEvent: (event) => events.push(event) });
    const replayed = await replayRun(store, outcome.runId, [save]);
    assert.ok(replayed.ok || outcome.status === 'waiting_for_approval', JSON.stringify(replayed));
    const verdicts = events.flatMap(({ event_type, data }) =>
      event_type === 'hook.verdict' ? [[data.hook, data.verdict, data.reason]] : [],
    );
    return { outcome, events, verdicts, model, ran: [...ran] };
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

test('hooks that say nothing change nothing and leave nothing in the log', async () => {
  const seen: string[] = [];
  const { outcome, verdicts } = await run(
    {
      beforeModel: ({ messages }, { step }) => void seen.push(`model ${step} ${messages.length}`) as undefined,
      afterModel: async () => {
        seen.push('reply');
        return undefined;
      },
      beforeTool: ({ name, level }) => void seen.push(`${name} ${level}`) as undefined,
      afterTool: ({ shown }) => void seen.push(shown) as undefined,
      beforeFinish: ({ answer }) => void seen.push(answer) as undefined,
    },
    [call('a'), 'done'],
  );
  assert.equal(outcome.answer, 'done');
  assert.deepEqual(seen, ['model 1 1', 'reply', 'save write', 'saved a', 'model 2 3', 'reply', 'done']);
  assert.deepEqual(verdicts, []);
});

test('beforeModel changes one request, or ends the run', async () => {
  const { outcome, model, verdicts } = await run(
    { beforeModel: () => ({ messages: [{ role: 'user', content: '改过的' }], reason: 'shorter' }) },
    ['fine'],
  );
  assert.equal(outcome.status, 'success');
  assert.match(JSON.stringify(model.calls[0]!.prompt), /改过的/);
  assert.deepEqual(verdicts, [['beforeModel', 'change', 'shorter']]);
  const vetoed = await run({ beforeModel: () => ({ veto: 'not on Sundays' }) }, ['never']);
  assert.deepEqual([vetoed.outcome.status, vetoed.outcome.stoppedBy, vetoed.model.calls.length], ['stopped_by_guard', 'hook', 0]);
  assert.match(vetoed.outcome.report ?? '', /not on Sundays/);
});

test('afterModel changes the text, drops calls, refuses the reply, or has its calls asked about', async () => {
  const changed = await run({ afterModel: ({ calls }) => (calls.length > 0 ? { drop: [calls[0]!.id] } : { text: '好' }) }, [
    call('a', 'b'),
    'done',
  ]);
  assert.deepEqual([changed.ran, changed.outcome.answer], [[{ path: 'b' }], '好']);
  const vetoed = await run({ afterModel: () => ({ veto: 'rude' }) }, [call('a')]);
  assert.deepEqual([vetoed.outcome.status, vetoed.ran.length], ['stopped_by_guard', 0]);
  const asked = await run({ afterModel: () => ({ ask: 'first day' }) }, [call('a')]);
  assert.deepEqual([asked.outcome.status, asked.ran.length], ['waiting_for_approval', 0]);
  assert.equal(asked.outcome.approvals?.[0]?.calls[0]?.reason, 'first day');
  assert.equal(asked.outcome.approvals?.[0]?.calls[0]?.always, undefined, 'what a hook asks about is asked every time');
});

test('beforeTool changes arguments, which are validated again, refuses a call, or has it asked about', async () => {
  const changed = await run({ beforeTool: () => ({ arguments: { path: 'inside/a' }, reason: 'moved' }) }, [call('a'), 'done']);
  assert.deepEqual(changed.ran, [{ path: 'inside/a' }]);
  assert.deepEqual(changed.verdicts, [['beforeTool', 'change', 'moved']]);
  const broken = await run({ beforeTool: () => ({ arguments: { nothing: 1 } }) }, [call('a'), 'done']);
  assert.deepEqual([broken.ran.length, broken.outcome.toolCalls[0]?.errorCode], [0, 'invalid_arguments']);
  const vetoed = await run({ beforeTool: ({ arguments: { path } }) => (path === 'b' ? { veto: 'b is not ours' } : undefined) }, [
    call('a', 'b'),
    'done',
  ]);
  assert.deepEqual(vetoed.ran, [{ path: 'a' }]);
  assert.match(JSON.stringify(vetoed.model.calls[1]!.prompt), /save was refused, and nothing was run: b is not ours/);
  const asked = await run({ beforeTool: () => ({ ask: 'look at it' }) }, [call('a')]);
  assert.equal(asked.outcome.status, 'waiting_for_approval');
});

test('no hook weakens a deny', async () => {
  const { outcome, ran: done } = await run({ beforeTool: () => ({ arguments: { path: 'private/x' } }) }, [call('a'), 'done'], {
    allow: ['save'],
    deny: ['save:private/*'],
  });
  assert.deepEqual([done.length, outcome.toolCalls[0]?.errorCode], [0, 'denied']);
  const asked = await run({ beforeTool: () => ({ ask: 'please' }) }, [call('a'), 'done'], { deny: ['save'] });
  assert.deepEqual([asked.outcome.status, asked.ran.length], ['success', 0]);
});

test('afterTool changes what the model sees, marks it as untrusted, or withholds it', async () => {
  const changed = await run({ afterTool: () => ({ shown: '[masked]', untrusted: true }) }, [call('a'), call('b')]);
  assert.ok(!JSON.stringify(changed.model.calls[1]!.prompt).includes('saved a'));
  assert.match(JSON.stringify(changed.model.calls[1]!.prompt), /masked/);
  assert.equal(changed.outcome.status, 'waiting_for_approval', 'after untrusted text a write is asked about');
  const vetoed = await run({ afterTool: () => ({ veto: 'holds a secret' }) }, [call('a'), 'done']);
  assert.deepEqual([vetoed.ran.length, vetoed.outcome.toolCalls[0]?.errorCode], [1, 'hook_veto']);
});

test('beforeFinish sends the answer back once, replaces it, or stops the run', async () => {
  const nudged = await run({ beforeFinish: ({ answer }) => (answer === 'short' ? { nudge: 'say more' } : undefined) }, [
    'short',
    'long enough',
  ]);
  assert.deepEqual([nudged.outcome.answer, nudged.outcome.steps, nudged.outcome.unverified], ['long enough', 2, undefined]);
  const stubborn = await run({ beforeFinish: () => ({ nudge: 'say more' }) }, ['short', 'still']);
  assert.deepEqual([stubborn.outcome.answer, stubborn.outcome.unverified], ['still', 'say more']);
  const replaced = await run({ beforeFinish: ({ answer }) => ({ answer: `${answer}!`, reason: 'louder' }) }, ['fine']);
  assert.deepEqual([replaced.outcome.answer, replaced.verdicts], ['fine!', [['beforeFinish', 'change', 'louder']]]);
  const stopped = await run({ beforeFinish: () => ({ veto: 'never' }) }, ['fine']);
  assert.deepEqual([stopped.outcome.status, stopped.outcome.stoppedBy], ['stopped_by_guard', 'hook']);
});

test('a hook that throws ends the run as an error that names it; what has run keeps its result', async () => {
  const fail = () => {
    throw new Error('boom');
  };
  for (const name of ['beforeModel', 'afterModel', 'beforeTool', 'afterTool', 'beforeFinish'] as const) {
    const { outcome, ran: done } = await run({ [name]: fail }, [call('a'), 'done']);
    assert.equal(outcome.status, 'error', name);
    assert.deepEqual([outcome.error?.code, outcome.error?.message], ['hook_failed', `the hook ${name} failed: boom`]);
    assert.equal(done.length, name === 'afterTool' || name === 'beforeFinish' ? 1 : 0, name);
    assert.equal(outcome.toolCalls.filter(({ success }) => success).length, done.length, name);
  }
});

test('a hook that never ends does not outlive the run', async () => {
  const model = scriptedModel([call('a'), 'done']);
  const hooks: Hooks = { beforeTool: () => new Promise(() => undefined) };
  const agent = new Agent({ model, tools: [save], hooks, permissions: { allow: ['save'] }, limits: { maxSeconds: 0.3 } });
  assert.equal((await agent.run('save it')).status, 'timeout');
});

test('a hook of an unknown name is an error that names the known ones', () => {
  assert.throws(() => new Agent({ hooks: { beforeTools: () => undefined } as Hooks }), {
    code: 'bad_option',
    message: /hooks: expected .*beforeTool/,
  });
});
