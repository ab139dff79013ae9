/** What `hermes eval` shows: progress on standard error, the table and the failed cases on standard output. */

import type { Change, Rate } from '../evals/summary.ts';
import { rates } from '../evals/summary.ts';
import type { CaseResult, Summary } from '../evals/types.ts';
import type { Cli } from './context.ts';
import { cutToWidth, oneLine, table } from './text.ts';

/** One moving line in a terminal, a line a result in a pipe. */
export function showProgress(
  { terminal }: Cli,
  quiet: boolean,
): { show(result: CaseResult, done: number, total: number): void; end(): void } {
  return {
    show(result, done, total) {
      if (quiet) return;
      const mark = result.passed ? terminal.paint('green', '✓') : terminal.paint('red', '✗');
      const text = `${done}/${total} ${result.model}  ${result.case}  ${result.seconds.toFixed(1)} s`;
      terminal.err(terminal.cursorMoves ? `\r\x1b[K${mark} ${cutToWidth(text, terminal.columns - 3)}` : `${mark} ${text}\n`);
    },
    end() {
      if (!quiet && terminal.cursorMoves) terminal.err('\r\x1b[K');
    },
  };
}

/** Models side by side; with `cases` a line for each case below. */
export function showTable({ t, terminal }: Cli, models: readonly Summary[], results: readonly CaseResult[], cases: boolean): void {
  const unknown = (count: number) => (count === 0 ? '' : ` (${t('eval.unknown', { count })})`);
  const line = (name: string, cell: (model: Summary) => string) => [name, ...models.map(cell)];
  const rows = [
    line('', ({ model }) => model),
    line(t('eval.passed'), ({ passed, total }) => `${passed}/${total} (${Math.round((100 * passed) / total)} %)`),
    line(t('eval.flaky'), ({ flaky }) => String(flaky)),
    line(t('eval.steps'), ({ steps }) => steps.toFixed(1)),
    line(t('eval.tokens'), ({ tokens, tokens_unknown }) =>
      tokens === undefined ? t('run.unknown') : `${Math.round(tokens).toLocaleString('en-US')}${unknown(tokens_unknown)}`,
    ),
    line(t('eval.cost'), ({ cost, cost_unknown }) => {
      const sums = Object.entries(cost).map(([currency, amount]) => `${Number(amount.toPrecision(3))} ${currency}`);
      return sums.length === 0 ? t('run.unknown') : sums.join(' + ') + unknown(cost_unknown);
    }),
    line(t('eval.seconds'), ({ seconds }) => seconds.toFixed(2)),
    line(t('eval.failedCalls'), ({ failed_calls }) => String(failed_calls)),
  ];
  terminal.out(table(rows, terminal.tableColumns));
  if (!cases) return;
  const byModel = models.map(({ model }) => rates(results.filter((result) => result.model === model)));
  const names = [...new Set(results.map((result) => result.case))];
  const cells = names.map((name) => [name, ...byModel.map((of) => mark(of.get(name)))]);
  terminal.out(`\n${table([['', ...models.map(({ model }) => model)], ...cells], terminal.tableColumns)}`);
}

function mark(rate: Rate | undefined): string {
  if (!rate) return '';
  const word = rate.passed === rate.total ? '✓' : rate.passed === 0 ? '✗' : '~';
  return rate.total === 1 ? word : `${word} ${rate.passed}/${rate.total}`;
}

/** One line for each case that failed on a model: how often, and why at the first time (`all`: every reason of it). */
export function showFailures({ t, terminal }: Cli, results: readonly CaseResult[], all: boolean): void {
  const failed = Map.groupBy(
    results.filter(({ passed }) => !passed),
    (result) => `${result.model}\0${result.case}`,
  );
  if (failed.size === 0) return;
  terminal.out(`\n${t('eval.failures')}\n`);
  for (const [first, ...more] of failed.values()) {
    const { case: name, model, problems } = first!;
    const total = results.filter((result) => result.model === model && result.case === name).length;
    const often = total === 1 ? '' : ` ${more.length + 1}/${total}`;
    const told = all ? problems : problems.slice(0, 2);
    const rest = problems.length > told.length ? ` (${t('eval.more', { count: problems.length - told.length })})` : '';
    terminal.out(`${terminal.paintOut('red', '✗')} ${oneLine(`${name} [${model}]${often}: ${told.join('; ')}${rest}`)}\n`);
  }
}

export function showChanges({ t, terminal }: Cli, changes: readonly Change[]): void {
  terminal.out(`\n${t('eval.changes')}\n`);
  if (changes.length === 0) terminal.out(`${t('eval.unchanged')}\n`);
  const rate = (of: Rate | undefined) => (of ? `${of.passed}/${of.total}` : '-');
  const colours = { better: 'green', worse: 'red', new: 'cyan', gone: 'cyan' } as const;
  for (const { change, model, case: name, before, after } of changes) {
    const word = terminal.paintOut(colours[change], t(`eval.${change}`));
    terminal.out(`${word}  ${oneLine(`${name} [${model}]`)}  ${rate(before)} -> ${rate(after)}\n`);
  }
}
