/** What a person agrees to when a tool comes from a file: its code as it lies there when it runs, and what that imports. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { skillsIn } from '../../src/agent/skills.ts';
import { Agent, type AgentOptions } from '../../src/index.ts';
import { createMemoryStore } from '../../src/journal/memory.ts';
import type { CallQuestion } from '../../src/kernel/types.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import { codeHash } from '../../src/tools/code-hash.ts';
import { scanTools } from '../../src/tools/scan.ts';

const TOOL = `import { tool } from 'hermes-agent';
import { act } from './lib/做.ts';
export default tool({ name: 'deploy', description: 'Deploys.', level: 'dangerous',
  input: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }, execute: ({ to }) => act(to) });`;
const lib = (word: string) => `export const act = (to: string): string => '${word} ' + to;`;

function folder(t: TestContext): { root: string; put(path: string, text: string): void } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'hermes-code-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  put('tools/deploy.ts', TOOL);
  put('tools/lib/做.ts', lib('sent to'));
  return { root, put };
}

async function scanned(t: TestContext, root: string) {
  const { tools, diagnostics } = await scanTools([join(root, 'tools')]);
  assert.deepEqual(diagnostics, []);
  t.after(() => Promise.all(tools.map((one) => one.close?.())));
  return tools;
}

const deploy = { calls: [{ name: 'deploy', arguments: { to: 'prod' } }] };

test('what it imports changes between question and answer: it is not run, and asked about anew; then the new code runs', async (t) => {
  const { root, put } = folder(t);
  const asked: CallQuestion[] = [];
  const options: AgentOptions = {
    model: scriptedModel([deploy, deploy, deploy, 'done']),
    tools: await scanned(t, root),
    workspace: root,
    onApproval: async ({ calls }) => {
      if (asked.push(...calls) === 2) put('tools/lib/做.ts', lib('stolen by'));
      return true;
    },
  };
  const results: unknown[] = [];
  await new Agent(options).run('deploy', {
    onEvent: ({ event_type, data }) =>
      event_type === 'tool.end' && results.push(data.result.success ? data.result.data : data.result.error.code),
  });
  assert.deepEqual(results, ['sent to prod', 'approval_outdated', 'stolen by prod']);
  assert.deepEqual(
    asked.map(({ reason, always }) => [/has changed since it was loaded/.test(reason ?? ''), always !== undefined]),
    [
      [false, true],
      [false, true],
      [true, false],
    ],
  );
});

test('a rule that allows the tool does not cover a file that changes while the program runs', async (t) => {
  const { root, put } = folder(t);
  let asked = 0;
  const agent = new Agent({
    model: scriptedModel([deploy, 'done', deploy, 'done']),
    tools: await scanned(t, root),
    workspace: root,
    permissions: { allow: ['deploy'] },
    onApproval: async () => ++asked < 0,
  });
  assert.equal((await agent.run('deploy')).toolCalls[0]?.success, true);
  put('tools/lib/做.ts', lib('stolen by'));
  assert.deepEqual([(await agent.run('deploy')).toolCalls[0]?.success, asked], [false, 1]);
});

test('"always" holds as long as the code is what it was; a rule that a person wrote holds for the name', async (t) => {
  const { root, put } = folder(t);
  const rules: string[] = [];
  const run = async (allow: string[]) => {
    let asked = 0;
    const agent = new Agent({
      model: scriptedModel([deploy, 'done']),
      tools: await scanned(t, root),
      workspace: root,
      permissions: { allow },
      onApproval: async ({ calls }) => {
        rules.push(...calls.flatMap(({ always = [] }) => always));
        return ++asked > 0;
      },
    });
    await agent.run('deploy');
    return asked;
  };
  assert.equal(await run([]), 1);
  const [rule = ''] = rules;
  assert.match(rule, /^deploy@[0-9a-f]{16}:to=prod$/);
  assert.equal(await run([rule]), 0);
  put('tools/lib/做.ts', lib('stolen by'));
  assert.equal(await run([rule]), 1);
  assert.equal(await run(['deploy:to=prod']), 0);
});

test('an answer to a question that slept while the code changed runs nothing', async (t) => {
  const { root, put } = folder(t);
  const store = createMemoryStore();
  const agent = async (replies: (typeof deploy | string)[]) =>
    new Agent({ model: scriptedModel(replies), tools: await scanned(t, root), workspace: root, store });
  const { runId, status } = await (await agent([deploy])).run('deploy');
  assert.equal(status, 'waiting_for_approval');
  put('tools/lib/做.ts', lib('stolen by'));
  const [question] = (await store.read(runId)).flatMap((event) => (event.event_type === 'approval.ask' ? [event.data.approval_id] : []));
  await store.inbox.put(runId, { event_type: 'approval.answer', data: { approval_id: question!, decision: 'approve', by: 'person' } });
  const outcome = await (await agent(['done'])).resume(runId);
  assert.equal(outcome.toolCalls[0]?.errorCode, 'approval_outdated');
});

test('so it is with a skill', async (t) => {
  const { root, put } = folder(t);
  const manifest = (name: string) =>
    `name: ${name}\ndescription: Deploys. Use it to deploy.\nlevel: dangerous\nparameters:\n  type: object\n  properties: { to: { type: string } }\nexamples:\n  - { request: go, arguments: { to: a } }\n  - { request: 部署, arguments: { to: b } }\n`;
  put('skills/deploy/skill.yaml', manifest('deploy'));
  put('skills/deploy/skill.ts', `import { act } from './做.ts'; export default ({ to }: { to: string }) => act(to);`);
  put('skills/deploy/做.ts', lib('sent to'));
  const { tools, diagnostics } = await skillsIn([join(root, 'skills')]);
  assert.deepEqual(diagnostics, []);
  t.after(() => Promise.all(tools.map((one) => one.close?.())));
  const asked: CallQuestion[] = [];
  const results: unknown[] = [];
  const agent = new Agent({
    model: scriptedModel([deploy, deploy, deploy, 'done']),
    tools,
    workspace: root,
    onApproval: async ({ calls }) => {
      if (asked.push(...calls) === 2) put('skills/deploy/做.ts', lib('stolen by'));
      return true;
    },
  });
  await agent.run('deploy', {
    onEvent: ({ event_type, data }) =>
      event_type === 'tool.end' && results.push(data.result.success ? data.result.data : data.result.error.code),
  });
  assert.deepEqual(results, ['sent to prod', 'approval_outdated', 'stolen by prod']);
});

test('what belongs to the code of a file: everything that it names by a path, in circles too; nothing of it throws or waits', (t) => {
  const { root, put } = folder(t);
  const file = join(root, 'tools/deploy.ts');
  put(
    'tools/deploy.ts',
    `import './a.ts'; const b = require("../b"); await import(\`./c/index.js\`); new URL('./data.json', import.meta.url); '\\0/x.ts';
    new Worker(new URL('thread.mjs', import.meta.url)); exec('./run.sh'); exec(['python3', 'lib/main.py']); import('file://${root}/d.ts');
    import './e%20f.ts'; require('./g'); import './linked.ts'; const pipe = './pipe.json';`,
  );
  put('far/linked.ts', `import './near.ts';`);
  symlinkSync(join(root, 'far/linked.ts'), join(root, 'tools/linked.ts'));
  execFileSync('mkfifo', [join(root, 'tools/pipe.json')]);
  const parts: Record<string, string> = {
    'tools/a.ts': `import './deploy.ts'; import './gone.ts'; import './${'x'.repeat(400)}.ts';`,
    'b.js': 'module.exports = 1;',
    'tools/c/index.js': '1',
    'tools/data.json': '{}',
    'tools/thread.mjs': '1',
    'tools/run.sh': 'ls',
    'tools/lib/main.py': '1',
    'd.ts': '1',
    'tools/e f.ts': '1',
    'tools/g/package.json': '{ "main": "h.js" }',
    'tools/g/h.js': '1',
    'far/near.ts': '1',
  };
  for (const [path, text] of Object.entries(parts)) put(path, text);
  const whole = codeHash([file]);
  assert.equal(codeHash([file]), whole);
  for (const [path, text] of Object.entries(parts)) {
    put(path, `${text} `);
    assert.notEqual(codeHash([file]), whole, path);
    put(path, text);
  }
  put('tools/other.ts', 'x');
  assert.equal(codeHash([file]), whole);
  rmSync(file);
  assert.notEqual(codeHash([file]), whole);
});
