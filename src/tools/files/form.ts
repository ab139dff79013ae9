/** A text file's bytes as text, and back: encoding and mark stay what they were. */

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'gb18030';
export interface TextFile {
  /** Without the mark. */
  text: string;
  encoding: Encoding;
  /** A byte order mark stands before the text. */
  hasMark: boolean;
}

const MARKS: readonly [Encoding, readonly number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** undefined: no text in any of these encodings, or one that `fromText` could not give back byte by byte. */
export function toText(bytes: Uint8Array): TextFile | undefined {
  const marked = MARKS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  const body = marked ? bytes.subarray(marked[1].length) : bytes;
  if (!marked?.[0].startsWith('utf-16') && body.includes(0)) return undefined;
  for (const encoding of marked ? [marked[0]] : (['utf-8', 'gb18030'] as const)) {
    const text = decoded(body, encoding);
    if (text === undefined) continue;
    const file = { text, encoding, hasMark: marked !== undefined };
    return Buffer.compare(fromText(file), bytes) === 0 ? file : undefined;
  }
  return undefined;
}

export function fromText({ text, encoding, hasMark }: TextFile): Uint8Array {
  const mark = hasMark ? (MARKS.find(([name]) => name === encoding)?.[1] ?? []) : [];
  return Buffer.concat([Uint8Array.from(mark), encoded(text.toWellFormed(), encoding)]);
}

/** All its lines end in CRLF. */
export function isCrlf(text: string): boolean {
  return text.includes('\r\n') && !/(?<!\r)\n/.test(text);
}

export function withCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

/** A whole new content in the encoding and with the line ends of what stood there; undefined: its encoding lacks some of the characters. */
export function inForm(old: TextFile | undefined, content: string): { text: string; bytes: Uint8Array } | undefined {
  const plain = content.toWellFormed();
  if (!old) return { text: plain, bytes: Buffer.from(plain) };
  const text = isCrlf(old.text) ? withCrlf(plain) : plain;
  const bytes = fromText({ ...old, text });
  return toText(bytes)?.text === text ? { text, bytes } : undefined;
}

function decoded(bytes: Uint8Array, encoding: Encoding): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined; // the bytes are not in this encoding
    throw error;
  }
}

function encoded(text: string, encoding: Encoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'gb18030') return toGb18030(text);
  const units = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16le' ? units : units.swap16();
}

// ---- GB 18030, which GBK and GB 2312 are a part of: the platform only reads it -------------------------

let codes: Map<number, readonly number[]> | undefined;

function toGb18030(text: string): Uint8Array {
  codes ??= readCodes();
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0)!;
    if (point < 0x80) bytes.push(point);
    else bytes.push(...(codes.get(point) ?? fourBytes(point - 0x10000 + FIRST_BEYOND)));
  }
  return Uint8Array.from(bytes);
}

/** The place of U+10000 among the codes of four bytes; those beyond it follow in order. */
const FIRST_BEYOND = 189_000;
/** So many codes of four bytes stand for the characters below U+10000. */
const BASIC = 39_420;

/** What the decoder makes of every code of two and of four bytes for a character below U+10000. */
function readCodes(): Map<number, readonly number[]> {
  const found = new Map<number, readonly number[]>();
  const decoder = new TextDecoder('gb18030');
  const add = (code: readonly number[]) => {
    const text = decoder.decode(Uint8Array.from(code));
    const point = text.codePointAt(0)!;
    const isOne = text.length === (point > 0xffff ? 2 : 1) && point !== 0xfffd && point >= 0x80;
    if (isOne && !found.has(point)) found.set(point, code);
  };
  for (let lead = 0x81; lead <= 0xfe; lead++) for (let trail = 0x40; trail <= 0xfe; trail++) if (trail !== 0x7f) add([lead, trail]);
  for (let place = 0; place < BASIC; place++) add(fourBytes(place));
  return found;
}

function fourBytes(place: number): [number, number, number, number] {
  return [
    0x81 + Math.floor(place / 12_600),
    0x30 + (Math.floor(place / 1260) % 10),
    0x81 + (Math.floor(place / 10) % 126),
    0x30 + (place % 10),
  ];
}
