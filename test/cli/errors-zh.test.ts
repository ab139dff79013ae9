/** What a Chinese reader is told of errors that arise in English: the headline, and a next step that names the thing. */

import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { KEYS, keysOf, type Section } from '../../src/agent/config-keys.ts';
import { inChinese, phraseInChinese } from '../../src/cli/errors-zh.ts';
import { isMessageKey } from '../../src/cli/messages.ts';
import { hermes, ownFolder } from './start.ts';

const cwd = await ownFolder();

async function told(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { out, err } = await hermes([...args, '--lang', 'zh'], { cwd, env });
  return out + err;
}

/** An endpoint that refuses every request with this message. */
async function refusing(status: number, message: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a vendor that answers in Chinese does not bring the English next step along', async () => {
  const expired = await told(['run', 'x'], {
    HERMES_MODEL_PROVIDER: 'deepseek',
    HERMES_MODEL_MODEL: 'deepseek-v4-pro',
    HERMES_MODEL_BASE_URL: await refusing(401, '令牌已过期'),
    DEEPSEEK_API_KEY: 'sk-12345678',
  });
  assert.match(expired, /错误：密钥已过期（deepseek at .*令牌已过期）\n下一步：申请新的密钥，并填入对应的环境变量。（DEEPSEEK_API_KEY）\n/);
});

test('the next step names the variable, the region, the model, the package', async () => {
  assert.match(await told(['run', '-m', 'deepseek:deepseek-v4-pro', 'x']), /缺少密钥.*\n下一步：.*DEEPSEEK_API_KEY/);
  assert.match(await told(['run', '-m', '@ai-sdk/nobody:x', 'x']), /没有安装这个包.*\n下一步：.*npm install @ai-sdk\/nobody/);
  assert.match(await told(['run', '-m', 'deepseak:x', 'x']), /未知的模型提供方.*\n下一步：.*"deepseek:x"/);
  const region = await told(['run', 'x'], {
    HERMES_MODEL_PROVIDER: 'moonshot',
    HERMES_MODEL_MODEL: 'kimi-k2.6',
    HERMES_MODEL_BASE_URL: await refusing(401, 'Invalid Authentication'),
    MOONSHOT_API_KEY: 'sk-12345678',
  });
  assert.match(region, /密钥无效.*\n下一步：.*MOONSHOT_API_KEY，--model moonshot-intl:kimi/);
});

test('every error that people can meet has its Chinese headline, and no headline is left of an error that is gone', async () => {
  const folder = resolve(import.meta.dirname, '../../src');
  const files = (await readdir(folder, { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('sql') && !file.endsWith('errors-zh.ts'),
  );
  const source = (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
  // Tools speak to models, and so do queries, which run in a process of their own; the others never leave the program.
  const forModels = ['cancelled', 'replay_differs', 'usage'];
  const made = [...source.matchAll(/new HermesError\(\s*'([a-z_]+)'([\s\S]*?)\)[;,]\n/g)].filter(
    ([, , rest]) => !rest!.includes("kind: 'tool'"),
  );
  assert.ok(made.length > 60, `${made.length} places were found`);
  const untold = made
    .map(([, code]) => code!)
    .filter((code) => !forModels.includes(code) && inChinese({ code, message: 'x' }).message === 'x' && !isMessageKey(`error.${code}`));
  assert.deepEqual([...new Set(untold)], []);
  const table = await readFile(join(folder, 'cli/errors-zh.ts'), 'utf8');
  const gone = [...table.matchAll(/^ {2}([a-z_]+): \[/gm)].map(([, code]) => code!).filter((code) => !source.includes(`'${code}'`));
  assert.deepEqual(gone, []);
});

test('so has every kind of diagnostic', async () => {
  const folder = resolve(import.meta.dirname, '../../src');
  const files = ['tools/scan', 'skills/scan', 'mcp/open', 'mcp/config', 'agent/mcp', 'agent/open', 'agent/skills'];
  const source = (await Promise.all(files.map((file) => readFile(join(folder, `${file}.ts`), 'utf8')))).join('\n');
  const made = [...source.matchAll(/\bcode: '([a-z_]+)'|\btell\('([a-z_]+)'/g)].map(([, one, two]) => (one ?? two)!);
  assert.ok(made.length > 12, `${made.length} places were found`);
  assert.deepEqual(
    made.filter((code) => inChinese({ code, message: 'x' }).message === 'x'),
    [],
  );
});

test('what a configuration key expects is told in Chinese', () => {
  for (const section of Object.keys(KEYS) as Section[]) {
    for (const [name, { expected }] of Object.entries(keysOf(section)))
      assert.notEqual(phraseInChinese(expected), expected, `${section}.${name}`);
  }
});

test('the nearest name is told in Chinese, too', async () => {
  assert.match(await told(['run', 'x', '--allow', 'writ_file']), /没有这个工具（.*"writ_file"）\n下一步：.*（write_file）\n/);
  assert.match(await told(['tools', 'show', 'writ_file']), /没有工具“writ_file”。是否想用 write_file？\n/);
});

test('what is wrong with the file of a tool is told in Chinese', async () => {
  await mkdir(join(cwd, 'tools'), { recursive: true });
  await writeFile(join(cwd, 'tools', '坏.ts'), 'export default 1;');
  assert.match(await told(['tools', 'check']), /坏\.ts: 文件中没有工具（expected the default export .*）/);
  await rm(join(cwd, 'tools'), { recursive: true });
});

test('what is told in Chinese already stays as it is', async () => {
  assert.match(await told(['models', 'pull', 'hf:x']), /^错误：应为 hf:OWNER[^（]*，而不是“hf:x”\n下一步：可用的写法：/);
  assert.match(await told(['doctor'], { HERMES_MODEL_PROVIDER: 'deepseek' }), /✗ 模型：缺少密钥（.*\n {4}→ 在环境变量.*DEEPSEEK_API_KEY/);
});

test('what doctor finds wrong is told in Chinese, too; a key to sign with is no key of a provider', async () => {
  const rules = await told(['doctor'], { HERMES_PERMISSIONS_ALLOW: ':x' });
  assert.match(
    rules,
    /✗ 配置：permissions\.allow 应为 规则列表，写法为 TOOL、TOOL:PATTERN 或 TOOL:ARGUMENT=PATTERN；.*":x".*\n {4}→ 请在该处修改/,
  );
  await writeFile(join(cwd, 'note.txt'), 'no key');
  await hermes(['tools', 'call', 'calculator', 'expression=1'], { cwd });
  assert.match(await told(['runs', 'sign', 'last', '--key', 'note.txt']), /错误：签名密钥无法使用（note\.txt holds no private/);
  assert.match(await told(['runs', 'verify', '--key', 'absent.pub']), /错误：签名密钥无法使用（absent\.pub cannot be read/);
});

test('a base_url that is meant for nobody in particular is not left out without a word', async () => {
  const env = { HERMES_MODEL_BASE_URL: await refusing(401, 'no'), DEEPSEEK_API_KEY: 'sk-12345678', HTTPS_PROXY: 'http://127.0.0.1:1' };
  assert.match(await told(['run', '-m', 'deepseek', 'x'], env), /! 未使用 base_url：须同时设置 provider = "deepseek"/);
});
