/** Folders with skill.yaml: what becomes a tool, what is refused and why, and that nothing of it runs before it is called. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { scanSkills } from '../../src/skills/scan.ts';
import calculator from '../../tools/calculator.ts';
import { callOnce } from './call.ts';
import { COUNT, COUNT_CODE, COUNT_YAML, ownFolder, text, write } from './rig.ts';

const scan = (path: string, options = {}) => scanSkills([{ path, origin: 'project' }], options);

test('a folder with skill.yaml and a function is a tool with its examples, which runs in a worker with the usual context', async (t) => {
  const folder = await ownFolder(t);
  await write(join(folder, '字数'), COUNT);
  await write(join(folder, 'where'), {
    'skill.yaml': COUNT_YAML.replaceAll('count_characters', 'where').replace(
      'examples:',
      'entry: code/主.ts\nlevel: read\ntimeout_seconds: 5\nexamples:',
    ),
    'code/主.ts': `import { isMainThread } from 'node:worker_threads';
      import { HermesError } from 'hermes-agent';
      export async function execute({ text }, { context, exec }) {
        if (text === '') throw new HermesError('nothing', '没有文字');
        return { isMainThread, workspace: context.workspace, said: (await exec(['echo', text])).stdout };
      }`,
  });
  const library = new URL('../../src/index.ts', import.meta.url).href;
  const { tools, diagnostics, hints } = await scan(folder, { library });
  assert.deepEqual([diagnostics, hints], [[], []]);
  const [where, count] = [tools.find(({ info }) => info.name === 'where')!, tools.find(({ info }) => info.name === 'count_characters')!];
  assert.equal(count.info.level, 'read', 'code that only computes');
  assert.deepEqual(count.info.examples, [
    { request: '“春眠不觉晓”有几个字？', arguments: { text: '春眠不觉晓' }, result: { count: 5 } },
    { request: 'How many characters has ""?', arguments: { text: '' } },
  ]);
  assert.equal(where.settings.timeoutMs, 5000);
  assert.deepEqual(await callOnce(count, { text: '春 眠' }, folder), { success: true, data: { count: 2 } });
  assert.deepEqual(await callOnce(count, { text: '春 眠', spaces: true }, folder), { success: true, data: { count: 3 } });
  assert.deepEqual(await callOnce(where, { text: '你好' }, folder), {
    success: true,
    data: { isMainThread: false, workspace: folder, said: '你好\n' },
  });
  const failed = await callOnce(where, { text: '' }, folder);
  assert.equal(!failed.success && failed.error.message, '没有文字');
});

test('one underscore, a missing skill.yaml or one line of configuration switches a skill off', async (t) => {
  const folder = await ownFolder(t);
  await write(join(folder, 'count'), COUNT);
  const names = async (options = {}) => (await scan(folder, options)).tools.map(({ info }) => info.name);
  assert.deepEqual(await names(), ['count_characters']);
  assert.deepEqual(await names({ disabled: ['count_characters'] }), []);
  assert.deepEqual(await names({ disabled: ['count'] }), []);
  await rename(join(folder, 'count'), join(folder, '_count'));
  assert.deepEqual(await names(), []);
  await rename(join(folder, '_count'), join(folder, 'count'));
  await rename(join(folder, 'count/skill.yaml'), join(folder, 'count/skill.yaml.off'));
  assert.deepEqual(await names(), []);
});

test('the first of a name is used, the other is told', async (t) => {
  const folder = await ownFolder(t);
  await write(join(folder, 'project/one'), COUNT);
  await write(join(folder, 'user/two'), COUNT);
  const { tools, hints, found } = await scanSkills([
    { path: join(folder, 'project'), origin: 'project' },
    { path: join(folder, 'user'), origin: 'user' },
  ]);
  assert.equal(tools.length, 1);
  assert.deepEqual(
    hints.map(({ file, code }) => [file, code]),
    [[join(folder, 'user/two/skill.yaml'), 'shadowed']],
  );
  assert.deepEqual(
    found.map(({ state }) => state),
    ['used', 'shadowed'],
  );
});

const two = (lines: string) => COUNT_YAML.replace('examples:', `${lines}\nexamples:`);
const BAD: readonly [name: string, yaml: string, message: RegExp, line?: number][] = [
  ['no examples', COUNT_YAML.replace(/examples:[\s\S]*/, ''), /examples: expected at least 2 different ones.*got 0/],
  [
    'one example twice',
    COUNT_YAML.replace(/ {2}- input: How[\s\S]*/, '') +
      COUNT_YAML.slice(COUNT_YAML.indexOf('  - input: “')).replace(/ {2}- input: How[\s\S]*/, ''),
    /got 1/,
  ],
  ['an example that does not fit', COUNT_YAML.replace('{"text": "春眠不觉晓"}', '{"text": 5}'), /examples\[0\]: .*text/],
  [
    'a call that is no JSON',
    COUNT_YAML.replace(`'{"text": "春眠不觉晓"}'`, 'count(春眠不觉晓)'),
    /examples\[0\]: call: expected the arguments/,
  ],
  ['a wrong type', COUNT_YAML.replace('name: count_characters', 'name: [count]'), /name: expected 1 to 64 letters.*got \["count"\]/],
  ['a Chinese name', COUNT_YAML.replace('name: count_characters', 'name: 数字数'), /name: expected 1 to 64 letters/],
  [
    'parameters that are a list',
    COUNT_YAML.replace(/parameters:[\s\S]*examples/, 'parameters: [text]\nexamples'),
    /parameters: expected a JSON Schema.*got \["text"\]/,
  ],
  ['a schema that is wrong', COUNT_YAML.replace('type: string', 'type: text'), /parameters\.properties\.text\.type: expected one of/],
  ['an unknown field', two('levle: read'), /levle: unknown field; did you mean level\?/],
  ['a wrong level', two('level: harmless'), /level: expected read, write or dangerous, got "harmless"/],
  ['an entry outside its folder', two('entry: ../count.ts'), /entry: expected a file inside the skill's folder, got \.\.\/count\.ts/],
  ['an absolute entry', two('entry: /etc/passwd'), /there is no \/etc\/passwd/],
  ['an entry that is not there', two('entry: other.ts'), /there is no other\.ts/],
  ['a tool field, by its name here', two('max_calls: many'), /max_calls: expected a whole number from 1/],
  ['a key that stands twice', COUNT_YAML.replace('parameters:', 'name: again\nparameters:'), /the key name stands twice/, 3],
  ['a bomb of aliases', 'a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n', /plain values, got the anchor &a/, 1],
  ['an anchor on a map', two('output: &a { type: object }'), /plain values, got the anchor &a/],
  ['a tag that is no JSON', two('output: !!set { a }'), /got the tag tag:yaml\.org,2002:set/],
  ['bytes', two('output: !!binary aGk='), /got the tag tag:yaml\.org,2002:binary/],
  ['a number without end', two('output: { maximum: .inf }'), /a number that JSON can hold, got \.inf/],
  ['lists in lists without brackets', `${'- '.repeat(20_000)}x`, /^it is nested too deeply to be read$/],
  ['a very long tag', `a: !${'x'.repeat(50_000)} b`, /^.{1,300}$/],
  ['a tag', two('output: !!js/function "x"'), /Unresolved tag/],
  ['__proto__', two('output: { __proto__: { x: 1 } }'), /__proto__ is not allowed/],
  ['brackets without end', two(`output: ${'['.repeat(50_000)}`), /nested deeper than 100/],
  ['a file that is far too long', COUNT_YAML + '#'.repeat(100_000), /at most 64000 are read/],
  [
    '13,000 keys',
    Array.from({ length: 13_000 }, (_, i) => `${i.toString(36)}:`)
      .join('\n')
      .slice(0, 63_000),
    /unknown field|Implicit/,
  ],
  ['no YAML', 'name: : :\n\t-', /./],
  ['a list', '- name\n- description\n', /expected name, description, parameters and examples/],
  ['nothing', '', /got null/],
];

test('a bad skill.yaml is refused by name with what was expected, and the others work', async (t) => {
  const folder = await ownFolder(t);
  await write(folder, { 'count.ts': COUNT_CODE });
  await write(join(folder, 'good'), COUNT);
  for (const [index, [, yaml]] of BAD.entries()) await write(join(folder, `bad-${index}`), { 'skill.yaml': yaml, 'skill.ts': COUNT_CODE });
  const began = performance.now();
  const { tools, diagnostics } = await scan(folder);
  assert.ok(performance.now() - began < 20_000);
  assert.deepEqual(
    tools.map(({ info }) => info.name),
    ['count_characters'],
  );
  for (const [index, [name, , message, line]] of BAD.entries()) {
    const told = diagnostics.find(({ file }) => file === join(folder, `bad-${index}`, 'skill.yaml'));
    assert.ok(told, `${name} is refused`);
    assert.match(told.message, message, name);
    if (line !== undefined) assert.equal(told.line, line, name);
  }
});

test('code that is no skill is told with its place, and a link out of the folder is no entry', async (t) => {
  const folder = await ownFolder(t);
  await write(folder, { 'outside.ts': COUNT_CODE });
  await write(join(folder, 'a'), { 'skill.yaml': COUNT_YAML, 'skill.ts': 'export default 42;\n' });
  await write(join(folder, 'b'), { 'skill.yaml': COUNT_YAML, 'skill.ts': '\n\nexport default function (\n' });
  await write(join(folder, 'c'), { 'skill.yaml': COUNT_YAML, 'skill.ts': 'const nothing = 1;\n' });
  await write(join(folder, 'd'), { 'skill.yaml': COUNT_YAML });
  await write(join(folder, 'e'), { 'skill.yaml': COUNT_YAML });
  await symlink('../outside.ts', join(folder, 'e/skill.ts'));
  const { tools, diagnostics } = await scan(folder);
  assert.equal(tools.length, 0);
  const told = diagnostics.map(({ message, line }) => `${line ?? ''} ${message}`);
  assert.match(told[0]!, /expected default to be a function/);
  assert.match(told[1]!, /^[34] it is no valid code/);
  assert.match(told[2]!, /expected `export default function/);
  assert.match(told[3]!, /there is no skill\.ts beside skill\.yaml/);
  assert.match(told[4]!, /inside the skill's folder, got skill\.ts/);
});

test('what is made to break its reader costs only its own skill', async (t) => {
  const folder = await ownFolder(t);
  await write(join(folder, 'deep'), {
    'skill.yaml': COUNT_YAML.replaceAll('count_characters', 'deep'),
    'skill.ts': `export default () => ${'['.repeat(20_000)}${']'.repeat(20_000)};`,
  });
  await write(join(folder, 'yaml'), { 'skill.yaml/file': 'a folder of this name', 'skill.ts': COUNT_CODE });
  await write(join(folder, 'good'), COUNT);
  const { tools, diagnostics, hints } = await scan(folder);
  assert.deepEqual(
    tools.map(({ info }) => [info.name, info.level]),
    [
      ['deep', 'write'],
      ['count_characters', 'read'],
    ],
  );
  assert.match(hints.map(({ message }) => message).join(), /deep: .*nested too deeply to be read/);
  assert.deepEqual(
    diagnostics.map(({ file, code }) => [file, code]),
    [[join(folder, 'yaml/skill.yaml'), 'unreadable']],
  );
});

test('what is no text, waits for a writer or lies elsewhere is told, and is never waited for', async (t) => {
  const top = await ownFolder(t);
  const folder = join(top, 'skills');
  const gbk = Uint8Array.from([0x2d, 0x2d, 0x2d, 0x0a, 0x6e, 0x61, 0x6d, 0x65, 0x3a, 0x20, 0xd6, 0xdc, 0xb1, 0xa8, 0x0a]); // name: 周报
  await write(folder, {
    'a/SKILL.md': gbk,
    'b/skill.yaml': gbk,
    'b/skill.ts': COUNT_CODE,
    'd/notes.md': 'x',
    'e/skill.yaml': COUNT_YAML,
    'good/SKILL.md': text('good'),
  });
  await write(top, { 'outside/SKILL.md': text('d') });
  await mkdir(join(folder, 'c'));
  execFileSync('mkfifo', [join(folder, 'c/SKILL.md'), join(folder, 'e/skill.ts')]);
  await symlink('../../outside/SKILL.md', join(folder, 'd/SKILL.md'));
  const { texts, diagnostics } = await scan(folder);
  assert.deepEqual(
    texts.map(({ name }) => name),
    ['good'],
  );
  assert.deepEqual(
    diagnostics.map(({ file, message }) => `${basename(dirname(file))}: ${message}`),
    [
      'a: it is no UTF-8 text; save it as UTF-8',
      'b: it is no UTF-8 text; save it as UTF-8',
      'c: it is no ordinary file',
      'd: it is a link that leads out of its folder',
      'e: entry: expected a file, got skill.ts, which is none',
    ],
  );
});

test('the level that is not declared is what the code shows, and why it is asked about is told', async (t) => {
  const folder = await ownFolder(t);
  const yaml = (name: string, more = '') =>
    COUNT_YAML.replace('name: count_characters', `name: ${name}\n${more}`)
      .replace('"name": "count_characters", ', '')
      .replace('"arguments": {"text": ""}', '"text": ""');
  await write(join(folder, 'a'), {
    'skill.yaml': yaml('writes'),
    'skill.ts': `import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync('x', '');`,
  });
  await write(join(folder, 'b'), {
    'skill.yaml': yaml('fetches', 'level: read'),
    'skill.ts': `export default () => fetch('https://example.com');`,
  });
  const { tools, hints, diagnostics } = await scan(folder);
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(
    tools.map(({ info }) => [info.name, info.level, info.untrusted ?? false]),
    [
      ['writes', 'write', false],
      ['fetches', 'read', true],
    ],
  );
  assert.equal(hints.length, 1);
  assert.match(hints[0]!.message, /writes: asked about before each call, because it uses node:fs \(line 1\)/);
});

test('reading a skill runs nothing of it; what was read is kept until it changes', async (t) => {
  const folder = await ownFolder(t);
  const mark = join(folder, 'it-ran');
  const code = `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nexport default () => 1;\n`;
  await write(join(folder, 'skills/count'), { 'skill.yaml': COUNT_YAML, 'skill.ts': code });
  const cacheFile = join(folder, 'cache/skills.json');
  const first = await scan(join(folder, 'skills'), { cacheFile });
  assert.equal(existsSync(mark), false);
  assert.ok(existsSync(cacheFile));
  const again = await scan(join(folder, 'skills'), { cacheFile });
  assert.equal(again.tools[0]!.info.hash, first.tools[0]!.info.hash);
  await write(join(folder, 'skills/count'), { 'skill.yaml': COUNT_YAML.replace('统计一段文字的字数', '数一数字数') });
  const changed = await scan(join(folder, 'skills'), { cacheFile });
  assert.match(changed.tools[0]!.info.description, /^数一数字数/);
  assert.notEqual(changed.tools[0]!.info.hash, first.tools[0]!.info.hash);
  await callOnce(changed.tools[0]!, { text: 'x' }, folder);
  assert.equal(existsSync(mark), true);
});

test('the bundled calculator is the built-in tool in the form of a skill', async () => {
  const path = resolve(import.meta.dirname, '../../skills');
  const { tools, diagnostics, bundled } = await scanSkills([{ path, origin: 'bundled' }]);
  assert.deepEqual(diagnostics, []);
  const skill = tools.find(({ info }) => info.name === 'calculator')!;
  assert.ok(bundled.has('calculator'));
  const { hash: _, ...told } = skill.info;
  const { hash: __, ...builtIn } = calculator.info;
  assert.deepEqual(told, builtIn);
  assert.deepEqual(skill.settings, calculator.settings);
  assert.deepEqual(await callOnce(skill, { expression: '(13+27)×4 =' }, path), { success: true, data: { result: 160 } });
  assert.match(await readFile(join(path, 'calculator/skill.ts'), 'utf8'), /src\/tools\/expression\.ts/);
});
