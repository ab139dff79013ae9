/** What the configuration says of tools and nobody reads: sections [tools.NAME] and rules with names that are nearly right. */

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Agent, builtInTools, tool } from '../../src/index.ts';
import { hermes, newFolders } from './start.ts';

const folder = await newFolders();

async function told(config: string, args: string[] = ['tools', 'list'], env: Record<string, string> = {}) {
  const cwd = await folder();
  writeFileSync(join(cwd, 'hermes_config.toml'), config);
  return { cwd, ...(await hermes(args, { cwd, env })) };
}

test('a setting that no tool reads is a fault of the configuration, with the nearest name and all there are', async () => {
  const wrong = await told('[tools.weather]\nunit = "imperial"\n');
  assert.equal(wrong.status, 2);
  assert.match(wrong.err, /weather has no setting "unit" \(.*hermes_config\.toml\)\. Did you mean units\?/);
  assert.match(wrong.err, /\[tools\.weather\] are: units, geocoding_url/);
  const chinese = await told('[tools.send_email]\nhost = "h"\npasword_env = "X"\n', ['tools', 'list'], { LANG: 'zh_CN.UTF-8' });
  assert.match(chinese.err, /send_email 没有设置项“pasword_env”.*password_env/);
  const none = await told('[tools.current_time]\nzone = "UTC"\n', ['tools', 'call', 'current_time']);
  assert.deepEqual([none.status, /current_time has no setting "zone"/.test(none.err)], [2, true]);
  const section = await told('[tools.send_mail]\nhost = "h"\n');
  assert.match(section.err, /Unknown configuration key "tools\.send_mail".*Did you mean send_email\?/);
});

test('what is right, or may be meant for another folder, is left alone', async () => {
  const lines = [
    '[tools]\ndisabled = ["shell"]',
    '[tools.shell]\nsandbox = false',
    '[tools.web_search]\nurl = "http://127.0.0.1:1"\nprovider = "searxng"',
    '[tools.sql_query.databases]\nshop = "shop.db"',
    '[tools.crm_of_another_folder]\nx = 1',
  ];
  const { status, err } = await told(`${lines.join('\n')}\n`);
  assert.deepEqual([status, err], [0, '']);
});

test('doctor tells it as what it is, and goes on', async () => {
  const { status, out } = await told('[tools.browser]\nallow_host = ["x"]\n', ['doctor', '--json']);
  const findings = JSON.parse(out) as { what: string; state: string; detail: string }[];
  const found = findings.find(({ what }) => what === 'tools');
  assert.deepEqual([status, found?.state, /browser has no setting "allow_host"/.test(found?.detail ?? '')], [1, 'bad', true]);
  assert.ok(findings.some(({ what }) => what === 'sandbox'));
});

test("a user's tool that says what it reads is held to it; one that does not is not", async () => {
  const cwd = await folder();
  mkdirSync(join(cwd, 'tools'));
  const source = (more: string) =>
    `import { tool } from 'hermes-agent';
     export default tool({ name: 'crm', description: 'CRM.', level: 'read', input: { type: 'object' }, ${more} execute: () => 1 });`;
  writeFileSync(join(cwd, 'hermes_config.toml'), '[tools.crm]\nregoin = "eu"\n');
  writeFileSync(join(cwd, 'tools', 'crm.ts'), source(''));
  assert.equal((await hermes(['tools', 'list'], { cwd })).status, 0);
  writeFileSync(join(cwd, 'tools', 'crm.ts'), source("needs: ['host', 'CRM_KEY'], settingNames: ['region'],"));
  const { status, err } = await hermes(['tools', 'list'], { cwd });
  assert.deepEqual([status, /Did you mean region\?/.test(err), /are: region, host\./.test(err)], [2, true, true]);
});

test('the library tells the same of toolSettings; a definition that names no names is told to its author', async () => {
  const tools = await builtInTools('weather');
  const make = (weather: object) => () => new Agent({ tools, toolSettings: { weather: { ...weather } } });
  assert.throws(make({ unit: 'imperial' }), { code: 'unknown_option', next: 'did you mean toolSettings.weather.units?' });
  assert.doesNotThrow(make({ units: 'imperial' }));
  const wrong = { name: 'a', description: 'A.', level: 'read', input: { type: 'object' }, execute: () => 1, settingNames: 'x' } as never;
  assert.throws(() => tool(wrong), /settingNames: expected a list of names, got "x"/);
});

test('a rule that can match no tool stops at once; one that is nearly a tool is told with each run', async () => {
  const broken = await told('[permissions]\nallow = ["foo bar("]\n', ['run', 'hello']);
  assert.deepEqual([broken.status, /permissions\.allow must be .*"foo bar\("/.test(broken.err)], [2, true]);
  const near = await told('[permissions]\ndeny = ["shel:*", "something_else", "notes_*"]\n', [
    'tools',
    'call',
    'calculator',
    'expression=1+1',
  ]);
  assert.match(near.out, /2/);
  const run = await told(
    '[model]\nprovider = "openai"\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n[permissions]\ndeny = ["shel:*", "something_else"]\n',
    ['run', 'hello'],
  );
  assert.match(run.err, /deny "shel:\*" matches no tool; did you mean shell\?/);
  assert.doesNotMatch(run.err, /something_else/);
});
