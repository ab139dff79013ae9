/** The agent of the tests of a small disk: in each of two steps its run reads a long text and leaves a line in the file `effects`. */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, type EventStore, tool } from '../../src/index.ts';
import { type ScriptedReply, scriptedModel } from '../../src/testing.ts';

export function diskAgent(store: EventStore, folder: string): Agent {
  const look = tool({ name: 'look', description: 'Looks.', level: 'read', input: { type: 'object' }, execute: () => '资料'.repeat(1500) });
  const act = tool({
    name: 'act',
    description: 'Acts.',
    level: 'write',
    input: { type: 'object' },
    execute: (_, { key }) => appendFileSync(join(folder, 'effects'), `${key}\n`),
  });
  const reply: ScriptedReply = ({ prompt }) => {
    const step = prompt.filter(({ role }) => role === 'assistant').length;
    return step < 2 ? { calls: ['look', 'act'].map((name) => ({ id: `${name}_${step}`, name, arguments: {} })) } : 'done';
  };
  return new Agent({
    model: scriptedModel(Array(9).fill(reply)),
    tools: [look, act],
    store,
    workspace: folder,
    permissions: { allow: ['*'] },
  });
}
