/** `hermes approvals list|approve|deny`: questions of runs that sleep in the store, answered from any terminal, today or next week. */

import { remember } from '../../agent/remembered.ts';
import { alwaysRules } from '../../agent/wait.ts';
import { readHistory } from '../../journal/history.ts';
import { maskPatterns } from '../../journal/secrets.ts';
import type { EventStore } from '../../journal/store.ts';
import { HermesError } from '../../kernel/errors.ts';
import type { Question } from '../../kernel/types.ts';
import { wordsOf } from '../approve.ts';
import { type Cli, type ExitStatus, usageError } from '../context.ts';
import { configFor, openFor } from '../open.ts';
import type { BaseOptions, RunOptions } from '../options.ts';
import { describeCall } from '../question.ts';
import { withStore } from '../store.ts';
import { oneLine } from '../text.ts';
import { Turn } from '../turn.ts';

/** Questions are looked for in so many of the newest runs that wait. */
const LOOKED_THROUGH = 1000;

interface Pending extends Question {
  run_id: string;
  session_id: string;
  request: string;
  /** When it was asked. */
  asked: string;
  expired: boolean;
}

export async function approvalsList(cli: Cli, options: BaseOptions & { json?: boolean }): Promise<ExitStatus> {
  const none = () => {
    if (options.json) cli.terminal.out('[]\n');
    else cli.terminal.err(`${cli.t('approvals.none')}\n`);
    return 0 as const;
  };
  return withStore<ExitStatus>(
    cli,
    options,
    async ({ store }) => {
      const pending = await findPending(store);
      if (pending.length === 0) return none();
      if (options.json) cli.terminal.out(`${maskPatterns(JSON.stringify(pending, null, 2))}\n`);
      else for (const one of pending) cli.terminal.out(describePending(cli, one));
      if (!options.json) {
        for (const how of ['approvals.how', 'approvals.howWords'] as const) {
          const first = pending.find(({ calls }) => (calls[0]?.wants !== undefined) === (how === 'approvals.howWords'));
          if (first) cli.terminal.err(`${cli.t(how, { id: first.approval_id })}\n`);
        }
      }
      return 0;
    },
    none,
  );
}

function describePending(cli: Cli, { approval_id, asked, expires, expired, request, calls }: Pending): string {
  const { terminal, t } = cli;
  const age = t('approvals.age', { age: span(cli, Date.now() - Date.parse(asked)) });
  const left = expires === undefined ? t('approvals.forever') : t('approvals.left', { left: span(cli, Date.parse(expires) - Date.now()) });
  const head = `${terminal.paintOut('bold', approval_id)}  ${age}, ${expired ? t('approvals.expired') : left}\n  > ${oneLine(request)}\n`;
  const paint: typeof terminal.paintOut = (style, text) => terminal.paintOut(style, text);
  return `${head}${maskPatterns(calls.map((call) => describeCall(cli, call, paint)).join(''))}\n`;
}

/** In the largest unit that says something. */
function span({ t }: Cli, milliseconds: number): string {
  const minutes = Math.max(0, Math.round(milliseconds / 60_000));
  if (minutes < 120) return t('approvals.minutes', { n: minutes });
  return minutes < 48 * 60
    ? t('approvals.hours', { n: Math.round(minutes / 60) })
    : t('approvals.days', { n: Math.round(minutes / 60 / 24) });
}

export interface AnswerOptions extends RunOptions {
  note?: string;
  always?: boolean;
}

export function approvalsApprove(cli: Cli, id: string, options: AnswerOptions): Promise<ExitStatus> {
  return answer(cli, id, 'approve', options);
}

/** A number stands for one of the answers that the question offers. */
export function approvalsAnswer(cli: Cli, id: string, text: string, options: AnswerOptions): Promise<ExitStatus> {
  return answer(cli, id, 'approve', { ...options, note: text }, true);
}

export function approvalsDeny(cli: Cli, id: string, options: AnswerOptions): Promise<ExitStatus> {
  return answer(cli, id, 'deny', options);
}

/** The answer is put where it counts once; then the run goes on here, unless another process works on it. */
async function answer(cli: Cli, id: string, decision: 'approve' | 'deny', options: AnswerOptions, isWords = false): Promise<ExitStatus> {
  const { approval_id, run_id, calls } = await withStore(cli, options, async ({ store, config }) => {
    const question = await find(cli, store, id);
    if (decision === 'approve') refuseExpired(cli, question);
    if (decision === 'approve') refuseMismatch(cli, question, isWords);
    if (options.always) await remember(config.userFolder, config.root, always(cli, question));
    return question;
  });
  const config = await configFor(cli, options);
  const turn = new Turn(cli, { ...options, parked: true }, config);
  const opened = await openFor(cli, config, options, turn);
  try {
    const note = options.note === undefined ? {} : { note: isWords ? wordsOf(calls[0]!, options.note.trim()) : options.note };
    const data = { approval_id, decision, by: 'terminal', ...note };
    if (!(await opened.store.inbox.put(run_id, { event_type: 'approval.answer', data }))) throw answered(cli, approval_id, run_id);
    return await turn.take(() => opened.agent.startResume(run_id));
  } catch (error) {
    if (!(error instanceof HermesError) || error.code !== 'run_busy') throw error;
    cli.terminal.err(`${cli.t('approvals.handed', { id: run_id })}\n`);
    return 0;
  } finally {
    await opened.close();
  }
}

function refuseMismatch(cli: Cli, { calls, approval_id: id }: Pending, isWords: boolean): void {
  const wantsWords = calls[0]?.wants !== undefined;
  if (isWords && !wantsWords) throw usageError(cli.t('approvals.noWords'), cli.t('approvals.noWords.next', { id }));
  if (wantsWords && !isWords) throw usageError(cli.t('approvals.wantsWords'), cli.t('approvals.howWords', { id }));
}

function refuseExpired(cli: Cli, { expired, expires = '', run_id }: Pending): void {
  if (expired) throw usageError(cli.t('approvals.tooLate', { expires }), cli.t('approvals.tooLate.next', { id: run_id }));
}

function always(cli: Cli, { calls, approval_id }: Pending): string[] {
  const rules = alwaysRules(calls);
  if (!rules) throw usageError(cli.t('approvals.never'), cli.t('approvals.never.next', { id: approval_id }));
  for (const rule of rules) cli.terminal.err(`${cli.t('approval.kept', { rule: oneLine(rule) })}\n`);
  return rules;
}

function answered(cli: Cli, id: string, run: string): HermesError {
  return new HermesError('already_answered', cli.t('error.already_answered', { id }), { kind: 'usage', data: { id, run } });
}

/** Oldest first. Sub-agents are left out: what they asked has ended with the call that was them. */
async function findPending(store: EventStore): Promise<Pending[]> {
  const runs = (await store.list({ limit: LOOKED_THROUGH, status: 'waiting_for_approval' })).filter(({ parent_id }) => !parent_id);
  const now = new Date().toISOString();
  const found: Pending[] = [];
  for (const { run_id, session_id, request } of runs.reverse()) {
    const { state, events } = await readHistory(store, run_id);
    for (const question of state.waiting) {
      const ask = events.find((event) => event.event_type === 'approval.ask' && event.data.approval_id === question.approval_id);
      const expired = question.expires !== undefined && now > question.expires;
      found.push({ ...question, run_id, session_id, request, asked: ask?.ts ?? state.last_ts, expired });
    }
  }
  return found;
}

/** By its id, its run's id, the beginning of either, or `last`. */
async function find(cli: Cli, store: EventStore, id: string): Promise<Pending> {
  const pending = await findPending(store);
  const exact = pending.filter(({ approval_id, run_id }) => approval_id === id || run_id === id);
  const begun = exact.length > 0 || id === '' ? exact : pending.filter(({ approval_id }) => approval_id.startsWith(id));
  const found = id === 'last' ? pending.slice(-1) : begun;
  if (found.length === 1) return found[0]!;
  const names = pending.map(({ approval_id }) => approval_id).slice(0, 5);
  const run = id.replace(/\.\d+$/, '');
  if (found.length === 0 && (await store.head(run))) throw answered(cli, id, run);
  throw usageError(
    cli.t(found.length === 0 ? 'approvals.unknown' : 'approvals.ambiguous', { id, found: names.join(', ') }),
    cli.t('approvals.unknown.next'),
  );
}
