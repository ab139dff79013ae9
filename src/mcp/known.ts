/**
 * What is known of a server before it is started, in a file of the user's own: the tools that it had last, so that a run begins without
 * it, and the definitions that the user goes by. The first that is seen of a tool counts as agreed to; another needs their word.
 */

import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HermesError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import { hashOf } from '../tools/define.ts';
import type { ServerConfig, ServerTool } from './types.ts';

export interface Known {
  /** The configuration that the list belongs to; another one's list has to be asked for anew. */
  config: string;
  /** As the server told last. */
  tools: ServerTool[];
  /** By name: what the user has agreed to. */
  agreed: Record<string, ServerTool>;
}

/** Everything that makes it this server; its hash keeps keys out of the file. */
export function configHash({ transport }: ServerConfig): string {
  return hashOf(transport);
}

/** A server is the same one as long as it has its name in its file, whatever its arguments become. */
export function knownFile(folder: string, { name, file }: ServerConfig): string {
  return join(folder, 'servers', `${hashOf(file, name)}.json`);
}

/** undefined = never seen. Throws when the file cannot be read. */
export async function readKnown(file: string): Promise<Known | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(file, error as Error, 'read');
  }
  try {
    const known: unknown = JSON.parse(text);
    if (isObject(known) && Array.isArray(known.tools) && isObject(known.agreed)) return known as unknown as Known;
    throw new Error('it holds something else');
  } catch (error) {
    throw unusable(file, error as Error, 'understood');
  }
}

export async function writePrivate(file: string, value: unknown): Promise<void> {
  const temporary = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    await writeFile(temporary, `${JSON.stringify(value, null, 1)}\n`, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw unusable(file, error as Error, 'written');
  }
}

/** What decides whether two definitions are the same. */
export function sameDefinition(a: ServerTool, b: ServerTool): boolean {
  return hashOf(a) === hashOf(b);
}

/** Not to know what was agreed to must not count as agreement. */
function unusable(file: string, cause: Error, what: string): HermesError {
  return new HermesError('mcp_known_unusable', `${file} cannot be ${what}: ${cause.message.split('\n')[0]}`, {
    kind: 'usage',
    next: 'make its folder yours to write, or remove the file: what the server says of its tools then counts as new',
    cause,
  });
}
