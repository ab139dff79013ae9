/** The request of a caller as a message, checked; its files come in when the model is known. */

import { HermesError } from '../kernel/errors.ts';
import type { UserMessage } from '../kernel/types.ts';

export function userMessage(request: string): UserMessage {
  if (typeof request !== 'string' || request.trim() === '') {
    const got = typeof request === 'string' ? 'an empty one' : typeof request;
    throw new HermesError('empty_request', `the request must be a text, not ${got}`, { kind: 'usage', next: 'say what you want done' });
  }
  // Half a surrogate pair is no valid text; it becomes U+FFFD, as in every UTF-8 writer.
  return { role: 'user', content: request.toWellFormed() };
}
