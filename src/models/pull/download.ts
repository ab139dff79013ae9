/**
 * One large file over HTTP: goes on where an earlier attempt stopped, begins anew when the file has changed or the server knows
 * no ranges, tries again when the connection is cut, and gives the file its name only after size and hash are right.
 */

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { HermesError } from '../../kernel/errors.ts';
import { cut } from '../../kernel/text.ts';
import type { Timeouts } from '../http.ts';
import { forDownloads, type Got, get, textOf } from './get.ts';
import { type Identity, Part } from './part.ts';
import { checkSpace } from './place.ts';

export interface RemoteFile {
  url: URL;
  /** As people know it: hf:OWNER/REPO/FILE. */
  title: string;
  secrets?: Readonly<Record<string, string>>;
  bytes?: number;
  sha256?: string;
  licence?: string;
  /** What the file begins with. */
  magic: 'GGUF' | 'PK';
  /** What a refusal (401, 403, 404) means here; default: said in general words. */
  explain?(status: number, headers: IncomingHttpHeaders, said: string): HermesError | undefined;
}
export interface DownloadOptions {
  /** Where the part is kept; on the same disk as the target. */
  directory: string;
  /** The part's name. */
  file: string;
  env: NodeJS.ProcessEnv;
  onBytes?(bytes: number, total: number | undefined): void;
  signal?: AbortSignal | undefined;
  timeouts?: Partial<Timeouts> | undefined;
  /** Milliseconds before the second attempt; doubled each time. Default 1,000. */
  backOff?: number | undefined;
}

/** In a row that bring nothing. */
const MAX_ATTEMPTS = 4;
/** Milliseconds that a server may ask to wait. */
const MAX_WAIT = 60_000;

/** When it fails or is aborted, what has come is kept for the next call. Throws HermesError, or the signal's reason. */
export async function download(remote: RemoteFile, target: string, options: DownloadOptions): Promise<void> {
  const part = await Part.open(options.directory, options.file, identityOf(remote));
  let isOver = false;
  try {
    const resumed = part.bytes;
    await untilWhole(remote, part, options);
    if (resumed > 0 && !isRight(part)) {
      await part.restart(identityOf(remote)); // its beginning may be from another time
      await untilWhole(remote, part, options);
    }
    isOver = true;
    if (!isRight(part)) {
      await part.drop();
      throw wrongHash(remote.title, part.sha256(), part.identity.sha256 ?? '');
    }
    await part.finish(target);
  } finally {
    if (!isOver) await part.release();
  }
}

export function wrongHash(title: string, found: string, expected: string): HermesError {
  return new HermesError(
    'model_checksum',
    `${title} is not the expected file and was thrown away: sha256 is ${found}, expected ${expected}`,
    {
      kind: 'model',
      next: 'try again; if it stays so, use another source',
    },
  );
}

function isRight(part: Part): boolean {
  return part.identity.sha256 === undefined || part.identity.sha256 === part.sha256();
}

async function untilWhole(remote: RemoteFile, part: Part, options: DownloadOptions): Promise<void> {
  const { signal, backOff = 1000 } = options;
  for (let failures = 0; ; ) {
    const before = part.bytes;
    try {
      if (await attempt(remote, part, options)) return;
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof HermesError) || !error.retryable) throw error;
      failures = part.bytes > before ? 1 : failures + 1;
      if (failures >= MAX_ATTEMPTS) throw error;
      await sleep(Number(error.data.retry_after_ms ?? backOff * 2 ** (failures - 1)), undefined, { signal });
    }
  }
}

/** False: what had come is of no use, ask for the whole. */
async function attempt(remote: RemoteFile, part: Part, options: DownloadOptions): Promise<boolean> {
  const { bytes, etag, sha256 } = { ...part.identity, bytes: part.bytes };
  if (bytes > 0 && bytes === part.identity.bytes) return true;
  // If-Range only where nothing better is known: the etag of a redirect's target differs from server to server.
  const range = bytes > 0 ? { range: `bytes=${bytes}-`, ...(etag && !sha256 ? { 'if-range': etag } : {}) } : {};
  const got = await get(remote.url, { ...options, headers: range, ...(remote.secrets ? { secrets: remote.secrets } : {}) });
  try {
    if (got.status === 416 && bytes > 0) return await startAnew(remote, part);
    if (got.status !== 200 && got.status !== 206) throw await refusal(remote, got);
    const answer = readHead(remote, got);
    if (got.status === 206 && !continues(part, answer)) return await startAnew(remote, part);
    if (got.status === 200 && bytes > 0) await part.restart(identityOf(remote));
    await part.identify({ ...(part.bytes > 0 ? part.identity : identityOf(remote)), ...answer.identity });
    if (answer.identity.bytes !== undefined) await checkSpace(options.directory, answer.identity.bytes - part.bytes);
    await take(remote, got, part, options);
    return true;
  } finally {
    got.close();
  }
}

async function startAnew(remote: RemoteFile, part: Part): Promise<false> {
  if (part.bytes === 0)
    throw new HermesError('bad_range', `${remote.url.host} sends another piece than was asked for`, {
      kind: 'model',
      next: 'use another source',
    });
  await part.restart(identityOf(remote));
  return false;
}

async function take(remote: RemoteFile, got: Got, part: Part, options: DownloadOptions): Promise<void> {
  const { bytes: total } = part.identity;
  let head = part.bytes === 0 ? '' : remote.magic; // the beginning has been looked at before
  try {
    for await (const piece of got.pieces()) {
      if (head.length < remote.magic.length) {
        head += piece.toString('latin1', 0, remote.magic.length - head.length);
        if (!remote.magic.startsWith(head)) throw notTheFile(remote, got, piece);
      }
      await part.write(piece);
      options.onBytes?.(part.bytes, total);
      if (total !== undefined && part.bytes > total) throw wrongSize(remote, part.bytes, total);
    }
  } catch (error) {
    throw error instanceof HermesError && error.retryable && error.code !== 'download_failed' ? forDownloads(error) : error;
  }
  if (total === undefined || part.bytes === total) return;
  throw new HermesError('download_failed', `${got.url.host} closed the connection after ${part.bytes} of ${total} bytes`, {
    kind: 'model',
    retryable: true,
    next: 'the same command goes on from there',
  });
}

// ---- what an answer says about the file ----------------------------------------------------------------------

interface Head {
  identity: Partial<Identity>;
  /** First byte of a 206. */
  start?: number;
}

function readHead(remote: RemoteFile, { status, headers, linked, url }: Got): Head {
  if (/^text\/html/i.test(headers['content-type'] ?? '')) {
    throw new HermesError('not_a_model', `${url.host} answers with a web page instead of the file ${remote.title}`, {
      kind: 'model',
      next: 'use the address of the file itself (on a hub: its download link)',
    });
  }
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '');
  const length = headers['content-encoding'] ? undefined : headers['content-length'];
  const announced = numberOf(status === 206 ? range?.[2] : length) ?? numberOf(linked['x-linked-size']);
  const bytes = remote.bytes ?? announced;
  if (announced !== undefined && announced !== bytes) throw wrongSize(remote, announced, bytes ?? 0);
  const sha256 = remote.sha256 ?? /^"?([0-9a-f]{64})"?$/.exec(String(linked['x-linked-etag'] ?? ''))?.[1];
  const etag = headers.etag?.startsWith('"') ? headers.etag : undefined;
  return {
    identity: { ...(bytes === undefined ? {} : { bytes }), ...(sha256 ? { sha256 } : {}), ...(etag ? { etag } : {}) },
    ...(range?.[1] === undefined ? {} : { start: Number(range[1]) }),
  };
}

/** Whether a 206 goes on with the file whose beginning is here. */
function continues(part: Part, { start, identity }: Head): boolean {
  const { bytes, identity: kept } = part;
  const sameHash = kept.sha256 !== undefined && kept.sha256 === identity.sha256;
  const sameTag = kept.etag !== undefined && kept.etag === identity.etag;
  return (
    start === bytes &&
    (bytes === 0 || sameHash || (kept.sha256 === undefined && sameTag)) &&
    (kept.bytes ?? identity.bytes) === identity.bytes
  );
}

function identityOf({ url, sha256, bytes }: RemoteFile): Identity {
  return {
    source: createHash('sha256').update(`${url.origin}${url.pathname}${url.search}`).digest('hex'),
    ...(sha256 ? { sha256 } : {}),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

function numberOf(text: string | string[] | undefined): number | undefined {
  return typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : undefined;
}

// ---- what can be wrong with it ----------------------------------------------------------------------------------

function wrongSize({ title }: RemoteFile, found: number, expected: number): HermesError {
  return new HermesError('model_size', `${title} should have ${expected} bytes, and the server sends ${found}`, {
    kind: 'model',
    next: 'try again later; if it stays so, use another source',
  });
}

function notTheFile({ title, magic }: RemoteFile, { url }: Got, head: Buffer): HermesError {
  const kind = magic === 'GGUF' ? 'a GGUF model' : 'a wheel';
  return new HermesError(
    'not_a_model',
    `${title} from ${url.host} is not ${kind}: it begins with ${JSON.stringify(head.toString('latin1', 0, 16))}`,
    {
      kind: 'model',
      next: 'check the address; only .gguf models can be run',
    },
  );
}

async function refusal(remote: RemoteFile, got: Got): Promise<HermesError> {
  const { status, headers, url } = got;
  const said = clean(await textOf(got).catch(() => ''), remote.secrets);
  const known = remote.explain?.(status, { ...got.linked, ...headers }, said);
  return known ?? statusError(url.host, remote.title, status, headers, said);
}

/** A status that is no success, in general words. */
export function statusError(host: string, what: string, status: number, headers: IncomingHttpHeaders, said: string): HermesError {
  const message = `${host} answers ${status} for ${what}${said && `: ${said}`}`;
  const passing = status === 408 || status === 429 || status >= 500;
  const after = Number(headers['retry-after']) * 1000;
  return new HermesError(
    status === 404 || status === 410 ? 'download_not_found' : status === 401 || status === 403 ? 'download_refused' : 'download_failed',
    message,
    {
      kind: 'model',
      retryable: passing,
      next: passing ? 'try again later: what has come is kept' : 'check the address, and whether it needs a key',
      ...(passing && after > 0 ? { data: { retry_after_ms: Math.min(after, MAX_WAIT) } } : {}),
    },
  );
}

/** The server's words on one line, without what was secret. */
export function clean(text: string, secrets: Readonly<Record<string, string>> = {}): string {
  let said =
    /"(?:error|message|Message|detail)"\s*:\s*"([^"]+)"/.exec(text)?.[1] ?? text.replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/g, ' ');
  for (const secret of Object.values(secrets)) {
    for (const word of secret.split(/[ =]/)) if (word.length > 5) said = said.replaceAll(word, '[key]');
  }
  return cut(said.replace(/[\s\p{Cc}]+/gu, ' ').trim(), 200);
}
