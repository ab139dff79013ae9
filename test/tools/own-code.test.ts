/** Files that this program would run by itself are not written because a rule allows the writing of files. */

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/agent/config.ts';
import { openAgent } from '../../src/agent/open.ts';
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
  const taken = [write('AGENTS.md'), write('deep/claude.md'), write('.agents/skills/x/SKILL.md'), write('node_modules/x/index.js')];
  const others = [write('src/tools.ts'), write('src/tools/e.ts'), write('toolsmith.txt'), write('skills')];
  const asked: { path: unknown; reason: string | undefined; always: string | undefined }[] = [];
  const agent = new Agent({
    model: scriptedModel([
      { calls: [{ name: 'read_file', arguments: { path: 'tools/old.ts' } }] },
      { calls: [...own, ...taken, ...others] },
      'done',
    ]),
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
    [...own, ...taken].map(({ arguments: args }) => args.path),
  );
  assert.ok(
    asked.every(({ reason, always }) => /by itself/.test(reason ?? '') && always === undefined),
    JSON.stringify(asked),
  );
  assert.deepEqual([existsSync(join(workspace, 'tools', 'a.ts')), existsSync(join(workspace, 'src', 'tools', 'e.ts'))], [false, true]);
});

test('so it is with every folder that the configuration names, there or not, and where its links lead', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-代码-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'real', 'plug'), { recursive: true });
  symlinkSync('real/plug', join(root, 'plug'));
  symlinkSync('real/later', join(root, 'soon')); // to what is not there yet
  writeFileSync(
    join(root, 'hermes_config.toml'),
    '[tools]\ndirectories = ["src/工具", "./plug", "soon"]\n[skills]\ndirectories = ["abilities"]\n[permissions]\nallow = ["write_file"]\n',
  );
  const write = (path: string) => ({ name: 'write_file', arguments: { path, content: 'x' } });
  const code = [
    'src/工具/a.ts',
    'src/工具/deep/b.ts',
    'plug/c.ts',
    'real/plug/d.ts',
    'real/later/j.ts',
    'Abilities/x/SKILL.md',
    'tools/e.ts',
    'skills/f/skill.yaml',
  ];
  const others = ['src/g.ts', 'src/工具箱/h.ts', 'real/i.ts'];
  const config = await loadConfig({ cwd: root, env: { HOME: root, HERMES_TRUST: '1' } });
  const asked: unknown[] = [];
  const { agent, close } = await openAgent(config, {
    model: scriptedModel([{ calls: [...code, ...others].map(write) }, 'done']),
    onApproval: async ({ calls }) => asked.push(...calls.map(({ arguments: args }) => args.path)) < 0,
  });
  await agent.run('save them');
  await close();
  assert.deepEqual(asked, code);
  assert.deepEqual(
    others.filter((path) => existsSync(join(root, path))),
    others,
  );
});

test('a folder of tools that is the whole workspace: everything in it is code', async (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-代码-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of [root, '.']) {
    const asked: unknown[] = [];
    const agent = new Agent({
      model: scriptedModel([{ calls: [{ name: 'write_file', arguments: { path: 'a.ts', content: 'x' } }] }, 'done']),
      tools: [writeFile],
      workspace: root,
      codeFolders: [folder],
      permissions: { allow: ['write_file'] },
      onApproval: async ({ calls }) => asked.push(...calls) < 0,
    });
    await agent.run('save it');
    assert.equal(asked.length, 1, folder);
  }
});
