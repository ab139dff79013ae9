/** The inference runtime of an installed package: not among its dependencies, brought beside the models. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

import { modelsDirectory } from '../../src/models/catalogue.ts';

const source = resolve(import.meta.dirname, '../../src');
let folder: string;

/** The parts that are needed, in a folder from which node-llama-cpp cannot be found: beside the models (temporary folders may have one above). */
before(async () => {
  await mkdir(dirname(modelsDirectory()), { recursive: true });
  folder = await mkdtemp(join(dirname(modelsDirectory()), 'runtime-test-'));
  for (const part of ['kernel', 'models']) await cp(join(source, part), join(folder, 'src', part), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(
    join(folder, 'try.ts'),
    `import { ensureRuntime, hasRuntime, loadRuntime } from './src/models/runtime.ts';
    const models = ${JSON.stringify(join(folder, 'models'))};
    const before = hasRuntime(models);
    const missing = await loadRuntime(models).then(() => 'none', (error) => error.code);
    const failed = await ensureRuntime(models).then(() => undefined, (error) => error.toData());
    const loaded = failed ? undefined : typeof (await loadRuntime(models)).getLlama;
    console.log(JSON.stringify({ before, missing, failed, loaded }));`,
  );
});
after(() => rm(folder, { recursive: true }));

async function attempt(environment: NodeJS.ProcessEnv = {}) {
  const { stdout } = await run(process.execPath, ['try.ts'], { cwd: folder, env: { ...process.env, ...environment } });
  return JSON.parse(stdout);
}

test('without npm the error says so, and nothing stays behind', async () => {
  const { before: wasThere, missing, failed } = await attempt({ PATH: dirname(folder) });
  assert.equal(wasThere, false);
  assert.equal(missing, 'runtime_missing');
  assert.equal(failed.code, 'runtime_install_failed');
  assert.match(failed.message, /npm/);
  assert.ok(failed.next);
  assert.deepEqual(await readdir(join(folder, 'models')), []);
});

test('npm brings the runtime with the binary of this platform only, and it loads', async (context) => {
  const { failed, loaded } = await attempt();
  if (failed && process.env.CI !== 'true') {
    context.skip(`npm cannot install it here: ${failed.message}`);
    return;
  }
  assert.deepEqual({ failed, loaded }, { loaded: 'function', failed: undefined });
  assert.deepEqual(await readdir(join(folder, 'models')), ['runtime']);
  assert.equal((await readdir(join(folder, 'models/runtime/node_modules/@node-llama-cpp'))).length, 1);
  assert.deepEqual(await attempt({ PATH: '' }), { before: true, missing: 'none', loaded: 'function' });
});
