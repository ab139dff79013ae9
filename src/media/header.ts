/** The outside of an image file, read without decoding it: its size, how it was held, whether it is whole, what is told beside the picture. */

import type { ImageKind } from './kind.ts';

export interface Header {
  /** Pixels as they are stored, before the orientation is applied; absent where only a decoder knows (HEIC, AVIF, TIFF, BMP). */
  width?: number;
  height?: number;
  /** EXIF: 1 upright, 2 to 8 mirrored or turned. */
  orientation: number;
  /** The file ends where its own structure says; true where that is not checked. */
  isWhole: boolean;
}

/** A segment of a JPEG, a chunk of a PNG or WebP: bytes `start` to `end` of the file, `data` inside it. */
interface Piece {
  tag: string;
  start: number;
  end: number;
  data: Buffer;
}

export function readHeader(kind: ImageKind, bytes: Buffer): Header {
  switch (kind) {
    case 'png':
      return pngHeader(bytes);
    case 'jpeg':
      return jpegHeader(bytes);
    case 'gif':
      return { ...size(bytes, 6, 8, 'LE'), orientation: 1, isWhole: bytes.subarray(-16).includes(0x3b) };
    case 'webp':
      return webpHeader(bytes);
    default:
      return { orientation: 1, isWhole: true };
  }
}

/** The same picture, byte for byte, without place, camera, dates and comments; the very same buffer when it holds none. */
export function withoutMetadata(kind: ImageKind, bytes: Buffer): Buffer {
  if (kind === 'png')
    return without(
      bytes,
      [...pngPieces(bytes)].filter(({ tag }) => PNG_METADATA.has(tag)),
    );
  if (kind === 'webp') return cleanWebp(bytes);
  if (kind !== 'jpeg') return bytes;
  const { orientation } = jpegHeader(bytes);
  const pieces = [...jpegPieces(bytes)].filter(isJpegMetadata);
  const [first] = pieces;
  if (!first || (pieces.length === 1 && first.data.equals(exifOf(orientation)))) return bytes;
  const clean = without(bytes, pieces);
  return orientation === 1 ? clean : Buffer.concat([clean.subarray(0, 2), segment(exifOf(orientation)), clean.subarray(2)]);
}

function without(bytes: Buffer, pieces: readonly Piece[]): Buffer {
  if (pieces.length === 0) return bytes;
  const kept: Buffer[] = [];
  let at = 0;
  for (const { start, end } of pieces) {
    kept.push(bytes.subarray(at, start));
    at = end;
  }
  return Buffer.concat([...kept, bytes.subarray(at)]);
}

// ---- PNG -------------------------------------------------------------------------------------------

const PNG_METADATA = new Set(['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME']);

function* pngPieces(bytes: Buffer): Generator<Piece> {
  for (let start = 8; start + 12 <= bytes.length; ) {
    const end = start + 12 + bytes.readUInt32BE(start);
    if (end > bytes.length) return;
    yield { tag: bytes.toString('latin1', start + 4, start + 8), start, end, data: bytes.subarray(start + 8, end - 4) };
    start = end;
  }
}

function pngHeader(bytes: Buffer): Header {
  const header: Header = { ...size(bytes, 16, 20, 'BE'), orientation: 1, isWhole: false };
  for (const { tag, data } of pngPieces(bytes)) {
    if (tag === 'eXIf') header.orientation = orientationOf(data);
    if (tag === 'IEND') header.isWhole = true;
  }
  return header;
}

// ---- JPEG ------------------------------------------------------------------------------------------

/** Up to the compressed picture; that is one piece and reaches to the end. */
function* jpegPieces(bytes: Buffer): Generator<Piece> {
  for (let start = 2; start + 4 <= bytes.length && bytes[start] === 0xff; ) {
    const code = bytes[start + 1]!;
    if (code === 0xff) {
      start += 1; // padding
      continue;
    }
    const isPicture = code === 0xda;
    const end = isPicture ? bytes.length : start + 2 + bytes.readUInt16BE(start + 2);
    if (end > bytes.length) return;
    yield { tag: code.toString(16), start, end, data: bytes.subarray(start + 4, end) };
    start = end;
  }
}

function jpegHeader(bytes: Buffer): Header {
  const header: Header = { orientation: 1, isWhole: false };
  for (const { tag, data } of jpegPieces(bytes)) {
    if (/^c[0-35-79abdef]$/.test(tag)) Object.assign(header, size(data, 3, 1, 'BE16'));
    if (tag === 'e1' && isExif(data)) header.orientation = orientationOf(data.subarray(6));
    if (tag === 'da') header.isWhole = header.width !== undefined && data.lastIndexOf('\xff\xd9', undefined, 'latin1') >= 0;
  }
  return header;
}

/** Comments and application segments, but for those that the colours need: JFIF, ICC profile, Adobe. */
function isJpegMetadata({ tag, data }: Piece): boolean {
  if (tag === 'e2') return !data.toString('latin1', 0, 11).startsWith('ICC_PROFILE');
  return tag === 'fe' || (/^e[1-9a-f]$/.test(tag) && tag !== 'ee');
}

function isExif(data: Buffer): boolean {
  return data.toString('latin1', 0, 6) === 'Exif\0\0';
}

/** EXIF that holds the orientation and nothing else. */
function exifOf(orientation: number): Buffer {
  const exif = Buffer.alloc(32);
  exif.write('Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0', 'latin1');
  exif[24] = orientation;
  return exif;
}

function segment(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xe1, 0, data.length + 2]), data]);
}

// ---- WebP ------------------------------------------------------------------------------------------

function* webpPieces(bytes: Buffer): Generator<Piece> {
  for (let start = 12; start + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(start + 4);
    const end = start + 8 + length + (length % 2);
    if (end > bytes.length) return;
    yield { tag: bytes.toString('latin1', start, start + 4), start, end, data: bytes.subarray(start + 8, start + 8 + length) };
    start = end;
  }
}

function webpHeader(bytes: Buffer): Header {
  const header: Header = { orientation: 1, isWhole: bytes.length >= 12 && bytes.readUInt32LE(4) + 8 <= bytes.length };
  for (const { tag, data } of webpPieces(bytes)) {
    if (tag === 'EXIF') header.orientation = orientationOf(isExif(data) ? data.subarray(6) : data);
    if (header.width !== undefined) continue; // the first one speaks for the whole
    if (tag === 'VP8X' && data.length >= 10) Object.assign(header, { width: data.readUIntLE(4, 3) + 1, height: data.readUIntLE(7, 3) + 1 });
    if (tag === 'VP8L' && data.length >= 5) {
      const packed = data.readUInt32LE(1);
      Object.assign(header, { width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 });
    }
    if (tag === 'VP8 ' && data.length >= 10)
      Object.assign(header, { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff });
  }
  return header;
}

function cleanWebp(bytes: Buffer): Buffer {
  const clean = without(
    bytes,
    [...webpPieces(bytes)].filter(({ tag }) => tag === 'EXIF' || tag === 'XMP '),
  );
  if (clean === bytes) return bytes;
  clean.writeUInt32LE(clean.length - 8, 4);
  if (clean.toString('latin1', 12, 16) === 'VP8X') clean[20] = clean[20]! & ~0x0c; // it no longer says that there is EXIF and XMP
  return clean;
}

// ---- shared ----------------------------------------------------------------------------------------

function size(bytes: Buffer, width: number, height: number, form: 'LE' | 'BE' | 'BE16'): Pick<Header, 'width' | 'height'> {
  if (Math.max(width, height) + (form === 'BE' ? 4 : 2) > bytes.length) return {};
  const read = (at: number) => (form === 'BE' ? bytes.readUInt32BE(at) : form === 'BE16' ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at));
  return { width: read(width), height: read(height) };
}

/** Of EXIF data: a TIFF header and a first directory of 12-byte entries; tag 0x0112. Anything odd counts as upright. */
function orientationOf(exif: Buffer): number {
  if (exif.length < 14) return 1;
  const isLittle = exif[0] === 0x49;
  const short = (at: number) => (at + 2 > exif.length ? 0 : isLittle ? exif.readUInt16LE(at) : exif.readUInt16BE(at));
  const directory = isLittle ? exif.readUInt32LE(4) : exif.readUInt32BE(4);
  for (let entry = 0; entry < Math.min(short(directory), 200); entry++) {
    const at = directory + 2 + entry * 12;
    const value = short(at + 8);
    if (short(at) === 0x0112) return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}
