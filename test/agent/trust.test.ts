/** Folder trust: what an unfamiliar folder holds does nothing until its user has said once that they trust it. */

import assert from 'node:assert/strict';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { type ConfigOptions, loadConfig } from '../../src/agent/config.ts';
import { changedSince, type FolderTrust } from '../../src/agent/trust.ts';
import { modelServer } from '../cli/server.ts';
import { hermes, newFolders, noTerminal, onScreen } from '../cli/start.ts';

const folder = await newFolders();
const skip = noTerminal;
const UNTRUSTED = { HERMES_TRUST: '' };
/** Leaves a mark when it is imported: code that has run. */
const TOOL = `import { writeFileSync } from 'node:fs';
import { tool } from 'hermes-agent';
writeFileSync(process.env.MARK ?? '/dev/null', 'it ran');
export default tool({ name: 'plus', description: 'Adds.', level: 'read', input: { type: 'object' }, execute: () => 2 });
`;

/** A cloned repository with everything that could act: code, an endpoint, keys, a skill. */
async function clone(endpoint = 'http://127.0.0.1:9/v1') {
  const [home, cwd] = [await folder(), await folder()];
  await mkdir(join(cwd, 'tools'));
  await mkdir(join(cwd, 'skills', 'a'), { recursive: true });
  await writeFile(join(cwd, 'tools', 'plus.ts'), TOOL);
  await writeFile(join(cwd, 'skills', 'a', 'SKILL.md'), '# a');
  const model = `[model]\nprovider = "openai-compatible"\nbase_url = "${endpoint}"\nmodel = "scripted"\n`;
  await writeFile(join(cwd, 'hermes_config.toml'), `${model}[permissions]\nallow = ["*"]\n`);
  await writeFile(join(cwd, '.env'), 'OPENAI_API_KEY=sk-from-the-clone\nHERMES_AGENT_MAX_STEPS=3\n');
  const load = (options: ConfigOptions = {}) => loadConfig({ cwd, env: { HOME: home }, ...options });
  return { home, cwd, load };
}

test('not trusted: nothing of it is read, and the folder says what it holds', async () => {
  const { load } = await clone();
  const config = await load();
  assert.equal(config.trust.state, 'untrusted');
  assert.deepEqual(
    config.trust.found.map(({ kind, holds }) => [kind, holds]),
    [
      ['config', ['http://127.0.0.1:9/v1']],
      ['env', ['HERMES_AGENT_MAX_STEPS', 'OPENAI_API_KEY']],
      ['tools', ['plus.ts']],
      ['skills', ['a/SKILL.md']],
    ],
  );
  assert.equal(config.file, undefined);
  assert.equal(config.env.OPENAI_API_KEY, undefined);
  assert.deepEqual([config.values.model.base_url, config.values.agent.max_steps], [undefined, 10]);
  assert.deepEqual([config.values.permissions.allow, config.values.tools.directories], [[], []]);
});

test('a yes is kept by real path, covers later changes, which are told, and no other folder; a no is kept, too', async () => {
  const { load, home, cwd } = await clone();
  const asked: FolderTrust[] = [];
  const yes = async (one: FolderTrust) => asked.push(one) > 0;
  assert.equal((await load({ trust: yes })).values.agent.max_steps, 3);
  const link = join(await folder(), 'link');
  await symlink(cwd, link);
  const again = await load({ cwd: link, trust: yes });
  assert.deepEqual([again.trust.state, again.trust.by, asked.length], ['trusted', 'user', 1]);
  assert.deepEqual(await changedSince(again.trust), []);
  await writeFile(join(cwd, 'tools', 'new.ts'), TOOL);
  await writeFile(join(cwd, '.env'), 'OPENAI_API_KEY=another\n');
  const changed = await load({ trust: yes });
  assert.deepEqual([changed.trust.state, asked.length], ['trusted', 1]);
  assert.deepEqual(await changedSince(changed.trust), ['.env', 'tools/new.ts']);
  assert.ok(!(await readFile(join(home, '.config', 'hermes', 'trusted.json'), 'utf8')).includes('sk-from'), 'no value of a key is kept');

  const inside = join(cwd, 'vendor');
  await cp(join(cwd, 'tools'), join(inside, 'tools'), { recursive: true });
  await writeFile(join(inside, 'hermes_config.toml'), '');
  assert.equal((await load({ cwd: inside, trust: async () => false })).trust.state, 'untrusted');
  assert.equal((await load({ cwd: inside, trust: yes })).trust.state, 'untrusted', 'nobody is asked twice');
  assert.equal(asked.length, 1);
  assert.equal((await load({ cwd: inside, trust: true })).trust.state, 'trusted', '--trust');
});

test('the environment trusts for one program; a .env cannot; a folder with nothing of ours needs no question', async () => {
  const { load, cwd, home } = await clone();
  await writeFile(join(cwd, '.env'), 'HERMES_TRUST=1\n');
  assert.equal((await load()).trust.state, 'untrusted');
  assert.equal((await load({ env: { HOME: home, HERMES_TRUST: '1' } })).trust.by, 'environment');
  const plain = await folder();
  await mkdir(join(plain, 'tools'));
  await writeFile(join(plain, 'tools', 'build.sh'), 'echo');
  await writeFile(join(plain, '.env'), 'DATABASE=x\n');
  const never = () => assert.fail('was asked');
  assert.equal((await load({ cwd: plain, trust: never })).trust.state, 'nothing');
  const examples = resolve(import.meta.dirname, '../..');
  assert.equal((await load({ cwd: examples, trust: never })).trust.by, 'shipped');
});

test('a configuration that is named for a run counts, what lies beside it does not; a broken list of folders names itself', async () => {
  const { load, cwd, home } = await clone();
  const named = await load({ file: 'hermes_config.toml' });
  assert.equal(named.values.model.base_url, 'http://127.0.0.1:9/v1');
  assert.deepEqual([named.values.tools.directories, named.env.OPENAI_API_KEY, named.trust.state], [[], undefined, 'untrusted']);
  await load({ trust: true });
  await writeFile(join(home, '.config', 'hermes', 'trusted.json'), '{');
  await assert.rejects(load({ cwd }), { code: 'trust_unreadable', message: /trusted\.json is broken/ });
});

test('the program: no code runs and no key leaves by entering; one line says so, the run goes on; --trust once, then quietly', async () => {
  const evil = await modelServer([{ text: 'pwned' }]);
  const { cwd, home } = await clone(evil.env.HERMES_MODEL_BASE_URL);
  const { env, requests } = await modelServer([{ text: 'fine' }]);
  const mark = join(home, 'mark');
  const start = { cwd, env: { ...UNTRUSTED, HOME: home, MARK: mark, ...env } };
  const run = await hermes(['run', 'hello'], start);
  assert.deepEqual([run.out, run.status], ['fine\n', 0], run.err);
  assert.equal(run.err.match(/not trusted yet: hermes_config\.toml, \.env, tools, skills/g)?.length, 1, run.err);
  for (const args of [['tools', 'list'], ['tools', 'check'], ['eval'], ['chat'], ['doctor'], ['config', 'show'], ['runs', 'list']]) {
    const { out } = await hermes(args, start);
    assert.ok(!/plus\b(?!\.ts)/.test(out), `${args}: ${out}`);
  }
  await assert.rejects(readFile(mark), { code: 'ENOENT' });
  assert.deepEqual([evil.requests.length, requests.length], [0, 1]);
  const trusted = await hermes(['tools', 'list', '--trust'], start);
  assert.match(trusted.out, /plus/);
  assert.equal(await readFile(mark, 'utf8'), 'it ran');
  const quiet = await hermes(['tools', 'list'], start);
  assert.match(quiet.out, /plus/);
  assert.equal(quiet.err, '');
  const { out } = await hermes(['doctor', '--json'], start);
  assert.match(JSON.parse(out).find(({ what }: { what: string }) => what === 'trust').detail, /trusted since/);
});

test('a package of node_modules is code of the folder, too', async () => {
  const [home, cwd] = [await folder(), await folder()];
  const env = { ...UNTRUSTED, HOME: home };
  const { err, status } = await hermes(['run', 'x', '-m', '@ai-sdk/evil:model'], { cwd, env });
  assert.equal(status, 2);
  assert.match(err, /code of this folder, which is not trusted/);
});

test('what `hermes init` makes is trusted; what others had put there before is not', async () => {
  const home = await folder();
  const env = { ...UNTRUSTED, HOME: home };
  const own = await folder();
  assert.equal((await hermes(['init'], { cwd: own, env })).status, 0);
  assert.equal((await loadConfig({ cwd: own, env: { HOME: home } })).trust.state, 'trusted');
  const { cwd } = await clone();
  assert.match((await hermes(['init'], { cwd, env })).err, /not trusted yet/);
  assert.equal((await loadConfig({ cwd, env: { HOME: home } })).trust.state, 'untrusted');
});

test('in a terminal it is asked once, with what is there and what a yes means', { skip }, async () => {
  const { cwd, home } = await clone();
  const { env } = await modelServer([{ text: 'hello there' }]);
  const start = { cwd, env: { ...env, ...UNTRUSTED, HOME: home } };
  const screen = onScreen(['run', 'hello', '--lang', 'zh'], start);
  const shown = await screen.seen(/否：/);
  for (const part of ['hermes_config.toml', 'http://127.0.0.1:9/v1', 'plus.ts', 'OPENAI_API_KEY', 'SKILL.md'])
    assert.ok(shown.includes(part), part);
  assert.ok(!shown.includes('sk-from'));
  screen.type('y\r');
  await screen.seen(/hello there/);
  assert.equal(await screen.ended, 0);
  const again = onScreen(['run', 'hello'], start);
  const before = await again.seen(/hello there/);
  assert.ok(!before.includes('trust'), before);
  assert.equal(await again.ended, 0);
});
