/** Small pure text helpers that every layer needs: language, token estimate, cutting. */

/** zh when the text holds two or more Han characters, or one and no Latin word; else en. */
export function languageOf(text: string): 'zh' | 'en' {
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return han >= 2 || (han === 1 && !/[a-z]{2}/i.test(text)) ? 'zh' : 'en';
}

/** A rough count: about 4 Latin characters or 1.5 CJK characters a token. */
export function estimateTokens(text: string): number {
  let wide = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x2e80) wide++;
  return Math.ceil((text.length - wide) / 4 + wide / 1.5);
}

/** At most `limit` UTF-16 units, never through a surrogate pair. */
export function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = text.charCodeAt(limit - 1) >= 0xd800 && text.charCodeAt(limit - 1) < 0xdc00 ? limit - 1 : limit;
  return text.slice(0, end);
}

/** JSON with sorted keys: the same value always gives the same text (hashes, fingerprints). */
export function stableJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  const object = value as Record<string, unknown>;
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${stableJson(object[key])}`)
    .join(',')}}`;
}

/** A short name for a text, the same for the same text: 64 bits, FNV-1a in two halves. For comparing, not for safety. */
export function fingerprint(text: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x01000193);
    b = Math.imul(b ^ unit, 0x85ebca6b) + at;
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}
