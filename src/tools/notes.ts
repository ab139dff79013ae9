/** Notes that know where they come from, and the in-memory twin of their store: gone with the process. */

import type { Source } from '../kernel/types.ts';
import type { Notes } from './define.ts';

/** A store of notes; `untrusted`: written when text of strangers had entered the run, so that the note may hold words of theirs. */
export interface NoteStore extends Notes {
  set(key: string, value: string, untrusted?: boolean): Promise<void>;
  /** Of one note; of any note without a key, since keys are text, too. */
  isUntrusted(key?: string): Promise<boolean>;
}

export function memoryNotes(): NoteStore {
  const notes = new Map<string, { value: string; untrusted: boolean }>();
  return {
    get: async (key) => notes.get(key)?.value,
    set: async (key, value, untrusted = false) => void notes.set(key, { value, untrusted }),
    list: async () => [...notes.keys()],
    delete: async (key) => void notes.delete(key),
    isUntrusted: async (key) => [...notes].some(([name, note]) => note.untrusted && (key === undefined || name === key)),
  };
}

/** The notes as one call sees them: what it writes keeps the origins of its run, and `tell` hears of what it reads that is untrusted. */
export function notesOfCall(notes: NoteStore, sources: readonly Source[], tell: (from: string) => void): Notes {
  return {
    async get(key) {
      if (await notes.isUntrusted(key)) tell(`note ${key}`);
      return notes.get(key);
    },
    set: (key, value) =>
      notes.set(
        key,
        value,
        sources.some((source) => source.untrusted),
      ),
    async list() {
      if (await notes.isUntrusted()) tell('keys of notes');
      return notes.list();
    },
    delete: (key) => notes.delete(key),
  };
}
