/**
 * Secrets stay out of what is kept and shown. Known values become `{{secret:NAME}}` before anything
 * is committed and are put back in a tool's run stage only; what merely looks like a secret is masked
 * by readers (log, trace, debug, export), so that the stored data is never altered by a guess.
 */

import { mapJson } from './json.ts';

export interface Secrets {
  /** A copy with every known value as its placeholder, in strings and keys; the value itself when there is none. */
  hide<T>(value: T): T;
  /** For the run stage of a tool, nowhere else: placeholders of known names become the values again. */
  restore<T>(value: T): T;
}

/** `known`: name -> value. Values that are no secret (see isSecret) are left alone, or they would garble every text. */
export function createSecrets(known: Readonly<Record<string, string>>): Secrets {
  const names = new Map<string, string>();
  for (const [name, value] of Object.entries(known)) {
    if (!isSecret(value)) continue;
    const inJson = JSON.stringify(value).slice(1, -1);
    // Errors and results of tools hold JSON in JSON.
    const inInner = JSON.stringify(inJson).slice(1, -1);
    for (const form of [value, inJson, inInner, encodeURIComponent(value)]) names.set(form, `{{secret:${name}}}`);
  }
  if (names.size === 0) return { hide: (value) => value, restore: (value) => value };
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
  const hide = (text: string) => text.replace(pattern, (value) => names.get(value)!);
  const restore = (text: string) =>
    text.replace(/\{\{secret:([^{}]+)\}\}/g, (placeholder, name) => (Object.hasOwn(known, name) ? known[name]! : placeholder));
  return { hide: (value) => mapTexts(value, hide), restore: (value) => mapTexts(value, restore) };
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  return mapJson(value, (node) => (typeof node === 'string' ? change(node) : node), change);
}

/** Keys of local servers ("ollama", "none", "lm-studio") stand in configurations too and are no secrets. */
function isSecret(value: string): boolean {
  return value.length >= 6 && !/^[a-z-]{0,12}$/i.test(value);
}

export const MASK = '[masked]';

/** Shapes of well-known keys and tokens. */
const TOKENS: readonly string[] = [
  '(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}', // OpenAI, Anthropic, DeepSeek, Stripe
  String.raw`(?:AKIA|ASIA)[A-Z0-9]{16}\b`, // AWS
  'gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}',
  'glpat-[A-Za-z0-9_-]{18,}', // GitLab
  'xox[abeoprs]-[A-Za-z0-9-]{10,}', // Slack
  'AIza[A-Za-z0-9_-]{30,}', // Google
  'hf_[A-Za-z0-9]{30,}', // Hugging Face
  String.raw`eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}`, // JSON Web Token
];
/** None can reach over a quote of JSON, but for a private key as a whole. Tokens begin a word, or follow a sign written as %20. */
const PATTERNS: readonly string[] = [
  String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,8192}?-----END [A-Z ]*PRIVATE KEY-----`,
  String.raw`(?:\b|(?<=%[0-9A-Fa-f]{2}))(?:${TOKENS.join('|')})`,
  String.raw`(?<=\bBearer\s)[A-Za-z0-9._~+/=-]{12,}`,
  String.raw`(?<=\bBasic\s)[A-Za-z0-9+/]{16,}={0,2}`,
  String.raw`(?<=[a-z]://[^\s:/@"]{1,64}:)[^\s:/@"]{3,128}(?=@)`, // password in an address
  String.raw`(?<=[?&](?:key|api[-_]?key|(?:access_)?token|secret|password|sig(?:nature)?)=)[^&#\s"'<>\\]{6,512}`, // in its query
];
const MASKED = new RegExp(PATTERNS.join('|'), 'g');

/** For readers: what looks like a secret becomes `[masked]`. JSON text stays JSON text. */
export function maskPatterns(text: string): string {
  return text.replace(MASKED, MASK);
}
