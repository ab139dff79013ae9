/** A folder with a skill.yaml as a tool: read without running it; its function runs in a worker thread, as a tool file's does. */

import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HermesError } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/types.ts';
import { withCode } from '../tools/code-hash.ts';
import type { ContentCache } from '../tools/content-cache.ts';
import { branded, hashOf, type Tool, tool } from '../tools/define.ts';
import type { Parameter } from '../tools/infer/plan.ts';
import type { WorkerPool } from '../tools/pool.ts';
import { hasDefaults, withDefaults } from '../tools/schema.ts';
import { findEntry } from './entry.ts';
import { readText } from './files.ts';
import type { Entry, Manifest } from './types.ts';

/** Bytes; yaml.ts reads less, and says so with the size. */
const MOST_TEXT = 1_000_000;
const PLAN: Parameter[] = [{ from: 'arguments' }, { from: 'context' }];

export interface ReadSkill {
  tool: Tool;
  /** See Entry. */
  acts?: string;
  /** What its author should know. */
  hint?: string;
}
export interface SkillReader {
  cache: ContentCache<Manifest | Entry>;
  /** Where it runs; absent = it is the program's own, and runs in process. */
  threads?: { pool(): Promise<WorkerPool>; renew(): void; close(): Promise<void> };
  /** See SkillPlace. */
  code?: string;
}

/** Throws a HermesError whose data.line is the line, where it is known. */
export async function readSkillTool(file: string, { cache, threads, code }: SkillReader): Promise<ReadSkill> {
  const folder = dirname(file);
  const text = await readText(file, MOST_TEXT);
  const manifest = (await cache.get(`manifest ${file}`, async () => ({
    value: await (await import('./manifest.ts')).readManifest(text),
    files: new Map([[file, text]]),
  }))) as Manifest;
  const entry = await findEntry(folder, manifest, code);
  const found = (await cache.get(`entry ${entry}`, async () => (await import('./code.ts')).readEntry(entry))) as Entry;
  if (found.problem || found.key === undefined) {
    const { code: problem = 'no_function', message = '', line } = found.problem ?? {};
    throw new HermesError(problem, message, { kind: 'usage', ...(line === undefined ? {} : { data: { line, file: entry } }) });
  }
  const { acts } = found;
  const hint = `asked about before each call, because ${acts}; say level: read if it only looks, level: dangerous if it acts`;
  const made = makeTool(manifest, found, [text, await readFile(entry, 'utf8')], runner(manifest, entry, found.key, threads));
  return {
    tool: threads ? withCode(branded({ ...made, close: threads.close }), [file, entry], threads) : made,
    ...(acts ? { acts } : {}),
    ...(manifest.level === undefined && acts ? { hint } : {}),
  };
}

function makeTool({ parameters, more, examples, ...manifest }: Manifest, entry: Entry, texts: string[], run: Tool['run']): Tool {
  const {
    level = entry.level ?? 'write',
    untrusted = entry.untrusted,
    outward = entry.outward,
  } = { ...manifest, ...(more as JsonObject) } as {
    level?: Entry['level'];
    untrusted?: boolean;
    outward?: boolean;
  };
  const { name, description } = manifest;
  const flags = { ...(untrusted ? { untrusted } : {}), ...(outward ? { outward } : {}) };
  const made = tool({ ...(more as object), ...flags, name, description, level, input: parameters, examples, execute: () => undefined });
  const filled = hasDefaults(parameters) ? (args: JsonObject) => withDefaults(parameters, args) as JsonObject : (args: JsonObject) => args;
  return branded({
    ...made,
    info: { ...made.info, hash: hashOf(made.info.hash, ...texts) },
    run: (args, context, defer, inside) => run(filled(args), context, defer, inside),
  });
}

function runner({ name }: Manifest, file: string, key: string, threads: SkillReader['threads']): Tool['run'] {
  if (threads) {
    return async (args, context, defer, inside) =>
      (await threads.pool()).run({ file, name, args, plain: { key, plan: PLAN } }, context, defer, inside);
  }
  return async (args, context) => {
    const { [key]: execute } = (await import(pathToFileURL(file).href)) as Record<string, (args: JsonObject, context: unknown) => unknown>;
    return execute?.(args, context);
  };
}
