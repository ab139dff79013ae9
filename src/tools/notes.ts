/** The in-memory twin of the notes port: gone with the process. */

import type { Notes } from './define.ts';

export function memoryNotes(): Notes {
  const notes = new Map<string, string>();
  return {
    get: async (key) => notes.get(key),
    set: async (key, value) => void notes.set(key, value),
    list: async () => [...notes.keys()],
    delete: async (key) => void notes.delete(key),
  };
}
