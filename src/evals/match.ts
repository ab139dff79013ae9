/** Is a value what a case expects? Pure; what does not fit is said in one line. */

import { isObject } from '../kernel/json.ts';
import type { Json } from '../kernel/types.ts';
import type { Matcher } from './types.ts';

/** What is wrong with `actual`; undefined = it fits. `at` names the value in the message. */
export function mismatch(expected: Matcher, actual: Json | undefined, at: string): string | undefined {
  const wrong = () => `${at}: expected ${short(expected)}, got ${short(actual)}`;
  if (actual === undefined) return wrong();
  const pattern = typeof expected === 'string' ? regexOf(expected) : undefined;
  if (pattern) return pattern.test(textOf(actual)) ? undefined : wrong();
  if (Array.isArray(expected)) return listMismatch(expected, actual, at) ?? undefined;
  if (!isObject(expected)) return expected === actual ? undefined : wrong();
  if (Array.isArray(expected.one_of)) {
    return expected.one_of.some((one) => mismatch(one, actual, at) === undefined) ? undefined : wrong();
  }
  if (typeof expected.near === 'number') {
    return typeof actual === 'number' && isNear(actual, expected.near, Number(expected.within ?? 0)) ? undefined : wrong();
  }
  if (!isObject(actual)) return wrong();
  for (const [key, inner] of Object.entries(expected)) {
    const problem = mismatch(inner, actual[key], `${at}.${key}`);
    if (problem) return problem;
  }
  return undefined;
}

function listMismatch(expected: Json[], actual: Json, at: string): string | undefined {
  if (!Array.isArray(actual) || actual.length !== expected.length) return `${at}: expected ${short(expected)}, got ${short(actual)}`;
  for (const [index, one] of expected.entries()) {
    const problem = mismatch(one, actual[index], `${at}[${index}]`);
    if (problem) return problem;
  }
  return undefined;
}

/** The regular expression that a text between slashes stands for. A text such as /etc/passwd has more slashes and is only a text. */
export function regexOf(text: string): RegExp | undefined {
  const parts = /^\/((?:[^/\\]|\\.)+)\/([imsu]*)$/su.exec(text);
  return parts ? new RegExp(parts[1]!, parts[2]) : undefined;
}

/** Decimal fractions are compared as people do: 0.1 + 0.2 is 0.3. */
function isNear(a: number, b: number, within: number): boolean {
  return Math.abs(a - b) <= within + 1e-9 * Math.max(1, Math.abs(b));
}

/** `text` holds the number, in any usual way to write it: 1,234.5, full-width digits, a minus sign. */
export function holdsNumber(text: string, wanted: number, within: number): boolean {
  const found =
    text
      .normalize('NFKC')
      .replace(/[−–]/g, '-')
      .match(/-?\d+(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?/g) ?? [];
  // A minus may also be a hyphen or a range: 6-12.
  return found.some((one) => [one, one.replace(/^-/, '')].some((digits) => isNear(Number(digits.replaceAll(',', '')), wanted, within)));
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export function short(value: unknown): string {
  const text = value === undefined ? 'nothing' : (JSON.stringify(value) ?? String(value));
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
