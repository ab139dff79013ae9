/** A workspace with the shell tool in it, and a look at what processes are left. */

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Call, Fact, JsonObject, Performing, State } from '../../src/kernel/types.ts';
import { openSandbox } from '../../src/sandbox/open.ts';
import { createToolbox } from '../../src/tools/call.ts';
import shell from '../../tools/shell.ts';

/** Why tests of the sandbox are skipped here; in CI they are not, and fail. */
export const skip: false | string = await openSandbox().then(
  () => false,
  (error: Error & { next?: string }) => (process.env.CI ? false : `${error.message}: ${error.next}`),
);

export async function workspace(t: TestContext): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hermes-沙箱-')));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface Ran {
  exit_code: number | null;
  stdout: string;
  stderr: string;
  ended?: string;
  renamed?: string;
  next?: string;
  error?: { code: string; message: string; next?: string };
}
interface World {
  settings?: JsonObject;
  signal?: AbortSignal;
  arguments?: JsonObject;
  codeFolders?: string[];
  /** It runs because a rule allows it: nobody was asked. */
  byRule?: true;
}

/** Prepares and runs one command as a person who agrees to everything. */
export async function run(folder: string, command: string, world: World = {}): Promise<Ran> {
  const prepared = await prepare(folder, command, world);
  if (prepared.event_type !== 'call.prepare') throw new Error(JSON.stringify(prepared.data));
  return act(folder, prepared, world);
}

export async function prepare(folder: string, command: string, world: World = {}): Promise<Fact> {
  const facts: Fact[] = [];
  const call: Call = { id: 'c1', name: 'shell', status: 'proposed', arguments: { command, ...world.arguments } };
  await toolbox(folder, world).prepare(STATE, [call], performing(facts));
  return facts[0]!;
}

async function act(folder: string, prepared: Fact<'call.prepare'>, world: World): Promise<Ran> {
  const facts: Fact[] = [];
  const { call_id: id, ...rest } = prepared.data;
  const { repairs: _, ...call } = rest;
  const approved = call.level === 'read' || world.byRule ? {} : { approved: true as const };
  await toolbox(folder, world).act(STATE, [{ id, status: 'allowed', ...call, ...approved }], performing(facts, world.signal));
  const end = facts.find((fact) => fact.event_type === 'tool.end')!;
  const { result } = end.data as Extract<Fact, { event_type: 'tool.end' }>['data'];
  return (result.success ? result.data : { exit_code: null, stdout: '', stderr: '', error: result.error }) as unknown as Ran;
}

const STATE = { run_id: 'r1', ledger: [], messages: [], sources: [], trail: [], calls: [], language: 'en' } as unknown as State;

function toolbox(folder: string, { settings = {}, codeFolders }: World) {
  return createToolbox({ tools: [shell], workspace: folder, settings: { shell: settings }, ...(codeFolders ? { codeFolders } : {}) });
}

function performing(facts: Fact[], signal = new AbortController().signal): Performing {
  return { emit: async (...more) => void facts.push(...more), delta: () => undefined, signal };
}

/** Processes whose command line holds the text; looks again for a while, as the kernel takes its time to end them. */
export async function left(text: string): Promise<string[]> {
  let found: string[] = [];
  for (let look = 0; look < 40; look++) {
    found = processes(text);
    if (found.length === 0) return [];
    await sleep(50);
  }
  return found;
}

export function processes(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .map((name) => commandLine(name))
    .filter((line) => line.includes(text));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
