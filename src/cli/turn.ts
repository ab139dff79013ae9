/** One run from the command line: shown while it goes on, stopped by signals, told when it has ended. */

import type { Config } from '../agent/config.ts';
import { remember } from '../agent/remembered.ts';
import type { Run } from '../agent/run.ts';
import type { ApprovalAnswer, Approver, PullControl, RunOutcome } from '../agent/types.ts';
import { alwaysRules } from '../agent/wait.ts';
import { maskPatterns } from '../journal/secrets.ts';
import type { CallQuestion, EventData } from '../kernel/types.ts';
import type { PullPlan } from '../models/pull.ts';
import { askPerson, confirm } from './approve.ts';
import type { Cli, ExitStatus } from './context.ts';
import { Display, type Loudness } from './display.ts';
import { printError } from './errors.ts';
import type { OnApproval, RunOptions } from './options.ts';
import { exitStatus, outcomeJson, printOutcome } from './outcome.ts';
import { megabytes, Progress } from './progress.ts';
import { onSignals } from './signals.ts';
import { oneLine } from './text.ts';

export class Turn {
  readonly #cli: Cli;
  readonly #options: RunOptions;
  readonly #display: Display;
  #stopping = new AbortController();
  #nobodyAsked = false;
  /** Calls that are asked about whatever rules allow. */
  readonly #eachTime = new Set<string>();
  /** Ends the question that stands on the screen, unanswered. */
  #asking: AbortController | undefined;
  /** What a stopped pull has brought so far stays. */
  #pullIsKept = false;
  readonly #config: Config;
  readonly #progress: Progress;

  constructor(cli: Cli, options: RunOptions, config: Config) {
    this.#cli = cli;
    this.#options = options;
    this.#config = config;
    this.#progress = new Progress(cli);
    const loudness: Loudness = options.quiet ? 'ERROR' : options.verbose ? 'DEBUG' : config.values.logging.level;
    this.#display = new Display(cli, loudness, options.json === true || options.events === true || options.outputSchema !== undefined);
  }

  /** Who is asked before a call that needs it; undefined lets the run sleep (`wait`). */
  get approver(): Approver | undefined {
    const { terminal, t } = this.#cli;
    // A parked run is not refused only because it is looked at from a script.
    const otherwise = this.#options.parked ? 'wait' : 'deny';
    const how: OnApproval = this.#options.onApproval ?? (terminal.canAsk ? 'ask' : otherwise);
    if (how === 'wait') return undefined;
    if (how === 'ask' && terminal.canAsk) {
      return async ({ calls }, { signal }) => {
        this.#display.settle();
        return this.#ask(calls, signal);
      };
    }
    return async ({ calls }) => {
      if (calls[0]?.wants) return { decision: 'deny', by: 'nobody' }; // the model goes on, and says what it assumed
      this.#nobodyAsked = true;
      const isEachTime = calls.some(({ call_id }) => this.#eachTime.has(call_id));
      return { decision: 'deny', by: 'nobody', note: t(isEachTime ? 'run.nobodyAlways' : 'run.nobody', { name: calls[0]?.name ?? '' }) };
    };
  }

  async #ask(calls: readonly CallQuestion[], signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
    const leaving = new AbortController();
    this.#asking = leaving;
    try {
      const answer = await askPerson(this.#cli, calls, AbortSignal.any([signal, leaving.signal]));
      const rules = answer?.always ? (alwaysRules(calls) ?? []) : [];
      if (rules.length > 0) await remember(this.#config.userFolder, this.#config.root, rules);
      for (const rule of rules) this.#cli.terminal.err(`${this.#cli.t('approval.kept', { rule: oneLine(rule) })}\n`);
      return answer;
    } finally {
      this.#asking = undefined;
    }
  }

  /** The first run may have to bring the embedded model onto this machine: said, shown, and stopped by Ctrl-C. */
  get pull(): PullControl {
    const { terminal, t } = this.#cli;
    const { quiet } = this.#options;
    const progress = this.#progress;
    const stopping = () => this.#stopping.signal;
    const takesSmall = this.#config.env.HERMES_PULL === 'small';
    return {
      announce: ({ name, download = 0, licence = t('models.noLicence'), resumable }, runtimeBytes) => {
        this.#pullIsKept = resumable;
        if (!quiet) terminal.err(`${t('models.first', { name, size: megabytes(download + runtimeBytes), licence })}\n`);
      },
      ...(takesSmall || terminal.canAsk ? { prefer: (plan) => takesSmall || confirm(this.#cli, preference(this.#cli, plan)) } : {}),
      progress: ({ part, bytes, total }) => {
        if (!quiet) progress.show(t(`models.${part}`), bytes, total);
        if (bytes === total) progress.end();
      },
      get signal() {
        return stopping();
      },
    };
  }

  /** Begins a run and sees it through to its exit status. `silent`: the caller itself tells how it ended. */
  async take(begin: () => Run | Promise<Run>, silent = false): Promise<ExitStatus> {
    this.#nobodyAsked = false;
    this.#stopping = new AbortController();
    let running: Run | undefined;
    const signals = onSignals((signal) => {
      this.#display.settle();
      // Whoever closes the terminal has not answered: the question waits in the store, the run with it.
      if (signal === 'SIGTERM' && this.#asking) return this.#asking.abort();
      this.#progress.end();
      if (signal === 'SIGINT' && !this.#options.quiet) this.#cli.terminal.err(`${this.#cli.t('run.stopping')}\n`);
      this.#stopping.abort();
      running?.abort(signal);
    });
    try {
      running = await begin();
      if (this.#stopping.signal.aborted) running.abort('SIGINT');
      running.subscribe((event) => {
        if (this.#options.events) this.#cli.terminal.out(`${maskPatterns(JSON.stringify(event))}\n`);
        if (event.event_type === 'call.permit' && isEachTime(event.data)) this.#eachTime.add(event.data.call_id);
        this.#display.show(event);
      });
      const outcome = await running.outcome;
      const isStopped = this.#stopping.signal.aborted && (outcome.status === 'cancelled' || outcome.status === 'error');
      if (isStopped && outcome.status === 'error' && !this.#options.json)
        this.#cli.terminal.err(`${this.#cli.t(this.#pullIsKept ? 'models.kept' : 'models.stopped')}\n`);
      else this.#tell(outcome, silent);
      return isStopped ? signals.status : exitStatus(outcome, this.#nobodyAsked);
    } finally {
      this.#display.settle();
      signals.end();
    }
  }

  #tell(outcome: RunOutcome, silent: boolean): void {
    const { json, events } = this.#options;
    if (silent || json || events) {
      this.#display.settle();
      if (json && !silent) this.#cli.terminal.out(`${JSON.stringify(outcomeJson(outcome))}\n`);
      if (outcome.error) printError(this.#cli, outcome.error);
    } else printOutcome(this.#cli, outcome, this.#display, this.#options.outputSchema !== undefined);
  }
}

/** A rule that allows the call would not help: its judge, a hook or the origin of what it says asks. */
export function isEachTime({ decision, by }: EventData['call.permit']): boolean {
  return decision === 'ask' && by !== 'rule';
}

function preference({ t }: Cli, { name, download = 0, licence = '', from }: PullPlan): string {
  return t('models.prefer', { name, size: megabytes(download), licence, from });
}
