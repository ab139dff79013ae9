/** Reads a text file of the workspace, or a part of it by lines. */

import type { FileHandle } from 'node:fs/promises';
import { HermesError } from '../src/kernel/errors.ts';
import { cut } from '../src/kernel/text.ts';
import { imageKind } from '../src/media/kind.ts';
import { tool } from '../src/tools/define.ts';
import { readLines } from '../src/tools/files/lines.ts';
import { decodeText } from '../src/tools/result.ts';
import { openReadable } from '../src/tools/workspace.ts';

/** Bytes of a file that are read at once; of a larger one the lines that are asked for. */
const MAX_BYTES = 10_000_000;
/** Lines given when no limit is asked for, and characters in all. */
const LINES = 500;
const CHARACTERS = 14_000;

export default tool({
  name: 'read_file',
  description:
    'Reads a text file in the workspace, whole or by lines; a long one comes in parts. Use it to see what a file says, ' +
    'and before edit_file or write_file changes one; not for folders (list_files), images and other binary files.',
  level: 'read',
  settingNames: [],
  resultCharacters: 16_000,
  private: true,
  idempotent: true,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'path in the workspace, such as notes/plan.md', minLength: 1 },
      from_line: { type: 'integer', description: 'first line, from 1', minimum: 1, default: 1 },
      lines: { type: 'integer', description: 'how many lines', minimum: 1, maximum: 5000, default: LINES },
    },
    required: ['path'],
    additionalProperties: false,
  },
  aliases: { file: 'path', filename: 'path', file_path: 'path', offset: 'from_line', limit: 'lines', 文件: 'path' },
  keywords: 'read open show file text content what does say look 读 读取 打开 查看 文件 内容 看看',
  examples: [
    {
      request: 'What does todo.txt say?',
      arguments: { path: 'todo.txt' },
      result: { path: 'todo.txt', content: 'buy milk', lines: 1 },
      answer: 'todo.txt says: buy milk',
    },
    {
      request: '看看 notes/计划.md 里写了什么',
      arguments: { path: 'notes/计划.md' },
      result: { path: 'notes/计划.md', content: '周五交报告', lines: 1 },
      answer: 'notes/计划.md 里写着：周五交报告',
    },
  ],
  async execute({ path, from_line, lines }, { context }) {
    const handle = await openReadable(context.workspace, path);
    try {
      const { size, isUtf16 } = await checkedText(handle, path);
      if (size > MAX_BYTES && !isUtf16) return await partOf(handle, path, size, from_line, lines);
      if (size > MAX_BYTES)
        throw new HermesError('too_large', `${path} has ${size} bytes, at most ${MAX_BYTES} are read`, {
          kind: 'tool',
          next: 'a command of the shell may read it in parts, or tell the user',
        });
      const text = decodeText(await handle.readFile());
      const all = text === '' ? [] : text.replace(/\n$/, '').split('\n'); // what follows the last line feed is no line
      if (from_line > Math.max(1, all.length)) throw noSuchLine(path, all.length, from_line);
      const shown = fitting(all.slice(from_line - 1, from_line - 1 + lines));
      const next = from_line + shown.length;
      const isWhole = from_line === 1 && next > all.length;
      return {
        path,
        content: `${shown.join('\n')}${isWhole && text.endsWith('\n') ? '\n' : ''}`,
        lines: all.length,
        ...(next <= all.length ? { next: `lines ${next} to ${all.length} are not shown; go on with from_line ${next}` } : {}),
      };
    } finally {
      await handle.close();
    }
  },
});

function noSuchLine(path: string, count: number, wanted: number): HermesError {
  return new HermesError('no_such_line', `${path} has ${count} lines, line ${wanted} was asked for`, {
    kind: 'tool',
    next: 'ask with a smaller from_line',
  });
}

/** Of a large file; how many lines it has is not known then. */
async function partOf(handle: FileHandle, path: string, bytes: number, from: number, count: number) {
  const { lines, seen, isEnd } = await readLines(handle, { from, count, mostBytes: CHARACTERS * 4 });
  if (lines.length === 0) throw noSuchLine(path, seen, from);
  const shown = fitting(lines);
  const next = isEnd && shown.length === lines.length ? {} : { next: `it goes on; read from_line ${from + shown.length}, or search_files` };
  return { path, content: shown.join('\n'), bytes, ...next };
}

/** Files that are often asked for and are no texts, by their first bytes. */
const BINARY: readonly [start: string, kind: string][] = [
  ['%PDF-', 'a PDF document'],
  ['PK\x03\x04', 'a ZIP archive (also Word, Excel and PowerPoint files are)'],
  ['\x1f\x8b', 'a gzip archive'],
  ['SQLite format 3\0', 'an SQLite database: sql_query reads it'],
  ['\x7fELF', 'a program'],
];

/** Throws for what is no text. */
async function checkedText(handle: FileHandle, path: string): Promise<{ size: number; isUtf16: boolean }> {
  const stats = await handle.stat();
  if (stats.isDirectory())
    throw new HermesError('is_folder', `${path} is a folder`, { kind: 'tool', next: 'list_files shows what is in it' });
  if (!stats.isFile())
    throw new HermesError('no_file', `${path} is no ordinary file`, { kind: 'tool', next: 'list_files shows what is there' });
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(8_000), 0, 8_000, 0);
  const start = buffer.subarray(0, bytesRead);
  const head = start.subarray(0, 64).toString('latin1');
  const image = imageKind(start);
  const kind = image ? `an image (${image})` : BINARY.find(([begin]) => head.startsWith(begin))?.[1];
  const isUtf16 = head.startsWith('\xff\xfe') || head.startsWith('\xfe\xff');
  if (kind === undefined && (isUtf16 || !start.includes(0))) return { size: stats.size, isUtf16 };
  const next = kind === undefined ? {} : { next: `it is ${kind}` };
  throw new HermesError('binary_file', `${path} is no text file`, { kind: 'tool', ...next });
}

/** As many whole lines as the limit of characters allows; a longer first line is cut. */
function fitting(lines: string[]): string[] {
  let size = 0;
  const shown = lines.filter((line) => {
    size += line.length + 1;
    return size <= CHARACTERS;
  });
  return shown.length > 0 || lines.length === 0 ? shown : [`${cut(lines[0]!, CHARACTERS)} [line cut]`];
}
