/** Web searches behind one form: what each service is asked, and what it answers. Forms as the services document them. */

import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import type { FetchOptions, WebResponse } from '../network/fetch.ts';
import { statusError } from './status.ts';

export interface Found {
  title: string;
  url: string;
  snippet: string;
  /** As the service gives it: mostly ISO 8601. */
  date?: string;
}
export type Fetch = (address: string | URL, options?: FetchOptions) => Promise<WebResponse>;
export interface SearchService {
  name: ServiceName;
  /** Where it is; without a slash at its end. */
  url: string;
  key: string | undefined;
}
export type ServiceName = 'searxng' | 'brave' | 'tavily' | 'bocha';

interface Service {
  /** Absent = it stands where the user says. */
  url?: string;
  /** Its key's variable. */
  variable?: string;
  ask(query: string, count: number, key: string): { path: string; options: FetchOptions };
  /** undefined = it is no answer of this service; [] = it found nothing. Throws when the answer says that it could not search. */
  read(answer: JsonObject): readonly Partial<Record<keyof Found, unknown>>[] | undefined;
}

/** In the order in which they are taken when several are set up. */
export const SERVICES: Readonly<Record<ServiceName, Service>> = {
  searxng: {
    ask: (query) => ({ path: `/search?${new URLSearchParams({ q: query, format: 'json' })}`, options: {} }),
    read({ results, unresponsive_engines: silent }) {
      if (listOf(results)?.length === 0 && Array.isArray(silent) && silent.length > 0) throw noEngine(silent);
      return listOf(results)?.map(({ title, url, content, publishedDate }) => ({ title, url, snippet: content, date: publishedDate }));
    },
  },
  brave: {
    url: 'https://api.search.brave.com',
    variable: 'BRAVE_API_KEY',
    ask: (query, count, key) => ({
      path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(count) })}`,
      options: { headers: { 'x-subscription-token': key } },
    }),
    // What found nothing has no `web`.
    read: ({ web, type }) =>
      listOf(objectOf(web).results ?? (type === 'search' ? [] : undefined))?.map(({ title, url, description, page_age, age }) => ({
        title,
        url,
        snippet: description,
        date: page_age ?? age,
      })),
  },
  tavily: {
    url: 'https://api.tavily.com',
    variable: 'TAVILY_API_KEY',
    ask: (query, count, key) => posted('/search', key, { query, max_results: count }),
    read: ({ results }) =>
      listOf(results)?.map(({ title, url, content, published_date }) => ({ title, url, snippet: content, date: published_date })),
  },
  bocha: {
    url: 'https://api.bochaai.com',
    variable: 'BOCHA_API_KEY',
    ask: (query, count, key) => posted('/v1/web-search', key, { query, count, summary: true }),
    read({ code, msg, message, data }) {
      if (code !== undefined && Number(code) !== 200) throw refusal('bocha', String(msg ?? message ?? code));
      const { webPages } = objectOf(data);
      return listOf(objectOf(webPages).value ?? (webPages === null ? [] : undefined))?.map(
        ({ name, url, summary, snippet, datePublished }) => ({
          title: name,
          url,
          snippet: summary || snippet,
          date: datePublished,
        }),
      );
    },
  },
};

/** Milliseconds of one attempt; a search of many engines takes its time. */
const TIME_LIMIT = 12_000;
const MOST_SNIPPET = 400;

export async function search(service: SearchService, query: string, count: number, fetch: Fetch): Promise<Found[]> {
  const { ask, read } = SERVICES[service.name];
  const { path, options } = ask(query, count, service.key ?? '');
  const headers = { accept: 'application/json', ...options.headers };
  const response = await fetch(`${service.url}${path}`, { ...options, headers, timeoutMs: TIME_LIMIT });
  if (!response.ok) throw refused(response, service);
  const found = read(objectOf(answerOf(response, service)));
  if (!found) throw badAnswer(service, 'what a search there answers');
  return found.flatMap(plainly).slice(0, count);
}

function answerOf(response: WebResponse, service: SearchService): unknown {
  try {
    return response.json();
  } catch (cause) {
    throw badAnswer(service, 'JSON', cause);
  }
}

function badAnswer({ name, url }: SearchService, expected: string, cause?: unknown): HermesError {
  const next =
    name === 'searxng' ? 'tell the user: `formats: [html, json]` has to stand in its settings.yml' : 'try again, or go on without it';
  return new HermesError('bad_answer', `the search at ${url} does not answer with ${expected}`, { kind: 'tool', next, cause });
}

/** None of the engines behind it answered, so that nothing is known: mostly they ask whether we are human. */
function noEngine(silent: readonly unknown[]): HermesError {
  const said = silent.slice(0, 5).map((one) => (Array.isArray(one) ? one.join(': ') : String(one)));
  return new HermesError('search_unavailable', `no engine answered the search (${said.join('; ').slice(0, 200)}); nothing is known`, {
    kind: 'tool',
    next: 'try again later, or go on without it; do not say that there is nothing',
  });
}

/** Of a wrong key and a used-up balance the model can do nothing; the user can. */
function refused(response: WebResponse, { name }: SearchService): HermesError {
  const error = statusError(response, response.text());
  if (response.status === 403 && name === 'searxng') {
    const next = 'tell the user: `formats: [html, json]` has to stand in its settings.yml';
    return new HermesError('search_refused', error.message, { kind: 'tool', next });
  }
  if (![401, 402, 403, 422, 432, 433].includes(response.status)) return error;
  return refusal(name, error.message);
}

function refusal(name: ServiceName, message: string): HermesError {
  const next = `tell the user to check ${SERVICES[name].variable ?? name}: its key, plan or balance`;
  return new HermesError('search_refused', message.slice(0, 300), { kind: 'tool', next });
}

function posted(path: string, key: string, body: JsonObject): { path: string; options: FetchOptions } {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return { path, options: { method: 'POST', headers, body: JSON.stringify(body) } };
}

function plainly({ title, url, snippet, date }: Partial<Record<keyof Found, unknown>>): Found[] {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url)) return [];
  const found = { title: textOf(title) || url, url, snippet: textOf(snippet).slice(0, MOST_SNIPPET).toWellFormed() };
  const day = textOf(date);
  return [day ? { ...found, date: day.slice(0, 40) } : found];
}

/** Without the tags that mark the words that were searched for. */
function textOf(value: unknown): string {
  if (typeof value !== 'string') return '';
  const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };
  const plain = value.slice(0, 5_000).replace(/<\/?[a-z][^<>]{0,100}>/gi, '');
  return plain
    .replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => entities[name]!)
    .replace(/\s+/g, ' ')
    .trim();
}

function listOf(value: unknown): Record<string, unknown>[] | undefined {
  return Array.isArray(value) ? value.map(objectOf) : undefined;
}

function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}
