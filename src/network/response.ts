/** What a fetch gives: plain data, so that it can go to a worker thread, and two ways to read it. */

import { HermesError } from '../kernel/errors.ts';

export interface WebData {
  status: number;
  /** Lower-case names; several of one name are joined with ", ". */
  headers: Record<string, string>;
  /** Where it came from in the end, after redirects. */
  url: string;
  bytes: Uint8Array;
  /** The body went on beyond `maxBytes`. */
  truncated: boolean;
}
export interface WebResponse extends WebData {
  /** Status 200 to 299. */
  ok: boolean;
  /** By the charset of the content type, else UTF-8, else GB 18030, else UTF-8 with replacements. */
  text(): string;
  /** Throws `not_json`. */
  json(): unknown;
}

/** What a thread can be sent. */
export function webData({ status, headers, url, bytes, truncated }: WebData): WebData {
  return { status, headers, url, bytes, truncated };
}

export function webResponse(data: WebData): WebResponse {
  const text = () => decode(data);
  return { ...data, ok: data.status >= 200 && data.status < 300, text, json: () => parseJson(data.url, text()) };
}

/** Of the text `charset=...`, also in a page that names it only itself. */
const CHARSET = /charset\s*=\s*["']?([\w-]+)/i;

function decode({ bytes, headers, truncated }: WebData): string {
  const type = headers['content-type'] ?? '';
  const inPage = type.includes('html') ? Buffer.from(bytes.subarray(0, 1024)).toString('latin1') : '';
  const named = CHARSET.exec(type)?.[1] ?? CHARSET.exec(inPage)?.[1];
  for (const encoding of [named, 'utf-8', 'gb18030']) {
    if (encoding === undefined) continue;
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: truncated });
    } catch (error) {
      // RangeError: no such encoding; TypeError: the bytes are not in it. Then it is another.
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    }
  }
  return new TextDecoder().decode(bytes);
}

function parseJson(url: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HermesError('not_json', `what ${url} answered is no JSON: ${(cause as Error).message}`, { kind: 'tool', cause });
  }
}
