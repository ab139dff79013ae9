/**
 * Values that a request states in its own way, by the format that an argument declares in its JSON Schema: `arithmetic`,
 * `time-zone`, `place`, `day`, `email`, `uri`. Not a special case of one tool: any tool that declares the format is served.
 */

import type { Json, JsonObject } from '../kernel/types.ts';
import { findArithmetic, isArithmetic } from './arithmetic.ts';
import { findDay } from './days.ts';
import { findZone } from './places.ts';
import { orderOf } from './steps.ts';

export interface Resolved {
  value: string;
  by: 'rail';
  /** Where the value comes from, for the log. */
  note: string;
}
interface Format {
  /** True for a value that is already what the format wants. */
  fits(value: string): boolean;
  find(text: string): { value: string; from: string } | undefined;
  /** The text holds more than one of them: which is meant is not known. */
  several?(text: string): boolean;
}

const FORMATS: Readonly<Record<string, Format>> = {
  arithmetic: {
    fits: (value) => isArithmetic(value) || /[\d)]\s*[-+*/^%]|\w\(/.test(value),
    find(text) {
      const value = findArithmetic(text);
      return value === undefined ? undefined : { value, from: 'the request' };
    },
  },
  'time-zone': {
    fits: isZone,
    find(text) {
      const written = text.match(/\b[A-Z][A-Za-z_]+\/[A-Z][A-Za-z_/]+/g)?.find(isZone);
      if (written !== undefined) return { value: written, from: written };
      const found = findZone(text);
      return found && { value: found.zone, from: found.name };
    },
  },
  place: {
    fits: () => true,
    find(text) {
      const found = findZone(text);
      return found && { value: found.name, from: 'the request' };
    },
  },
  day: {
    fits: () => true,
    find(text) {
      const value = findDay(text);
      return value === undefined ? undefined : { value, from: 'the request' };
    },
  },
  email: byPattern(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/),
  uri: byPattern(/https?:\/\/[^\s"'<>，。；）]+[^\s"'<>，。；）.,;:!?)]/),
};

/** Characters of a text that are looked at: a person's request, not a pasted book. */
const LOOKED_AT = 4_000;

/**
 * The value that the format of the property wants: from what the model wrote, when that names it in other words, else
 * from the request. Undefined when the value fits as it is, the format is not one of these, or nothing is found.
 */
export function resolveArgument(property: JsonObject, value: Json | undefined, request: string): Resolved | undefined {
  const format = typeof property.format === 'string' && Object.hasOwn(FORMATS, property.format) ? FORMATS[property.format] : undefined;
  if (format === undefined) return undefined;
  const written = typeof value === 'string' ? value.trim() : '';
  if (written !== '' && (format.fits(written) || format.several?.(written))) return undefined;
  const found = (written === '' ? undefined : format.find(written.slice(0, LOOKED_AT))) ?? format.find(request.slice(0, LOOKED_AT));
  return found && { value: found.value, by: 'rail', note: `${found.value} from ${found.from}` };
}

/** How a value of this format comes to its result, in a sentence: the order in which arithmetic is done. */
export function explainArgument(property: JsonObject, value: Json | undefined, language: 'zh' | 'en'): string | undefined {
  return property.format === 'arithmetic' && typeof value === 'string' ? orderOf(value, language) : undefined;
}

function byPattern(pattern: RegExp): Format {
  return {
    fits: (value) => pattern.exec(value)?.[0] === value,
    find(text) {
      const value = pattern.exec(text)?.[0];
      return value === undefined ? undefined : { value, from: 'the request' };
    },
    several: (text) => new Set(text.match(new RegExp(pattern, 'g'))).size > 1,
  };
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
