/** Facts and stores for the tests of the journal. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Append, type EventStore, GENESIS, type Head, type RunIdentity } from '../../src/journal/store.ts';
import type { Fact, Status } from '../../src/kernel/types.ts';

export function started(content = '你好, compute', continues?: string): Fact {
  const more = continues === undefined ? {} : { continues: { run_id: continues, seq: 1 } };
  const limits = { max_steps: 10, max_seconds: 300 };
  return {
    event_type: 'run.start',
    data: {
      input: { role: 'user', content },
      instructions: '',
      model: 'scripted:a',
      protocol: 'native',
      tools: {},
      limits,
      language: 'en',
      ...more,
    },
  };
}

export function toolEnded(shaped: string, call_id = 'call_1'): Fact {
  return { event_type: 'tool.end', data: { call_id, name: 'search', result: { success: true, data: null }, shaped, ms: 3 } };
}

export function answered(approval_id: string, decision: 'approve' | 'deny' = 'approve'): Fact {
  return { event_type: 'approval.answer', data: { approval_id, decision, by: 'test' } };
}

export function ended(status: Status = 'success'): Fact {
  return { event_type: 'run.end', data: { outcome: { status, answer: 'yes', highlights: [], steps: 2, usage: {}, tool_calls: [] } } };
}

export function note(message: string): Fact {
  return { event_type: 'run.note', data: { level: 'info', code: 'test', message } };
}

export function identity(run_id: string, more: Partial<RunIdentity> = {}): RunIdentity {
  return { run_id, session_id: `session-of-${run_id}`, trace_id: `trace-of-${run_id}`, ...more };
}

/** Appends durably and waits; gives the new head. */
export async function append(store: EventStore, run: RunIdentity, facts: Fact[], more: Partial<Append> = {}): Promise<Head> {
  const { events, saved } = store.append({ run, facts, step: 1, ts: '2026-03-01T10:00:00.000Z', after: BEGINNING, durable: true, ...more });
  await saved;
  const last = events.at(-1)!;
  return { seq: last.seq, hash: last.hash! };
}

export const BEGINNING: Head = { seq: 0, hash: GENESIS };

export function temporaryFolder(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-journal-'));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
