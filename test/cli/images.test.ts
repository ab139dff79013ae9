/** Images on the command line: -f, a pipe, paths in a talk; a real model server looks at what arrives. */

import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import sharp from 'sharp';
import { attachImages } from '../../src/cli/attach.ts';
import { type ModelServer, modelServer } from './server.ts';
import { hermes, newFolders, noTerminal, onScreen } from './start.ts';

const folder = await newFolders('图 ');
const png = await sharp({ create: { width: 64, height: 48, channels: 3, background: '#0a0' } })
  .png()
  .toBuffer();
const photo = await sharp({
  create: { width: 4000, height: 3000, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 30 } },
})
  .withMetadata({ orientation: 6 })
  .jpeg()
  .toBuffer();

type Part = { type: string; text?: string; image_url?: { url: string } };
/** The images of the last message of a request, decoded from their data: URLs, and its texts. */
async function received({ requests }: ModelServer, at = -1) {
  const parts = requests.at(at)!.messages.at(-1)!.content as Part[] | string;
  if (typeof parts === 'string') return { images: [], text: parts };
  const urls = parts.flatMap(({ image_url }) => (image_url ? [image_url.url] : []));
  const images = urls.map(async (url) => {
    const [, type, base64 = ''] = /^data:image\/(\w+);base64,(.+)$/.exec(url) ?? [];
    const { width, height, format } = await sharp(Buffer.from(base64, 'base64')).metadata();
    assert.equal(type, format);
    return { width, height, bytes: base64.length };
  });
  return { images: await Promise.all(images), text: parts.map(({ text = '' }) => text).join('\n') };
}

test('-f takes images and texts in any order, whatever their names say; large ones arrive upright and within the limits', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, '照片 1.txt'), photo);
  await writeFile(join(cwd, '说明.png'), '这是说明文字');
  await writeFile(join(cwd, 'small'), png);
  const server = await modelServer([{ text: '两张图' }]);
  const { out, err, status } = await hermes(['run', '看图', '-f', '照片 1.txt', '-f', '说明.png', '-f', 'small'], { cwd, env: server.env });
  assert.deepEqual([out, status], ['两张图\n', 0], err);
  const { images, text } = await received(server);
  assert.deepEqual(
    images.map(({ width, height }) => [width, height]),
    [
      [1176, 1568],
      [64, 48],
    ],
  );
  assert.ok(images.every(({ bytes }) => bytes <= 5 * 1024 * 1024) && text.includes('这是说明文字'));
});

test('an image through a pipe is an attachment; as the request itself it is refused', async () => {
  const cwd = await folder();
  const server = await modelServer([{ text: 'green' }]);
  const { out } = await hermes(['run', 'which colour?'], { cwd, env: server.env, input: png });
  assert.equal(out, 'green\n');
  assert.deepEqual((await received(server)).images[0]?.width, 64);
  const refused = await hermes(['run', '-'], { cwd, env: server.env, input: png });
  assert.match(refused.err, /standard input is an image/);
  assert.equal(refused.status, 2);
});

test('a broken, empty, foreign or huge image is one line with its name and what to do, in both languages', async () => {
  const cwd = await folder();
  const { env, requests } = await modelServer([{ text: 'never' }]);
  const bomb = Buffer.from(png);
  bomb.writeUInt32BE(50_000, 16);
  bomb.writeUInt32BE(50_000, 20);
  const files: Record<string, [Buffer, RegExp, RegExp]> = {
    '断.png': [png.subarray(0, 60), /断\.png is a broken image/, /断\.png 是损坏的图片/],
    '空.jpg': [Buffer.alloc(0), /空\.jpg is empty/, /空\.jpg 是空文件/],
    'bomb.png': [bomb, /bomb\.png is too large an image: 50000x50000/, /bomb\.png 太大：50000x50000/],
    'a.heic': [
      Buffer.from(`\0\0\0\x18ftypheic\0\0\0\0mif1heic${'\0'.repeat(99)}`, 'latin1'),
      /a\.heic is a HEIC image/,
      /a\.heic 是 HEIC 图片/,
    ],
  };
  for (const [name, [bytes, english, chinese]] of Object.entries(files)) {
    await writeFile(join(cwd, name), bytes);
    for (const [lang, expected] of [
      ['en', english],
      ['zh', chinese],
    ] as const) {
      const { err, status } = await hermes(['run', 'x', '-f', name, '--lang', lang], { cwd, env });
      assert.match(err, expected);
      assert.deepEqual([status, err.trimEnd().split('\n').length], [2, 2], err);
    }
  }
  assert.equal(requests.length, 0);
});

test('without sharp a small image passes and a large one names the command that helps', async () => {
  const cwd = await folder();
  const hook = `import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === 'sharp') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    } });`;
  await writeFile(join(cwd, 'hook.mjs'), hook);
  await writeFile(join(cwd, 'small.png'), png);
  await writeFile(join(cwd, 'large.jpg'), photo);
  const server = await modelServer([{ text: 'ok' }]);
  const env = { ...server.env, NODE_OPTIONS: `--import=${pathToFileURL(join(cwd, 'hook.mjs')).href}` };
  assert.equal((await hermes(['run', 'x', '-f', 'small.png'], { cwd, env })).status, 0);
  assert.equal((await received(server)).images.length, 1);
  const { err, status } = await hermes(['run', 'x', '-f', 'large.jpg'], { cwd, env });
  assert.match(err, /large\.jpg has to be made smaller.*\nNext: npm install sharp@[\d.]+\n/);
  assert.equal(status, 2);
});

test('paths in what is typed: bare, quoted, escaped, as addresses, beside Chinese words; what is no image stays text', async () => {
  const cwd = await folder();
  await mkdir(join(cwd, 'my dir'));
  const image = join(cwd, 'my dir', '截图 1.png');
  const other = join(cwd, 'b.dat');
  await writeFile(image, png);
  await writeFile(other, png);
  await writeFile(join(cwd, 'text.png'), 'no image');
  const escaped = image.replaceAll(' ', '\\ ');
  const cases: [typed: string, text: string, names: string[]][] = [
    [image, '[截图 1.png]', ['截图 1.png']],
    [`${escaped} `, '[截图 1.png] ', ['截图 1.png']],
    [`'${image}'`, '[截图 1.png]', ['截图 1.png']],
    [pathToFileURL(image).href, '[截图 1.png]', ['截图 1.png']],
    [`看看${image}里有什么`, '看看[截图 1.png]里有什么', ['截图 1.png']],
    [`比较“${image}”和 ${other} 的颜色`, '比较[截图 1.png]和 [b.dat] 的颜色', ['截图 1.png', 'b.dat']],
    [`what is in ${escaped}?\nAnd in "${other}"?`, 'what is in [截图 1.png]?\nAnd in [b.dat]?', ['截图 1.png', 'b.dat']],
    [`read ${join(cwd, 'text.png')} or ${join(cwd, 'absent.png')}`, `read ${join(cwd, 'text.png')} or ${join(cwd, 'absent.png')}`, []],
    ['/help and a/b or 1/2, file://x/y.png', '/help and a/b or 1/2, file://x/y.png', []],
    ['你好，今天怎么样？', '你好，今天怎么样？', []],
  ];
  for (const [typed, text, names] of cases) {
    const attached = await attachImages(typed);
    assert.equal(attached.text, text);
    assert.deepEqual(
      attached.files.map(({ name }) => name),
      names,
    );
    assert.equal(attached.isOnlyPaths, names.length > 0 && /^\[[^\]]*\]\s*$/.test(text), typed);
  }
  const long = `${'word a/b '.repeat(1000)}${image}`;
  assert.deepEqual(await attachImages(long), { text: long, files: [], isOnlyPaths: false });
});

test('a talk: a path alone goes along with the next request, which is said; later rounds hold a description', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, '图 1.png'), png);
  const server = await modelServer([{ text: '一块绿色' }, { text: '纯绿色，64x48。' }, { text: '没有文字' }]);
  const input = `${join(cwd, '图 1.png')}\n这是什么？\n上面有字吗？\n`;
  const { out, err } = await hermes(['chat', '--lang', 'zh'], { cwd, env: server.env, input });
  assert.match(err, /已附上：图 1\.png（PNG, 64x48）\n它将随下一条请求一起发送/);
  assert.equal(out, '一块绿色\n没有文字\n');
  assert.deepEqual(
    [(await received(server, 0)).images.length, (await received(server, 1)).images.length, server.requests.length],
    [1, 1, 3],
  );
  const last = JSON.stringify(server.requests[2]!.messages);
  assert.ok(
    !last.includes('base64') && last.includes('图片 图 1.png, 64x48 PNG，在较早的一轮中给出') && last.includes('纯绿色，64x48。'),
    last,
  );
});

test('a path dropped into the terminal', { skip: noTerminal }, async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'a b.png'), png);
  const server = await modelServer([{ text: 'it is green' }]);
  const screen = onScreen(['chat'], { cwd, env: server.env });
  await screen.seen(/› /);
  screen.type(`what colour is ${join(cwd, 'a b.png').replaceAll(' ', '\\ ')}\r`);
  await screen.seen(/attached: a b\.png \(PNG, 64x48\)/);
  await screen.seen(/it is green/);
  await screen.seen(/› /);
  screen.type('\x04');
  assert.equal(await screen.ended, 0);
  assert.match((await received(server)).text, /what colour is \[a b\.png\]/);
});
