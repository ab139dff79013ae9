/** A small deterministic world for kernel tests: scripted performers, a journal in memory, a clock that is moved by hand. */

import type { Call, Clock, Fact, Journal, Performers, ProposedCall, Rules, RunEvent, State } from '../../src/kernel/types.ts';

export interface ScriptedReply {
  text?: string;
  calls?: Partial<ProposedCall>[];
  error?: { code: string; message: string };
  problem?: { code: string; message: string };
}

export const envelope = { trace_id: 't', session_id: 's', run_id: 'r' };

/** A fixed second each event, so that two runs of the same story have the same log. */
export function memoryJournal(events: RunEvent[] = [], failAt = Number.POSITIVE_INFINITY): Journal & { events: RunEvent[] } {
  return {
    events,
    append(facts, step) {
      if (events.length + facts.length > failAt) throw Object.assign(new Error('disk full'), { kind: 'store' });
      const added = facts.map((fact, index): RunEvent => {
        const seq = events.length + index + 1;
        return { ...envelope, seq, ts: new Date(1_700_000_000_000 + seq * 1000).toISOString(), step, ...fact } as RunEvent;
      });
      events.push(...added);
      return added;
    },
  };
}

export function handClock(): Clock & { ring(): void } {
  const timers = new Set<() => void>();
  return {
    now: () => '2026-01-01T00:00:00.000Z',
    after(_ms, then) {
      timers.add(then);
      return () => timers.delete(then);
    },
    ring() {
      for (const then of timers) then();
    },
  };
}

export const rules: Rules = {
  permit: (_state, call) => ({ decision: call.level === 'dangerous' ? 'ask' : 'allow', reason: 'test' }),
};

/** Replies are taken by step, so that a resumed run answers as an uncut one would. */
export function performers(replies: ScriptedReply[], options: { log?: string[] } = {}): Performers {
  return {
    async think({ step: before }, { emit }) {
      const step = before + 1;
      const reply = replies[step - 1] ?? { text: 'done' };
      const calls = (reply.calls ?? []).map(
        (call, index): ProposedCall => ({ id: `c${step}.${index}`, name: 'read', arguments: {}, ...call }),
      );
      await emit({ event_type: 'step.start', data: { step } });
      await emit({ event_type: 'model.start', data: { model: 'm', protocol: 'native' } });
      const { error, problem } = reply;
      const data = {
        model: 'm',
        text: reply.text ?? '',
        calls,
        finish: 'stop' as const,
        ms: 1,
        ...(error && { error }),
        ...(problem && { problem }),
      };
      await emit({ event_type: 'model.end', data });
    },
    async prepare(_state, calls, { emit }) {
      await emit(...calls.map(prepareFact));
    },
    async act(_state, calls, { emit }) {
      await Promise.all(
        calls.map(async (call) => {
          await emit({ event_type: 'tool.start', data: { call_id: call.id, name: call.name, key: `key-${call.id}` } });
          options.log?.push(call.id);
          const result = { success: true as const, data: call.name };
          await emit({
            event_type: 'tool.end',
            data: { call_id: call.id, name: call.name, result, shaped: `result of ${call.id}`, ms: 1 },
          });
        }),
      );
    },
  };
}

function prepareFact(call: Call): Fact {
  if (call.problem) return { event_type: 'call.reject', data: { call_id: call.id, name: call.name, ...call.problem } };
  const level = call.name === 'danger' ? 'dangerous' : call.name === 'write' ? 'write' : 'read';
  const idempotent = call.name === 'safe' ? { idempotent: true } : {};
  return {
    event_type: 'call.prepare',
    data: { call_id: call.id, name: call.name, arguments: call.arguments, level, hash: call.id, ...idempotent },
  };
}

export function runStart(text = 'hello', limits = { max_steps: 10, max_seconds: 300 }): Fact<'run.start'> {
  return {
    event_type: 'run.start',
    data: { input: { role: 'user', content: text }, instructions: '', model: 'm', protocol: 'native', tools: {}, limits, language: 'en' },
  };
}

/** K3: an assistant message keeps its calls, and each call has exactly one result, in order, right after it. */
export function assertPaired(state: State): void {
  const { messages } = state;
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]!;
    if (message.role !== 'assistant' || !message.calls) continue;
    const open = state.calls.length > 0 && i === messages.length - 1;
    if (open) continue;
    for (const call of message.calls) {
      const result = messages[++i];
      if (result?.role !== 'tool' || result.call_id !== call.id) throw new Error(`call ${call.id} has no result right after it`);
    }
    if (messages[i + 1]?.role === 'tool') throw new Error('a result without a call');
  }
}
