/** The event store in memory: same contract, nothing on the disk, one process. For tests, evals and programs that keep no history. */

import type { Json } from '../kernel/types.ts';
import { type Batch, lineOf, newBatch, onceKey, referencesOf, seal, spentOf, tombstone, unseal } from './events.ts';
import { conflict, contentMissing, leaseLost, prunable, unknownRun } from './rules.ts';
import { type EventStore, follow, type Letter, type LogPosition, type RunHead, type StoreOptions } from './store.ts';

interface Run {
  head: RunHead;
  lines: string[];
  letters: Letter[];
  /** Once-keys of all letters there ever were. */
  keys: Set<string>;
  log: LogPosition;
}

export function createMemoryStore({ hide = (value) => value }: StoreOptions = {}): EventStore {
  const runs = new Map<string, Run>();
  const texts = new Map<string, string | null>();
  const leases = new Map<string, { owner: string; expires: number }>();
  const namespaces = new Map<string, Map<string, string>>();
  const spending: { ts: string; unit: string; amount: number }[] = [];
  const watchers = new Set<(run_id: string, ended: boolean) => void>();
  let letterCount = 0;

  const lines = (run_id: string, from = 1) => runs.get(run_id)?.lines.slice(from - 1) ?? [];
  const shown = ({ head }: Run): RunHead => ({
    ...head,
    status: head.status === 'running' && !isHeld(head.run_id) ? 'interrupted' : head.status,
  });
  const isHeld = (name: string) => (leases.get(name)?.expires ?? 0) > Date.now();
  const newestFirst = () => [...runs.values()].reverse().map(shown);

  function textOf(run_id: string, hash: string, bytes: number): string {
    const text = texts.get(hash);
    if (text === undefined) throw contentMissing(run_id, hash);
    return text ?? tombstone(bytes);
  }

  async function keep({ run, after, head, rows, letters, answers, ended, started, updated, step, ...batch }: Batch): Promise<void> {
    let kept = runs.get(run.run_id);
    if ((kept?.head.seq ?? 0) !== after.seq || (kept && kept.head.hash !== after.hash))
      throw conflict(run.run_id, after.seq, kept?.head.seq);
    if (!kept) {
      const { request = '', continues } = batch;
      const origin = continues === undefined ? {} : { continues };
      const begun = { ...run, ...head, ...origin, status: 'running' as const, started, updated, request, steps: step };
      kept = { head: begun, lines: [], letters: [], keys: new Set(), log: { seq: 0, bytes: 0, hash: '' } };
      runs.set(run.run_id, kept);
    }
    kept.head = { ...kept.head, ...head, status: batch.status ?? kept.head.status, updated, steps: step };
    kept.lines.push(...rows.map(lineOf));
    for (const { hash, text } of batch.texts) texts.set(hash, text);
    for (const [unit, amount] of batch.spent) spending.push({ ts: updated, unit, amount });
    kept.letters = kept.letters.filter(({ id }) => !letters.includes(id));
    for (const answer of answers) kept.keys.add(onceKey(answer)!);
    for (const watcher of watchers) watcher(run.run_id, ended);
  }

  const store: EventStore = {
    append(append) {
      const batch = newBatch(append);
      return { events: seal(append, batch), saved: keep(batch) };
    },
    read: async (run_id, from) => lines(run_id, from).map((line) => unseal(line, ({ $content, bytes }) => textOf(run_id, $content, bytes))),
    lines: async (run_id, from) => lines(run_id, from),
    async head(run_id) {
      const run = runs.get(run_id);
      return run && shown(run);
    },
    list: async ({ limit, session_id, status }) =>
      newestFirst()
        .filter((head) => (session_id ?? head.session_id) === head.session_id && (status ?? head.status) === head.status)
        .slice(0, limit),
    subscribe: (run_id, from, signal) => follow(store, run_id, from, signal),
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    inbox: {
      async put(run_id, fact) {
        const run = runs.get(run_id);
        if (!run) throw unknownRun(run_id);
        const key = onceKey(fact);
        if (key !== null && run.keys.has(key)) return false;
        if (key !== null) run.keys.add(key);
        letterCount += 1;
        run.letters.push({ id: letterCount, fact: structuredClone(hide(fact)) });
        return true;
      },
      async take(run_id, owner) {
        if (leases.get(run_id)?.owner !== owner) throw leaseLost(run_id);
        return structuredClone(runs.get(run_id)?.letters ?? []);
      },
    },
    lease: {
      async acquire(name, owner, milliseconds) {
        if (isHeld(name) && leases.get(name)?.owner !== owner) return false;
        leases.set(name, { owner, expires: Date.now() + milliseconds });
        return true;
      },
      async renew(name, owner, milliseconds) {
        if (leases.get(name)?.owner !== owner) return false;
        leases.set(name, { owner, expires: Date.now() + milliseconds });
        return true;
      },
      async release(name, owner) {
        if (leases.get(name)?.owner === owner) leases.delete(name);
      },
    },
    sessions: {
      lastRun: async (session_id) => newestFirst().find((run) => run.session_id === session_id && !run.parent_id)?.run_id,
      lastIn: async (folder) => newestFirst().find((run) => run.folder === folder && !run.parent_id)?.session_id,
    },
    notes: {
      async get(namespace, key) {
        const value = namespaces.get(namespace)?.get(hide(key));
        return value === undefined ? undefined : (JSON.parse(value) as Json);
      },
      async set(namespace, key, value) {
        if (!namespaces.has(namespace)) namespaces.set(namespace, new Map());
        namespaces.get(namespace)!.set(hide(key), JSON.stringify(hide(value)));
      },
      async list(namespace) {
        const sorted = [...(namespaces.get(namespace) ?? [])].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        return sorted.map(([key, value]) => ({ key, value: JSON.parse(value) as Json }));
      },
      delete: async (namespace, key) => namespaces.get(namespace)?.delete(hide(key)) ?? false,
    },
    async spent(since) {
      const sums = new Map<string, number>();
      for (const { ts, unit, amount } of spending) if (ts >= since) sums.set(unit, (sums.get(unit) ?? 0) + amount);
      return spentOf([...sums].sort(([a], [b]) => (a < b ? -1 : 1)));
    },
    contents: {
      get: async (hash) => texts.get(hash),
      async forget(hash) {
        const known = typeof texts.get(hash) === 'string';
        if (known) texts.set(hash, null);
        return known;
      },
    },
    log: {
      async position(run_id) {
        const run = runs.get(run_id);
        if (!run) throw unknownRun(run_id);
        return run.log;
      },
      async move(run_id, position) {
        runs.get(run_id)!.log = position;
      },
      behind: async () => [...runs.values()].filter((run) => run.log.seq < run.head.seq).map((run) => run.head.run_id),
    },
    async prune(before) {
      const pruned = prunable(newestFirst(), before);
      for (const { run_id } of pruned) runs.delete(run_id);
      const kept = new Set(
        [...runs.values()].flatMap((run) => run.lines.flatMap((line) => referencesOf(line).map((reference) => reference.$content))),
      );
      for (const hash of texts.keys()) if (!kept.has(hash)) texts.delete(hash);
      return pruned;
    },
    flush: async () => undefined,
    close: async () => undefined,
  };
  return store;
}
