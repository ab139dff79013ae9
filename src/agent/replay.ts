/** Replay of a kept run under the rules that runs have: every decision is made again, from the recorded replies and results. */

import { readHistory } from '../journal/history.ts';
import { type Replay, replay } from '../journal/replay.ts';
import type { EventStore } from '../journal/store.ts';
import type { Rule } from '../kernel/types.ts';
import { shorten } from '../memory/context.ts';
import type { Tool } from '../tools/define.ts';
import { describeImages } from './images.ts';
import { checkOutput } from './output-rule.ts';

/** `tools`: those of today; the rails of guided runs look at their examples. */
export async function replayRun(store: EventStore, runId: string, tools: readonly Tool[]): Promise<Replay> {
  const history = await readHistory(store, runId);
  const beforeFinish: Rule[] = [checkOutput];
  if (history.state.protocol === 'guided') {
    const { groundAnswer } = await import('../guards/grounding.ts');
    beforeFinish.unshift(groundAnswer(() => tools.map((tool) => tool.info)));
  }
  return replay(history, { compact: shorten, beforeThink: [describeImages], beforeFinish });
}
