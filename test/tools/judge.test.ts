/** A tool's own judge: level, question and preview of one call, before anything is permitted. */

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Judgement, tool } from '../../src/tools/define.ts';
import { scanTools } from '../../src/tools/scan.ts';
import { callOf, prepared } from './performing.ts';

const input = { type: 'object', properties: { to: { type: 'string' }, times: { type: 'integer', default: 2 } } } as const;

function sender(judge: (args: { to?: string; times?: number }, context: { workspace: string; settings: object }) => Judgement) {
  return tool({ name: 'send', description: 'Sends.', level: 'dangerous', input, judge, execute: () => null });
}

test('level, question and preview of a call come from the judge, which sees defaults, workspace and settings', async () => {
  const send = sender((args, { workspace, settings }) => ({
    level: args.to === 'me' ? 'read' : 'write',
    ...(args.to === 'me' ? {} : { ask: 'it goes to somebody else' }),
    preview: JSON.stringify({ ...args, workspace, settings }),
  }));
  const options = { tools: [send], workspace: '/somewhere', settings: { send: { from: '小明' } } };
  const mine = (await prepared(options, callOf('send', { to: 'me' }))).data;
  const preview = '{"to":"me","times":2,"workspace":"/somewhere","settings":{"from":"小明"}}';
  assert.deepEqual(mine, { call_id: 'call-send', name: 'send', arguments: { to: 'me' }, level: 'read', preview });
  const other = (await prepared(options, callOf('send', { to: '妈妈' }))).data as { level: string; ask: string; hash: string };
  assert.deepEqual([other.level, other.ask, other.hash.length], ['write', 'it goes to somebody else', 32]);
});

test('a denied call is rejected with the reason; a judge that throws or says nonsense lets nothing through', async () => {
  const denied = await prepared({ tools: [sender(() => ({ level: 'read', deny: 'it is night' }))] }, callOf('send'));
  assert.equal(denied.event_type, 'call.reject');
  assert.deepEqual([(denied.data as { code: string }).code, /it is night/.test(JSON.stringify(denied))], ['refused_command', true]);
  const broken = sender(() => {
    throw new Error('no luck');
  });
  const nonsense = sender(() => ({ level: 'harmless' }) as never);
  for (const bad of [broken, nonsense]) {
    const fact = await prepared({ tools: [bad] }, callOf('send'));
    assert.equal(fact.event_type, 'call.reject');
    assert.match(
      (fact.data as { message: string }).message,
      /could not be judged, so nothing was run: (no luck|its judge gave the level harmless)/,
    );
  }
});

test('a tool in a worker thread is judged there', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-judge-'));
  t.after(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, 'send.ts'),
    `import { tool } from 'hermes-agent';
     export default tool({ name: 'send', description: 'Sends.', level: 'dangerous', input: { type: 'object' },
       judge: (args, { workspace, settings }) => (args.no ? { level: 'read', deny: 'no' } : { level: 'write', preview: workspace + settings.a }),
       execute: () => null });`,
  );
  const { tools, diagnostics } = await scanTools([folder]);
  assert.deepEqual(diagnostics, []);
  t.after(() => tools[0]?.close?.());
  const options = { tools, workspace: '/somewhere', settings: { send: { a: 1 } } };
  const { level, preview } = (await prepared(options, callOf('send'))).data as { level: string; preview: string };
  assert.deepEqual([level, preview], ['write', '/somewhere1']);
  assert.equal((await prepared(options, callOf('send', { no: true }))).event_type, 'call.reject');
});
