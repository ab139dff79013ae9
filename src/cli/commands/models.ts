/** `hermes models list|pull|rm`: the models that run inside this process. */

import { loadConfig } from '../../agent/config.ts';
import { CATALOGUE, type CatalogueEntry, EMBEDDED_DEFAULT, listModels, modelsDirectory, removeModel } from '../../models/catalogue.ts';
import { pullModel } from '../../models/pull.ts';
import { ensureRuntime, hasRuntime, RUNTIME_BYTES } from '../../models/runtime.ts';
import { type Cli, type ExitStatus, usageError } from '../context.ts';
import type { BaseOptions } from '../options.ts';
import { megabytes, Progress } from '../progress.ts';
import { onSignals } from '../signals.ts';
import { table } from '../text.ts';

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
      megabytes(row.bytes),
      cli.t(row.pulled ? 'models.here' : 'models.pullable'),
      row.note ?? row.file ?? '',
    ]);
    cli.terminal.out(table([head, ...cells], cli.terminal.tableColumns));
  }
  return 0;
}

export async function modelsPull(cli: Cli, name: string | undefined, options: BaseOptions): Promise<ExitStatus> {
  const directory = await directoryOf(options);
  const entry = entryOf(cli, name);
  const aborting = new AbortController();
  const signals = onSignals(() => aborting.abort());
  const progress = new Progress(cli);
  cli.terminal.err(
    `${cli.t('models.pulling', { name: entry.name, size: megabytes(entry.source.bytes), licence: entry.licence, directory })}\n`,
  );
  try {
    const file = await pullModel(entry, {
      directory,
      signal: aborting.signal,
      onProgress: ({ part, bytes, total }) => progress.show(cli.t(`models.${part}`), bytes, total),
    });
    progress.end();
    if (!hasRuntime(directory)) {
      cli.terminal.err(`${cli.t('models.runtime', { size: megabytes(RUNTIME_BYTES) })}\n`);
      await ensureRuntime(directory, { signal: aborting.signal });
    }
    cli.terminal.err(`${cli.t('models.pulled', { name: entry.name, file })}\n`);
    return 0;
  } catch (error) {
    progress.end();
    if (!aborting.signal.aborted) throw error;
    cli.terminal.err(`${cli.t('models.stopped')}\n`);
    return signals.status;
  } finally {
    signals.end();
  }
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

function entryOf(cli: Cli, name: string | undefined): CatalogueEntry {
  if (name === undefined || name === 'default') return EMBEDDED_DEFAULT;
  const entry = CATALOGUE.find((each) => each.name === name.replace(/^local:/, ''));
  if (entry) return entry;
  const known = CATALOGUE.map((each) => each.name).join(', ');
  throw usageError(cli.t('models.unknown', { name, known }), cli.t('models.unknown.next'));
}
