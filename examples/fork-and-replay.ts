/** A run is a log: it is kept, verified, and forked at any event on another model. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, openSqliteStore, tool } from 'hermes-agent';
import { scriptedModel } from 'hermes-agent/testing';

const folder = await mkdtemp(join(tmpdir(), 'hermes-example-'));
const store = await openSqliteStore({ file: join(folder, 'hermes.db') });

const dice = tool({
  name: 'dice',
  description: 'Throws a die. Use it for chance.',
  input: { type: 'object', properties: {} },
  level: 'read',
  execute: () => 4,
});
const script = [{ calls: [{ name: 'dice', arguments: {} }] }, 'You threw a four.'];
const first = await new Agent({ model: scriptedModel(script, { id: 'example:a' }), tools: [dice], store }).run('Throw a die.');
const events = await store.read(first.runId);
console.log(`${events.length} events, the last one is ${events.at(-1)?.event_type}: ${first.answer}`);

// The fork begins right after the tool's result: the die is not thrown again, another model tells of it.
const at = events.findIndex((event) => event.event_type === 'tool.end') + 1;
const second = await new Agent({ model: scriptedModel(['四点！'], { id: 'example:b' }), tools: [dice], store }).fork(first.runId, { at });
console.log(`forked at event ${at}: ${second.answer}`);

await store.close();
await rm(folder, { recursive: true });
