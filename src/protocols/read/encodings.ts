/** JSON that was encoded once too often: its quotes are entities of a web page, or escaped as inside a string. */

export interface Encoding {
  name: 'html_entities' | 'escaped';
  /** What stands for one character. */
  pattern: RegExp;
  decode(found: string): string;
}

const QUOTE_ENTITIES = 'quot|apos|#34|#39|#x22|#x27';
const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#x22': '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  lt: '<',
  gt: '>',
  amp: '&',
};
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** How the JSON that begins at `at` is encoded; undefined when it is not. */
export function encodingAt(text: string, at: number): Encoding | undefined {
  const start = text.slice(at, at + 60);
  // {\"name\": ...: the inside of a string without its own quotes.
  if (/^[{[](?:\s|\\[nrt]|[{[]){0,40}\\"/.test(start)) {
    return { name: 'escaped', pattern: /\\(?:u[\da-fA-F]{4}|[\s\S])/g, decode: decodeEscape };
  }
  if (!new RegExp(`^[{[][\\s{[]{0,40}&(?:${QUOTE_ENTITIES});`, 'i').test(start)) return undefined;
  // A text with a bare `<`, `>` or `&` had only its quotes encoded: a `&lt;` in it was meant.
  const end = text.slice(at).search(/<\/|<[|｜]|\n```/);
  const onlyQuotes = new RegExp(`[<>]|&(?!(?:${QUOTE_ENTITIES}|lt|gt|amp|#\\d+|#x[\\da-f]+);)`, 'i').test(
    text.slice(at, end < 0 ? text.length : at + end),
  );
  const pattern = new RegExp(`&(?:${QUOTE_ENTITIES}${onlyQuotes ? '' : '|lt|gt|amp'});`, 'gi');
  return { name: 'html_entities', pattern, decode: (found) => ENTITIES[found.slice(1, -1).toLowerCase()] ?? found };
}

export function decodeAll(text: string, { pattern, decode }: Encoding): string {
  return text.replace(pattern, decode);
}

/** How many characters of the encoded text the first `length` decoded ones take. */
export function encodedLength(text: string, { pattern }: Encoding, length: number): number {
  let decoded = 0;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (decoded + match.index - at >= length) break;
    decoded += match.index - at + 1;
    at = match.index + match[0].length;
  }
  return at + length - decoded;
}

function decodeEscape(found: string): string {
  if (found.length > 2) return String.fromCharCode(Number.parseInt(found.slice(2), 16));
  return ESCAPES[found[1]!] ?? found[1]!;
}
