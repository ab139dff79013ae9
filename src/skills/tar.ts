/** The files of a tar archive, also a compressed one, in memory: npm packages and `git archive`. Links, devices and escaping paths are refused. */

import { checkedPath, checkRoom, isLeft, MOST_BYTES, refused, type SkillFile } from './files.ts';

const BLOCK = 512;
/** Bytes of one extended header. */
const MOST_HEADER = 64_000;

export async function readTar(archive: Uint8Array): Promise<SkillFile[]> {
  const bytes = archive[0] === 0x1f && archive[1] === 0x8b ? unzipped(archive) : archive;
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) throw refused('it is a zip archive; unpack it, and name the folder');
  if (bytes.length < BLOCK) throw refused('it is no archive');
  const files: SkillFile[] = [];
  const known = new Set<string>();
  let room = MOST_BYTES;
  let extended: Record<string, string> = {};
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    checkSum(header);
    const size = extended.size === undefined ? octal(header, 124, 12) : Number(extended.size);
    const data = bytes.subarray(at + BLOCK, at + BLOCK + size);
    if (!Number.isSafeInteger(size) || size < 0 || data.length < size) throw refused('the archive is cut short or broken');
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const type = String.fromCharCode(header[156]!);
    if (type === 'x' || type === 'g' || type === 'L') {
      if (size > MOST_HEADER) throw refused('the archive has a header that is far too long');
      if (type !== 'g') extended = { ...extended, ...(type === 'x' ? records(data) : { path: text(data) }) };
      continue;
    }
    const path = (extended.path ?? nameOf(header)).replace(/^\.\//, '').replace(/\/+$/, '');
    extended = {};
    if (type === '5') {
      if (path !== '' && path !== '.') checkedPath(path);
      continue;
    }
    if (type !== '0' && type !== '\0')
      throw refused(`${path} is ${type === '1' || type === '2' ? 'a link' : 'no file'}: expected files and folders only`);
    room -= size;
    checkRoom(files.length + 1, room);
    checkedPath(path);
    const same = path.normalize('NFC').toLowerCase(); // some systems know no difference
    if (known.has(same)) throw refused(`${path} stands in the archive twice`);
    known.add(same);
    if (isLeft(path)) continue;
    files.push({ path, data: data.slice(), executable: (octal(header, 100, 8) & 0o111) !== 0 });
  }
  const both = [...known].find((path) => parentsOf(path).some((parent) => known.has(parent)));
  if (both !== undefined) throw refused(`${both} lies in a file of the archive`);
  return files;
}

function parentsOf(path: string): string[] {
  return [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));
}

function unzipped(archive: Uint8Array): Uint8Array {
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  try {
    // Headers and padding come on top of the files.
    return gunzipSync(archive, { maxOutputLength: MOST_BYTES * 2 });
  } catch (error) {
    throw refused(
      (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
        ? 'it is far too large'
        : `it is no archive: ${(error as Error).message}`,
    );
  }
}

function nameOf(header: Uint8Array): string {
  const prefix = text(header.subarray(257, 262)) === 'ustar' ? text(header.subarray(345, 500)) : '';
  const name = text(header.subarray(0, 100));
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** `LENGTH key=value\n`, the length in bytes. */
function records(data: Uint8Array): Record<string, string> {
  const found: Record<string, string> = {};
  for (let at = 0; at < data.length; ) {
    const blank = data.indexOf(0x20, at);
    const length = Number(text(data.subarray(at, blank)));
    if (blank < 0 || !Number.isInteger(length) || length <= blank - at) throw refused('the archive has a broken header');
    const [key, ...value] = text(data.subarray(blank + 1, at + length - 1)).split('=');
    if (key === 'path' || key === 'size') found[key] = value.join('=');
    at += length;
  }
  return found;
}

function checkSum(header: Uint8Array): void {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (sum !== octal(header, 148, 8)) throw refused('it is no tar archive, or a broken one');
}

function octal(header: Uint8Array, at: number, length: number): number {
  const digits = text(header.subarray(at, at + length)).trim();
  return digits === '' ? 0 : /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}
