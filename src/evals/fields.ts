/** Checks what people wrote by hand: every fault names the place, the key, what was expected and the nearest key. */

import { nearest } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Json, JsonObject } from '../kernel/types.ts';
import { short } from './match.ts';

export type Check = readonly [expected: string, fits: (value: unknown) => boolean];
export type Checks<Key extends string = string> = Readonly<Record<Key, Check>>;

/** Where a value stands, and the list that its faults go to. */
export class Place {
  readonly #name: string;
  readonly #faults: string[];

  constructor(name: string, faults: string[]) {
    this.#name = name;
    this.#faults = faults;
  }

  at(key: string | number): Place {
    return new Place(
      typeof key === 'number' ? `${this.#name}[${key}]` : `${this.#name}${this.#name.endsWith(':') ? ' ' : '.'}${key}`,
      this.#faults,
    );
  }

  fault(message: string): void {
    this.#faults.push(`${this.#name}${this.#name.endsWith(':') ? '' : ':'} ${message}`);
  }

  expected(what: string, got: unknown): void {
    this.fault(`expected ${what}, got ${short(got)}`);
  }

  /** The value as a table whose keys are all known and right; faults are noted, and what is wrong is left out. */
  table(value: unknown, checks: Checks, required: readonly string[] = []): JsonObject {
    if (!isObject(value)) {
      this.expected(`a table with ${Object.keys(checks).join(', ')}`, value);
      return {};
    }
    const good: JsonObject = {};
    for (const [key, given] of Object.entries(value)) {
      const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
      if (!check) this.at(key).fault(`there is no such key; ${meant(key, Object.keys(checks))}`);
      else if (!check[1](given)) this.at(key).expected(check[0], given);
      else good[key] = given as Json;
    }
    for (const key of required) if (!Object.hasOwn(value, key)) this.at(key).fault(`missing; expected ${checks[key]![0]}`);
    return good;
  }
}

export function meant(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near ? `did you mean ${near}?` : `known are ${known.join(', ')}`;
}

export const isText = (value: unknown) => typeof value === 'string' && value.trim() !== '';
export const isNumber = (value: unknown) => typeof value === 'number';
export const isList = (fits: (value: unknown) => boolean) => (value: unknown) => Array.isArray(value) && value.every(fits);
export const anything: Check = ['any value', () => true];
export const text: Check = ['a text', (value) => typeof value === 'string'];
export const texts: Check = ['a list of texts', isList((one) => typeof one === 'string')];
export const table: Check = ['a table', isObject];
export const atLeastOne: Check = ['a whole number from 1', (value) => Number.isInteger(value) && (value as number) >= 1];
export const aboveZero: Check = ['a number above 0', (value) => typeof value === 'number' && value > 0];

/** A text may stand for a list of one. */
export function listOf<T extends Json>(value: Json | undefined): T[] | undefined {
  return value === undefined ? undefined : ((Array.isArray(value) ? value : [value]) as T[]);
}
