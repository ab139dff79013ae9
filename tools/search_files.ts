/** Finds files of the workspace by name and by what they say. */

import { stat } from 'node:fs/promises';
import { HermesError } from '../src/kernel/errors.ts';
import { tool } from '../src/tools/define.ts';
import { compileGlob } from '../src/tools/files/glob.ts';
import { type Hit, searchFiles } from '../src/tools/files/search.ts';
import { walkFiles } from '../src/tools/files/walk.ts';
import { readablePath } from '../src/tools/workspace.ts';

/** Files that are looked at. */
const MOST_FILES = 50_000;
/** Names, or found lines, when nothing else is asked for; and characters in all. */
const RESULTS = 100;
const CHARACTERS = 14_000;

export default tool({
  name: 'search_files',
  description:
    'Finds files of the workspace by name pattern, by text or regular expression in them, or both, and gives the lines with their numbers. ' +
    'Use it to find where something stands; not to read a known file (read_file) or see one folder (list_files), and it passes over what .gitignore names.',
  level: 'read',
  settingNames: [],
  resultCharacters: 16_000,
  private: true,
  idempotent: true,
  resource: 'workspace files',
  input: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        description: 'text that a line holds; leave it out to find files by name alone',
        minLength: 1,
        maxLength: 1000,
      },
      name: { type: 'string', description: 'pattern of file names, such as *.md or src/**/*.ts', minLength: 1, maxLength: 300 },
      path: { type: 'string', description: 'folder (or file) in the workspace; default: all of it', minLength: 1, default: '.' },
      regex: { type: 'boolean', description: 'query is a regular expression', default: false },
      case_sensitive: { type: 'boolean', description: 'upper and lower case differ', default: false },
      context: { type: 'integer', description: 'lines shown around each found one', minimum: 0, maximum: 10, default: 0 },
      max_results: { type: 'integer', description: 'files or found lines', minimum: 1, maximum: 1000, default: RESULTS },
    },
    additionalProperties: false,
  },
  output: { type: 'object', properties: { files: { type: 'array' }, matches: { type: 'integer' }, next: { type: 'string' } } },
  aliases: {
    pattern: 'query',
    text: 'query',
    keyword: 'query',
    glob: 'name',
    folder: 'path',
    directory: 'path',
    关键词: 'query',
    文件名: 'name',
  },
  keywords: 'search find grep files lines containing which file mentions text name 搜索 查找 找 哪个文件 包含 提到 文件名',
  examples: [
    {
      request: 'Where is parseDate defined?',
      arguments: { query: 'function parseDate', name: '*.ts' },
      result: { files: [{ path: 'src/date.ts', lines: ['12: export function parseDate(text: string) {'] }], matches: 1 },
      answer: 'parseDate is defined in src/date.ts, line 12.',
    },
    {
      request: '哪些笔记提到了“季度预算”？',
      arguments: { query: '季度预算', path: 'notes' },
      result: { files: [{ path: 'notes/会议.md', lines: ['8: 季度预算下周定稿'] }], matches: 1 },
      answer: 'notes/会议.md 的第 8 行提到了季度预算。',
    },
    {
      request: 'Is there a file called something with invoice?',
      arguments: { name: '*invoice*' },
      result: { files: ['mail/invoice-2026.pdf'] },
      answer: 'Yes: mail/invoice-2026.pdf.',
    },
  ],
  async execute({ query, name, path, regex, case_sensitive, context: around, max_results }, { context, exec, signal }) {
    if (query === undefined && name === undefined) {
      throw new HermesError('nothing_to_find', 'neither query nor name says what to find', {
        kind: 'tool',
        next: 'give query, name or both',
      });
    }
    const root = await readablePath(context.workspace, '.');
    const { paths, isMore } = await named(root, await readablePath(root, path), name, signal);
    const rest = isMore ? { next: `only the first ${MOST_FILES} files were looked at; name a folder in path` } : {};
    if (query === undefined)
      return { files: paths.slice(0, max_results), ...more(paths.length > max_results, max_results, 'files'), ...rest };
    const wanted = { pattern: query, isRegex: regex, ignoresCase: !case_sensitive, context: around };
    const { files, matches, isCut } = await taken(searchFiles(root, paths, wanted, { exec, signal }), max_results);
    return { files, matches, ...rest, ...more(isCut, matches, 'found lines') };
  },
});

function more(isMore: boolean, shown: number, what: string) {
  return isMore ? { next: `there are more; only the first ${shown} ${what} are shown: narrow query, name or path` } : {};
}

/** A file that is named outright is looked through even when .gitignore names it. */
async function named(root: string, place: string, name: string | undefined, signal: AbortSignal) {
  if ((await stat(place)).isFile()) return { paths: [place.slice(root.length + 1)], isMore: false };
  const fits = name === undefined ? () => true : compileGlob(name);
  const paths: string[] = [];
  let seen = 0;
  for await (const path of walkFiles(root, place)) {
    signal.throwIfAborted();
    if (++seen > MOST_FILES) return { paths, isMore: true };
    if (fits(path) || fits(path.slice(place.length - root.length))) paths.push(path);
  }
  return { paths, isMore: false };
}

/** As many found lines as fit. */
async function taken(hits: AsyncGenerator<Hit>, most: number) {
  const files: Hit[] = [];
  let [matches, characters] = [0, 0];
  for await (const { path, lines } of hits) {
    const shown: string[] = [];
    for (const line of lines) {
      const isFound = /^\d+:/.test(line);
      if ((isFound && matches === most) || characters + line.length > CHARACTERS)
        return { files: add(files, path, shown), matches, isCut: true };
      shown.push(line);
      characters += line.length + 4;
      if (isFound) matches += 1;
    }
    add(files, path, shown);
    characters += path.length + 20;
  }
  return { files, matches, isCut: false };
}

function add(files: Hit[], path: string, lines: string[]): Hit[] {
  if (lines.length > 0) files.push({ path, lines });
  return files;
}
