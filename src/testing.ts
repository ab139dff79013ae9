/** What `import ... from 'hermes-agent/testing'` gives for users' own tests: models that answer from a script, a clock moved by hand, the path of a run. */

import type { RunOutcome } from './agent/types.ts';
import type { Clock } from './kernel/types.ts';

export { createMemoryStore } from './journal/memory.ts';
export { recordedModel } from './models/recorded.ts';
export { type ScriptedAnswer, type ScriptedModel, type ScriptedReply, scriptedModel } from './models/scripted.ts';

/** The names of the tools that a run called, in order: `['current_time', 'weather']`. Failed calls end in `!`. */
export function path(outcome: Pick<RunOutcome, 'toolCalls'>): string[] {
  return outcome.toolCalls.map((call) => (call.success ? call.name : `${call.name}!`));
}

/** A clock that stands until it is moved. */
export function fakeClock(start = '2026-01-01T00:00:00.000Z'): Clock & { advance(ms: number): void } {
  let now = Date.parse(start);
  const timers = new Set<{ at: number; then: () => void }>();
  return {
    now: () => new Date(now).toISOString(),
    after(ms, then) {
      const timer = { at: now + ms, then };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
        if (timer.at > now || !timers.delete(timer)) continue;
        timer.then();
      }
    },
  };
}
