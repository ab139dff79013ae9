/** Writes a whole text file in the workspace: either the new content or, when anything fails, the old one is there. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';
import { lineDiff } from '../src/tools/diff.ts';
import { inForm, toText } from '../src/tools/files/form.ts';
import { notEncodable, replaceFile, statsOf, wasRead } from '../src/tools/files/write.ts';
import { codeAt, openReadable, openWritable } from '../src/tools/workspace.ts';

/** Bytes of the present file; a larger one is replaced without a diff, in UTF-8. */
const MOST_COMPARED = 1_000_000;

export default tool({
  name: 'write_file',
  description:
    'Writes a text file in the workspace, the whole of it, after a person has agreed. Use it to save a text that was asked for, ' +
    'not to change a part of one (edit_file); an existing file is replaced only after read_file has shown it in this run, or with overwrite.',
  level: 'write',
  settingNames: [],
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
  /** What cannot be done is told before anybody is asked. */
  async judge({ path, content, overwrite }, context) {
    const { workspace, calls, language } = context;
    const preview = await changeOf(workspace, path, content, WORDS[language]);
    const isThere = preview !== undefined && preview !== WORDS[language].made;
    if (isThere && !overwrite && !wasRead(calls, workspace, path)) throw unread(path);
    const ask = await codeAt(path, context);
    return { level: 'write', ...(preview === undefined ? {} : { preview }), ...(ask === undefined ? {} : { ask }) };
  },
  async execute({ path, content, overwrite }, { context }) {
    const place = await openWritable(context.workspace, path);
    try {
      const target = join(place.folder, place.name);
      const old = await statsOf(target);
      if (old && !old.isFile())
        throw new HermesError('no_file', `${path} is a folder or no ordinary file`, {
          kind: 'tool',
          next: 'list_files shows what is there',
        });
      if (old && !overwrite && !wasRead(await context.calls(), context.workspace, path)) throw unread(path);
      const before = old && old.size <= MOST_COMPARED ? toText(await readFile(target)) : undefined;
      const after = inForm(before, content);
      if (!after) throw notEncodable(path, 'content', before!);
      await replaceFile(place, after.bytes, old?.mode);
      const encoding = before && before.encoding !== 'utf-8' ? { encoding: before.encoding } : {};
      return { path, bytes: after.bytes.length, created: !old, ...encoding };
    } finally {
      await place.close();
    }
  },
});

function unread(path: string): HermesError {
  const next = 'read it with read_file first, or set overwrite when it may be lost';
  return new HermesError('unread_file', `${path} exists and was not read in this run; nothing was written`, { kind: 'tool', next });
}

const WORDS = {
  en: {
    made: 'a new file',
    same: 'the file stays as it is',
    replaces: (bytes: number, changed: string) => `replaces ${bytes} bytes, last changed at ${changed}`,
  },
  zh: {
    made: '新建文件',
    same: '文件保持不变',
    replaces: (bytes: number, changed: string) => `替换 ${bytes} 字节（上次修改于 ${changed}）`,
  },
} as const;

/** What a yes is given for, and holds for: it changes with the file. undefined = execute will refuse it, and tells why. */
async function changeOf(workspace: string, path: string, content: string, words: (typeof WORDS)['zh' | 'en']): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof openReadable>> | undefined;
  try {
    handle = await openReadable(workspace, path);
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const { size, mtime } = stats;
    const old = size > MOST_COMPARED ? undefined : toText(await handle.readFile());
    if (!old) return words.replaces(size, mtime.toISOString());
    return lineDiff(old.text, inForm(old, content)?.text ?? content) || words.same;
  } catch (error) {
    return (error as { code?: unknown }).code === 'not_found' ? words.made : undefined;
  } finally {
    await handle?.close();
  }
}
