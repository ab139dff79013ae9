/** A sub-agent: an agent as a tool of another. Its run is a run of its own, named by the parent's call. */

import type { Tool } from '../tools/define.ts';
import { tool } from '../tools/define.ts';
import type { AgentParts } from './parts.ts';
import { Run } from './run.ts';

const INPUT = {
  type: 'object',
  properties: { request: { type: 'string', description: 'What the sub-agent shall do, complete in itself.' } },
  required: ['request'],
} as const;

/** A read tool: what the sub-agent itself does is permitted call by call, by its own rules. */
export function subAgent(agent: AgentParts, { name, description }: { name: string; description: string }): Tool {
  const seconds = agent.options.limits?.maxSeconds ?? 300;
  return tool({
    name,
    description,
    input: INPUT,
    level: 'read',
    timeoutMs: seconds * 1000 + 1000,
    async execute({ request }, { signal, runId }) {
      const run = new Run(agent, { parentId: runId, message: { role: 'user', content: request }, streaming: false }, { signal });
      const outcome = await run.outcome;
      if (outcome.status === 'success') return outcome.answer;
      const reason = outcome.error?.message ?? outcome.report ?? '';
      throw Object.assign(new Error(`the sub-agent ended as ${outcome.status}. ${reason}`.trim()), { code: `sub_agent_${outcome.status}` });
    },
  });
}
