/** A page in little room: its title, the beginning of its main text, its links. One pass over the tags, no document is built. */

import { isHidden, VOID } from '../neutral.ts';
import { count, headOf } from './text.ts';
import { type Language, TEXT } from './words.ts';

/** Characters of a page that are looked at. */
const LOOKED_AT = 3_000_000;
/** Characters of the main text, in the usual room. */
const MAIN_TEXT = 500;
const LEAST_TEXT = 60;
/** Elements whose text is not the page's own. */
const ASIDE: ReadonlySet<string> = new Set(['head', 'nav', 'header', 'footer', 'aside', 'form', 'select']);
/** Of these, the text is no markup: it ends with their own end tag only. */
const RAW = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);
const BLOCK = /^(?:p|div|section|article|main|h[1-6]|li|ul|ol|tr|table|br|blockquote|pre|dt|dd|figure)$/;

export function isHtml(text: string): boolean {
  const start = text.slice(0, 5_000);
  return (
    /^\s*(?:<!--[\s\S]{0,500}?-->\s*)?<(?:!doctype html|html|head|body)\b/i.test(start) ||
    (/^\s*</.test(start) && (start.match(/<\/?(?:div|p|a|span|li|td|h[1-6])\b/gi)?.length ?? 0) >= 10)
  );
}

export function shapeHtml(html: string, room: number, language: Language): string {
  const words = TEXT[language];
  const looked = html.slice(0, LOOKED_AT);
  const whole = readPage(looked, ASIDE);
  const page = whole.main.length < LEAST_TEXT ? readPage(looked, new Set()) : whole; // a page that is one form, or a menu never closed
  const title = page.title === '' ? '' : `${words.title}: ${headOf(page.title, 200)}\n`;
  const text = headOf(page.main, Math.max(MAIN_TEXT, Math.floor(room / 2) - 500));
  const lines = [`${title}${text}`];
  if (page.links.length > 0) lines.push(words.links(count(page.links.length)));
  let used = lines.join('\n').length;
  for (const { text: name, href } of page.links) {
    const line = `- ${headOf(name, 80)} ${headOf(href, 200)}`;
    used += line.length + 1;
    if (used > room) break;
    lines.push(line);
  }
  return headOf(lines.join('\n'), room);
}

interface Page {
  title: string;
  main: string;
  links: { text: string; href: string }[];
}

function readPage(html: string, asides: ReadonlySet<string>): Page {
  const title = tidy(/<title\b[^>]{0,500}>([^<]{0,2000})/i.exec(html.slice(0, 200_000))?.[1] ?? '');
  const all: string[] = [];
  let isMain = false;
  const links = new Map<string, { text: string; href: string }>();
  let link: { href: string; from: number } | undefined;
  let aside: { name: string; depth: number } | undefined;
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at);
    if (!aside) all.push(html.slice(at, open < 0 ? html.length : open));
    if (open < 0) break;
    const close = html.startsWith('<!--', open) ? html.indexOf('-->', open + 4) + 2 : html.indexOf('>', open);
    if (close < open) break;
    at = close + 1;
    const [, slash, tag = ''] = /^<(\/?)([a-z][a-z0-9]*)/i.exec(html.slice(open, open + 20)) ?? [];
    const name = tag.toLowerCase();
    if (aside) {
      if (name === aside.name) aside.depth += slash ? -1 : 1;
      if (aside.depth === 0) aside = undefined;
    } else if (!slash && RAW.has(name)) {
      const end = endOf(html, name, at);
      at = end < 0 ? html.length : end;
    } else if (!slash && (asides.has(name) || isHidden(html.slice(open + name.length + 1, close))))
      aside = VOID.test(name) ? undefined : { name, depth: 1 };
    else if (name === 'a' && !slash) link = { href: attribute(html.slice(open, close), 'href'), from: all.length };
    else if (name === 'a' && link) {
      const text = tidy(all.slice(link.from).join(''));
      if (text !== '' && /^(?:https?:|\/|\.|[\w-]+[./?])/i.test(link.href) && !links.has(link.href))
        links.set(link.href, { text, href: link.href });
      link = undefined;
    } else if (/^(?:main|article)$/.test(name) && !slash && !isMain) {
      isMain = true;
      all.length = 0;
    }
    if (BLOCK.test(name) && !aside) all.push('\n');
  }
  return { title, main: tidy(all.join('').slice(0, 200_000)), links: [...links.values()] };
}

/** The end tag of an element whose content is no markup. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}\\b[^>]{0,100}>`, 'gi');
  end.lastIndex = from;
  const found = end.exec(html);
  return found ? found.index + found[0].length : -1;
}

function attribute(tag: string, name: string): string {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\\s>]{1,2000}))`, 'i').exec(tag.slice(0, 5_000));
  return decoded(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim();
}

function tidy(text: string): string {
  return decoded(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[\s\n]*/g, '\n')
    .trim();
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  mdash: '—',
  ndash: '–',
  hellip: '…',
};

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,8}));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal);
    return point > 31 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff) ? String.fromCodePoint(point) : ' ';
  });
}
