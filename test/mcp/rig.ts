/** Servers for the tests: opened in a folder of their own, called as a toolbox calls, and nothing left of them afterwards. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject, ToolResult } from '../../src/kernel/types.ts';
import { parseServers } from '../../src/mcp/config.ts';
import { type Mcp, type McpOptions, openMcp } from '../../src/mcp/open.ts';
import { acted, callOf, stage, stateWith } from '../tools/performing.ts';

export const bin = (name: string) => resolve(import.meta.dirname, '../../node_modules/.bin', name);
export const ownServer = resolve(import.meta.dirname, 'server.ts');

/** How the server at hand is configured: server.ts in one of its modes. */
export function own(mode: string, ...more: string[]): JsonObject {
  return { command: process.execPath, args: [ownServer, mode, ...more] };
}

const endings = new WeakMap<TestContext, (() => unknown)[]>();

/** What was begun last ends first. */
export function atEnd(t: TestContext, end: () => unknown): void {
  const known = endings.get(t);
  if (known) return void known.push(end);
  const all = [end];
  endings.set(t, all);
  t.after(async () => {
    for (const one of all.reverse()) await one();
  });
}

export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-mcp-'));
  atEnd(t, () => rm(folder, { recursive: true, force: true }));
  return folder;
}

export interface RigOptions extends Partial<Omit<McpOptions, 'servers'>> {
  folder: string;
  trusted?: readonly string[];
}

/** All servers of an `mcpServers`; closed after the test. */
export async function opened(t: TestContext, mcpServers: JsonObject, { folder, trusted = [], ...options }: RigOptions): Promise<Mcp> {
  const { servers, diagnostics } = parseServers(mcpServers, join(folder, '.mcp.json'), { env: process.env, root: folder, trusted });
  assert.deepEqual(diagnostics, []);
  const mcp = await openMcp({ servers, folder: join(folder, 'known'), startMs: 20_000, ...options });
  atEnd(t, () => mcp.close());
  return mcp;
}

/** A call goes through the toolbox, as in a run. */
export async function called(mcp: Mcp, name: string, args: JsonObject = {}, on = stage()) {
  const { result, shaped, facts } = await acted({ tools: mcp.tools() }, callOf(name, args), stateWith({ calls: [] }), on);
  return { result, shaped, facts, deltas: on.deltas };
}

export async function answered(mcp: Mcp, name: string, args: JsonObject = {}) {
  const { result } = await called(mcp, name, args);
  assert.ok(result.success, JSON.stringify(result));
  return result.data;
}

export function errorOf(result: ToolResult) {
  assert.equal(result.success, false);
  return (result as Extract<ToolResult, { success: false }>).error;
}

export function namesOf(mcp: Mcp): string[] {
  return mcp.tools().map(({ info }) => info.name);
}

/** Command lines of living processes that hold this text. */
export function processesWith(text: string): string[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}
