/** The objects and lists that are open while a value is read, innermost last. */

import type { Json, JsonObject } from '../../kernel/types.ts';

export type ContainerKind = 'object' | 'array' | 'tuple' | 'call';
export interface Container {
  kind: ContainerKind;
  value: JsonObject | Json[];
  /** The key that the next value belongs to. */
  key: string;
  /** The last key had no quotes. */
  bareKeys: boolean;
  /** What comes next; `first` and `next`: a key or an element, the first one or one behind a comma. */
  expect: 'first' | 'next' | 'value' | 'separator';
}
const CLOSING: Readonly<Record<ContainerKind, string>> = { object: '}', array: ']', tuple: ')', call: ')' };

export class Containers {
  /** The whole value; set as soon as it begins. */
  root: Json | undefined;
  private readonly stack: Container[] = [];

  get depth(): number {
    return this.stack.length;
  }

  get innermost(): Container | undefined {
    return this.stack.at(-1);
  }

  open(kind: ContainerKind): void {
    const value: JsonObject | Json[] = kind === 'object' || kind === 'call' ? {} : [];
    this.put(value);
    this.stack.push({ kind, value, key: '', bareKeys: kind === 'call', expect: 'first' });
  }

  /** Index of the innermost container that a bracket closes; -1 when none is open. */
  closedBy(bracket: string): number {
    return this.stack.findLastIndex(({ kind }) => CLOSING[kind] === bracket);
  }

  /** A complete value at the current place. Like JSON.parse: `__proto__` is a key like any other. */
  put(value: Json): void {
    const container = this.innermost;
    if (container === undefined) this.root = value;
    else {
      if (Array.isArray(container.value)) container.value.push(value);
      else Object.defineProperty(container.value, container.key, { value, enumerable: true, configurable: true, writable: true });
      container.expect = 'separator';
    }
  }

  /** Ends the containers from the innermost to the one at `index`; true when one ended behind a comma. */
  leave(index: number): boolean {
    let afterComma = false;
    while (this.stack.length > index) {
      const { kind, value, expect } = this.stack.pop()!;
      afterComma ||= expect === 'next';
      // (x) is x, (x,) and (x, y) are lists.
      if (kind === 'tuple' && expect === 'separator' && Array.isArray(value) && value.length === 1) this.replace(value[0]!);
    }
    return afterComma;
  }

  private replace(value: Json): void {
    const held = this.innermost?.value;
    if (Array.isArray(held)) held.pop();
    this.put(value);
  }
}
