/**
 * The scan of tool folders: each *.ts, *.mts, *.js or *.mjs file is one tool (or a list of them), made with tool({...}) or a plain function.
 * Users' files are imported in a worker thread, now and when they run; a bad one becomes a diagnostic and never stops the others.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { moduleFile } from '../package.ts';
import { withCode } from './code-hash.ts';
import { branded, hashOf, isTool, type Tool, tool } from './define.ts';
import type { PlainFunction } from './infer/functions.ts';
import { createInference } from './infer/infer.ts';
import { callFunction, offeredBy } from './infer/plan.ts';
import type { WorkerPool } from './pool.ts';
import type { Offered, ToolSketch } from './worker.ts';

export interface Diagnostic {
  file: string;
  /** From 1; absent when it is not known. */
  line?: number;
  code: string;
  message: string;
}
export interface ScanOptions {
  /** Names of tools or of files without their ending. */
  disabled?: readonly string[];
  /** Milliseconds that one file may take to import; default 10,000. */
  timeoutMs?: number;
  /** Address of the module that `hermes-agent` stands for in tool files; default: one that has `tool` only. */
  library?: string;
  /** File that keeps what was read of plain functions; default: nothing is kept, and the parser is loaded each time. */
  cacheFile?: string;
}
export interface Scanned {
  tools: Tool[];
  /** What could not be used. */
  diagnostics: Diagnostic[];
  /** What an author should know of tools that work. */
  hints: Diagnostic[];
  /** Name of a tool -> its file, of files that are not the program's own. */
  files: ReadonlyMap<string, string>;
}
/** Files of a trusted folder (the program's own) run in process. */
export type ToolFolder = string | { path: string; trusted: true };

/** A tool, or a thing that is none; of a plain function its tool is made of its source. */
type Found = { key: string } & ({ tool: Tool } | { type: string; make?(plain: PlainFunction): Tool });

export async function scanTools(folders: readonly ToolFolder[], options: ScanOptions = {}): Promise<Scanned> {
  const { disabled = [], timeoutMs = 10_000, library = pathToFileURL(moduleFile('tools/define')).href } = options;
  let pool: WorkerPool | undefined;
  const tools: Tool[] = [];
  const diagnostics: Diagnostic[] = [];
  const hints: Diagnostic[] = [];
  const origin = new Map<string, string>();
  const files = new Map<string, string>();
  const inference = createInference(options.cacheFile);

  /** Made for the first file of a user only. */
  async function threads(): Promise<WorkerPool> {
    const { WorkerPool } = await import('./pool.ts');
    pool ??= new WorkerPool(library);
    return pool;
  }

  function keep(file: string, made: Tool, isTrusted: boolean): void {
    const { name } = made.info;
    const other = origin.get(name);
    if (disabled.includes(name)) return;
    if (other) {
      diagnostics.push({ file, code: 'duplicate_tool', message: `${name} is already defined by ${other}; rename one of them` });
      return;
    }
    origin.set(name, file);
    if (!isTrusted) files.set(name, file);
    tools.push(isTrusted ? withSource(made, file) : withCode(made, [file], pool!));
  }

  async function take(file: string, found: readonly Found[], isTrusted: boolean): Promise<void> {
    if (found.length === 0) diagnostics.push({ file, ...notATool('undefined') });
    const plain = new Map(found.flatMap((one) => ('make' in one && one.make ? [[one.key, one.make] as const] : [])));
    for (const one of found) {
      if ('tool' in one) keep(file, one.tool, isTrusted);
      else if (!one.make) diagnostics.push({ file, ...notATool(one.type) });
    }
    if (plain.size === 0) return;
    const { functions, problems, hints: more } = await inference.infer(file, [...plain.keys()]);
    diagnostics.push(...problems.map((problem) => ({ code: 'plain_function', ...problem })));
    hints.push(...more.map((hint) => ({ code: 'plain_function', ...hint })));
    for (const one of functions) {
      try {
        keep(file, plain.get(one.key)!(one), isTrusted);
      } catch (error) {
        diagnostics.push({ file, line: one.line, code: 'invalid_tool', message: (error as Error).message });
      }
    }
  }

  for (const folder of folders) {
    const isTrusted = typeof folder !== 'string';
    const path = resolve(isTrusted ? folder.path : folder);
    for (const file of toolFiles(path, disabled, diagnostics)) {
      try {
        const found = isTrusted ? await importHere(file) : await importInThread(file, await threads(), timeoutMs);
        await take(file, found, isTrusted);
      } catch (error) {
        diagnostics.push(await importProblem(file, error, timeoutMs));
      }
    }
  }
  inference.save();
  return { tools, diagnostics, hints, files };
}

function unusable(file: string): string | undefined {
  if (!/\.m?[jt]s$/.test(file)) return 'tool files end in .ts, .mts, .js or .mjs; rename it, or begin its name with _ if it holds no tool';
  const found = statSync(file, { throwIfNoEntry: false }); // a broken link is told by its import
  return !found || found.isFile() ? undefined : 'a tool is a regular file; this one (a pipe, a device, a socket) would be waited for';
}

function toolFiles(folder: string, disabled: readonly string[], diagnostics: Diagnostic[]): string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && /\.(?:[cm]?[jt]s|[jt]sx)$/.test(entry.name))
      .filter((entry) => !/^[_.]|\.d\.[cm]?ts$|\.test\.\w+$/.test(entry.name) && !disabled.includes(entry.name.replace(/\.\w+$/, '')))
      .map((entry) => join(folder, entry.name))
      .sort();
    const problems = files.flatMap((file) => {
      const message = unusable(file);
      return message === undefined ? [] : [{ file, code: 'not_a_tool', message }];
    });
    diagnostics.push(...problems);
    return files.filter((file) => !problems.some((problem) => problem.file === file));
  } catch (error) {
    diagnostics.push({ file: folder, code: 'no_folder', message: `the folder of tools cannot be read: ${(error as Error).message}` });
    return [];
  }
}

async function importHere(file: string): Promise<Found[]> {
  const offered = offeredBy((await import(pathToFileURL(file).href)) as Record<string, unknown>);
  return [...offered].map(([key, one]): Found => {
    if (isTool(one)) return { key, tool: one };
    if (typeof one !== 'function') return { key, type: typeof one };
    const make = (plain: PlainFunction) =>
      toolOf(plain, (args, context) => callFunction(one as (...values: unknown[]) => unknown, plain.plan, args, context));
    return { key, type: 'function', make };
  });
}

async function importInThread(file: string, pool: WorkerPool, timeoutMs: number): Promise<Found[]> {
  const offered = (await pool.request({ do: 'load', file }, timeoutMs)) as Offered[];
  return offered.map(({ key, type, tool: sketch }): Found => {
    if (sketch) return { key, tool: threadTool(sketch, file, pool) };
    if (type !== 'function') return { key, type };
    const make = (plain: PlainFunction) =>
      toolOf(
        plain,
        (args, context, defer, inside) => {
          const { name, plan } = plain;
          return pool.run({ file, name, args, plain: { key, plan } }, context, defer, inside);
        },
        () => pool.close(),
      );
    return { key, type, make };
  });
}

/** A plain function's tool; checked as any other definition is. */
function toolOf(
  { key: _, plan: __, line: ___, input_schema, ...definition }: PlainFunction,
  run: Tool['run'],
  close?: Tool['close'],
): Tool {
  const made = tool({ ...definition, input: input_schema, execute: () => undefined });
  return branded({ ...made, run, ...(close ? { close } : {}) });
}

/** One of the program's own; its hash also covers the text of its file. */
function withSource(tool: Tool, file: string): Tool {
  return branded({ ...tool, info: { ...tool.info, hash: hashOf(tool.info.hash, readFileSync(file, 'utf8')) } });
}

/** A tool whose code lives in worker threads. */
function threadTool({ info, settings, normalizes, checks, judges }: ToolSketch, file: string, pool: WorkerPool): Tool {
  const call = (args: Parameters<Tool['run']>[0]) => ({ file, name: info.name, args });
  const limit = settings.timeoutMs ?? 15_000;
  return {
    info,
    settings,
    ...(normalizes ? { normalize: (args) => pool.request({ do: 'normalize', ...call(args) }, limit) as never } : {}),
    ...(checks ? { check: (args) => pool.request({ do: 'check', ...call(args) }, limit) as never } : {}),
    ...(judges ? { judge: (args, context) => pool.request({ do: 'judge', ...call(args), context }, limit) as never } : {}),
    run: (args, context, defer, inside) => pool.run(call(args), context, defer, inside),
    close: () => pool.close(),
  };
}

// ---- diagnostics -----------------------------------------------------------------------------------------

function notATool(type: string): { code: string; message: string } {
  if (type === 'undefined')
    return {
      code: 'no_default_export',
      message: 'expected `export default tool({...})` or an exported function with a doc comment, found neither',
    };
  return { code: 'not_a_tool', message: `expected the default export to be tool({...}), a function, or a list of them, got ${type}` };
}

async function importProblem(file: string, error: unknown, timeoutMs: number): Promise<Diagnostic> {
  const { code, inThread } = error as { code?: unknown; inThread?: string };
  const message = error instanceof Error ? error.message : String(error);
  if (code === 'timeout') {
    return { file, code: 'import_timeout', message: `importing it did not end within ${timeoutMs / 1000} s; a tool file may only define` };
  }
  if (code === 'tool_exited')
    return { file, code: 'import_exited', message: 'importing it ended its thread; a tool file may not call process.exit' };
  const stack = inThread ?? (error instanceof Error ? error.stack : undefined);
  const line = lineIn(stack, file) ?? (stack?.startsWith('SyntaxError') ? await lineOfSyntaxError(file) : undefined);
  const at = line === undefined ? {} : { line };
  if (code === 'invalid_tool') return { file, ...at, code, message };
  const way = message.includes('strip-only')
    ? '; types are only taken out of tool files: write a union of literals for an enum, fields for parameter properties'
    : '';
  return { file, ...at, code: 'import_failed', message: `importing ${basename(file)} failed: ${message}${way}` };
}

/** The first line of the file that a stack names. */
function lineIn(stack: string | undefined, file: string): number | undefined {
  for (const place of [pathToFileURL(file).href, file]) {
    const at = stack?.indexOf(`${place}:`) ?? -1;
    const line = at < 0 ? undefined : /^\d+/.exec(stack!.slice(at + place.length + 1))?.[0];
    if (line) return Number(line);
  }
  return undefined;
}

/** An import's SyntaxError does not tell its line; a check of the file does. */
async function lineOfSyntaxError(file: string): Promise<number | undefined> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  const { promise, resolve: done } = Promise.withResolvers<string>();
  execFile(process.execPath, ['--check', file], { timeout: 10_000 }, (_, __, stderr) => done(stderr));
  return lineIn(await promise, file);
}
