/** Reads a text file of the workspace, or a part of it by lines. */

import type { FileHandle } from 'node:fs/promises';
import { HermesError } from '../src/kernel/errors.ts';
import { cut } from '../src/kernel/text.ts';
import { tool } from '../src/tools/define.ts';
import { decodeText } from '../src/tools/result.ts';
import { openReadable } from '../src/tools/workspace.ts';

/** Bytes of a file that are read at once. */
const MAX_BYTES = 10_000_000;
/** Lines given when no limit is asked for, and characters in all. */
const LINES = 500;
const CHARACTERS = 14_000;

export default tool({
  name: 'read_file',
  description:
    'Reads a text file in the workspace, whole or by lines; a long one comes in parts. Use it to see what a file says, ' +
    'and before write_file changes one; not for folders (list_files), images and other binary files.',
  level: 'read',
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
    const text = await readText(await openReadable(context.workspace, path), path);
    const all = text.split('\n');
    if (from_line > all.length) {
      throw new HermesError('no_such_line', `${path} has ${all.length} lines, line ${from_line} was asked for`, { kind: 'tool' });
    }
    const shown = fitting(all.slice(from_line - 1, from_line - 1 + lines));
    const next = from_line + shown.length;
    return {
      path,
      content: shown.join('\n'),
      lines: all.length,
      ...(next <= all.length ? { next: `lines ${next} to ${all.length} are not shown; go on with from_line ${next}` } : {}),
    };
  },
});

/** Closes the handle. */
async function readText(handle: FileHandle, path: string): Promise<string> {
  try {
    const stats = await handle.stat();
    if (stats.isDirectory())
      throw new HermesError('is_folder', `${path} is a folder`, { kind: 'tool', next: 'list_files shows what is in it' });
    if (!stats.isFile()) throw new HermesError('no_file', `${path} is no ordinary file`, { kind: 'tool' });
    if (stats.size > MAX_BYTES) {
      throw new HermesError('too_large', `${path} has ${stats.size} bytes, at most ${MAX_BYTES} are read`, { kind: 'tool' });
    }
    const bytes = await handle.readFile();
    const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    if (!isUtf16 && bytes.subarray(0, 8_000).includes(0)) throw new HermesError('binary_file', `${path} is no text file`, { kind: 'tool' });
    return decodeText(bytes);
  } finally {
    await handle.close();
  }
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
