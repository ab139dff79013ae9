/** A Python package index (simple API, as HTML or JSON) without pip: which index the environment names, and where a wheel lies in it. */

import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { HermesError } from '../../kernel/errors.ts';
import type { Wheel } from '../catalogue.ts';
import { clean, type RemoteFile, statusError } from './download.ts';
import { type GetOptions, get, textOf } from './get.ts';

const VARIABLES = ['PIP_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_INDEX_URL'];
const JSON_TYPE = 'application/vnd.pypi.simple.v1+json';

/** From the variables of pip and uv, else from pip's configuration files. No index is built in. */
export async function indexAddress(env: NodeJS.ProcessEnv): Promise<URL | undefined> {
  const named = VARIABLES.map((name) => env[name]).find((value) => value);
  const home = env.HOME ?? homedir();
  const usual = [join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'pip', 'pip.conf'), join(home, '.pip', 'pip.conf'), '/etc/pip.conf'];
  const files = env.PIP_CONFIG_FILE === '/dev/null' ? [] : [env.PIP_CONFIG_FILE, ...usual]; // pip reads it so
  const address = named ?? (await firstIn(files));
  if (address === undefined) return undefined;
  if (URL.canParse(address) && /^https?:/.test(address)) return new URL(`${address.replace(/\/+$/, '')}/`);
  throw new HermesError('bad_index', `the package index is no http(s) address: ${address.replace(/\/\/[^/@]*@/, '//')}`, {
    kind: 'usage',
    next: `correct ${VARIABLES.join(', ')}`,
  });
}

async function firstIn(files: readonly (string | undefined)[]): Promise<string | undefined> {
  for (const file of files) {
    const text = file ? await readFile(file, 'utf8').catch(() => '') : ''; // not there, or not for us
    const found = /^\s*index[-_]url\s*[=:]\s*(\S+)/m.exec(text)?.[1];
    if (found) return found;
  }
  return undefined;
}

/** The wheel's address and hash. Throws HermesError of kind model when the index does not have it. */
export async function findWheel(index: URL, wheel: Wheel, options: GetOptions): Promise<RemoteFile & { file: string }> {
  const project = wheel.package.toLowerCase().replace(/[-_.]+/g, '-');
  const got = await get(new URL(`${project}/`, index), { ...options, headers: { accept: `${JSON_TYPE}, text/html;q=0.5` } });
  try {
    const text = await textOf(got);
    if (got.status !== 200) throw statusError(got.url.host, wheel.package, got.status, got.headers, clean(text));
    const isJson = (got.headers['content-type'] ?? '').includes('json');
    const links = isJson ? fromJson(text, got.url) : fromHtml(text, got.url);
    const begins = `${project.replaceAll('-', '_')}-${wheel.version}-`.toLowerCase();
    const link = links.find(({ file }) => file.toLowerCase().startsWith(begins) && file.endsWith('.whl'));
    if (!link)
      throw notThere(
        wheel,
        got.url.host,
        links.map(({ file }) => file),
      );
    return {
      url: withUserOf(index, link.url),
      file: link.file,
      title: `${wheel.package}==${wheel.version}`,
      magic: 'PK',
      ...(link.sha256 ? { sha256: link.sha256 } : {}),
      ...(link.bytes === undefined ? {} : { bytes: link.bytes }),
    };
  } finally {
    got.close();
  }
}

interface Link {
  file: string;
  url: URL;
  sha256?: string | undefined;
  bytes?: number | undefined;
}

function fromJson(text: string, base: URL): Link[] {
  const { files = [] } = JSON.parse(text) as { files?: { filename: string; url: string; hashes?: { sha256?: string }; size?: number }[] };
  return files.map(({ filename, url, hashes, size }) => ({ file: filename, url: new URL(url, base), sha256: hashes?.sha256, bytes: size }));
}

function fromHtml(text: string, base: URL): Link[] {
  return [...text.matchAll(/<a\s[^>]*href\s*=\s*["']([^"']+)["'][^>]*>([^<]*)<\/a>/gi)].flatMap(([, href = '', name = '']) => {
    const address = href.replaceAll('&amp;', '&');
    if (!URL.canParse(address, base.href)) return [];
    const url = new URL(address, base);
    const sha256 = /sha256=([0-9a-f]{64})/i.exec(url.hash)?.[1];
    url.hash = '';
    return [{ file: name.trim() || (url.pathname.split('/').at(-1) ?? ''), url, sha256 }];
  });
}

/** An index that asks for a name and password asks for them with its files too. */
function withUserOf(index: URL, file: URL): URL {
  if (file.origin !== index.origin || file.username) return file;
  const known = new URL(file);
  known.username = index.username;
  known.password = index.password;
  return known;
}

function notThere(wheel: Wheel, host: string, files: readonly string[]): HermesError {
  const shown = files.slice(-5).join(', ') || 'nothing';
  return new HermesError('model_file_not_found', `${host} has no wheel ${wheel.package} ${wheel.version}; there: ${shown}`, {
    kind: 'model',
    next: 'check name and version',
  });
}
