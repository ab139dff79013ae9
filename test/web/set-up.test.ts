/** The tools that need setting up, through the program: listed with what they lack, and their secrets in no log. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hermes, newFolders } from '../cli/start.ts';

const folder = await newFolders();

test('hermes tools list says what a tool lacks, and a call of it the same', async () => {
  const cwd = await folder();
  const listed = await hermes(['tools', 'list', '--json'], { cwd });
  const rows = JSON.parse(listed.out) as { name: string; lacks?: string }[];
  const lacks = (name: string) => rows.find((row) => row.name === name)?.lacks;
  assert.match(String(lacks('web_search')), /^web_search is not set up: set \[tools\.web_search\] url or BRAVE_API_KEY/);
  assert.match(String(lacks('send_email')), /set \[tools\.send_email\] host, and \[tools\.send_email\] from$/);
  assert.deepEqual([lacks('weather'), lacks('web_fetch'), lacks('http_request')], [undefined, undefined, undefined]);
  const called = await hermes(['tools', 'call', 'web_search', 'query=x'], { cwd });
  assert.deepEqual([called.status, /web_search is not set up/.test(called.err)], [1, true]);
  const named = await hermes(['run', 'x', '--tools', 'web_search'], { cwd });
  assert.deepEqual([named.status, /web_search is not set up/.test(named.err)], [2, true]);
  const ready = await hermes(['tools', 'list'], { cwd, env: { TAVILY_API_KEY: 'x' } });
  assert.doesNotMatch(ready.out, /web_search is not set up/);
});

test('a password that a setting names is hidden in the log, and the name of its variable is not', async () => {
  const cwd = await folder();
  writeFileSync(
    join(cwd, 'hermes_config.toml'),
    '[tools.send_email]\nhost = "127.0.0.1"\nfrom = "me@example.com"\nuser = "me"\npassword_env = "MY_MAIL"\n',
  );
  writeFileSync(join(cwd, '.env'), 'MY_MAIL=verysecretword\n');
  const args = ['to=li@example.com', 'subject=verysecretword', 'body=MY_MAIL'];
  const { status, err } = await hermes(['tools', 'call', 'send_email', ...args, '--trust', '--allow', 'send_email'], { cwd });
  assert.equal(status, 3);
  assert.match(err, /a person has to agree to this call each time\nNext: .*no rule lets it run/, 'no option is named that would not help');
  const logs = join(cwd, '.hermes', 'logs');
  const text = readdirSync(logs, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => readFileSync(join(logs, name), 'utf8'))
    .join('');
  assert.ok(text.includes('"body":"MY_MAIL"') && !text.includes('verysecretword'));
});
