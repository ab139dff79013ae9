/** Puts one run together: the kernel's loop with the performers, rules, journal and clock of an agent. */

import { createJournal } from '../journal/journal.ts';
import type { Head } from '../journal/store.ts';
import { errorData } from '../kernel/errors.ts';
import { run } from '../kernel/kernel.ts';
import type { Clock, Fact, Journal, Json, JsonObject, Performers, Performing, RunEvent, Running, State } from '../kernel/types.ts';
import { defined } from './defined.ts';
import { withHooks } from './hooked.ts';
import { lend } from './lend.ts';
import type { RunParts } from './parts.ts';
import { createThink } from './think.ts';
import type { FeaturePerformer } from './types.ts';
import { createWait } from './wait.ts';

export interface Launch {
  runId: string;
  sessionId: string;
  parentId?: string;
  /** run.start of a new run, run.resume of one that goes on. */
  first: Fact<'run.start' | 'run.resume'>;
  before?: State;
  /** Where a resumed run's log ends. */
  head?: Head;
  /** Holder of the run's lease. */
  owner?: string;
  streaming: boolean;
  /** Sees every event, deltas included; must not throw. */
  publish(event: RunEvent): void;
}

const INBOX_POLL_MS = 300;

/** Sorts by time; unique without asking anybody; a name, no secret. */
export function newId(prefix: string): string {
  return `${prefix}_${Date.now().toString(36)}${Math.random().toString(36).slice(2, 10)}`;
}

/** Nobody outside can foresee it: neither from the run's id, which tools hand to services, nor from the time. */
export function newBoundary(): string {
  const uuid = process.getBuiltinModule('node:crypto').randomUUID(); // of all random values the only one that Node draws in advance
  return uuid.slice(0, 8) + uuid.slice(9, 13);
}

export function launch(parts: RunParts, spec: Launch): Running {
  const identity = {
    run_id: spec.runId,
    session_id: spec.sessionId,
    trace_id: spec.parentId ?? spec.runId,
    ...(spec.parentId === undefined ? {} : { parent_id: spec.parentId }),
    folder: parts.workspace,
  };
  const settled = new Set<() => void>();
  function publish(event: RunEvent | Fact<'model.delta' | 'tool.delta'>): void {
    if (event.event_type === 'approval.answer' || event.event_type === 'run.abort') for (const settle of settled) settle();
    const { run_id, session_id, trace_id } = identity;
    if ('seq' in event) return void spec.publish(event);
    const delta = parts.secrets ? parts.secrets.hide(event) : event; // a secret that is split between two pieces is not found
    const step = running.state()?.step ?? 0;
    spec.publish({ ts: systemClock.now(), trace_id, session_id, run_id, step, ...delta } as RunEvent);
  }
  const journal = createJournal({
    run: identity,
    clock: systemClock,
    ...(parts.secrets ? { secrets: parts.secrets } : {}),
    ...(parts.store ? { store: parts.store } : {}),
    ...(spec.head ? { head: spec.head } : {}),
    ...(spec.owner === undefined ? {} : { owner: spec.owner }),
  });
  const performers: Performers = {
    think: createThink({ ...parts.think, toolChange: parts.toolChange, tools: () => parts.nextToolbox().infos, streaming: spec.streaming }),
    prepare: (state, calls, performing) => parts.toolbox().prepare(state, calls, performing),
    act: (state, calls, performing) => parts.toolbox().act(state, calls, performing),
    perform: (name, input, state, performing) => performFeature(parts.performers[name], { name, input, state }, performing),
    wait: createWait({
      rules: parts.rules,
      allow: parts.allow,
      settled,
      ...defined({ approver: parts.approver, inbox: spec.owner === undefined ? undefined : parts.store?.inbox }),
    }),
  };
  const takeBack = parts.approver && lend(spec.runId, parts.approver);
  const running: Running = run({
    first: spec.first,
    ...(spec.before ? { before: spec.before } : {}),
    performers: parts.hooks ? withHooks(performers, parts.hooks) : performers,
    rules: parts.rules,
    journal,
    clock: systemClock,
    publish,
  });
  if (spec.owner !== undefined) readInbox(journal, running);
  if (takeBack) running.done.then(takeBack, takeBack);
  return running;
}

/** What people in other processes put in reaches a run also while it is busy or asks: an abort, an answer. */
function readInbox(journal: Journal, running: Running): void {
  let reading = Promise.resolve();
  const look = async () => {
    for (const fact of (await journal.inbox?.()) ?? []) running.post(fact);
  };
  const timer = setInterval(() => {
    reading = reading.then(look).catch(() => clearInterval(timer)); // the lease is lost: the next append says so
  }, INBOX_POLL_MS).unref();
  const stop = () => clearInterval(timer);
  running.done.then(stop, stop);
}

/** A feature's performer, between its two events. Without one of that name the kernel ends the run: nothing is reported. */
async function performFeature(
  performer: FeaturePerformer | undefined,
  { name, input, state }: { name: string; input: Json; state: State },
  performing: Performing,
): Promise<void> {
  if (!performer) return;
  await performing.emit({ event_type: 'perform.start', data: { name, input } });
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const { result, usage, cost, notes = [] } = await performer(input, { state, signal: performing.signal });
    await performing.emit(...notes, { event_type: 'perform.end', data: { name, result, ms: ms(), ...defined({ usage, cost }) } });
  } catch (thrown) {
    await performing.emit({ event_type: 'perform.end', data: { name, result: { error: errorData(thrown) as JsonObject }, ms: ms() } });
  }
}

let lastMs = 0;
let lastText = '';
/** A clock that is set back does not take from the work that is counted: then time goes on from where it was. */
let ahead = Number.NEGATIVE_INFINITY;
const systemClock: Clock = {
  now() {
    const since = performance.now();
    ahead = Math.max(ahead, Date.now() - since);
    const ms = Math.floor(ahead + since);
    if (ms !== lastMs) {
      lastMs = ms;
      lastText = new Date(ms).toISOString();
    }
    return lastText;
  },
  after(ms, then) {
    const timer = setTimeout(then, Math.min(ms, 2 ** 31 - 1));
    return () => clearTimeout(timer);
  },
};
