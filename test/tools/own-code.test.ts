/** Files that this program would run by itself are not written because a rule allows the writing of files. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent } from '../../src/index.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import editFile from '../../tools/edit_file.ts';
import readFile from '../../tools/read_file.ts';
import writeFile from '../../tools/write_file.ts';

test('what goes into tools/ or skills/ is asked about, whatever the rules allow; other files are not', async (t) => {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-代码-')));
  t.after(() => rmSync(workspace, { recursive: true, force: true }));
  mkdirSync(join(workspace, 'tools'));
  mkdirSync(join(workspace, 'src'));
  symlinkSync('tools', join(workspace, 'linked'));
  writeFileSync(join(workspace, 'tools', 'old.ts'), 'one');
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'x' } });
  const edit = { name: 'edit_file', arguments: { path: 'tools/old.ts', old_text: 'one', new_text: 'two' } };
  const own = [
    write('tools/a.ts'),
    write('./src/../tools/b.ts'),
    write('TOOLS/c.ts'),
    write('skills/x/SKILL.md'),
    write('linked/d.ts'),
    edit,
  ];
  const others = [write('src/tools.ts'), write('src/tools/e.ts'), write('toolsmith.txt')];
  const asked: { path: unknown; reason: string | undefined; always: string | undefined }[] = [];
  const agent = new Agent({
    model: scriptedModel([{ calls: [{ name: 'read_file', arguments: { path: 'tools/old.ts' } }] }, { calls: [...own, ...others] }, 'done']),
    tools: [readFile, writeFile, editFile],
    workspace,
    permissions: { allow: ['write_file', 'edit_file'] },
    onApproval: async ({ calls }) => {
      asked.push(...calls.map(({ arguments: args, reason, always }) => ({ path: args.path, reason, always })));
      return false;
    },
  });
  await agent.run('save them');
  assert.deepEqual(
    asked.map(({ path }) => path),
    own.map(({ arguments: args }) => args.path),
  );
  assert.ok(
    asked.every(({ reason, always }) => /runs by itself/.test(reason ?? '') && always === undefined),
    JSON.stringify(asked),
  );
  assert.deepEqual([existsSync(join(workspace, 'tools', 'a.ts')), existsSync(join(workspace, 'src', 'tools', 'e.ts'))], [false, true]);
});
