/** .gitignore files: which paths a project does not count as its own. */

import { compileGlob, matchesParts } from './glob.ts';

export interface IgnoreRules {
  /** undefined: no line speaks of it. `path`: below the folder of the file, with /. */
  ignores(path: string, isFolder: boolean): boolean | undefined;
}

/** A later line wins over an earlier one. */
export function parseIgnore(text: string): IgnoreRules {
  const lines = text.split(/\r?\n/).flatMap((line) => lineRule(line) ?? []);
  return {
    ignores: (path, isFolder) => lines.findLast((line) => (isFolder || !line.foldersOnly) && line.matches(path))?.ignores,
  };
}

function lineRule(line: string): { ignores: boolean; foldersOnly: boolean; matches(path: string): boolean } | undefined {
  const trimmed = line.replace(/(?<!\\) +$/, '');
  if (trimmed === '' || trimmed.startsWith('#')) return undefined;
  const isBack = trimmed.startsWith('!');
  const whole = isBack ? trimmed.slice(1) : trimmed;
  const pattern = whole.replace(/\/$/, '');
  const parts = pattern.replace(/^\//, '').split('/');
  // Braces mean nothing here.
  const matches = pattern.includes('/')
    ? (path: string) => matchesParts(parts, path.split('/'))
    : compileGlob(pattern.replaceAll('{', '\\{'));
  return { ignores: !isBack, foldersOnly: whole.endsWith('/'), matches };
}
