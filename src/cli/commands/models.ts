/** `hermes models list|pull|rm`: what can be asked, and the models that run inside this process. */

import { CATALOGUE, listModels, modelsDirectory, removeModel } from '../../models/catalogue.ts';
import { type Known, knownOf } from '../../models/knowledge.ts';
import { providersOf } from '../../models/profiles.ts';
import { dropParts, keptParts } from '../../models/pull/part.ts';
import { carryOut, type PullPlan, planPull } from '../../models/pull.ts';
import { localServers } from '../../models/resolve.ts';
import { ensureRuntime, hasRuntime, RUNTIME_BYTES } from '../../models/runtime.ts';
import { confirm } from '../approve.ts';
import { type Cli, type ExitStatus, usageError } from '../context.ts';
import { lookFor } from '../load.ts';
import type { BaseOptions } from '../options.ts';
import { megabytes, Progress } from '../progress.ts';
import { onSignals } from '../signals.ts';
import { harmless, table } from '../text.ts';

/** One model that can be asked, or pulled. */
interface Row {
  name: string;
  state: 'here' | 'partly' | 'pullable' | 'served' | 'key';
  bytes?: number;
  file?: string;
  /** Of a file that has come in part only: of how many bytes. */
  total?: number;
  /** Who serves it, or which variable holds its key. */
  by?: string;
  /** What was learnt about it, and what `hermes models test` found. */
  known?: Known;
  note?: string;
}

export async function modelsList(cli: Cli, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  const { env } = await lookFor(options);
  const rows = [...(await fileRows(cli, { ...env })), ...(await serverRows({ ...env })), ...providerRows({ ...env })];
  if (options.json) {
    cli.terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    return 0;
  }
  const head = (['models.name', 'models.size', 'models.state', 'models.tested', 'models.note'] as const).map((key) => cli.t(key));
  cli.terminal.out(table([head, ...rows.map((row) => cellsOf(cli, row))], cli.terminal.tableColumns));
  return 0;
}

async function fileRows({ language }: Cli, env: NodeJS.ProcessEnv): Promise<Row[]> {
  const directory = modelsDirectory(env);
  const [there, parts] = [await listModels(directory), await keptParts(directory)];
  const here = there.map(({ name, bytes, file, entry }): Row => {
    const known = knownOf({ baseURL: 'local', model: name }, env);
    return { name: `local:${name}`, state: 'here', bytes, file, known, note: entry?.note[language] ?? file };
  });
  const partly = parts.map(({ file, bytes, total }): Row => {
    const name = `local:${file.replace(/\.gguf$/, '')}`;
    return { name, state: 'partly', bytes, ...(total === undefined ? {} : { total }) };
  });
  const named = new Set([...here, ...partly].map(({ name }) => name));
  const pullable = CATALOGUE.filter(({ name }) => !named.has(`local:${name}`)).map(({ name, bytes, note }): Row => {
    return { name: `local:${name}`, state: 'pullable', note: note[language], ...(bytes === undefined ? {} : { bytes }) };
  });
  return [...here, ...partly, ...pullable];
}

async function serverRows(env: NodeJS.ProcessEnv): Promise<Row[]> {
  const servers = await localServers({ env });
  return servers.flatMap(({ provider, baseURL, models }) =>
    models.map((model): Row => {
      const known = knownOf({ baseURL, model }, env);
      return { name: `${provider.name}:${model}`, state: 'served', by: provider.title, known, note: new URL(baseURL).host };
    }),
  );
}

/** Each provider that a key in the environment belongs to, with the model that it is asked for when none is named. */
function providerRows(env: NodeJS.ProcessEnv): Row[] {
  return providersOf(env).flatMap(({ name, title, baseURL, model, keys }): Row[] => {
    const key = keys.find((each) => env[each]);
    if (key === undefined) return [];
    const known = baseURL && model ? knownOf({ baseURL, model }, env) : {};
    return [{ name: `${name}:${model ?? 'MODEL'}`, state: 'key', by: key, known, note: title }];
  });
}

function cellsOf({ t }: Cli, { name, state, bytes, total, by = '', known, note = '' }: Row): string[] {
  const percent = total ? Math.floor(((bytes ?? 0) / total) * 100) : 0;
  const states = {
    here: () => t('models.here'),
    partly: () => (total ? t('models.partly', { percent }) : t('models.begun')),
    pullable: () => t('models.pullable'),
    served: () => t('models.served', { server: by }),
    key: () => t('models.keySet', { key: by }),
  };
  return [name, bytes === undefined ? '' : megabytes(bytes), states[state](), testedOf(known), note];
}

/** The protocol that works best, with right/total: native 6/6. */
function testedOf({ abilities, test, at }: Known = {}): string {
  const { protocol } = abilities ?? {};
  if (protocol === undefined) return test ? '-' : '';
  const score = (test?.protocols as Record<string, string> | undefined)?.[protocol];
  return score === undefined ? protocol : `${protocol} ${score} (${at})`;
}

export interface PullCommand extends BaseOptions {
  yes?: boolean;
}

export async function modelsPull(cli: Cli, spec: string | undefined, options: PullCommand): Promise<ExitStatus> {
  const { env } = await lookFor(options);
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

/** A model, or what has come of one so far. */
export async function modelsRemove(cli: Cli, given: string, options: BaseOptions): Promise<ExitStatus> {
  const { env } = await lookFor(options);
  const directory = modelsDirectory(env);
  const name = given.replace(/^local:/, '').replace(/\.gguf$/, '');
  const bytes = await dropParts(directory, `${name}.gguf`);
  if (bytes > 0) cli.terminal.err(`${cli.t('models.dropped', { name, size: megabytes(bytes) })}\n`);
  if (bytes > 0 && !(await listModels(directory)).some((model) => model.name === name)) return 0;
  const removed = await removeModel(directory, name);
  cli.terminal.err(`${cli.t('models.removed', { file: removed.file, size: megabytes(removed.bytes) })}\n`);
  return 0;
}
