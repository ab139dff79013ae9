/** The price table as it is shipped, and what is made of it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf, factsOf, priceTable, staleDays } from '../../src/models/prices.ts';

test('the table says from when and what it is, and each row can be used', () => {
  const { as_of, models } = priceTable();
  assert.match(as_of, /^\d{4}-\d{2}-\d{2}$/);
  const rows = Object.entries(models);
  assert.ok(rows.length > 200, `${rows.length} models`);
  for (const [id, row] of rows) {
    assert.match(id, /^[a-z][a-z-]*\/\S+$/);
    for (const value of [row.in, row.out, row.read, row.write]) assert.ok(value === undefined || (value >= 0 && value < 1000), id);
    assert.ok(row.context !== undefined && row.context >= 1000, id);
    assert.ok((row.read ?? 0) <= (row.in ?? 0) || row.in === undefined, `${id}: reading from the cache costs more than not`);
  }
});

test('windows and prices are found by name, by the name without its date, and by the family of a region', () => {
  assert.equal(factsOf('anthropic:claude-opus-4-7').context, 1_000_000);
  assert.equal(factsOf('openai:gpt-5.2-2099-01-01').context, factsOf('openai:gpt-5.2').context);
  assert.deepEqual(factsOf('moonshot-intl:kimi-k2.6'), factsOf('moonshot:kimi-k2.6'));
  assert.deepEqual(factsOf('nobody:knows'), {});
});

test('tokens read from the cache, written to it, above a tier and off peak have their own prices', () => {
  const usage = { input_tokens: 300_000, output_tokens: 1000, cached_tokens: 100_000, cache_write_tokens: 50_000 };
  const own = { in: 10, out: 50, read: 1, write: 12.5 };
  assert.equal(costOf('x:y', usage, { own })?.amount, (150_000 * 10 + 100_000 * 1 + 50_000 * 12.5 + 1000 * 50) / 1e6);
  const tiered = { in: 1, out: 1, tiers: [{ above: 32_000, in: 2, out: 3 }] };
  assert.equal(costOf('x:y', { input_tokens: 32_000, output_tokens: 0 }, { own: tiered })?.amount, 0.032);
  assert.equal(costOf('x:y', { input_tokens: 32_001, output_tokens: 0 }, { own: tiered })?.amount, 0.064002);
  assert.equal(costOf('x:y', { input_tokens: 3, output_tokens: 0 }, { own: { in: 0.1, out: 1 } })?.amount, 3e-7, 'no binary noise');
  const million = { input_tokens: 1_000_000, output_tokens: 0 };
  const at = (time: string) => costOf('deepseek:deepseek-v4-pro', million, { at: new Date(time) })?.amount;
  const { in: peak, off_peak } = priceTable().models['deepseek/deepseek-v4-pro'] as { in: number; off_peak?: { in: number } };
  assert.deepEqual(
    [at('2026-12-01T02:00:00Z'), at('2026-12-01T23:30:00Z'), at('2026-12-05T02:00:00Z')],
    [peak, off_peak?.in, off_peak?.in],
  );
});

test('what is not known has no cost; what is on this machine or in a plan costs nothing', () => {
  assert.equal(costOf('nobody:knows', { input_tokens: 1, output_tokens: 1 }), undefined);
  assert.equal(costOf('anthropic:claude-opus-4-7', {}), undefined);
  assert.equal(costOf('local:smollm2-135m', { input_tokens: 1, output_tokens: 1 })?.amount, 0);
  assert.equal(costOf('ollama:qwen3', { input_tokens: 1, output_tokens: 1 })?.amount, 0);
  assert.equal(costOf('zhipu-coding:glm-5.3', { input_tokens: 1, output_tokens: 1 })?.amount, 0);
});

test('an old table is worth a warning after 90 days', () => {
  const from = Date.parse(priceTable().as_of);
  assert.equal(staleDays(new Date(from + 90 * 86_400_000)), undefined);
  assert.equal(staleDays(new Date(from + 91 * 86_400_000)), 91);
});
