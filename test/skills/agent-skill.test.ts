/** SKILL.md: the cases of the Agent Skills specification, what is read all the same, and the skill loaded by a model. */

import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogueOf, LOAD_SKILL } from '../../src/agent/catalogue.ts';
import { parseSkill } from '../../src/skills/agent-skill.ts';
import { loadSkillTool } from '../../src/skills/load-skill.ts';
import { scanSkills } from '../../src/skills/scan.ts';
import { callOnce } from './call.ts';
import { ownFolder, text, write } from './rig.ts';

const front = (lines: string, body = 'Do it.\n') => `---\n${lines}\n---\n${body}`;
const good = 'name: my-skill\ndescription: Does it.';
/** What its reference reader accepts. */
const VALID: readonly [what: string, text: string, folder?: string][] = [
  ['the least', front(good)],
  [
    'every field',
    front(
      `${good}\nlicense: MIT\ncompatibility: needs git\nmetadata:\n  author: someone\n  version: "1.0"\nallowed-tools: Bash(git:*) Read`,
    ),
  ],
  ['digits in the name', front('name: skill-2-go\ndescription: x'), 'skill-2-go'],
  ['a Chinese name', front('name: 查天气\ndescription: 查询天气时使用'), '查天气'],
  ['a Cyrillic name', front('name: навык\ndescription: x'), 'навык'],
  ['64 characters', front(`name: ${'a'.repeat(64)}\ndescription: x`), 'a'.repeat(64)],
  ['a description of 1,024 characters', front(`name: my-skill\ndescription: ${'x'.repeat(1024)}`)],
  ['a compatibility of 500 characters', front(`${good}\ncompatibility: ${'x'.repeat(500)}`)],
  ['CRLF', front(good).replaceAll('\n', '\r\n')],
  ['allowed-tools as a list', front(`${good}\nallowed-tools:\n  - Read\n  - Bash`)],
  ['nested metadata', front(`${good}\nmetadata:\n  a:\n    b: c`)],
  ['no body', front(good, '')],
  ['a quoted colon', front('name: my-skill\ndescription: "Use when: it rains"')],
  ['a folded description', front('name: my-skill\ndescription: >-\n  Does it\n  well.')],
  ['three hyphens in a value', front('name: my-skill\ndescription: a --- b')],
  ['a comment', front(`# ours\n${good}`)],
];
/** What it rejects, and whether a client reads it all the same. */
const INVALID: readonly [what: string, text: string, deviation: RegExp, folder?: string][] = [
  ['upper case', front('name: My-Skill\ndescription: x'), /lower-case/, 'My-Skill'],
  ['a hyphen first', front('name: -skill\ndescription: x'), /hyphen/, '-skill'],
  ['a hyphen last', front('name: skill-\ndescription: x'), /hyphen/, 'skill-'],
  ['two hyphens', front('name: my--skill\ndescription: x'), /hyphen/, 'my--skill'],
  ['an underscore', front('name: my_skill\ndescription: x'), /letters, digits and hyphens/, 'my_skill'],
  ['a blank', front('name: my skill\ndescription: x'), /letters, digits and hyphens/, 'my skill'],
  ['another folder', front('name: other\ndescription: x'), /name of its folder, my-skill/],
  ['65 characters', front(`name: ${'a'.repeat(65)}\ndescription: x`), /at most 64/, 'a'.repeat(65)],
  ['no name', front('description: x'), /name: expected a text, got nothing/],
  ['an empty name', front('name: ""\ndescription: x'), /name: expected a text/],
  ['1,025 characters of description', front(`name: my-skill\ndescription: ${'x'.repeat(1025)}`), /description: expected at most 1024/],
  ['501 characters of compatibility', front(`${good}\ncompatibility: ${'x'.repeat(501)}`), /compatibility/],
  ['another field', front(`${good}\nmodel: big`), /model: unknown field/],
  ['a version', front(`${good}\nversion: 1`), /version: unknown field/],
  ['a flow map', front(`${good}\nmetadata: { a: b }`), /no values in \{ \}/],
  ['a tag', front('name: my-skill\ndescription: !x it'), /values quoted.*tag/],
  ['a key twice', front(`${good}\nname: my-skill`), /values quoted.*stands twice/],
  ['a colon that is not quoted', front('name: my-skill\ndescription: Use when: it rains'), /values quoted/],
  ['a byte order mark', `\uFEFF${front(good)}`, /byte order mark/],
];
const UNUSABLE: readonly [what: string, text: string, message: RegExp][] = [
  ['no front matter', '# My skill\n', /expected front matter/],
  ['front matter without an end', '---\nname: my-skill\ndescription: x\n', /has no end/],
  ['no description', front('name: my-skill'), /description: expected what the skill does/],
  ['an empty description', front('name: my-skill\ndescription: ""'), /description: expected/],
  ['a list', front('- name\n- description'), /name: and description:|no YAML/],
  ['no YAML at all', front('name: my-skill\n  description: [\n\t}'), /no YAML/],
];

test('what the specification accepts is accepted without a word', async () => {
  for (const [what, content, folder = 'my-skill'] of VALID) {
    const { deviations, description } = await parseSkill(content, `/skills/${folder}`);
    assert.deepEqual(deviations, [], what);
    assert.notEqual(description, '', what);
  }
  assert.equal((await parseSkill(VALID.find(([what]) => /three hyphens/.test(what))![1], 'my-skill')).description, 'a --- b');
});

test('what it rejects is told, and used where a description is left', async () => {
  for (const [what, content, deviation, folder = 'my-skill'] of INVALID) {
    const { deviations, description, body } = await parseSkill(content, `/skills/${folder}`);
    assert.match(deviations.join('\n'), deviation, what);
    assert.notEqual(description, '', what);
    assert.equal(body, 'Do it.', what);
  }
  const { description } = await parseSkill(front('name: my-skill\ndescription: Use when: it rains'), 'my-skill');
  assert.equal(description, 'Use when: it rains');
});

test('without a description or front matter it is no skill', async () => {
  for (const [what, content, message] of UNUSABLE) await assert.rejects(parseSkill(content, '/skills/my-skill'), message, what);
});

test('found in folders of other programs too, but there no code counts; links of a user are followed', async (t) => {
  const folder = await ownFolder(t);
  await write(folder, {
    'agents/pdf/SKILL.md': text('pdf'),
    'agents/group/deep/skill.md': text('deep'),
    'agents/_off/SKILL.md': text('off'),
    'agents/tool/skill.yaml': 'name: x',
    'elsewhere/linked/SKILL.md': text('linked'),
    'agents/README.md': '# not a skill',
  });
  await symlink('../elsewhere/linked', join(folder, 'agents/linked'));
  const scan = (origin: 'user' | 'project') => scanSkills([{ path: join(folder, 'agents'), origin, textsOnly: true }]);
  const mine = await scan('user');
  assert.deepEqual(mine.texts.map(({ name }) => name).sort(), ['deep', 'linked', 'pdf']);
  assert.deepEqual([mine.tools, mine.diagnostics], [[], []]);
  const theirs = await scan('project');
  assert.deepEqual(theirs.texts.map(({ name }) => name).sort(), ['deep', 'pdf']);
  assert.match(theirs.hints.map(({ message }) => message).join(), /links in a project are not followed/);
});

test('a model loads the instructions, then a resource; nothing outside the skill is read', async (t) => {
  const folder = await ownFolder(t);
  await write(folder, {
    'skills/写周报/SKILL.md': text('写周报', '写周报时使用', '# 步骤\n\n先看 references/格式.md。\n'),
    'skills/写周报/references/格式.md': '一、本周完成\n',
    'skills/写周报/scripts/run.sh': 'echo hi\n',
    'skills/写周报/logo.png': new Uint8Array([0x89, 0x50, 0xff, 0xfe]),
    'secret.txt': 'secret',
  });
  await symlink('../../secret.txt', join(folder, 'skills/写周报/link.txt'));
  const { texts } = await scanSkills([{ path: join(folder, 'skills'), origin: 'project' }]);
  const tool = loadSkillTool(texts);
  assert.equal(tool.info.name, LOAD_SKILL);
  const call = async (args: { name: string; file?: string }) => {
    const result = await callOnce(tool, args, folder);
    return result.success ? String(result.data) : `${result.error.code}: ${result.error.message} ${result.error.next}`;
  };
  assert.equal(
    await call({ name: '写周报' }),
    'skill: 写周报\nfolder: skills/写周报\nfiles: logo.png, references/格式.md, scripts/run.sh\n\n# 步骤\n\n先看 references/格式.md。',
  );
  assert.equal(await call({ name: '写周报', file: 'references/格式.md' }), '一、本周完成\n');
  assert.match(await call({ name: '写周报', file: '../../secret.txt' }), /^not_found: .*references\/格式\.md/);
  assert.match(await call({ name: '写周报', file: 'link.txt' }), /^not_found/);
  assert.match(await call({ name: '写周报', file: 'logo.png' }), /^no_text/);
  assert.match(await call({ name: '写月报' }), /^unknown_skill: .*did you mean 写周报\?/);
});

test('the catalogue is the same whatever the order, and bounded', () => {
  const skills = Array.from({ length: 60 }, (_, i) => ({ name: `skill-${i}`, description: '用'.repeat(1000) }));
  const told = catalogueOf(skills);
  assert.equal(told, catalogueOf(skills.toReversed()));
  assert.ok(told.length <= 8_100, `${told.length}`);
  assert.equal(told.split('\n').length, 60);
  assert.match(told, /^- skill-0: 用+…$/m);
  const many = Array.from({ length: 500 }, (_, i) => ({ name: `skill-${i}`, description: 'x'.repeat(100) }));
  assert.match(catalogueOf(many), /\n- … \+\d+$/);
  assert.ok(catalogueOf(many).length <= 8_100);
  assert.equal(catalogueOf([{ name: 'a', description: 'b' }]), '- a: b');
});
