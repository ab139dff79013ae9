/**
 * AGENTS.md, else CLAUDE.md: of the user's folder, then from the project's top down to the working folder, as far as the folders are
 * trusted. Together they are bounded: the nearest keep their room first, and what was cut is told.
 */

import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { errorData } from '../kernel/errors.ts';
import { hashOf } from '../tools/define.ts';
import type { Config } from './config.ts';
import { instructionFileIn, projectChain } from './project-chain.ts';
import { readSmallText } from './read-text.ts';
import { trustedFolders } from './trust.ts';

export interface InstructionFile {
  /** As people are told it: relative to the working folder, or from the home folder on. */
  path: string;
  /** As far as there is room. */
  text: string;
  /** Of the whole file. */
  hash: string;
  bytes: number;
  /** Bytes that are used, where it was cut. */
  kept?: number;
}
export interface InstructionFiles {
  /** The farthest first: where two disagree, the later one counts. */
  files: InstructionFile[];
  /** Paths that are not used, since nobody has said that they trust their folder. */
  untrusted: string[];
  problems: string[];
}

/** Bytes of all together, and less than which a piece says nothing. */
export const MOST_INSTRUCTIONS = 32 * 1024;
const LEAST = 200;

export async function readInstructionFiles(config: Config): Promise<InstructionFiles> {
  const found: InstructionFiles = { files: [], untrusted: [], problems: [] };
  if (!config.values.agent.instruction_files) return found;
  const { folders } = await projectChain(config.root, config.cwd);
  const trusted = await trustedFolders(config);
  const places = [config.userFolder, ...folders.filter((folder) => folder !== config.userFolder)];
  let room = MOST_INSTRUCTIONS;
  for (const folder of places.toReversed()) {
    const isUsers = folder === config.userFolder;
    const file = await instructionFileIn(folder, isUsers ? undefined : folders[0]);
    if (file === undefined) continue;
    const path = told(file, config.cwd, isUsers);
    if (!isUsers && !trusted.has(folder)) {
      found.untrusted.unshift(path);
      continue;
    }
    try {
      const text = ((await readSmallText(file)) ?? '').trim();
      if (text === '') continue;
      const one = fitted({ path, text, hash: hashOf(text), bytes: Buffer.byteLength(text) }, room);
      room -= one.kept ?? one.bytes;
      found.files.unshift(one);
    } catch (error) {
      found.problems.push(errorData(error).message);
    }
  }
  return found;
}

function fitted(file: InstructionFile, room: number): InstructionFile {
  if (file.bytes <= room) return file;
  if (room < LEAST) return { ...file, text: '', kept: 0 };
  const whole = new TextDecoder().decode(Buffer.from(file.text).subarray(0, room)).replace(/\uFFFD$/, '');
  const line = whole.lastIndexOf('\n');
  const text = (line > whole.length / 2 ? whole.slice(0, line) : whole).trimEnd();
  return { ...file, text, kept: Buffer.byteLength(text) };
}

function told(file: string, cwd: string, isUsers: boolean): string {
  if (!isUsers) return relative(cwd, file) || file;
  const fromHome = relative(homedir(), file);
  return fromHome.startsWith('..') ? file : join('~', fromHome);
}
