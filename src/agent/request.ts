/** The request of a caller as a message, checked. */

import { HermesError } from '../kernel/errors.ts';
import type { UserMessage } from '../kernel/types.ts';
import type { RunOptions } from './types.ts';

export function userMessage(request: string, options: Pick<RunOptions, 'files'>): UserMessage {
  if (typeof request !== 'string' || request.trim() === '') {
    const got = typeof request === 'string' ? 'an empty one' : typeof request;
    throw new HermesError('empty_request', `the request must be a text, not ${got}`, { kind: 'usage', next: 'say what you want done' });
  }
  // Half a surrogate pair is no valid text; it becomes U+FFFD, as in every UTF-8 writer.
  const content = request.toWellFormed();
  return options.files?.length ? { role: 'user', content, files: [...options.files] } : { role: 'user', content };
}
