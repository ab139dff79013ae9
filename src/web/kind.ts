/** What an answer of a server is: by the type that it states, and where that says nothing by its first bytes. */

import type { WebData } from '../network/response.ts';

export interface Kind {
  kind: 'html' | 'text' | 'other';
  /** For people: "a PDF document". */
  name: string;
}

const SIGNATURES: readonly (readonly [start: string, name: string])[] = [
  ['%PDF-', 'a PDF document'],
  ['\x89PNG', 'an image (PNG)'],
  ['\xff\xd8\xff', 'an image (JPEG)'],
  ['GIF8', 'an image (GIF)'],
  ['PK\x03\x04', 'a ZIP archive or an Office document'],
  ['\x1f\x8b', 'a gzip archive'],
];
const TEXT = /^text\/|[/+](?:json|xml|yaml|toml|javascript|ecmascript|x-ndjson|ld\+json)$|^application\/(?:x-yaml|x-sh|sql|rtf)$/;

export function kindOf({ headers, bytes }: Pick<WebData, 'headers' | 'bytes'>): Kind {
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase();
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1');
  const signature = SIGNATURES.find(([mark]) => start.startsWith(mark));
  if (signature) return { kind: 'other', name: signature[1] };
  if (type === 'text/html' || type === 'application/xhtml+xml') return { kind: 'html', name: 'a web page' };
  const isUnsaid = type === '' || type === 'application/octet-stream' || type === 'text/plain';
  if (
    isUnsaid &&
    /^(?:\xef\xbb\xbf)?\s*(?:<!--[\s\S]*?-->\s*)?<(?:!doctype html|html|head|body)[\s>]/i.test(start) &&
    type !== 'text/plain'
  )
    return { kind: 'html', name: 'a web page' };
  if (TEXT.test(type)) return { kind: 'text', name: type };
  if (isUnsaid && !isBinary(bytes)) return { kind: 'text', name: 'text' };
  return { kind: 'other', name: type === '' || type === 'application/octet-stream' ? 'a binary file' : `of the type ${type}` };
}

function isBinary(bytes: Uint8Array): boolean {
  const hasMark = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !hasMark && bytes.subarray(0, 8_000).includes(0);
}
