/** Writes a whole text file in the workspace: either the new content or, when anything fails, the old one is there. */

import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { HermesError } from '../src/kernel/errors.ts';
import type { CallRecord } from '../src/kernel/types.ts';
import { tool } from '../src/tools/define.ts';
import { lineDiff } from '../src/tools/diff.ts';
import { openReadable, openWritable, type WritablePlace } from '../src/tools/workspace.ts';

/** Bytes of the present file; a larger one is replaced without a diff. */
const MOST_COMPARED = 1_000_000;

export default tool({
  name: 'write_file',
  description:
    'Writes a text file in the workspace, the whole of it, after a person has agreed. Use it to save a text that was asked for; ' +
    'an existing file is replaced only after read_file has shown it in this run, or with overwrite.',
  level: 'write',
  resource: 'workspace files',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'path in the workspace; missing folders are made', minLength: 1 },
      content: { type: 'string', description: 'the whole new content' },
      overwrite: { type: 'boolean', description: 'replace an existing file that was not read in this run', default: false },
    },
    required: ['path', 'content'],
    additionalProperties: false,
  },
  aliases: { file: 'path', filename: 'path', file_path: 'path', text: 'content', 文件: 'path', 内容: 'content' },
  keywords: 'write save create file text store into 写 写入 保存 存到 新建 创建 文件',
  examples: [
    {
      request: 'Save "buy milk" to todo.txt',
      arguments: { path: 'todo.txt', content: 'buy milk' },
      result: { path: 'todo.txt', bytes: 8, created: true },
      answer: 'Saved to todo.txt.',
    },
    {
      request: '新建文件 备忘.txt，内容是：周五开会',
      arguments: { path: '备忘.txt', content: '周五开会' },
      result: { path: '备忘.txt', bytes: 12, created: true },
      answer: '已写入 备忘.txt。',
    },
  ],
  async judge({ path, content }, { workspace }) {
    const preview = await changeOf(workspace, path, content);
    return { level: 'write', ...(preview === undefined ? {} : { preview }) };
  },
  async execute({ path, content, overwrite }, { context }) {
    const bytes = Buffer.from(content.toWellFormed());
    const place = await openWritable(context.workspace, path);
    try {
      const old = await statsOf(join(place.folder, place.name));
      if (old && !old.isFile()) throw new HermesError('no_file', `${path} is a folder or no ordinary file`, { kind: 'tool' });
      if (old && !overwrite && !wasRead(await context.calls(), path)) {
        throw new HermesError('unread_file', `${path} exists and was not read in this run; nothing was written`, {
          kind: 'tool',
          next: 'read it with read_file first, or set overwrite when it may be lost',
        });
      }
      await replace(place, bytes, old?.mode);
      return { path, bytes: bytes.length, created: !old };
    } finally {
      await place.close();
    }
  },
});

/** What a yes is given for, and holds for: it changes with the file. undefined = execute will refuse it, and tells why. */
async function changeOf(workspace: string, path: string, content: string): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof openReadable>> | undefined;
  try {
    handle = await openReadable(workspace, path);
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const { size, mtime } = stats;
    const old = size > MOST_COMPARED ? undefined : textOf(await handle.readFile());
    if (old === undefined) return `replaces ${size} bytes, last changed at ${mtime.toISOString()}`;
    return lineDiff(old, content.toWellFormed()) || 'the file stays as it is';
  } catch (error) {
    return (error as { code?: unknown }).code === 'not_found' ? 'a new file' : undefined;
  } finally {
    await handle?.close();
  }
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // no text: nothing to compare with
  }
}

async function statsOf(path: string) {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function wasRead(calls: readonly CallRecord[], path: string): boolean {
  return calls.some(({ name, arguments: args, success }) => {
    return (name === 'read_file' || name === 'write_file') && success && normalize(String(args.path)) === normalize(path);
  });
}

/** A new file beside the target, flushed, takes its place in one step. */
async function replace({ folder, name }: WritablePlace, bytes: Uint8Array, mode = 0o644): Promise<void> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  const temporary = join(folder, `.${name}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`);
  try {
    const handle = await open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode & 0o777);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
