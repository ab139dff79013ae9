/** Images made by sharp, and broken ones made by hand, on their way to a model. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import sharp from 'sharp';
import { HermesError } from '../../src/kernel/errors.ts';
import { readHeader, withoutMetadata } from '../../src/media/header.ts';
import { type ImageKind, imageKind } from '../../src/media/kind.ts';
import { type ImageLimits, prepareImage } from '../../src/media/prepare.ts';

/** Left half red, right half blue: turning it shows. */
function picture(width = 400, height = 200): ReturnType<typeof sharp> {
  const right = { create: { width: Math.floor(width / 2), height, channels: 3 as const, background: '#0000ff' } };
  return sharp({ create: { width, height, channels: 3, background: '#ff0000' } }).composite([{ input: right, gravity: 'east' }]);
}
const GPS = { IFD0: { Copyright: 'someone-known' }, IFD3: { GPSLatitude: '52/1 31/1 0/1' } };
/** As a phone held sideways writes it: it is shown 200 wide and 400 high. */
const turned = (width?: number, height?: number) => picture(width, height).withMetadata({ orientation: 6 }).withExif(GPS).jpeg().toBuffer();
const noise = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 60 } } });

function prepare(bytes: Buffer, limits?: ImageLimits, name = '图片.png') {
  return prepareImage(name, imageKind(bytes)!, bytes, limits);
}
async function refusal(work: Promise<unknown>): Promise<HermesError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof HermesError, `expected a HermesError, got ${error}`);
  assert.ok(error.next);
  return error;
}

test('the kind is told by the first bytes; texts that begin like an image are none', async () => {
  for (const kind of ['png', 'jpeg', 'gif', 'webp', 'tiff', 'avif'] as const)
    assert.equal(imageKind(await picture()[kind]().toBuffer()), kind);
  assert.equal(imageKind(Buffer.from('\0\0\0\x18ftypmif1\0\0\0\0mif1heic', 'latin1')), 'heic');
  assert.equal(imageKind(bitmap()), 'bmp');
  for (const text of [
    '',
    'BMW 的年度报告',
    'GIF or JPEG?',
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '\0\0\0\x18ftypmp42\0\0\0\0mp42isom',
  ])
    assert.equal(imageKind(Buffer.from(text)), undefined, text);
});

test('an image that is fine keeps its bytes', async () => {
  for (const kind of ['png', 'jpeg'] as const) {
    const bytes = await picture()[kind]().toBuffer();
    const { bytes: same, media_type } = await prepare(bytes);
    assert.deepEqual([same === bytes, media_type], [true, `image/${kind}`]);
  }
});

test('a large photo fits the limits and is upright, its metadata gone', async () => {
  const { bytes, media_type } = await prepare(await turned(4000, 2000));
  const { width, height, exif, orientation } = await sharp(bytes).metadata();
  assert.deepEqual([media_type, width, height, exif, orientation], ['image/jpeg', 784, 1568, undefined, undefined]);
  const [red, , blue] = await sharp(bytes).extract({ left: 300, top: 20, width: 1, height: 1 }).raw().toBuffer();
  assert.ok(red! > 200 && blue! < 60, 'red is above, as the camera was held');
});

test('108 million pixels are scaled down; a limit of bytes is kept, by quality first and by size then', async () => {
  const huge = sharp({ create: { width: 12_000, height: 9_000, channels: 3, background: '#38a' } });
  const { bytes } = await prepare(await huge.jpeg().toBuffer());
  const { width, height } = await sharp(bytes).metadata();
  assert.deepEqual([width, height], [1568, 1176]);
  const rough = await noise(900, 900).jpeg({ quality: 100 }).toBuffer();
  for (const max_bytes of [200_000, 40_000, 5_000]) {
    const small = await prepare(rough, { max_bytes });
    assert.ok(small.bytes.length <= max_bytes && (await sharp(small.bytes).metadata()).format === 'jpeg', `${small.bytes.length}`);
  }
});

test('metadata is cut out of small images without touching the picture', async () => {
  const tagged = await picture().withExif(GPS).withIccProfile('p3').jpeg().toBuffer();
  const { bytes } = await prepare(tagged);
  assert.ok(tagged.includes('someone-known') && !Buffer.from(bytes).includes('someone-known'));
  const { exif, icc } = await sharp(bytes).metadata();
  assert.ok(exif === undefined && icc !== undefined, 'the colour profile stays');
  assert.ok((await sharp(bytes).raw().toBuffer()).equals(await sharp(tagged).raw().toBuffer()));
  const png = await picture().withExif(GPS).png().toBuffer();
  const clean = Buffer.from((await prepare(png)).bytes);
  assert.ok(!clean.includes('eXIf') && (await sharp(clean).raw().toBuffer()).equals(await sharp(png).raw().toBuffer()));
});

test('without a decoder the orientation survives in a JPEG, and a WebP says no more that it has metadata', async () => {
  const bytes = withoutMetadata('jpeg', await turned());
  assert.ok(!bytes.includes('someone-known'));
  assert.deepEqual([readHeader('jpeg', bytes).orientation, (await sharp(bytes).metadata()).orientation], [6, 6]);
  assert.equal(withoutMetadata('jpeg', bytes), bytes, 'nothing more to cut');
  const webp = withoutMetadata('webp', await picture().withExif(GPS).webp().toBuffer());
  const { exif, width } = await sharp(webp).metadata();
  assert.deepEqual([exif, width], [undefined, 400]);
});

test('size and orientation stand in the header of every kind', async () => {
  for (const kind of ['png', 'jpeg', 'gif', 'webp'] as const) {
    const { width, height, isWhole } = readHeader(kind, await picture()[kind]().toBuffer());
    assert.deepEqual([width, height, isWhole], [400, 200, true], kind);
  }
  const lossless = await picture().webp({ lossless: true }).toBuffer();
  const extended = await picture().withMetadata({ orientation: 3 }).webp().toBuffer();
  assert.equal(readHeader('webp', lossless).width, 400);
  assert.deepEqual([readHeader('webp', extended).width, readHeader('webp', extended).orientation], [400, 3]);
  assert.equal(readHeader('png', await picture().withMetadata({ orientation: 8 }).png().toBuffer()).orientation, 8);
});

test('what few endpoints read becomes PNG or JPEG: an animation its first frame, transparency stays', async () => {
  const frames = [picture(60, 40).png(), sharp({ create: { width: 60, height: 40, channels: 3, background: '#00ff00' } }).png()];
  const animated = await sharp(await Promise.all(frames.map((frame) => frame.toBuffer())), { join: { animated: true } })
    .gif()
    .toBuffer();
  assert.equal((await sharp(animated).metadata()).pages, 2);
  const first = await prepare(animated);
  const shown = await sharp(first.bytes).metadata();
  assert.deepEqual([first.media_type, shown.width, shown.height, shown.pages], ['image/png', 60, 40, undefined]);
  const half = await sharp({ create: { width: 3000, height: 20, channels: 4, background: { r: 9, g: 9, b: 9, alpha: 0.5 } } })
    .webp()
    .toBuffer();
  const { hasAlpha, width } = await sharp((await prepare(half)).bytes).metadata();
  assert.deepEqual([hasAlpha, width], [true, 1568]);
  for (const kind of ['tiff', 'avif', 'webp'] as const)
    assert.match((await prepare(await picture()[kind]().toBuffer())).media_type, /^image\/(png|jpeg)$/);
  const print = await picture(2000, 100).toColourspace('cmyk').jpeg().toBuffer();
  assert.equal((await sharp((await prepare(print)).bytes).metadata()).space, 'srgb');
});

test('broken, huge and foreign images are refused by name, before they are decoded where that can be', async () => {
  const png = await noise(300, 300).png().toBuffer();
  const jpeg = await noise(300, 300).jpeg().toBuffer();
  const webp = await noise(300, 300).webp().toBuffer();
  for (const whole of [png, jpeg, webp]) {
    for (const part of [0.1, 0.5, 0.95]) {
      const error = await refusal(prepare(whole.subarray(0, whole.length * part), {}, '照片 1.png'));
      assert.deepEqual([error.code, error.message.includes('照片 1.png')], ['image_broken', true]);
    }
  }
  const bomb = Buffer.from(png);
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  assert.equal((await refusal(prepare(bomb))).code, 'image_too_large');
  assert.equal((await refusal(prepare(Buffer.concat([jpeg, Buffer.alloc(50_000_000), jpeg.subarray(-2)])))).code, 'image_too_large');
  assert.equal((await refusal(prepare(bitmap()))).code, 'image_format');
  const heic = Buffer.concat([Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'), Buffer.alloc(200)]);
  const error = await refusal(prepare(heic));
  assert.deepEqual([error.code, /HEIC/.test(error.message)], ['image_format', true]);
});

test('no damage in a file makes anything but an image or a named refusal', async () => {
  const whole: [ImageKind, Buffer][] = [];
  for (const kind of ['png', 'jpeg', 'gif', 'webp'] as const)
    whole.push([kind, await picture(40, 20).withMetadata({ orientation: 6 })[kind]().toBuffer()]);
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 200; round++) {
    const [kind, bytes] = whole[round % whole.length]!;
    const damaged = Buffer.from(round % 3 === 0 ? bytes.subarray(0, random(bytes.length)) : bytes);
    for (let n = 0; n < 3 && damaged.length > 0; n++) damaged[random(damaged.length)] = random(256);
    await prepareImage('x', kind, damaged, { max_edge: 16 }).catch((error: unknown) => {
      assert.ok(error instanceof HermesError && error.code.startsWith('image_'), `${error}`);
    });
  }
});

test('without sharp: what is within the limits passes, the rest is refused with the command that helps', async () => {
  const files = { small: await picture().webp().toBuffer(), turned: await turned(), large: await picture(2000, 100).jpeg().toBuffer() };
  const script = `
    import { registerHooks } from 'node:module';
    registerHooks({ resolve(name, context, next) {
      if (name === 'sharp') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
      return next(name, context);
    } });
    const { prepareImage } = await import(${JSON.stringify(new URL('../../src/media/prepare.ts', import.meta.url).href)});
    for (const [name, kind, data] of ${JSON.stringify(
      Object.entries(files).map(([name, bytes]) => [name, imageKind(bytes), bytes.toString('base64')]),
    )}) {
      const told = await prepareImage(name, kind, Buffer.from(data, 'base64')).then(({ media_type }) => media_type, ({ code, next }) => code + ': ' + next);
      console.log(name, told);
    }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(stdout, 'small image/webp\nturned image/jpeg\nlarge sharp_missing: npm install sharp@0.35.5\n', stderr);
});

/** 2 x 2 pixels of 24 bits. */
function bitmap(): Buffer {
  const bytes = Buffer.alloc(70);
  bytes.write('BM');
  bytes.writeUInt32LE(70, 2);
  for (const [at, value] of [
    [10, 54],
    [14, 40],
    [18, 2],
    [22, 2],
  ] as const)
    bytes.writeUInt32LE(value, at);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}
