/**
 * The client that the conformance suite of MCP starts: it opens the server whose address is the last argument and calls its tools, as
 * a run would. Whoever is asked says yes. A server that wants a login is logged in to, and the suite is the browser.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseServers } from '../../src/mcp/config.ts';
import { login } from '../../src/mcp/login.ts';
import { openMcp } from '../../src/mcp/open.ts';

/** Values for the arguments of the suite's tools. */
const ARGUMENTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } };

const url = process.argv.at(-1)!;
const folder = mkdtempSync(join(tmpdir(), 'hermes-conformance-'));
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { client_id?: string; client_secret?: string };
const { client_id: clientId, client_secret: clientSecret } = context;
const entry = { type: 'http', url, ...(clientId === undefined ? {} : { oauth: { clientId, clientSecret } }) };
const { servers } = parseServers({ suite: entry }, 'suite', { env: process.env, root: folder, trusted: ['suite'] });
const open = () => openMcp({ servers, folder, elicit: async () => ({ action: 'accept', content: {} }), fresh: true });

/** What a browser does whose person says yes. */
async function sayYes(address: URL): Promise<void> {
  const answer = await fetch(address, { redirect: 'manual' });
  await fetch(answer.headers.get('location') ?? address);
}

try {
  let mcp = await open();
  if (mcp.diagnostics().some(({ message }) => message.includes('log in'))) {
    await mcp.close();
    await login(servers[0]!, { folder, show: (address) => void sayYes(address) });
    mcp = await open();
  }
  for (const { message } of mcp.diagnostics()) {
    console.error(message);
    process.exitCode = 1;
  }
  const calls = { signal: new AbortController().signal, progress: () => undefined };
  for (const server of mcp.servers) {
    for (const { definition } of server.tools()) await server.call(definition.name, (ARGUMENTS[definition.name] ?? {}) as never, calls);
  }
  await mcp.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
