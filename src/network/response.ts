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
  /** By its byte order mark, else by the charset that it names, else UTF-8, else GB 18030; what does not fit becomes U+FFFD. */
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
  const inPage = type === '' || type.includes('html') ? Buffer.from(bytes.subarray(0, 1024)).toString('latin1') : '';
  const named = byMark(bytes) ?? CHARSET.exec(type)?.[1] ?? CHARSET.exec(inPage)?.[1];
  const isKnown = named !== undefined && decoder(named) !== undefined;
  for (const encoding of isKnown ? [named, 'utf-8'] : ['utf-8', 'gb18030']) {
    try {
      return decoder(encoding, true)!.decode(bytes, { stream: truncated });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // the bytes are not in it; then it is another
    }
  }
  return decoder(isKnown ? named : 'utf-8')!.decode(bytes);
}

function byMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** undefined = there is no such encoding. */
function decoder(encoding: string, fatal = false): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(encoding, { fatal });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function parseJson(url: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HermesError('not_json', `what ${url} answered is no JSON: ${(cause as Error).message}`, { kind: 'tool', cause });
  }
}
