/** What fails between here and a model endpoint, or any other server: connecting, TLS, silence, size. */

import type { HermesError } from '../kernel/errors.ts';
import { modelError, type Place } from './http-errors.ts';

/** A failure of socket, name look-up, TLS or HTTP, from the code that Node gives it. */
export function networkError(place: Place, cause: NodeJS.ErrnoException): HermesError {
  const { endpoint } = place;
  const code = cause.code ?? '';
  const fail = (name: string, message: string, next: string, retryable = false) =>
    modelError(name, `${endpoint} ${message}`, next, { retryable, cause });
  if (code === 'ECONNREFUSED') {
    // A name with several addresses gives one error for each.
    const { address, port } = ((cause as AggregateError).errors?.[0] ?? cause) as { address?: string; port?: number };
    const message = `refuses the connection: nothing listens at ${address}:${port}.`;
    return fail('connection_refused', message, 'Start that server, or correct base_url or the proxy variables.', true);
  }
  if (code === 'ENOTFOUND')
    return fail('host_not_found', 'has a host name that cannot be found.', 'Check the network connection, and the name in base_url.');
  if (code === 'EAI_AGAIN')
    return fail('host_not_found', 'cannot be looked up now (no answer of the name service).', 'Check the network connection.', true);
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ISSUER|CRL/.test(code))
    return fail(
      'bad_certificate',
      `shows a certificate that cannot be trusted (${code}).`,
      'For an own authority set NODE_EXTRA_CA_CERTS=FILE.',
    );
  if (code === 'EPROTO' || code.startsWith('ERR_SSL'))
    return fail('not_tls', 'does not speak TLS on this port.', 'If it is a plain server, write http:// in base_url.');
  if (code.startsWith('HPE_'))
    return fail('not_http', `does not speak HTTP (${code}).`, 'Check port and scheme of base_url (https:// for a TLS port).');
  if (code === 'ECONNRESET' || code === 'EPIPE')
    return fail('connection_lost', 'closed the connection before its answer was complete.', 'Try again; see the log of that server.', true);
  return fail('network_error', `cannot be reached: ${cause.message}`, 'Check the network connection and the proxy variables.', true);
}

export function timeoutError(place: Place, phase: 'connect' | 'firstByte' | 'wholeAnswer' | 'silence', ms: number): HermesError {
  const seconds = `${ms / 1000} s`;
  const text = {
    connect: ['connect_timeout', `gave no connection within ${seconds}.`],
    firstByte: ['first_byte_timeout', `sent nothing for ${seconds} after the request.`],
    wholeAnswer: ['first_byte_timeout', `sent no answer for ${seconds} after the request.`],
    silence: ['stream_silent', `fell silent for ${seconds} in the middle of its answer.`],
  }[phase] as [string, string];
  // Who has waited for the first byte in vain would wait as long again.
  const retryable = phase === 'connect' || phase === 'silence';
  return modelError(text[0], `${place.endpoint} ${text[1]}`, 'Try again; a slow server needs a longer time-out.', { retryable });
}

export function tooLarge(place: Place, limit: number): HermesError {
  return modelError(
    'response_too_large',
    `${place.endpoint} sent more than ${limit / 2 ** 20} MiB in one answer.`,
    'Set max_tokens, or check what answers there.',
  );
}
