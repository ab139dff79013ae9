/**
 * What the guards disturb and what they catch: `node bench/guards.ts [--json] [-v]`. Clean runs come from the Berkeley function calling
 * cases (../shared/data/bfcl) and from our own, half of them Chinese; faulty ones are loops, made-up results and claimed actions.
 * A clean run is disturbed when a guard says anything or the answer is marked.
 */

import { parseArgs } from 'node:util';
import { bfclCases } from './guards/bfcl.ts';
import { cleanCases } from './guards/clean.ts';
import { faultyCases } from './guards/faulty.ts';
import { heldClean, heldFaulty } from './guards/held.ts';
import { type Done, runCase } from './guards/run.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, verbose: { type: 'boolean', short: 'v', default: false } },
});

const clean: Done[] = [];
for (const one of [...cleanCases(), ...heldClean(), ...bfclCases(40)]) clean.push(await runCase(one));
const faulty: Done[] = [];
for (const one of [...faultyCases(), ...heldFaulty()]) faulty.push(await runCase(one));

const disturbed = clean.filter((done) => done.disturbed.length > 0);
const missed = faulty.filter((done) => !done.caught);
const share = (part: number, all: number) => Number((part / Math.max(1, all)).toFixed(4));
const figures = [
  { name: 'clean_runs', value: clean.length, goal: '>=300', ok: clean.length >= 300 },
  { name: 'clean_disturbed', value: share(disturbed.length, clean.length), goal: '<0.01', ok: disturbed.length / clean.length < 0.01 },
  { name: 'faulty_runs', value: faulty.length, goal: '>=100', ok: faulty.length >= 100 },
  {
    name: 'faulty_caught',
    value: share(faulty.length - missed.length, faulty.length),
    goal: '>=0.9',
    ok: missed.length <= faulty.length / 10,
  },
];
if (values.json) console.log(JSON.stringify(figures));
else {
  for (const { case: one, disturbed: words, answer } of disturbed)
    console.log(`disturbed  ${one.name}\n  ${answer}\n  ${words.join('\n  ')}`);
  for (const { case: one, answer } of missed) console.log(`missed     ${one.name}\n  ${answer}`);
  console.log(table());
  for (const { name, value, goal, ok } of figures) console.log(`${name} ${value} goal ${goal} ${ok ? 'ok' : 'short'}`);
}
process.exitCode = figures.every(({ ok }) => ok) ? 0 : 1;

function table(): string {
  const groups = Map.groupBy(faulty, ({ case: one }) => `${one.fault} ${one.language}`);
  const rows = [...groups].map(([name, all]) => `${name.padEnd(12)} ${all.filter(({ caught }) => caught).length} of ${all.length} caught`);
  const chinese = clean.filter(({ case: one }) => one.language === 'zh').length;
  return [`clean        ${disturbed.length} of ${clean.length} disturbed (${chinese} Chinese)`, ...rows].join('\n');
}
