/** What `hermes-agent` stands for in the users' code. */

import { pathToFileURL } from 'node:url';
import { moduleFile } from '../package.ts';

export function libraryAddress(): string {
  return pathToFileURL(moduleFile('index')).href;
}
