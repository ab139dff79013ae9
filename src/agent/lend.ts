/** A sub-agent asks whom the run that called it asks, unless it has somebody of its own; so do its own sub-agents, and theirs. */

import type { Approver } from './types.ts';

/** Whom a run in this process asks, by its id, while it goes on. */
const approvers = new Map<string, Approver>();

/** For all that this run calls; gives the function that takes it back. */
export function lend(runId: string, approver: Approver): () => void {
  approvers.set(runId, approver);
  return () => {
    if (approvers.get(runId) === approver) approvers.delete(runId);
  };
}

export function approverOf(runId: string): Approver | undefined {
  return approvers.get(runId);
}
