/**
 * Makes an image ready for a model: upright, within the model's limits, without metadata, in a format that every endpoint reads. What is
 * fine already keeps its bytes. Decoding is the work of sharp, an optional package that is loaded when it is needed; its own threads do it.
 */

import type { Sharp } from 'sharp';
import { HermesError, installLine } from '../kernel/errors.ts';
import { readHeader, withoutMetadata } from './header.ts';
import { type ImageKind, mediaType } from './kind.ts';

export interface ImageLimits {
  /** Longest edge in pixels; default 1568: what Anthropic's models scale to by themselves. */
  max_edge?: number;
  /** Of the file itself, not of its base64; default 3,932,160, which is 5 MB of base64. */
  max_bytes?: number;
}
export interface PreparedImage {
  media_type: string;
  bytes: Uint8Array;
}

/** A larger file is refused before it is decoded, and by whoever reads it before it is read. */
export const MOST_IMAGE_BYTES = 50_000_000;
/** The largest photo of today's phones has 199.8 million pixels; a bomb claims more. */
const MOST_PIXELS = 200_000_000;
const MOST_SECONDS = 30;
/** Screenshots and drawings stay lossless up to this size. */
const LOSSLESS_BYTES = 1_000_000;
const DEFAULTS = { max_edge: 1568, max_bytes: 3_932_160 };

type LoadedSharp = typeof import('sharp').default;

/** Throws a HermesError that names the image: image_broken, image_too_large, image_format or sharp_missing. */
export async function prepareImage(name: string, kind: ImageKind, bytes: Buffer, limits: ImageLimits = {}): Promise<PreparedImage> {
  const { max_edge = DEFAULTS.max_edge, max_bytes = DEFAULTS.max_bytes } = limits;
  const { width, height, orientation, isWhole } = readHeader(kind, bytes);
  if (!isWhole || width === 0 || height === 0) throw broken(name, 'the file is cut off or damaged');
  if (bytes.length > MOST_IMAGE_BYTES) throw tooLarge(name, `${bytes.length} bytes`, `${MOST_IMAGE_BYTES} bytes`);
  if (width && height && width * height > MOST_PIXELS)
    throw tooLarge(name, `${width}x${height} pixels`, `${MOST_PIXELS / 1e6} million pixels`);
  const clean = withoutMetadata(kind, bytes);
  const fits = width !== undefined && height !== undefined && Math.max(width, height) <= max_edge && clean.length <= max_bytes;
  const asItIs = { media_type: mediaType(kind), bytes: clean };
  if (fits && orientation === 1 && (kind === 'png' || kind === 'jpeg')) return asItIs;
  const sharp = await loadSharp();
  if (sharp) return convert(sharp, name, kind, bytes, { max_edge, max_bytes });
  // Without sharp: most endpoints read these two as well, and some heed the orientation.
  if (fits) return asItIs;
  throw sharpMissing(name, width ? `it has ${width}x${height} pixels and ${bytes.length} bytes` : `it is ${kind.toUpperCase()}`);
}

async function loadSharp(): Promise<LoadedSharp | undefined> {
  try {
    return (await import('sharp')).default;
  } catch {
    return undefined; // not installed, or not for this machine: installing it is the remedy for both
  }
}

async function convert(
  sharp: LoadedSharp,
  name: string,
  kind: ImageKind,
  bytes: Buffer,
  { max_edge, max_bytes }: Required<ImageLimits>,
): Promise<PreparedImage> {
  try {
    const { data, info } = await within(
      // `error`: what merely makes a decoder warn can still be seen.
      sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true }).autoOrient().toColourspace('srgb'),
      max_edge,
    )
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const pixels = () => sharp(data, { raw: { width, height, channels } });
    const isOpaque = !info.hasAlpha || (await pixels().stats()).isOpaque;
    const encodings = encodingsFor(isOpaque, kind !== 'jpeg', max_bytes);
    for (let edge = Math.max(width, height); edge >= 16; edge = Math.floor(edge * 0.75)) {
      for (const { encode, most, media_type } of encodings) {
        const encoded = await encode(within(pixels(), edge)).toBuffer();
        if (encoded.length <= most) return { media_type, bytes: encoded };
      }
    }
  } catch (error) {
    throw unreadable(name, kind, (error as Error).message);
  }
  throw tooLarge(name, 'more than its smallest form', `${max_bytes} bytes`);
}

function within(image: Sharp, edge: number): Sharp {
  return image.resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true }).timeout({ seconds: MOST_SECONDS });
}

interface Encoding {
  media_type: string;
  most: number;
  encode(image: Sharp): Sharp;
}

/** In the order in which they are tried; when none is small enough, the picture gets smaller. JPEG and PNG: every endpoint reads them. */
function encodingsFor(isOpaque: boolean, isLossless: boolean, max_bytes: number): Encoding[] {
  const png = (most: number, palette: boolean): Encoding => ({
    media_type: 'image/png',
    most,
    encode: (image) => image.png({ compressionLevel: 9, palette }),
  });
  const jpeg = (quality: number): Encoding => ({
    media_type: 'image/jpeg',
    most: max_bytes,
    encode: (image) => image.removeAlpha().jpeg({ quality }),
  });
  if (!isOpaque) return [png(max_bytes, false), png(max_bytes, true)];
  const lossless = isLossless ? [png(Math.min(max_bytes, LOSSLESS_BYTES), false)] : [];
  return [...lossless, jpeg(88), jpeg(72), jpeg(55)];
}

// ---- what people are told --------------------------------------------------------------------------

/** sharp names the reason in its message only. */
function unreadable(name: string, kind: ImageKind, message: string): HermesError {
  if (message.includes('pixel limit')) return tooLarge(name, 'too many pixels', `${MOST_PIXELS / 1e6} million pixels`);
  const isUnknown = /unsupported image format|No decoding plugin|Unsupported/i.test(message);
  if (isUnknown || kind === 'heic' || kind === 'bmp') return foreignFormat(name, kind);
  return broken(name, message.split('\n').at(-1) ?? message);
}

function broken(name: string, reason: string): HermesError {
  return new HermesError('image_broken', `${name} is a broken image: ${reason}.`, {
    kind: 'usage',
    next: 'Open it to see whether it is whole, and save or copy it again.',
    data: { name, reason },
  });
}

function tooLarge(name: string, size: string, most: string): HermesError {
  return new HermesError('image_too_large', `${name} is too large an image: ${size}, at most ${most}.`, {
    kind: 'usage',
    next: 'Make it smaller, or cut out the part that matters.',
    data: { name, size, most },
  });
}

function foreignFormat(name: string, kind: ImageKind): HermesError {
  const type = kind.toUpperCase();
  return new HermesError('image_format', `${name} is a ${type} image, which cannot be read here.`, {
    kind: 'usage',
    next: 'Save it as JPEG or PNG.',
    data: { name, type },
  });
}

function sharpMissing(name: string, reason: string): HermesError {
  return new HermesError(
    'sharp_missing',
    `${name} has to be made smaller or converted for the model (${reason}), which needs the package sharp.`,
    {
      kind: 'usage',
      next: installLine('sharp'),
      data: { name, reason },
    },
  );
}
