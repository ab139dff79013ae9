/** The word about a price table that has grown old: said once for each table, by whichever process comes first. */

import type { Fact, State } from '../kernel/types.ts';
import { knownOf, learn } from '../models/knowledge.ts';
import { priceTable, staleDays } from '../models/prices.ts';

const TEXT = {
  en: (as_of: string, days: number) =>
    `The price table is of ${as_of} (${days} days old): costs are estimates. A newer version of hermes-agent, or [prices] in the configuration, brings today's.`,
  zh: (as_of: string, days: number) =>
    `价格表日期为 ${as_of}（已 ${days} 天）：费用仅为估计。请更新 hermes-agent，或在配置的 [prices] 中填写当前价格。`,
};

/** `now`: for tests. */
export function createPriceWarning(env: NodeJS.ProcessEnv | undefined, now = () => new Date()): (state: State) => Fact<'run.note'>[] {
  let looked = false;
  return ({ language }) => {
    if (looked) return [];
    looked = true;
    const days = staleDays(now());
    if (days === undefined) return [];
    const subject = { baseURL: 'prices', model: priceTable().as_of };
    if (knownOf(subject, env).at) return [];
    learn(subject, {}, env);
    return [{ event_type: 'run.note', data: { level: 'warning', code: 'old_prices', message: TEXT[language](subject.model, days) } }];
  };
}
