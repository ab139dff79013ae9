/** What budgets need to know from outside: the price of the next call, and what the day has used. Told as facts; rules decide on them. */

import { type BudgetFacts, CHECK_BUDGET } from '../guards/budget.ts';
import type { EventStore } from '../journal/store.ts';
import { HermesError } from '../kernel/errors.ts';
import type { Cost, Fact, JsonObject, Limits, State, Usage } from '../kernel/types.ts';
import type { AgentOptions, FeaturePerformer } from './types.ts';

export interface BudgetPorts {
  cost(state: State, usage: Usage): Cost | undefined;
  store?: EventStore;
  timezone?: string;
}

export function budgetPerformer({ cost, store, timezone }: BudgetPorts): FeaturePerformer {
  return async (_input, { state }) => {
    const { limits, step, tokens } = state;
    const next = cost(state, { input_tokens: tokens, output_tokens: limits.reply_tokens ?? 0 });
    const facts: BudgetFacts = { step, ...(next ? { next } : {}) };
    if (limits.day_tokens !== undefined || limits.day_cost !== undefined) {
      if (!store) throw noStore();
      await store.flush();
      facts.day = await store.spent(startOfDay(new Date(), timezone));
    }
    const isFirst = state.results[CHECK_BUDGET] === undefined;
    const notes = isFirst ? unpricedNote(state, next) : [];
    return { result: facts as unknown as JsonObject, ...(notes.length > 0 ? { notes } : {}) };
  };
}

/** A day begins at midnight of the user's time zone; where clocks change that day, an hour earlier or later. */
export function startOfDay(now: Date, timeZone?: string): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', hour: 'numeric', minute: 'numeric', second: 'numeric' });
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  const seconds = (parts.get('hour') ?? 0) * 3600 + (parts.get('minute') ?? 0) * 60 + (parts.get('second') ?? 0);
  return new Date(Math.floor(now.getTime() / 1000) * 1000 - seconds * 1000).toISOString();
}

const UNPRICED = {
  en: (model: string, currency: string) =>
    `The price of ${model} is not known in ${currency}: caps on money do not hold for it, caps on tokens do. [prices] in the configuration can name it.`,
  zh: (model: string, currency: string) =>
    `不知道 ${model} 以 ${currency} 计的价格：费用上限对它无效，token 上限仍有效。可在配置的 [prices] 中写明价格。`,
};

/** Said once a run. */
function unpricedNote({ limits, language, model }: State, next: Cost | undefined): Fact<'run.note'>[] {
  const { run_cost, day_cost, currency = 'USD' } = limits;
  if ((run_cost === undefined && day_cost === undefined) || next?.currency === currency) return [];
  const message = UNPRICED[language](model, currency);
  return [{ event_type: 'run.note', data: { level: 'warning', code: 'unknown_price', message } }];
}

function noStore(): HermesError {
  return new HermesError('no_store', 'a cap on a day needs a store: without one nobody knows what the day has used', {
    kind: 'usage',
    next: 'new Agent({ ..., store }), or leave out limits.dayTokens and limits.dayCost',
  });
}

/** What stands in run.start. `lent`: what is left of the caller's caps, when this is a sub-agent's run; the smaller one holds. */
export function budgetLimits({ limits = {}, maxTokens }: AgentOptions, lent: Partial<Limits> = {}): Partial<Limits> {
  const least = (a: number | undefined, b: number | undefined) => (a === undefined || b === undefined ? (a ?? b) : Math.min(a, b));
  const caps = {
    run_tokens: least(limits.runTokens, lent.run_tokens),
    run_cost: least(lent.currency === undefined || lent.currency === limits.currency ? limits.runCost : undefined, lent.run_cost),
    day_tokens: least(limits.dayTokens, lent.day_tokens),
    day_cost: least(limits.dayCost, lent.day_cost),
  };
  const set = Object.fromEntries(Object.entries(caps).filter(([, value]) => value !== undefined)) as Partial<Limits>;
  if (Object.keys(set).length === 0) return {};
  if (maxTokens !== undefined) set.reply_tokens = maxTokens;
  const unknown_price = lent.unknown_price ?? limits.unknownPrice;
  return { ...set, currency: lent.currency ?? limits.currency ?? 'USD', ...(unknown_price ? { unknown_price } : {}) };
}
