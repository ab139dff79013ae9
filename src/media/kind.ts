/** What an image is, by its first bytes, whatever its name says. */

export type ImageKind = 'png' | 'jpeg' | 'gif' | 'webp' | 'bmp' | 'tiff' | 'heic' | 'avif';

const HEAD_BYTES = 64;
/** Brands of the container that HEIC and AVIF share with MP4 and others. */
const BRANDS: Readonly<Record<string, ImageKind>> = {
  avif: 'avif',
  avis: 'avif',
  heic: 'heic',
  heix: 'heic',
  heim: 'heic',
  heis: 'heic',
  hevc: 'heic',
  hevx: 'heic',
};

/** undefined: no image that is known here. SVG is text. */
export function imageKind(bytes: Uint8Array): ImageKind | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const head = start.toString('latin1');
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return 'webp';
  if (head.startsWith('II*\0') || head.startsWith('MM\0*')) return 'tiff';
  // Texts may begin with BM, too; a field that is always zero tells them apart.
  if (head.startsWith('BM') && head.startsWith('\0\0\0\0', 6)) return 'bmp';
  if (!head.startsWith('ftyp', 4)) return undefined;
  const brands = head.slice(8, Math.max(12, start[3]!)).match(/..../gs) ?? [];
  return brands.map((brand) => BRANDS[brand]).find((kind) => kind !== undefined);
}

export function mediaType(kind: ImageKind): string {
  return `image/${kind}`;
}
