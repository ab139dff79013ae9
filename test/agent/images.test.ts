/** Images through the library's front door: given in many ways, seen in their own round, kept in words afterwards. */

import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { describeImages, withoutImages } from '../../src/agent/images.ts';
import { replayRun } from '../../src/agent/replay.ts';
import { Agent, HermesError } from '../../src/index.ts';
import { readHistory } from '../../src/journal/history.ts';
import { verifyRun } from '../../src/journal/verify.ts';
import { apply, next } from '../../src/kernel/kernel.ts';
import type { RunEvent, State } from '../../src/kernel/types.ts';
import type { AskOptions } from '../../src/models/types.ts';
import { createMemoryStore, scriptedModel } from '../../src/testing.ts';

const folder = await mkdtemp(join(tmpdir(), 'hermes-images-'));
after(() => rm(folder, { recursive: true, force: true }));
await mkdir(join(folder, '我的 图片'));

const noise = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 40 } } });
const png = await noise(320, 240).png().toBuffer();
const photo = await noise(3000, 2000).jpeg().toBuffer();
const image = join(folder, '我的 图片', '截图 1.png');
await writeFile(image, png);

/** What of the last message of a request is an image: name, type, bytes. */
function seen({ prompt }: AskOptions, at = -1): { name: string | undefined; type: string; bytes: Buffer }[] {
  const { content } = prompt.at(at)!;
  if (typeof content === 'string') return [];
  return content.flatMap((part) =>
    part.type === 'file' && part.data.type === 'data'
      ? [{ name: part.filename, type: part.mediaType, bytes: Buffer.from(part.data.data as string, 'base64') }]
      : [],
  );
}
const text = ({ prompt }: AskOptions) => JSON.stringify(prompt);
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HermesError && error.next, `${error}`);
  return `${error.code}: ${error.message}`;
}

test('a path, an address, bytes, base64 and a data: URL are the same image; texts go along as they are', async () => {
  const model = scriptedModel(['a picture']);
  const base64 = png.toString('base64');
  const files = [
    image,
    pathToFileURL(image),
    { name: 'bytes', data: png },
    { name: 'base64', data: base64 },
    { name: 'url', data: `data:image/png;base64,${base64}` },
    { name: 'wrong.txt', data: new Uint8Array(png), media_type: 'text/plain' },
    { name: 'notes.png', data: Buffer.from('只是文字') },
    { name: 'code', data: 'iVBORw0K is how a PNG begins' },
    { name: 'drawing.svg', data: '<svg/>', media_type: 'image/svg+xml' },
  ];
  const outcome = await new Agent({ model }).run('这是什么？', { files });
  assert.equal(outcome.status, 'success');
  const images = seen(model.calls[0]!);
  assert.deepEqual(
    images.map(({ name }) => name),
    ['截图 1.png', '截图 1.png', 'bytes', 'base64', 'url', 'wrong.txt'],
  );
  assert.ok(images.every(({ type, bytes }) => type === 'image/png' && bytes.equals(png)));
  assert.ok(
    text(model.calls[0]!).includes('只是文字') &&
      text(model.calls[0]!).includes('iVBORw0K is how') &&
      text(model.calls[0]!).includes('<svg/>'),
  );
});

test("an image is scaled to the model's own limits, else to what most models take", async () => {
  const limits = { abilities: { images: { max_edge: 500, max_bytes: 30_000 } } };
  for (const [abilities, edge, most] of [
    [limits, 500, 30_000],
    [{}, 1568, 3_932_160],
  ] as const) {
    const model = Object.assign(scriptedModel(['ok']), abilities);
    await new Agent({ model }).run('?', { files: [{ name: 'photo', data: photo }] });
    const [{ bytes } = { bytes: Buffer.alloc(0) }] = seen(model.calls[0]!);
    const { width = 0, format } = await sharp(bytes).metadata();
    assert.ok(width <= edge && bytes.length <= most && format === 'jpeg', `${width} ${bytes.length} ${format}`);
  }
});

test('what cannot be used is refused by name before the run begins', async () => {
  const store = createMemoryStore();
  const agent = new Agent({ model: scriptedModel([]), store });
  const given = [
    [join(folder, '没有.png'), /^file_unreadable: .*没有\.png cannot be read/],
    [folder, /^file_unreadable/],
    ['/dev/zero', /^file_too_large|^file_unreadable/],
    [{ name: '空.png', data: Buffer.alloc(0) }, /^file_empty: 空\.png/],
    [{ name: 'half.png', data: png.subarray(0, 500) }, /^image_broken: half\.png/],
    [{ name: 'said.png', data: 'AAEC/w==', media_type: 'image/png' }, /^file_binary: said\.png/],
    [{ name: 'x.bin', data: Buffer.from([1, 0, 2]) }, /^file_binary: x\.bin/],
    [{ name: 'gbk.txt', data: Buffer.from([0xc4, 0xe3]) }, /^file_not_text: gbk\.txt/],
    [{ name: 'huge.png', data: Buffer.concat([png, Buffer.alloc(50_000_000)]) }, /^file_too_large: huge\.png/],
  ] as const;
  for (const [file, expected] of given) assert.match(await refusal(agent.run('?', { files: [file] })), expected);
  assert.deepEqual(await store.list({ limit: 10 }), []);
});

test('the log holds the prepared image by its hash: no line of megabytes, and the run verifies', async () => {
  const store = createMemoryStore();
  const { runId } = await new Agent({ model: scriptedModel(['ok']), store }).run('?', { files: [{ name: 'photo', data: photo }] });
  const lines = await store.lines(runId);
  assert.ok(
    lines.every((line) => line.length < 4000),
    `${Math.max(...lines.map((line) => line.length))}`,
  );
  assert.deepEqual((await verifyRun(store, runId)).problems, []);
  const [file] = (await readHistory(store, runId)).state.messages.flatMap((message) =>
    message.role === 'user' ? (message.files ?? []) : [],
  );
  assert.equal((await sharp(Buffer.from(file!.data, 'base64')).metadata()).width, 1568);
});

test('a model that cannot see: people are told, and the same messages give the same words', async () => {
  const model = Object.assign(scriptedModel(['ok'], { id: 'blind:model' }), { abilities: { images: false as const } });
  const events: RunEvent[] = [];
  const store = createMemoryStore();
  const files = [
    { name: '图.png', data: png },
    { name: 'a.txt', data: 'text' },
  ];
  const { runId } = await new Agent({ model, store }).run('看看', { files, onEvent: (event) => events.push(event) });
  const notes = events.flatMap((event) => (event.event_type === 'run.note' ? [event.data] : []));
  assert.match(notes.find(({ code }) => code === 'images_unseen')?.message ?? '', /blind:model 看不到图片.*--model/);
  assert.ok(seen(model.calls[0]!).length === 0 && text(model.calls[0]!).includes('当前模型看不到图片'), 'so is the model');
  const { state } = await readHistory(store, runId);
  const [message] = withoutImages(state).messages;
  assert.deepEqual(message?.role === 'user' && message.files, [
    { name: '图.png', media_type: 'text/plain', data: '[图片 图.png, 320x240 PNG：当前模型看不到图片]' },
    { name: 'a.txt', media_type: 'text/plain', data: 'text' },
  ]);
  assert.equal(withoutImages({ ...state }).messages[0], message);
  assert.equal(withoutImages(state).messages[1], state.messages[1]);
  const plain = { ...state, messages: state.messages.slice(1) };
  assert.equal(withoutImages(plain), plain);
});

const usage = { input_tokens: 1000, output_tokens: 50 };
/** Two rounds in a session, the first with an image; the second is described by `described`. */
async function talk(described: Parameters<typeof scriptedModel>[0][number]) {
  const store = createMemoryStore();
  const model = scriptedModel(['It is a cat.', described, 'Black.', 'Bye.']);
  const session = new Agent({ model, store }).session();
  const first = await session.run('What is this?', {
    files: [
      { name: 'cat.png', data: png },
      { name: 'a.txt', data: 'a text' },
    ],
  });
  const events: RunEvent[] = [];
  const second = await session.run('Which colour has it?', { onEvent: (event) => events.push(event) });
  return { store, model, session, first, second, events };
}

test('in the next round a description stands in place of the image; its call knows the question and is counted', async () => {
  const { model, session, second, events } = await talk({ text: 'A black cat, "Tom 12" on its collar.', usage });
  const [first, asked, thought] = model.calls;
  assert.deepEqual([seen(first!).length, seen(asked!).length, seen(thought!, 1).length], [1, 1, 0]);
  assert.match(text(asked!), /cat\.png:.*Which colour has it\?/);
  assert.match(text(thought!), /image cat\.png, 320x240 PNG, given in an earlier round.*It shows:.*Tom 12/);
  assert.ok(text(thought!).includes('a text'), 'other files stay');
  assert.deepEqual([second.status, second.answer, second.usage.inputTokens, second.usage.outputTokens], ['success', 'Black.', 1000, 50]);
  const compact = events.find((event) => event.event_type === 'memory.compact');
  assert.ok(compact?.event_type === 'memory.compact' && compact.data.tokens_after < compact.data.tokens_before - 1400);
  assert.ok(text(thought!).length < text(first!).length / 10, `${text(first!).length} -> ${text(thought!).length} characters`);
  await session.run('Thanks');
  assert.equal(model.calls.length, 4, 'described once only');
  assert.ok(text(model.calls[3]!).includes('Tom 12'));
});

test('a description that could not be had: name, size and type stay, and the run goes on', async () => {
  const refused = new HermesError('images_not_supported', 'no images here', { kind: 'model' });
  for (const described of ['', { error: refused }]) {
    const { second, model } = await talk(described);
    assert.deepEqual([second.status, second.answer], ['success', 'Black.']);
    const said = text(model.calls[2]!);
    assert.ok(
      /image cat\.png, 320x240 PNG, given in an earlier round and not shown again\]/.test(said) && !said.includes('It shows'),
      said,
    );
  }
});

test('a blind model is not asked to describe', async () => {
  const model = Object.assign(scriptedModel(['?', 'ok']), { abilities: { images: false as const } });
  const session = new Agent({ model }).session();
  await session.run('What is this?', { files: [{ name: 'cat.png', data: png }] });
  assert.equal((await session.run('And now?')).answer, 'ok');
  assert.equal(model.calls.length, 2);
});

test('the round with a description replays, and goes on from a crash at any point of it', async () => {
  const { store, second } = await talk('A black cat.');
  const replayed = await replayRun(store, second.runId, []);
  assert.deepEqual([replayed.ok, replayed.difference, replayed.stopped], [true, undefined, undefined]);
  const { events } = await readHistory(store, second.runId);
  const decided: string[] = [];
  for (const { seq } of events.slice(0, 4)) {
    const { state } = await readHistory(store, second.runId, seq);
    const event = { ...events[0]!, seq: seq + 1, event_type: 'run.resume', data: {} } as RunEvent;
    decided.push(next(apply(state, event), { permit: () => ({ decision: 'allow', reason: '' }), beforeThink: [describeImages] }).do);
  }
  assert.deepEqual(decided, ['perform', 'perform', 'record', 'think']);
});

test('a fork with another request still sees the image of its round; a fork of the next round describes it anew', async () => {
  const { store, first, second } = await talk('A black cat.');
  const other = scriptedModel(['It is black.']);
  const agent = new Agent({ model: other, store });
  assert.equal((await agent.fork(first.runId, { request: 'And its colour?' })).answer, 'It is black.');
  assert.equal(seen(other.calls[0]!, 1).length, 1);
  const again = scriptedModel(['A dark cat.', 'Dark.']);
  const forked = await new Agent({ model: again, store }).fork(second.runId, { at: 1 });
  assert.equal(forked.answer, 'Dark.');
  assert.ok(text(again.calls[1]!).includes('A dark cat.'));
  const { state }: { state: State } = await readHistory(store, forked.runId);
  assert.ok(!JSON.stringify(state.messages).includes('"image/png"'));
});
