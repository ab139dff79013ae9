/** Files as other programs write them, and names as providers take them. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readServers } from '../../src/mcp/config.ts';
import { toolNames } from '../../src/mcp/names.ts';
import { temporaryFolder } from './rig.ts';

/** As it is written in files: a dollar sign and braces. */
const variable = (name: string) => `$${`{${name}}`}`;

test('.mcp.json is read as other programs write it; a server that is written wrong costs itself', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, '.mcp.json');
  await writeFile(
    file,
    `\uFEFF${JSON.stringify({
      inputs: [],
      mcpServers: {
        time: { command: 'uvx', args: ['mcp-server-time', `--local-timezone=${variable('ZONE:-Asia/Shanghai')}`], alwaysAllow: ['x'] },
        天气: {
          type: 'http',
          url: `https://${variable('HOST')}/mcp`,
          headers: { Authorization: `Bearer ${variable('TOKEN')}` },
          oauth: { clientId: 'me' },
        },
        old: { type: 'sse', url: 'http://127.0.0.1:1/sse' },
        plain: { url: 'http://127.0.0.1:1/mcp' },
        off: { command: 'x', disabled: true },
        unset: { command: variable('NOBODY') },
        empty: {},
        ftp: { url: 'ftp://x' },
        args: { command: 'x', args: 'a b' },
        text: 'x',
        editor: {
          type: 'streamableHttp',
          url: `http://127.0.0.1:1/${variable('env:HOST')}`,
          headers: { at: variable('workspaceFolder'), home: variable('userHome') },
          autoApprove: [],
        },
        asks: { command: 'x', env: { KEY: variable('input:key') } },
        lines: { url: 'http://127.0.0.1:1/', headers: { Authorization: 'Bearer sk-1\nsk-2' } },
        port: { command: 'x', env: { PORT: 3000 } },
        foreign: { serverUrl: 'http://127.0.0.1:1/' },
      },
    })}`,
  );
  const env = { HOST: 'example.org', TOKEN: 'secret-token', ZONE: '', HOME: '/home/me' };
  const { servers, off, diagnostics } = await readServers(file, { env, root: folder, disabled: ['plain'], trusted: ['time'] });
  assert.deepEqual(
    servers.map(({ name, trusted, transport }) => ({ name, trusted, transport })),
    [
      {
        name: 'time',
        trusted: true,
        transport: { type: 'stdio', command: 'uvx', args: ['mcp-server-time', '--local-timezone=Asia/Shanghai'], env: {}, cwd: folder },
      },
      {
        name: '天气',
        trusted: false,
        transport: {
          type: 'http',
          url: 'https://example.org/mcp',
          headers: { Authorization: 'Bearer secret-token' },
          oauth: { clientId: 'me' },
        },
      },
      { name: 'old', trusted: false, transport: { type: 'sse', url: 'http://127.0.0.1:1/sse', headers: {} } },
      {
        name: 'editor',
        trusted: false,
        transport: { type: 'http', url: 'http://127.0.0.1:1/example.org', headers: { at: folder, home: '/home/me' } },
      },
    ],
  );
  assert.deepEqual(off, ['plain', 'off']);
  const told = diagnostics.map(({ message }) => message);
  assert.deepEqual(told, [
    `the server "unset": the variable NOBODY is not set; set it, or write ${variable('NOBODY:-FALLBACK')}`,
    'the server "empty": expected command (a program to start) or url (an address)',
    'the server "ftp": url: expected an address that begins with http:// or https://',
    'the server "args": args: expected a list of texts',
    'the server "text": expected command (a program to start) or url (an address)',
    `the server "asks": ${variable('input:key')} is asked for by editors only; write a variable of the environment, ${variable('VAR')}`,
    'the server "lines": headers.Authorization: expected one line without letters of other scripts',
    'the server "port": env.PORT: expected a text',
    'the server "foreign": expected command (a program to start) or url (an address)',
  ]);
});

test('no file is no server; a broken one is told without quoting it', async (t) => {
  const folder = await temporaryFolder(t);
  const options = { env: {}, root: folder };
  assert.deepEqual(await readServers(join(folder, '.mcp.json'), options), { servers: [], off: [], diagnostics: [] });
  const noComments = 'JSON has no comments, and no comma before } or ]';
  for (const [text, message] of [
    ['{"mcpServers": {"a": {"env": {"KEY": "sk-1"', `it is no JSON (line 1 column 44); ${noComments}`],
    ['{\n  // 我的服务器\n  "mcpServers": {}\n}', `it is no JSON (line 2 column 3); ${noComments}`],
    ['{"mcpServers": {\n  "a": {"command": "sk-1",}\n}}', `it is no JSON (line 2 column 27); ${noComments}`],
    ['', `it is no JSON (it ends too early); ${noComments}`],
    ['{}', 'expected { "mcpServers": { NAME: { "command": ... } } }'],
    ['{"servers": {}, "inputs": []}', 'expected { "mcpServers": { NAME: { "command": ... } } }, got "servers"'],
  ] as const) {
    await writeFile(join(folder, '.mcp.json'), text);
    const { diagnostics } = await readServers(join(folder, '.mcp.json'), options);
    assert.deepEqual(
      diagnostics.map((one) => one.message),
      [message],
    );
  }
});

test('names: prefixed, of letters that every provider takes, unique, the same every time', () => {
  const servers = [
    { name: 'github', tools: ['create_issue', 'create-issue', 'x'.repeat(70), '提交', '提问'] },
    { name: '时间', tools: ['now'] },
    { name: '天气', tools: ['now'] },
    { name: 'my server', tools: ['a.b', 'a b'] },
    { name: 'my_server', tools: ['a_b'] },
    { name: '1st', tools: ['go'] },
    { name: 'a-name-that-is-much-longer-than-others', tools: ['go'] },
    { name: 'a-name-that-is-much-longer-than-yours', tools: ['go'] },
  ];
  const names = toolNames(servers);
  const all = [...names.values()].flatMap((tools) => [...tools.values()]);
  assert.equal(
    all.length,
    servers.reduce((sum, { tools }) => sum + tools.length, 0),
  );
  assert.equal(new Set(all).size, all.length, all.join(' '));
  for (const name of all) assert.match(name, /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
  assert.equal(names.get('github')!.get('create_issue'), 'github__create_issue');
  assert.equal(names.get('github')!.get('create-issue'), 'github__create-issue');
  assert.deepEqual(toolNames(servers), names);
});
