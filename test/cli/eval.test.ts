/** `hermes eval` as a program: the table, the reasons, exit statuses, what is kept and compared. */

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { modelServer } from './server.ts';
import { hermes, newFolders, start } from './start.ts';

const folder = await newFolders('eval-');
const CASES = `
[[case]]
name = "capital"
request = "What is the capital of France?"
tools = "none"
answer.contains = "Paris"
script = ["Paris."]
[[case]]
name = "首都"
request = "法国的首都是哪里？"
tools = "none"
answer.contains = "巴黎"
script = ["巴黎。"]
`;

test('the standard cases pass with their scripts; the answer is a table, the rest is on standard error', async () => {
  const cwd = await folder();
  const { out, err, status } = await hermes(['eval'], { cwd });
  assert.equal(status, 0, out + err);
  assert.match(out, /^ +script\npassed +(\d+)\/\1 \(100 %\)\n/);
  assert.match(out, /tokens a case +unknown\ncost in all \(estimate\) +unknown\n/);
  assert.match(err, /scripts of the cases answer/);
  assert.match(err, /✓ (\d+)\/\1 script {2}highlights-zh/);
  const chinese = await hermes(['eval', '--lang', 'zh', '--filter', 'umbrella', '--protocol', 'json', '-q'], { cwd });
  assert.deepEqual([chinese.status, chinese.err], [0, '']);
  assert.match(chinese.out, /通过 +2\/2/);
});

test('models side by side: figures, one line a failed case, exit status 1; --out keeps it, --compare tells what changed', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'own.toml'), CASES);
  const { env } = await modelServer([{ text: 'Paris.' }, { text: 'Berlin.' }, { text: 'Paris.' }, { text: '巴黎。' }]);
  const models = ['-m', 'openai-compatible:small', '-m', 'openai-compatible:large'];
  const first = await hermes(['eval', 'own.toml', ...models, '--out', 'first.json'], { cwd, env });
  assert.equal(first.status, 1, first.err);
  assert.match(first.out, /^ +openai-compatible:small +openai-compatible:large\npassed +1\/2 \(50 %\) +2\/2 \(100 %\)/);
  assert.match(first.out, /tokens a case +18 +18\n/);
  assert.match(first.out, /✗ 首都 \[openai-compatible:small\]: answer: expected "巴黎" in it, got "Berlin\."/);
  assert.equal((JSON.parse(await readFile(join(cwd, 'first.json'), 'utf8')) as { results: unknown[] }).results.length, 4);

  const again = ['eval', 'own.toml', '-m', 'openai-compatible:small', '--repeat', '2', '--compare', 'first.json'];
  const { env: better } = await modelServer([{ text: '巴黎 Paris' }]);
  const second = await hermes(again, { cwd, env: better });
  assert.equal(second.status, 0, second.err);
  assert.match(second.out, /better {2}首都 \[openai-compatible:small\] {2}0\/1 -> 2\/2\n$/);
  const json = await hermes([...again, '--json', '-q'], { cwd, env: better });
  const report = JSON.parse(json.out) as { models: { model: string; passed: number }[]; changes: { case: string }[] };
  assert.deepEqual([report.models[0]!.passed, report.changes.map((one) => one.case)], [4, ['首都']]);
});

test('a case that passes now and then is told as flaky', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'own.toml'), CASES);
  const { env } = await modelServer([{ text: 'Paris.' }, { text: 'London.' }]);
  const { out, status } = await hermes(['eval', 'own.toml', '--filter', 'capital', '-m', 'openai-compatible:x', '--repeat', '3'], {
    cwd,
    env,
  });
  assert.equal(status, 1);
  assert.match(out, /passed +1\/3 \(33 %\)\ncases that pass sometimes +1\n/);
  assert.match(out, /✗ capital \[openai-compatible:x\] 2\/3: answer: expected "Paris"/);
});

test('wrong use ends with 2 and says what to do, in both languages', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'bad.toml'), '[[case]]\nname = "a"\nrequest = "?"\ntool = "none"\n');
  await writeFile(join(cwd, 'no.json'), '{}');
  const wrong: [RegExp, ...string[]][] = [
    [/bad\.toml: case "a": tools: missing/, 'bad.toml'],
    [/用例文件中有 \d 处错误/, 'bad.toml', '--lang', 'zh'],
    [/absent\.toml cannot be read/, 'absent.toml'],
    [/no case matches "xyz"[\s\S]*umbrella-zh/, '--filter', 'xyz'],
    [/--repeat must be from 1 to 1000, not 0/, '--repeat', '0'],
    [/--parallel must be a whole number, not "many"/, '--parallel', 'many'],
    [/scripts are written for native, json, react/, '--protocol', 'guided'],
    [/no\.json cannot be compared with: it holds no results/, '--compare', 'no.json'],
    [/absent\/out\.json cannot be written/, '--out', 'absent/out.json'],
  ];
  for (const [pattern, ...args] of wrong) {
    const { out, err, status } = await hermes(['eval', ...args], { cwd });
    assert.equal(status, 2, `${args.join(' ')}: ${err}`);
    assert.match(err, pattern);
    assert.match(err, /Next: |下一步：/);
    assert.equal(out, '');
  }
});

test('own files see the tools of the project; the standard cases do not; a tool file that is broken is named', async () => {
  const cwd = await folder();
  await mkdir(join(cwd, 'tools'));
  const tool = (name: string) =>
    `import { tool } from 'hermes-agent';\nexport default tool({ name: '${name}', description: 'Gives the moon phase.', level: 'read', input: { type: 'object', properties: {} }, execute: () => 'full' });\n`;
  await writeFile(join(cwd, 'tools', 'moon.ts'), tool('moon'));
  await writeFile(join(cwd, 'tools', 'broken.ts'), 'export default 3;\n');
  await writeFile(
    join(cwd, 'own.toml'),
    '[[case]]\nname = "moon"\nrequest = "?"\ntools = ["moon"]\nanswer.contains = "full"\nscript = [{ tool = "moon" }, "It is full."]\n',
  );
  const own = await hermes(['eval', 'own.toml'], { cwd });
  assert.deepEqual([own.status, /passed +1\/1/.test(own.out)], [0, true], own.out + own.err);
  assert.match(own.err, /broken\.ts cannot be used/);
  assert.doesNotMatch((await hermes(['eval', '--filter', 'calculator'], { cwd })).err, /broken/);
});

test('Ctrl-C ends an evaluation in good order and shows what there is', async () => {
  const cwd = await folder();
  const slow = '[tool.slow]\ndescription = "Waits."\nresult = 1\ndelay_seconds = 10\n';
  const later = '[[case]]\nname = "slow"\nrequest = "?"\ntools = "any"\nscript = [{ tool = "slow" }, "x"]\n';
  await writeFile(join(cwd, 'own.toml'), slow + CASES + later);
  const { child, ended } = start(['eval', 'own.toml'], { cwd });
  child.stderr!.on('data', (text: string) => text.includes('✓ 2/3') && setTimeout(() => child.kill('SIGINT'), 200));
  const { out, status } = await ended;
  assert.equal(status, 130);
  assert.match(out, /passed +2\/2 /);
});
