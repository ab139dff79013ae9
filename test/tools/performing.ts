/** A tiny hand-made stage for `prepare` and `act`: collects the facts that are emitted, and answers nothing. */

import type { Call, DeltaType, Fact, JsonObject, Performing, State } from '../../src/kernel/types.ts';
import type { ToolboxOptions } from '../../src/tools/call.ts';
import { createToolbox } from '../../src/tools/call.ts';

export interface Stage extends Performing {
  facts: Fact[];
  deltas: Fact<DeltaType>[];
  controller: AbortController;
}

export function stage(): Stage {
  const facts: Fact[] = [];
  const deltas: Fact<DeltaType>[] = [];
  const controller = new AbortController();
  return {
    facts,
    deltas,
    controller,
    signal: controller.signal,
    emit: async (...more) => void facts.push(...more),
    delta: (fact) => void deltas.push(fact),
  };
}

/** The parts of a state that tools look at. */
export function stateWith(changes: Partial<State> = {}): State {
  return { run_id: 'run-1', ledger: [], messages: [], sources: [], trail: [], kept: [], language: 'en', ...changes } as unknown as State;
}

export function callOf(name: string, args: JsonObject = {}, changes: Partial<Call> = {}): Call {
  return { id: `call-${name}`, name, status: 'proposed', arguments: args, ...changes };
}

/** What `prepare` says about one call. */
export async function prepared(options: ToolboxOptions, call: Call, state = stateWith()) {
  const on = stage();
  await createToolbox(options).prepare(state, [call], on);
  return on.facts[0]!;
}

/** The one result of one call that runs. */
export async function acted(options: ToolboxOptions, call: Call, state = stateWith(), on = stage()) {
  await createToolbox(options).act(state, [call], on);
  const end = on.facts.find((fact) => fact.event_type === 'tool.end');
  return { ...(end!.data as Extract<Fact, { event_type: 'tool.end' }>['data']), facts: on.facts };
}
