/** The commands around a run: init, config, tools, models, completion, doctor. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadConfig } from '../../src/agent/config.ts';
import { modelServer } from './server.ts';
import { hermes, newFolders } from './start.ts';

const folder = await newFolders();

test('init writes what surface promises, a file that loads, and never changes what is there', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, '.gitignore'), 'node_modules\n.env');
  const first = await hermes(['init'], { cwd });
  assert.deepEqual([first.status, first.out], [0, ''], first.err);
  assert.deepEqual((await readdir(cwd)).filter((name) => name !== '.cache').sort(), [
    '.env.example',
    '.gitignore',
    'hermes_config.toml',
    'skills',
    'tools',
  ]);
  const toml = await readFile(join(cwd, 'hermes_config.toml'), 'utf8');
  for (const line of [
    '# provider = ',
    '# model = ',
    '# api_key_env = ',
    'max_tokens = 2048',
    'level = "INFO"',
    'json_lines = true',
    'recall_top_k = 5',
  ]) {
    assert.ok(new RegExp(`^${line}`, 'm').test(toml), line);
  }
  const config = await loadConfig({ cwd, env: { HOME: cwd, HERMES_TRUST: '1' } });
  assert.equal(config.values.model.provider, undefined, 'the first run works without a key');
  assert.equal(config.values.agent.max_steps, 10);
  assert.equal(await readFile(join(cwd, '.gitignore'), 'utf8'), 'node_modules\n.env\n.hermes/\n');
  assert.match(await readFile(join(cwd, '.env.example'), 'utf8'), /DEEPSEEK_API_KEY=/);

  await writeFile(join(cwd, 'hermes_config.toml'), '[agent]\nmax_steps = 3\n');
  const again = await hermes(['init', '--lang', 'zh'], { cwd });
  assert.match(again.err, /未改动 {2}hermes_config\.toml/);
  assert.equal(await readFile(join(cwd, 'hermes_config.toml'), 'utf8'), '[agent]\nmax_steps = 3\n');
  assert.equal(await readFile(join(cwd, '.gitignore'), 'utf8'), 'node_modules\n.env\n.hermes/\n');
});

test('init --config x.json writes the same keys as JSON; a folder that cannot be written is named', {
  skip: process.getuid?.() === 0 && process.platform !== 'linux',
}, async () => {
  const cwd = await folder();
  await hermes(['init', '--config', 'x.json'], { cwd });
  assert.deepEqual(Object.keys(JSON.parse(await readFile(join(cwd, 'x.json'), 'utf8'))), ['model', 'agent', 'memory', 'logging']);
  assert.equal((await loadConfig({ cwd, file: 'x.json', env: { HOME: cwd, HERMES_TRUST: '1' } })).values.model.max_tokens, 2048);
  const other = await folder();
  await writeFile(join(other, 'tools'), 'a file where a folder should be');
  const refused = await hermes(['init'], { cwd: other });
  assert.equal(refused.status, 2);
  assert.match(refused.err, /tools.* cannot be written/);
});

test('config show: every value with its source; secrets of tools are not shown', async () => {
  const cwd = await folder();
  await writeFile(
    join(cwd, 'hermes_config.toml'),
    '[agent]\nmax_steps = 4\n[models]\nfast = "deepseek:x"\n[tools.mail]\npassword = "hunter2hunter2"\nhost = "h"\n',
  );
  const env = { HERMES_AGENT_MAX_SECONDS: '60' };
  const { out, status } = await hermes(['config', 'show'], { cwd, env });
  assert.equal(status, 0);
  assert.match(out, /^agent\.max_steps +4 +.*hermes_config\.toml$/m);
  assert.match(out, /^agent\.max_seconds +60 +HERMES_AGENT_MAX_SECONDS$/m);
  assert.match(out, /^memory\.recall_top_k +5 +default \(not read yet\)$/m);
  assert.match(out, /^models\.fast +"deepseek:x"/m);
  assert.match(out, /^tools\.mail\.password +"\*\*\*"/m);
  assert.ok(!out.includes('hunter2'));
  const rows = JSON.parse((await hermes(['config', 'show', '--json'], { cwd, env })).out);
  assert.deepEqual(
    rows.find((row: { key: string }) => row.key === 'agent.max_seconds'),
    {
      key: 'agent.max_seconds',
      value: 60,
      source: { origin: 'environment', name: 'HERMES_AGENT_MAX_SECONDS' },
      later: false,
    },
  );
});

test('tools: list, show, check with a bad file, a call by hand with its permission', async () => {
  const cwd = await folder();
  await mkdir(join(cwd, 'tools'));
  await writeFile(
    join(cwd, 'tools', 'greet.ts'),
    `import { tool } from 'hermes-agent';
     export default tool({ name: 'greet', description: '向某人问好。', level: 'read',
       input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
       execute: ({ name }: { name: string }) => '你好，' + name });`,
  );
  await writeFile(join(cwd, 'tools', 'broken.ts'), 'throw new Error("no luck");');
  const list = await hermes(['tools', 'list'], { cwd });
  assert.match(list.out, /^greet +read +向某人问好。$/m);
  assert.match(list.out, /^calculator +read/m);
  const check = await hermes(['tools', 'check'], { cwd });
  assert.equal(check.status, 1);
  assert.match(check.out, /broken\.ts.*no luck/);
  assert.match(check.out, /greet\.ts\n\{\n {2}"name": "greet",\n {2}"description": "向某人问好。"/);
  assert.match(check.out, /does not say when to use it.*no_when[\s\S]*no examples/);
  assert.doesNotMatch(check.out, /"name": "calculator"/);
  const usable = list.out.trim().split('\n').length - 1 - (list.out.match(/is not set up/g)?.length ?? 0);
  assert.match(check.err, new RegExp(`^tools that can be used: ${usable}, about \\d+ tokens in each request; problems: 1, hints: 2`));
  assert.match((await hermes(['tools', 'show', 'greet'], { cwd })).out, /"required"/);
  const near = await hermes(['tools', 'show', 'gret'], { cwd });
  assert.deepEqual([near.status, /greet/.test(near.err)], [2, true]);

  assert.equal((await hermes(['tools', 'call', 'greet', 'name=小王'], { cwd })).out, '你好，小王\n');
  assert.equal((await hermes(['tools', 'call', 'calculator', '{"expression": "2^10"}'], { cwd })).out, '{\n  "result": 1024\n}\n');
  const wrong = await hermes(['tools', 'call', 'calculator', 'expresion=1'], { cwd });
  assert.equal(wrong.status, 1);
  assert.match(wrong.err, /expression/);
  const unasked = await hermes(['tools', 'call', 'write_file', 'path=a.txt', 'content=x'], { cwd });
  assert.equal(unasked.status, 3);
  assert.match(unasked.err, /--allow write_file/);
  const silent = await hermes(['tools', 'call', 'ask_user', 'question=which?'], { cwd });
  assert.deepEqual(silent, {
    out: '',
    err: 'Error: nobody can be asked here\nNext: Run it in a terminal, where you can answer.\n',
    status: 3,
  });
  await writeFile(join(cwd, 'b.txt'), 'old');
  const refused = await hermes(['tools', 'call', 'edit_file', 'path=b.txt', 'old_text=old', 'new_text=x'], { cwd });
  assert.equal(refused.status, 1);
  assert.match(refused.err, /b\.txt was not read in this run/);
  assert.doesNotMatch(refused.err, /nobody could be asked/, 'it is refused before anybody is asked');
  const allowed = await hermes(['tools', 'call', 'write_file', 'path=a.txt', 'content=x', '--allow', 'write_file'], { cwd });
  assert.deepEqual([allowed.status, await readFile(join(cwd, 'a.txt'), 'utf8')], [0, 'x']);
});

test('completion: bash completes commands, sub-commands and options; zsh and fish scripts are printed', async () => {
  const cwd = await folder();
  const { out, status } = await hermes(['completion', 'bash'], { cwd });
  assert.equal(status, 0);
  const complete = (...words: string[]) => {
    const script = `${out}\nCOMP_WORDS=(hermes ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _hermes; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).trim().split('\n');
  };
  assert.deepEqual(complete('ru'), ['run', 'runs']);
  assert.ok(complete('runs', '').includes('verify'));
  assert.deepEqual(complete('run', '--ma'), ['--max-steps']);
  assert.deepEqual(complete('--lang', 'runs', 'sh'), ['show']);
  assert.match((await hermes(['completion', 'zsh'], { cwd })).out, /bashcompinit/);
  assert.match((await hermes(['completion', 'fish'], { cwd })).out, /__fish_seen_subcommand_from runs/);
});

test('models list and rm work on the folder of pulled models', async () => {
  const cwd = await folder();
  await mkdir(join(cwd, 'models'));
  await writeFile(join(cwd, 'models', 'mine.gguf'), 'not really');
  const env = { HERMES_MODELS: join(cwd, 'models') };
  const { out } = await hermes(['models', 'list', '--json'], { cwd, env });
  const rows = JSON.parse(out);
  const states = rows.map((row: { name: string; state: string }) => [row.name, row.state]).slice(0, 2);
  assert.deepEqual(states, [
    ['local:mine', 'here'],
    ['local:smollm2-135m', 'pullable'],
  ]);
  assert.equal((await hermes(['models', 'rm', 'mine'], { cwd, env })).status, 0);
  assert.deepEqual(await readdir(join(cwd, 'models')), []);
  assert.equal((await hermes(['models', 'rm', 'mine'], { cwd, env })).status, 2);
});

test('doctor says what is there, what is not, and the command that mends it', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, '.env'), 'DEEPSEEK_API_KEY=sk-0123456789abcdef\n');
  await chmod(join(cwd, '.env'), 0o644);
  const { env } = await modelServer([{ text: 'ok' }]);
  const good = await hermes(['doctor'], { cwd, env });
  assert.equal(good.status, 0, good.out);
  assert.match(good.out, /✓ model: openai-compatible:scripted/);
  assert.match(good.out, /✓ tools: \d+ can be used, not set up: 2, problems: 0\n/); // web_search and send_email
  assert.match(good.out, /✓ endpoint: 127\.0\.0\.1:\d+ can be reached/);
  assert.match(good.out, /! \.env: .*can be read by others\n {4}→ chmod 600/);
  assert.ok(!good.out.includes('sk-0123'), 'keys are never shown');
  const bad = await hermes(['doctor', '--json'], { cwd, env: { ...env, HERMES_MODEL_BASE_URL: 'http://127.0.0.1:9' } });
  assert.equal(bad.status, 1);
  const finding = JSON.parse(bad.out).find((one: { what: string }) => one.what === 'endpoint');
  assert.equal(finding.state, 'bad');
  assert.ok(finding.mend);
  await writeFile(join(cwd, 'hermes_config.toml'), '[agnet]\n');
  const broken = await hermes(['doctor', '--lang', 'zh'], { cwd });
  assert.equal(broken.status, 1);
  assert.match(broken.out, /✗ 配置：未知的配置项“agnet”/);
});

test('doctor looks for the endpoint by the way that requests take: proxies, also of .env, and past them for NO_PROXY', async () => {
  const cwd = await folder();
  const { env } = await modelServer([{ text: 'ok' }]);
  await writeFile(join(cwd, '.env'), 'HTTP_PROXY=http://127.0.0.1:1\n', { mode: 0o600 });
  const bad = await hermes(['doctor'], { cwd, env });
  assert.equal(bad.status, 1, bad.out);
  assert.match(bad.out, /✗ endpoint: 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED 127\.0\.0\.1:1\)/);
  await writeFile(join(cwd, '.env'), 'HTTP_PROXY=http://127.0.0.1:1\nNO_PROXY=127.0.0.1\n', { mode: 0o600 });
  const good = await hermes(['doctor'], { cwd, env });
  assert.match(good.out, /✓ endpoint: 127\.0\.0\.1:\d+ can be reached/);
});
