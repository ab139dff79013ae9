/** Replay of a kept run under the rules that runs have: every decision is made again, from the recorded replies and results. */

import { budgetRule } from '../guards/budget.ts';
import { withGate } from '../guards/taint.ts';
import { readHistory } from '../journal/history.ts';
import { type Replay, replay } from '../journal/replay.ts';
import type { EventStore } from '../journal/store.ts';
import type { Rule } from '../kernel/types.ts';
import { shorten } from '../memory/context.ts';
import type { Tool } from '../tools/define.ts';
import { answerRules, guardsOf } from './guards.ts';
import { BEFORE_FINISH, beforeFinishRule } from './hook-rule.ts';
import { vetoGuard } from './hooked.ts';
import { describeImages } from './images.ts';
import { checkOutput } from './output-rule.ts';

/** `tools`: those of today; guards look at their levels and examples. */
export async function replayRun(store: EventStore, runId: string, tools: readonly Tool[]): Promise<Replay> {
  const history = await readHistory(store, runId);
  const infos = tools.map((tool) => tool.info);
  const { check, truth } = answerRules(() => infos);
  const hooked = history.events.some((event) => event.event_type === 'perform.start' && event.data.name === BEFORE_FINISH);
  const beforeFinish: Rule[] = [...check, ...(hooked ? [beforeFinishRule] : []), checkOutput, truth];
  if (history.state.protocol === 'guided') {
    const { groundAnswer } = await import('../guards/grounding.ts');
    const { explainArgument } = await import('../tools/resolve.ts');
    beforeFinish.unshift(groundAnswer(() => infos, explainArgument));
  }
  const rules = {
    compact: shorten,
    guards: [vetoGuard, ...guardsOf(() => infos)],
    beforeThink: [budgetRule, describeImages],
    beforeFinish,
  };
  return replay(history, rules, withGate);
}
