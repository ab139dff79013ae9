/** `hermes runs resume|fork|replay`: going on with what a store holds, or through it again. The same loop as any other run. */

import { openTools } from '../../agent/open.ts';
import { replayRun } from '../../agent/replay.ts';
import { maskPatterns } from '../../journal/secrets.ts';
import type { Cli, ExitStatus } from '../context.ts';
import { configFor, openFor, outputFor } from '../open.ts';
import { type BaseOptions, type RunOptions, wholeNumber } from '../options.ts';
import { findRun, withStore } from '../store.ts';
import { Turn } from '../turn.ts';

export async function runsResume(cli: Cli, id: string, options: RunOptions): Promise<ExitStatus> {
  const run_id = await runNamed(cli, id, options);
  const config = await configFor(cli, options);
  const turn = new Turn(cli, { ...options, parked: true }, config);
  const opened = await openFor(cli, config, options, turn);
  try {
    return await turn.take(() => opened.agent.startResume(run_id));
  } finally {
    await opened.close();
  }
}

export async function runsFork(cli: Cli, id: string, words: readonly string[], options: RunOptions & { at?: string }): Promise<ExitStatus> {
  const at = options.at === undefined ? {} : { at: wholeNumber(cli, '--at', options.at) };
  const request = words.length > 0 ? { request: words.join(' ') } : {};
  const output = await outputFor(options);
  const run_id = await runNamed(cli, id, options);
  const config = await configFor(cli, options);
  const turn = new Turn(cli, options, config);
  const opened = await openFor(cli, config, options, turn);
  try {
    return await turn.take(() =>
      opened.agent.startFork(run_id, { ...at, ...request, ...output, ...(options.model ? { model: options.model } : {}) }),
    );
  } finally {
    await opened.close();
  }
}

/** Found before anything is opened: a model for a run that there is not, or a new store, would be made for nothing. */
function runNamed(cli: Cli, id: string, options: BaseOptions): Promise<string> {
  return withStore(cli, options, async ({ store }) => (await findRun(cli, store, id)).run_id);
}

/** Every decision is made again from the recorded replies and results; the first that differs is shown. */
export async function runsReplay(cli: Cli, id: string, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  return withStore<ExitStatus>(cli, options, async ({ config, store }) => {
    const { run_id } = await findRun(cli, store, id);
    const { tools } = await openTools(config);
    const result = await replayRun(store, run_id, tools);
    const { ok, events, difference, stopped } = result;
    if (options.json) cli.terminal.out(`${maskPatterns(JSON.stringify({ run_id, ...result }))}\n`);
    else if (ok) cli.terminal.out(`${cli.t('runs.replayed', { id: run_id, events })}\n`);
    else if (difference) {
      cli.terminal.out(`${cli.t('runs.differs', { id: run_id, seq: difference.seq })}\n`);
      cli.terminal.out(
        `  - ${maskPatterns(JSON.stringify(difference.recorded ?? null))}\n  + ${maskPatterns(JSON.stringify(difference.now))}\n`,
      );
    } else cli.terminal.out(`${cli.t('runs.stopped', { id: run_id, events, stopped: stopped ?? '' })}\n`);
    return ok ? 0 : 1;
  });
}
