/**
 * The client scenarios of the MCP conformance suite against this client (client.ts): `node bench/mcp/conformance.ts [--suite FOLDER]
 * [--json]`. The suite is fetched by npx; FOLDER is one where it is installed. Goal: all pass. Left out are its three of logins without a
 * person (client-credentials-basic, client-credentials-jwt, cross-app-access), which this client does not offer.
 */

import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join, resolve } from 'node:path';
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

const { values } = parseArgs({ options: { suite: { type: 'string' }, json: { type: 'boolean', default: false } } });
const program = values.suite ? [join(values.suite, 'node_modules/.bin/conformance')] : ['npx', '-y', SUITE];
const client = `${process.execPath} ${resolve(import.meta.dirname, 'client.ts')}`;
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }; // the suite needs a Node as new as this one

const rows = SCENARIOS.map((scenario) => {
  const [file, ...args] = [...program, 'client', '--command', client, '--scenario', scenario];
  const { stdout, stderr } = spawnSync(file!, args, { encoding: 'utf8', timeout: 90_000, env });
  const said = stripVTControlCharacters(stdout + stderr);
  const row = { scenario, ok: /OVERALL: PASSED/.test(said), checks: /^Passed: (.*)$/m.exec(said)?.[1] ?? 'none ran' };
  process.stderr.write(`${row.ok ? 'passed' : 'FAILED'}  ${scenario}  ${row.checks}\n`);
  return row;
});
const passed = rows.filter(({ ok }) => ok).length;
const figure = { name: 'mcp.client_scenarios', value: passed, goal: rows.length, ok: passed === rows.length };
if (values.json) console.log(JSON.stringify({ suite: SUITE, rows, figures: [figure] }, null, 2));
else {
  for (const { scenario, ok, checks } of rows) console.log(`${ok ? 'passed' : 'failed'}  ${scenario}  ${checks}`);
  console.log(`${figure.name} ${figure.value} goal ${figure.goal} ${figure.ok ? 'ok' : 'short'}`);
}
process.exitCode = figure.ok ? 0 : 1;
