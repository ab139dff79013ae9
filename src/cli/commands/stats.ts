/** `hermes runs stats`: figures over all kept runs. */

import { type Statistics, statistics } from '../../journal/statistics.ts';
import type { EventStore } from '../../journal/store.ts';
import type { Cost, RunEvent } from '../../kernel/types.ts';
import type { Cli, ExitStatus } from '../context.ts';
import { money } from '../cost.ts';
import { type BaseOptions, wholeNumber } from '../options.ts';
import { withStore } from '../store.ts';
import { table } from '../text.ts';

export async function runsStats(cli: Cli, options: BaseOptions & { limit?: string; json?: boolean }): Promise<ExitStatus> {
  const limit = wholeNumber(cli, '--limit', options.limit ?? '1000');
  const print = (figures: Statistics): ExitStatus => {
    if (options.json) cli.terminal.out(`${JSON.stringify(figures, null, 2)}\n`);
    else printFigures(cli, figures);
    return 0;
  };
  return withStore(
    cli,
    options,
    async ({ store }) => print(statistics(await logsOf(store, limit))),
    () => print(statistics([])),
  );
}

async function logsOf(store: EventStore, limit: number): Promise<RunEvent[][]> {
  const logs: RunEvent[][] = [];
  for (const { run_id } of await store.list({ limit })) logs.push(await store.read(run_id));
  return logs;
}

function printFigures(cli: Cli, figures: Statistics): void {
  const { terminal, t } = cli;
  const percent = (part: number, all: number) => (all === 0 ? '-' : `${Math.round((100 * part) / all)} %`);
  const statuses = Object.entries(figures.statuses).map(([status, count]) => `${status} ${count}`);
  const rows = [
    [t('stats.runs'), `${figures.runs} (${statuses.join(', ') || '-'})`],
    [t('stats.completion'), percent(figures.statuses.success ?? 0, figures.ended)],
    [t('stats.steps'), figures.mean_steps?.toFixed(1) ?? '-'],
    [t('stats.tokens'), `${figures.usage.input_tokens ?? '?'} + ${figures.usage.output_tokens ?? '?'}`],
    [t('stats.cached'), percent(figures.usage.cached_tokens ?? 0, figures.usage.input_tokens ?? 0)],
    [
      t('stats.cost'),
      `${costs(figures.costs)}${figures.unpriced_runs > 0 ? ` ${t('stats.unpriced', { count: figures.unpriced_runs })}` : ''}`,
    ],
  ];
  terminal.out(table(rows, terminal.tableColumns));
  if (figures.tools.length > 0) {
    const head = (['stats.tool', 'stats.calls', 'stats.failed', 'stats.ms', 'stats.stuck', 'stats.misused', 'stats.instead'] as const).map(
      (key) => t(key),
    );
    const tools = figures.tools.map(({ name, calls, failures, mean_ms, stuck_runs, misused, instead }) => [
      name,
      String(calls),
      percent(failures, calls),
      mean_ms === undefined ? '-' : String(mean_ms),
      String(stuck_runs),
      String(misused ?? 0),
      (instead ?? []).map(({ name: other, count }) => `${other} ${count}`).join(', ') || '-',
    ]);
    terminal.out(`\n${table([head, ...tools], terminal.tableColumns)}`);
  }
  if (figures.models.length > 0) {
    const head = (['stats.model', 'stats.runs', 'stats.completion', 'stats.steps', 'stats.cost'] as const).map((key) => t(key));
    const models = figures.models.map(({ model, runs, successes, steps, costs: spent }) => [
      model,
      String(runs),
      percent(successes, runs),
      (steps / runs).toFixed(1),
      costs(spent),
    ]);
    terminal.out(`\n${table([head, ...models], terminal.tableColumns)}`);
  }
}

function costs(all: readonly Cost[]): string {
  return all.length === 0 ? '?' : all.map(money).join(' + ');
}
