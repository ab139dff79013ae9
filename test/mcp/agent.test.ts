/** MCP tools in runs: of a project that is trusted, in sub-agents, among many, and while they change. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from '../../src/agent/agent.ts';
import { loadConfig } from '../../src/agent/config.ts';
import { type OpenOptions, openAgent } from '../../src/agent/open.ts';
import type { JsonObject, RunEvent } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import type { AskOptions } from '../../src/models/types.ts';
import { selectTools } from '../../src/tools/select.ts';
import { atEnd, opened, own, temporaryFolder } from './rig.ts';

interface Project {
  trusted?: boolean;
  options?: OpenOptions;
  toml?: string;
}

async function project(t: TestContext, folder: string, mcpServers: JsonObject, { trusted = true, options = {}, toml }: Project = {}) {
  await writeFile(join(folder, '.mcp.json'), JSON.stringify({ mcpServers }));
  if (toml) await writeFile(join(folder, 'hermes_config.toml'), toml);
  const env = { HOME: folder, PATH: process.env.PATH, ...(trusted ? { HERMES_TRUST: '1' } : {}) };
  const agent = await openAgent(await loadConfig({ cwd: folder, env }), options);
  atEnd(t, () => agent.close());
  return agent;
}

const namesIn = (options: AskOptions) => (options.tools ?? []).map(({ name }) => name);

test('servers of a project join its tools; a call asks, what comes is untrusted, a dead server is named', async (t) => {
  const folder = await temporaryFolder(t);
  const told: string[] = [];
  const asked: string[] = [];
  const model = scriptedModel([{ calls: [{ name: 'mcp_72b977__echo', arguments: { text: '你好' } }] }, '完成。']);
  const { agent, tools } = await project(
    t,
    folder,
    { 回声: own('good'), gone: { command: 'no-such-program-of-anybody' } },
    {
      options: {
        model,
        onApproval: async ({ calls }) => asked.push(...calls.map(({ name }) => name)) > 0,
        onDiagnostic: ({ message }) => void told.push(message),
      },
    },
  );
  assert.ok(
    tools.some(({ info }) => info.name === 'calculator'),
    'beside those that are shipped',
  );
  assert.match(told.join('\n'), /"gone" cannot be started/);
  const ended: RunEvent<'tool.end'>[] = [];
  const onEvent = (event: RunEvent) => event.event_type === 'tool.end' && void ended.push(event as RunEvent<'tool.end'>);
  const outcome = await agent.run('回声：你好', { onEvent });
  assert.equal(outcome.status, 'success');
  assert.deepEqual(asked, ['mcp_72b977__echo']);
  assert.deepEqual(ended[0]!.data.result, { success: true, data: '你好' });
  assert.match(JSON.stringify(model.calls[1]!.prompt), /untrusted/i, 'the model reads it between the marks of its run');
});

test('a folder that nobody trusts starts no server; one that is switched off is none', async (t) => {
  const { tools } = await project(t, await temporaryFolder(t), { echo: own('good') }, { trusted: false });
  assert.ok(!tools.some(({ info }) => info.name.startsWith('echo__')));
  const off = await project(t, await temporaryFolder(t), { a: own('good'), b: own('good') }, { toml: '[mcp]\ndisabled = ["a"]\n' });
  assert.deepEqual(
    off.tools.map(({ info }) => info.name).filter((name) => name.includes('__')),
    ['b__echo'],
  );
});

test('a tool of a name that is taken is told; the project switches off what the user has, and wins where both name a server', async (t) => {
  const folder = await temporaryFolder(t);
  const told: string[] = [];
  await mkdir(join(folder, 'tools'));
  await writeFile(
    join(folder, 'tools', 'b__echo.ts'),
    '/** Says it again. */\nexport default function b__echo(text: string) { return text; }\n',
  );
  await mkdir(join(folder, '.config/hermes'), { recursive: true });
  const users = { a: own('good'), b: { command: 'no-such-program-of-anybody' }, c: own('good') };
  await writeFile(join(folder, '.config/hermes/mcp.json'), JSON.stringify({ mcpServers: users }));
  const { tools } = await project(
    t,
    folder,
    { a: { disabled: true, ...own('good') }, b: own('good') },
    { options: { onDiagnostic: ({ message }) => void told.push(message) } },
  );
  assert.deepEqual(
    tools.map(({ info }) => info.name).filter((name) => name.includes('__')),
    ['b__echo', 'c__echo'],
  );
  assert.deepEqual(
    told.filter((message) => message.includes('MCP')),
    ['the MCP tool b__echo is not used: another tool has its name; rename one of them, or the server'],
  );
});

test('tools that a server adds while a run is on its way are there in the next step', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'tools.json');
  const echo = { name: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
  await writeFile(file, JSON.stringify([echo]));
  const call = { calls: [{ name: 'live__echo', arguments: { text: 'x' } }] };
  const model = scriptedModel([
    call,
    async () => {
      await writeFile(file, JSON.stringify([echo, { ...echo, name: 'new' }]));
      await sleep(700); // the server looks at its file, tells, and is asked
      return { calls: [{ name: 'live__echo', arguments: { text: 'y' } }] };
    },
    { calls: [{ name: 'live__new', arguments: { text: '新工具' } }] },
    'done',
  ]);
  const { agent } = await project(t, folder, { live: own('good', file) }, { options: { model, onApproval: async () => true } });
  const changes: RunEvent[] = [];
  const outcome = await agent.run('go', { onEvent: (event) => event.event_type === 'run.change' && void changes.push(event) });
  assert.equal(outcome.status, 'success', JSON.stringify(outcome.error));
  assert.ok(!namesIn(model.calls[1]!).includes('live__new'));
  assert.ok(namesIn(model.calls[2]!).includes('live__new'));
  assert.deepEqual(outcome.toolCalls.map(({ name, success }) => [name, success]).at(-1), ['live__new', true]);
  assert.equal(changes.length, 1, 'and the log says so');
});

test('a server asks the person through the approval of calls; without anybody it hears no', async (t) => {
  const question = {
    message: '删除 3 个文件？',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean', default: true } }, required: ['sure'] },
  };
  const open = { ...question, requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };
  const calls = [question, open].map((one) => ({ calls: [{ name: 'ask__echo', arguments: { text: JSON.stringify(one) } }] }));
  const asked: string[] = [];
  const { agent } = await project(
    t,
    await temporaryFolder(t),
    { ask: own('ask') },
    {
      options: {
        model: scriptedModel([...calls, 'done']),
        onApproval: async ({ calls: [first] }) => asked.push(first!.reason ?? '') > 0,
      },
    },
  );
  const answers: string[] = [];
  await agent.run('go', { onEvent: (event) => event.event_type === 'tool.end' && void answers.push(JSON.stringify(event.data.result)) });
  assert.ok(asked.includes('删除 3 个文件？'));
  assert.match(answers[0]!, /accept.*sure.*true/);
  assert.match(answers[1]!, /decline/, 'a name is nothing that a yes could say');

  const alone = await opened(t, { ask: own('ask') }, { folder: await temporaryFolder(t) });
  const agentAlone = new Agent({ tools: alone.tools(), model: scriptedModel([calls[0]!, 'done']), permissions: { allow: ['*'] } });
  const outcome = await agentAlone.run('go', {
    onEvent: (event) => event.event_type === 'tool.end' && void answers.push(JSON.stringify(event.data.result)),
  });
  assert.equal(outcome.status, 'success');
  assert.match(answers[2]!, /decline|-32601|not supported/i);
});

test('a sub-agent has tools of servers; its untrusted results stay untrusted for the agent that asked it', async (t) => {
  const mcp = await opened(t, { echo: own('good') }, { folder: await temporaryFolder(t) });
  const helper = new Agent({
    tools: mcp.tools(),
    model: scriptedModel([{ calls: [{ name: 'echo__echo', arguments: { text: '从服务器来' } }] }, '它说：从服务器来']),
    permissions: { allow: ['echo__*'] },
  });
  const agent = new Agent({
    tools: [helper.asTool({ name: 'helper', description: 'Asks the server.' })],
    model: scriptedModel([{ calls: [{ name: 'helper', arguments: { request: 'ask it' } }] }, 'done']),
  });
  const ends: RunEvent<'tool.end'>[] = [];
  await agent.run('go', { onEvent: (event) => event.event_type === 'tool.end' && void ends.push(event as RunEvent<'tool.end'>) });
  assert.deepEqual(ends[0]!.data.result, { success: true, data: '它说：从服务器来' });
  assert.equal(ends[0]!.data.untrusted, true);
});

test('of 100 tools of five servers the right one is found, in both languages', async (t) => {
  const folder = await temporaryFolder(t);
  const nouns = [
    'issue',
    'branch',
    'release',
    'label',
    'milestone',
    'comment',
    'page',
    'table',
    'row',
    'file',
    'folder',
    'photo',
    'album',
    'song',
    'playlist',
    'event',
    'contact',
    'mail',
    'invoice',
  ];
  const subjects = ['github', 'notion', 'photos', 'music', 'office'];
  const wanted = [
    ['图库', { name: 'resize', description: '缩放图片到给定的宽度和高度。' }, '把这张图片缩放到 800 像素宽'],
    ['github', { name: 'merge_pull_request', description: 'Merges a pull request into its base branch.' }, 'please merge pull request 17'],
    ['music', { name: 'lyrics', description: 'Finds the words of a song.' }, 'what are the words of the song Yesterday'],
    ['office', { name: '订会议室', description: '预订一间会议室。' }, '帮我订明天下午的会议室'],
    [
      'notion',
      { name: 'search', description: 'Full-text search over all pages of the workspace.' },
      'search my workspace for pages about taxes',
    ],
  ] as const;
  const servers: JsonObject = {};
  for (const subject of [...subjects, '图库']) {
    const file = join(folder, `${subject}.json`);
    const plain = nouns.map((noun) => ({ name: `list_${noun}s_of_${subject}`, description: `Lists every ${noun} of ${subject}.` }));
    const special = wanted.filter(([server]) => server === subject).map(([, tool]) => tool);
    await writeFile(file, JSON.stringify(subject === '图库' ? special : [...plain, ...special]));
    servers[subject] = own('good', file);
  }
  const mcp = await opened(t, servers, { folder });
  const infos = mcp.tools().map(({ info }) => info);
  assert.equal(infos.length, 100);
  for (const [server, { name }, request] of wanted) {
    const top = selectTools(request, infos).slice(0, 8);
    assert.ok(
      top.some(({ tool }) => tool.keywords?.startsWith(`${server} ${name}`)),
      `${request}: ${top.map(({ tool }) => tool.name).join(' ')}`,
    );
  }
});
