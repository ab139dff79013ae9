/**
 * The client that the conformance suite of MCP starts: it opens the server whose address is the last argument and calls its tools, as
 * a run would. Whoever is asked says yes. Where a run says that a login is wanted, or more rights, `hermes mcp login` is what follows: the
 * suite is the browser, and the call is made once more.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseServers } from '../../src/mcp/config.ts';
import { login } from '../../src/mcp/login.ts';
import { openMcp } from '../../src/mcp/open.ts';
import { reasonOf } from '../../src/mcp/server.ts';

/** Values for the arguments of the suite's tools. */
const ARGUMENTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } };

/** Where the suite's services read who this client is. */
const ABOUT_US = 'https://conformance-test.local/client-metadata.json';
/** One to get in, one for more rights. */
const MOST_LOGINS = 2;

const url = process.argv.at(-1)!;
const folder = mkdtempSync(join(tmpdir(), 'hermes-conformance-'));
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as { client_id?: string; client_secret?: string };
const { client_id: clientId = ABOUT_US, client_secret: clientSecret } = context;
const entry = { type: 'http', url, oauth: { clientId, clientSecret } };
const { servers } = parseServers({ suite: entry }, 'suite', { env: process.env, root: folder, trusted: ['suite'] });

/** As a run does it. Throws what the person is told. */
async function openAndCall(): Promise<void> {
  const mcp = await openMcp({ servers, folder, elicit: async () => ({ action: 'accept', content: {} }), fresh: true });
  const calls = { signal: new AbortController().signal, progress: () => undefined };
  try {
    for (const { message } of mcp.diagnostics()) throw new Error(message);
    for (const server of mcp.servers) {
      for (const { definition } of server.tools()) await server.call(definition.name, (ARGUMENTS[definition.name] ?? {}) as never, calls);
    }
  } catch (error) {
    throw new Error(reasonOf(error));
  } finally {
    await mcp.close();
  }
}

/** What a browser does whose person says yes. */
async function sayYes(address: URL): Promise<void> {
  const answer = await fetch(address, { redirect: 'manual' });
  await fetch(answer.headers.get('location') ?? address);
}

async function openAndLogIn(logins = 0): Promise<void> {
  try {
    await openAndCall();
  } catch (error) {
    if (logins === MOST_LOGINS || !(error as Error).message.includes('hermes mcp login')) throw error;
    await login(servers[0]!, { folder, show: (address) => void sayYes(address) });
    await openAndLogIn(logins + 1);
  }
}

try {
  await openAndLogIn();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
