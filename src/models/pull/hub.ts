/** Hugging Face and ModelScope: which .gguf files a repository has, with size, hash and licence, and where each can be fetched. */

import type { IncomingHttpHeaders } from 'node:http';
import { HermesError } from '../../kernel/errors.ts';
import type { HubName, Source } from '../catalogue.ts';
import type { Timeouts } from '../http.ts';
import { chooseFile, type ListedFile } from './choose.ts';
import { clean, type RemoteFile, statusError } from './download.ts';
import { get, textOf } from './get.ts';

export interface HubOptions {
  /** Where endpoints, keys and proxies are read. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  timeouts?: Partial<Timeouts> | undefined;
}
type HubSource = Extract<Source, { kind: 'hub' }>;

interface Listing {
  files: ListedFile[];
  licence?: string;
  /** The commit, so that file and hash belong together. */
  revision: string;
}
interface Hub {
  title: string;
  /** Variables that may hold another address, and the usual one. */
  endpoint: (env: NodeJS.ProcessEnv) => string;
  keyName: string;
  secrets: (key: string) => Record<string, string>;
  list: (hub: Asked) => Promise<Listing>;
  fileUrl: (endpoint: string, repository: string, revision: string, path: string) => string;
}
/** One hub asked for one repository. */
interface Asked extends HubOptions {
  hub: Hub;
  scheme: string;
  endpoint: string;
  secrets: Record<string, string>;
  repository: string;
  revision?: string | undefined;
}

const HUBS: Record<Exclude<HubName, 'any'>, Hub> = {
  hf: {
    title: 'Hugging Face',
    endpoint: (env) => env.HF_ENDPOINT || 'https://huggingface.co',
    keyName: 'HF_TOKEN',
    secrets: (key) => ({ authorization: `Bearer ${key}` }),
    list: listHuggingFace,
    fileUrl: (endpoint, repository, revision, path) =>
      `${endpoint}/${repository}/resolve/${encodeURIComponent(revision)}/${encodePath(path)}`,
  },
  ms: {
    title: 'ModelScope',
    endpoint: (env) =>
      env.MODELSCOPE_ENDPOINT || (env.MODELSCOPE_DOMAIN && `https://${env.MODELSCOPE_DOMAIN}`) || 'https://www.modelscope.cn',
    keyName: 'MODELSCOPE_API_TOKEN',
    // Older servers know the cookie only.
    secrets: (key) => ({ authorization: `Bearer ${key}`, cookie: `m_session_id=${key}` }),
    list: listModelScope,
    fileUrl: (endpoint, repository, revision, path) =>
      `${endpoint}/api/v1/models/${repository}/repo?Revision=${encodeURIComponent(revision)}&FilePath=${encodeURIComponent(path)}`,
  },
};

/** The file that the source means. Of several the Q4_K_M one is taken. Throws HermesError of kind model; for `any` that of both hubs. */
export async function findOnHub(source: HubSource, options: HubOptions): Promise<RemoteFile> {
  if (source.hub !== 'any') return findOn(source.hub, source, options);
  const over = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, over.signal]) : over.signal;
  try {
    return await Promise.any((['hf', 'ms'] as const).map((hub) => findOn(hub, source, { ...options, signal })));
  } catch (error) {
    options.signal?.throwIfAborted();
    const reasons = (error as AggregateError).errors.map((each: Error) => each.message);
    throw new HermesError('no_hub', `${source.repository} could not be had from any hub: ${reasons.join('; ')}`, {
      kind: 'model',
      retryable: true,
      next: 'check the network and the proxy variables; HF_ENDPOINT and MODELSCOPE_ENDPOINT name mirrors',
    });
  } finally {
    over.abort(); // the slower one
  }
}

async function findOn(scheme: 'hf' | 'ms', { repository, file, revision }: HubSource, options: HubOptions): Promise<RemoteFile> {
  const hub = HUBS[scheme];
  const endpoint = addressOf(hub.endpoint(options.env));
  const key = options.env[hub.keyName];
  const asked: Asked = { ...options, hub, scheme, endpoint, repository, revision, secrets: key ? hub.secrets(key) : {} };
  const { files, licence, revision: commit } = await hub.list(asked);
  const { path, bytes, sha256 } = chooseFile(`${scheme}:${repository}`, files, file);
  return {
    url: new URL(hub.fileUrl(endpoint, repository, commit, path)),
    title: `${scheme}:${repository}/${path}`,
    magic: 'GGUF',
    secrets: asked.secrets,
    explain: (status, headers, said) => refused(asked, status, headers, said),
    ...(bytes === undefined ? {} : { bytes }),
    ...(sha256 === undefined ? {} : { sha256 }),
    ...(licence === undefined ? {} : { licence }),
  };
}

function addressOf(endpoint: string): string {
  if (URL.canParse(endpoint) && /^https?:/.test(endpoint)) return endpoint.replace(/\/+$/, '');
  throw new HermesError('bad_endpoint', `the hub's address is no http(s) address: ${endpoint}`, {
    kind: 'usage',
    next: 'correct HF_ENDPOINT or MODELSCOPE_ENDPOINT',
  });
}

// ---- the listings -------------------------------------------------------------------------------------------

/** GET /api/models/REPO/revision/REV?blobs=true: siblings with sizes and LFS hashes, the commit, the card. */
async function listHuggingFace(asked: Asked): Promise<Listing> {
  const { endpoint, repository, revision = 'main' } = asked;
  const info = await json(asked, `${endpoint}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`);
  const files = listOf(info.siblings).map((each) => {
    const lfs = (each.lfs ?? {}) as Record<string, unknown>;
    return fileOf(each.rfilename, lfs.size ?? each.size, lfs.sha256);
  });
  const card = (info.cardData ?? {}) as Record<string, unknown>;
  const tag = Array.isArray(info.tags) ? info.tags.find((each) => /^license:/.test(String(each))) : undefined;
  const licence = card.license ?? (tag && String(tag).slice('license:'.length));
  return { files, revision: String(info.sha ?? revision), ...(typeof licence === 'string' ? { licence } : {}) };
}

/** GET /api/v1/models/REPO/repo/files?Revision=REV&Recursive=True; the licence stands in the model's own record. */
async function listModelScope(asked: Asked): Promise<Listing> {
  const { endpoint, repository, revision = 'master' } = asked;
  const base = `${endpoint}/api/v1/models/${repository}`;
  const record = json(asked, base).catch(() => undefined); // only for the licence: without it the file can be had as well
  const { Data: data } = await json(asked, `${base}/repo/files?Revision=${encodeURIComponent(revision)}&Recursive=True`);
  const files = listOf((data as Record<string, unknown> | undefined)?.Files).filter((each) => each.Type !== 'tree');
  const { License: licence } = ((await record)?.Data ?? {}) as { License?: unknown };
  return {
    files: files.map((each) => fileOf(each.Path, each.Size, each.Sha256)),
    revision,
    ...(typeof licence === 'string' && licence ? { licence } : {}),
  };
}

function fileOf(path: unknown, bytes: unknown, sha256: unknown): ListedFile {
  const hash = typeof sha256 === 'string' && /^[0-9a-f]{64}$/i.test(sha256) ? sha256.toLowerCase() : undefined;
  return { path: String(path), ...(typeof bytes === 'number' ? { bytes } : {}), ...(hash ? { sha256: hash } : {}) };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}

async function json(asked: Asked, address: string): Promise<Record<string, unknown>> {
  const got = await get(new URL(address), { ...asked, headers: { accept: 'application/json' } });
  try {
    const text = await textOf(got);
    const value = parsed(text);
    // ModelScope also says 200 and means { Code: 404, Success: false }.
    const code = Number(value?.Success === false || (typeof value?.Code === 'number' && value.Code !== 200) ? value.Code : 200);
    const status = got.status === 200 && code !== 200 ? (code >= 400 && code < 600 ? code : 404) : got.status;
    if (status !== 200) {
      const said = clean(text, asked.secrets);
      throw (
        refused(asked, status, got.headers, said) ?? statusError(new URL(asked.endpoint).host, asked.repository, status, got.headers, said)
      );
    }
    if (value) return value;
    throw new HermesError('not_a_hub', `${got.url.host} answers with something else than the API of ${asked.hub.title}: ${clean(text)}`, {
      kind: 'model',
      next: 'check HF_ENDPOINT or MODELSCOPE_ENDPOINT, and what stands between here and there (a log-in page of the network?)',
    });
  } finally {
    got.close();
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // a page
  }
}

// ---- refusals -------------------------------------------------------------------------------------------------------

function refused(
  { hub, scheme, endpoint, repository, secrets }: Asked,
  status: number,
  headers: IncomingHttpHeaders,
  said: string,
): HermesError | undefined {
  const page = `${endpoint}/${scheme === 'ms' ? 'models/' : ''}${repository}`;
  const words = said && `: ${said}`;
  const isKeyed = Object.keys(secrets).length > 0;
  const code = String(headers['x-error-code'] ?? '');
  const fail = (name: string, message: string, next: string) => new HermesError(name, message, { kind: 'model', next, data: { status } });
  if (code === 'GatedRepo' || (status === 403 && isKeyed)) {
    const next = isKeyed ? `agree to them with the account of ${hub.keyName}` : `agree to them there, then set ${hub.keyName}`;
    return fail(
      'model_gated',
      `${hub.title} gives ${repository} only to people who have agreed to its terms at ${page} (${status}${words})`,
      next,
    );
  }
  if (status === 401 || status === 403) {
    const next = isKeyed
      ? `check the name, and whether ${hub.keyName} is still valid`
      : `check the name; for a private or gated one set ${hub.keyName}`;
    return fail('download_refused', `${hub.title} does not give ${repository} to this caller (${status}${words})`, next);
  }
  if (status === 404) {
    const what = code === 'RevisionNotFound' ? 'such a revision of' : 'a repository';
    return fail('download_not_found', `${hub.title} has no ${what.replace(/^a /, '')} ${repository}${words}`, `check the name: ${page}`);
  }
  return undefined;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
