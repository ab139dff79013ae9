/** Runs the scenarios and lays the results out as a table. */

import type { Scenario, Vendor } from '../../test/fakes/types.ts';
import { vendors } from '../../test/fakes/vendors.ts';
import { scenarios } from './scenarios.ts';

export interface Result {
  vendor: Vendor;
  scenario: Scenario;
  result: 'pass' | 'fail' | 'n/a';
  /** Of a failure, or why it does not apply. */
  why?: string;
}

export const scenarioNames = Object.keys(scenarios) as Scenario[];

export async function runScenario(vendor: Vendor, scenario: Scenario): Promise<Result> {
  const cannot = vendor.cannot?.[scenario];
  if (cannot !== undefined) return { vendor, scenario, result: 'n/a', why: cannot };
  try {
    const why = await scenarios[scenario](vendor);
    return why === undefined ? { vendor, scenario, result: 'pass' } : { vendor, scenario, result: 'fail', why };
  } catch (error) {
    return { vendor, scenario, result: 'fail', why: error instanceof Error ? error.message : String(error) };
  }
}

/** All scenarios of the named providers (all when none is named); the providers side by side, since most of the time is waiting. */
export async function runAll(
  names: readonly string[] = [],
  onDone: (vendor: Vendor, results: Result[]) => void = () => {},
): Promise<Result[]> {
  const wanted = vendors.filter((vendor) => names.length === 0 || names.includes(vendor.provider) || names.includes(titleOf(vendor)));
  const all = await Promise.all(
    wanted.map(async (vendor) => {
      const results: Result[] = [];
      for (const scenario of scenarioNames) results.push(await runScenario(vendor, scenario));
      onDone(vendor, results);
      return results;
    }),
  );
  return all.flat();
}

export const titleOf = ({ title, provider }: Vendor): string => title ?? provider;

/** Providers that pass everything that applies to them. */
export function conforming(results: readonly Result[]): string[] {
  const rows = Map.groupBy(results, ({ vendor }) => titleOf(vendor));
  return [...rows].flatMap(([title, row]) => (row.some(({ result }) => result === 'fail') ? [] : [title]));
}
