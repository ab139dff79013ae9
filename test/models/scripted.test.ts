/** The scripted and the recorded model: what tests, evals and replays are made of. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HermesError } from '../../src/kernel/errors.ts';
import type { EventData, RunEvent } from '../../src/kernel/types.ts';
import { recordedModel } from '../../src/models/recorded.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { Delta } from '../../src/models/types.ts';
import { prompt } from './endpoint.ts';

test('replies in order: texts, calls, functions of the request', async () => {
  const model = scriptedModel([
    {
      text: 'let me see',
      reasoning: 'hm',
      calls: [
        { name: 'add', arguments: { a: 1 } },
        { name: 'add', arguments: '{"a":' },
      ],
      usage: { input_tokens: 3 },
    },
    { calls: [{ name: 'now', arguments: {}, id: 'own' }] },
    (options) => `you sent ${options.prompt.length}`,
    { text: 'cut', finish: 'length', finish_raw: 'max_tokens' },
  ]);
  const ask = () => model.ask(prompt('hi'));
  assert.deepEqual(await ask(), {
    text: 'let me see',
    reasoning: 'hm',
    calls: [
      { id: 'call_1', name: 'add', input: '{"a":1}' },
      { id: 'call_2', name: 'add', input: '{"a":' },
    ],
    usage: { input_tokens: 3 },
    finish: 'tool-calls',
  });
  assert.deepEqual((await ask()).calls, [{ id: 'own', name: 'now', input: '{}' }]);
  assert.deepEqual(await ask(), { text: 'you sent 1', calls: [], finish: 'stop' });
  assert.deepEqual(await ask(), { text: 'cut', calls: [], finish: 'length', finish_raw: 'max_tokens' });
  assert.equal(model.calls.length, 4);
  assert.deepEqual(model.calls[0], prompt('hi'));
  await assert.rejects(ask(), (error: HermesError) => error.code === 'script_exhausted' && /4 replies.*number 5/.test(error.message));
});

test('streams in pieces, in which an abort takes effect', async () => {
  const text = '你好🚀'.repeat(10);
  const model = scriptedModel([{ text, reasoning: 'first think' }, text], { id: 'scripted:other' });
  assert.deepEqual([model.id, model.provider, model.modelId], ['scripted:other', 'scripted', 'other']);
  const deltas: Delta[] = [];
  await model.ask(prompt('hi'), (delta) => deltas.push(delta));
  assert.equal(deltas.map((delta) => delta.text ?? '').join(''), text);
  assert.equal(deltas[0]?.reasoning, 'first th');
  assert.ok(deltas.length > 4);

  const controller = new AbortController();
  const asked = model.ask({ ...prompt('hi'), abortSignal: controller.signal }, () => controller.abort(new Error('stop')));
  await assert.rejects(asked, /stop/);
});

test('an error comes after what was said', async () => {
  const model = scriptedModel([{ text: 'beg', error: new HermesError('rate_limited', 'slow down', { kind: 'model', retryable: true }) }]);
  let heard = '';
  await assert.rejects(
    model.ask(prompt('hi'), ({ text = '' }) => {
      heard += text;
    }),
    /slow down/,
  );
  assert.equal(heard, 'beg');
});

test('a recording answers as the run was answered', async () => {
  const end = (data: Partial<EventData['model.end']>): RunEvent => ({
    seq: 1,
    ts: '2026-01-01T00:00:00.000Z',
    trace_id: 't',
    session_id: 's',
    run_id: 'r',
    step: 1,
    event_type: 'model.end',
    data: { model: 'acme:big', text: '', calls: [], finish: 'stop', ms: 1, ...data },
  });
  const proposed = [{ id: 'a', name: 'add', arguments: { a: 1 } }];
  const other = { ...end({}), event_type: 'step.start', data: { step: 2 } } as RunEvent;
  const model = recordedModel([
    end({ text: 'see', calls: proposed, finish: 'tool-calls', usage: { output_tokens: 4 }, extra: { acme: { signature: 's' } } }),
    other,
    end({ text: '', raw: '{"action":"add"}', calls: proposed }),
    end({ error: { code: 'server_error', message: 'it broke' }, finish: 'error' }),
  ]);
  assert.equal(model.id, 'acme:big');
  assert.deepEqual(await model.ask(prompt('hi')), {
    text: 'see',
    calls: [{ id: 'a', name: 'add', input: '{"a":1}' }],
    usage: { output_tokens: 4 },
    finish: 'tool-calls',
    extra: { acme: { signature: 's' } },
  });
  assert.deepEqual(await model.ask(prompt('hi')), { text: '{"action":"add"}', calls: [], finish: 'stop' });
  await assert.rejects(model.ask(prompt('hi')), (error: HermesError) => error.code === 'server_error');
  await assert.rejects(model.ask(prompt('hi')), (error: HermesError) => error.code === 'recording_exhausted');
});
