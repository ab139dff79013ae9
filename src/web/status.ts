/** What an HTTP error status means for a model that wanted something. */

import { HermesError } from '../kernel/errors.ts';
import type { WebResponse } from '../network/fetch.ts';

/** Characters of the server's own words that are repeated. */
const MOST_WORDS = 300;

/** `words`: what the server says itself. */
export function statusError({ status, headers, url }: WebResponse, words = ''): HermesError {
  const { host } = new URL(url);
  const said = words.replace(/\s+/g, ' ').trim().slice(0, MOST_WORDS).toWellFormed();
  const [code, meaning, next, retryable = false] = meaningOf(status, headers['retry-after']);
  const message = `${host} answers with status ${status}: ${meaning}${said ? `. It says: ${said}` : ''}`;
  return new HermesError(code, message, { kind: 'tool', next, retryable });
}

function meaningOf(status: number, retryAfter: string | undefined): [code: string, meaning: string, next: string, retryable?: boolean] {
  if (status === 401 || status === 403 || status === 407)
    return ['access_denied', 'it wants a login, or refuses programs', 'use another source, or tell the user that this one needs a login'];
  if (status === 404 || status === 410) return ['not_found', 'there is nothing at this address', 'check the address, or look for another'];
  if (status === 429) {
    const wait = retryAfter ? ` (again after: ${retryAfter.slice(0, 40)})` : '';
    return ['too_many_requests', `it is asked too often${wait}`, 'go on without it, or use another source', !retryAfter];
  }
  if (status >= 500) return ['server_error', 'it fails itself', 'try once more, or use another source', true];
  return ['bad_status', 'it does not give what was asked for', 'check the address and what was sent'];
}
