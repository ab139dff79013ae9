/** Finds the files of a workspace that a sandbox keeps from a command. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders below the workspace that are looked into, and entries that are looked at: beyond them the rest is taken as harmless. */
const MOST_DEPTH = 5;
const MOST_ENTRIES = 20_000;
/** Holds only what was installed. */
const SKIPPED = new Set(['node_modules', '.git', '.venv', 'venv', 'target', '__pycache__']);

/** Paths for which `isSecret` holds; a folder stands for all in it. */
export function findSecrets(workspace: string, isSecret: (path: string) => boolean): string[] {
  const found: string[] = [];
  let entries = 0;
  const look = (folder: string, depth: number): void => {
    for (const entry of list(folder)) {
      if (++entries > MOST_ENTRIES) return;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) continue; // it leads to what is found by itself, or out of the sandbox
      if (isSecret(path)) found.push(path);
      else if (entry.isDirectory() && depth < MOST_DEPTH && !SKIPPED.has(entry.name)) look(path, depth + 1);
    }
  };
  look(workspace, 1);
  return found;
}

function list(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
