/** The inference runtime, node-llama-cpp: found among the dependencies, or beside the models, where `ensureRuntime` puts it. */

import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HermesError } from '../kernel/errors.ts';
import { runCommand } from './command.ts';
import { inWorkFolder } from './pull/place.ts';

type Runtime = typeof import('node-llama-cpp');

export const RUNTIME_VERSION = '3.21.1';
/** What the runtime takes on the disk, for the line that asks or tells before it is installed. */
export const RUNTIME_BYTES = 83_000_000;

/** The package with the CPU binary for each platform that has one. */
const BINARIES: Readonly<Record<string, string>> = {
  'linux-x64': '@node-llama-cpp/linux-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'win32-x64': '@node-llama-cpp/win-x64',
  'win32-arm64': '@node-llama-cpp/win-arm64',
};

/** True when `loadRuntime` would find it; loads nothing. */
export function hasRuntime(directory: string): boolean {
  return runtimePath(directory) !== undefined;
}

/** Loads the runtime. Throws `runtime_missing` when it is not there, `runtime_broken` when it cannot be loaded. */
export async function loadRuntime(directory: string): Promise<Runtime> {
  const path = runtimePath(directory);
  if (path === undefined) {
    throw new HermesError('runtime_missing', 'running a model in this process needs node-llama-cpp, which is not installed', {
      kind: 'model',
      next: 'hermes models pull (installs it beside the models)',
    });
  }
  try {
    return (await import(pathToFileURL(path).href)) as Runtime;
  } catch (error) {
    throw new HermesError('runtime_broken', `node-llama-cpp at ${path} cannot be loaded: ${(error as Error).message}`, {
      kind: 'model',
      next: `remove ${join(directory, 'runtime')}, then: hermes models pull`,
      cause: error,
    });
  }
}

/**
 * Installs the runtime beside the models when it is nowhere to be found: the CPU binary of this platform
 * only, no scripts run. It appears by one rename. Throws `runtime_install_failed` with npm's last words,
 * or the signal's reason.
 */
export async function ensureRuntime(directory: string, options: { signal?: AbortSignal } = {}): Promise<void> {
  if (hasRuntime(directory)) return;
  const binary = BINARIES[`${process.platform}-${process.arch}`];
  if (binary === undefined) throw failed(`there is no binary for ${process.platform}-${process.arch}`);
  await inWorkFolder(directory, async (work) => {
    await writeFile(join(work, 'package.json'), '{ "private": true }\n');
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', '--omit=optional'];
    const wanted = [`node-llama-cpp@${RUNTIME_VERSION}`, `${binary}@${RUNTIME_VERSION}`];
    const { code, output } = await runCommand('npm', ['install', '--prefix', work, ...quiet, ...wanted], {
      signal: options.signal,
    }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? failed('npm was not found') : error;
    });
    if (code !== 0) throw failed(output.trim().split('\n').slice(-3).join(' '));
    await rename(work, join(directory, 'runtime')).catch((error: NodeJS.ErrnoException) => {
      // Another process was faster: its runtime is the same one.
      if (!hasRuntime(directory)) throw error;
    });
  });
}

function runtimePath(directory: string): string | undefined {
  for (const from of [import.meta.filename, join(directory, 'runtime', 'package.json')]) {
    if (from !== import.meta.filename && !existsSync(from)) continue;
    try {
      return createRequire(from).resolve('node-llama-cpp');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return undefined;
}

function failed(reason: string): HermesError {
  return new HermesError('runtime_install_failed', `node-llama-cpp could not be installed: ${reason}`, {
    kind: 'model',
    retryable: true,
    next: 'check that npm works here, then: hermes models pull; or use another model: --model PROVIDER:MODEL',
  });
}
