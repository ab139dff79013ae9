/** Some lines out of a file that is too large to be read at once. */

import type { FileHandle } from 'node:fs/promises';
import { decodeText } from '../result.ts';

const CHUNK = 1_000_000;
const LINE_FEED = 0x0a;

/**
 * Lines from `from` (counted from 1), at most `count` and about `mostBytes`; `seen`: lines up to where it stopped, the last line of the
 * file included when `isEnd`. In UTF-8 and GB 18030 a line feed is never a part of another character.
 */
export async function readLines(
  handle: FileHandle,
  { from, count, mostBytes }: { from: number; count: number; mostBytes: number },
): Promise<{ lines: string[]; seen: number; isEnd: boolean }> {
  const kept: Buffer[] = [];
  let [line, size, isEnd] = [1, 0, false];
  const buffer = Buffer.alloc(CHUNK);
  while (line < from + count && size < mostBytes && !isEnd) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK);
    isEnd = bytesRead === 0;
    for (let at = 0; at < bytesRead && line < from + count; ) {
      const feed = buffer.subarray(0, bytesRead).indexOf(LINE_FEED, at);
      const end = feed < 0 ? bytesRead : feed + 1;
      if (line >= from && size < mostBytes) {
        kept.push(Buffer.from(buffer.subarray(at, end)));
        size += end - at;
      }
      if (feed >= 0) line += 1;
      at = end;
    }
  }
  const bytes = Buffer.concat(kept);
  const text = decodeText(bytes, !isEnd).replace(/\n$/, '');
  return { lines: bytes.length === 0 ? [] : text.split('\n'), seen: line, isEnd };
}
