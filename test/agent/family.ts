/** A family of three agents with one store: the eldest asks the middle one, that the youngest, and the youngest sends. A program of its own: the first life, killed while it asks. */

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, type AgentOptions, type Approver, openSqliteStore, tool } from '../../src/index.ts';
import type { JsonObject } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import askUser from '../../tools/ask_user.ts';

const call = (name: string, args: JsonObject) => ({ calls: [{ name, arguments: args }] });

/** `isNew`: they begin; else each only has to end. The middle one and the youngest have nobody of their own to ask. */
export function family(
  more: { onApproval?: Approver; store?: NonNullable<AgentOptions['store']>; isNew?: boolean; doing?: ReturnType<typeof call> } = {},
): { eldest: Agent; sent: string[] } {
  const { onApproval, store, isNew = true, doing = call('send', { message: '你好' }) } = more;
  const kept = store ? { store } : {};
  const sent: string[] = [];
  const send = tool({
    name: 'send',
    description: 'Sends a message.',
    level: 'dangerous',
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    execute: ({ message }) => {
      sent.push(message);
      return 'sent';
    },
  });
  const model = (first: ReturnType<typeof call>) => scriptedModel([...(isNew ? [first] : []), 'Done.']);
  const youngest = new Agent({ model: model(doing), tools: [send, askUser], ...kept });
  const middle = new Agent({
    model: model(call('youngest', { request: 'send it' })),
    tools: [youngest.asTool({ name: 'youngest', description: 'Sends.' })],
    ...kept,
  });
  const eldest = new Agent({
    model: model(call('middle', { request: 'have it sent' })),
    tools: [middle.asTool({ name: 'middle', description: 'Has things sent.' })],
    ...kept,
    ...(onApproval ? { onApproval } : {}),
  });
  return { eldest, sent };
}

if (import.meta.main) {
  const store = await openSqliteStore({ file: join(process.argv[2]!, 'hermes.db') });
  const onApproval: Approver = ({ calls }) => {
    writeSync(1, `${calls[0]?.name}\n`);
    return new Promise(() => setInterval(() => undefined, 1000)); // nobody answers
  };
  await family({ onApproval, store }).eldest.run('go');
}
