/**
 * What has come of a download so far, kept beside the models until the rest has come: a folder with the bytes and with what
 * identifies the file. A download that goes on owns its part by the folder's name (host, process, its start); to take one over
 * is one rename, which only one can win. So nobody ever writes into another's part, and no lock can be left behind.
 */

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { HermesError } from '../../kernel/errors.ts';
import { diskFull, isAlive, sizeOf, writable } from './place.ts';

/** What tells that the rest of a file belongs to its beginning. */
export interface Identity {
  /** A hash of the address, which may hold something secret. */
  source: string;
  sha256?: string;
  /** A strong one. */
  etag?: string;
  bytes?: number;
}

const PREFIX = '.part-';
const OWNED = /~([^~]+)~(\d+)~(\d+)~\d+$/;
let count = 0;

export class Part {
  /** That have come and are on the disk. */
  bytes = 0;
  identity: Identity;
  readonly #folder: string;
  readonly #free: string;
  readonly #handle: FileHandle;
  #hash: Hash = createHash('sha256');

  private constructor(folder: string, free: string, handle: FileHandle, identity: Identity) {
    this.#folder = folder;
    this.#free = free;
    this.#handle = handle;
    this.identity = identity;
  }

  /** The part of an earlier download of the same file, if one is left that nobody works on; else a new one. `file`: the name it will have. */
  static async open(directory: string, file: string, wanted: Identity): Promise<Part> {
    const free = join(directory, `${PREFIX}${file}`);
    const own = `${free}~${hostname()}~${process.pid}~${processStart()}~${count++}`;
    const handle = await writable(directory, async () => {
      await mkdir(directory, { recursive: true });
      if (!(await takeOver(directory, file, own))) await mkdir(own);
      return open(join(own, 'data'), 'a+');
    });
    const kept = await readIdentity(own);
    const part = new Part(own, free, handle, { ...kept, ...wanted });
    if (kept && belongs(kept, wanted)) await part.#readAgain();
    else await part.restart(wanted);
    return part;
  }

  /** Forgets what has come. */
  async restart(identity: Identity): Promise<void> {
    await this.#handle.truncate(0);
    this.bytes = 0;
    this.#hash = createHash('sha256');
    await this.identify(identity);
  }

  /** Kept on the disk before the bytes that it speaks of. */
  async identify(identity: Identity): Promise<void> {
    this.identity = identity;
    await writeFile(join(this.#folder, 'identity.json'), JSON.stringify(identity));
  }

  async write(piece: Buffer): Promise<void> {
    try {
      await this.#handle.appendFile(piece);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') throw diskFull(`the disk of ${this.#folder} is full`, error);
      throw new HermesError('download_write', `cannot write ${this.#folder}: ${message}`, {
        next: 'check that disk, or set HERMES_MODELS to another',
        cause: error,
      });
    }
    this.#hash.update(piece);
    this.bytes += piece.length;
  }

  /** Of all that has come. */
  sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** The whole file takes its place by one rename. */
  async finish(target: string): Promise<void> {
    await this.#handle.sync();
    await this.#handle.close();
    await rename(join(this.#folder, 'data'), target);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** For the next attempt, by whomever; an empty part is not kept. */
  async release(): Promise<void> {
    await this.#handle.close();
    if (this.bytes === 0) return rm(this.#folder, { recursive: true, force: true });
    await rename(this.#folder, this.#free).catch(() => rm(this.#folder, { recursive: true, force: true })); // another was released before
  }

  async drop(): Promise<void> {
    await this.#handle.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #readAgain(): Promise<void> {
    for await (const piece of createReadStream(join(this.#folder, 'data'))) {
      this.#hash.update(piece);
      this.bytes += piece.length;
    }
  }
}

export interface KeptPart {
  /** The file that it is the beginning of. */
  file: string;
  folder: string;
  bytes: number;
  total?: number;
}

/** Beginnings that nobody works on. */
export async function keptParts(directory: string): Promise<KeptPart[]> {
  const names = await readdir(directory).catch(() => []); // no directory, no parts
  const parts = names.filter(isFree).map(async (name) => {
    const folder = join(directory, name);
    const { bytes: total } = (await readIdentity(folder)) ?? {};
    return { file: fileOf(name), folder, bytes: await sizeOf(join(folder, 'data')), ...(total === undefined ? {} : { total }) };
  });
  return Promise.all(parts);
}

/** Throws away the beginnings of a file; gives how many bytes that were. */
export async function dropParts(directory: string, file: string): Promise<number> {
  const parts = (await keptParts(directory)).filter((part) => part.file === file);
  for (const { folder } of parts) await rm(folder, { recursive: true, force: true });
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function takeOver(directory: string, file: string, own: string): Promise<boolean> {
  for (const name of await readdir(directory)) {
    if (!isFree(name) || fileOf(name) !== file) continue;
    const isOurs = await rename(join(directory, name), own).then(
      () => true,
      () => false, // another was faster
    );
    if (isOurs) return true;
  }
  return false;
}

/** Released, or its owner on this machine has gone without a word. */
function isFree(name: string): boolean {
  if (!name.startsWith(PREFIX)) return false;
  const owner = OWNED.exec(name);
  if (!owner) return true;
  const [, host, pid, start] = owner;
  if (host !== hostname()) return false;
  return Number(pid) === process.pid ? Number(start) !== processStart() : !isAlive(Number(pid));
}

function fileOf(name: string): string {
  return name.slice(PREFIX.length).replace(OWNED, '');
}

/** Tells this process from an earlier one that had the same number. */
function processStart(): number {
  return Math.round(performance.timeOrigin);
}

function belongs(kept: Identity, wanted: Identity): boolean {
  if (kept.sha256 && wanted.sha256) return kept.sha256 === wanted.sha256;
  return kept.source === wanted.source && (kept.sha256 ?? kept.etag) !== undefined;
}

async function readIdentity(folder: string): Promise<Identity | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'identity.json'), 'utf8')) as Identity;
  } catch {
    return undefined; // a part without it begins anew
  }
}
