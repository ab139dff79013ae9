/** Figures over many runs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statistics } from '../../src/journal/statistics.ts';
import type { Outcome, RunEvent } from '../../src/kernel/types.ts';

function log(model: string, outcome: Partial<Outcome> | undefined, parent_id?: string): RunEvent[] {
  const place = {
    seq: 1,
    ts: '2026-01-01T00:00:00.000Z',
    trace_id: 't',
    session_id: 's',
    run_id: 'r',
    step: 0,
    ...(parent_id ? { parent_id } : {}),
  };
  const limits = { max_steps: 10, max_seconds: 300 };
  const start = {
    ...place,
    event_type: 'run.start',
    data: { instructions: '', model, protocol: 'native', tools: {}, limits, language: 'zh' },
  };
  const full = { status: 'success', answer: '', highlights: [], steps: 2, usage: {}, tool_calls: [], ...outcome };
  return [start, ...(outcome ? [{ ...place, seq: 2, event_type: 'run.end', data: { outcome: full } }] : [])] as RunEvent[];
}
const call = (name: string, success: boolean, ms = 10) => ({ name, arguments: {}, success, ms, ran: true as const });

test('rates, means and sums; a run that has not ended is no success, a sub-agent’s no request', () => {
  const figures = statistics([
    log('a:m', {
      usage: { input_tokens: 100, output_tokens: 10, cached_tokens: 50 },
      cost: { amount: 1, currency: 'USD' },
      tool_calls: [call('天气', true, 30), call('天气', false)],
    }),
    log('a:m', {
      status: 'max_steps',
      steps: 10,
      usage: { input_tokens: 5 },
      tool_calls: [call('天气', false), { ...call('天气', false), error_code: 'invalid_arguments' }, call('b', true)],
    }),
    log('b:m', { usage: {}, cost: { amount: 2, currency: 'CNY' } }),
    log('b:m', undefined),
    log('b:m', { usage: { input_tokens: 1 }, cost: { amount: 0.5, currency: 'USD', partial: true } }, 'parent'),
  ]);
  assert.deepEqual([figures.runs, figures.ended, figures.statuses], [4, 3, { success: 2, max_steps: 1 }]);
  assert.equal(figures.completion_rate, 2 / 3);
  assert.equal(figures.mean_steps, 14 / 3);
  assert.deepEqual(figures.usage, { input_tokens: 105, output_tokens: 10, cached_tokens: 50 });
  assert.deepEqual(figures.costs, [
    { amount: 1, currency: 'USD' },
    { amount: 2, currency: 'CNY' },
  ]);
  assert.equal(figures.unpriced_runs, 1);
  assert.deepEqual(figures.tools, [
    { name: '天气', calls: 4, failures: 3, stuck_runs: 1, mean_ms: 15, misused: 1, instead: [{ name: 'b', count: 1 }] },
    { name: 'b', calls: 1, failures: 0, stuck_runs: 1, mean_ms: 10 },
  ]);
  assert.deepEqual(
    figures.models.map(({ model, runs, successes }) => [model, runs, successes]),
    [
      ['a:m', 2, 1],
      ['b:m', 1, 1],
    ],
  );
});

test('nothing kept: no rate, rather than 0', () => {
  const figures = statistics([]);
  assert.deepEqual([figures.runs, figures.completion_rate, figures.mean_steps], [0, undefined, undefined]);
});
