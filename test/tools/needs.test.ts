/** What tools need before they work: told, not offered to models, and never more of the environment than that. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createToolbox } from '../../src/tools/call.ts';
import { tool } from '../../src/tools/define.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { acted, callOf, prepared } from './performing.ts';

const needs = ['host', ['url', 'FIRST_KEY', 'SECOND_KEY']] as const;
const sender = tool({
  name: 'send',
  description: 'Sends.',
  level: 'read',
  input: { type: 'object' },
  needs,
  execute: (_args, { context }) => ({ ...context.env }),
});
const env = { FIRST_KEY: '', SECOND_KEY: 'k2', MAIL_PASSWORD: '密码', OTHER: 'secret', GIVEN: 'g' };

test('a tool that lacks something is not offered; a call of it says in one line what to set', async () => {
  const without = { tools: [sender], env: { FIRST_KEY: '', HOME: '/' } };
  assert.deepEqual(createToolbox(without).infos, []);
  const rejected = await prepared(without, callOf('send'));
  const message = 'send is not set up: set [tools.send] host, and [tools.send] url or FIRST_KEY or SECOND_KEY';
  assert.deepEqual(rejected, { event_type: 'call.reject', data: { call_id: 'call-send', name: 'send', code: 'not_set_up', message } });
  const settings = { send: { host: 'here', url: 'http://there/' } };
  assert.equal(createToolbox({ ...without, settings }).infos.length, 1);
  assert.equal((await prepared({ ...without, settings }, callOf('send'))).event_type, 'call.prepare');
});

test('it reads the variables of its needs and those that its settings name, and no others', async () => {
  const settings = { send: { host: 'here', password_env: 'MAIL_PASSWORD', env: ['GIVEN', 'ABSENT'] } };
  const { result } = await acted({ tools: [sender], settings, env }, callOf('send'));
  assert.deepEqual(result, { success: true, data: { SECOND_KEY: 'k2', MAIL_PASSWORD: '密码', GIVEN: 'g' } });
});

test('the same for a tool in a file, across its thread', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-needs-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'send.ts'),
    `import { tool } from 'hermes-agent';
     export default tool({ name: 'send', description: 'Sends.', level: 'read', input: { type: 'object' }, needs: ['SECOND_KEY'],
       execute: (_args: object, { context }) => context.env });`,
  );
  const { tools } = await scanTools([folder]);
  assert.deepEqual(createToolbox({ tools, env: {} }).infos, []);
  const { result } = await acted({ tools, env }, callOf('send'));
  assert.deepEqual(result, { success: true, data: { SECOND_KEY: 'k2' } });
  await Promise.all(tools.map((one) => one.close?.()));
});

test('needs that are no names are told to the author', () => {
  const wrong = { name: 'a', description: 'A.', level: 'read', input: { type: 'object' }, execute: () => 1, needs: [1] } as never;
  assert.throws(() => tool(wrong), /needs: expected a list of names of settings and variables, got \[1\]/);
});
