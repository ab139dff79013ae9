/**
 * Every provider against a fake endpoint that behaves as its vendor documents it: `node bench/providers.ts [PROVIDER...]
 * [--json] [--write]`. A row is a provider, a column one of 14 scenarios; `n/a` = the vendor's documents rule it out.
 * `--write` puts the table into docs/providers.md.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { conforming, type Result, runAll, scenarioNames, titleOf } from './providers/run.ts';

const goal = 14;
const documents = ['providers.md', 'providers.zh-CN.md'].map((name) => join(resolve(import.meta.dirname, '../docs'), name));
const markers = ['<!-- conformance: made by bench:providers, do not edit -->', '<!-- end of conformance -->'] as const;
const signs = { pass: '✓', fail: '✗', 'n/a': '–' };

function table(results: readonly Result[]): string {
  const rows = Map.groupBy(results, ({ vendor }) => titleOf(vendor));
  const head = [`| provider | ${scenarioNames.join(' | ')} |`, `|---|${scenarioNames.map(() => ':-:').join('|')}|`];
  return [...head, ...[...rows].map(([title, row]) => `| ${title} | ${row.map(({ result }) => signs[result]).join(' | ')} |`)].join('\n');
}

/** Why something does not apply, once for all providers that share the reason. */
function reasons(results: readonly Result[]): string {
  const notes = Map.groupBy(
    results.filter(({ result }) => result === 'n/a'),
    ({ scenario, why }) => `${scenario}: ${why}`,
  );
  return [...notes].map(([note, some]) => `- ${some.map(({ vendor }) => titleOf(vendor)).join(', ')} – ${note}.`).join('\n');
}

function write(results: readonly Result[]): void {
  const [begin, end] = markers;
  for (const file of documents) {
    const text = readFileSync(file, 'utf8');
    const [before, rest] = text.split(begin);
    const after = rest?.split(end)[1];
    if (after === undefined) throw new Error(`${file} has not both markers: ${begin} ... ${end}`);
    writeFileSync(file, `${before}${begin}\n${table(results)}\n\n${reasons(results)}\n${end}${after}`);
  }
}

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const results = await runAll(positionals, (vendor, row) => {
  process.stderr.write(`${titleOf(vendor)}: ${row.filter(({ result }) => result === 'pass').length} passed\n`);
});
const passing = conforming(results);
const failed = results.filter(({ result }) => result === 'fail');
const wanted = positionals.length > 0 ? Math.min(goal, positionals.length) : goal;
const isEnough = passing.length >= wanted;
const figures = [{ name: 'conforming_providers', value: passing.length, goal: `>=${wanted}`, ok: isEnough }];
if (values.json) console.log(JSON.stringify(figures));
else {
  console.log(table(results));
  for (const { vendor, scenario, why } of failed) console.log(`${titleOf(vendor)}, ${scenario}: ${why}`);
  for (const { name, value, goal: asked, ok } of figures) console.log(`${name} ${value} goal ${asked} ${ok ? 'ok' : 'short'}`);
}
if (values.write && positionals.length === 0) write(results);
process.exitCode = isEnough ? 0 : 1;
