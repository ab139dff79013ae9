/** Reads a web page: its main text in parts, its title and links. Other kinds of files are said to be what they are. */

import { HermesError } from '../src/kernel/errors.ts';
import { cut } from '../src/kernel/text.ts';
import type { JsonObject } from '../src/kernel/types.ts';
import type { WebResponse } from '../src/network/fetch.ts';
import { tool } from '../src/tools/define.ts';
import { cleanText } from '../src/tools/result.ts';
import { type Kind, kindOf } from '../src/web/kind.ts';
import { plainText } from '../src/web/plain.ts';
import { readPage } from '../src/web/read.ts';
import { statusError } from '../src/web/status.ts';

/** Characters of text in one result, by default and at most. */
const PART = 4_000;
const MOST_PART = 12_000;
const MOST_LINKS = 25;
/** Milliseconds of one attempt. */
const TIME_LIMIT = 15_000;
/** Characters below which a page has not said much. */
const LITTLE = 200;

export default tool({
  name: 'web_fetch',
  description:
    'Reads the page at a web address and gives its title, main text and links, a long one in parts. Use it when an address is known, from ' +
    'the user or from web_search; not to search, not for sites behind a login, and it runs no scripts of the page.',
  level: 'read',
  settingNames: ['allow_hosts', 'trusted_hosts'],
  untrusted: true,
  outward: true,
  idempotent: true,
  timeoutMs: 45_000,
  resultCharacters: 16_000,
  input: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'the whole address, such as https://example.com/page', format: 'uri', minLength: 8 },
      offset: { type: 'integer', description: 'character of the text to go on from', minimum: 0, default: 0 },
      max_characters: { type: 'integer', description: 'characters of text to give', minimum: 200, maximum: MOST_PART, default: PART },
    },
    required: ['url'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      url: { type: 'string', description: 'where it came from, after redirects' },
      title: { type: 'string' },
      text: { type: 'string' },
      characters: { type: 'integer', description: 'of the whole text' },
      next: { type: 'string', description: 'how to go on, when there is more' },
      links: { type: 'array', items: { type: 'object' } },
      note: { type: 'string' },
    },
  },
  aliases: { address: 'url', uri: 'url', link: 'url', page: 'url', start: 'offset', 网址: 'url', 链接: 'url' },
  keywords:
    'https://example.com http://example.com web page website article what does say fetch read link 网页 网站 网址 链接 文章 打开 抓取 总结',
  examples: [
    {
      request: 'What does https://example.com/opening-hours say?',
      arguments: { url: 'https://example.com/opening-hours' },
      result: {
        url: 'https://example.com/opening-hours',
        title: 'Opening hours',
        text: 'Open from 9 to 17, closed on Mondays.',
        characters: 36,
      },
      answer: 'It is open from 9 to 17 and closed on Mondays.',
    },
    {
      request: '总结一下网页 https://example.com/公告',
      arguments: { url: 'https://example.com/公告' },
      result: { url: 'https://example.com/%E5%85%AC%E5%91%8A', title: '公告', text: '本馆周一闭馆。', characters: 7 },
      answer: '公告说周一闭馆。',
    },
  ],
  async execute({ url, offset, max_characters }, { fetch, exec }) {
    const headers = { accept: 'text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.5' };
    const response = await fetch(url, { headers, timeoutMs: TIME_LIMIT });
    const kind = kindOf(response);
    if (!response.ok) throw statusError(response, kind.kind === 'other' ? '' : titleOf(response, kind));
    const page = kind.kind === 'html' ? await readPage(response.text(), response.url, exec) : undefined;
    if (kind.kind === 'other') return otherFile(response, kind.name);
    const text = cleanText(page ? page.text : response.text()); // as results are: an offset counts what is seen
    const part = partOf(text, offset, max_characters);
    const note = noteOf(response, page, text);
    return {
      url: response.url,
      ...(page?.title ? { title: page.title } : {}),
      ...(page?.published ? { published: page.published } : {}),
      ...(page ? {} : { type: kind.name }),
      ...(note ? { note } : {}),
      text: part,
      characters: text.length,
      ...nextOf(text, offset + part.length),
      ...linksOf(page, offset),
    };
  },
});

function titleOf(response: WebResponse, { kind }: Kind): string {
  return kind === 'html' ? (plainText(response.text()).title ?? '') : response.text();
}

function otherFile({ url, bytes, truncated }: WebResponse, name: string): JsonObject {
  const size = `${truncated ? 'more than ' : ''}${bytes.length} bytes`;
  return {
    url,
    type: name,
    note: `this is ${name} (${size}), no page of text: nothing of it was read; look for a page that says the same`,
  };
}

function partOf(text: string, offset: number, most: number): string {
  if (offset > 0 && offset >= text.length) {
    const next = 'ask with a smaller offset, or without one';
    throw new HermesError('no_such_part', `the text has ${text.length} characters, it was asked for from ${offset} on`, {
      kind: 'tool',
      next,
    });
  }
  const rest = text.slice(offset);
  const part = cut(rest, most);
  // Between two paragraphs where one ends in the last fifth, so that the next part does not begin inside a sentence.
  const end = part.length < rest.length ? part.lastIndexOf('\n') : -1;
  return end > most * 0.8 ? part.slice(0, end + 1) : part;
}

function nextOf(text: string, end: number): { next?: string } {
  return end < text.length ? { next: `${text.length - end} more characters; go on with offset ${end}` } : {};
}

type ReadPage = Awaited<ReturnType<typeof readPage>>;

function linksOf(page: ReadPage | undefined, offset: number): JsonObject {
  if (!page || page.links.length === 0 || offset > 0) return {};
  const links = page.links.slice(0, MOST_LINKS).map(({ text, url }) => ({ text, url }));
  return { links, ...(page.links.length > links.length ? { more_links: page.links.length - links.length } : {}) };
}

/** What the model should know of a page besides its text; several reasons may hold, the first that explains most is told. */
function noteOf({ truncated, bytes }: WebResponse, page: ReadPage | undefined, text: string): string | undefined {
  if (page?.asksToLogIn && text.length < LITTLE * 5) return 'this page asks for a login: what is behind it cannot be read';
  if (text.trim() === '') return page ? 'the page shows no text; it may be made by scripts, which are not run here' : 'the file is empty';
  if (page && /captcha|are you (?:a )?human|verify you are human|人机验证|安全验证|请完成验证/i.test(text) && text.length < LITTLE * 5)
    return 'this page wants to know whether a person asks: its content cannot be read';
  if (page && text.length < LITTLE && /javascript/i.test(text)) return 'the page needs scripts, which are not run here';
  if (page?.isPlain) return `this is its plain text without links: ${page.isPlain}`;
  return truncated ? `only the first ${bytes.length} bytes of it were read` : undefined;
}
