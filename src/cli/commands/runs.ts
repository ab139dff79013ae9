/** `hermes runs list|show|tail|verify|sign|prune`: looking back, from the store alone. */

import { resolve } from 'node:path';
import { removeLogs } from '../../journal/log.ts';
import { maskPatterns } from '../../journal/secrets.ts';
import { checkSignature, readPublicKey, readSigningKey, signRun } from '../../journal/sign.ts';
import type { EventStore, RunHead } from '../../journal/store.ts';
import { verifyRun } from '../../journal/verify.ts';
import type { RunEvent } from '../../kernel/types.ts';
import { confirm } from '../approve.ts';
import { type Cli, type ExitStatus, usageError } from '../context.ts';
import { type BaseOptions, wholeNumber } from '../options.ts';
import { onSignals } from '../signals.ts';
import { findRun, withStore } from '../store.ts';
import { Story } from '../story.ts';
import { harmless, oneLine, table } from '../text.ts';

const DAY_MS = 86_400_000;
const ALL = 1_000_000;

export async function runsList(cli: Cli, options: BaseOptions & { limit?: string; json?: boolean; session?: string }): Promise<ExitStatus> {
  const limit = wholeNumber(cli, '--limit', options.limit ?? '20');
  const session = options.session ? { session_id: options.session } : {};
  const print = (heads: readonly RunHead[]): ExitStatus => {
    const rows = heads.map(({ run_id, session_id, status, started, request, steps, continues }) => {
      const told = request === '' && continues ? cli.t('runs.forkOf', { id: continues }) : maskPatterns(request);
      return { run_id, session_id, status, started, request: told, steps };
    });
    if (options.json) cli.terminal.out(`${JSON.stringify(rows, null, 2)}\n`);
    else if (rows.length === 0) cli.terminal.err(`${cli.t('runs.empty')}\n`);
    else {
      const head = (['runs.id', 'runs.started', 'runs.status', 'runs.steps', 'runs.request'] as const).map((key) => cli.t(key));
      const cells = rows.map((row) => [row.run_id, localTime(row.started), row.status, String(row.steps), row.request]);
      cli.terminal.out(table([head, ...cells], cli.terminal.tableColumns));
    }
    return 0;
  };
  return withStore(
    cli,
    options,
    async ({ store }) => print(await store.list({ limit, ...session })),
    () => print([]),
  );
}

export async function runsShow(cli: Cli, id: string, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  return withStore<ExitStatus>(cli, options, async ({ store }) => {
    const head = await findRun(cli, store, id);
    const events = await store.read(head.run_id);
    if (options.json) for (const event of events) cli.terminal.out(jsonLine(event));
    else showRun(cli, head, events);
    return 0;
  });
}

function showRun(cli: Cli, head: RunHead, events: readonly RunEvent[]): void {
  const begin = events.find((event) => event.event_type === 'run.start');
  const facts = [
    [cli.t('runs.id'), head.run_id],
    [cli.t('runs.session'), head.session_id],
    [cli.t('runs.started'), localTime(head.started)],
    [cli.t('runs.status'), head.status],
    [cli.t('runs.model'), begin ? `${begin.data.model} (${begin.data.protocol})` : '-'],
    [cli.t('runs.request'), maskPatterns(begin?.data.input?.content ?? head.request)],
  ];
  cli.terminal.out(`${table(facts, cli.terminal.tableColumns)}\n`);
  const story = new Story(cli.t);
  for (const event of events) printLine(cli, story, event, head.started);
}

/** `#seq +seconds text`, and the answer whole at the end. */
function printLine(cli: Cli, story: Story, event: RunEvent, started: string): void {
  const line = story.line(event);
  if (line) {
    const seconds = ((Date.parse(event.ts) - Date.parse(started)) / 1000).toFixed(1);
    const place = cli.terminal.paintOut('dim', `#${event.seq} +${seconds}s`.padEnd(12));
    const text = oneLine(maskPatterns(line.text));
    cli.terminal.out(`${place} ${line.tone ? cli.terminal.paintOut(line.tone, text) : text}\n`);
  }
  if (event.event_type !== 'run.end') return;
  const { answer, report, error } = event.data.outcome;
  const last = answer || report || error?.message || '';
  cli.terminal.out(`\n${harmless(maskPatterns(last))}\n`);
}

/** Follows until the run ends or sleeps; what is already there is shown first. */
export async function runsTail(cli: Cli, id: string, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  return withStore<ExitStatus>(cli, options, async ({ store }) => {
    const head = await findRun(cli, store, id);
    const stopping = new AbortController();
    const signals = onSignals(() => stopping.abort());
    const story = new Story(cli.t);
    try {
      for await (const event of store.subscribe(head.run_id, 1, stopping.signal)) {
        if (options.json) cli.terminal.out(jsonLine(event));
        else printLine(cli, story, event, head.started);
        if (event.event_type === 'run.end' || cli.terminal.isClosed) return 0;
      }
      return signals.status;
    } finally {
      signals.end();
    }
  });
}

export async function runsVerify(
  cli: Cli,
  ids: readonly string[],
  options: BaseOptions & { json?: boolean; key?: string },
): Promise<ExitStatus> {
  const key = options.key === undefined ? undefined : await readPublicKey(options.key);
  return withStore<ExitStatus>(cli, options, async ({ store, logs, config }) => {
    const heads = ids.length === 0 ? await store.list({ limit: ALL }) : await allFound(cli, store, ids);
    let bad = 0;
    for (const head of heads) {
      const result = await verifyRun(store, head.run_id, config.values.logging.json_lines ? logs : undefined);
      if (key) result.problems.push(...(await checkSignature(store, head, logs, key)));
      result.ok = result.ok && !result.problems.some(({ code }) => code.startsWith('signature_'));
      if (!result.ok) bad++;
      if (options.json) cli.terminal.out(`${JSON.stringify({ run_id: head.run_id, ...result })}\n`);
      else {
        cli.terminal.out(`${result.ok ? '✓' : '✗'} ${cli.t('runs.verified', { id: head.run_id, events: result.events })}\n`);
        for (const { seq, code, message } of result.problems)
          cli.terminal.out(`    ${seq === undefined ? '' : `#${seq} `}${code}: ${message}\n`);
      }
    }
    cli.terminal.err(`${cli.t(bad === 0 ? 'runs.allGood' : 'runs.bad', { count: heads.length, bad })}\n`);
    return bad === 0 ? 0 : 1;
  });
}

/** For runs that ended before there was a key, or in a crash. What is not as it was written is not signed. */
export async function runsSign(cli: Cli, ids: readonly string[], options: BaseOptions & { key?: string }): Promise<ExitStatus> {
  return withStore<ExitStatus>(cli, options, async ({ store, logs, config }) => {
    const { sign_key, json_lines } = config.values.logging;
    const file = options.key ?? (sign_key === undefined ? undefined : resolve(config.root, sign_key));
    if (file === undefined) throw usageError(cli.t('runs.noKey'), cli.t('runs.noKey.next'));
    const key = await readSigningKey(file);
    let bad = 0;
    for (const { run_id, seq } of await allFound(cli, store, ids)) {
      const { ok, problems } = await verifyRun(store, run_id, json_lines ? logs : undefined);
      if (ok) await signRun(store, run_id, logs, key);
      else bad++;
      const said = ok ? `✓ ${cli.t('runs.signed', { id: run_id, seq })}` : `✗ ${run_id}: ${problems[0]?.message}`;
      cli.terminal.out(`${said}\n`);
    }
    return bad === 0 ? 0 : 1;
  });
}

export async function runsPrune(cli: Cli, options: BaseOptions & { olderThan?: string; yes?: boolean }): Promise<ExitStatus> {
  const days = wholeNumber(cli, '--older-than', options.olderThan ?? '30');
  return withStore<ExitStatus>(cli, options, async ({ store, logs }) => {
    if (!options.yes) {
      if (!cli.terminal.canAsk) throw usageError(cli.t('runs.prune.unasked'), cli.t('runs.prune.yes'));
      if (!(await confirm(cli, cli.t('runs.prune.ask', { days })))) return 3;
    }
    const pruned = await store.prune(new Date(Date.now() - days * DAY_MS).toISOString());
    await removeLogs(logs, pruned);
    cli.terminal.err(`${cli.t('runs.pruned', { count: pruned.length })}\n`);
    return 0;
  });
}

function allFound(cli: Cli, store: EventStore, ids: readonly string[]): Promise<RunHead[]> {
  return Promise.all(ids.map((id) => findRun(cli, store, id)));
}

function jsonLine(event: RunEvent): string {
  return `${maskPatterns(JSON.stringify(event))}\n`;
}

function localTime(iso: string): string {
  return new Date(iso).toLocaleString('sv-SE');
}
