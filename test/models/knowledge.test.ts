/** What is remembered about models across processes: merged, per endpoint and model, and never in the way. */

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { knownOf, learn } from '../../src/models/knowledge.ts';

function folder(t: TestContext): { env: NodeJS.ProcessEnv; file: string } {
  const directory = mkdtempSync(join(tmpdir(), 'hermes-known-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  return { env: { HERMES_MODELS: join(directory, 'models') }, file: join(directory, 'models', 'known.json') };
}
const subject = { baseURL: 'http://10.0.0.1/v1', model: '通义' };

test('facts are merged, and kept apart by endpoint and model', (t) => {
  const { env, file } = folder(t);
  assert.deepEqual(knownOf(subject, env), {});
  learn(subject, { habits: { refuses: ['seed'] } }, env);
  learn(
    { ...subject, baseURL: 'http://10.0.0.1/v1/' },
    { habits: { token_field: 'max_completion_tokens' }, abilities: { tools: false } },
    env,
  );
  learn({ ...subject, baseURL: 'http://10.0.0.1/v1?key=hunter2' }, {}, env);
  assert.doesNotMatch(readFileSync(file, 'utf8'), /hunter2/, 'a key in the query is not kept');
  learn({ ...subject, model: 'other' }, { test: { native: '3 of 3' } }, env);
  const { at, ...known } = knownOf(subject, env);
  assert.deepEqual(known, { habits: { refuses: ['seed'], token_field: 'max_completion_tokens' }, abilities: { tools: false } });
  assert.match(at ?? '', /^\d{4}-\d\d-\d\d$/);
  assert.deepEqual(knownOf({ ...subject, model: 'other' }, env).test, { native: '3 of 3' });
  assert.deepEqual(readdirSync(join(file, '..')), ['known.json'], 'no draft is left');
});

test('old knowledge is not believed', (t) => {
  const { env, file } = folder(t);
  learn(subject, { abilities: { tools: false } }, env);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\d{4}-\d\d-\d\d/, '2020-01-01'));
  assert.deepEqual(knownOf(subject, env), {});
});

test('a broken file is written anew; one that cannot be written is worked without', (t) => {
  const { env, file } = folder(t);
  learn(subject, { abilities: { images: false } }, env);
  for (const broken of ['{"half', '[]', 'null', '{"http://10.0.0.1/v1 通义": 7}', '{"http://10.0.0.1/v1 通义": null}']) {
    writeFileSync(file, broken);
    assert.deepEqual(knownOf(subject, env), {}, broken);
    learn(subject, { abilities: { tools: true } }, env);
    assert.deepEqual(knownOf(subject, env).abilities, { tools: true }, broken);
  }
  learn(subject, { habits: { refuses: ['seed'] } }, env);
  writeFileSync(file, readFileSync(file, 'utf8').replace('[', '5,"x":['));
  assert.deepEqual(knownOf(subject, env), {}, 'no habits that the client could live by');
  const blocked = { HERMES_MODELS: join(file, 'below-a-file') };
  learn(subject, { abilities: { tools: true } }, blocked);
  assert.deepEqual(knownOf(subject, blocked), {});
});
