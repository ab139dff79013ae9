/** Holding a lease for as long as a run lasts. */

import type { EventStore } from './store.ts';

export interface HeldLease {
  /** What `inbox.take` and `createJournal` want to know. */
  owner: string;
  /** Never fails: what cannot be given back (the disk is full) ends with its time or with this process. */
  release(): Promise<void>;
}

/** A crashed holder is replaced at once where that can be seen (same machine), else after this time. */
const LEASE_MS = 30_000;

/** Undefined when somebody else holds it. Renewed until released; the timer keeps no process alive. */
export async function holdLease(store: EventStore, name: string): Promise<HeldLease | undefined> {
  const owner = process.getBuiltinModule('node:crypto').randomUUID();
  if (!(await store.lease.acquire(name, owner, LEASE_MS))) return undefined;
  // A renewal that fails is tried again next time; were the lease lost meanwhile, the sequence number would stop this writer.
  const timer = setInterval(() => store.lease.renew(name, owner, LEASE_MS).catch(() => false), LEASE_MS / 3).unref();
  return {
    owner,
    async release() {
      clearInterval(timer);
      await store.lease.release(name, owner).catch(() => undefined);
    },
  };
}
