/** Figures over many attempts, and what has changed since an earlier evaluation. Pure. */

import type { CaseResult, Summary } from './types.ts';

/** One for each model, in the order in which they come. */
export function summarise(results: readonly CaseResult[]): Summary[] {
  return [...Map.groupBy(results, ({ model }) => model)].map(([model, own]) => {
    const tokens = own.flatMap((one) => one.tokens ?? []);
    const known = own.flatMap((one) => one.cost ?? []);
    const cost: Record<string, number> = {};
    for (const { amount, currency } of known) cost[currency] = (cost[currency] ?? 0) + amount;
    return {
      model,
      passed: own.filter(({ passed }) => passed).length,
      total: own.length,
      flaky: [...rates(own).values()].filter(({ passed, total }) => passed > 0 && passed < total).length,
      steps: mean(own.map(({ steps }) => steps)),
      seconds: mean(own.map(({ seconds }) => seconds)),
      ...(tokens.length > 0 ? { tokens: mean(tokens) } : {}),
      tokens_unknown: own.length - tokens.length,
      cost,
      cost_unknown: own.length - known.length,
      failed_calls: own.reduce((all, one) => all + one.failed_calls, 0),
    };
  });
}

export interface Rate {
  passed: number;
  total: number;
}
export interface Change {
  model: string;
  case: string;
  change: 'better' | 'worse' | 'new' | 'gone';
  before?: Rate;
  after?: Rate;
}

/**
 * Cases that pass more or less often than before, are new or gone. Models are compared by name; one model before and one now are
 * compared whatever they are called: two versions, two models.
 */
export function compare(before: readonly CaseResult[], after: readonly CaseResult[]): Change[] {
  const old = Map.groupBy(before, ({ model }) => model);
  const now = Map.groupBy(after, ({ model }) => model);
  return [...now].flatMap(([model, own]) => {
    const earlier = old.get(model) ?? (old.size === 1 && now.size === 1 ? [...old.values()][0] : undefined);
    return earlier ? changes(model, rates(earlier), rates(own)) : [];
  });
}

function changes(model: string, before: Map<string, Rate>, after: Map<string, Rate>): Change[] {
  const all = [...new Set([...after.keys(), ...before.keys()])];
  return all.flatMap((name): Change[] => {
    const [was, is] = [before.get(name), after.get(name)];
    if (!is) return [{ model, case: name, change: 'gone', before: was! }];
    if (!was) return [{ model, case: name, change: 'new', after: is }];
    const difference = is.passed / is.total - was.passed / was.total;
    return difference === 0 ? [] : [{ model, case: name, change: difference > 0 ? 'better' : 'worse', before: was, after: is }];
  });
}

/** How often each case passed. */
export function rates(results: readonly CaseResult[]): Map<string, Rate> {
  const found = new Map<string, Rate>();
  for (const { case: name, passed } of results) {
    const rate = found.get(name) ?? { passed: 0, total: 0 };
    found.set(name, { passed: rate.passed + (passed ? 1 : 0), total: rate.total + 1 });
  }
  return found;
}

function mean(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0) / values.length;
}
