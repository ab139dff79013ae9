/**
 * Budgets: tokens and money of a run and of a day ([limits]). The call that would break a cap is not made: its input is estimated from
 * the history, its reply counts with its most tokens where those are set. What the rule cannot know by itself (what the next call costs,
 * what the day has used) is a performer's fact, asked for at most once a step. Seconds are the kernel's own limit.
 */

import type { Cost, Limits, Rule, State } from '../kernel/types.ts';

/** Of the performer, and its result in the state. */
export const CHECK_BUDGET = 'check_budget';
export interface BudgetFacts {
  /** The step that they hold for. */
  step: number;
  /** What the next call is likely to cost; absent = the price is not known. */
  next?: Cost;
  /** Used today in all runs of the store, this one included. */
  day?: { tokens: number; costs: Cost[] };
}

/** The first before-think rule. */
export const budgetRule: Rule = function budget(state) {
  const { limits } = state;
  const next = state.tokens + (limits.reply_tokens ?? 0);
  const run = over('run_tokens', limits.run_tokens, usedBy(state), next);
  if (run) return stop(TEXT[state.language].over(run));
  if (limits.run_cost === undefined && limits.day_tokens === undefined && limits.day_cost === undefined) return undefined;
  const facts = state.results[CHECK_BUDGET] as unknown as (BudgetFacts & { error?: { message: string } }) | undefined;
  if (facts?.error) return stop(TEXT[state.language].unreadable(facts.error.message));
  if (facts?.step !== state.step) return { do: 'perform', name: CHECK_BUDGET, input: { step: state.step } };
  const message = onFacts(state, facts, next);
  return message === undefined ? undefined : stop(message);
};

function onFacts(state: State, { next: cost, day }: BudgetFacts, next: number): string | undefined {
  const { limits, language } = state;
  const text = TEXT[language];
  const tokens = day && over('day_tokens', limits.day_tokens, day.tokens, next);
  if (tokens) return text.over(tokens);
  if (limits.run_cost === undefined && limits.day_cost === undefined) return undefined;
  const currency = limits.currency ?? 'USD';
  if (cost?.currency !== currency) return limits.unknown_price === 'refuse' ? text.unpriced(state.model, currency) : undefined;
  const used = state.cost?.currency === currency ? state.cost.amount : 0;
  const money =
    over('run_cost', limits.run_cost, used, cost.amount, currency) ??
    (day && over('day_cost', limits.day_cost, day.costs.find((sum) => sum.currency === currency)?.amount ?? 0, cost.amount, currency));
  return money && text.over(money);
}

interface Over {
  name: keyof Limits;
  cap: number;
  used: number;
  next: number;
  unit: string;
}

function over(name: keyof Limits, cap: number | undefined, used: number, next: number, unit = 'tokens'): Over | undefined {
  return cap !== undefined && used + next > cap ? { name, cap, used, next, unit } : undefined;
}

/** Input and output; what was read from a cache is part of the input. A provider that gives no figures: as if each step had held all there is now. */
function usedBy({ usage, tokens, step }: State): number {
  if (usage.input_tokens === undefined) return step * tokens;
  return usage.input_tokens + (usage.output_tokens ?? 0);
}

/** What a sub-agent may use: of what is left of its caller's caps an equal part for each that runs at the same time. */
export function shareOf(state: State, parts: number): Partial<Limits> {
  const { run_tokens, run_cost, day_tokens, day_cost, currency = 'USD', unknown_price } = state.limits;
  const spent = state.cost?.currency === currency ? state.cost.amount : 0;
  const share: Partial<Limits> = { ...(day_tokens === undefined ? {} : { day_tokens }), ...(day_cost === undefined ? {} : { day_cost }) };
  if (run_tokens !== undefined) share.run_tokens = Math.max(0, Math.floor((run_tokens - usedBy(state)) / Math.max(1, parts)));
  if (run_cost !== undefined) share.run_cost = Math.max(0, (run_cost - spent) / Math.max(1, parts));
  if (run_cost !== undefined || day_cost !== undefined) Object.assign(share, { currency, ...(unknown_price ? { unknown_price } : {}) });
  return share;
}

function stop(message: string): ReturnType<Rule> {
  return { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: 'budget', verdict: 'stop', message } }] };
}

function amount(value: number, unit: string): string {
  return unit === 'tokens' ? `${value}` : `${Number(value.toPrecision(4))} ${unit}`;
}

const TEXT = {
  en: {
    over: ({ name, cap, used, next, unit }: Over) =>
      `The budget ${name} = ${amount(cap, unit)} does not allow another call of the model: ${amount(used, unit)} used, the next would need about ${amount(next, unit)}.`,
    unpriced: (model: string, currency: string) =>
      `The price of ${model} is not known in ${currency}, and [limits] unknown_price = "refuse" lets no call be made whose cost nobody knows.`,
    unreadable: (why: string) => `What the day has used could not be read, so no call is made: ${why}`,
  },
  zh: {
    over: ({ name, cap, used, next, unit }: Over) =>
      `预算 ${name} = ${amount(cap, unit)} 不允许再调用模型：已用 ${amount(used, unit)}，下一次约需 ${amount(next, unit)}。`,
    unpriced: (model: string, currency: string) =>
      `不知道 ${model} 以 ${currency} 计的价格；[limits] unknown_price = "refuse" 不允许费用未知的调用。`,
    unreadable: (why: string) => `无法读取今天的用量，因此不再调用模型：${why}`,
  },
} as const;
