/** What went wrong with a page, in words that say what to do next. The browser's own words are for programmers. */

import { HermesError } from '../kernel/errors.ts';
import type { ElementFacts } from './in-page.ts';

export function failure(code: string, message: string, next: string): HermesError {
  return new HermesError(code, message, { kind: 'tool', next });
}

/** By what the browser says of it. */
const REASONS: readonly (readonly [says: RegExp, code: string, words: string, next: string])[] = [
  [
    /Download is starting/,
    'is_download',
    'it is a file to be downloaded, no page',
    'web_fetch reads texts; other files the user has to get',
  ],
  [/ERR_CERT|ERR_SSL/, 'bad_certificate', 'its certificate cannot be trusted', 'use another source, or tell the user'],
  [
    /ERR_INVALID_AUTH_CREDENTIALS|ERR_HTTP_RESPONSE_CODE_FAILURE/,
    'access_denied',
    'it wants a login',
    'use another source, or tell the user',
  ],
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects', 'it redirects in a circle', 'use another address'],
  [
    /ERR_EMPTY_RESPONSE|ERR_CONNECTION|ERR_TUNNEL|ERR_PROXY/,
    'not_reached',
    'the connection failed',
    'check the address and its port, or try later',
  ],
  [/ERR_ABORTED/, 'no_content', 'it answers with nothing', 'stay on this page, or open another address'],
];

export function notLoaded(host: string, error: Error, seconds: number): HermesError {
  if (error.name === 'TimeoutError')
    return failure('not_reached', `${host} did not answer within ${seconds} s`, 'try again later, or another source');
  const said = firstLine(error);
  const [, code, words, next] = REASONS.find(([says]) => says.test(said)) ?? [
    '',
    'not_reached',
    said,
    'check the address, or try again later',
  ];
  return failure(code, `${host} did not load: ${words}`, next);
}

export function notClicked(what: string, error: Error, seconds: number): HermesError {
  const [, covering] = /<(.{1,200}?)> intercepts pointer events/s.exec(error.message) ?? [];
  if (covering !== undefined)
    return failure('covered', `something lies over ${what}: <${covering}>`, 'close that first: a note on cookies, a dialog, a menu');
  if (error.name !== 'TimeoutError')
    return failure('not_clicked', `${what}: ${firstLine(error)}`, 'read the page again: it may have changed');
  return failure('not_clicked', `${what} could not be clicked within ${seconds} s`, 'read the page again: it may have changed');
}

/** How fields that take no free text are written. */
const FORMS: Readonly<Record<string, string>> = {
  date: '2026-03-01',
  time: '14:30',
  month: '2026-03',
  week: '2026-W10',
  'datetime-local': '2026-03-01T14:30',
  number: '12.5',
  range: '50',
  color: '#ff8800',
};

/** The option of a list that is meant. */
export function optionOf(options: readonly string[], value: string): string | undefined {
  const wanted = value.trim();
  return options.find((one) => one === wanted) ?? options.find((one) => one.toLowerCase() === wanted.toLowerCase());
}

/** Why this cannot be typed there, as far as the element itself tells. */
export function typingProblem({ what, type, options }: ElementFacts, value: string): HermesError | undefined {
  if (options && optionOf(options, value) === undefined)
    return failure('no_option', `${what} has no "${value}"`, `it has: ${options.filter(Boolean).slice(0, 30).join(' | ') || 'nothing'}`);
  if (type === 'checkbox' || type === 'radio') return failure('not_typed', `${what} takes no text`, 'click it');
  if (type === 'file') return failure('not_typed', `${what} takes a file, and this browser gives none away`, 'tell the user to do it');
  return undefined;
}

/** The page has not taken it. */
export function notTaken({ what, type }: ElementFacts, value: string): HermesError {
  const form = FORMS[type];
  const next = form === undefined ? 'name a field by its label, or by a CSS selector' : `write it as ${form}`;
  return failure('not_typed', `${what} does not take "${value}"`, next);
}

function firstLine({ message }: Error): string {
  return message.split('\n')[0]!.replace(/^(?:page|locator|frame)\.\w+: (?:Error: )?/, '');
}
