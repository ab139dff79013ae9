/**
 * Pre-selection among 100 tools: how often the right one is among the first 8. `npm run -s bench:preselect [-- -v]`. The tools are those
 * of the public "multiple" cases, mixed with a fixed seed, around those that the case itself offers. English requests are the cases'
 * own; the 60 Chinese ones are ours (preselect-zh.ts): most want tools that are described in English only. -v shows what was missed.
 */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ToolInfo } from '../src/kernel/types.ts';
import { scanTools } from '../src/tools/scan.ts';
import { preselect } from '../src/tools/select.ts';
import { casesOf, needBfcl, safeName } from './bfcl.ts';
import { CHINESE, CHINESE_FRESH } from './preselect-zh.ts';

const TOOLS = 100;
const SHOWN = 8;
const GOAL = 0.95;
/** Shown and not judged: words that no vocabulary has been made for, against descriptions in English only. */
const FRESH = 'chinese, fresh words';

interface Wanted {
  group: string;
  request: string;
  tool: string;
  /** Tools that are there in any case. */
  own: ToolInfo[];
}

const { values: options } = parseArgs({ options: { verbose: { type: 'boolean', short: 'v' }, json: { type: 'boolean' } } });
needBfcl('bench:preselect');
const cases = casesOf('multiple');
const all = new Map<string, ToolInfo>();
for (const { functions } of cases) for (const one of functions) all.set(one.name, infoOf(one));
const { tools } = await scanTools([{ path: resolve(import.meta.dirname, '../tools'), trusted: true }]);
const shipped = tools.map(({ info }) => info);

const wanted: Wanted[] = [
  ...cases.map(({ request, functions, calls }) => ({ group: 'english', request, tool: calls[0]!.name, own: functions.map(infoOf) })),
  ...CHINESE.map(([request, tool]) => ({ group: 'chinese', request, ...chineseTools(tool) })),
  ...CHINESE_FRESH.map(([request, tool]) => ({ group: FRESH, request, ...chineseTools(tool) })),
];
const counts = new Map<string, { found: number; first: number; all: number }>();
let slowest = 0;
for (const [index, one] of wanted.entries()) {
  const offered = mixed(one.own, index + 1);
  const began = performance.now();
  const shown = preselect(one.request, offered, SHOWN).map(({ name }) => name);
  slowest = Math.max(slowest, performance.now() - began);
  const count = counts.get(one.group) ?? { found: 0, first: 0, all: 0 };
  const isFound = shown.includes(one.tool);
  counts.set(one.group, { found: count.found + Number(isFound), first: count.first + Number(shown[0] === one.tool), all: count.all + 1 });
  if (options.verbose && !isFound) console.error(`missed ${one.group} ${one.tool}: ${one.request}\n       ${shown.join(', ')}`);
}

function chineseTools(tool: string) {
  return { tool: safeName(tool), own: [...shipped, ...(all.has(tool) ? [all.get(tool)!] : [])] };
}

function infoOf({ name, description }: { name: string; description: string }): ToolInfo {
  return { name: safeName(name), description, level: 'read', input_schema: { type: 'object' }, hash: '' };
}

/** The same 100 for the same case every time: those of the case, and others, in a fixed random order. */
function mixed(own: readonly ToolInfo[], seed: number): ToolInfo[] {
  let state = seed * 2654435761;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const names = new Set(own.map(({ name }) => name));
  const others = [...all.values()].filter(({ name }) => !names.has(name)).map((info) => [random(), info] as const);
  const chosen = others
    .sort(([a], [b]) => a - b)
    .slice(0, TOOLS - own.length)
    .map(([, info]) => info);
  return [...own, ...chosen]
    .map((info) => [random(), info] as const)
    .sort(([a], [b]) => a - b)
    .map(([, info]) => info);
}

const figures = [...counts]
  .filter(([group]) => group !== FRESH)
  .map(([group, { found, all: asked }]) => ({ name: `preselect_${group}`, value: found / asked, goal: GOAL }));
if (options.json) console.log(JSON.stringify({ figures }));
else {
  for (const [group, { found, first, all: asked }] of counts)
    console.log(`${group}: ${asked} requests, ${TOOLS} tools; among the first ${SHOWN}: ${found}; the very first: ${first}`);
  console.log(`slowest selection ${slowest.toFixed(1)} ms`);
  for (const { name, value, goal } of figures) console.log(`${name} ${value.toFixed(3)} goal ${goal} ${value >= goal ? 'ok' : 'short'}`);
}
process.exitCode = figures.every(({ value, goal }) => value >= goal) ? 0 : 1;
