/** Title, main text and links of a page of HTML. Runs in a process of its own (extract-process.ts): a page is made by strangers and may be hostile. */

import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { type DomNode, isHidden, renderText } from './render.ts';

export interface Page {
  title?: string;
  /** The main text; of a page without one, all that can be seen. */
  text: string;
  /** Those of the main text first; absolute, http and https only, each once. */
  links: Link[];
  /** As the page states it. */
  published?: string;
  /** It asks for a password. */
  asksToLogIn?: true;
}
export interface Link {
  text: string;
  url: string;
}

/** Characters of text and links that are kept. */
const MOST_TEXT = 2_000_000;
const MOST_LINKS = 200;
const MOST_LINK_TEXT = 100;
/** Characters below which a page is all main text. */
const LEAST = 200;
/** Characters from which on a found article counts as the main text, whatever else the page has. */
const ARTICLE = 400;
/** Part of what can be seen that a shorter article has to be. */
const ARTICLE_SHARE = 0.5;

/** Also where the page leaves out its head, as it may; images have titles, too. */
const TITLE = 'html > title, head > title, body > title';

interface Element extends DomNode {
  getElementsByTagName(name: string): Iterable<Element>;
}
interface Page_ extends Element {
  title: string;
  body: Element | null;
  querySelector(selector: string): Element | null;
}

/** First the page as it can be seen, then, where it has one, with its main text in place of all of it: finding that may take too long. */
export function* extractPage(html: string, url: string): Generator<Page> {
  // Without <html>, linkedom takes the first element for the whole document.
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`);
  const page = document as unknown as Page_;
  const base = baseOf(page, url);
  const seen = renderText(page.body?.firstChild ? page.body : page);
  const all = [...linksOf(page, base)];
  const asksToLogIn = page.querySelector('input[type="password" i]') !== null;
  const title = oneLine(page.title || textOf(page, TITLE) || textOf(page, 'h1'));
  const whole: Page = {
    ...(title ? { title } : {}),
    text: seen.slice(0, MOST_TEXT),
    links: unique(all).slice(0, MOST_LINKS),
    ...(asksToLogIn ? { asksToLogIn } : {}),
  };
  yield whole;
  if (seen.length < LEAST) return;
  const article = new Readability<DomNode>(document, { serializer: (node) => node as unknown as DomNode }).parse();
  if (!article?.content) return;
  const { content, publishedTime: published } = article;
  const text = renderText(content).slice(0, MOST_TEXT);
  if (text.length < ARTICLE && text.length < seen.length * ARTICLE_SHARE) return;
  const links = unique([...linksOf(content as Element, base), ...all]).slice(0, MOST_LINKS);
  yield { ...whole, text, links, ...(published ? { published: oneLine(published) } : {}) };
}

function textOf(page: Page_, selector: string): string {
  return page.querySelector(selector)?.textContent ?? '';
}

function baseOf(page: Page_, url: string): string {
  const stated = page.querySelector('base[href]')?.getAttribute?.('href') ?? '';
  return URL.canParse(stated, url) ? new URL(stated, url).href : url;
}

function* linksOf(part: Element, base: string): Generator<Link> {
  for (const anchor of part.getElementsByTagName('a')) {
    const href = anchor.getAttribute?.('href')?.trim() ?? '';
    if (href === '' || href.startsWith('#') || isHidden(anchor) || !URL.canParse(href, base)) continue;
    const { protocol, href: url } = new URL(href, base);
    const text = oneLine(anchor.textContent ?? '').slice(0, MOST_LINK_TEXT);
    if ((protocol === 'http:' || protocol === 'https:') && text !== '') yield { text: text.toWellFormed(), url };
  }
}

function unique(links: readonly Link[]): Link[] {
  const known = new Map<string, Link>();
  for (const link of links) if (!known.has(link.url)) known.set(link.url, link);
  return [...known.values()];
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 300).toWellFormed();
}
