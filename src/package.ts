/** Where this package lies, in a checkout and installed alike: its data stand beside package.json, its code below it. */

const { existsSync } = process.getBuiltinModule('node:fs');
const { dirname, extname, join } = process.getBuiltinModule('node:path');

let folder: string | undefined;

/** Absolute path of a file or folder of the package. */
export function ofPackage(...path: string[]): string {
  if (folder === undefined) {
    folder = import.meta.dirname;
    while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  }
  return join(folder, ...path);
}

/** Absolute path of a module by its path under src/, without an ending: threads and child processes are started by it. */
export function moduleFile(path: string): string {
  return join(import.meta.dirname, path + extname(import.meta.filename));
}

/** Absolute path beside this code: the package itself in a checkout, its dist/ when it is installed. */
export function besideCode(...path: string[]): string {
  return join(import.meta.dirname, '..', ...path);
}
