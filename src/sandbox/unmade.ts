/** What a command brought into being although the program would take it up by itself: it gets a name under which nothing is. */

import { lstatSync, renameSync } from 'node:fs';

/** To be called before the command starts; what it gives, after it has ended. */
export function watchUnmade(paths: readonly string[]): () => string[] {
  const absent = paths.filter((path) => !isThere(path));
  return () => absent.filter(isThere).map(renamed);
}

/** Also a link that leads nowhere yet. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Nothing is lost: somebody else may have made it. */
function renamed(path: string): string {
  let name = `${path}.from-sandbox`;
  for (let count = 2; isThere(name); count++) name = `${path}.from-sandbox-${count}`;
  renameSync(path, name);
  return name;
}
