/** What `import ... from 'hermes-agent/testing'` gives for users' own tests: models that answer from a script, a clock moved by hand, the path of a run and its judge. */

import type { RunOutcome } from './agent/types.ts';
import { nameOf } from './evals/path.ts';
import type { Clock } from './kernel/types.ts';

export { judge } from './evals/judge.ts';
export { matchPath } from './evals/path.ts';
export type { Expected, Happened, PathPattern, PathStep } from './evals/types.ts';
export { createMemoryStore } from './journal/memory.ts';
export { recordedModel } from './models/recorded.ts';
export { type ScriptedAnswer, type ScriptedModel, type ScriptedReply, scriptedModel } from './models/scripted.ts';

/** The names of the tools that a run called, in order: `['current_time', 'weather']`. Failed calls end in `!`. `matchPath` compares them. */
export function path(outcome: Pick<RunOutcome, 'toolCalls'>): string[] {
  return outcome.toolCalls.map(nameOf);
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
