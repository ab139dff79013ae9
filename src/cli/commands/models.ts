/** `hermes models list|pull|rm`: the models that run inside this process. */

import { loadConfig } from '../../agent/config.ts';
import { CATALOGUE, listModels, modelsDirectory, removeModel } from '../../models/catalogue.ts';
import { carryOut, type PullPlan, planPull } from '../../models/pull.ts';
import { ensureRuntime, hasRuntime, RUNTIME_BYTES } from '../../models/runtime.ts';
import { confirm } from '../approve.ts';
import { type Cli, type ExitStatus, usageError } from '../context.ts';
import type { BaseOptions } from '../options.ts';
import { megabytes, Progress } from '../progress.ts';
import { onSignals } from '../signals.ts';
import { harmless, table } from '../text.ts';

export async function modelsList(cli: Cli, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  const directory = await directoryOf(options);
  const there = await listModels(directory);
  const pullable = CATALOGUE.filter((entry) => !there.some((model) => model.name === entry.name));
  const rows = [
    ...there.map(({ name, bytes, file, entry }) => ({ name: `local:${name}`, bytes, pulled: true, file, note: entry?.note })),
    ...pullable.map(({ name, bytes, note }) => ({ name: `local:${name}`, bytes, pulled: false, file: undefined, note })),
  ];
  if (options.json) cli.terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
  else {
    const head = [cli.t('models.name'), cli.t('models.size'), cli.t('models.state'), cli.t('models.note')];
    const cells = rows.map((row) => [
      row.name,
      row.bytes === undefined ? '' : megabytes(row.bytes),
      cli.t(row.pulled ? 'models.here' : 'models.pullable'),
      row.note ?? row.file ?? '',
    ]);
    cli.terminal.out(table([head, ...cells], cli.terminal.tableColumns));
  }
  return 0;
}

export interface PullCommand extends BaseOptions {
  yes?: boolean;
}

export async function modelsPull(cli: Cli, spec: string | undefined, options: PullCommand): Promise<ExitStatus> {
  const { env } = await loadConfig(options.config === undefined ? {} : { file: options.config });
  const directory = modelsDirectory(env);
  const aborting = new AbortController();
  const { signal } = aborting;
  const signals = onSignals(() => aborting.abort());
  const progress = new Progress(cli);
  let plan: PullPlan | undefined;
  try {
    plan = await planPull(spec ?? 'default', { env, signal });
    if (!(await agrees(cli, plan, options))) return 3;
    tellPlan(cli, plan, directory);
    const file = await carryOut(plan, {
      directory,
      env,
      signal,
      onProgress: ({ part, bytes, total }) => progress.show(cli.t(`models.${part}`), bytes, total),
    });
    progress.end();
    if (!hasRuntime(directory)) {
      cli.terminal.err(`${cli.t('models.runtime', { size: megabytes(RUNTIME_BYTES) })}\n`);
      await ensureRuntime(directory, { signal });
    }
    cli.terminal.err(`${cli.t('models.pulled', { name: plan.name, file })}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (!signal.aborted) throw error;
    cli.terminal.err(`${cli.t(plan?.resumable ? 'models.kept' : 'models.stopped')}\n`);
    return signals.status;
  } finally {
    signals.end();
  }
}

/** Terms are shown and agreed to before the first byte; without a terminal only `--yes` says so. */
async function agrees(cli: Cli, { name, licence = '', terms }: PullPlan, options: PullCommand): Promise<boolean> {
  if (terms === undefined) return true;
  cli.terminal.err(`${cli.t('models.terms', { name, licence, terms })}\n`);
  if (options.yes) return true;
  if (!cli.terminal.canAsk) throw usageError(cli.t('models.unagreed', { name, terms }), cli.t('models.unagreed.next', { name }));
  return confirm(cli, cli.t('models.agree'));
}

function tellPlan({ terminal, t }: Cli, { from, download, licence = t('models.noLicence') }: PullPlan, directory: string): void {
  const size = download === undefined ? t('models.noSize') : megabytes(download);
  terminal.err(`${harmless(t('models.pulling', { name: from, size, licence, directory }))}\n`);
}

export async function modelsRemove(cli: Cli, name: string, options: BaseOptions): Promise<ExitStatus> {
  const removed = await removeModel(await directoryOf(options), name.replace(/^local:/, ''));
  cli.terminal.err(`${cli.t('models.removed', { file: removed.file, size: megabytes(removed.bytes) })}\n`);
  return 0;
}

async function directoryOf(options: BaseOptions): Promise<string> {
  const config = await loadConfig(options.config === undefined ? {} : { file: options.config });
  return modelsDirectory(config.env);
}
