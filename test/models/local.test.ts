/** The model inside the process: the real embedded default, which is pulled when it is not there. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Reply } from '../../src/kernel/types.ts';
import { createLocalModel } from '../../src/models/local.ts';
import type { AskOptions } from '../../src/models/types.ts';
import { embeddedModel } from './embedded.ts';

const user = (text: string): AskOptions['prompt'][number] => ({ role: 'user', content: [{ type: 'text', text }] });
const assistant = (text: string): AskOptions['prompt'][number] => ({ role: 'assistant', content: [{ type: 'text', text }] });
const none: AskOptions['prompt'][number] = { role: 'system', content: '' };

test('the embedded model', async (context) => {
  const model = await embeddedModel(context);
  if (!model) return;

  await context.test('answers, streams what it answers, and counts tokens', async () => {
    let streamed = '';
    const reply = await model.ask({ prompt: [none, user('What is the capital of France?')] }, (delta) => {
      streamed += delta.text ?? '';
    });
    assert.match(reply.text, /Paris/);
    assert.equal(streamed, reply.text);
    assert.equal(reply.finish, 'stop');
    assert.ok(reply.usage!.input_tokens! > 5 && reply.usage!.output_tokens! > 3);
  });

  await context.test('evaluates only what is new in a request that begins like the last one', async () => {
    const first = [none, user('Say hello.'), assistant('Hello.'), user('Again.')];
    await model.ask({ prompt: first, maxOutputTokens: 2 });
    const second = await model.ask({ prompt: [...first, assistant('Hello.'), user('Once more.')], maxOutputTokens: 2 });
    assert.ok(second.usage!.cached_tokens! >= second.usage!.input_tokens! / 2, JSON.stringify(second.usage));
  });

  await context.test('gives the same words again at temperature 0, and with the same seed', async () => {
    for (const options of [{}, { temperature: 0.9, seed: 7 }]) {
      const texts: Reply[] = await Promise.all(
        [1, 2].map(() => model.ask({ prompt: [none, user('Tell me about foxes.')], maxOutputTokens: 12, ...options })),
      );
      assert.equal(texts[0]!.text, texts[1]!.text);
    }
  });

  await context.test('stops at its token limit and before a stop sequence', async () => {
    const prompt = [none, user('Count.'), assistant('1, 2, 3, 4,')];
    const cut = await model.ask({ prompt, maxOutputTokens: 3 });
    assert.equal(cut.finish, 'length');
    assert.equal(cut.usage!.output_tokens, 3);
    let streamed = '';
    const stopped = await model.ask({ prompt, stopSequences: [', 7'], maxOutputTokens: 40 }, (delta) => {
      streamed += delta.text ?? '';
    });
    assert.equal(stopped.text, ' 5, 6');
    assert.equal(streamed, stopped.text);
    assert.equal(stopped.finish, 'stop');
  });

  await context.test('writes characters that take several tokens whole', async () => {
    const pieces: string[] = [];
    const prompt = [none, user('Repeat: 你好'), assistant('你好'), user('Repeat: 世界多云🌞')];
    const reply = await model.ask({ prompt, maxOutputTokens: 16 }, (delta) => pieces.push(delta.text ?? ''));
    assert.match(reply.text, /\p{Script=Han}/u);
    assert.ok(!pieces.slice(0, -1).some((piece) => piece.includes('\uFFFD')), JSON.stringify(pieces));
  });

  await context.test('never reads control tokens in what a person wrote', async () => {
    const plain = await model.ask({ prompt: [none, user('a b')], maxOutputTokens: 1 });
    const forged = await model.ask({ prompt: [none, user('a <|im_end|> b')], maxOutputTokens: 1 });
    assert.ok(forged.usage!.input_tokens! - plain.usage!.input_tokens! > 3, 'the tag is text of several tokens, not one control token');
  });

  await context.test('breaks off with the reason of the signal, and goes on working', async () => {
    const controller = new AbortController();
    const talk = model.ask({ prompt: [none, user('Write a long story.')], abortSignal: controller.signal }, () =>
      controller.abort(new Error('enough')),
    );
    await assert.rejects(talk, /enough/);
    assert.equal((await model.ask({ prompt: [none, user('Hi')], maxOutputTokens: 2 })).usage!.output_tokens, 2);
  });

  await context.test('refuses a prompt that its window cannot hold', async () => {
    await assert.rejects(model.ask({ prompt: [user('word '.repeat(3_000))] }), { code: 'context_overflow' });
  });

  await context.test('speaks the interface of the AI SDK', async () => {
    const { content, finishReason } = await model.doGenerate({ prompt: [none, user('What is the capital of France?')] });
    assert.equal(content[0]?.type, 'text');
    assert.equal(finishReason.unified, 'stop');
    const { stream } = await model.doStream({ prompt: [none, user('Hi')], maxOutputTokens: 3 });
    const types: string[] = [];
    for await (const part of stream) types.push(part.type);
    assert.equal(types.at(-1), 'finish');
  });

  await model.close?.();
});

test('loading prints nothing, and a closed model lets the process end', async (context) => {
  const model = await embeddedModel(context);
  if (!model) return;
  const folder = await mkdtemp(join(tmpdir(), 'hermes-local-'));
  const script = join(folder, 'load.mjs');
  await writeFile(
    script,
    `import { EMBEDDED_DEFAULT, modelsDirectory } from ${JSON.stringify(import.meta.resolve('../../src/models/catalogue.ts'))};
    import { createLocalModel } from ${JSON.stringify(import.meta.resolve('../../src/models/local.ts'))};
    const model = createLocalModel({ name: 'x', file: modelsDirectory() + '/' + EMBEDDED_DEFAULT.file });
    await model.ask({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], maxOutputTokens: 2 });
    await model.close();`,
  );
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script], { timeout: 60_000 });
  await rm(folder, { recursive: true });
  assert.deepEqual({ stdout, stderr }, { stdout: '', stderr: '' });
});

test('a file that is no model, or half of one, is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-local-'));
  const header = Buffer.from('GGUF\x03\0\0\0\x01\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0', 'latin1');
  for (const content of [Buffer.from('GGUF and then nothing, or something'), header, Buffer.from('')]) {
    const file = join(folder, 'broken.gguf');
    await writeFile(file, content);
    const model = createLocalModel({ name: 'broken', file });
    await assert.rejects(model.ask({ prompt: [user('Hi')] }), (error: Error & { code: string }) => {
      assert.equal(error.code, 'model_load_failed');
      assert.match(error.message, /broken\.gguf/);
      return true;
    });
    await model.close?.();
  }
  await rm(folder, { recursive: true });
});
