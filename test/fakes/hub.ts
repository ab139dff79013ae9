/**
 * A hub on loopback that speaks the file APIs of Hugging Face and ModelScope, with a second server as the store that it redirects
 * to, as theirs do. What goes wrong is set by the test, while it runs.
 */

import { createHash } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  host: 'hub' | 'store';
  path: string;
  headers: IncomingHttpHeaders;
}
export interface Mischief {
  /** The store ends the connection after so many bytes of an answer, so many times. */
  cut?: { after: number; times: number };
  /** The store sends so many bytes and then nothing more. */
  hang?: number;
  /** Milliseconds between pieces of 16 KB. */
  slow?: number;
  /** The store knows no ranges. */
  noRanges?: boolean;
  noETag?: boolean;
  /** Both give no hash. */
  noHash?: boolean;
  /** The listing gives this size or hash for every file. */
  listed?: { size?: number; sha256?: string };
  /** What listing and store say of a file's size. */
  huge?: number;
  /** Instead of the listing or the file. */
  refuse?: { at: 'listing' | 'file'; status: number; code?: string; text?: string; times?: number; headers?: Record<string, string> };
  /** The store answers with a page. */
  page?: boolean;
  /** Where the hub redirects to instead. */
  redirect?: string;
  /** The hub answers after so many milliseconds. */
  late?: number;
}
export interface FakeHub {
  /** What leads a pull here. */
  env: Record<string, string>;
  port: number;
  seen: Seen[];
  /** Path in every repository -> content. */
  files: Map<string, Buffer>;
  mischief: Mischief;
  licence: string;
  close(): Promise<void>;
}

const commit = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';

export async function fakeHub(files: Record<string, Buffer>): Promise<FakeHub> {
  const seen: Seen[] = [];
  const note = (host: Seen['host'], { url = '', headers }: IncomingMessage) => seen.push({ host, path: url, headers });
  const store = createServer((request, response) => {
    note('store', request);
    void sendFile(hub, decodeURIComponent((request.url ?? '').slice(1)), request, response);
  });
  const main = createServer(async (request, response) => {
    note('hub', request);
    if (hub.mischief.late) await new Promise((done) => setTimeout(done, hub.mischief.late).unref());
    answer(hub, await portOf(store), request.url ?? '', response);
  });
  const hub: FakeHub = {
    env: {},
    port: await portOf(main),
    seen,
    files: new Map(Object.entries(files)),
    mischief: {},
    licence: 'apache-2.0',
    async close() {
      for (const server of [main, store]) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
  await portOf(store);
  const address = `http://127.0.0.1:${hub.port}`;
  hub.env = { HF_ENDPOINT: address, MODELSCOPE_ENDPOINT: address };
  return hub;
}

async function portOf(server: Server): Promise<number> {
  if (!server.listening) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

export function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

// ---- the hub ------------------------------------------------------------------------------------------------

function answer(hub: FakeHub, storePort: number, address: string, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(address, 'http://hub');
  const isFile = /\/resolve\/|\/repo$/.test(pathname);
  if (isRefused(hub, isFile ? 'file' : 'listing', response)) return;
  if (isFile) {
    redirect(hub, storePort, searchParams.get('FilePath') ?? decodeURIComponent(pathname.split('/').slice(5).join('/')), response);
    return;
  }
  const value = pathname.includes('/revision/')
    ? huggingFace(hub)
    : pathname.endsWith('/repo/files')
      ? modelScope(hub)
      : { Code: 200, Success: true, Data: { License: hub.licence } };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function redirect({ files, mischief }: FakeHub, storePort: number, path: string, response: ServerResponse): void {
  const data = files.get(path);
  if (!data) {
    response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end('Entry not found');
    return;
  }
  response.writeHead(302, {
    location: mischief.redirect ?? `http://127.0.0.1:${storePort}/${encodeURIComponent(path)}`,
    'x-repo-commit': commit,
    ...(mischief.noHash ? {} : { 'x-linked-etag': `"${mischief.listed?.sha256 ?? sha256(data)}"` }),
    'x-linked-size': String(mischief.listed?.size ?? mischief.huge ?? data.length),
  });
  response.end();
}

function huggingFace({ files, licence, mischief: { listed, noHash, huge } }: FakeHub) {
  const siblings = [...files].map(([path, data]) => {
    const size = listed?.size ?? huge ?? data.length;
    return { rfilename: path, size, ...(noHash ? {} : { lfs: { size, sha256: listed?.sha256 ?? sha256(data), pointerSize: 134 } }) };
  });
  return { sha: commit, cardData: { license: licence }, tags: ['gguf'], siblings };
}

function modelScope({ files, mischief: { listed, noHash, huge } }: FakeHub) {
  const Files = [...files].map(([path, data]) => ({
    Path: path,
    Type: 'blob',
    Size: listed?.size ?? huge ?? data.length,
    ...(noHash ? {} : { Sha256: listed?.sha256 ?? sha256(data) }),
  }));
  return { Code: 200, Success: true, Data: { Files: [{ Path: 'folder', Type: 'tree', Size: 0 }, ...Files] } };
}

function isRefused({ mischief }: FakeHub, at: 'listing' | 'file', response: ServerResponse): boolean {
  const { refuse } = mischief;
  if (refuse?.at !== at || refuse.times === 0) return false;
  if (refuse.times !== undefined) refuse.times--;
  response.writeHead(refuse.status, { ...(refuse.code ? { 'x-error-code': refuse.code } : {}), ...refuse.headers }).end(refuse.text ?? '');
  return true;
}

// ---- the store ------------------------------------------------------------------------------------------------

async function sendFile({ files, mischief }: FakeHub, path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const data = files.get(path) ?? Buffer.alloc(0);
  const etag = `"${sha256(data).slice(0, 32)}"`;
  const from = mischief.noRanges ? 0 : startOf(request, etag);
  if (mischief.page) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end('<h1>Please log in</h1>');
    return;
  }
  if (from > 0 && from >= data.length) {
    response.writeHead(416, { 'content-range': `bytes */${data.length}` }).end();
    return;
  }
  response.writeHead(from > 0 ? 206 : 200, {
    'content-type': 'application/octet-stream',
    'content-length': (mischief.huge ?? data.length) - from,
    ...(mischief.noETag ? {} : { etag }),
    ...(from > 0 ? { 'content-range': `bytes ${from}-${data.length - 1}/${data.length}` } : {}),
  });
  await sendBody(mischief, data.subarray(from), response);
}

async function sendBody(mischief: Mischief, rest: Buffer, response: ServerResponse): Promise<void> {
  if (mischief.cut && mischief.cut.times > 0) {
    mischief.cut.times--;
    response.write(rest.subarray(0, mischief.cut.after), () => setTimeout(() => response.destroy(), 20));
  } else if (mischief.hang !== undefined) response.write(rest.subarray(0, mischief.hang));
  else if (mischief.slow === undefined) response.end(rest);
  else {
    for (let at = 0; at < rest.length && !response.destroyed; at += 16_384) {
      response.write(rest.subarray(at, at + 16_384));
      await new Promise((done) => setTimeout(done, mischief.slow));
    }
    response.end();
  }
}

function startOf({ headers }: IncomingMessage, etag: string): number {
  const first = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
  return first === undefined || (headers['if-range'] !== undefined && headers['if-range'] !== etag) ? 0 : Number(first);
}
