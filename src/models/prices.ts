/** What a reply costs and how much a model's window holds, from the dated table in prices/. Always an estimate, never an invoice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cost, Usage } from '../kernel/types.ts';
import { ofPackage } from '../package.ts';
import { providersOf } from './profiles.ts';

/** Per million tokens; what is absent is not known. */
export interface Price {
  in?: number;
  out?: number;
  /** Tokens read from the provider's cache; default: as `in`. */
  read?: number;
  /** Tokens written to it; default: as `in`. */
  write?: number;
  /** ISO 4217; default USD. */
  currency?: string;
}
interface Row extends Price {
  context?: number;
  output?: number;
  images?: boolean;
  /** For requests of more input tokens than `above`; the last that fits counts. */
  tiers?: (Price & { above: number })[];
  off_peak?: Price & { windows: { hours_utc: string | string[]; weekdays: number[] }[] };
}
export interface PriceTable {
  as_of: string;
  models: Record<string, Row>;
}
/** What the table says of a model besides its price. */
export type ModelFacts = Pick<Row, 'context' | 'output' | 'images'>;

/** Days after which prices are worth a warning. */
const STALE_DAYS = 90;
const FREE: Row = { in: 0, out: 0 };

let known: PriceTable | undefined;

export function priceTable(): PriceTable {
  known ??= readTable(ofPackage('prices'));
  return known;
}

/** Without its files no price is known: a run does not fail for it. */
function readTable(folder: string): PriceTable {
  try {
    const table = JSON.parse(readFileSync(join(folder, 'table.json'), 'utf8')) as PriceTable;
    const { models } = JSON.parse(readFileSync(join(folder, 'overrides.json'), 'utf8')) as PriceTable;
    for (const [id, row] of Object.entries(models)) table.models[id] = { ...table.models[id], ...row };
    return table;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return { as_of: new Date().toISOString().slice(0, 10), models: {} };
}

/** `id` is provider:model. */
export function factsOf(id: string): ModelFacts {
  return rowOf(id) ?? {};
}

/** Under which names (provider:model) the table has a model of this name, which was given without a provider. */
export function ownersOf(model: string): string[] {
  const ids = Object.keys(priceTable().models).filter((id) => id.slice(id.indexOf('/') + 1) === model.toLowerCase());
  return ids.map((id) => id.replace('/', ':'));
}

const rows = new Map<string, Row | undefined>();

function rowOf(id: string): Row | undefined {
  if (!rows.has(id)) rows.set(id, findRow(id));
  return rows.get(id);
}

/**
 * A region's own price, else that of its provider. A dated name (gpt-5.2-2025-12-11) costs what its plain name does. On this
 * machine nothing is paid for; a coding plan is paid for already.
 */
function findRow(id: string): Row | undefined {
  const [name = '', model = ''] = halves(id);
  const provider = providersOf().find((each) => each.name === name);
  if (name === 'local' || provider?.local || /-coding(-|$)/.test(name)) return FREE;
  const { models } = priceTable();
  const plain = model.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');
  const [usual = name] = Object.keys(provider?.profile.endpoints ?? {});
  for (const owner of [name, usual]) {
    const row = models[`${owner}/${model}`] ?? models[`${owner}/${plain}`];
    if (row) return row;
  }
  return undefined;
}

/** What a reply of this model costs; undefined when its price or its tokens are not known. `own`: the user's price, which wins. */
export function costOf(id: string, usage: Usage | undefined, options: { own?: Price; at?: Date } = {}): Cost | undefined {
  const row = options.own ?? rowOf(id);
  const { input_tokens: input, output_tokens: output, cached_tokens: cached = 0, cache_write_tokens: written = 0 } = usage ?? {};
  if (!row || input === undefined || output === undefined) return undefined;
  const price = priceAt(row, input, options.at ?? new Date());
  if (price.in === undefined || price.out === undefined) return undefined;
  const fresh = Math.max(0, input - cached - written);
  const millionths = fresh * price.in + cached * (price.read ?? price.in) + written * (price.write ?? price.in) + output * price.out;
  // Without the noise of binary fractions: 0.000224796, not 0.00022479600000000003.
  return { amount: Number((millionths / 1e6).toPrecision(12)), currency: row.currency ?? 'USD' };
}

function priceAt(row: Row, input: number, at: Date): Price {
  const tier = row.tiers?.findLast(({ above }) => input > above);
  if (tier) return tier;
  return row.off_peak && isOffPeak(row.off_peak.windows, at) ? row.off_peak : row;
}

/** Weekdays count from Monday = 1; hours are FROM-TO in UTC, 00:00 as the end is midnight. */
function isOffPeak(windows: NonNullable<Row['off_peak']>['windows'], at: Date): boolean {
  const weekday = at.getUTCDay() || 7;
  const time = at.toISOString().slice(11, 16);
  return windows.some(
    ({ hours_utc, weekdays }) =>
      weekdays.includes(weekday) &&
      [hours_utc].flat().some((span) => {
        const [from = '', to = ''] = span.split('-');
        return time >= from && (to === '00:00' || time < to);
      }),
  );
}

/** How old the table is, in days, when that is worth a warning. */
export function staleDays(now: Date = new Date()): number | undefined {
  const days = Math.floor((now.getTime() - Date.parse(priceTable().as_of)) / 86_400_000);
  return days > STALE_DAYS ? days : undefined;
}

function halves(id: string): string[] {
  const colon = id.indexOf(':');
  return colon < 0 ? [id] : [id.slice(0, colon), id.slice(colon + 1)];
}
