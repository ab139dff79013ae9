/** What `hermes-agent` stands for in the users' code. */

import { extname } from 'node:path';

export function libraryAddress(): string {
  return new URL(`../index${extname(import.meta.url)}`, import.meta.url).href;
}
