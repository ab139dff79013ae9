/** What every store decides in the same way: who may be pruned, and the words of its refusals. */

import { HermesError } from '../kernel/errors.ts';
import type { RunHead } from './store.ts';

/** Runs of families with no event since `before` and none running; sessions tied by sub-agents, forks and continuing are one family. */
export function prunable(runs: readonly RunHead[], before: string): RunHead[] {
  const joined = new Map<string, string>();
  const family = (session: string): string => {
    const next = joined.get(session);
    return next === undefined ? session : family(next);
  };
  const sessionOf = new Map(runs.map((run) => [run.run_id, run.session_id]));
  for (const run of runs) {
    for (const other of [run.parent_id, run.continues]) {
      const [from, to] = [family(sessionOf.get(other ?? '') ?? run.session_id), family(run.session_id)];
      if (from !== to) joined.set(from, to);
    }
  }
  const kept = new Set(runs.filter((run) => run.updated >= before || run.status === 'running').map((run) => family(run.session_id)));
  return runs.filter((run) => !kept.has(family(run.session_id)));
}

export function conflict(run_id: string, expected: number, found: number | undefined): HermesError {
  const state = found === undefined ? 'the store does not know it' : `it ends at event ${found}`;
  return new HermesError(
    'sequence_conflict',
    `run ${run_id} was expected to end at event ${expected}, but ${state}: another process writes it`,
    {
      kind: 'store',
      next: `see what happened: hermes runs show ${run_id}`,
      data: { run_id, expected, found: found ?? null },
    },
  );
}

export function unknownRun(run_id: string): HermesError {
  return new HermesError('run_unknown', `there is no run ${run_id} in this store`, {
    kind: 'store',
    next: 'hermes runs list shows the runs',
  });
}

export function leaseLost(name: string): HermesError {
  return new HermesError('lease_lost', `${name} is held by another process by now; this one may not go on with it`, {
    kind: 'store',
    next: `see what it does: hermes runs tail ${name}`,
  });
}

/** A text that an event refers to is gone without a tombstone. */
export function contentMissing(run_id: string, hash: string): HermesError {
  return new HermesError('content_missing', `run ${run_id} refers to the text ${hash}, which is not in the store`, {
    kind: 'store',
    next: `hermes runs verify ${run_id} lists what is damaged`,
  });
}
