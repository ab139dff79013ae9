/** The text between the tags of a page, for pages that break everything else. Looks at each character once. */

const UNSEEN = /^(?:script|style|template|noscript|svg|title)$/;
const LINE = /^\/?(?:p|div|br|li|tr|h[1-6]|ul|ol|table|section|article|header|footer|blockquote|pre)$/;
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

export function plainText(html: string): { title?: string; text: string } {
  const lower = html.toLowerCase();
  const title = between(html, lower, 'title');
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    pieces.push(html.slice(at, open < 0 ? undefined : open));
    if (open < 0) break;
    const close = lower.startsWith('<!--', open) ? endOf(lower, '-->', open) : endOf(lower, '>', open);
    const name = /^<(\/?[a-z][a-z0-9]*)/.exec(lower.slice(open, open + 20))?.[1] ?? '';
    at = UNSEEN.test(name) ? endOf(lower, '>', endOf(lower, `</${name}`, close)) : close;
    if (LINE.test(name)) pieces.push('\n');
  }
  const lines = decoded(pieces.join('')).split('\n');
  const text = lines.map((line) => line.trim().replace(/[ \t\r]+/g, ' ')).filter((line) => line !== '');
  return { ...(title === '' ? {} : { title }), text: text.join('\n') };
}

/** Behind the next `mark`; without one, the end. */
function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function between(html: string, lower: string, name: string): string {
  const open = lower.indexOf(`<${name}`);
  if (open < 0) return '';
  const start = endOf(lower, '>', open);
  const end = lower.indexOf(`</${name}`, start);
  return decoded(html.slice(start, end < 0 ? start : end))
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 300);
}

function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,6}));/gi, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
