/** Costs as people read them. They are estimates, and what is not known is said, never shown as 0. */

import type { Cost } from '../kernel/types.ts';
import type { Translate } from './messages.ts';

const SYMBOLS: Readonly<Record<string, string>> = { USD: '$', CNY: '¥', EUR: '€' };

/** Two digits that count, at least cents. */
export function money({ amount, currency }: Cost): string {
  const digits = amount >= 0.01 || amount === 0 ? 2 : 1 - Math.floor(Math.log10(amount));
  const text = amount.toFixed(Math.min(digits, 8));
  const symbol = SYMBOLS[currency];
  return symbol ? `${symbol}${text}` : `${text} ${currency}`;
}

/** To stand behind a run's figures; nothing where nothing is paid for. */
export function costText(t: Translate, cost: Cost | undefined): string {
  if (!cost) return t('run.cost.unknown');
  if (cost.partial) return t('run.cost.partial', { amount: money(cost) });
  return cost.amount > 0 ? t('run.cost', { amount: money(cost) }) : '';
}
