/**
 * The client scenarios of the MCP conformance suite against this client (client.ts). The suite is fetched by npx; `--suite FOLDER` names
 * a folder where it is installed. Goal: every scenario but those of EXPECTED passes.
 */

import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs, stripVTControlCharacters } from 'node:util';

const SUITE = '@modelcontextprotocol/conformance@0.1.16';
const SCENARIOS = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/2025-03-26-oauth-metadata-backcompat',
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/resource-mismatch',
  'auth/offline-access-scope',
  'auth/offline-access-not-supported',
];
/** Those that do not pass, and why. */
const EXPECTED: Readonly<Record<string, string>> = {
  'auth/basic-cimd': 'all checks pass; it warns that the client has no address of its own that describes it',
  'auth/scope-step-up': 'a call that wants more rights fails and names the login; nobody is sent to a browser in the middle of a run',
  'auth/2025-03-26-oauth-metadata-backcompat': 'the SDK refuses metadata whose issuer is another than the one asked (RFC 8414)',
};

const { values } = parseArgs({ options: { suite: { type: 'string' } } });
const program = values.suite ? [join(values.suite, 'node_modules/.bin/conformance')] : ['npx', '-y', SUITE];
const client = `${process.execPath} ${resolve(import.meta.dirname, 'client.ts')}`;

let passed = 0;
for (const scenario of SCENARIOS) {
  const [file, ...args] = [...program, 'client', '--command', client, '--scenario', scenario];
  const { stdout, stderr } = spawnSync(file!, args, { encoding: 'utf8', timeout: 90_000 });
  const said = stripVTControlCharacters(stdout + stderr);
  const isPassed = /OVERALL: PASSED/.test(said);
  const reason = EXPECTED[scenario];
  if (isPassed) passed++;
  else if (reason === undefined) process.exitCode = 1;
  console.log(
    `${isPassed ? 'passed' : 'failed'}  ${scenario}  ${/^Passed: .*$/m.exec(said)?.[0] ?? ''}${isPassed || !reason ? '' : ` (${reason})`}`,
  );
}
console.log(`${passed} of ${SCENARIOS.length} scenarios pass`);
