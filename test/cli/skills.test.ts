/** `hermes skills`, on the real program: listed, checked, added after a yes, changed, accepted, removed; told in both languages. */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { COUNT, COUNT_CODE, text, write } from '../skills/rig.ts';
import { hermes, newFolders, noTerminal, onScreen } from './start.ts';

const folder = await newFolders();

test('list and check: tools and instructions, what is wrong and what the specification does not allow', async () => {
  const cwd = await folder();
  await write(cwd, {
    'skills/字数/skill.yaml': COUNT['skill.yaml'],
    'skills/字数/skill.ts': COUNT_CODE,
    'skills/report/SKILL.md': text('Report'),
    'skills/bad/skill.yaml': 'name: bad\n',
    'skills/_off/SKILL.md': text('off'),
  });
  const list = await hermes(['skills', 'list', '--lang', 'zh'], { cwd });
  assert.match(list.out, /count_characters +工具 +使用中/);
  assert.match(list.out, /Report +说明 +使用中/);
  assert.match(list.out, /bad +工具 +无法使用/);
  assert.match(list.out, /calculator +工具 +使用中 +程序自带/);
  assert.match(list.err, /skills\/bad\/skill\.yaml: 技能有误（.*examples: expected at least 2/);
  assert.equal(list.status, 1);
  const check = await hermes(['skills', 'check', 'report'], { cwd });
  assert.match(check.out, /SKILL\.md: name: expected lower-case letters \(deviation\)/);
  assert.equal(check.status, 0, check.err);
  const json = JSON.parse((await hermes(['skills', 'check', '--json'], { cwd })).out);
  assert.deepEqual(
    json.diagnostics.map(({ code }: { code: string }) => code),
    ['bad_skill'],
  );
  const none = await hermes(['skills', 'check', 'reprot'], { cwd });
  assert.match(none.err, /no skill "reprot".*report/is);
  assert.equal(none.status, 2);
  const shown = await hermes(['tools', 'show', 'count_characters'], { cwd });
  assert.match(shown.out, /春眠不觉晓/);
  const call = await hermes(['tools', 'call', 'count_characters', 'text=你好'], { cwd });
  assert.deepEqual(JSON.parse(call.out), { count: 2 }, call.err);
});

test('with no skill of your own the list says so, and how to add one', async () => {
  const cwd = await folder();
  const list = await hermes(['skills', 'list'], { cwd });
  assert.match(list.out, /calculator/);
  assert.match(list.err, /No skills of your own here yet\. Add one: hermes skills add /);
  assert.equal(list.status, 0);
  assert.match((await hermes(['skills', 'list', '--lang', 'zh'], { cwd })).err, /没有自己的技能.*hermes skills add/);
  assert.equal((await hermes(['skills', 'list', '--json'], { cwd })).err, '');
  await write(cwd, { 'skills/report/SKILL.md': text('report') });
  assert.equal((await hermes(['skills', 'list'], { cwd })).err, '');
});

test('add shows everything and needs a yes; a change is refused until it is accepted; remove needs one, too', async () => {
  const cwd = await folder();
  const source = await folder();
  await write(source, { 'skill.yaml': COUNT['skill.yaml'], 'skill.ts': `import 'node:fs';\n${COUNT_CODE}` });
  const asked = await hermes(['skills', 'add', source], { cwd, env: { HERMES_TRUST: '' } });
  assert.match(
    asked.err,
    /tool count_characters \(write\)[\s\S]*its code does more than compute: it uses node:fs \(line 1\)[\s\S]*skill\.yaml {2}\d+[\s\S]*files: 2, bytes: \d+\n {2}sha256 [0-9a-f]{64}/,
  );
  assert.match(asked.err, /--yes/);
  assert.equal(asked.status, 2);
  assert.equal(existsSync(join(cwd, 'skills')), false);
  const env = { HERMES_TRUST: '' };
  const added = await hermes(['skills', 'add', source, '--yes', '--lang', 'zh'], { cwd, env });
  assert.match(added.err, /已添加 .*skills\/count_characters/);
  assert.equal(added.status, 0, added.err);
  const target = join(cwd, 'skills/count_characters');
  const list = await hermes(['skills', 'list', '--json'], { cwd, env });
  const [skill] = JSON.parse(list.out);
  assert.deepEqual([skill.name, skill.state, skill.source], ['count_characters', 'used', source], 'trusted by the yes');
  await writeFile(join(target, 'skill.ts'), `${await readFile(join(target, 'skill.ts'), 'utf8')}\n// more`);
  const changed = await hermes(['skills', 'list'], { cwd, env });
  assert.match(changed.err, /changed since it was added \(skill\.ts\): not used until `hermes skills check count_characters --accept`/);
  assert.equal((await hermes(['skills', 'check', 'count_characters', '--accept'], { cwd, env })).status, 2);
  assert.equal((await hermes(['skills', 'check', 'count_characters', '--accept', '--yes'], { cwd, env })).status, 0);
  assert.equal((await hermes(['skills', 'check'], { cwd, env })).status, 0);
  assert.match(
    (await hermes(['skills', 'add', source, '--yes', '--lang', 'zh'], { cwd, env })).err,
    /同名的技能已存在.*\n下一步：先用 hermes skills remove/,
  );
  assert.match(
    (await hermes(['skills', 'remove', 'calculator', '--yes'], { cwd, env })).err,
    /not ours to change[\s\S]*disabled = \["calculator"\]/,
  );
  assert.equal((await hermes(['skills', 'remove', 'count_characters', '--yes'], { cwd, env })).status, 0);
  assert.equal(existsSync(target), false);
});

test('for the user: added beside the configuration, used in every folder', async () => {
  const cwd = await folder();
  const source = await folder();
  await write(source, { 'docs/写诗/SKILL.md': text('写诗', '写诗时使用'), 'docs/写诗/references/格律.md': '平平仄仄平平仄\n' });
  assert.equal((await hermes(['skills', 'add', source, '--user', '--yes'], { cwd })).status, 0);
  assert.ok(existsSync(join(cwd, '.config/hermes/skills/写诗/references/格律.md')));
  const elsewhere = await hermes(['tools', 'call', 'load_skill', 'name=写诗', 'file=references/格律.md'], {
    cwd: await folder(),
    env: { HOME: cwd },
  });
  assert.equal(elsewhere.out, '平平仄仄平平仄\n\n', elsewhere.err);
  assert.equal((await hermes(['skills', 'remove', '写诗', '--user', '--yes'], { cwd })).status, 0);
  assert.equal(existsSync(join(cwd, '.config/hermes/skills/写诗')), false);
});

test('in a terminal the plan is agreed to by y, and n adds nothing', { skip: noTerminal }, async () => {
  const cwd = await folder();
  await write(cwd, { 'from/report/SKILL.md': text('report') });
  const no = onScreen(['skills', 'add', 'from'], { cwd });
  await no.seen(/Add these skills \(1\)\?/);
  no.type('n\n');
  assert.equal(await no.ended, 3);
  assert.equal(existsSync(join(cwd, 'skills')), false);
  const yes = onScreen(['skills', 'add', 'from'], { cwd });
  await yes.seen(/Add these skills \(1\)\?/);
  yes.type('y\n');
  assert.equal(await yes.ended, 0);
  assert.ok(existsSync(join(cwd, 'skills/report/SKILL.md')));
});

test('config show and doctor tell the files of instructions', async () => {
  const cwd = await folder();
  await write(cwd, { 'AGENTS.md': `# 规矩\n${'x'.repeat(40_000)}\n` });
  const shown = await hermes(['config', 'show'], { cwd });
  assert.match(shown.out, /^instructions +"cut: \d+ of \d+ bytes" +AGENTS\.md$/m);
  assert.match(shown.out, /^agent\.instruction_files +true/m);
  const doctor = await hermes(['doctor', '--lang', 'zh'], { cwd });
  assert.match(doctor.out, /! 指令文件：AGENTS\.md；\d+ 字节中只用 \d+\n {4}→ 请缩短/);
  const off = await hermes(['doctor'], { cwd, env: { HERMES_AGENT_INSTRUCTION_FILES: 'false' } });
  assert.match(off.out, /✓ instructions: no AGENTS\.md/);
  const untrusted = await hermes(['config', 'show'], { cwd, env: { HERMES_TRUST: '' } });
  assert.match(untrusted.out, /^instructions +"not used: its folder is not trusted" +AGENTS\.md$/m);
});
