/** `hermes eval [FILES]`: cases on one or several models, side by side. Without a model the cases' own scripts answer. */

import { existsSync } from 'node:fs';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import type { Config } from '../../agent/config.ts';
import { openModel } from '../../agent/models.ts';
import { modelOptions, openTools } from '../../agent/open.ts';
import type { ProtocolName } from '../../agent/types.ts';
import { readCases, standardFolder } from '../../evals/read-file.ts';
import { type Contestant, runCases } from '../../evals/run.ts';
import { SCRIPTED_PROTOCOLS } from '../../evals/script.ts';
import { type Change, compare, summarise } from '../../evals/summary.ts';
import type { CaseResult, EvalCase, Summary } from '../../evals/types.ts';
import type { Tool } from '../../tools/define.ts';
import { type Cli, type ExitStatus, usageError } from '../context.ts';
import { inOwnWords, reasonOf } from '../errors.ts';
import { showChanges, showFailures, showProgress, showTable } from '../eval-report.ts';
import { loadFor } from '../load.ts';
import { type BaseOptions, wholeNumber } from '../options.ts';
import { onSignals } from '../signals.ts';
import { harmless } from '../text.ts';

export interface EvalCommandOptions extends BaseOptions {
  model?: string | string[];
  protocol?: string;
  repeat?: string;
  parallel?: string;
  filter?: string;
  json?: boolean;
  out?: string;
  compare?: string;
}
/** What --json prints, --out writes and --compare reads. */
interface Report {
  models: Summary[];
  results: CaseResult[];
  changes?: Change[];
}

export async function evalCommand(cli: Cli, files: readonly string[], options: EvalCommandOptions): Promise<ExitStatus> {
  const repeat = countOf(cli, '--repeat', options.repeat);
  const parallel = countOf(cli, '--parallel', options.parallel);
  const before = options.compare === undefined ? undefined : await readReport(cli, options.compare);
  if (options.out !== undefined) await checkWritable(cli, options.out);
  const protocol = { key: 'model.protocol', value: options.protocol, option: '--protocol' };
  const config = await loadFor(cli, options, options.protocol === undefined ? [] : [protocol]);
  const { tools, diagnostics } = await openTools(files.length === 0 ? withoutOwnTools(config) : config);
  for (const { file, code, message } of diagnostics) {
    const told = { place: file, message: inOwnWords(cli, { code, message }).message };
    cli.terminal.err(`${harmless(cli.t('tools.bad', told))}\n`);
  }
  const cases = filtered(cli, await readCases(files.length === 0 ? [standardFolder()] : files, namesOf(tools)), options.filter);
  const contestants = await openContestants(cli, config, options);
  const stopping = new AbortController();
  const signals = onSignals(() => stopping.abort());
  try {
    const progress = showProgress(cli, options.quiet === true);
    const results = await runCases(cases, { contestants, tools, repeat, parallel, signal: stopping.signal, onResult: progress.show });
    progress.end();
    const report: Report = {
      models: summarise(results),
      results,
      ...(before ? { changes: compare(before.results, results) } : {}),
    };
    tell(cli, report, options); // first: an hour of work is not lost with a file that cannot be written
    if (options.out !== undefined) {
      const text = `${JSON.stringify(report, null, 2)}\n`;
      await writeFile(options.out, text).catch((error: Error) => Promise.reject(unwritable(cli, options.out ?? '', error)));
    }
    if (stopping.signal.aborted) return signals.status;
    return results.every(({ passed }) => passed) ? 0 : 1;
  } finally {
    signals.end();
    for (const { model } of contestants) await model?.close?.();
    await Promise.all(tools.map((tool) => tool.close?.()));
  }
}

function tell(cli: Cli, report: Report, options: EvalCommandOptions): void {
  if (options.json) {
    cli.terminal.out(`${JSON.stringify(report)}\n`);
    return;
  }
  showTable(cli, report.models, report.results, options.verbose === true);
  showFailures(cli, report.results, options.verbose === true);
  if (report.changes) showChanges(cli, report.changes);
}

/** Each model is opened once and serves all cases. */
async function openContestants(cli: Cli, config: Config, options: EvalCommandOptions): Promise<Contestant[]> {
  const names = [...new Set([options.model ?? []].flat())];
  const protocol: ProtocolName = config.values.model.protocol;
  if (names.length > 0) {
    const contestants: Contestant[] = [];
    for (const name of names) {
      const settings = modelOptions(config, { model: name, language: cli.language });
      const { model } = await openModel(settings.model, settings);
      contestants.push({ name: model.id, model, protocol, settings });
    }
    return contestants;
  }
  if (protocol !== 'auto' && !SCRIPTED_PROTOCOLS.some((one) => one === protocol)) {
    throw usageError(
      cli.t('eval.noScript', { protocol, known: SCRIPTED_PROTOCOLS.join(', ') }),
      cli.t('usage.help', { command: 'hermes eval' }),
    );
  }
  if (!options.quiet) cli.terminal.err(`${cli.t('eval.script')}\n`);
  return [{ name: 'script', protocol }];
}

/** The standard cases are the same everywhere: a project's own tools are no part of them. */
function withoutOwnTools(config: Config): Config {
  return { ...config, values: { ...config.values, tools: { ...config.values.tools, directories: [], disabled: [] } } };
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ info }) => info.name);
}

function filtered(cli: Cli, cases: readonly EvalCase[], filter: string | undefined): EvalCase[] {
  const wanted = (filter ?? '').toLowerCase();
  const found = cases.filter(({ name, file }) => `${file} ${name}`.toLowerCase().includes(wanted));
  if (found.length > 0) return found;
  throw usageError(
    cli.t('eval.noCase', { filter: filter ?? '' }),
    cli.t('eval.cases', { names: cases.map(({ name }) => name).join(', ') }),
  );
}

function countOf(cli: Cli, option: string, given: string | undefined): number {
  const count = given === undefined ? 1 : wholeNumber(cli, option, given);
  if (count >= 1 && count <= 1000) return count;
  throw usageError(cli.t('eval.count', { option, got: count }), cli.t('usage.help', { command: 'hermes eval' }));
}

async function readReport(cli: Cli, file: string): Promise<Report> {
  try {
    const report = JSON.parse(await readFile(file, 'utf8')) as Partial<Report> | null;
    const isResult = (one: CaseResult) => typeof one?.case === 'string' && typeof one.model === 'string' && typeof one.passed === 'boolean';
    if (Array.isArray(report?.results) && report.results.every(isResult)) return report as Report;
    throw new Error(cli.t('eval.noReport'));
  } catch (error) {
    throw usageError(cli.t('eval.unreadable', { file, reason: reasonOf(cli, error) }), cli.t('eval.unreadable.next'));
  }
}

/** Found out before an hour of work, not after it. */
async function checkWritable(cli: Cli, file: string): Promise<void> {
  const isNew = !existsSync(file);
  try {
    await (await open(file, 'a')).close();
    if (isNew) await rm(file);
  } catch (error) {
    throw unwritable(cli, file, error);
  }
}

function unwritable(cli: Cli, file: string, error: unknown): Error {
  return usageError(cli.t('eval.unwritable', { file, reason: reasonOf(cli, error) }), cli.t('eval.unwritable.next'));
}
