/** The library's front door with scripted models, real tools and a real store. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent, openSqliteStore, tool } from '../../src/index.ts';
import { readHistory } from '../../src/journal/history.ts';
import { replay } from '../../src/journal/replay.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import type { RunEvent } from '../../src/kernel/types.ts';
import { shorten } from '../../src/memory/context.ts';
import { createMemoryStore, path, scriptedModel } from '../../src/testing.ts';

const add = tool({
  name: 'add',
  description: 'Adds two numbers. Use it for every sum.',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  level: 'read',
  execute: ({ a, b }) => a + b,
});
const send = (sent: string[]) =>
  tool({
    name: 'send',
    description: 'Sends a text to somebody. Use it only when asked to.',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    level: 'dangerous',
    execute: ({ text }) => {
      sent.push(text);
      return 'sent';
    },
  });
const callAdd = { calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] };

async function withStore<T>(use: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-'));
  const store = await openSqliteStore({ file: join(folder, 'hermes.db') });
  try {
    return await use(store);
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

test('a run with a tool: outcome, path, and the events that say so', async () => {
  const agent = new Agent({ model: scriptedModel([callAdd, 'The sum is 3.']), tools: [add] });
  const events: RunEvent[] = [];
  const outcome = await agent.run('1+2?', { onEvent: (event) => events.push(event) });
  assert.equal(outcome.status, 'success');
  assert.equal(outcome.answer, 'The sum is 3.');
  assert.deepEqual(path(outcome), ['add']);
  const end = events.find((event) => event.event_type === 'tool.end');
  assert.deepEqual(end?.event_type === 'tool.end' && end.data.result, { success: true, data: 3 });
  assert.ok(events.some((event) => event.event_type === 'model.delta'));
});

test('streamed text equals the answer; events of a late reader end with the run', async () => {
  const agent = new Agent({ model: scriptedModel(['一、二、三，hello']) });
  const run = agent.start('数一数');
  let text = '';
  for await (const piece of run.text) text += piece;
  assert.equal(text, '一、二、三，hello');
  assert.equal((await run.outcome).answer, text);
});

test('a listener that throws harms neither the run nor other listeners', async () => {
  const agent = new Agent({ model: scriptedModel([callAdd, 'ok']), tools: [add] });
  const run = agent.start('1+2?');
  const warned = new Promise((resolve) => process.once('warning', resolve));
  let heard = 0;
  run.subscribe(() => {
    throw new Error('listener');
  });
  run.subscribe(() => {
    heard += 1;
  });
  assert.equal((await run.outcome).status, 'success');
  assert.ok(heard > 5);
  assert.match(String(await warned), /listener/);
});

test('a session keeps the talk; two requests at once wait for each other', async () => {
  const model = scriptedModel(['one', 'two', 'three']);
  const session = new Agent({ model }).session();
  const outcomes = await Promise.all([session.run('first'), session.run('second'), session.run('third')]);
  assert.deepEqual(
    outcomes.map((outcome) => outcome.answer),
    ['one', 'two', 'three'],
  );
  assert.equal(model.calls.at(-1)?.prompt.length, 6); // system, 2 x (user, assistant), user
});

test('a session in a store is found again by another agent, and each run verifies', () =>
  withStore(async (store) => {
    await new Agent({ model: scriptedModel(['你好']), store }).session('谈话').run('我叫小明');
    const model = scriptedModel(['小明']);
    const outcome = await new Agent({ model, store }).session('谈话').run('我叫什么？');
    assert.equal(model.calls[0]?.prompt.length, 4);
    assert.deepEqual((await verifyRun(store, outcome.runId)).problems, []);
    const { state } = await readHistory(store, outcome.runId);
    assert.deepEqual(
      state.messages.map((message) => message.content),
      ['我叫小明', '你好', '我叫什么？', '小明'],
    );
  }));

test('two agents that talk to one session at once wait for each other; no message is lost', () =>
  withStore(async (store) => {
    const agents = ['a', 'b', 'c'].map((name) => new Agent({ model: scriptedModel([name]), store }));
    await Promise.all(agents.map((agent, index) => agent.session('shared').run(`message ${index}`)));
    const last = await store.sessions.lastRun('shared');
    const { state } = await readHistory(store, last!);
    assert.equal(state.messages.length, 6);
    assert.deepEqual(
      state.messages
        .filter((message) => message.role === 'user')
        .map((message) => message.content)
        .sort(),
      ['message 0', 'message 1', 'message 2'],
    );
  }));

test('nobody to ask: the run sleeps; an approval lets it act, once', async () => {
  const sent: string[] = [];
  const model = scriptedModel([{ calls: [{ name: 'send', arguments: { text: 'hi' } }] }, 'done']);
  const run = new Agent({ model, tools: [send(sent)] }).start('send hi');
  const asleep = await run.outcome;
  assert.equal(asleep.status, 'waiting_for_approval');
  assert.deepEqual(sent, []);
  const [question] = asleep.approvals ?? [];
  assert.deepEqual(question?.calls[0]?.arguments, { text: 'hi' });
  const outcome = await run.approve(question!.approvalId);
  assert.equal(outcome.status, 'success');
  assert.deepEqual(sent, ['hi']);
});

test('a sleeping run is resumed from the store by another agent', () =>
  withStore(async (store) => {
    const sent: string[] = [];
    const tools = [send(sent)];
    const replies = [{ calls: [{ name: 'send', arguments: { text: 'hi' } }] }, 'done'];
    const asleep = await new Agent({ model: scriptedModel(replies), tools, store }).run('send hi');
    assert.equal(asleep.status, 'waiting_for_approval');
    await store.inbox.put(asleep.runId, {
      event_type: 'approval.answer',
      data: { approval_id: asleep.approvals![0]!.approvalId, decision: 'approve', by: 'somebody' },
    });
    const outcome = await new Agent({ model: scriptedModel(['done']), tools, store }).resume(asleep.runId);
    assert.equal(outcome.status, 'success');
    assert.deepEqual(sent, ['hi']);
    assert.equal((await verifyRun(store, asleep.runId)).ok, true);
  }));

test('an approver that says no, crashes, or says yes', async () => {
  const replies = [{ calls: [{ name: 'send', arguments: { text: 'hi' } }] }, 'done'];
  const answers = [async () => false, async () => Promise.reject(new Error('crash')), async () => true];
  const results = [];
  for (const onApproval of answers) {
    const sent: string[] = [];
    const outcome = await new Agent({ model: scriptedModel(replies), tools: [send(sent)], onApproval }).run('send hi');
    results.push([outcome.status, sent.length, outcome.toolCalls[0]?.errorCode]);
  }
  assert.deepEqual(results, [
    ['success', 0, 'denied'],
    ['success', 0, 'nobody_to_ask'],
    ['success', 1, undefined],
  ]);
});

test('abort by signal, before and in the middle of a tool', async () => {
  const stuck = tool({
    name: 'stuck',
    description: 'Never ends. Use it in tests only.',
    input: { type: 'object' },
    level: 'read',
    execute: () => new Promise(() => {}),
  });
  const agent = new Agent({ model: scriptedModel([{ calls: [{ name: 'stuck', arguments: {} }] }, 'x']), tools: [stuck] });
  assert.equal((await agent.run('go', { signal: AbortSignal.abort() })).status, 'cancelled');
  const controller = new AbortController();
  const outcome = await agent.run('go', {
    signal: controller.signal,
    onEvent: (event) => event.event_type === 'tool.start' && controller.abort(),
  });
  assert.equal(outcome.status, 'cancelled');
  assert.match(outcome.report ?? '', /Cancelled/);
});

test('the time of a run ends it, with a report, also inside a tool that ignores its signal', async () => {
  const stuck = tool({ name: 'stuck', description: 'x', input: { type: 'object' }, level: 'read', execute: () => new Promise(() => {}) });
  const agent = new Agent({
    model: scriptedModel([{ calls: [{ name: 'stuck', arguments: {} }] }]),
    tools: [stuck],
    limits: { maxSeconds: 0.3 },
  });
  const outcome = await agent.run('go');
  assert.equal(outcome.status, 'timeout');
  assert.equal(outcome.stoppedBy, 'max_seconds');
});

test('steering with interrupt ends the reply that is being written', async () => {
  const slow = scriptedModel([
    async ({ abortSignal }) => {
      setImmediate(() => run.steer('a haiku, rather', { interrupt: true }));
      await new Promise((resolve) => abortSignal?.addEventListener('abort', resolve));
      return 'too late';
    },
    'as you wish',
  ]);
  const run = new Agent({ model: slow }).start('write a novel');
  const outcome = await run.outcome;
  assert.equal(outcome.answer, 'as you wish');
  assert.equal(outcome.steps, 2);
});

test('another model and other tools from the next step on', async () => {
  const first = scriptedModel([callAdd], { id: 'test:first' });
  const second = scriptedModel(['from the second'], { id: 'test:second' });
  const run = new Agent({ model: first, tools: [add] }).start('go');
  run.subscribe((event) => {
    if (event.event_type === 'tool.end') run.use({ model: second, tools: [] });
  });
  const outcome = await run.outcome;
  assert.equal(outcome.answer, 'from the second');
  assert.equal(outcome.model, 'test:second');
  assert.equal(second.calls[0]?.tools, undefined);
});

test('fork goes on from any event, on another model; replay finds no difference, and names the first when there is one', () =>
  withStore(async (store) => {
    const agent = new Agent({ model: scriptedModel([callAdd, 'three', 'other'], { id: 'test:a' }), tools: [add], store });
    const outcome = await agent.run('1+2?');
    const history = await readHistory(store, outcome.runId);
    assert.deepEqual(await replay(history, { compact: shorten }), { ok: true, events: history.events.length });
    const answered = history.events.findLast((event) => event.event_type === 'model.end')!.seq;
    await assert.rejects(agent.fork(outcome.runId, { at: answered, model: scriptedModel([]) }), { code: 'nothing_to_do' });
    for (let at = 1; at < answered; at++) {
      const forked = await new Agent({ model: scriptedModel([callAdd, 'forked'].slice(-1), { id: 'test:b' }), tools: [add], store }).fork(
        outcome.runId,
        { at },
      );
      assert.equal(forked.status, 'success', `at ${at}`);
      assert.notEqual(forked.runId, outcome.runId);
      assert.deepEqual(
        await replay(await readHistory(store, forked.runId), { compact: shorten }).then((result) => result.difference),
        undefined,
      );
    }
    const changed = history.events.map((event) =>
      event.event_type === 'run.end' ? { ...event, data: { outcome: { ...event.data.outcome, answer: 'four' } } } : event,
    );
    const result = await replay({ ...history, events: changed }, {});
    assert.equal(result.ok, false);
    assert.equal(result.difference?.seq, changed.length);
  }));

test('secrets reach neither store nor events; the tool gets the real value', () =>
  withStore(async (store) => {
    const got: string[] = [];
    const login = tool({
      name: 'login',
      description: 'Logs in. Use it when told to.',
      input: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
      level: 'read',
      execute: ({ key }) => {
        got.push(key);
        return `logged in with ${key}`;
      },
    });
    const secret = 'swordfish-123-secret';
    const model = scriptedModel([{ calls: [{ name: 'login', arguments: { key: '{{secret:DOOR_KEY}}' } }] }, `it is ${secret}`]);
    const agent = new Agent({ model, tools: [login], store, secrets: { DOOR_KEY: secret } });
    const outcome = await agent.run(`log in with ${secret}`);
    assert.deepEqual(got, [secret]);
    assert.doesNotMatch(JSON.stringify(model.calls), /swordfish/);
    assert.doesNotMatch(JSON.stringify(await store.read(outcome.runId)), /swordfish/);
  }));

test('a sub-agent is a run of its own with a parent, and its failure is a result for the parent', () =>
  withStore(async (store) => {
    const child = new Agent({ model: scriptedModel([callAdd, 'three']), tools: [add], store });
    const lookup = child.asTool({ name: 'lookup', description: 'Asks the expert. Use it for sums.' });
    const parent = new Agent({
      model: scriptedModel([{ calls: [{ name: 'lookup', arguments: { request: '1+2?' } }] }, 'It is three.']),
      tools: [lookup],
      store,
    });
    const outcome = await parent.run('ask the expert');
    assert.equal(outcome.status, 'success');
    const runs = await store.list({ limit: 10 });
    assert.equal(runs.find((run) => run.run_id !== outcome.runId)?.parent_id, outcome.runId);
    const broken = new Agent({ model: scriptedModel([]), store }).asTool({ name: 'lookup', description: 'x' });
    const second = await new Agent({
      model: scriptedModel([{ calls: [{ name: 'lookup', arguments: { request: 'x' } }] }, 'no luck']),
      tools: [broken],
    }).run('ask');
    assert.equal(second.toolCalls[0]?.errorCode, 'sub_agent_error');
  }));

test('the json protocol: a call, an answer with highlights, a broken reply mended once', async () => {
  const model = scriptedModel([
    '{"reasoning": "sum", "action": "tool_call", "tool": "add", "parameters": {"a": 1, "b": 2}}',
    'I will answer {"action": "finish", "answer": "3',
    '{"thought": "done", "action": "finish", "action_input": "三", "highlights": ["likes sums"]}',
  ]);
  const outcome = await new Agent({ model, tools: [add], protocol: 'json' }).run('一加二？');
  assert.equal(outcome.answer, '三');
  assert.deepEqual(outcome.highlights, ['likes sums']);
  assert.deepEqual(path(outcome), ['add']);
  assert.equal(outcome.steps, 3);
});

test('in the json protocol people see the answer as it is written, and nothing of the JSON', async () => {
  const model = scriptedModel(['{"reasoning": "easy", "action": "finish", "answer": "line one\\nline \\"two\\" \\u4f60好"}']);
  const run = new Agent({ model, protocol: 'json' }).start('go');
  let text = '';
  for await (const piece of run.text) text += piece;
  assert.equal(text, 'line one\nline "two" 你好');
});

test('wrong use is an error with a next step; a model that fails is an outcome', async () => {
  const agent = new Agent({ model: scriptedModel([{ error: new Error('down') }]) });
  await assert.rejects(agent.run('  '), { code: 'empty_request' });
  await assert.rejects(agent.resume('run_x'), { code: 'no_store' });
  await assert.rejects(new Agent({ model: 'opnai:gpt' }).run('x'), { code: 'unknown_provider' });
  await assert.rejects(new Agent({ store: createMemoryStore() }).fork('run_none'), /run_none/);
  const outcome = await new Agent({ model: scriptedModel([]) }).run('x');
  assert.equal(outcome.status, 'error');
  assert.ok(outcome.error?.code);
});

test('a long talk does not overflow: old results are shortened first, calls keep their results', async () => {
  const big = tool({
    name: 'big',
    description: 'Gives much text.',
    input: { type: 'object' },
    level: 'read',
    execute: () => '字'.repeat(4000),
  });
  const replies = [...Array.from({ length: 8 }, (_, n) => ({ calls: [{ name: 'big', arguments: { n } }] })), 'done'];
  const model = scriptedModel(replies, { contextWindow: 12_000 });
  const events: RunEvent[] = [];
  const outcome = await new Agent({ model, tools: [big], limits: { maxSteps: 20 } }).run('go on', {
    onEvent: (event) => events.push(event),
  });
  assert.equal(outcome.status, 'success');
  assert.ok(events.some((event) => event.event_type === 'memory.compact'));
  for (const { prompt } of model.calls) assert.ok(JSON.stringify(prompt).length < 24_000);
});

test('with a store, too, an answer wakes a sleeping run; a wrong id is refused; an abort ends it', () =>
  withStore(async (store) => {
    const sent: string[] = [];
    const begin = () =>
      new Agent({
        model: scriptedModel([{ calls: [{ name: 'send', arguments: { text: 'hi' } }] }, 'done']),
        tools: [send(sent)],
        store,
      }).start('send hi');
    const first = begin();
    const asleep = await first.outcome;
    await assert.rejects(first.approve('nonsense'), { code: 'unknown_approval' });
    assert.equal((await first.approve(asleep.approvals![0]!.approvalId)).status, 'success');
    assert.deepEqual(sent, ['hi']);
    assert.equal((await verifyRun(store, first.id)).ok, true);
    const second = begin();
    await second.outcome;
    second.abort();
    assert.equal((await second.outcome).status, 'cancelled');
    assert.equal((await store.head(second.id))?.status, 'cancelled');
    assert.deepEqual(sent, ['hi']);
  }));

test('what was approved is this tool in this folder: after a change it is not run', () =>
  withStore(async (store) => {
    const sent: string[] = [];
    const replies = [{ calls: [{ name: 'send', arguments: { text: 'hi' } }] }, 'done'];
    const asleep = await new Agent({ model: scriptedModel(replies), tools: [send(sent)], store, workspace: '/tmp' }).run('send hi');
    const data = { approval_id: asleep.approvals![0]!.approvalId, decision: 'approve', by: 'somebody' } as const;
    await store.inbox.put(asleep.runId, { event_type: 'approval.answer', data });
    const outcome = await new Agent({ model: scriptedModel(['done']), tools: [send(sent)], store, workspace: '/' }).resume(asleep.runId);
    assert.deepEqual(sent, []);
    assert.equal(outcome.toolCalls[0]?.errorCode, 'approval_outdated');
  }));

test('a look that was agreed to is not made by a tool that acts by now', () =>
  withStore(async (store) => {
    const done: string[] = [];
    const make = (level: 'read' | 'dangerous') =>
      tool({
        name: 'look',
        description: 'Looks',
        level,
        input: { type: 'object' },
        execute: () => {
          done.push(level);
          return level;
        },
      });
    const permissions = { ask: ['look'] };
    const replies = [{ calls: [{ name: 'look', arguments: {} }] }, 'done'];
    const asleep = await new Agent({ model: scriptedModel(replies), tools: [make('read')], store, permissions }).run('look');
    const onApproval = async () => true;
    const later = new Agent({ model: scriptedModel(['done']), tools: [make('dangerous')], store, permissions, onApproval });
    const outcome = await later.resume(asleep.runId);
    assert.deepEqual([done, outcome.toolCalls[0]?.errorCode], [[], 'approval_outdated']);
  }));

test('a fork with a new request in the middle of a step gives every open call its result first', () =>
  withStore(async (store) => {
    const first = await new Agent({ model: scriptedModel([callAdd, 'three']), tools: [add], store }).run('1+2?');
    const events = await store.read(first.runId);
    for (const { seq } of events.slice(4)) {
      const model = scriptedModel(['fine']);
      const outcome = await new Agent({ model, tools: [add], store }).fork(first.runId, { at: seq, request: 'never mind' });
      assert.equal(outcome.status, 'success');
      const roles = model.calls[0]!.prompt.map((message) => message.role);
      const call = roles.indexOf('assistant');
      assert.equal(roles[call + 1], 'tool', `at ${seq}: ${roles}`);
    }
  }));

test('a person’s message is not lost by an abort: the next request of the talk brings it along', async () => {
  const model = scriptedModel([
    async ({ abortSignal }) => {
      run.steer('and in blue, please');
      setImmediate(() => run.abort());
      await new Promise((resolve) => abortSignal?.addEventListener('abort', resolve));
      return '';
    },
    'blue it is',
  ]);
  const session = new Agent({ model }).session();
  const run = await session.start('paint it');
  assert.equal((await run.outcome).status, 'cancelled');
  await session.run('go on');
  assert.match(JSON.stringify(model.calls[1]?.prompt), /and in blue, please/);
});

test('a model that does not heed its signal does not hold up the end of a run', async () => {
  const stuck = scriptedModel([() => new Promise<string>(() => {})]);
  const outcome = await new Agent({ model: stuck, limits: { maxSeconds: 0.3 } }).run('go');
  assert.equal(outcome.status, 'timeout');
});

test('use() right after the start is not lost, and brings in no tool that the white list leaves out', async () => {
  const model = scriptedModel([{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, 'ok']);
  const run = new Agent({ model, permissions: { whiteList: ['other'] } }).start('go');
  await run.use({ tools: [add] });
  assert.equal((await run.outcome).toolCalls[0]?.errorCode, 'unknown_tool');
  const second = new Agent({ model: scriptedModel([callAdd, 'ok']) }).start('go');
  await second.use({ tools: [add] });
  assert.equal((await second.outcome).toolCalls[0]?.success, true);
});

test('a reader of events gets the error of wrong use', async () => {
  const read = async () => {
    for await (const _ of new Agent({ model: 'opnai:x' }).stream('hi')) assert.fail('no event');
  };
  await assert.rejects(read(), { code: 'unknown_provider' });
});

test('wrong options are refused at construction, by name, with what was expected', () => {
  const wrong = (options: object, message: RegExp) =>
    assert.throws(
      () => new Agent(options),
      (error: Error) => message.test(error.message),
    );
  wrong({ protocol: 'jsom' }, /protocol: expected auto, native, json, react or guided, got "jsom"/);
  wrong({ limits: { maxSteps: -3 } }, /limits\.maxSteps: expected a whole number from 1, got -3/);
  wrong({ maxParallel: 0 }, /maxParallel/);
  wrong({ tools: [{}] }, /tools: expected a list of tools/);
  wrong({ instruction: 'x' }, /no option instruction/);
  wrong({ apiKey: 42 }, /apiKey: expected a text, got number/);
});

test('a rule before thinking may have something performed; its result is a fact in the log', async () => {
  const recall: NonNullable<ConstructorParameters<typeof Agent>[0]>['rules'] = {
    beforeThink: [(state) => ('recall' in state.results ? undefined : { do: 'perform', name: 'recall', input: 'who' })],
  };
  const events: RunEvent[] = [];
  const performers = { recall: async () => ({ result: 'Ming', usage: { input_tokens: 7 } }) };
  const outcome = await new Agent({ model: scriptedModel(['ok']), rules: recall, performers }).run('hi', {
    onEvent: (event) => events.push(event),
  });
  assert.equal(outcome.usage.inputTokens, 7);
  assert.deepEqual(events.find((event) => event.event_type === 'perform.end')?.event_type, 'perform.end');
  const missing = await new Agent({ model: scriptedModel(['ok']), rules: recall }).run('hi');
  assert.equal(missing.status, 'error');
});
