/** Replaces a text in a file of the workspace by another; everything else of the file stays as it is, byte by byte. */

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';
import { lineDiff } from '../src/tools/diff.ts';
import { type Replacement, replaced } from '../src/tools/files/edit.ts';
import { inForm, toText } from '../src/tools/files/form.ts';
import { notEncodable, replaceFile, statsOf, wasRead } from '../src/tools/files/write.ts';
import { codeAt, openReadable, openWritable, readablePath, writablePath } from '../src/tools/workspace.ts';

/** Bytes; a larger file is no text that is edited by hand. */
const MOST_BYTES = 10_000_000;
/** The edit that a question shows is no longer than this many characters. */
const SHOWN = 20_000;

export default tool({
  name: 'edit_file',
  description:
    'Replaces one exact text in a file of the workspace, after a person has agreed, and keeps its encoding and line ends. Use it to change ' +
    'part of a file that read_file has shown in this run; not for new files or whole rewrites (write_file).',
  level: 'write',
  settingNames: [],
  resource: 'workspace files',
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'path in the workspace', minLength: 1 },
      old_text: {
        type: 'string',
        description: 'the text as it stands in the file, with enough around it to stand there once',
        minLength: 1,
      },
      new_text: { type: 'string', description: 'what takes its place; empty to delete it' },
      replace_all: { type: 'boolean', description: 'every place where it stands', default: false },
    },
    required: ['path', 'old_text', 'new_text'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { path: { type: 'string' }, replaced: { type: 'integer' }, bytes: { type: 'integer' } },
  },
  aliases: {
    file: 'path',
    filename: 'path',
    file_path: 'path',
    old_string: 'old_text',
    old_str: 'old_text',
    search: 'old_text',
    new_string: 'new_text',
    new_str: 'new_text',
    replace: 'new_text',
    replacement: 'new_text',
    文件: 'path',
    原文: 'old_text',
    新文: 'new_text',
  },
  keywords: 'edit change replace modify fix rename correct file text line code 修改 替换 改成 更正 编辑 文件 改一下',
  examples: [
    {
      request: 'In todo.txt, change milk to tea',
      arguments: { path: 'todo.txt', old_text: 'buy milk', new_text: 'buy tea' },
      result: { path: 'todo.txt', replaced: 1, bytes: 8 },
      answer: 'todo.txt now says: buy tea',
    },
    {
      request: '把 报告.md 里的“草稿”全部改成“定稿”',
      arguments: { path: '报告.md', old_text: '草稿', new_text: '定稿', replace_all: true },
      result: { path: '报告.md', replaced: 3, bytes: 2048 },
      answer: '已把 报告.md 中的 3 处“草稿”改成“定稿”。',
    },
    {
      request: 'Delete the debug line from app.ts',
      arguments: { path: 'src/app.ts', old_text: '  console.log(state);\n', new_text: '' },
      result: { path: 'src/app.ts', replaced: 1, bytes: 910 },
      answer: 'The console.log line is gone from src/app.ts.',
    },
  ],
  /** What cannot be done is told before anybody is asked. */
  async judge({ path, old_text, new_text, replace_all }, context) {
    const { workspace, calls } = context;
    await writablePath(workspace, path);
    const handle = await openReadable(workspace, path);
    try {
      const { before, after } = await edited(handle, path, { old: old_text, new: new_text, all: replace_all });
      if (!wasRead(calls, workspace, path)) throw unread(path);
      const diff = lineDiff(before, after);
      const preview = diff.length <= SHOWN ? diff : `${diff.slice(0, SHOWN)}\n[${diff.length} characters in all]`;
      const ask = await codeAt(path, context);
      return { level: 'write', preview, ...(ask === undefined ? {} : { ask }) };
    } finally {
      await handle.close();
    }
  },
  async execute({ path, old_text, new_text, replace_all }, { context }) {
    if (!wasRead(await context.calls(), context.workspace, path)) throw unread(path);
    await readablePath(context.workspace, path); // no folders are made for a file that is not there
    const place = await openWritable(context.workspace, path);
    try {
      const target = join(place.folder, place.name);
      const handle = await open(target, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
      const { bytes, count } = await edited(handle, path, { old: old_text, new: new_text, all: replace_all }).finally(() => handle.close());
      await replaceFile(place, bytes, (await statsOf(target))?.mode);
      return { path, replaced: count, bytes: bytes.length };
    } finally {
      await place.close();
    }
  },
});

function unread(path: string): HermesError {
  const next = 'read it with read_file first';
  return new HermesError('unread_file', `${path} was not read in this run; nothing was changed`, { kind: 'tool', next });
}

/** What the file would become. */
async function edited(handle: Awaited<ReturnType<typeof open>>, path: string, replacement: Replacement) {
  const stats = await handle.stat();
  if (!stats.isFile())
    throw new HermesError('no_file', `${path} is a folder or no ordinary file`, { kind: 'tool', next: 'list_files shows what is there' });
  if (stats.size > MOST_BYTES)
    throw new HermesError('too_large', `${path} has ${stats.size} bytes, at most ${MOST_BYTES} are edited`, {
      kind: 'tool',
      next: 'change it with a command of the shell, or tell the user',
    });
  const file = toText(await handle.readFile());
  if (!file) {
    throw new HermesError('not_text', `${path} is no text in UTF-8, UTF-16 or GB 18030, so it could not be kept as it is`, {
      kind: 'tool',
    });
  }
  const { text, count } = replaced(path, file.text, replacement);
  const after = inForm(file, text);
  if (!after) throw notEncodable(path, 'new_text', file);
  return { before: file.text, after: after.text, bytes: after.bytes, count };
}
