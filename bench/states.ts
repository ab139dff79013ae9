/** States of a run as protocols see them, made by the kernel itself; shared by the benches that ask a model without a whole agent. */

import { apply, start } from '../src/kernel/kernel.ts';
import { languageOf } from '../src/kernel/text.ts';
import type { Fact, RunEvent, State } from '../src/kernel/types.ts';

/** A run that has just been asked. */
export function begin(request: string, protocol: string): State {
  const data = {
    input: { role: 'user' as const, content: request },
    instructions: '',
    model: 'local',
    protocol,
    tools: {},
    limits: { max_steps: 10, max_seconds: 300 },
    language: languageOf(request),
  };
  return start(event({ event_type: 'run.start', data }) as RunEvent<'run.start'>);
}

export function add(state: State, ...facts: Fact[]): State {
  return facts.reduce((now, fact) => apply(now, event(fact)), state);
}

let clock = 0;
function event(fact: Fact): RunEvent {
  return { ...fact, seq: ++clock, ts: new Date(clock).toISOString(), trace_id: 't', session_id: 's', run_id: 'r', step: 1 } as RunEvent;
}
