/** Lists what is in a folder of the workspace. Links are shown and not followed. */

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';
import { readablePath } from '../src/tools/workspace.ts';

const MAX_ENTRIES = 300;
/** Not looked into: large, and never what is asked for. */
const SKIPPED = new Set(['.git', 'node_modules']);
/** What this program keeps for itself beside the files of the person; nothing of it can be read. */
const OWN = '.hermes';

export default tool({
  name: 'list_files',
  description:
    'Lists the files and folders in a folder of the workspace, at most 300. Use it to find out what is there or what a file is called; ' +
    'not to see what a file says (read_file).',
  level: 'read',
  settingNames: [],
  resultCharacters: 8_000,
  private: true,
  idempotent: true,
  input: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'folder in the workspace; default: the workspace itself', minLength: 1, default: '.' },
      recursive: { type: 'boolean', description: 'also what is in its folders', default: false },
    },
    additionalProperties: false,
  },
  aliases: { folder: 'path', directory: 'path', dir: 'path', 文件夹: 'path', 目录: 'path' },
  keywords: 'list files folder directory contents which files show ls 列出 文件 文件夹 目录 有哪些 有什么',
  examples: [
    {
      request: 'Which files are in the folder notes?',
      arguments: { path: 'notes' },
      result: { path: 'notes', entries: ['plan.md', 'todo.txt'] },
      answer: 'notes holds plan.md and todo.txt.',
    },
    {
      request: '当前目录下有哪些文件？',
      arguments: {},
      result: { path: '.', entries: ['报告.md', 'data/'] },
      answer: '有 报告.md 和文件夹 data/。',
    },
  ],
  async execute({ path, recursive }, { context }) {
    const folder = await readablePath(context.workspace, path);
    if (!(await stat(folder)).isDirectory())
      throw new HermesError('no_folder', `${path} is no folder`, { kind: 'tool', next: 'read_file reads files' });
    const entries: string[] = [];
    const hasMore = await list(folder, '', recursive, entries);
    return { path, entries, ...(hasMore ? { next: `only the first ${MAX_ENTRIES} are listed; ask for one of the folders` } : {}) };
  },
});

/** Appends to `entries`: folders end in /, links are marked. True when there were more than fit. */
async function list(folder: string, prefix: string, recursive: boolean, entries: string[]): Promise<boolean> {
  const found = await readdir(folder, { withFileTypes: true });
  for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name === OWN && entry.isDirectory()) continue;
    if (entries.length >= MAX_ENTRIES) return true;
    const name = prefix + entry.name;
    entries.push(entry.isDirectory() ? `${name}/` : entry.isSymbolicLink() ? `${name} (link)` : name);
    const goesOn = recursive && entry.isDirectory() && !SKIPPED.has(entry.name);
    if (goesOn && (await list(join(folder, entry.name), `${name}/`, true, entries))) return true;
  }
  return false;
}
