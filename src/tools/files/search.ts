/** Finds lines in files: by ripgrep where it is installed, else by a thread of our own, which a time-out can end. */

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { HermesError } from '../../kernel/errors.ts';
import { cut } from '../../kernel/text.ts';
import { moduleFile } from '../../package.ts';
import type { ToolContext } from '../define.ts';
import { decodeText } from '../result.ts';
import { toText } from './form.ts';
import type { Found, WorkerQuery } from './search-worker.ts';

export interface Query {
  pattern: string;
  isRegex: boolean;
  ignoresCase: boolean;
  /** Lines around each found one. */
  context: number;
}
/** `lines`: `12: found`, `11- around it`, as grep has them. */
export interface Hit {
  path: string;
  lines: string[];
}
type Using = Pick<ToolContext, 'exec' | 'signal'>;

/** Bytes of a file; a larger one is passed over. */
export const MOST_BYTES = 5_000_000;
/** Characters of a line that are shown. */
const WIDTH = 300;
/** Files of one ripgrep: the length of a command line has an end. */
const BATCH = 500;
/** Found lines of one file. */
const PER_FILE = 200;

/** Yields files with found lines, in the order of `paths`. Throws `bad_pattern`. */
export async function* searchFiles(root: string, paths: readonly string[], query: Query, using: Using): AsyncGenerator<Hit> {
  let search: typeof byRipgrep = byRipgrep;
  for (let at = 0; at < paths.length; at += BATCH) {
    const batch = paths.slice(at, at + BATCH);
    let hits = await search(root, batch, query, using);
    if (!hits) {
      search = byThread;
      hits = await search(root, batch, query, using);
    }
    for (const path of batch) {
      const found = hits?.get(path);
      if (found) yield { path, lines: found.map(shownLine) };
    }
  }
}

function shownLine({ line, text, isHit }: Found): string {
  const plain = text.replace(/[\r\n]+$/, '');
  return `${line}${isHit ? ':' : '-'} ${plain.length > WIDTH ? `${cut(plain, WIDTH)} [line cut]` : plain}`;
}

// ---- ripgrep -----------------------------------------------------------------------------------------------

let hasRipgrep = true;

type Hits = Map<string, Found[]>;

/** undefined: it is not there, or does not know this kind of pattern. */
async function byRipgrep(root: string, paths: readonly string[], query: Query, using: Using): Promise<Hits | undefined> {
  if (!hasRipgrep) return undefined;
  const hits = await ripgrep(root, paths, query, using);
  // It reads UTF-8; a pattern beyond ASCII may also stand in files in GBK.
  if (!hits || !/[^\0-\x7f]/.test(query.pattern)) return hits;
  const others = await ripgrep(
    root,
    paths.filter((path) => !hits.has(path)),
    query,
    using,
    'gb18030',
  );
  for (const [path, found] of others ?? []) if (await isGb18030(join(root, path))) hits.set(path, found);
  return hits;
}

async function isGb18030(file: string): Promise<boolean> {
  const { readFile } = process.getBuiltinModule('node:fs/promises');
  return toText(await readFile(file))?.encoding === 'gb18030';
}

async function ripgrep(
  root: string,
  paths: readonly string[],
  query: Query,
  { exec }: Using,
  encoding = 'auto',
): Promise<Hits | undefined> {
  const { pattern, isRegex, ignoresCase, context } = query;
  const options = ['--no-config', '--json', `--context=${context}`, `--max-count=${PER_FILE}`, `--max-filesize=${MOST_BYTES}`];
  const more = [...(isRegex ? [] : ['--fixed-strings']), ...(ignoresCase ? ['--ignore-case'] : []), `--encoding=${encoding}`];
  if (paths.length === 0) return new Map();
  try {
    const command = ['rg', ...options, ...more, '-e', pattern, '--', ...paths];
    const { code, stdout } = await exec(command, { cwd: root, maxBytes: 20_000_000 });
    if (code === 2 && stdout === '') return undefined;
    return readHits(stdout);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    hasRipgrep = false;
    return undefined;
  }
}

type Piece = { text: string } | { bytes: string };
interface Message {
  type: 'begin' | 'match' | 'context' | 'end' | 'summary';
  data: { path: Piece; lines: Piece; line_number: number; binary_offset: number | null };
}

function readHits(stdout: string): Hits {
  const hits: Hits = new Map();
  for (const line of stdout.split('\n')) {
    const message = line === '' ? undefined : parsed(line);
    if (!message || message.type === 'begin' || message.type === 'summary') continue;
    const { path, lines, line_number, binary_offset } = message.data;
    const name = textOf(path);
    if (message.type === 'end') {
      if (binary_offset !== null) hits.delete(name);
      continue;
    }
    if (!hits.has(name)) hits.set(name, []);
    hits.get(name)!.push({ line: line_number, text: textOf(lines), isHit: message.type === 'match' });
  }
  return hits;
}

/** undefined: the output was cut there. */
function parsed(line: string): Message | undefined {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return undefined;
  }
}

function textOf(piece: Piece): string {
  return 'text' in piece ? piece.text : decodeText(Buffer.from(piece.bytes, 'base64'));
}

// ---- without it --------------------------------------------------------------------------------------------

async function byThread(root: string, paths: readonly string[], query: Query, { signal }: Using): Promise<Hits> {
  const workerData: WorkerQuery = { ...query, root, paths, mostBytes: MOST_BYTES, perFile: PER_FILE };
  const worker = new Worker(moduleFile('tools/files/search-worker'), { workerData, execArgv: [] });
  const stop = () => void worker.terminate();
  signal.addEventListener('abort', stop);
  try {
    return await new Promise<Hits>((resolve, reject) => {
      worker.on('message', (answer: Hits | string) => {
        if (answer instanceof Map) resolve(answer);
        else
          reject(new HermesError('bad_pattern', `${query.pattern} is no pattern: ${answer}`, { kind: 'tool', next: 'set regex to false' }));
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new HermesError('cancelled', 'the search was ended', { kind: 'tool' })));
    });
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
