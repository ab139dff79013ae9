/** The library's door: `openMcp` takes servers as a file names them, and an agent takes their tools as they are now. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, HermesError, openMcp } from '../../src/index.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { atEnd, own, temporaryFolder } from './rig.ts';

test('an agent of the library with a server whose tools change', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'tools.json');
  const tool = { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
  await writeFile(file, JSON.stringify([{ ...tool, name: 'one' }]));
  const mcp = await openMcp({ lib: own('good', file) }, { folder, root: folder });
  atEnd(t, () => mcp.close());
  const call = (name: string) => ({ calls: [{ name, arguments: { text: '你好' } }] });
  const model = scriptedModel([call('lib__one'), call('lib__two'), 'done']);
  const agent = new Agent({
    tools: mcp.tools(),
    liveTools: () => mcp.tools(),
    model,
    permissions: { allow: ['lib__*'] },
    onApproval: async () => true,
  });
  await writeFile(
    file,
    JSON.stringify([
      { ...tool, name: 'one' },
      { ...tool, name: 'two' },
    ]),
  );
  for (let time = 0; time < 100 && mcp.tools().length < 2; time++) await sleep(50);
  const outcome = await agent.run('go');
  assert.deepEqual(
    outcome.toolCalls.map(({ name, success }) => [name, success]),
    [
      ['lib__one', true],
      ['lib__two', true],
    ],
  );
});

test('servers that are written wrong are an error that names each of them', async () => {
  await assert.rejects(openMcp({ a: { command: 1 }, b: { url: 'x' } }), (error: HermesError) => {
    assert.ok(error instanceof HermesError);
    assert.equal(error.code, 'mcp_config');
    assert.match(error.message, /"a": command: .*"b": url: /);
    return true;
  });
});
