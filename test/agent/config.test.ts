/** The configuration through its door: real files in temporary folders, an environment of our own. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { type ConfigOptions, loadConfig } from '../../src/agent/config.ts';
import { KEYS, keysOf, type Section } from '../../src/agent/config-keys.ts';
import { HermesError } from '../../src/kernel/errors.ts';

const top = await mkdtemp(join(tmpdir(), 'hermes-config-'));
after(() => rm(top, { recursive: true, force: true }));

let count = 0;
let cwd = '';
let home = '';
beforeEach(async () => {
  home = join(top, `${++count}`, 'home');
  cwd = join(top, `${count}`, '项目 folder', 'deep');
  await mkdir(join(home, '.config', 'hermes'), { recursive: true });
  await mkdir(cwd, { recursive: true });
});

const load = (options: ConfigOptions = {}) => loadConfig({ cwd, ...options, env: { HOME: home, HERMES_TRUST: '1', ...options.env } });
const project = (text: string | Uint8Array, name = 'hermes_config.toml') => writeFile(join(cwd, '..', name), text);
const user = (text: string, name = 'hermes_config.toml') => writeFile(join(home, '.config', 'hermes', name), text);

async function failure(promise: Promise<unknown>): Promise<HermesError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HermesError, `a HermesError was expected, not ${error}`);
  assert.equal(error.kind, 'usage');
  assert.ok(error.next, 'the error says what to do next');
  return error;
}

test('without any file every value is a default and the working directory is the root', async () => {
  const config = await load();
  assert.equal(config.values.agent.max_steps, 10);
  assert.equal(config.values.agent.max_seconds, 300);
  assert.equal(config.values.tools.timeout_seconds, 15);
  assert.deepEqual(config.values.agent.tool_white_list, ['*']);
  assert.equal(config.values.memory.recall_min_score, 0.6);
  assert.equal(config.root, cwd);
  assert.equal(config.file, undefined);
  assert.ok(Object.values(config.sources).every((source) => source.origin === 'default'));
});

test('every default is a value that its own key accepts', () => {
  for (const section of Object.keys(KEYS) as Section[]) {
    for (const [name, key] of Object.entries(keysOf(section))) {
      assert.ok(key.default === undefined || key.accept(key.default) !== undefined, `${section}.${name}`);
      assert.ok(key.en.length > 0 && /\p{Script=Han}/u.test(key.zh), `${section}.${name} has its text in both languages`);
    }
  }
});

test('user < project < environment < options, and each value knows its source', async () => {
  await user('[agent]\nmax_steps = 1\nmax_seconds = 11\ntimezone = "Asia/Shanghai"\nsystem_prompt = "说中文"');
  await project('[agent]\nmax_steps = 2\nmax_seconds = 22\ntimezone = "Europe/Berlin"\n[models]\nfast = "deepseek:x"');
  const config = await load({
    env: { HERMES_AGENT_MAX_STEPS: '3', HERMES_AGENT_MAX_SECONDS: '33.5', HERMES_TOOLS_DISABLED: 'a, b' },
    overrides: [{ key: 'agent.max_steps', value: '4', option: '--max-steps' }],
  });
  assert.equal(config.values.agent.max_steps, 4);
  assert.equal(config.values.agent.max_seconds, 33.5);
  assert.equal(config.values.agent.timezone, 'Europe/Berlin');
  assert.equal(config.values.agent.system_prompt, '说中文');
  assert.deepEqual(config.values.tools.disabled, ['a', 'b']);
  assert.deepEqual(config.aliases, { fast: 'deepseek:x' });
  assert.deepEqual(config.sources['agent.max_steps'], { origin: 'option', name: '--max-steps' });
  assert.deepEqual(config.sources['agent.max_seconds'], { origin: 'environment', name: 'HERMES_AGENT_MAX_SECONDS' });
  assert.deepEqual(config.sources['agent.timezone'], { origin: 'project', name: config.file });
  assert.deepEqual(config.sources['agent.system_prompt'], { origin: 'user', name: config.userFile });
  assert.equal(config.root, join(cwd, '..'));
});

test('the same keys as JSON with --config, whose folder is the root', async () => {
  await mkdir(join(cwd, 'conf'));
  await writeFile(
    join(cwd, 'conf', 'x.json'),
    '\uFEFF{"model": {"provider": "openai", "temperature": 0.3}, "tools": {"weather": {"city": "杭州"}}}',
  );
  const config = await load({ file: 'conf/x.json' });
  assert.equal(config.values.model.provider, 'openai');
  assert.equal(config.values.model.temperature, 0.3);
  assert.deepEqual(config.toolSettings, { weather: { city: '杭州' } });
  assert.equal(config.root, join(cwd, 'conf'));
});

test('an unknown key or section is an error that names the nearest', async () => {
  const cases: [string, string][] = [
    ['[agent]\nmax_step = 3', 'max_steps'],
    ['[agnet]\nmax_steps = 3', 'agent'],
    ['[model]\nmax_steps = 3', '[agent] max_steps'],
    ['max_steps = 3', '[agent] max_steps'],
    ['[tools]\ntimeout_second = 3', 'timeout_seconds'],
    ['[memory]\nrecall_topk = 3', 'recall_top_k'],
  ];
  for (const [text, meant] of cases) {
    await project(text);
    const error = await failure(load());
    assert.equal(error.code, 'config_unknown_key', text);
    assert.equal(error.data.meant, meant, text);
    assert.ok(error.message.includes(meant) && error.message.includes('hermes_config.toml'), error.message);
  }
  await project('[model]\nzzzzzzzz = 1');
  assert.equal((await failure(load())).data.meant, undefined);
  await project('[model]\n__proto__ = "x"\nconstructor = 1');
  assert.equal((await failure(load())).code, 'config_unknown_key');
});

test('a bad value names the key, what was expected, what came and the file', async () => {
  const cases: [string, string, RegExp][] = [
    ['[agent]\nmax_steps = "ten"', 'agent.max_steps', /a whole number from 1 to 1000, not "ten" \(.*hermes_config\.toml\)/],
    ['[agent]\nmax_steps = 0', 'agent.max_steps', /not 0/],
    ['[agent]\nmax_steps = 1.5', 'agent.max_steps', /not 1\.5/],
    ['[model]\ntemperature = nan', 'model.temperature', /a number from 0 to 2/],
    ['[model]\nprotocol = "xml"', 'model.protocol', /one of auto, native, json, react, guided/],
    ['[agent]\ntimezone = "Mars/Base"', 'agent.timezone', /an IANA time zone/],
    ['[tools]\ndirectories = "tools"', 'tools.directories', /a list of texts/],
    ['[tools]\ndisabled = [1]', 'tools.disabled', /a list of texts/],
    ['[permissions]\nallow = ["shell", "foo bar("]', 'permissions.allow', /TOOL:PATTERN.*not \["shell","foo bar\("\]/],
    ['[permissions]\ndeny = ["Bash(git:*)"]', 'permissions.deny', /TOOL:PATTERN/],
    ['[permissions]\nask = "shell"', 'permissions.ask', /a list of rules/],
    ['[logging]\njson_lines = "true"', 'logging.json_lines', /true or false/],
    ['agent = 3', 'agent', /a section/],
    ['[models]\nfast = 3', 'models.fast', /deepseek/],
  ];
  for (const [text, key, message] of cases) {
    await project(text);
    const error = await failure(load());
    assert.equal(error.code, 'config_bad_value', text);
    assert.equal(error.data.key, key);
    assert.match(error.message, message);
  }
});

test('a key written where its name belongs is refused without repeating it', async () => {
  await project('[model]\napi_key_env = "sk-abcdef0123456789"');
  const error = await failure(load());
  assert.match(error.message, /name of an environment variable/);
  assert.ok(!JSON.stringify([error.message, error.data]).includes('sk-abcdef'));
  await project('[model]\nbroken = "sk-abcdef0123456789');
  const syntax = await failure(load());
  assert.equal(syntax.code, 'config_syntax');
  assert.match(syntax.message, /hermes_config\.toml:2:/);
  assert.ok(!JSON.stringify([syntax.message, syntax.data]).includes('sk-abcdef'));
});

test('files that are no configuration: one clear error each', async () => {
  await project(Uint8Array.of(0xff, 0xfe, 0x5b, 0x00));
  assert.match((await failure(load())).message, /not UTF-8/);
  await project('x = 1\n'.repeat(200_000));
  assert.match((await failure(load())).message, /too many/);
  await truncate(join(cwd, '..', 'hermes_config.toml'), 5e9);
  assert.match((await failure(load())).message, /5000000000 bytes are too many/, 'it is not read to find that out');
  await rm(join(cwd, '..', 'hermes_config.toml'));
  execFileSync('mkfifo', [join(cwd, '..', 'hermes_config.toml')]);
  assert.match((await failure(load())).message, /it is a pipe/, 'nobody waits for a writer');
  await rm(join(cwd, '..', 'hermes_config.toml'));
  await project('[1, 2]', 'list.json');
  assert.equal((await failure(load({ file: '../list.json' }))).code, 'config_syntax');
  await project('{"a": ', 'half.json');
  assert.equal((await failure(load({ file: '../half.json' }))).code, 'config_syntax');
  assert.equal((await failure(load({ file: 'absent.toml' }))).code, 'config_missing');
  assert.equal((await failure(load({ file: '.' }))).code, 'config_unreadable');
  await symlink('loop.toml', join(cwd, 'loop.toml'));
  assert.equal((await failure(load({ file: 'loop.toml' }))).code, 'config_unreadable');
});

test('variables: a near miss is an error, a stranger is left alone, a bad value names the variable', async () => {
  const near = await failure(load({ env: { HERMES_AGENT_MAX_STEP: '3' } }));
  assert.equal(near.data.meant, 'max_steps');
  await load({ env: { HERMES_SERVER_URL: 'x', HERMES_HOME: '/x', HERMES_DEBUG: '1', HERMES_MODELS: '/m', HERMES_TOOLS_SEARCH_URL: 'x' } });
  const bad = await failure(load({ env: { HERMES_AGENT_MAX_STEPS: 'viele' } }));
  assert.match(bad.message, /HERMES_AGENT_MAX_STEPS/);
  assert.equal((await load({ env: { HERMES_LOGGING_JSON_LINES: 'false' } })).values.logging.json_lines, false);
  assert.equal((await load({ env: { HERMES_LOGGING_LEVEL: 'debug' } })).values.logging.level, 'DEBUG');
  const option = await failure(load({ overrides: [{ key: 'agent.max_steps', value: '-1', option: '--max-steps' }] }));
  assert.match(option.message, /not "-1" \(--max-steps\)/);
});

test('.env: user < project < real environment; read into the map, never into the process', async () => {
  await user('DEEPSEEK_API_KEY=user\nOPENAI_API_KEY=user', '.env');
  await project(
    '\uFEFFexport DEEPSEEK_API_KEY="from project" # comment\r\nMOONSHOT_API_KEY=\'a#b\'\r\nHERMES_AGENT_MAX_STEPS=7\r\n',
    '.env',
  );
  await project('[agent]\nmax_steps = 5');
  const config = await load({ env: { MOONSHOT_API_KEY: 'real' } });
  assert.equal(config.env.DEEPSEEK_API_KEY, 'from project');
  assert.equal(config.env.OPENAI_API_KEY, 'user');
  assert.equal(config.env.MOONSHOT_API_KEY, 'real');
  assert.equal(config.values.agent.max_steps, 7);
  assert.equal(process.env.DEEPSEEK_API_KEY, undefined);
  await mkdir(join(cwd, '.env'));
  await writeFile(join(cwd, 'hermes_config.toml'), '');
  assert.equal((await load()).env.DEEPSEEK_API_KEY, 'user', 'a folder called .env is no settings file');
});
