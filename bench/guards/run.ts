/** Runs a case as any request is run, and tells what the guards did. */

import { Agent } from '../../src/agent/agent.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { ALL_TOOLS, type Case, isMany, type Said, toolsOf } from './case.ts';

export interface Done {
  case: Case;
  /** guard:verdict of everything that a guard said, and `unverified`. */
  disturbed: string[];
  /** Whether it was told, refused, stopped or marked by a guard for this fault. */
  caught: boolean;
  answer: string;
}

const GUARD_OF = { loop: ['loop'], 'made-up': ['made_up'], claim: ['claims'] } as const;

export async function runCase(one: Case): Promise<Done> {
  const disturbed: string[] = [];
  // A model that is sent back says the same again; a faulty one insists.
  const said = one.turns.map((turn) => [...turn.said, ...Array<Said>(3).fill(turn.said.at(-1)!)]);
  const offered = one.tools ? [] : ALL_TOOLS;
  let turn = 0;
  let step = 0;
  const model = scriptedModel(
    Array.from({ length: 60 }, () => () => {
      const next = said[turn]![Math.min(step++, said[turn]!.length - 1)]!;
      if (typeof next === 'string') return next;
      const calls = isMany(next) ? next : [next];
      return { calls: calls.map(([name, args]) => ({ name, arguments: args })) };
    }),
  );
  const agent = new Agent({
    model,
    tools: toolsOf(one, offered),
    permissions: { allow: ['*'] },
    onApproval: async () => true,
    limits: { maxSteps: 12 },
    ...(one.instructions ? { instructions: one.instructions } : {}),
  });
  const session = agent.session();
  let unverified = '';
  let answer = '';
  for (const { request } of one.turns) {
    step = 0;
    const outcome = await session.run(request, {
      onEvent: (event) => {
        if (event.event_type === 'guard.trip') disturbed.push(`${event.data.guard}:${event.data.verdict} ${event.data.message}`);
      },
    });
    turn++;
    answer = outcome.answer;
    if (outcome.unverified) unverified += outcome.unverified;
    if (outcome.status !== 'success') disturbed.push(`ended as ${outcome.status}: ${outcome.error?.message ?? ''}`);
  }
  await agent.close();
  if (unverified) disturbed.push(`unverified ${unverified}`);
  const guards: readonly string[] = one.fault ? GUARD_OF[one.fault] : [];
  const caught = disturbed.some((word) => guards.some((guard) => word.startsWith(`${guard}:`)));
  return { case: one, disturbed, caught, answer };
}
