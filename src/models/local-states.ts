/**
 * What a local model has already read, kept on the disk: the fronts of prompts (examples, instructions) that come again in the
 * next process. Restoring one takes milliseconds where evaluating it takes a second. Only a speed-up: whatever fails here is
 * as if nothing had been kept.
 */

import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';

/** A shorter front is evaluated as fast as it is read. */
const LEAST_TOKENS = 48;
/** Bytes that all states together may take; those unused for longest go first. */
const MOST_BYTES = 200e6;

export interface States {
  /** Puts the sequence where these tokens have been evaluated; false when no such state is kept. */
  restore(sequence: LlamaContextSequence, tokens: readonly Token[]): Promise<boolean>;
  /** Keeps the sequence, which holds exactly these tokens. */
  save(sequence: LlamaContextSequence, tokens: readonly Token[]): Promise<void>;
}

/** `identity`: model file, its size and time, runtime, context: a state of any other would crash the process. */
export function createStates(directory: string, name: string, identity: string): States {
  const folder = join(directory, 'states');
  const stemOf = (tokens: readonly Token[]) =>
    `${name}.${createHash('sha256').update(identity).update(Int32Array.from(tokens)).digest('hex').slice(0, 32)}`;

  /** STEM.CRC.state: the name says what the content has to be, so half a file or a changed one is never loaded. */
  async function find(stem: string): Promise<string | undefined> {
    const found = (await readdir(folder)).find((each) => each.startsWith(stem) && each.endsWith('.state'));
    return found && join(folder, found);
  }

  return {
    async restore(sequence, tokens) {
      if (tokens.length < LEAST_TOKENS) return false;
      try {
        const file = await find(stemOf(tokens));
        if (file === undefined) return false;
        if (file.split('.').at(-2) !== checksum(await readFile(file))) {
          await rm(file, { force: true });
          return false;
        }
        await sequence.loadStateFromFile(file, { acceptRisk: true });
        const now = new Date();
        await utimes(file, now, now);
        return sequence.nextTokenIndex === tokens.length;
      } catch {
        await sequence.clearHistory(); // whatever was half loaded
        return false;
      }
    },
    async save(sequence, tokens) {
      if (tokens.length < LEAST_TOKENS) return;
      const stem = stemOf(tokens);
      const draft = join(folder, `${stem}.${process.pid}.draft`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const { fileSize } = await sequence.saveStateToFile(draft);
        if (fileSize <= MOST_BYTES / 4) await rename(draft, join(folder, `${stem}.${checksum(await readFile(draft))}.state`));
        await makeRoom(folder);
      } catch {
        // A full or read-only disk: it is evaluated again next time.
      } finally {
        await rm(draft, { force: true }).catch(() => undefined);
      }
    },
  };
}

function checksum(content: Buffer): string {
  return crc32(content).toString(16);
}

async function makeRoom(folder: string): Promise<void> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const { size, mtimeMs } = await stat(join(folder, name));
      return { file: join(folder, name), size, mtimeMs };
    }),
  );
  let total = 0;
  for (const { file, size } of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    total += size;
    if (total > MOST_BYTES) await rm(file, { force: true });
  }
}
