/** A sub-agent: an agent as a tool of another. Its run is a run of its own, named by the parent's call before it begins. */

import { shareOf } from '../guards/budget.ts';
import type { State } from '../kernel/types.ts';
import { branded, hashOf, type ResultFacts, type Tool, tool } from '../tools/define.ts';
import { defined } from './defined.ts';
import { approverOf } from './lend.ts';
import { publicOutcome } from './outcome.ts';
import type { AgentParts } from './parts.ts';
import { Run } from './run.ts';
import type { RunOutcome } from './types.ts';

const INPUT = {
  type: 'object',
  properties: { request: { type: 'string', description: 'What the sub-agent shall do, complete in itself.' } },
  required: ['request'],
} as const;

/** A read tool: what the sub-agent itself does is permitted call by call, by its own rules. */
export function subAgent(agent: AgentParts, { name, description }: { name: string; description: string }): Tool {
  const seconds = agent.options.limits?.maxSeconds ?? 300;
  const made = tool({
    name,
    description,
    input: INPUT,
    level: 'read',
    timeoutMs: seconds * 1000 + 1000,
    execute: () => undefined, // it runs below, with what only the program's own tools see
  });
  const run: Tool['run'] = async ({ request }, { signal, runId, key }, _defer, { sources, caller, tell }) => {
    const onState = (state: State) => tell(broughtBy(state));
    const limits = caller ? shareOf(caller.state, caller.children) : {};
    const begin = {
      runId: childRunId(key),
      parentId: runId,
      sources,
      limits,
      streaming: false,
      onState,
      ...defined({ approver: approverOf(runId) }),
    };
    const outcome =
      (await goneOn(agent, begin, signal)) ??
      new Run(agent, { ...begin, message: { role: 'user', content: request as string } }, { signal }).outcome;
    return answerOf(await outcome);
  };
  return branded({ ...made, run, childRunId });
}

/** What has entered the sub-agent's run enters with its answer, whoever wrote it last; what it used counts for its caller. */
function broughtBy({ sources, usage, cost, unpriced }: State): ResultFacts {
  const untrusted = sources.filter((source) => source.untrusted);
  const names = [...new Set(untrusted.map(({ name, from }) => from ?? name))].join(', ');
  return {
    ...(untrusted.length > 0 ? { untrusted: true, from: names } : {}),
    ...(sources.some((source) => source.private) ? { private: true } : {}),
    ...(Object.keys(usage).length > 0 ? { usage } : {}),
    ...(cost ? { cost: unpriced ? { ...cost, partial: true } : cost } : {}),
  };
}

/** The same call always makes the same run: after a crash it is found and gone on with. */
function childRunId(key: string): string {
  return `run_sub${hashOf(key).slice(0, 20)}`;
}

/** The outcome of a run that had begun before a crash; undefined when there is none. */
async function goneOn(
  agent: AgentParts,
  begin: { runId: string; onState(state: State): void },
  signal: AbortSignal,
): Promise<RunOutcome | undefined> {
  const { store } = agent.options;
  if (!(await store?.head(begin.runId)) || !store) return undefined;
  const { state, head } = await (await import('../journal/history.ts')).readHistory(store, begin.runId);
  begin.onState(state);
  if (state.outcome) return publicOutcome(state.outcome, state);
  return new Run(agent, { ...begin, sessionId: state.session_id, before: state, resume: head, streaming: false }, { signal }).outcome;
}

/** Only success is a result; anything else is an error that the parent's model reads. */
function answerOf(outcome: RunOutcome): string {
  if (outcome.status === 'success') return outcome.answer;
  const reason = outcome.error?.message ?? outcome.report ?? '';
  throw Object.assign(new Error(`the sub-agent ended as ${outcome.status}. ${reason}`.trim()), { code: `sub_agent_${outcome.status}` });
}
