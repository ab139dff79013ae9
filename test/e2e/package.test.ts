/** The package as a user gets it: packed, installed from its tarball in an empty folder, run and imported there. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { modelServer } from '../cli/server.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = await mkdtemp(join(tmpdir(), 'hermes package-'));
after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

/** What a user installs: at most so many packages and bytes. */
const MOST_PACKAGES = 40;
const MOST_BYTES = 30_000_000;

function run(
  command: string,
  args: string[],
  cwd: string,
  env: Record<string, string> = {},
): Promise<{ out: string; err: string; status: unknown }> {
  // npm must find this Node, and nothing of the checkout's own .bin.
  const { PATH = '' } = process.env;
  const others = Object.entries(process.env).filter(([name]) => !/^(HERMES|NODE_TEST|npm_)/.test(name));
  const path = [resolve(process.execPath, '..'), ...PATH.split(delimiter).filter((entry) => !entry.startsWith(root))].join(delimiter);
  return new Promise((done) => {
    execFile(command, args, { cwd, env: { ...Object.fromEntries(others), PATH: path, LANG: 'C.UTF-8', ...env } }, (error, out, err) =>
      done({ out, err, status: error ? error.code : 0 }),
    );
  });
}

async function sizeOf(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const sizes = await Promise.all(
    entries.filter((entry) => entry.isFile()).map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('packed, installed in an empty folder, it runs as hermes and as hermes-agent and can be imported', async (t) => {
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder], root);
  assert.equal(packed.status, 0, packed.err);
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const installed = await run(
    'npm',
    ['install', '--silent', '--no-audit', '--no-fund', '--fetch-retries=1', join(folder, tarball)],
    folder,
  );
  if (installed.status !== 0 && !process.env.CI && /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(installed.err)) {
    t.skip('the npm registry cannot be reached');
    return;
  }
  assert.equal(installed.status, 0, installed.err);

  const lock = JSON.parse(await readFile(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages).length; // what is there: not the bindings for other platforms
  const bytes = await sizeOf(join(folder, 'node_modules'));
  assert.ok(packages <= MOST_PACKAGES, `${packages} packages`);
  assert.ok(bytes <= MOST_BYTES, `${bytes} bytes`);

  const bin = (name: string) => join(folder, 'node_modules', '.bin', name);
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  for (const name of ['hermes', 'hermes-agent']) assert.equal((await run(bin(name), ['--version'], folder)).out, `${version}\n`);
  const { env } = await modelServer([{ calls: [{ name: 'calculator', arguments: { expression: '(13+27)*4' } }] }, { text: '160' }]);
  const asked = await run(bin('hermes'), ['run', '(13+27)*4 等于多少？', '--json'], folder, { ...env, XDG_CONFIG_HOME: folder });
  assert.equal(asked.status, 0, asked.err);
  const { answer, tool_calls } = JSON.parse(asked.out);
  assert.deepEqual([answer, tool_calls[0].name, tool_calls[0].success], ['160', 'calculator', true]);

  await writeFile(
    join(folder, 'use.js'),
    `import { Agent, tool } from 'hermes-agent';
     import { scriptedModel } from 'hermes-agent/testing';
     const add = tool({ name: 'add', description: 'Adds.', level: 'read', input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } }, execute: ({ a, b }) => a + b });
     const model = scriptedModel([{ calls: [{ name: 'add', arguments: { a: 1, b: 2 } }] }, 'three']);
     const outcome = await new Agent({ model, tools: [add] }).run('1 + 2?');
     console.log(outcome.answer, outcome.toolCalls.length);`,
  );
  const used = await run(process.execPath, ['use.js'], folder);
  assert.equal(used.out, 'three 1\n', used.err);
});
