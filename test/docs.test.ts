/** What the READMEs and the documents say that can be counted or run: figures, names of tools and commands, the files they show. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '..');
const readmes = await Promise.all(['README.md', 'README.zh-CN.md'].map((file) => readFile(join(root, file), 'utf8')));
const NUMBERS = { Eight: 8, Nine: 9, Ten: 10, 八: 8, 九: 9, 十: 10 } as const;

async function names(folder: string, ending: string): Promise<string[]> {
  return (await readdir(join(root, folder))).filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
}

/** The figure that the first group of the pattern holds, in each of the READMEs. */
function said(...patterns: [english: RegExp, chinese: RegExp]): unknown[] {
  return patterns.map((pattern, index) => {
    const word = pattern.exec(readmes[index]!)?.[1] ?? 'nothing';
    return Object.hasOwn(NUMBERS, word) ? NUMBERS[word as keyof typeof NUMBERS] : Number(word);
  });
}

test('the READMEs count right: examples, profiles, cases', async () => {
  const examples = (await names('examples', '.ts')).length;
  assert.deepEqual(said(/(\w+) short programs in `examples\/`/, /`examples\/` 里有(.)个小程序/), [examples, examples]);
  const profiles = (await names('providers', '.json')).length;
  assert.deepEqual(said(/(\d+) provider profiles/, /(\d+) 份 provider 配置/), [profiles, profiles]);
  const files = await Promise.all((await names('evals', '.toml')).map((name) => readFile(join(root, 'evals', `${name}.toml`), 'utf8')));
  const cases = files.join('\n').match(/^\[\[case\]\]/gm)?.length;
  assert.deepEqual(said(/(\d+) standard cases/, /(\d+) 个标准案例/), [cases, cases]);
});

test('the READMEs name every built-in tool but the one that reads results on', async () => {
  const files = /^(?:read|list|search|write|edit)_file/; // told in one word
  for (const name of await names('tools', '.ts')) {
    if (name === 'read_result' || files.test(name)) continue;
    for (const text of readmes) assert.ok(text.includes(name.replace(/^notes_.*/, 'notes')), name);
  }
});

test('the files that docs/tools.md and docs/skills.md show work as they stand', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-docs-'));
  after(() => rm(folder, { recursive: true, force: true }));
  const blocks = async (file: string, language: string) =>
    [...(await readFile(join(root, 'docs', file), 'utf8')).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, code]) => code!,
    );
  const [plain, made] = await blocks('tools.md', 'ts');
  await mkdir(join(folder, 'tools'));
  await writeFile(join(folder, 'tools', 'parcel_price.ts'), plain!);
  await writeFile(join(folder, 'tools', 'word_count.ts'), made!);
  await mkdir(join(folder, 'skills', '字数'), { recursive: true });
  await writeFile(join(folder, 'skills', '字数', 'skill.yaml'), (await blocks('skills.md', 'yaml'))[0]!);
  await writeFile(join(folder, 'skills', '字数', 'skill.ts'), (await blocks('skills.md', 'ts'))[0]!);
  await writeFile(join(folder, 'notes.txt'), 'one two three\n');
  const hermes = async (...args: string[]) => {
    const env = { ...process.env, HOME: folder, LANG: 'C.UTF-8', HERMES_TRUST: '1' };
    const command = ['--conditions=hermes-source', join(root, 'src/cli/main.ts'), ...args];
    return (await promisify(execFile)(process.execPath, command, { cwd: folder, env })).stdout;
  };
  assert.equal(await hermes('tools', 'call', 'parcel_price', 'weight=2', 'to=FR'), '13\n');
  assert.deepEqual(JSON.parse(await hermes('tools', 'call', 'word_count', 'path=notes.txt')), { words: 3 });
  assert.deepEqual(JSON.parse(await hermes('tools', 'call', 'count_characters', 'text=春眠不觉晓')), { count: 5 });
  const { diagnostics, lints } = JSON.parse(await hermes('tools', 'check', '--json'));
  assert.deepEqual(diagnostics, []);
  assert.deepEqual(
    lints.filter(({ tool }: { tool: string }) => tool === 'parcel_price'),
    [],
  );
});
