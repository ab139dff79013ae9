/**
 * The kernel: a run is a log. `next` decides what happens next by looking at the state, performers
 * carry it out and report events, `apply` folds the events into the state, and `run` is the one loop
 * around them. `next` and `apply` are pure: no I/O, no clock, no random number, no vendor.
 */

import {
  approvalAnswered,
  attached,
  broughtIn,
  closeCall,
  countTrip,
  entered,
  FRESH,
  failedAs,
  forModel,
  goingOn,
  messageTokens,
  openCalls,
  replied,
  settle,
  spent,
  tripped,
  withCall,
  withStatus,
} from './changes.ts';
import { errorData } from './errors.ts';
import { hear, ruleFailure } from './hearing.ts';
import { CommandPerforming } from './performing.ts';
import { closedCall, denial, outcomeOf, questions, refused, report, tooLarge } from './report.ts';
import { estimateTokens } from './text.ts';
import type { Command, Fact, Outcome, Rules, RunEvent, Running, RunOptions, State, Status } from './types.ts';

// ---- next: the list of rules; the first that speaks decides --------------------------------------

/**
 * "What happens when" is answered by reading this list from top to bottom, and only by it. Total: every state that events can lead to
 * has a command, also when a rule throws.
 */
export function next(state: State, rules: Rules): Command {
  try {
    return decide(state, rules);
  } catch (error) {
    return ruleFailure(error);
  }
}

function decide(state: State, rules: Rules): Command {
  return (
    over(state) ??
    ending(state) ??
    ended(state) ??
    inDoubt(state) ??
    guarded(state, rules) ??
    toPrepare(state) ??
    toPermit(state, rules) ??
    toRun(state) ??
    toWaitFor(state) ??
    input(state) ??
    toMend(state) ??
    answered(state, rules) ??
    tooBig(state, rules) ??
    failed(state) ??
    stepLimit(state) ??
    beforeThink(state, rules) ?? { do: 'think' }
  );
}

/** The run has its outcome: the loop ends. */
function over(state: State): Command | undefined {
  return state.outcome && { do: 'nothing' };
}

/** An abort, a limit or a stop guard, with calls still open: each gets its one result. */
function ending(state: State): Command | undefined {
  if (!isEnding(state)) return undefined;
  const open = openCalls(state);
  return open.length > 0 ? { do: 'record', facts: open.map((call) => closedCall(state, call)) } : undefined;
}

/** An abort, a limit or a stop guard, nothing open: the outcome, with the report made by code. */
function ended(state: State): Command | undefined {
  if (state.abort?.error) return finish(state, 'error', { error: state.abort.error });
  if (state.abort) return finish(state, 'cancelled', { stopped_by: 'abort', report: report(state, 'cancelled') });
  if (state.limit) return finish(state, 'timeout', { stopped_by: state.limit.limit, report: report(state, 'timeout') });
  if (state.stop) return finish(state, 'stopped_by_guard', { stopped_by: state.stop.guard, report: report(state, 'stopped_by_guard') });
  return undefined;
}

/** Started before a crash and no end: repeated only when that is safe (it only looks, or is declared so), else the model is told. */
function inDoubt(state: State): Command | undefined {
  const doubtful = withStatus(state, 'in_doubt');
  if (!doubtful) return undefined;
  const untold = doubtful.filter((call) => call.level !== 'read' && !call.idempotent && !call.child_run_id);
  if (untold.length > 0) return { do: 'record', facts: untold.map((call) => closedCall(state, call)) };
  return { do: 'act', calls: doubtful };
}

/** A guard's verdict on the newest facts. Open calls get their result before a nudge; what was just said is not judged twice. */
function guarded(state: State, rules: Rules): Command | undefined {
  if (state.messages.at(-1)?.role === 'note') return undefined;
  for (const guard of rules.guards ?? []) {
    const verdict = hear(guard, state);
    if (!verdict) continue;
    const closed = verdict.verdict === 'nudge' ? openCalls(state).map((call) => closedCall(state, call)) : refused(state, verdict);
    return { do: 'record', facts: [...closed, { event_type: 'guard.trip', data: verdict }] };
  }
  return undefined;
}

/** Proposed calls: find the tool, adapt and validate the arguments. */
function toPrepare(state: State): Command | undefined {
  const calls = withStatus(state, 'proposed');
  return calls && { do: 'prepare', calls };
}

/** Prepared calls: allowed, asked (one yes or no for all of the step) or denied, on the prepared arguments only. */
function toPermit(state: State, rules: Rules): Command | undefined {
  if (state.calls.length === 0) return undefined;
  const named = state.waiting.flatMap((question) => question.calls.map((call) => call.call_id));
  const asked = state.calls.filter((call) => call.status === 'asked' && !named.includes(call.id));
  const facts: Fact[] = [];
  const reasons = new Map<string, string>();
  for (const call of withStatus(state, 'prepared') ?? []) {
    const { decision, reason, by = 'rule' } = hear(rules.permit, state, call);
    if (decision === 'ask') asked.push(call);
    reasons.set(call.id, reason);
    facts.push({ event_type: 'call.permit', data: { call_id: call.id, decision, reason, by } });
  }
  if (asked.length > 0) facts.push(...questions(state, rules, asked, reasons));
  return facts.length > 0 ? { do: 'record', facts } : undefined;
}

/** Allowed calls, in one group; the performer keeps conflicting ones in order. */
function toRun(state: State): Command | undefined {
  const calls = withStatus(state, 'allowed');
  return calls && { do: 'act', calls };
}

/** Only unanswered questions are left: the run sleeps in the store. */
function toWaitFor(state: State): Command | undefined {
  return withStatus(state, 'asked') && { do: 'wait' };
}

/** No call is open: what people have put in is taken into the messages. */
function input(state: State): Command | undefined {
  if (state.pending.length === 0) return undefined;
  return { do: 'record', facts: [{ event_type: 'input.taken', data: { count: state.pending.length } }] };
}

/** The last reply could not be read: one request to the model to mend it; after that its text is the answer. */
function toMend(state: State): Command | undefined {
  if (!state.problem || (state.trips.mend ?? 0) > 0 || state.step >= state.limits.max_steps) return undefined;
  return { do: 'record', facts: [{ event_type: 'guard.trip', data: { guard: 'mend', verdict: 'nudge', message: state.problem.message } }] };
}

/** The last reply is final: features may look at it, then the run succeeds. */
function answered(state: State, rules: Rules): Command | undefined {
  if (state.answer === undefined) return undefined;
  for (const rule of rules.beforeFinish ?? []) {
    const command = hear(rule, state);
    if (command) return command;
  }
  return finish(state, 'success', {});
}

/** The next request would not fit, or the endpoint said so: the history gets smaller, at most three times in a row. */
function tooBig(state: State, rules: Rules): Command | undefined {
  const budget = state.limits.context_tokens ?? Number.POSITIVE_INFINITY;
  if (!state.overflow && state.tokens <= budget * 0.8) return undefined;
  const smaller = (state.trips.compact ?? 0) < 3 ? rules.compact?.(state) : undefined;
  if (smaller) return { do: 'record', facts: [smaller] };
  if (state.overflow || state.tokens <= budget) return undefined;
  return finish(state, 'error', { error: tooLarge(state), report: report(state, 'error') });
}

/** The model gave no usable reply, retries included. */
function failed(state: State): Command | undefined {
  return state.error && finish(state, 'error', { error: state.error, report: report(state, 'error') });
}

function stepLimit(state: State): Command | undefined {
  if (state.step < state.limits.max_steps) return undefined;
  return finish(state, 'max_steps', { stopped_by: 'max_steps', report: report(state, 'max_steps') });
}

/** Features' rules (recall, plan, ...) have their say before the model is asked. */
function beforeThink(state: State, rules: Rules): Command | undefined {
  for (const rule of rules.beforeThink ?? []) {
    const command = hear(rule, state);
    if (command) return command;
  }
  return undefined;
}

function isEnding(state: State): boolean {
  return state.abort !== undefined || state.limit !== undefined || state.stop !== undefined;
}

function finish(state: State, status: Status, more: Partial<Outcome>): Command {
  return { do: 'finish', outcome: outcomeOf(state, status, more) };
}

// ---- apply: the only place where state changes ---------------------------------------------------

/** The state after run.start. `before` is the state that the run goes on from (a session's last run, a fork's origin). */
export function start(event: RunEvent<'run.start'>, before?: State): State {
  const { data } = event;
  const fork = data.continues?.fork === true && before !== undefined;
  const going = fork && !data.input; // a fork without a new request goes on in the middle of a step
  const history = before ? settle(before, going) : undefined;
  const old = history ? [...forModel(history.messages, history.model === data.model), ...(going ? [] : history.pending)] : [];
  const messages = data.input ? [...old, data.input] : old;
  const tokens = history ? history.tokens : estimateTokens(data.instructions);
  return {
    ...FRESH,
    run_id: event.run_id,
    session_id: event.session_id,
    ...(event.parent_id === undefined ? {} : { parent_id: event.parent_id }),
    seq: event.seq,
    instructions: data.instructions,
    model: data.model,
    protocol: data.protocol,
    language: data.language,
    limits: data.limits,
    output_schema: data.output_schema,
    guards: data.guards,
    messages,
    own_from: fork ? history!.own_from : old.length,
    sources: broughtIn(data, history),
    kept: history?.kept ?? [],
    boundary: data.boundary,
    ...(going ? goingOn(history!) : {}),
    tokens: tokens + (data.input ? messageTokens(data.input) : 0),
    last_ts: event.ts,
  };
}

/** Folds one committed event into the state. Never throws on an event that the kernel can emit; never changes `state`. */
export function apply(state: State, event: RunEvent): State {
  const changed = change(state, event, event.ts);
  const next = changed === state ? { ...state } : changed;
  next.seq = event.seq;
  if (event.ts === state.last_ts) return next;
  const asleep = state.waiting.length > 0 && !state.calls.some((call) => call.status === 'started');
  if (!asleep && event.event_type !== 'run.resume') next.work_ms += Math.max(0, Date.parse(event.ts) - Date.parse(state.last_ts));
  next.last_ts = event.ts;
  return next;
}

/** The state of a whole log. `before`: see start. */
export function fold(events: readonly RunEvent[], before?: State): State {
  const [first, ...rest] = events;
  if (first?.event_type !== 'run.start') throw new TypeError('a log begins with run.start');
  return rest.reduce(apply, start(first, before));
}

/** What a fact means for the state, apart from its place and time. A changed state is always a new object. */
function change(state: State, fact: Fact, ts: string): State {
  switch (fact.event_type) {
    case 'run.resume':
      return {
        ...state,
        error: undefined,
        step: state.thinking ? state.step - 1 : state.step, // a step without a reply is done over
        thinking: false,
        calls: state.calls.map((call) => (call.status === 'started' ? { ...call, status: 'in_doubt' } : call)),
      };
    case 'run.change': {
      const { model = state.model, protocol = state.protocol } = fact.data;
      return { ...state, model, protocol, messages: forModel(state.messages, model === state.model) };
    }
    case 'run.abort':
      return { ...state, abort: fact.data };
    case 'limit.reached':
      return { ...state, limit: fact.data };
    case 'run.end':
      return { ...state, outcome: fact.data.outcome, waiting: [] };
    case 'step.start':
      return {
        ...state,
        step: fact.data.step,
        thinking: true,
        answer: undefined,
        answer_by: undefined,
        problem: undefined,
        error: undefined,
      };
    case 'model.end':
      return replied(state, fact.data);
    case 'call.prepare': {
      const { call_id, repairs: _, ...prepared } = fact.data;
      return withCall(state, call_id, (call) => ({ ...call, ...prepared, status: 'prepared' }));
    }
    case 'call.reject':
      return closeCall(state, fact.data.call_id, fact.data.message, { success: false, error_code: fact.data.code, ms: 0 });
    case 'call.permit': {
      const { call_id, decision, reason, by } = fact.data;
      if (decision === 'deny') return closeCall(state, call_id, denial(state, reason), { success: false, error_code: 'denied', ms: 0 });
      return withCall(state, call_id, (call) => ({ ...call, status: decision === 'ask' && by !== 'person' ? 'asked' : 'allowed' }));
    }
    case 'approval.ask':
      return { ...state, waiting: [...state.waiting, fact.data] };
    case 'approval.answer':
      return approvalAnswered(state, fact.data, ts);
    case 'tool.start': {
      const { call_id, key, child_run_id } = fact.data;
      return withCall(state, call_id, (call) => ({
        ...call,
        status: 'started',
        key,
        ...(child_run_id === undefined ? {} : { child_run_id }),
      }));
    }
    case 'tool.end': {
      const { call_id, name, result, shaped, ms } = fact.data;
      const doubtful = !result.success && result.error.code === 'in_doubt' ? { in_doubt: [...state.in_doubt, name] } : {};
      const record = { success: result.success, ms, ran: true as const, ...(result.success ? {} : failedAs(result.error)) };
      return closeCall({ ...entered(state, fact.data), ...doubtful }, call_id, shaped, record);
    }
    case 'guard.trip':
      return tripped(state, fact.data);
    case 'perform.end': {
      const { name, result, usage, cost } = fact.data;
      return { ...state, ...spent(state, usage, cost), results: { ...state.results, [name]: result } };
    }
    case 'memory.compact': {
      const { count, messages, own_from, tokens_after } = fact.data;
      const compacted = { messages: [...messages, ...state.messages.slice(count)], own_from, tokens: tokens_after };
      return { ...state, ...compacted, overflow: false, error: undefined, trips: countTrip(state, 'compact') };
    }
    case 'input.add':
      return { ...state, pending: [...state.pending, fact.data.message] };
    case 'input.taken': {
      const taken = state.pending.slice(0, fact.data.count);
      const tokens = taken.reduce((sum, message) => sum + messageTokens(message), state.tokens);
      return {
        ...state,
        messages: [...state.messages, ...taken],
        pending: state.pending.slice(fact.data.count),
        sources: [...state.sources, ...attached(taken)],
        tokens,
        answer: undefined,
      };
    }
    default:
      return state;
  }
}

// ---- run: the loop with its one mailbox ------------------------------------------------------------

/** What must be on the disk before anything that depends on it happens. */
function isBarrier(fact: Fact, state?: State): boolean {
  if (fact.event_type === 'tool.start') return state?.calls.find((call) => call.id === fact.data.call_id)?.level !== 'read';
  return fact.event_type === 'approval.ask' || fact.event_type === 'approval.answer' || fact.event_type === 'run.end';
}

const DONE = Promise.resolve();

export function run(options: RunOptions): Running {
  const { performers, rules, journal, clock, publish } = options;
  let state: State | undefined = options.first.event_type === 'run.resume' ? options.before : undefined;
  let working: { command: Command['do']; performing: CommandPerforming } | undefined;
  let busy = false; // with a batch, which may be waiting for the disk
  let mailbox: { facts: Fact[]; resolve: () => void; reject: (error: unknown) => void }[] = [];

  // Performers and people use the same door. Facts are committed in order; what comes while a batch is on its way makes the next one.
  function emit(...facts: Fact[]): Promise<void> {
    if (state?.outcome) return DONE; // nothing follows run.end: a late result is dropped
    if (busy) return new Promise((resolve, reject) => mailbox.push({ facts, resolve, reject }));
    busy = true;
    const delivered = deliver(facts);
    if (delivered) return delivered.finally(nextBatch);
    nextBatch();
    return DONE;
  }

  function deliver(facts: readonly Fact[]): Promise<void> | undefined {
    try {
      const events = commit(facts);
      if (events instanceof Promise) return events.then((committed) => committed.forEach(take));
      for (const event of events) take(event);
      return undefined;
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function nextBatch(): void {
    busy = false;
    const letters = mailbox;
    if (letters.length === 0) return;
    mailbox = [];
    const batch = emit(...letters.flatMap((letter) => letter.facts));
    for (const { resolve, reject } of letters) batch.then(resolve, reject);
  }

  function commit(facts: readonly Fact[]): RunEvent[] | Promise<RunEvent[]> {
    let step = state?.step ?? 0;
    let durable = false;
    for (const fact of facts) {
      if (fact.event_type === 'step.start') step = fact.data.step;
      durable ||= isBarrier(fact, state);
    }
    return journal.append(facts, step, durable);
  }

  function take(event: RunEvent): void {
    state = event.event_type === 'run.start' ? start(event, options.before) : apply(state!, event);
    const interrupt = event.event_type === 'input.add' && event.data.interrupt === true && working?.command === 'think';
    if (interrupt || event.event_type === 'run.abort' || event.event_type === 'limit.reached') working?.performing.stop(event.event_type);
    publish(event);
  }

  // A performer that throws is a fault of the framework: the run ends as error, each call with its result.
  function carryOut(command: Command): Promise<void> {
    if (command.do === 'finish') return carryOut({ do: 'record', facts: [{ event_type: 'run.end', data: { outcome: command.outcome } }] });
    const carried = command.do === 'record' ? emit(...command.facts) : perform(command);
    return carried === DONE ? DONE : carried.catch(failedWith);
  }

  async function perform(command: Command): Promise<void> {
    const performing = new CommandPerforming(emit, publish);
    working = { command: command.do, performing };
    try {
      if (command.do === 'think') await performers.think(state!, performing);
      else if (command.do === 'prepare') await performers.prepare(state!, command.calls, performing);
      else if (command.do === 'act') await performers.act(state!, command.calls, performing);
      else if (command.do === 'wait') await performers.wait?.(state!, performing);
      else if (command.do === 'perform') await performers.perform?.(command.name, command.input, state!, performing);
    } finally {
      working = undefined;
    }
  }

  async function failedWith(error: unknown): Promise<void> {
    if (journalFailure(error)) throw error;
    const { code, message } = errorData(error);
    await broken(message, code);
  }

  async function loop(): Promise<State> {
    await emit(options.first);
    let stopTimer = startTimer();
    try {
      for (;;) {
        const letters = journal.inbox?.() ?? [];
        const posted = letters instanceof Promise ? await letters : letters;
        if (posted.length > 0) await emit(...posted);
        if (busy) await emit(); // all that has been posted by now
        const command = next(state!, rules);
        if (command.do === 'nothing') return state!;
        const before = state!.seq;
        if (command.do === 'wait') stopTimer();
        const carried = carryOut(command);
        if (carried !== DONE) await carried;
        if (command.do === 'wait') stopTimer = startTimer();
        if (busy) await emit();
        if (state!.seq === before) {
          if (command.do !== 'wait') await broken(`the performer of "${command.do}" reported nothing`);
          else if (await lastLook()) return state!;
        }
      }
    } finally {
      stopTimer();
    }
  }

  // Before the run goes to sleep: an answer that has just come in keeps it awake.
  async function lastLook(): Promise<boolean> {
    const letters = (await journal.inbox?.(true)) ?? [];
    if (letters.length > 0) await emit(...letters);
    return letters.length === 0;
  }

  function broken(message: string, code = 'internal_error'): Promise<void> {
    return emit({ event_type: 'run.abort', data: { reason: code, error: { code, message } } });
  }

  // The clock counts work; it stands while a run waits for a person.
  function startTimer(): () => void {
    const left = state!.limits.max_seconds * 1000 - state!.work_ms;
    return clock.after(Math.max(0, left), () =>
      post({ event_type: 'limit.reached', data: { limit: 'max_seconds', value: state!.limits.max_seconds } }),
    );
  }

  function post(fact: Fact): Promise<void> {
    return emit(fact).catch(() => undefined); // a journal that failed has already ended the loop
  }

  return { done: loop(), post, state: () => state };
}

function journalFailure(error: unknown): boolean {
  return error instanceof Error && 'kind' in error && error.kind === 'store';
}
