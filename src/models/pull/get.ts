/** One GET that follows redirects: what is secret goes to the host that was asked and to no other, and https never falls back to http. */

import type { IncomingHttpHeaders } from 'node:http';
import { HermesError } from '../../kernel/errors.ts';
import { createTransport, type Incoming, type Timeouts, type Transport } from '../http.ts';

export interface GetOptions {
  headers?: Readonly<Record<string, string>>;
  /** Headers for the host that is asked first, never for one that it redirects to. */
  secrets?: Readonly<Record<string, string>>;
  /** Where the proxy variables are read. */
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal | undefined;
  timeouts?: Partial<Timeouts> | undefined;
}
export interface Got extends Pick<Incoming, 'status' | 'headers' | 'pieces'> {
  /** Where the answer came from in the end. */
  url: URL;
  /** What the asked host says about the file that it redirects to (x-linked-etag, x-linked-size). */
  linked: IncomingHttpHeaders;
  /** Ends the connection; to be called whatever happens. */
  close(): void;
}

const MAX_REDIRECTS = 10;
/** Bytes of a listing or of an error's page that are read. */
const MAX_TEXT = 16 * 2 ** 20;

/** Any status but a redirect comes back as it is. Throws HermesError of kind model, or the signal's reason. */
export async function get(start: URL, options: GetOptions): Promise<Got> {
  let url = start;
  let linked: IncomingHttpHeaders = {};
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const transport = createTransport({
      url,
      place: { endpoint: url.host, model: '' },
      env: options.env,
      timeouts: options.timeouts ?? {},
    });
    const incoming = await ask(transport, url, url.origin === start.origin, options);
    if (url.origin === start.origin) linked = { ...linked, ...incoming.headers };
    const { status, headers } = incoming;
    const close = () => {
      incoming.discard();
      transport.close();
    };
    if (status < 300 || status >= 400 || !headers.location) return { status, headers, pieces: () => incoming.pieces(), url, linked, close };
    close();
    url = nextHop(url, headers.location);
  }
  throw new HermesError('too_many_redirects', `${start.host} redirects more than ${MAX_REDIRECTS} times`, {
    kind: 'model',
    next: 'check the address',
  });
}

/** The whole answer as text. */
export async function textOf(got: Got): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of got.pieces()) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_TEXT)
      throw new HermesError('response_too_large', `${got.url.host} sent more than ${MAX_TEXT / 2 ** 20} MiB`, { kind: 'model' });
  }
  return Buffer.concat(pieces).toString();
}

async function ask(transport: Transport, url: URL, isOwnHost: boolean, options: GetOptions): Promise<Incoming> {
  const { headers = {}, secrets = {}, signal } = options;
  const sent = {
    'user-agent': 'hermes-agent',
    'accept-encoding': 'identity',
    ...headers,
    ...(isOwnHost ? { ...userOf(url), ...secrets } : {}),
  };
  try {
    return await transport.get(Object.entries(sent).flat(), signal);
  } catch (error) {
    transport.close();
    throw error instanceof HermesError ? forDownloads(error) : error;
  }
}

/** The transport speaks of base_url, as models have one; here it is a download that fails. */
export function forDownloads(error: HermesError): HermesError {
  const { code, message, retryable, cause } = error;
  if (code === 'bad_certificate') return error;
  const next = 'check the network and the proxy variables (HTTPS_PROXY, NO_PROXY), then try again: what has come is kept';
  return new HermesError('download_failed', message, { kind: 'model', retryable, next, cause });
}

/** Name and password that stand in an address, as index addresses have them. */
function userOf({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Where an answer redirects to; throws for what is not followed. */
export function nextHop(from: URL, location: string): URL {
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const fault = !to
    ? 'to something that is no address'
    : to.protocol === 'http:' && from.protocol === 'https:'
      ? `from https to http (${to.host})`
      : /^https?:$/.test(to.protocol)
        ? undefined
        : `to ${to.protocol}`;
  if (to && !fault) return to;
  throw new HermesError('bad_redirect', `${from.host} redirects ${fault}, which is not followed`, {
    kind: 'model',
    next: 'check the address, or use another source',
  });
}
