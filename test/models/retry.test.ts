/** What is tried again, how long is waited, and what is given up at once. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HermesError } from '../../src/kernel/errors.ts';
import { createOpenAICompatible } from '../../src/models/openai-compatible.ts';
import { type RetryOptions, withRetry } from '../../src/models/retry.ts';
import { completion, endpoint, prompt, sendJson } from './endpoint.ts';

const fault = (data = {}, retryable = true) =>
  new HermesError('server_error', 'it broke', { kind: 'model', retryable, data, next: 'wait' });

/** Runs attempts that fail with these errors, then succeed; gives the waits. */
async function run(errors: unknown[], options: RetryOptions = {}) {
  const waits: number[] = [];
  let attempts = 0;
  const sleep = async (ms: number) => void waits.push(ms);
  const result = withRetry(
    async () => {
      const error = errors[attempts++];
      if (error !== undefined) throw error;
      return 'done';
    },
    { sleep, ...options },
  );
  const outcome = await result.then(
    (value) => ({ value, error: undefined }),
    (error) => ({ value: undefined, error }),
  );
  return { ...outcome, waits, attempts };
}

test('three more attempts, each after a longer wait', async () => {
  const { value, waits } = await run([fault(), fault(), fault()]);
  assert.equal(value, 'done');
  assert.equal(waits.length, 3);
  for (const [i, base] of [500, 1000, 2000].entries()) {
    const wait = waits[i] as number;
    assert.ok(wait >= base * 0.75 && wait <= base * 1.25, `${wait} ms around ${base}`);
  }
});

test('then the last error', async () => {
  const last = fault();
  const { error, attempts } = await run([fault(), fault(), fault(), last]);
  assert.equal(error, last);
  assert.equal(attempts, 4);
  assert.equal((await run([fault(), fault()], { tries: 2 })).attempts, 2);
});

test('the wait that the server asks for, up to a minute', async () => {
  assert.deepEqual((await run([fault({ retry_after_ms: 30_000 })])).waits, [30_000]);
  const { error, attempts } = await run([fault({ retry_after_ms: 1_800_000 })]);
  assert.equal(attempts, 1);
  assert.deepEqual([error.code, error.retryable, error.next], ['server_error', false, 'wait']);
  assert.match(error.message, /it broke .*1800 s.*60 s/);
});

test('what cannot help is not tried again', async () => {
  for (const error of [fault({}, false), new TypeError('a mistake of ours')]) assert.equal((await run([error])).attempts, 1);
  assert.equal((await run([fault()], { mayRetry: () => false })).attempts, 1);
});

test('abort ends the waiting at once', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 20);
  const started = performance.now();
  const attempt = async () => {
    throw fault({ retry_after_ms: 30_000 });
  };
  await assert.rejects(withRetry(attempt, { signal: controller.signal }), (error) => error === reason);
  assert.ok(performance.now() - started < 10_000);
});

test('with a real endpoint: 503 with retry-after-ms, 429, then an answer', async (t) => {
  const server = await endpoint(t, (response, _request, count) => {
    if (count === 1) sendJson(response, 'loading', 503, { 'retry-after-ms': '5' });
    else if (count === 2) sendJson(response, { error: { message: 'slow down' } }, 429, { 'retry-after': '0' });
    else sendJson(response, completion({ content: 'ready' }));
  });
  const model = createOpenAICompatible({ id: 'acme:big', baseURL: server.baseURL, model: 'big' });
  const reply = await withRetry(() => model.ask(prompt('hi')), { sleep: async () => {} });
  assert.equal(reply.text, 'ready');
  assert.equal(server.requests.length, 3);
});
